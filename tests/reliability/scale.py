"""Very large, deep and wide models through everything: the long form of R12, part of `make soak`.

python tests/reliability/scale.py [part of a name]: what the name is part of, each in a process of its own,
with its processor time and its most memory."""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import bough
import bough.estimators
from bough.data.table import Field
from bough.explain.rules import rules_of
from bough.pruning import prune
from bough.store import save
from bough.tree import Tree
from bough.view.dot import tree_dot
from bough.view.html import tree_page
from bough.view.svg import tree_svg

SPLIT, LEAF = 1, 0


def made(n_children: np.ndarray, threshold: np.ndarray, value: np.ndarray, weight: np.ndarray) -> Tree:
    """A tree of numbers that asks one column, from its form, breadth-first."""
    inner = n_children > 0
    m = len(inner)
    first = 1 + np.cumsum(n_children) - n_children
    return Tree(
        (Field("x", "numeric"),), None,
        feature=np.where(inner, 0, -1).astype(np.int32),
        kind=np.where(inner, SPLIT, LEAF).astype(np.uint8),
        threshold=np.where(inner, threshold, 0.0),
        first_child=np.where(inner, first, -1).astype(np.int64),
        n_children=n_children.astype(np.int32),
        missing_child=np.where(inner, 1, -1).astype(np.int32),
        n_rows=weight.astype(np.int64), n_missing=np.zeros(m, np.int64), weight=weight.astype(np.float64),
        impurity=np.where(inner, 1.0, 0.0), gain=np.where(inner, 0.01, 0.0), value=value[:, None].copy(),
        category_start=np.zeros(m + 1, np.int64), category=np.zeros(0, np.int32),
        category_child=np.zeros(0, np.int32),
    )  # fmt: skip


def chain(depth: int) -> Tree:
    """x <= 0.5, else x <= 1.5, else …; answers with the number of the leaf's node."""
    node = np.arange(2 * depth + 1)
    inner = (node % 2 == 0) & (node < 2 * depth)
    weight = np.where(inner, depth + 1 - node // 2, 1)
    return made(np.where(inner, 2, 0), node // 2 + 0.5, np.where(inner, 0.0, node), weight)


def full(levels: int) -> Tree:
    """2 ** levels leaves that part the numbers from 0; answers with the number of the leaf, from the left."""
    n = 2**levels
    node = np.arange(2 * n - 1)
    level = np.floor(np.log2(node + 1)).astype(int)
    width = 2.0 ** (levels - level)
    start = (node + 1 - 2**level) * width
    inner = level < levels
    return made(np.where(inner, 2, 0), start + width / 2 - 0.5, np.where(inner, 0.0, start), width)


def steps(tree: Tree, rows: np.ndarray, expected: np.ndarray) -> dict[str, Callable[[], Any]]:
    """What is done with a tree; each says whether it came out as it should."""
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "m.bough"

    def saved() -> bool:
        save(tree, path)
        return path.stat().st_size > 0

    return {
        "predict": lambda: bool((tree.predict(rows) == expected).all()),
        "depth": lambda: tree.max_depth > 0,
        "decision path": lambda: tree.decision_path(rows[:20]).shape[0] == 20,
        "save": saved,
        "load": lambda: bough.load(path).digest() == tree.digest() and folder.cleanup() is None,
        "text": lambda: 0 < len(str(tree)) < 1_000_000,
        "prune": lambda: prune(tree, "max_leaves", max_leaves=10).n_leaves <= 10,
        "picture": lambda: 0 < len(tree_svg(tree)) < 1_000_000,
    }


LARGE = {
    "export json": lambda tree: bool(bough.export(tree, "json", verify=False)),
    "export c": lambda tree: bool(bough.export(tree, "c", verify=False)),
    "export python": lambda tree: bool(bough.export(tree, "python", verify=False)),
    "export sql": lambda tree: bool(bough.export(tree, "sql", verify=False)),
    "rules": lambda tree: len(rules_of(tree)) == tree.n_leaves,
    "dot": lambda tree: len(tree_dot(tree)) > tree.n_leaves,
    "page": lambda tree: len(tree_page(tree)) > 1000,
}


def fitted_leaves(count: int) -> Tree:
    """A tree that is grown: as many rows, each in a leaf of its own."""
    y = np.random.default_rng(0).normal(size=count)
    return bough.DecisionTreeRegressor().fit(np.arange(float(count))[:, None], y).tree_


def many_categories(count: int) -> bool:
    """Each of so many categories twice; half of them are of one class."""
    names = np.array([f"c{i:07d}" for i in range(count)] * 2, dtype=object)
    y = (np.arange(2 * count) % count) % 2
    models = (bough.DecisionTreeClassifier(), bough.RandomForestClassifier(n_estimators=1, bootstrap=False))
    return all(bool((m.fit({"c": names}, y).predict({"c": names}) == y).all()) for m in models)


FAMILIES: dict[str, Callable[[], Any]] = {
    "tree": lambda: bough.DecisionTreeClassifier(max_depth=8),
    "forest": lambda: bough.RandomForestClassifier(n_estimators=2, max_depth=8),
    "boosting": lambda: bough.GradientBoostingClassifier(n_estimators=2),
    "AdaBoost": lambda: bough.AdaBoostClassifier(n_estimators=2),
}


def many_columns(count: int, rows: int = 60, family: str = "") -> bool:
    """One column of so many decides; a model that may ask all of them must find it."""
    X = np.random.default_rng(0).normal(size=(rows, count))
    y = (X[:, count // 2] > 0).astype(int)
    for name, make in FAMILIES.items():
        if family not in ("", name):
            continue
        model = make().fit(X, y)
        top = model.tree_ if name == "tree" else model.ensemble_.trees[0]
        if model.predict(X).shape != (rows,) or (name != "forest" and top.feature[0] != count // 2):
            return False
    return True


def many_rows(count: int, family: str) -> bool:
    """A column of bytes, so that many rows are equal."""
    X = np.random.default_rng(0).integers(0, 200, size=(count, 1), dtype=np.uint8)
    y = (X[:, 0] // 50) % 2
    model = FAMILIES[family]().fit(X, y)
    sample = slice(None, None, 997)
    return family == "boosting" or bool((model.predict(X[sample]) == y[sample]).all())


def many_cells(columns: int, rows: int, family: str) -> bool:
    """More cells than 32 bits count: one array under many names, of which the first is asked."""
    x = np.random.default_rng(0).integers(0, 100, rows).astype(float)
    table, y = {f"c{i}": x for i in range(columns)}, (x > 50).astype(int)
    model = FAMILIES[family]().fit(table, y)
    top = model.tree_ if family == "tree" else model.ensemble_.trees[0]
    right = (model.predict(table) == y).all()  # of the last rows, too
    return bool(right) and (family == "forest" or top.feature[0] == 0) and top.n_leaves == 2


def did(what: Callable[[], Any]) -> str:
    """ "done", or the code of a clear error."""
    try:
        return "done" if what() else "WRONG"
    except bough.BoughError as error:
        return f"error[{error.code}]"


def through(tree: Tree, rows: np.ndarray, expected: np.ndarray) -> dict[str, Callable[[], Any]]:
    return steps(tree, rows, expected) | {n: (lambda f=f: f(tree)) for n, f in LARGE.items()}


def runs() -> dict[str, Callable[[], dict[str, Callable[[], Any]]]]:
    """What is made once -> what is done with it."""
    far, wide = np.arange(0.0, 100_000, 500), np.arange(0.0, 2**20, 997.0)

    def grown() -> dict[str, Callable[[], Any]]:
        tree = fitted_leaves(2**20)
        expected = np.random.default_rng(0).normal(size=2**20)[wide.astype(int)]
        return {"fit": lambda: tree.n_leaves == 2**20} | through(tree, wide[:, None], expected)

    def each(name: str, what: Callable[[str], bool]) -> dict[str, Callable[[], dict[str, Any]]]:
        return {f"{name}: {f}": (lambda f=f: {"": lambda: what(f)}) for f in FAMILIES}

    return {
        "chain of 100,000": lambda: through(chain(100_000), far[:, None], 2 * far + 1),
        "1,048,576 leaves, made": lambda: through(full(20), wide[:, None], wide),
        "1,048,576 leaves, grown": grown,
        "100,000 categories": lambda: {"": lambda: many_categories(100_000)},
        **each("10,000 columns of 5,000 rows", lambda f: many_columns(10_000, 5_000, f)),
        **each("20,000,000 rows of bytes", lambda f: many_rows(20_000_000, f)),
        **each("2^31 cells, 21,500 columns", lambda f: many_cells(21_500, 100_000, f)),
        **each("2^31 cells, 20,000,000 rows", lambda f: many_cells(110, 20_000_000, f)),
    }


def main(part: str = "") -> int:
    failed = 0
    for name, make in runs().items():
        if part in name:
            failed += _alone(lambda name=name, make=make: _tell(name, make()))
    return int(failed > 0)


def _tell(name: str, todo: dict[str, Callable[[], Any]]) -> bool:
    """Each step in a process of its own, since the most memory of a process is never forgotten."""
    if len(todo) > 1:
        _figures(f"{name}: made", "done")
    fine = [
        _alone(lambda step=step, what=what: _step(f"{name} {step}".strip(), what))
        for step, what in todo.items()
    ]
    return not any(fine)


def _step(name: str, what: Callable[[], Any]) -> bool:
    result = did(what)
    _figures(name, result)
    return result != "WRONG"


def _figures(name: str, result: str) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(
        f"{name}: {result}, {used.ru_utime + used.ru_stime:.1f} s, {used.ru_maxrss / 1024:,.0f} MB",
        flush=True,
    )


def _alone(what: Callable[[], bool]) -> int:
    """1 if it fails, whatever way."""
    child = os.fork()
    if child == 0:
        fine = False
        try:
            fine = what()
        finally:
            os._exit(not fine)
    status = os.waitpid(child, 0)[1]
    if status:
        print(f"status {status}", flush=True)
    return int(status != 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

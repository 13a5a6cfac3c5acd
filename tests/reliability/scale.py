"""Very large, deep and wide models through everything: the long form of R12, part of `make soak`.

python tests/reliability/scale.py [depth] [leaves] [categories] [columns]"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import bough
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
        "prune": lambda: prune(tree, "max_leaves", max_leaves=10).n_leaves == 10,
        "picture": lambda: 0 < len(tree_svg(tree)) < 1_000_000,
    }


LARGE = {
    "rules": lambda tree: len(rules_of(tree)) == tree.n_leaves,
    "dot": lambda tree: len(tree_dot(tree)) > tree.n_leaves,
    "page": lambda tree: len(tree_page(tree)) > 1000,
    "export python": lambda tree: bool(bough.export(tree, "python", verify=False)),
    "export c": lambda tree: bool(bough.export(tree, "c", verify=False)),
    "export sql": lambda tree: bool(bough.export(tree, "sql", verify=False)),
    "export json": lambda tree: bool(bough.export(tree, "json", verify=False)),
}


def many_categories(count: int) -> bool:
    """Each of so many categories twice; half of them are of one class."""
    names = np.array([f"c{i:07d}" for i in range(count)] * 2, dtype=object)
    y = (np.arange(2 * count) % count) % 2
    models = (bough.DecisionTreeClassifier(), bough.RandomForestClassifier(n_estimators=1, bootstrap=False))
    return all(bool((m.fit({"c": names}, y).predict({"c": names}) == y).all()) for m in models)


def many_columns(count: int) -> bool:
    X = np.random.default_rng(0).normal(size=(60, count))
    y = (X[:, count // 2] > 0).astype(int)
    return all(
        model.fit(X, y).predict(X).shape == (60,)
        for model in (
            bough.DecisionTreeClassifier(),
            bough.RandomForestClassifier(n_estimators=2),
            bough.GradientBoostingClassifier(n_estimators=2),
        )
    )


def did(what: Callable[[], Any]) -> str:
    """ "done", or the code of a clear error."""
    try:
        return "done" if what() else "WRONG"
    except bough.BoughError as error:
        return f"error[{error.code}]"


def main(depth: int = 100_000, leaves: int = 20, categories: int = 100_000, columns: int = 10_000) -> int:
    far = np.arange(0.0, depth, max(1, depth // 200))
    wide = np.arange(0.0, 2**leaves, 997.0)
    trees = {
        f"chain of {depth:,}": (chain(depth), far[:, None], 2 * far + 1),
        f"{2**leaves:,} leaves": (full(leaves), wide[:, None], wide),
    }
    found = []
    for name, (tree, rows, expected) in trees.items():
        todo = steps(tree, rows, expected) | {n: (lambda f=f, t=tree: f(t)) for n, f in LARGE.items()}
        for step, what in todo.items():
            found.append(_timed(f"{name}: {step}", what))
    found.append(_timed(f"{categories:,} categories", lambda: many_categories(categories)))
    found.append(_timed(f"{columns:,} columns", lambda: many_columns(columns)))
    return int("WRONG" in found)


def _timed(name: str, what: Callable[[], Any]) -> str:
    began = time.perf_counter()
    result = did(what)
    print(f"{name}: {result}, {time.perf_counter() - began:.1f} s", flush=True)
    return result


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))

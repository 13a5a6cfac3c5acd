"""ConditionalTreeClassifier and ConditionalTreeRegressor against partykit's trees, and against the plain
reference on random tables."""

from __future__ import annotations

import json
import math
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference import conditional
from reference.grower import Table
from reference.rounding import exact_sums
from reference.strategies import NAMES, build_column, build_target, build_weights
from reference.test_conditional import airquality, iris, iris_length

import bough
from bough import _core
from bough.tree import Node

BATCH = 30
PARTYKIT = Path(__file__).parent.parent / "reference" / "partykit"


def frame_of(table: Table) -> pd.DataFrame:
    columns: dict[str, Any] = {}
    for c in table.columns:
        if c.kind == "nominal":
            labels = [f"c{k:02d}" for k in range(c.n_categories)]
            columns[c.name] = pd.Categorical(
                [None if v is None else labels[int(v)] for v in c.values], labels
            )
        else:
            columns[c.name] = np.array([math.nan if v is None else v for v in c.values], dtype=float)
    return pd.DataFrame(columns)


def fitted(table: Table, **given: Any) -> Any:
    if table.n_classes is None:
        model: Any = bough.ConditionalTreeRegressor(**given)
    else:
        model = bough.ConditionalTreeClassifier(classes=range(table.n_classes), **given)
    return model.fit(frame_of(table), np.array(table.target), table.weights)


def preorder(node: Node) -> list[Node]:
    return [node, *(n for child in node.children for n in preorder(child))]


def association_of(table: Table, rows: list[int]) -> dict[str, tuple[float, float]]:
    """Statistic and log p-value, adjusted for the columns tested, of each column among these rows."""
    y = np.array(table.target)[rows]
    weights = np.empty(0) if table.weights is None else np.array(table.weights)[rows]
    if table.n_classes is None:
        target = _core.number_target(y, weights)
    else:
        target = _core.class_target(y.astype(np.int32), table.n_classes, weights)
    found = {}
    for c in table.columns:
        values = np.array([math.nan if c.values[i] is None else c.values[i] for i in rows], dtype=float)
        found[c.name] = _core.association(values, c.n_categories, target)
    tested = {name: test for name, test in found.items() if test[1] > 0}
    return {name: (t[0], _core.adjusted_log_p(t[2], len(tested))) for name, t in tested.items()}


@pytest.mark.parametrize("name", ["iris", "iris_length", "airquality"])
def test_partykit(name: str) -> None:
    """Columns, cuts, every statistic and p-value of every node, and the leaf of every row."""
    table = {"iris": iris, "iris_length": iris_length, "airquality": airquality}[name]()
    theirs = json.loads((PARTYKIT / f"{name}.json").read_text())
    model = fitted(table)
    nodes = preorder(model.tree_.root)
    assert len(nodes) == len(theirs["nodes"])
    passed = model.decision_path(frame_of(table)).toarray() == 1
    for number, (node, their) in enumerate(zip(nodes, theirs["nodes"], strict=True), start=1):
        assert node.column == (their["varid"] and theirs["columns"][their["varid"] - 1])
        if node.column:
            assert node.threshold == their["breaks"]
        printed = theirs["tests"].get(str(number), {})
        tests = association_of(table, np.flatnonzero(passed[:, node.id]).tolist())
        if printed:
            assert tests.keys() == printed.keys()
            smallest = min(math.exp(log_p) for _, log_p in tests.values())
            assert smallest == pytest.approx(their["p.value"], rel=1e-10)
        for column, (statistic, p) in printed.items():
            assert tests[column][0] == pytest.approx(statistic, rel=1e-10)
            assert math.exp(tests[column][1]) == pytest.approx(p, rel=1e-10)
    numbers = {node.id: number for number, node in enumerate(nodes, start=1)}
    assert [numbers[leaf] for leaf in model.apply(frame_of(table))] == theirs["node_of_row"]


def random_table(seed: int, n: int, n_columns: int) -> Table:
    names = Random(f"{seed}/names").sample(NAMES, len(NAMES))
    columns = [build_column(Random(f"{seed}/{j}"), names[j], n) for j in range(n_columns)]
    target, classes = build_target(Random(f"{seed}/target"), n, columns[0])
    return Table(columns, target, classes, build_weights(Random(f"{seed}/weights"), n))


def random_settings(rng: Random) -> conditional.Settings:
    return conditional.Settings(
        significance_level=rng.choice((0.05, 0.3, 0.9)),
        min_samples_split=rng.choice((2, 5, 20)),
        min_samples_leaf=rng.choice((1, 2, 7)),
        min_share=rng.choice((0.0, 0.01, 0.2)),
    )


def check_same(table: Table, mine: Node, plain: conditional.Node, passed: np.ndarray) -> int:
    """The number of nodes compared."""
    assert np.flatnonzero(passed[:, mine.id]).tolist() == plain.rows
    assert mine.n_rows == len(plain.rows)
    expected = None if plain.column is None else table.columns[plain.column]
    assert mine.column == (expected and expected.name)
    if expected is None:
        return 1
    if expected.kind == "nominal":
        sides = [{int(label[1:]) for label in labels} for labels in mine.categories]
        assert sides == [set(plain.left), set(plain.right)]
    else:
        assert mine.threshold == plain.threshold
    return 1 + sum(
        check_same(table, *pair, passed) for pair in zip(mine.children, plain.children, strict=True)
    )


def check(seed: int, n: int, n_columns: int) -> int:
    """The number of nodes compared."""
    table, s = random_table(seed, n, n_columns), random_settings(Random(f"{seed}/settings"))
    # The order of categories of equal mean needs sums that are exact.
    if any(c.kind == "nominal" for c in table.columns) and not exact_sums(table):
        return 0
    plain = conditional.grow(table, s)
    model = fitted(
        table,
        significance_level=s.significance_level,
        min_samples_split=s.min_samples_split,
        min_samples_leaf=s.min_samples_leaf,
        min_share_leaf=s.min_share,
    )
    passed = model.decision_path(frame_of(table)).toarray() == 1
    if table.weights is not None:
        passed &= np.array(table.weights)[:, None] > 0
    return check_same(table, model.tree_.root, plain, passed)


@settings(max_examples=20, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 5))
def test_random_tables(seed: int, n: int, n_columns: int) -> None:
    for k in range(BATCH):
        check(seed + k, 2 + (n + 7 * k) % 60, 1 + (n_columns + k) % 5)

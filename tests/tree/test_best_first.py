"""Smaller trees read off a larger one are those that growth with fewer leaves makes, ties included."""

from __future__ import annotations

import numpy as np
import pytest

from bough.data.table import Column, Field, Table
from bough.growing import Settings, grow
from bough.tree.best_first import beginning, split_order


def random_table(random: np.random.Generator) -> Table:
    """Few different values, so that many gains are equal."""
    n_rows, columns = int(random.integers(5, 60)), []
    for j in range(int(random.integers(1, 5))):
        n_values = int(random.integers(2, 6))
        values = random.integers(0, n_values, n_rows).astype(float)
        if random.random() < 0.4:
            values[random.random(n_rows) < 0.2] = np.nan
        categories = tuple("abcdef"[:n_values]) if random.random() < 0.5 else ()
        columns.append(Column(Field(f"x{j}", "nominal" if categories else "numeric", categories), values))
    return Table(tuple(columns), n_rows)


@pytest.mark.parametrize("missing", ["learn", "fractional", "majority", "stop"])
def test_the_first_splits_are_the_tree_of_so_many_leaves(missing: str) -> None:
    random = np.random.default_rng(0)
    for _ in range(40):
        table = random_table(random)
        y = random.integers(0, 3, table.n_rows).astype(np.int32)
        weights = None if random.random() < 0.5 else random.integers(1, 4, table.n_rows) * 0.1
        classes = np.arange(3) if random.random() < 0.6 else None
        settings = {"missing": missing, "criterion": "squared_error" if classes is None else "entropy"}
        target = y.astype(float) if classes is None else y
        whole = grow(table, target, classes, weights, Settings(**settings))
        order = list(split_order(whole))
        assert sorted(order) == np.flatnonzero(whole.feature >= 0).tolist()
        for n_splits in range(len(order) + 1):
            limited = Settings(**settings, max_leaf_nodes=n_splits + 1)
            small = grow(table, target, classes, weights, limited)
            assert beginning(whole, order[:n_splits]).digest() == small.digest()


def test_numbers_whose_squares_leave_the_range() -> None:
    x = np.arange(8.0)
    y = np.array([0, 0, 1, 1, 9, 9, 30, 31.0])
    table = Table((Column(Field("x", "numeric"), x),), 8)
    orders = [
        list(split_order(grow(table, y * scale, None, None, Settings(criterion="squared_error"))))
        for scale in (1.0, 1e200, 1e-200)
    ]
    assert orders[1] == orders[0]
    assert orders[2] == orders[0]

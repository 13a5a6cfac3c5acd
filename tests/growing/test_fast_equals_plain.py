"""Fast paths against plain ones: counts and weights, histograms and sorted scans grow the same trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bough.data.table import Column, Field, Table
from bough.growing import Settings, grow

N = 3000


def make_table(rng: np.random.Generator, distinct: int) -> Table:
    columns = []
    for j in range(5):
        values = rng.integers(0, distinct, N) / 7.0
        if j % 2:
            values[rng.random(N) < 0.1] = np.nan
        columns.append(Column(Field(f"x{j}", "numeric"), values))
    categories = tuple(f"c{i:02d}" for i in range(20))
    columns.append(Column(Field("k", "nominal", categories), rng.integers(0, 20, N).astype(float)))
    return Table(tuple(columns), N)


# 40 values are counted in histograms, 10 million are kept sorted.
@pytest.mark.parametrize("distinct", [40, 10**7])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_whole_counts_and_fractional_weights_grow_the_same_tree(
    criterion: str, classes: int, distinct: int
) -> None:
    rng = np.random.default_rng(classes + distinct)
    table = make_table(rng, distinct)
    noise = rng.normal(size=N)
    score = np.nan_to_num(table.columns[0].values) + np.nan_to_num(table.columns[1].values)
    ranks = np.argsort(np.argsort(score + noise * score.std()))
    codes = (ranks * classes // N).astype(np.int32)
    settings = Settings(criterion=criterion, min_samples_leaf=3)
    # A weight of 0.7 for every row changes nothing but the path through the core.
    counted = grow(table, codes, np.arange(classes), None, settings)
    weighted = grow(table, codes, np.arange(classes), np.full(N, 0.7), settings)
    assert counted.n_leaves > 50
    for name in (
        "feature",
        "threshold",
        "first_child",
        "missing_child",
        "category",
        "category_child",
        "n_rows",
    ):
        np.testing.assert_array_equal(getattr(counted, name), getattr(weighted, name))
    np.testing.assert_allclose(counted.gain, weighted.gain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("distinct", [40, 10**7])
def test_whole_and_fractional_weights_grow_the_same_regression_tree(distinct: int) -> None:
    rng = np.random.default_rng(distinct)
    table = make_table(rng, distinct)
    y = np.nan_to_num(table.columns[0].values) / distinct + rng.normal(size=N)
    settings = Settings(criterion="squared_error", min_samples_leaf=3)
    counted = grow(table, y, None, None, settings)
    weighted = grow(table, y, None, np.full(N, 0.7), settings)
    assert counted.n_leaves > 50
    for name in ("feature", "threshold", "n_rows"):
        np.testing.assert_array_equal(getattr(counted, name), getattr(weighted, name))
    np.testing.assert_allclose(counted.value, weighted.value, rtol=1e-12)
    np.testing.assert_allclose(counted.gain, weighted.gain, rtol=1e-6, atol=1e-12)


def test_bins_are_exact_where_there_are_enough_of_them() -> None:
    rng = np.random.default_rng(3)
    table = make_table(rng, 40)
    codes = rng.integers(0, 3, N).astype(np.int32)
    exact = grow(table, codes, np.arange(3), None, Settings(max_depth=5))
    binned = grow(table, codes, np.arange(3), None, Settings(max_depth=5, max_bins=40))
    assert exact.digest() == binned.digest()


def test_bins_are_few_and_about_equal() -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=N)
    table = Table((Column(Field("x", "numeric"), values),), N)
    tree = grow(table, values, None, None, Settings(criterion="squared_error", max_bins=10))
    leaves = tree.n_rows[tree.feature < 0]
    assert len(leaves) == 10
    assert leaves.min() > 0.9 * N / 10
    assert leaves.max() < 1.1 * N / 10


def root_of(
    X: Any, columns: list[int], target: Any, n_classes: int, criterion: str
) -> tuple[float, int, float]:
    """Gain, column and threshold of the first split."""
    fields = tuple(Column(Field(f"x{j}", "numeric"), X[:, j]) for j in columns)
    settings = Settings(criterion=criterion, max_depth=1)
    tree = grow(Table(fields, len(X)), target, np.arange(n_classes) if n_classes else None, None, settings)
    return float(tree.gain[0]), columns[int(tree.feature[0])], float(tree.threshold[0])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("classes", "criterion"), [(0, "squared_error"), (2, "gini"), (2, "entropy"), (5, "gini"), (5, "entropy")]
)
@pytest.mark.parametrize("n", [3, 5, 30, 60, 200, 700, 3000])
def test_columns_searched_together_offer_what_each_offers_alone(
    n: int, classes: int, criterion: str, order: Any
) -> None:
    # Together, a column is searched only above the gain of those before it.
    rng = np.random.default_rng(n)
    X = np.array(rng.normal(size=(n, 9)), order=order)
    X[:, 4] = np.round(X[:, 4])
    X[rng.random(n) < 0.1, 6] = np.nan
    target = X[:, 3] + rng.normal(size=n)
    if classes:
        target = (np.argsort(np.argsort(target)) * classes // n).astype(np.int32)
    alone = [root_of(X, [j], target, classes, criterion) for j in range(9)]
    top = max(gain for gain, _, _ in alone)
    first = next(found for found in alone if found[0] >= top * (1 - 1e-12))
    last = next(found for found in alone[::-1] if found[0] >= top * (1 - 1e-12))
    assert root_of(X, list(range(9)), target, classes, criterion)[1:] == first[1:]
    assert root_of(X, list(range(8, -1, -1)), target, classes, criterion)[1:] == last[1:]


def test_numbers_of_weight_one_and_two_grow_the_same_tree() -> None:
    # Rows of weight 1 are left out by the distance of their sums, rows of weight 2 are all tried.
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 4))
    y = np.sin(3 * X[:, 1]) + rng.normal(size=N) + 1e6
    table = Table(tuple(Column(Field(f"x{j}", "numeric"), X[:, j]) for j in range(4)), N)
    settings = Settings(criterion="squared_error")
    once, twice = (grow(table, y, None, w, settings) for w in (None, np.full(N, 2.0)))
    for name in ("feature", "threshold", "first_child", "n_rows", "value"):
        np.testing.assert_array_equal(getattr(once, name), getattr(twice, name))


@pytest.mark.parametrize("seed", range(4))
def test_a_margin_ties_the_same_cuts_whatever_other_columns_offer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1500, 6))
    X[:, 1] = X[:, 0] + 1e-3 * X[:, 1]
    score = X[:, 0] + rng.normal(size=1500)
    codes = (np.argsort(np.argsort(score)) * 3 // 1500).astype(np.int32)
    table = Table(tuple(Column(Field(f"x{j}", "numeric"), X[:, j]) for j in range(6)), 1500)
    # With a gap, however small, every column is searched as if it were alone.
    digests = {
        grow(
            table,
            codes,
            np.arange(3),
            None,
            Settings(criterion="entropy", max_depth=4, tie_margin=0.01, ties="random", value_gap=gap),
        ).digest()
        for gap in (0.0, 1e-300)
    }
    assert len(digests) == 1


@pytest.mark.parametrize("what", ["two", "five", "entropy", "numbers", "few values"])
def test_small_nodes_choose_as_others_do(what: str) -> None:
    rng = np.random.default_rng(len(what))
    # Ties are common where values are few; names in alphabetical order make both rules of ties the same.
    distinct = 300 if what == "few values" else 10**7
    values = rng.integers(0, distinct, (6, N)) / 3.0
    table = Table(tuple(Column(Field(f"x{j}", "numeric"), v) for j, v in enumerate(values)), N)
    score = values[0] + values[1] + rng.normal(scale=values.std(), size=N)
    numbers = what in ("numbers", "few values")
    classes = 2 if what in ("two", "entropy") else 5
    codes = (np.argsort(np.argsort(score)) * classes // N).astype(np.int32)
    target, known = (np.round(score, 1), None) if numbers else (codes, np.arange(classes))
    criterion = "squared_error" if numbers else "entropy" if what == "entropy" else "gini"
    fast = grow(table, target, known, None, Settings(criterion=criterion))
    plain = grow(table, target, known, None, Settings(criterion=criterion, ties="alphabetical"))
    assert fast.n_leaves > 300
    assert fast.digest() == plain.digest()


@pytest.mark.parametrize("columns", [8, 21])
def test_columns_of_two_values_are_counted_together_as_alone(columns: int) -> None:
    rng = np.random.default_rng(columns)
    values = rng.random((columns + 2, N)) < rng.random((columns + 2, 1))
    fields = [Field(f"x{j}", "numeric") for j in range(columns + 2)]
    data = values.astype(float)
    data[3] = rng.integers(0, 90, N)  # others stand between them
    data[5, rng.random(N) < 0.2] = np.nan
    table = Table(tuple(Column(f, v) for f, v in zip(fields, data, strict=True)), N)
    codes = ((values[0] + values[1] * values[2] + values[4] + rng.random(N)) * 2).astype(np.int32)
    classes = np.arange(codes.max() + 1)
    # Rows that count twice are counted one by one.
    together = grow(table, codes, classes, None, Settings())
    alone = grow(table, codes, classes, np.full(N, 2.0), Settings())
    assert together.n_leaves > 300
    for name in ("feature", "threshold", "first_child", "missing_child", "n_rows"):
        np.testing.assert_array_equal(getattr(together, name), getattr(alone, name))
    np.testing.assert_array_equal(2 * together.value, alone.value)

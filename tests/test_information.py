"""General laws of bough.information: bounds, chain rule, symmetry, any column, each error message."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import stats

from bough.errors import BoughError, BoughTypeError
from bough.information import (
    chi_square,
    conditional_entropy,
    conditional_error_rate,
    conditional_gini,
    contingency,
    cross_entropy,
    entropy,
    error_rate,
    gain_ratio,
    gini,
    gini_gain,
    information,
    joint_entropy,
    mutual_information,
    number_of_trees,
    specific_conditional_entropy,
    split_information,
    squared_loss,
)

COUNTS = arrays(np.float64, st.integers(1, 6), elements=st.integers(0, 1000)).filter(lambda a: a.sum() > 0)
TABLES = arrays(
    np.float64, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.integers(0, 1000)
).filter(lambda a: a.sum() > 0)
CLOSE = 1e-9


@given(COUNTS)
def test_bounds_of_one_distribution(counts: np.ndarray) -> None:
    k = int((counts > 0).sum())
    assert 0 <= entropy(counts) <= math.log2(k) + CLOSE
    assert 0 <= gini(counts) <= 1 - 1 / k + CLOSE
    assert 0 <= error_rate(counts) <= 1 - 1 / k + CLOSE
    assert (entropy(counts) == 0) == (k == 1)


@given(COUNTS, st.integers(1, 1000))
def test_scale_and_base_do_not_matter(counts: np.ndarray, factor: int) -> None:
    assert entropy(counts * factor) == pytest.approx(entropy(counts))
    assert entropy(counts / counts.sum()) == pytest.approx(entropy(counts))
    assert entropy(counts, base=10) * math.log2(10) == pytest.approx(entropy(counts))
    assert gini(counts * factor) == pytest.approx(gini(counts))


@given(TABLES)
def test_chain_rule(table: np.ndarray) -> None:
    h_x, h_y = entropy(table.sum(axis=1)), entropy(table.sum(axis=0))
    assert joint_entropy(table) == pytest.approx(h_x + conditional_entropy(table), abs=CLOSE)
    assert joint_entropy(table) == pytest.approx(h_y + conditional_entropy(table.T), abs=CLOSE)
    assert split_information(table) == h_x


@given(TABLES)
def test_gain_is_symmetric_and_bounded(table: np.ndarray) -> None:
    gain = mutual_information(table)
    assert gain == pytest.approx(mutual_information(table.T), abs=CLOSE)
    assert 0 <= gain <= min(entropy(table.sum(axis=0)), entropy(table.sum(axis=1))) + CLOSE
    assert 0 <= gain_ratio(table) <= 1 + CLOSE
    assert 0 <= gini_gain(table) <= gini(table.sum(axis=0))
    assert conditional_error_rate(table) <= error_rate(table.sum(axis=0)) + CLOSE


@given(COUNTS, COUNTS)
def test_independent_columns_gain_nothing(x: np.ndarray, y: np.ndarray) -> None:
    table = np.outer(x, y)
    assert mutual_information(table) == pytest.approx(0, abs=CLOSE)
    assert chi_square(table).statistic == pytest.approx(0, abs=1e-6)


@given(COUNTS)
def test_knowing_y_leaves_nothing(counts: np.ndarray) -> None:
    table = np.diag(counts)
    assert conditional_entropy(table) == 0
    assert mutual_information(table) == pytest.approx(entropy(counts))


@given(
    st.integers(1, 5).flatmap(lambda k: st.tuples(*[arrays(np.float64, k, elements=st.integers(1, 50))] * 2))
)
def test_cross_entropy_is_least_at_the_truth(pair: tuple[np.ndarray, np.ndarray]) -> None:
    p, q = pair
    assert cross_entropy(p, p) == pytest.approx(entropy(p))
    assert cross_entropy(p, q) >= entropy(p) - CLOSE


@given(arrays(np.float64, (3, 4, 3), elements=st.integers(1, 100)))
def test_leading_axes_are_many_tables(tables: np.ndarray) -> None:
    for function in (
        joint_entropy,
        conditional_entropy,
        mutual_information,
        split_information,
        gain_ratio,
        conditional_gini,
        gini_gain,
        conditional_error_rate,
    ):
        np.testing.assert_allclose(function(tables), [function(table) for table in tables], atol=1e-14)
    np.testing.assert_allclose(
        specific_conditional_entropy(tables, 1), [specific_conditional_entropy(table, 1) for table in tables]
    )
    np.testing.assert_allclose(
        cross_entropy(tables, tables[0, 0])[1, 2], cross_entropy(tables[1, 2], tables[0, 0])
    )


@given(st.lists(st.tuples(st.integers(-1000, 1000), st.sampled_from("abc")), min_size=1))
def test_groups_never_raise_the_squared_loss(pairs: list[tuple[int, str]]) -> None:
    values, groups = zip(*pairs, strict=True)
    assert squared_loss(values) == pytest.approx(np.var(values) * len(values), abs=1e-6)
    parts = [squared_loss([v for v, g in pairs if g == label]) for label in set(groups)]
    assert squared_loss(values, groups) == pytest.approx(sum(parts), abs=1e-6)
    assert squared_loss(values, groups) <= squared_loss(values) + 1e-6


def test_entropy_agrees_with_scipy_and_chi_square_too() -> None:
    table = np.array([[12, 5, 0], [3, 9, 4]])
    assert entropy(table.ravel()) == pytest.approx(stats.entropy(table.ravel(), base=2))
    expected = stats.chi2_contingency(table, correction=False)
    assert chi_square(table) == pytest.approx((expected.statistic, expected.dof, expected.pvalue))


def test_empty_rows_and_columns_count_for_nothing() -> None:
    assert conditional_entropy([[2, 6], [0, 0]]) == entropy([2, 6])
    assert conditional_error_rate([[2, 6], [0, 0]]) == 0.25
    assert chi_square([[2, 3, 0], [0, 0, 0], [3, 2, 0]]) == chi_square([[2, 3], [3, 2]])
    assert chi_square([[2, 3]]) == (0, 0, 1)
    assert gain_ratio([[2, 3], [0, 0]]) == 0


def test_extreme_numbers() -> None:
    assert entropy([1e308, 1e308, 1e308, 1e308]) == 2.0
    assert entropy([5e-324, 5e-324]) == 1.0
    assert information([0, 1]).tolist() == [math.inf, 0]
    assert math.copysign(1, entropy([4, 0])) == 1
    assert cross_entropy([1, 1], [1, 0]) == math.inf


def test_results_are_plain_floats() -> None:
    for value in (entropy([9, 5]), gain_ratio([[1, 2], [3, 4]]), information(0.5), squared_loss([1, 2])):
        assert type(value) is float


@pytest.mark.parametrize(
    "column",
    [
        ["b", "a", "b"],
        np.array(["b", "a", "b"]),
        pd.Series(["b", "a", "b"]),
        pd.Series(["b", "a", "b"], dtype="category"),
        pl.Series(["b", "a", "b"]),
        iter("bab"),
    ],
)
def test_contingency_takes_any_column(column: object) -> None:
    assert contingency(column, [1, 1, 2]).tolist() == [[1, 0], [1, 1]]


@pytest.mark.parametrize(
    "column",
    [
        ["a", None, "b"],
        [1.0, math.nan, 2.0],
        np.array([1.0, np.nan, 2.0]),
        pd.Series(["a", None, "b"]),
        pd.Series([1, pd.NA, 2], dtype="Int64"),
        pd.Series(pd.to_datetime(["2020-01-01", None, "2020-01-02"])),
        pl.Series([1, None, 2]),
    ],
)
def test_contingency_and_missing_values(column: object) -> None:
    with pytest.raises(BoughError, match="x has 1 missing values, the first at position 1") as caught:
        contingency(column, ["+", "-", "-"])
    assert caught.value.code == "missing"
    assert contingency(column, ["+", "-", "-"], missing="drop").tolist() == [[1, 0], [0, 1]]


def test_contingency_order_is_sorted_or_declared() -> None:
    assert contingency([10, 9, 9], ["n", "y", "y"]).tolist() == [[0, 2], [1, 0]]
    assert contingency([10, 9, 9], ["n", "y", "y"], rows=[10, 9, 8], columns="yn").tolist() == [
        [0, 1],
        [2, 0],
        [0, 0],
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: entropy([3, -1]), "-1.0 is not a count"),
        (lambda: entropy([3, math.nan]), "nan is not a count"),
        (lambda: gini([3, math.inf]), "inf is not a count"),
        (lambda: entropy(3), "expected a list of counts"),
        (lambda: entropy([]), "expected a list of counts"),
        (lambda: entropy([0, 0]), "has no cases"),
        (lambda: error_rate([[1, 2], [0, 0]]), "has no cases"),
        (lambda: conditional_entropy([[0, 0]]), "has no cases"),
        (lambda: specific_conditional_entropy([[1, 0], [0, 0]], 1), "has no cases"),
        (lambda: specific_conditional_entropy([[1, 0], [0, 0]], 2), "the table has no row 2"),
        (lambda: specific_conditional_entropy([[1, 0], [0, 0]], -1), "the table has no row -1"),
        (lambda: mutual_information([9, 5]), r"expected a contingency table, got the shape \(2,\)"),
        (lambda: mutual_information(np.zeros((0, 2))), "expected a contingency table"),
        (lambda: chi_square(np.ones((2, 2, 2))), "takes one table"),
        (lambda: chi_square([[0, 0], [0, 0]]), "has no cases"),
        (lambda: entropy([1, 1], base=1), "base=1"),
        (lambda: entropy([1, 1], base="e"), "base='e'"),
        (lambda: entropy([1, 1], base=math.nan), "base=nan"),
        (lambda: information(1.5), "1.5 is not a probability"),
        (lambda: information([0.5, math.nan]), "nan is not a probability"),
        (lambda: cross_entropy([1, 1], [1, 1, 1]), "different shapes"),
        (lambda: cross_entropy([1], [1, 1, 1]), "different shapes"),
        (lambda: cross_entropy([[1, 1]] * 2, [[1, 1]] * 3), "different shapes"),
        (lambda: squared_loss([]), "one list of finite numbers"),
        (lambda: squared_loss([1, math.nan]), "one list of finite numbers"),
        (lambda: squared_loss([1e200, -1e200]), "too large"),
        (lambda: squared_loss([1, 2], groups=["a"]), "values has 2 values and groups has 1"),
        (lambda: number_of_trees(-1), "d >= 0"),
        (lambda: number_of_trees(50), "more than a million digits"),
        (lambda: contingency([1, 2], [1]), "x has 2 values and y has 1"),
        (lambda: contingency([1, 2], [1, 2], rows=[1]), "x has the value 2, which is not listed"),
        (lambda: contingency([1, 2], [1, 2], missing="keep"), "missing='keep'"),
    ],
)
def test_errors_say_what_is_wrong(call: Callable[[], object], message: str) -> None:
    with pytest.raises(BoughError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: entropy(["9", "5"]), "counts must be numbers"),
        (lambda: entropy([[1, 2], [3]]), "counts must be numbers in rows of equal length"),
        (lambda: number_of_trees(2.5), "d=2.5 is not a whole number"),
        (lambda: contingency("Outlook", [1]), "x must be a column of values"),
        (lambda: contingency(None, [1]), "x must be a column of values"),
        (lambda: contingency([1, "a"], [1, 2]), "x cannot be put in order"),
        (lambda: contingency([[1], [2]], [1, 2]), "x cannot be put in order"),
    ],
)
def test_errors_of_type(call: Callable[[], object], message: str) -> None:
    with pytest.raises(BoughTypeError, match=message):
        call()


def test_import_loads_numpy_only() -> None:
    code = "import sys, bough.information; print({'scipy', 'sklearn', 'pandas', 'polars'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"

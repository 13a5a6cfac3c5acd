"""Tests of bough.information: the lectures' figures (W1 ...) to the printed digits, and general laws."""

from __future__ import annotations

import itertools
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

from bough.data.examples import EXAMPLES, load
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
    information_gain,
    joint_entropy,
    mutual_information,
    number_of_trees,
    specific_conditional_entropy,
    split_information,
    squared_loss,
)


def six(value: float) -> float:
    """Rounded to the six digits that the figures are printed with."""
    return round(value, 6)


def table_of(name: str, column: str, **where: str) -> np.ndarray:
    """The contingency table of a column and the target in the rows of an example that have these values."""
    columns, target = load(name)
    rows = [i for i in range(len(target)) if all(columns[c][i] == v for c, v in where.items())]
    declared = EXAMPLES[name].categories
    return contingency(
        [columns[column][i] for i in rows],
        [target[i] for i in rows],
        rows=declared.get(column),
        columns=declared[EXAMPLES[name].target],
    )


def gains(
    name: str, measure: Callable[[np.ndarray], float] = information_gain, **where: str
) -> dict[str, float]:
    columns, _ = load(name)
    return {
        column: six(measure(table_of(name, column, **where))) for column in columns if column not in where
    }


def best_cut(name: str, column: str) -> tuple[float, float]:
    """The largest gain over the cuts of a numeric column, and its midpoint."""
    columns, target = load(name)
    values = sorted(set(columns[column]))
    cuts = [(a + b) / 2 for a, b in itertools.pairwise(values)]
    gain_of = {
        cut: information_gain(contingency([v <= cut for v in columns[column]], target)) for cut in cuts
    }
    best = max(cuts, key=lambda cut: gain_of[cut])
    return six(gain_of[best]), round(best, 10)


def test_w1_restaurant_entropy() -> None:
    assert entropy([6, 6]) == 1.0
    assert entropy(table_of("restaurant", "Patrons").sum(axis=0)) == 1.0


def test_w2_patrons() -> None:
    patrons = table_of("restaurant", "Patrons")
    assert patrons.tolist() == [[0, 2], [4, 0], [2, 4]]
    assert six(specific_conditional_entropy(patrons, 2)) == 0.918296
    assert six(conditional_entropy(patrons)) == 0.459148
    assert six(information_gain(patrons)) == 0.540852
    assert six(split_information(patrons)) == 1.459148
    assert six(gain_ratio(patrons)) == 0.370663
    assert six(conditional_gini(patrons)) == 0.222222


def test_w3_type() -> None:
    assert conditional_entropy(table_of("restaurant", "Type")) == 1.0
    assert information_gain(table_of("restaurant", "Type")) == 0.0


def test_w4_root_gains() -> None:
    assert gains("restaurant") == {
        "Patrons": 0.540852,
        "Est": 0.207519,
        **dict.fromkeys(["Hungry", "Price"], 0.195710),
        **dict.fromkeys(["Fri", "Res"], 0.020721),
        **dict.fromkeys(["Alt", "Bar", "Rain", "Type"], 0.0),
    }


def test_w5_five_way_tie() -> None:
    assert six(entropy(table_of("restaurant", "Bar", Patrons="Full").sum(axis=0))) == 0.918296
    assert gains("restaurant", Patrons="Full") == {
        **dict.fromkeys(["Hungry", "Price", "Res", "Type", "Est"], 0.251629),
        **dict.fromkeys(["Alt", "Fri", "Rain"], 0.109170),
        "Bar": 0.0,
    }
    ratios = gains("restaurant", gain_ratio, Patrons="Full")
    assert {c for c, ratio in ratios.items() if ratio == max(ratios.values())} == {"Hungry", "Price", "Res"}
    assert max(ratios.values()) == 0.274018


def test_w7_two_to_four() -> None:
    assert six(entropy([2, 4])) == 0.918296
    assert six(entropy([2, 4], base=math.e)) == 0.636514
    assert six(gini([2, 4])) == 0.444444


def test_w8_base_e() -> None:
    four = entropy([[1, 1, 1, 1], [0.5, 0.5, 0, 0], [1, 0, 0, 0]], base=math.e)
    assert four.round(6).tolist() == [1.386294, 0.693147, 0]


def test_w9_coins() -> None:
    assert entropy([[16, 2], [8, 10]]).round(6).tolist() == [0.503258, 0.991076]


def test_w10_rain_and_cloud() -> None:
    rain = table_of("rain", "Rain")
    assert rain.tolist() == [[24, 1], [25, 50]]
    assert six(joint_entropy(rain)) == 1.560573
    assert six(specific_conditional_entropy(rain, 0)) == 0.242292
    assert six(specific_conditional_entropy(rain, 1)) == 0.918296
    assert six(conditional_entropy(rain)) == 0.749295
    assert six(entropy(rain.sum(axis=0))) == 0.999711
    assert six(mutual_information(rain)) == 0.250417
    assert six(split_information(rain)) == 0.811278
    assert six(conditional_entropy(rain.T)) == 0.560862


def test_w14_tennis() -> None:
    assert six(entropy([9, 5])) == 0.940286
    names = ["Outlook", "Humidity", "Wind", "Temperature"]
    assert gains("tennis") == dict(zip(names, [0.246750, 0.151836, 0.048127, 0.029223], strict=True))
    assert gains("tennis", gain_ratio) == dict(
        zip(names, [0.156428, 0.151836, 0.048849, 0.018773], strict=True)
    )
    assert gains("tennis", gini_gain) == dict(
        zip(names, [0.116327, 0.091837, 0.030612, 0.018707], strict=True)
    )


def test_w15_second_level_of_tennis() -> None:
    assert gains("tennis", Outlook="Sunny") == {
        "Humidity": 0.970951,
        "Temperature": 0.570951,
        "Wind": 0.019973,
    }
    assert gains("tennis", Outlook="Rain") == {
        "Wind": 0.970951,
        "Humidity": 0.019973,
        "Temperature": 0.019973,
    }


def test_w17_ten_classes() -> None:
    halves = np.repeat([[1, 0], [0, 1]], 5, axis=1)
    names = np.eye(10)
    assert six(entropy([1] * 10)) == 3.321928
    assert six(conditional_entropy(halves)) == 2.321928
    assert conditional_entropy(names) == 0
    assert (six(information_gain(halves)), six(information_gain(names))) == (1.0, 3.321928)
    assert (six(gain_ratio(halves)), six(gain_ratio(names))) == (1.0, 1.0)
    assert [six(v) for v in (gini([1] * 10), conditional_gini(halves), conditional_gini(names))] == [
        0.9,
        0.8,
        0,
    ]
    assert six(information(1 / 6**3)) == 7.754888


def test_w18_seven_irises() -> None:
    _, species = load("iris7")
    counts = [species.count(kind) for kind in ("0", "1", "2")]
    assert counts == [3, 3, 1]
    assert six(entropy(counts)) == 1.448816
    assert six(gini(counts)) == 0.612245
    assert math.isclose(error_rate(counts), 4 / 7)
    assert best_cut("iris7", "Petal Length") == (0.985228, 2.4)
    assert best_cut("iris7", "Petal Width") == (0.985228, 0.6)
    assert len(set(load("iris7")[0]["Sepal Length"])) - 1 == 5


def test_w20_poll_2_error_rates() -> None:
    assert error_rate([4, 4]) == 0.5
    assert gains("poll2", conditional_error_rate) == {"A": 0.25, "B": 0.5, "C": 0.25}


def test_w21_poll_1() -> None:
    assert gains("poll1", conditional_error_rate) == {"A": 3 / 8, "B": 1 / 8, "C": 3 / 8}
    assert gains("poll1") == {"A": 0.092359, "B": 0.548795, "C": 0.048795}


def test_w22_poll_3() -> None:
    assert gains("poll3", conditional_error_rate) == {"A": 2 / 8, "B": 2 / 8}
    assert gains("poll3") == {"A": 0.0, "B": 0.311278}
    assert six(entropy([6, 2])) == 0.811278


def test_w23_births() -> None:
    assert six(entropy([3, 2])) == 0.970951
    assert gains("births") == {"Position": 0.419973, "Distress": 0.170951, "Previous": 0.019973}


def test_w24_rainy_days() -> None:
    assert six(entropy([7, 21])) == 0.811278
    assert six(entropy([3, 27])) == 0.468996
    assert [round(2 ** information(p), 3) for p in (21 / 28, 7 / 28, 27 / 30, 3 / 30)] == [
        1.333,
        4,
        1.111,
        10,
    ]


@pytest.mark.parametrize(
    ("name", "column", "where", "expected"),
    [
        ("tennis", "Outlook", {}, (3.5467, 2, 0.1698)),
        ("tennis", "Humidity", {"Outlook": "Sunny"}, (5, 1, 0.0253)),
        ("restaurant", "Patrons", {}, (6.6667, 2, 0.0357)),
        ("restaurant", "Type", {}, (0, 3, 1)),
        ("restaurant", "Hungry", {"Patrons": "Full"}, (1.5, 1, 0.2207)),
    ],
)
def test_w25_chi_square(name: str, column: str, where: dict[str, str], expected: tuple[float, ...]) -> None:
    assert tuple(round(v, 4) for v in chi_square(table_of(name, column, **where))) == expected


def test_w26_number_of_trees() -> None:
    # The printed list starts at one column: f(1) = 1 follows from f(0) = 1.
    assert number_of_trees(0) == 1
    assert [number_of_trees(d) for d in range(1, 6)] == [1, 2, 12, 576, 1658880]
    assert number_of_trees(3, m=3) == 3 * (2 * 1**3) ** 3
    assert number_of_trees(1000, m=1) == math.factorial(1000)


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

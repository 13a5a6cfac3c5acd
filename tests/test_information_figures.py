"""Entropy, gain and their kin: the figures of the lectures (W1 ...) to the printed digits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from bough.data.examples import EXAMPLES, load
from bough.information import (
    chi_square,
    conditional_entropy,
    conditional_error_rate,
    conditional_gini,
    contingency,
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

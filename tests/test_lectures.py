"""The figures of the five lectures (W1 ... in their order), got through the public names of bough."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import bough
from bough import information as info
from bough.data.examples import EXAMPLES, demo_table, load
from bough.data.table import Table

Columns = dict[str, list[Any]]
Path = tuple[tuple[str, str], ...]

ID3 = {"criterion": "entropy", "categories": "multiway"}


def rows_where(name: str, **where: str) -> tuple[Columns, list[Any]]:
    """The rows of a lecture's table that have these values."""
    columns, target = load(name)
    kept = [i for i in range(len(target)) if all(columns[c][i] == v for c, v in where.items())]
    return {c: [values[i] for i in kept] for c, values in columns.items()}, [target[i] for i in kept]


def without_target(name: str) -> Table:
    table = demo_table(name)
    kept = tuple(c for c in table.columns if c.field.name != EXAMPLES[name].target)
    return Table(kept, table.n_rows)


def stump(columns: Columns, target: list[Any], **settings: Any) -> Any:
    """The root of a tree of one test, made even where it gains nothing."""
    model = bough.DecisionTreeClassifier(**{**ID3, "max_depth": 1, "zero_gain_splits": True, **settings})
    return root_of(model.fit(columns, target))


def stump_gains(name: str, settings: dict[str, Any] | None = None, **where: str) -> dict[str, float]:
    """The gain of every column on its own among the rows that have these values."""
    columns, target = rows_where(name, **where)
    roots = {c: stump({c: v}, target, **(settings or {})) for c, v in columns.items() if c not in where}
    return {c: 0.0 if root.is_leaf else six(root.gain) for c, root in roots.items()}


def table_of(name: str, column: str, **where: str) -> Any:
    columns, target = rows_where(name, **where)
    declared = EXAMPLES[name].categories
    return info.contingency(
        columns[column], target, rows=declared[column], columns=declared[EXAMPLES[name].target]
    )


def root_of(model: Any) -> Any:
    return next(iter(model.tree_.nodes()))


def leaves(node: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every leaf below a node with the answers that lead to it."""
    if node.is_leaf:
        yield path, node
        return
    for branch, child in zip(node.branches, node.children, strict=True):
        yield from leaves(child, (*path, (node.column, branch)))


def inner_tests(node: Any, path: Path = ()) -> dict[Path, str]:
    """The column that each inner node asks for, by the answers that lead to it."""
    if node.is_leaf:
        return {}
    found = {path: node.column}
    for branch, child in zip(node.branches, node.children, strict=True):
        found |= inner_tests(child, (*path, (node.column, branch)))
    return found


def size(model: Any) -> tuple[int, int]:
    """The number of tests and of leaves that have rows."""
    nodes = list(model.tree_.nodes())
    return sum(not n.is_leaf for n in nodes), sum(n.is_leaf and n.n_rows > 0 for n in nodes)


def six(value: float) -> float:
    """Rounded to the six digits that the figures are printed with."""
    return round(float(value), 6)


def test_w1_to_w3_restaurant_root() -> None:
    columns, target = load("restaurant")
    root = stump(columns, target)
    assert six(root.impurity) == 1.0
    assert root.column == "Patrons"
    assert six(root.gain) == 0.540852
    children = dict(zip(root.branches, root.children, strict=True))
    assert {branch: sorted(child.value) for branch, child in children.items()} == {
        "None": [0, 2],
        "Some": [0, 4],
        "Full": [2, 4],
    }
    assert six(children["Full"].impurity) == 0.918296
    patrons = table_of("restaurant", "Patrons")
    assert six(info.conditional_entropy(patrons)) == 0.459148
    assert six(info.split_information(patrons)) == 1.459148
    assert six(info.gain_ratio(patrons)) == 0.370663
    gini = stump({"Patrons": columns["Patrons"]}, target, criterion="gini")
    assert six(gini.impurity - gini.gain) == 0.222222
    assert info.conditional_entropy(table_of("restaurant", "Type")) == 1.0


def test_w4_gains_at_the_root() -> None:
    assert stump_gains("restaurant") == {
        "Patrons": 0.540852,
        "Est": 0.207519,
        **dict.fromkeys(["Hungry", "Price"], 0.195710),
        **dict.fromkeys(["Fri", "Res"], 0.020721),
        **dict.fromkeys(["Alt", "Bar", "Rain", "Type"], 0.0),
    }


def test_w5_gains_at_full() -> None:
    assert stump_gains("restaurant", Patrons="Full") == {
        **dict.fromkeys(["Hungry", "Price", "Res", "Type", "Est"], 0.251629),
        **dict.fromkeys(["Alt", "Fri", "Rain"], 0.109170),
        "Bar": 0.0,
    }
    ratios = {
        c: six(info.gain_ratio(table_of("restaurant", c, Patrons="Full"))) for c in load("restaurant")[0]
    }
    assert {c for c, ratio in ratios.items() if ratio == max(ratios.values())} == {"Hungry", "Price", "Res"}
    assert max(ratios.values()) == 0.274018


@pytest.mark.parametrize("as_table", [False, True])
def test_w6_restaurant_tree_by_column_order(as_table: bool) -> None:
    columns, target = load("restaurant")
    model = bough.DecisionTreeClassifier(**ID3, ties="column")
    model.fit(without_target("restaurant") if as_table else columns, target)
    full, hungry = ("Patrons", "Full"), ("Hungry", "T")
    assert inner_tests(root_of(model)) == {
        (): "Patrons",
        (full,): "Hungry",
        (full, hungry): "Type",
        (full, hungry, ("Type", "Thai")): "Fri",
    }
    assert size(model) == (4, 7)
    assert model.predict(columns).tolist() == target
    by_path = dict(leaves(root_of(model)))
    french = by_path[full, hungry, ("Type", "French")]
    [parent] = [n for n in model.tree_.nodes() if n.column == "Type" and not n.is_leaf]
    assert list(parent.value) == [2, 2]
    assert french.n_rows == 0
    assert french.prediction == parent.prediction


def test_w6_restaurant_tree_by_alphabet() -> None:
    columns, target = load("restaurant")
    model = bough.DecisionTreeClassifier(**ID3, ties="alphabetical").fit(columns, target)
    full = ("Patrons", "Full")
    assert inner_tests(root_of(model)) == {
        (): "Patrons",
        (full,): "Est",
        (full, ("Est", "10-30")): "Bar",
        (full, ("Est", "30-60")): "Bar",
    }
    assert size(model) == (4, 7)
    assert model.predict(columns).tolist() == target


def test_w7_two_to_four() -> None:
    columns, target = {"x": list("abcdef")}, ["T", "T", "F", "F", "F", "F"]
    assert six(stump(columns, target).impurity) == 0.918296
    assert six(stump(columns, target, criterion="gini").impurity) == 0.444444
    assert six(info.entropy([2, 4], base=math.e)) == 0.636514


def test_w8_four_classes_base_e() -> None:
    four = info.entropy([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 0, 0]], base=math.e)
    assert four.round(6).tolist() == [1.386294, 0.693147, 0]


def test_w9_coins() -> None:
    assert info.entropy([[16, 2], [8, 10]]).round(6).tolist() == [0.503258, 0.991076]


def test_w10_rain_and_cloud() -> None:
    root = stump(*load("rain"))
    assert (six(root.impurity), six(root.gain)) == (0.999711, 0.250417)
    below = {branch: six(child.impurity) for branch, child in zip(root.branches, root.children, strict=True)}
    assert below == {"Raining": 0.242292, "Not raining": 0.918296}
    rain = table_of("rain", "Rain")
    assert six(info.joint_entropy(rain)) == 1.560573
    assert six(info.conditional_entropy(rain)) == 0.749295
    assert six(info.split_information(rain)) == 0.811278
    assert six(info.conditional_entropy(rain.T)) == 0.560862


def test_w14_tennis_gains() -> None:
    names = ["Outlook", "Humidity", "Wind", "Temperature"]
    assert six(stump(*load("tennis")).impurity) == 0.940286
    assert stump_gains("tennis") == dict(zip(names, [0.246750, 0.151836, 0.048127, 0.029223], strict=True))
    ginis = stump_gains("tennis", {"criterion": "gini"})
    assert ginis == dict(zip(names, [0.116327, 0.091837, 0.030612, 0.018707], strict=True))
    ratios = [six(info.gain_ratio(table_of("tennis", name))) for name in names]
    assert ratios == [0.156428, 0.151836, 0.048849, 0.018773]


def test_w15_tennis_second_level() -> None:
    assert stump_gains("tennis", Outlook="Sunny") == {
        "Humidity": 0.970951,
        "Temperature": 0.570951,
        "Wind": 0.019973,
    }
    assert stump_gains("tennis", Outlook="Rain") == {
        "Wind": 0.970951,
        "Humidity": 0.019973,
        "Temperature": 0.019973,
    }


@pytest.mark.parametrize("as_table", [False, True])
def test_w16_tennis_tree(as_table: bool) -> None:
    columns, target = load("tennis")
    model = bough.DecisionTreeClassifier(**ID3)
    model.fit(without_target("tennis") if as_table else columns, target)
    assert size(model) == (3, 5)
    assert (model.get_depth(), model.get_n_leaves()) == (2, 5)
    sunny, overcast, rain = (("Outlook", value) for value in ("Sunny", "Overcast", "Rain"))
    yes = {path for path, leaf in leaves(root_of(model)) if leaf.prediction == "Yes"}
    assert yes == {(sunny, ("Humidity", "Normal")), (overcast,), (rain, ("Wind", "Weak"))}
    assert model.predict(columns).tolist() == target
    if as_table:
        assert list(root_of(model).branches) == ["Sunny", "Overcast", "Rain"]


def test_w17_ten_classes() -> None:
    target = [str(i) for i in range(10)]
    columns = {"A": ["low"] * 5 + ["high"] * 5, "B": [f"b{i}" for i in range(10)]}
    by_a, by_b = (stump({name: columns[name]}, target) for name in "AB")
    assert six(by_a.impurity) == 3.321928
    assert [six(child.impurity) for child in by_a.children] == [2.321928] * 2
    assert (six(by_a.gain), six(by_b.gain)) == (1.0, 3.321928)
    assert stump(columns, target).column == "B"
    for name, rest in (("A", 0.8), ("B", 0.0)):
        gini = stump({name: columns[name]}, target, criterion="gini")
        assert (six(gini.impurity), six(gini.impurity - gini.gain)) == (0.9, rest)
        assert six(info.gain_ratio(info.contingency(columns[name], target))) == 1.0
    assert six(info.information(1 / 6**3)) == 7.754888


@pytest.mark.parametrize("ties", ["column", "alphabetical"])
def test_w18_seven_irises(ties: str) -> None:
    columns, target = load("iris7")
    model = bough.DecisionTreeClassifier(criterion="entropy", ties=ties).fit(columns, target)
    root = root_of(model)
    assert (root.column, six(root.gain), six(model.tree_.threshold[0])) == ("Petal Length", 0.985228, 2.4)
    assert six(root.impurity) == 1.448816
    assert list(root.value) == [3, 3, 1]
    assert root.prediction == "0"
    assert model.predict(columns).tolist() == target
    width = bough.DecisionTreeClassifier(criterion="entropy", max_depth=1)
    width.fit({"Petal Width": columns["Petal Width"]}, target)
    assert (six(root_of(width).gain), six(width.tree_.threshold[0])) == (0.985228, 0.6)
    assert six(stump(columns, target, criterion="gini").impurity) == 0.612245
    assert six(stump(columns, target, criterion="error").impurity) == six(4 / 7)
    assert len(set(columns["Sepal Length"])) == 6


def test_w20_greedy_on_poll_2() -> None:
    columns, target = load("poll2")
    settings = {"criterion": "error", "categories": "multiway", "ties": "alphabetical"}
    model = bough.DecisionTreeClassifier(**settings, zero_gain_splits=True).fit(columns, target)
    a0, a1, b1 = ("A", "0"), ("A", "1"), ("B", "1")
    assert inner_tests(root_of(model)) == {(): "A", (a0,): "B", (a1,): "B", (a0, b1): "C", (a1, b1): "C"}
    assert size(model) == (5, 6)
    assert model.predict(columns).tolist() == target
    gains_of_b = [six(n.gain) for n in model.tree_.nodes() if not n.is_leaf and n.column == "B"]
    assert gains_of_b == [0.0, 0.0]
    stopped = bough.DecisionTreeClassifier(**settings, zero_gain_splits=False).fit(columns, target)
    assert size(stopped) == (1, 2)


def fewest_leaves(name: str, first: str | None = None) -> int:
    """The leaves of the smallest multiway tree without errors, over all trees (with this first test)."""
    columns, target = load(name)

    @cache
    def search(rows: frozenset[int], only: str | None) -> float:
        if len({target[i] for i in rows}) == 1:
            return 1
        best = math.inf
        for column in [only] if only else columns:
            values = columns[column]
            parts = [frozenset(i for i in rows if values[i] == v) for v in {values[i] for i in rows}]
            if len(parts) > 1:
                best = min(best, sum(search(part, None) for part in parts))
        return best

    return int(search(frozenset(range(len(target))), first))


def test_w20_greedy_is_not_smallest() -> None:
    # The tests of poll 2 have two answers, so a tree of four leaves has three of them.
    assert {first: fewest_leaves("poll2", first) for first in "ABC"} == {"A": 6, "B": 4, "C": 6}
    assert fewest_leaves("restaurant") == 6


def test_w21_poll_1_stumps() -> None:
    columns, target = load("poll1")
    by_error = {c: stump({c: v}, target, criterion="error") for c, v in columns.items()}
    assert {c: root.impurity - root.gain for c, root in by_error.items()} == {
        "A": 3 / 8,
        "B": 1 / 8,
        "C": 3 / 8,
    }
    assert stump(columns, target, criterion="error").column == "B"
    assert stump_gains("poll1") == {"A": 0.092359, "B": 0.548795, "C": 0.048795}


def test_w22_poll_3_error_rate_is_blind() -> None:
    columns, target = load("poll3")
    settings = {"criterion": "error", "categories": "multiway", "zero_gain_splits": False}
    by_error = bough.DecisionTreeClassifier(**settings).fit(columns, target)
    assert size(by_error) == (0, 1)
    assert by_error.tree_.impurity[0] == 2 / 8
    assert info.conditional_error_rate(table_of("poll3", "B")) == 2 / 8
    by_entropy = bough.DecisionTreeClassifier(**ID3).fit(columns, target)
    root = root_of(by_entropy)
    assert (root.column, six(root.gain), six(root.impurity)) == ("B", 0.311278, 0.811278)
    assert stump_gains("poll3") == {"A": 0.0, "B": 0.311278}


def test_w23_births() -> None:
    assert stump_gains("births") == {"Position": 0.419973, "Distress": 0.170951, "Previous": 0.019973}
    columns, target = load("births")
    model = bough.DecisionTreeClassifier(**ID3).fit(columns, target)
    assert six(model.tree_.impurity[0]) == 0.970951
    assert size(model) == (3, 5)
    assert model.predict(columns).tolist() == target


def test_w24_rainy_days() -> None:
    assert info.entropy([[7, 21], [3, 27]]).round(6).tolist() == [0.811278, 0.468996]
    assert np.round(2 ** info.information([21 / 28, 7 / 28, 27 / 30, 3 / 30]), 3).tolist() == [
        1.333,
        4,
        1.111,
        10,
    ]


@pytest.mark.parametrize(
    ("name", "column", "where", "expected"),
    [
        ("tennis", "Outlook", {}, (3.5467, 2, 0.1698)),
        ("tennis", "Humidity", {"Outlook": "Sunny"}, (5.0, 1, 0.0253)),
        ("restaurant", "Patrons", {}, (6.6667, 2, 0.0357)),
        ("restaurant", "Type", {}, (0.0, 3, 1.0)),
        ("restaurant", "Hungry", {"Patrons": "Full"}, (1.5, 1, 0.2207)),
    ],
)
def test_w25_chi_square(name: str, column: str, where: dict[str, str], expected: tuple[float, ...]) -> None:
    assert tuple(round(v, 4) for v in info.chi_square(table_of(name, column, **where))) == expected


def test_w26_number_of_trees() -> None:
    assert [info.number_of_trees(d) for d in range(1, 6)] == [1, 2, 12, 576, 1658880]

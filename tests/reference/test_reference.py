"""The reference against figures worked by hand or printed in the lectures, and against its own invariants."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import HealthCheck, assume, given, settings

from .grower import (
    TIE,
    Col,
    Grower,
    Node,
    Settings,
    Table,
    Value,
    as_integers,
    grow,
    leaf_of,
    midpoint,
    number,
    predict_row,
)
from .rounding import trusted
from .strategies import Case, build_case, cases

F = Fraction
QUICK = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
ID3 = Settings(criterion="entropy", categories="multiway")


def nominal_table(text: str) -> Table:
    """A table of words, the target last. Categories and classes are numbered in sorted order."""
    names, *lines = [line.split() for line in text.strip().splitlines()]
    columns = []
    for name, words in zip(names, zip(*lines, strict=True), strict=True):
        domain = sorted(set(words))
        columns.append(Col(name, "nominal", [domain.index(w) for w in words], len(domain)))
    target = columns.pop()
    return Table(columns, [int(v or 0) for v in target.values], target.n_categories)


def ordered(values: list[Value], name: str = "x") -> Col:
    return Col(name, "ordered", values)


def stump_gains(table: Table, criterion: str = "entropy") -> dict[str, float]:
    """The gain of each column alone, divided by the weight."""
    s = Settings(criterion=criterion, categories="multiway", zero_gain_splits=True, max_depth=1)
    roots = {c.name: grow(replace(table, columns=[c]), s) for c in table.columns}
    return {name: float(root.gain / root.weight) for name, root in roots.items()}


def only(table: Table, rows: list[int]) -> Table:
    columns = [replace(c, values=[c.values[i] for i in rows]) for c in table.columns]
    return replace(table, columns=columns, target=[table.target[i] for i in rows])


def split_of(tree: Node) -> tuple[list[int], list[int], Fraction]:
    return sorted(tree.left), sorted(tree.right), tree.gain


def shape(table: Table, tree: Node) -> tuple[list[str], int, int]:
    """Tested columns breadth-first, leaves with rows, leaves without."""
    nodes = number(tree)
    leaves = [n for n in nodes if n.column is None]
    tests = [table.columns[n.column].name for n in nodes if n.column is not None]
    return tests, sum(bool(n.rows) for n in leaves), sum(not n.rows for n in leaves)


TENNIS = nominal_table("""
Outlook Temperature Humidity Wind Play
Sunny Hot High Weak No
Sunny Hot High Strong No
Overcast Hot High Weak Yes
Rain Mild High Weak Yes
Rain Cool Normal Weak Yes
Rain Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny Mild High Weak No
Sunny Cool Normal Weak Yes
Rain Mild Normal Weak Yes
Sunny Mild Normal Strong Yes
Overcast Mild High Strong Yes
Overcast Hot Normal Weak Yes
Rain Mild High Strong No
""")
RESTAURANT = nominal_table("""
Alt Bar Fri Hungry Patrons Price Rain Res Type Est Wait
T F F T Some $$$ F T French 0-10 T
T F F T Full $ F F Thai 30-60 F
F T F F Some $ F F Burger 0-10 T
T F T T Full $ F F Thai 10-30 T
T F T F Full $$$ F T French >60 F
F T F T Some $$ T T Italian 0-10 T
F T F F None $ T F Burger 0-10 F
F F F T Some $$ T T Thai 0-10 T
F T T F Full $ T F Burger >60 F
T T T T Full $$$ F T Italian 10-30 F
F F F F None $ F F Thai 0-10 F
T T T T Full $ F F Burger 30-60 T
""")
FULL = [1, 3, 4, 8, 9, 11]
POLL_1 = nominal_table("A B C Y\n1 0 0 -\n1 0 1 -\n1 0 0 -\n0 0 1 +\n1 1 0 +\n1 1 1 +\n1 1 0 +\n1 1 1 +")
POLL_2 = nominal_table("A B C Y\n0 0 0 +\n0 0 1 +\n0 1 0 -\n0 1 1 +\n1 0 0 -\n1 0 1 -\n1 1 0 -\n1 1 1 +")
BIRTH = nominal_table("""
Position Distress Previous Outcome
Vertex N N Natural
Breech N N C-section
Vertex Y Y Natural
Vertex N Y C-section
Abnormal N N Natural
""")
IRIS = Table(
    [
        ordered([4.3, 4.9, 5.3, 4.9, 5.7, 6.3, 5.9], "sepal length"),
        ordered([3.0, 3.6, 3.7, 2.4, 2.8, 3.3, 3.0], "sepal width"),
        ordered([1.1, 1.4, 1.5, 3.3, 4.1, 4.7, 5.1], "petal length"),
        ordered([0.1, 0.1, 0.2, 1.0, 1.3, 1.6, 1.8], "petal width"),
    ],
    [0, 0, 0, 1, 1, 1, 2],
    3,
)


# The lectures.


def test_tennis() -> None:
    """W14, W15, W16."""
    gains = {"Outlook": 0.246750, "Humidity": 0.151836, "Wind": 0.048127, "Temperature": 0.029223}
    assert stump_gains(TENNIS) == pytest.approx(gains, abs=5e-7)
    gini = {"Outlook": 0.116327, "Humidity": 0.091837, "Wind": 0.030612, "Temperature": 0.018707}
    assert stump_gains(TENNIS, "gini") == pytest.approx(gini, abs=5e-7)
    tree = grow(TENNIS, ID3)
    assert tree.impurity == pytest.approx(0.940286, abs=5e-7)
    assert tree.gain / 14 == pytest.approx(0.246750, abs=5e-7)
    assert shape(TENNIS, tree) == (["Outlook", "Wind", "Humidity"], 5, 0)  # Overcast, Rain, Sunny
    assert [n.gain / 5 for n in number(tree) if n.column in (2, 3)] == pytest.approx([0.970951] * 2, abs=5e-7)
    assert [n.answer for n in number(tree) if n.column is None] == [1, 0, 1, 0, 1]
    assert tree.missing_child == 1  # Rain and Sunny have weight 5 each: the first


def test_restaurant_gains() -> None:
    """W1 to W5."""
    zero = dict.fromkeys(["Alt", "Bar", "Rain", "Type"], 0.0)
    gains = zero | {
        "Patrons": 0.540852,
        "Est": 0.207519,
        "Hungry": 0.195710,
        "Price": 0.195710,
        "Fri": 0.020721,
        "Res": 0.020721,
    }
    assert stump_gains(RESTAURANT) == pytest.approx(gains, abs=5e-7)
    gini = stump_gains(RESTAURANT, "gini")["Patrons"]
    assert 0.5 - gini == pytest.approx(2 / 9)
    full = dict.fromkeys(["Hungry", "Price", "Res", "Type", "Est"], 0.251629)
    full |= dict.fromkeys(["Alt", "Fri", "Rain"], 0.109170) | {"Bar": 0.0, "Patrons": 0.0}
    assert stump_gains(only(RESTAURANT, FULL)) == pytest.approx(full, abs=5e-7)


def test_restaurant_tree_in_both_tie_orders() -> None:
    """W6."""
    tree = grow(RESTAURANT, ID3)
    assert shape(RESTAURANT, tree) == (["Patrons", "Hungry", "Type", "Fri"], 7, 1)
    full = tree.children[0]
    assert full.rows == FULL
    assert full.impurity == pytest.approx(0.918296, abs=5e-7)
    assert full.margin == pytest.approx(1e-12, rel=1e-3)  # a tie: the margin is the tolerance
    french = full.children[1].children[1]
    assert french.n_rows == 0
    assert french.value == (2, 2)
    assert french.answer == 0
    tree = grow(RESTAURANT, replace(ID3, ties="alphabetical"))
    assert shape(RESTAURANT, tree) == (["Patrons", "Est", "Bar", "Bar"], 7, 1)


def test_polls() -> None:
    """W20, W21; W20 also with 0 and 1 as numbers."""
    errors = {c: F(3, 8) - F(gain) for c, gain in stump_gains(POLL_1, "error").items()}
    assert errors == {"A": F(3, 8), "B": F(1, 8), "C": F(3, 8)}
    gains = {"A": 0.092359, "B": 0.548795, "C": 0.048795}
    assert stump_gains(POLL_1) == pytest.approx(gains, abs=5e-7)
    greedy = Settings("error", "multiway", "alphabetical", zero_gain_splits=True)
    numbers = replace(POLL_2, columns=[ordered(list(c.values), c.name) for c in POLL_2.columns])
    for table in (POLL_2, numbers):
        tree = grow(table, greedy)
        assert shape(table, tree) == (["A", "B", "B", "C", "C"], 6, 0)
        assert [n.gain for n in number(tree) if n.column is not None] == [2, 0, 0, 1, 1]
        assert shape(table, grow(table, replace(greedy, zero_gain_splits=False))) == (["A"], 2, 0)


def test_birth_table() -> None:
    """W23."""
    gains = {"Position": 0.419973, "Distress": 0.170951, "Previous": 0.019973}
    assert stump_gains(BIRTH) == pytest.approx(gains, abs=5e-7)
    tests, leaves, _ = shape(BIRTH, grow(BIRTH, ID3))
    assert tests[0] == "Position"
    assert (len(tests), leaves) == (3, 5)


def test_iris() -> None:
    """W18: the best cuts of petal length and width tie; 4.9 stands twice."""
    tree = grow(IRIS, Settings("entropy"))
    assert (tree.column, tree.threshold) == (2, 2.4)
    assert tree.gain / 7 == pytest.approx(0.985228, abs=5e-7)
    assert tree.impurity == pytest.approx(1.448816, abs=5e-7)
    assert grow(IRIS, Settings("gini")).impurity == F(30, 49)
    assert grow(IRIS, Settings("error")).impurity == F(4, 7)
    assert tree.answer == 0
    backwards = grow(replace(IRIS, columns=IRIS.columns[::-1]), Settings("entropy"))
    assert (backwards.column, backwards.threshold) == (0, 0.6)
    assert len(list(Grower(IRIS, Settings()).candidates(0, list(range(7))))) == 5


def test_ten_classes() -> None:
    """W17."""
    table = Table(
        [Col("A", "nominal", [i // 5 for i in range(10)], 2), Col("B", "nominal", list(range(10)), 10)],
        list(range(10)),
        10,
    )
    assert stump_gains(table) == pytest.approx({"A": 1.0, "B": 3.321928}, abs=5e-7)
    assert stump_gains(table, "gini") == pytest.approx({"A": 0.1, "B": 0.9})


# Missing values, worked by hand. Gini of [1, 2] is 3 - 5/3 = 4/3, of [1, 1] it is 1.


@pytest.mark.parametrize(
    ("target", "threshold", "missing", "gain"),
    [
        ([0, 1, 1], 1.5, 1, F(4, 3)),
        ([1, 0, 1], 1.5, 0, F(4, 3)),
        ([0, 0, 1], math.inf, 1, F(4, 3)),
        ([0, 1, 2], 1.5, 0, F(1)),
    ],  # the last: all three candidates tie, the first wins
)
def test_missing_in_ordered(target: list[int], threshold: float, missing: int, gain: Fraction) -> None:
    table = Table([ordered([1.0, 2.0, None])], target, 3)
    tree = grow(table, Settings(max_depth=1))
    assert (tree.threshold, tree.missing_child, tree.gain) == (threshold, missing, gain)
    assert predict_row(tree, [None]) == tree.children[missing].answer


def test_missing_in_multiway() -> None:
    table = Table([Col("c", "nominal", [0, 1, None], 3)], [0, 1, 1], 2)
    tree = grow(table, Settings(categories="multiway"))
    assert (tree.missing_child, tree.gain) == (1, F(4, 3))
    assert [n.rows for n in tree.children] == [[0], [1, 2], []]
    assert [predict_row(tree, [v]) for v in (0, 1, 2, 7, None)] == [0, 1, 1, 1, 1]
    assert tree.children[2].value == tree.value == (1, 2)
    alone = Table([Col("c", "nominal", [1, 1, None], 3)], [0, 0, 1], 2)
    assert grow(alone, Settings(categories="multiway")).column is None  # one present category is not enough


def test_missing_in_subset() -> None:
    table = Table([Col("c", "nominal", [0, 1, None, None], 3)], [0, 0, 1, 1], 2)
    tree = grow(table, Settings())
    assert split_of(tree) == ([0, 1], [], F(2))
    assert tree.missing_child == 1
    assert [predict_row(tree, [v]) for v in (0, 1, 2, 9, None)] == [0, 0, 1, 1, 1]


def test_missing_follow_the_heavier_branch_when_none_was_seen() -> None:
    table = Table([ordered([1.0, 2.0, 3.0])], [0, 1, 1], 2)
    assert grow(table, Settings()).missing_child == 1
    assert grow(replace(table, weights=[2.0, 1.0, 1.0]), Settings()).missing_child == 0  # a tie: the first
    assert grow(replace(table, weights=[0.1, 0.1, 0.1]), Settings()).missing_child == 1


# Thresholds, weights, categories, limits.


def test_midpoints() -> None:
    one, two = math.nextafter(1.0, 2.0), math.nextafter(math.nextafter(1.0, 2.0), 2.0)
    tiny = 5e-324
    expected = {
        (1.0, 2.0): 1.5,
        (1e308, 1.7e308): 1.35e308,
        (-1.7e308, -1e308): -1.35e308,
        (-1e308, 1e308): 0.0,
        (1.0, one): 1.0,
        (one, two): one,
        (0.0, tiny): 0.0,
        (tiny, 2 * tiny): tiny,
        (-tiny, 0.0): -tiny,
        (1.0, math.inf): 1.0,
    }
    for (a, b), m in expected.items():
        assert midpoint(a, b) == m
    for values, m in (([1e308, 1.7e308], 1.35e308), ([one, two], one)):
        tree = grow(Table([ordered(list(values))], [0, 1], 2), Settings())
        assert tree.threshold == m
        assert [predict_row(tree, [v]) for v in values] == [0, 1]


def test_zeros_and_zero_weights() -> None:
    assert grow(Table([ordered([-0.0, 0.0])], [0, 1], 2), Settings(zero_gain_splits=True)).column is None
    table = Table([ordered([1.0, 2.0, 3.0])], [0, 1, 1], 2, [1.0, 0.0, 1.0])
    tree = grow(table, Settings())
    assert (tree.threshold, tree.n_rows, tree.rows, tree.weight) == (2.0, 2, [0, 2], F(2))
    assert grow(table, Settings(min_samples_split=3)).column is None


def test_subset_of_three_classes() -> None:
    table = Table([Col("c", "nominal", [0, 1, 2, 3, 3, 1], 5)], [0, 1, 0, 2, 2, 1], 3)
    tree = grow(table, Settings(max_depth=1))  # [2, 2, 2]: 4; {0, 2} | {1, 3}: 0 + 2; {1} and {3} alone tie
    assert split_of(tree) == ([0, 2], [1, 3], F(2))  # b = 2, before {0, 1, 2} with b = 3
    assert tree.missing_child == 1


def test_subset_of_nine_categories_goes_by_class() -> None:
    classes = [1, 0, 1, 0, 1, 0, 1, 0, 2]
    tree = grow(Table([Col("c", "nominal", list(range(9)), 9)], classes, 3), Settings(max_depth=1))
    # By the share of class 0: 0 2 4 6 8 | 1 3 5 7. Cutting off class 1 (before 8) or class 0 (after 8) gains
    # 9 - 33/9 less 5 - 17/5; the first wins.
    assert split_of(tree) == ([0, 2, 4, 6], [1, 3, 5, 7, 8], F(56, 15))


def test_subset_by_mean() -> None:
    table = Table([Col("c", "nominal", [0, 0, 1, 2, 2], 3)], [5.0, 7.0, 1.0, 6.5, 5.5])
    tree = grow(table, Settings("squared_error", max_depth=1))
    assert split_of(tree) == ([1], [0, 2], F(20))  # means 6, 1, 6; the children lose 0 and 2.5
    assert tree.value == F(5)
    assert tree.loss == F(45, 2)  # 0 + 4 + 16 + 2.25 + .25


def test_limits() -> None:
    table = Table([ordered([1.0, 2.0, 3.0, 4.0])], [0.0, 1.0, 10.0, 14.0])
    s = Settings("squared_error")  # loss 140.75 = .5 + 8 and a gain of 132.25 at the cut 2.5
    tree = grow(table, replace(s, max_leaf_nodes=3))
    assert [n.column is None for n in number(tree)] == [False, True, False, True, True]
    assert [float(n.gain) for n in number(tree)] == [132.25, 0, 8, 0, 0]
    assert len(number(grow(table, replace(s, max_leaf_nodes=2)))) == 3
    assert len(number(grow(table, replace(s, max_depth=1)))) == 3
    assert len(number(grow(table, replace(s, min_impurity_decrease=2.0)))) == 5  # 8 / 4 is enough
    assert len(number(grow(table, replace(s, min_impurity_decrease=2.1)))) == 3
    assert len(number(grow(table, replace(s, min_weight_fraction_leaf=0.5)))) == 3
    assert len(number(grow(table, replace(s, min_samples_leaf=3)))) == 1
    three = Table([Col("c", "nominal", [0, 1, 2], 4)], [0, 1, 2], 3)
    multi = Settings(categories="multiway", max_leaf_nodes=3)
    assert len(number(grow(three, multi))) == 1  # four branches would be four leaves
    assert len(number(grow(three, replace(multi, max_leaf_nodes=4)))) == 5


# Invariants on random tables.


@QUICK
@given(cases())
def test_rows_fall_where_they_were_grown(case: Case) -> None:
    tree = grow(case.table, case.settings)
    for node in number(tree):
        assert sorted(i for n in node.children for i in n.rows) == (node.rows if node.children else [])
        assert node.gain >= 0
        assert node.weight >= 0
        if node.column is not None:
            gain = node.loss - sum(n.loss for n in node.children)
            assert node.gain == (pytest.approx(gain, abs=1e-9) if isinstance(gain, float) else gain)
    for i in tree.rows:
        assert i in leaf_of(tree, [c.values[i] for c in case.table.columns]).rows
    leaves = sum(n.column is None for n in number(tree))
    assert leaves <= (case.settings.max_leaf_nodes or leaves)


@QUICK
@given(cases(max_rows=14, max_columns=1))
def test_ordered_categories_hold_the_best_subset(case: Case) -> None:
    """Two classes and regression: no subset at all beats the best cut of the order."""
    column = case.table.columns[0]
    assume(column.kind == "nominal" and case.table.n_classes in (None, 2))
    assume(None not in column.values)
    s = Settings(case.settings.criterion, max_depth=1, zero_gain_splits=True)
    tree, grower = grow(case.table, s), Grower(case.table, s)
    present = sorted({column.values[i] or 0 for i in tree.rows})
    for r in range(1, len(present)):
        for left in combinations(present, r):
            sides = [
                [grower.stats[i] for i in tree.rows if (column.values[i] in left) == side]
                for side in (True, False)
            ]
            sums = [tuple(map(sum, zip(*side, strict=True))) for side in sides]
            gain = grower.gain(grower.root_stat, tuple(sums)) / grower.loss_unit
            assert gain <= tree.gain + tree.loss * TIE


def rounded(values: list[float], bits: int) -> list[float]:
    step = math.ldexp(1.0, math.frexp(max(map(abs, values)))[1] - bits)
    return [round(v / step) * step for v in values]


def skeleton(tree: Node) -> list[object]:
    return [(n.column, n.threshold, n.left, n.right, n.missing_child, n.rows) for n in number(tree)]


@QUICK
@given(cases())
def test_trusted_trees_survive_rounding(case: Case) -> None:
    """Weights and targets rounded to 40 bits give the same tree when rounding.py says so."""
    t = case.table
    weights = None if t.weights is None else rounded(list(t.weights), 40)
    target = t.target if t.n_classes else rounded(list(t.target), 40)
    tree = grow(t, case.settings)
    assume(trusted(t, case.settings, tree))
    again = grow(replace(t, weights=weights, target=target), case.settings)
    assert skeleton(again) == skeleton(tree)
    if t.n_classes:
        assert [n.answer for n in number(again)] == [n.answer for n in number(tree)]


def test_cases_are_reproducible_and_varied() -> None:
    first, again = build_case(5, 20, 3), build_case(5, 20, 3)
    assert repr(first) == repr(again)
    assert repr(first).startswith("build_case(5, 20, 3)")
    fewer = build_case(5, 8, 2)
    assert [list(c.values) for c in fewer.table.columns] == [
        list(c.values[:8]) for c in first.table.columns[:2]
    ]
    trees = [(c, grow(c.table, c.settings)) for c in (build_case(s, 30, 3) for s in range(300))]
    kinds = {n.kind for _, tree in trees for n in number(tree)}
    assert kinds == {None, "ordered", "subset", "multiway"}
    assert sum(trusted(c.table, c.settings, tree) for c, tree in trees) > 240
    wide = [len(n.left | n.right) for c, tree in trees if (c.table.n_classes or 0) > 2 for n in number(tree)]
    assert max(wide) > 8
    assert any(2 < g <= 8 for g in wide)


def test_as_integers() -> None:
    assert as_integers([0.5, 3.0, -0.25]) == ([2, 12, -1], 4)

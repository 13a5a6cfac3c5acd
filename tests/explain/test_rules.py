"""Rules give exactly the rows of their leaf, and formulas exactly the rows of their class."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bough
from bough.data.examples import demo_table, load
from bough.data.table import Table
from bough.explain.dnf import formula
from bough.explain.interval import mean_interval, wilson
from bough.explain.rules import rules_of
from bough.tree import Tree

from .tables import draw, foreign

QUICK = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))


def assert_rows(tree: Tree, table: Table) -> None:
    """Each rule takes the rows, and the parts of rows, that the tree sends to its node."""
    rows, nodes, shares = tree.reach(table)
    total = np.zeros(table.n_rows)
    for rule in rules_of(tree):
        here = np.zeros(table.n_rows)
        np.add.at(here, rows[nodes == rule.node], shares[nodes == rule.node])
        np.testing.assert_allclose(rule.shares(table), here, atol=1e-9)
        np.testing.assert_array_equal(rule.mask(table), here > 0)
        if not rule.divides:
            np.testing.assert_array_equal(rule.mask(table), tree.apply(table) == rule.node)
        total += rule.shares(table)
    np.testing.assert_allclose(total, 1.0)


@QUICK
@given(seed=st.integers(0, 2**32 - 1), n_rows=st.integers(2, 40))
def test_a_rule_takes_exactly_the_rows_of_its_leaf(seed: int, n_rows: int) -> None:
    case = draw(seed, n_rows)
    tree = case.tree
    assert_rows(tree, case.table)
    assert_rows(tree, foreign(case, seed))
    found = rules_of(tree)
    if not (tree.missing_child == -2).any():
        assert sum(rule.n for rule in found) == case.table.n_rows
    assert sum(rule.weight for rule in found) == pytest.approx(tree.weight[0])
    assert [rule.weight for rule in found] == sorted((rule.weight for rule in found), reverse=True)
    for rule in found:
        columns = [c.column for c in rule.conditions]
        assert len(columns) == len(set(columns))
        assert str(rule)
        low, high = rule.interval
        if rule.share is not None and rule.n and tree.rules.estimate == "raw":
            assert low - 1e-9 <= rule.share <= high + 1e-9


@QUICK
@given(seed=st.integers(0, 2**32 - 1), n_rows=st.integers(2, 40))
def test_a_formula_is_true_on_exactly_the_rows_of_its_class(seed: int, n_rows: int) -> None:
    case = draw(seed, n_rows)
    tree = case.tree
    if tree.classes is None:
        return
    for table in (case.table, foreign(case, seed)):
        rows, _, shares = tree.reach(table)
        whole = np.ones(table.n_rows, dtype=bool)
        whole[rows[shares < 1]] = False  # spread over several leaves
        answers = tree.predict(table)
        for minimised in (False, True):
            for label in tree.classes.tolist():
                said = formula(tree, label, minimised)
                np.testing.assert_array_equal(said.mask(table), (answers == label) & whole, err_msg=str(said))


def test_minimised_formulas_are_not_longer() -> None:
    tree = bough.DecisionTreeClassifier(max_leaf_nodes=12).fit(*load("titanic")).tree_
    for label in ("died", "survived"):
        plain, short = formula(tree, label, minimised=False), formula(tree, label)
        assert len(short.terms) <= len(plain.terms)
        assert sum(map(len, short.terms)) < sum(map(len, plain.terms))


def test_an_answer_that_two_branches_share_needs_no_question() -> None:
    x, y = [1, 2, 3, 4] * 5, ["a", "a", "a", "b"] * 5
    tree = (
        bough.DecisionTreeClassifier(forced_splits={"column": "x", "threshold": 1.5}).fit({"x": x}, y).tree_
    )
    assert tree.n_leaves == 3
    assert str(formula(tree, "a")) == "a = x <= 3.5"
    assert str(formula(tree, "b")) == "b = x > 3.5"


def tennis() -> Tree:
    whole = demo_table("tennis")
    columns = Table(tuple(c for c in whole.columns if c.field.name != "play"), whole.n_rows)
    return bough.ID3Classifier().fit(columns, load("tennis")[1]).tree_


def test_w16_as_it_is_written() -> None:
    yes = formula(tennis(), "Yes")
    assert yes.text(named=False) == "Yes = (Sunny and Normal) or Overcast or (Rain and Weak)"
    assert str(yes) == (
        "Yes = (Outlook = Sunny and Humidity = Normal) or Outlook = Overcast or "
        "(Outlook = Rain and Wind = Weak)"
    )


def test_conditions_of_a_column_are_merged() -> None:
    age = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    model = bough.DecisionTreeClassifier().fit({"age": age}, ["n"] * 3 + ["y"] * 4 + ["n"] * 3)
    assert [rule.condition_text() for rule in model.rules("y")] == ["3.5 < age <= 7.5"]
    assert str(model.dnf("n")) == "n = age <= 3.5 or age > 7.5"


def test_the_rules_of_titanic() -> None:
    columns, target = load("titanic")
    model = bough.DecisionTreeClassifier(max_leaf_nodes=6).fit(columns, target)
    first, *_ = model.rules()
    assert str(first) == (
        "sex = male and deck is missing and (age > 3.5 or missing) → died 88% (457 rows, 95% interval 85–91%)"
    )
    assert first.mask(columns).sum() == first.n == 457
    survived = model.rules("survived")
    assert [rule.n for rule in survived] == [170, 117, 14]
    assert str(survived).count("\n") == 2
    assert "or never seen" in model.rules()[0].condition_text(full=True)


def test_rows_that_stay_have_a_rule_of_their_own() -> None:
    columns, target = load("titanic")
    model = bough.DecisionTreeClassifier(missing="stop", max_depth=2).fit(columns, target)
    stays = [rule for rule in model.rules() if rule.stays and rule.n]
    assert [rule.condition_text() for rule in stays] == ["sex = male and age is missing"]
    assert stays[0].n == 124
    assert sum(rule.n for rule in model.rules()) == 891


def test_numbers_have_mean_deviation_and_interval() -> None:
    columns, _ = load("titanic")
    fare = columns.pop("fare")
    rule, *_ = bough.DecisionTreeRegressor(max_leaf_nodes=3).fit(columns, fare).rules()
    cheap = [f for f, c in zip(fare, columns["pclass"], strict=True) if c > 1.5]
    assert (rule.prediction, rule.sd) == (pytest.approx(np.mean(cheap)), pytest.approx(np.std(cheap)))
    assert rule.share is None
    assert rule.interval[0] < rule.prediction < rule.interval[1]
    poisson = bough.DecisionTreeRegressor(criterion="poisson", max_leaf_nodes=3).fit(columns, fare)
    assert [rule.sd for rule in poisson.rules()] == [None] * 3


def test_intervals_are_those_of_the_books() -> None:
    from scipy import stats

    for hits, n in ((0, 10), (10, 10), (3, 17), (423, 488)):
        found = stats.binomtest(hits, n).proportion_ci(method="wilson")
        assert wilson(hits, n) == pytest.approx((found.low, found.high), abs=1e-12)
    values = np.array([1.0, 4.0, 2.5, 7.0])
    wanted = stats.t.interval(0.95, 3, values.mean(), stats.sem(values))
    assert mean_interval(values.mean(), values.std(), 4) == pytest.approx(wanted)


def test_words_for_ordinals_and_dates() -> None:
    sizes = pd.Categorical(["S", "M", "L", "XL"] * 5, categories=["S", "M", "L", "XL"], ordered=True)
    frame = pd.DataFrame({"size": sizes})
    model = bough.DecisionTreeClassifier().fit(frame, ["no", "yes", "yes", "no"] * 5)
    assert str(model.dnf("yes")) == "yes = S < size <= L"
    days = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-03"] * 10)})
    model = bough.DecisionTreeClassifier().fit(days, ["no", "yes"] * 10)
    assert str(model.dnf("yes")) == "yes = day > 2020-01-02"


@pytest.mark.parametrize("call", ["rules", "dnf"])
def test_wrong_classes_are_answered(call: str) -> None:
    model = bough.ID3Classifier().fit(*load("tennis"))
    with pytest.raises(bough.BoughError, match=r'no class .*"Yes"'):
        getattr(model, call)("Yess")
    regressor = bough.DecisionTreeRegressor().fit({"x": [1, 2]}, [1.0, 2.0])
    with pytest.raises(bough.BoughError, match="answers with numbers"):
        getattr(regressor, call)("Yes")
    with pytest.raises(bough.BoughError, match="order"):
        model.rules(order="size")


def test_classes_that_are_not_text() -> None:
    model = bough.DecisionTreeClassifier().fit({"x": [1, 2, 3, 4]}, [0, 0, 1, 1])
    assert [rule.prediction for rule in model.rules(1)] == [1]
    assert str(model.dnf(1)) == "1 = x > 2.5"
    model = bough.DecisionTreeClassifier().fit({"x": [1, 2, 3, 4]}, [False, False, True, True])
    assert str(model.dnf(True)) == "True = x > 2.5"

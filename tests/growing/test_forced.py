"""Forced first splits: their numbers against plain figures, and whole trees against growth that chooses the
same splits by itself."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pytest

from bough import information
from bough.data.examples import load
from bough.data.ingest import to_table
from bough.data.table import Column, Field, Table
from bough.errors import BoughError
from bough.growing import Settings, grow
from bough.growing.forced import grow_forced
from bough.tree import Tree
from bough.tree.rules import Rules
from bough.tree.tree import ARRAYS

NAN = np.nan


def titanic() -> tuple[Table, Any, Any]:
    columns, survived = load("titanic")
    classes, codes = np.unique(survived, return_inverse=True)
    return to_table(columns), codes.astype(np.int32), classes


TABLE, Y, CLASSES = titanic()


def forced_tree(forced: Any, weights: Any = None, **settings: Any) -> Tree:
    return grow_forced(TABLE, Y, CLASSES, weights, Settings(**settings), 1, None, forced)


def column(name: str) -> Column:
    return TABLE.columns[TABLE.names.index(name)]


def same(a: Tree, b: Tree) -> None:
    for name in ARRAYS:
        x, y = getattr(a, name), getattr(b, name)
        assert x.shape == y.shape, name
        assert x.dtype == y.dtype, name
        if name == "threshold":  # of categories: every number from one to the next is the same
            ordinal = np.array([f >= 0 and a.fields[f].kind == "ordinal" for f in a.feature])
            x, y = np.where(ordinal, np.floor(x), x), np.where(ordinal, np.floor(y), y)
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12, err_msg=name)


def test_the_numbers_of_a_given_threshold() -> None:
    fare = column("fare").values
    root = forced_tree({"column": "fare", "threshold": 50}, criterion="entropy", max_depth=1).root
    table = np.array([np.bincount(Y[fare <= 50], minlength=2), np.bincount(Y[fare > 50], minlength=2)])
    assert root.column == "fare"
    assert root.threshold == 50.0
    assert root.gain == pytest.approx(information.mutual_information(table))
    assert root.impurity == pytest.approx(information.entropy(table.sum(axis=0)))
    np.testing.assert_array_equal([child.value for child in root.children], table)
    assert [child.impurity for child in root.children] == pytest.approx(
        [information.entropy(row) for row in table]
    )


def test_the_numbers_of_given_groups() -> None:
    embarked = column("embarked")
    names = [embarked.field.categories[int(v)] if v >= 0 else "" for v in embarked.values]
    kept = np.array([name != "" for name in names])
    table, y, letters = TABLE.take(kept), Y[kept], np.array([name for name in names if name])
    groups = [["Q"], ["S"], ["C"]]
    forced = {"column": "embarked", "categories": groups}
    tree = grow_forced(table, y, CLASSES, None, Settings(criterion="gini", max_depth=1), 1, None, forced)
    counts = np.array([np.bincount(y[letters == group[0]], minlength=2) for group in groups])
    assert tree.root.categories == groups
    assert tree.root.gain == pytest.approx(information.gini_gain(counts))
    np.testing.assert_array_equal([child.value for child in tree.root.children], counts)
    two = {"column": "embarked", "categories": [["S"], ["Q", "C"]]}
    tree = grow_forced(table, y, CLASSES, None, Settings(max_depth=1), 1, None, two)
    assert tree.root.gain == pytest.approx(
        information.gini_gain(np.array([counts[1], counts[0] + counts[2]]))
    )


def test_the_numbers_of_a_regression() -> None:
    x, y = np.array([1.0, 2, 3, 4, 5]), np.array([1.0, 5, 6, 8, 7])
    table = Table((Column(Field("x", "numeric"), x),), 5)
    settings = Settings(criterion="squared_error", max_depth=1)
    root = grow_forced(table, y, None, None, settings, 1, None, {"column": "x", "threshold": 3.2}).root
    before, after = information.squared_loss(y), information.squared_loss(y, x > 3.2)
    assert root.gain * 5 == pytest.approx(before - after)
    assert [child.value[0] for child in root.children] == pytest.approx([4.0, 7.5])


def gain_of(sides: Any, weights: Any = None) -> float:
    """Gini gain in weight, of sides numbered from 0."""
    table = np.array(
        [
            np.bincount(Y[sides == side], None if weights is None else weights[sides == side], 2)
            for side in range(3)
        ]
    )
    table = table[table.sum(axis=1) > 0]
    return float(information.gini_gain(table) * table.sum())


AGE = TABLE.columns[TABLE.names.index("age")].values
SIDES = np.where(np.isnan(AGE), NAN, AGE > 30)


def test_missing_rows_learn_the_better_side() -> None:
    root = forced_tree({"column": "age", "threshold": 30}, max_depth=1).root
    gains = [gain_of(np.where(np.isnan(SIDES), side, SIDES)) for side in (0, 1)]
    assert root.gain * 891 == pytest.approx(max(gains))
    assert root.missing_child == int(np.argmax(gains))
    assert root.n_missing == np.isnan(AGE).sum()


@pytest.mark.parametrize("rule", ["fractional", "majority", "stop", "surrogate", "branch"])
def test_missing_rows_follow_the_rule(rule: str) -> None:
    tree = forced_tree({"column": "age", "threshold": 30}, missing=rule, max_depth=1)
    known = ~np.isnan(SIDES)
    gain = gain_of(SIDES) if rule != "branch" else gain_of(np.where(known, SIDES, 2))
    assert tree.root.gain * 891 == pytest.approx(gain)
    counts = [np.bincount(Y[side == SIDES], minlength=2) for side in (0, 1)]
    absent = np.bincount(Y[~known], minlength=2)
    values = [child.value for child in tree.root.children]
    share = counts[0].sum() / known.sum()
    if rule == "fractional":
        np.testing.assert_allclose(values[0], counts[0] + share * absent, rtol=1e-9)
    elif rule == "majority":
        np.testing.assert_array_equal(values[int(share < 0.5)], counts[int(share < 0.5)] + absent)
    elif rule == "surrogate":
        np.testing.assert_array_equal(values[0] + values[1], counts[0] + counts[1] + absent)
        assert tree.surrogate_start.tolist() == [0, 3, 3, 3]
        assert (tree.surrogate_agree > max(share, 1 - share)).all()
    else:
        np.testing.assert_array_equal(values, counts if rule == "stop" else [*counts, absent])


@pytest.mark.parametrize("name", ["sex", "age", "deck", "pclass"])
@pytest.mark.parametrize("rule", ["learn", "fractional", "surrogate"])
def test_a_column_alone_is_growth_on_that_column(name: str, rule: str) -> None:
    alone = Table((column(name),), TABLE.n_rows)
    limits = {"min_samples_leaf": 20, "min_weight_fraction_leaf": 0.1}
    own = grow(alone, Y, CLASSES, None, Settings(missing=rule, max_depth=1, **limits)).root
    root = forced_tree({"column": name}, missing=rule, max_depth=1, **limits).root
    assert (root.column, root.kind, root.threshold) == (name, own.kind, own.threshold)
    assert (root.categories, root.missing_child, root.gain) == (own.categories, own.missing_child, own.gain)
    if rule != "surrogate":  # with other columns there are surrogates
        np.testing.assert_allclose(
            [c.value for c in root.children], [c.value for c in own.children], rtol=1e-9
        )


def random_case(seed: int) -> tuple[Table, Any, Any, Any, dict[str, Any]]:
    random = np.random.default_rng(seed)
    n_rows, columns = int(random.integers(8, 80)), []
    for j in range(int(random.integers(2, 6))):
        kind = str(random.choice(["numeric", "numeric", "ordinal", "nominal"]))
        n_values = int(random.integers(2, 6))
        values = random.integers(0, n_values, n_rows).astype(float)
        if random.random() < 0.5:
            values[random.random(n_rows) < 0.2] = NAN
        names = () if kind == "numeric" else tuple("abcdef"[:n_values])
        columns.append(Column(Field(f"x{j}", kind, names), values))  # type: ignore[arg-type]
    numbers = random.random() < 0.3
    y = random.integers(0, 3, n_rows)
    weights = None if random.random() < 0.5 else random.integers(1, 4, n_rows) * 0.25
    settings: dict[str, Any] = {
        "criterion": "squared_error" if numbers else str(random.choice(["gini", "entropy", "error"])),
        "categories": str(random.choice(["subset", "multiway", "one_vs_rest"])),
        "thresholds": str(random.choice(["midpoint", "data", "short"])),
        "surrogate_last": str(random.choice(["majority", "stop"])),
    }
    for limit, value in {
        "max_depth": 3,
        "min_samples_leaf": 0.05,
        "min_samples_split": 0.15,
        "min_weight_fraction_leaf": 0.1,
        "min_impurity_decrease": 0.02,
        "zero_gain_splits": False,
    }.items():
        if random.random() < 0.3:
            settings[limit] = value
    classes = None if numbers else np.arange(3)
    return Table(tuple(columns), n_rows), y.astype(float if numbers else np.int32), classes, weights, settings


def read_off(tree: Tree, number: int, levels: int, given: bool) -> dict[str, Any] | None:
    """The first splits of a tree as forced ones."""
    node = tree.node(number)
    if levels == 0 or node.field is None:
        return None
    forced: dict[str, Any] = {"column": node.column}
    if given and node.kind == "threshold" and np.isfinite(node.threshold):
        names = node.field.categories
        forced["threshold"] = names[int(node.threshold)] if names else node.threshold
    elif given and node.kind == "subset" and all(node.categories):
        forced["categories"] = node.categories
    forced["branches"] = [read_off(tree, child.id, levels - 1, given) for child in node.children]
    return forced


@pytest.mark.parametrize("rule", ["learn", "fractional", "surrogate", "branch", "majority", "stop"])
def test_forcing_what_grows_anyway_changes_nothing(rule: str) -> None:
    for seed in range(60):
        table, y, classes, weights, options = random_case(seed)
        if rule == "fractional":  # far down, shares of rows round in another way, and ties fall otherwise
            options["max_depth"] = 3
        settings = Settings(missing=rule, **options)
        whole = grow(table, y, classes, weights, settings)
        if whole.n_nodes == 1:
            continue
        # A given split knows no limits, so with them missing rows may learn another side; and as one more
        # category they would not have a branch of their own.
        plain = rule in ("fractional", "surrogate", "majority", "stop")
        for given in (False, True) if plain else (False,):
            forced = read_off(whole, 0, 2, given)
            same(grow_forced(table, y, classes, weights, settings, 1, None, forced), whole)


def test_rows_of_weight_zero_are_left_out() -> None:
    weights = (np.arange(891) % 3).astype(float)
    kept = weights > 0
    forced = {"column": "sex", "branches": [None, {"column": "fare", "threshold": 20}]}
    settings = Settings(max_depth=4, min_samples_leaf=0.02)
    a = grow_forced(TABLE, Y, CLASSES, weights, settings, 1, None, forced)
    b = grow_forced(TABLE.take(kept), Y[kept], CLASSES, weights[kept], settings, 2, None, forced)
    same(a, b)


def test_dates_ordered_categories_and_booleans() -> None:
    data = {
        "day": [dt.datetime(2024, 1, 1) + dt.timedelta(days=i) for i in range(8)],
        "ill": [True, False] * 4,
    }
    grade = Column(Field("grade", "ordinal", ("low", "mid", "high")), np.array([0.0, 1, 2, 0, 1, 2, 0, 1]))
    table = Table((*to_table(data).columns, grade), 8)
    y = np.array([0, 1, 1, 0, 1, 0, 1, 1], dtype=np.int32)
    for forced, sizes, labels in (
        ({"column": "day", "threshold": dt.datetime(2024, 1, 3)}, [3, 5], ["≤ 2024-01-03", "> 2024-01-03"]),
        ({"column": "ill", "categories": [[True], [False]]}, [4, 4], ["True", "False"]),
        ({"column": "grade", "threshold": "low"}, [3, 5], ["≤ low", "> low"]),
    ):
        root = grow_forced(table, y, np.arange(2), None, Settings(max_depth=1), 1, None, forced).root
        assert [child.n_rows for child in root.children] == sizes
        assert root.branches == labels


def test_a_node_of_one_class_is_a_leaf() -> None:
    table = Table((Column(Field("x", "numeric"), np.arange(6.0)),), 6)
    y = np.array([0, 0, 0, 1, 0, 1], dtype=np.int32)
    forced = {"column": "x", "threshold": 2, "branches": [{"column": "x", "threshold": 1}, None]}
    tree = grow_forced(table, y, np.arange(2), None, Settings(), 1, None, forced)
    assert tree.root.children[0].is_leaf
    assert not tree.root.children[1].is_leaf


def test_random_columns_differ_between_the_branches() -> None:
    random = np.random.default_rng(3)
    half = random.random((40, 12))
    values = np.column_stack([np.repeat([0.0, 1.0], 40), np.tile(half, (2, 1))])
    table = to_table(values)
    y = np.tile(random.integers(0, 2, 40), 2).astype(np.int32)
    settings = Settings(max_features=1, max_depth=4, seed=5)
    tree = grow_forced(table, y, np.arange(2), None, settings, 1, None, {"column": "x0"})
    assert tree.root.column == "x0"
    assert tree.node(1).column != tree.node(2).column


@pytest.mark.parametrize("rule", ["learn", "surrogate"])
def test_forbidden_columns_are_asked_nowhere(rule: str) -> None:
    tree = forced_tree({"column": "pclass"}, missing=rule, forbidden_columns=["sex", 2], max_depth=4)
    forbidden = {TABLE.names.index("sex"), 2}
    assert not forbidden & {*tree.feature.tolist(), *tree.surrogate_feature.tolist()}


def test_after_the_time_limit_only_forced_splits_are_made() -> None:
    forced = {"column": "pclass", "branches": [{"column": "sex"}]}
    assert forced_tree(forced, time_limit=1e-9).n_leaves == 3
    same(forced_tree(forced, time_limit=1000.0), forced_tree(forced))


def test_the_rules_of_the_answers_are_kept() -> None:
    rules = Rules(estimate="laplace")
    tree = grow_forced(TABLE, Y, CLASSES, None, Settings(max_depth=2), 1, rules, {"column": "age"})
    assert tree.rules == rules
    assert tree.shares[0] == pytest.approx((np.bincount(Y) + 1) / (891 + 2))


@pytest.mark.parametrize(
    ("forced", "text"),
    [
        ("sex", "forced is 'sex'"),
        ({"column": "sexx"}, 'names the column "sexx", which is not there. Did you mean "sex"?'),
        ({}, "names no column"),
        ({"column": "sex", "threshhold": 3}, 'Did you mean "threshold"?'),
        ({"column": "sex", "threshold": 1}, 'the categories of "sex" have no order'),
        ({"column": "age", "categories": [[1], [2]]}, 'the values of "age" are in order'),
        ({"column": "age", "threshold": "old"}, "has the threshold 'old'"),
        ({"column": "age", "threshold": NAN}, "has the threshold nan"),
        ({"column": "age", "threshold": 1, "categories": [["a"], ["b"]]}, "a threshold and categories"),
        ({"column": "sex", "categories": [["male"], ["femal"]]}, 'Did you mean "female"?'),
        ({"column": "sex", "categories": [["male"], ["male", "female"]]}, 'the category "male" twice'),
        ({"column": "sex", "categories": [["male", "female"]]}, "has the categories"),
        ({"column": "sex", "categories": [["male", "female"], []]}, "has the categories"),
        ({"column": "sex", "categories": "male"}, "has the categories 'male'"),
        ({"column": "sex", "branches": {"male": None}}, 'forced["branches"] is'),
        ({"column": "sex", "branches": [None, None, {"column": "age"}]}, "has 3 branches, the split has 2"),
        ({"column": "deck", "categories": [["A"], ["B", "C"]]}, 'no branch for the category "'),
        ({"column": "age", "threshold": 100}, 'the split of "age" leaves the branch "> 100" without rows'),
        (
            {"column": "sex", "branches": [{"column": "sex", "categories": [["male"], ["female"]]}]},
            'forced["branches"][0] (sex: male): the split of "sex" leaves the branch "female" without rows',
        ),
        (
            {"column": "sex", "branches": [None, {"column": "age", "branches": [{"column": "sex"}]}]},
            'forced["branches"][1]["branches"][0] (sex: female, age: ',
        ),
    ],
)
def test_what_cannot_be_forced_is_said(forced: Any, text: str) -> None:
    with pytest.raises(BoughError) as caught:
        forced_tree(forced)
    assert text in str(caught.value)
    assert caught.value.hint


def test_what_does_not_go_together() -> None:
    for name, value in {
        "max_leaf_nodes": 5,
        "max_nodes": 5,
        "monotonic_cst": {"age": 1},
        "interaction_cst": [["sex", "age"]],
        "required_columns": ["sex"],
    }.items():
        with pytest.raises(BoughError, match=f"{name} does not go together with forced"):
            forced_tree({"column": "sex"}, **{name: value})
    with pytest.raises(
        BoughError, match=r'forced\["branches"\]\[1\] asks for the column "age", which is among'
    ):
        forced_tree({"column": "sex", "branches": [None, {"column": "age"}]}, forbidden_columns=["age"])
    with pytest.raises(BoughError, match=r"2 levels of splits, and max_depth=1"):
        forced_tree({"column": "sex", "branches": [{"column": "age"}]}, max_depth=1)
    with pytest.raises(BoughError, match="the value is missing"):
        forced_tree({"column": "sex"}, missing={"age": "error"})
    with pytest.raises(BoughError, match=r"no split of the column \"sex\" is possible"):
        forced_tree({"column": "sex"}, min_samples_leaf=0.4)
    with pytest.raises(BoughError, match=r"no split of the column \"age\" is possible"):
        forced_tree({"column": "sex", "branches": [None, {"column": "age"}]}, min_weight_fraction_leaf=0.3)

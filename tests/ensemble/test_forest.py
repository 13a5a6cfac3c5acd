"""Bags and the trees grown on them: each is the tree that a plain growth makes from the same rows."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from peak import peak_over

from bough import (
    BaggingTreesClassifier,
    BaggingTreesRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRanker,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bough.data.ingest import to_table
from bough.ensemble.forest import Data, Grove, Sampling
from bough.growing import Settings, grow
from bough.tree.rules import Rules

FORESTS = (
    RandomForestClassifier,
    RandomForestRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    BaggingTreesClassifier,
    BaggingTreesRegressor,
)
ONE_TREE = {"n_estimators": 1, "bootstrap": False, "max_features": None}


def mixed(n=400, seed=3):
    """Numbers of many and of few values with holes, categories with holes."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    x[rng.random(n) < 0.08] = np.nan
    few = rng.integers(6, size=n).astype(float)
    few[rng.random(n) < 0.05] = np.nan
    letters = np.array(list("abcdefg"), dtype=object)[rng.integers(7, size=n)]
    signal = np.nan_to_num(x) + np.nan_to_num(few) / 3 + (letters == "c") + rng.normal(size=n) * 0.5
    letters[rng.random(n) < 0.05] = None
    table = {"x": x, "few": few, "letter": letters, "noise": rng.random(n).round(3)}
    return table, np.digitize(signal, [0.0, 1.5]), signal.round(2)


TABLE, CLASSES, NUMBERS = mixed()
WAYS = [
    {},
    {"missing": "fractional"},
    {"missing": "surrogate"},
    {"missing": "branch"},
    {"missing": "stop", "categories": "multiway"},
    {"missing": "majority", "categories": "one_vs_rest", "max_depth": 4},
    {"criterion": "entropy", "choice": "gain_ratio", "min_samples_leaf": 3},
    {"max_leaf_nodes": 9},
]


@pytest.mark.parametrize("changes", WAYS, ids=str)
def test_one_tree_on_all_rows_is_the_decision_tree(changes):
    one = RandomForestClassifier(**ONE_TREE, **changes).fit(TABLE, CLASSES)
    assert one.ensemble_[0].digest() == DecisionTreeClassifier(**changes).fit(TABLE, CLASSES).digest()
    if "criterion" not in changes:
        one = RandomForestRegressor(**ONE_TREE, **changes).fit(TABLE, NUMBERS)
        assert one.ensemble_[0].digest() == DecisionTreeRegressor(**changes).fit(TABLE, NUMBERS).digest()


def test_one_tree_with_few_bins_too():
    one = RandomForestRegressor(max_bins=8, **ONE_TREE).fit(TABLE, NUMBERS)
    assert one.ensemble_[0].digest() == DecisionTreeRegressor(max_bins=8).fit(TABLE, NUMBERS).digest()


@pytest.mark.parametrize("draws", [{}, {"max_samples": 0.4}, {"bootstrap": False, "max_samples": 0.5}])
@pytest.mark.parametrize("changes", [c for c in WAYS if c.get("missing") != "fractional"], ids=str)
def test_a_tree_is_that_of_its_bag_as_weights(changes, draws):
    forest = BaggingTreesClassifier(n_estimators=3, random_state=5, **draws, **changes).fit(TABLE, CLASSES)
    bags = forest._bagged[1]
    for number, tree in enumerate(forest.ensemble_):
        counts = bags.counts(number).astype(float)
        alone = DecisionTreeClassifier(**changes).fit(TABLE, CLASSES, sample_weight=counts)
        assert tree.digest() == alone.digest()


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_the_same_for_numbers(criterion):
    forest = BaggingTreesRegressor(n_estimators=3, criterion=criterion, random_state=5)
    forest.fit(TABLE, NUMBERS - NUMBERS.min())
    for number, tree in enumerate(forest.ensemble_):
        counts = forest._bagged[1].counts(number).astype(float)
        alone = DecisionTreeRegressor(criterion=criterion)
        assert tree.digest() == alone.fit(TABLE, NUMBERS - NUMBERS.min(), sample_weight=counts).digest()


@pytest.mark.parametrize("missing", ["learn", "surrogate", "branch"])
def test_drawn_columns_are_those_of_the_trees_seed(missing):
    """Columns by row, sorted where they are drawn, give the tree of columns that are kept sorted."""
    table = to_table(TABLE)
    settings = Settings(max_features=2, missing=missing)
    data = Data(table, CLASSES.astype(np.int32), np.arange(3), None, None, 1)
    grove = Grove(data, settings, Sampling(), 11, Rules())
    for number, tree in enumerate(grove.grow(0, 4).trees):
        counts = grove.bags.counts(number).astype(float)
        seeded = Settings(max_features=2, missing=missing, seed=grove.bags.seed_of(number))
        alone = grow(table, data.target, data.classes, counts, seeded)
        assert tree.digest() == alone.digest()


@pytest.mark.parametrize("forest", [f for f in FORESTS if "Bagging" not in f.__name__])
@pytest.mark.parametrize("changes", [{}, {"min_weight_fraction_leaf": 1e-12}], ids=["lean", "usual"])
def test_constant_columns_take_no_place_of_those_drawn(forest, changes):
    """As many draws as columns vary look at all of them, whatever else is in the table."""
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.normal(size=(150, 3)), np.full((150, 30), 2.0)])[:, rng.permutation(33)]
    target = np.digitize(X.sum(axis=1), np.quantile(X.sum(axis=1), [0.3, 0.6]))
    same = {"n_estimators": 3, "random_state": 4, **changes}
    drawn = forest(max_features=3, **same).fit(X, target)
    every = forest(max_features=None, **same).fit(X, target)
    assert [t.digest() for t in drawn.ensemble_.trees] == [t.digest() for t in every.ensemble_.trees]


@pytest.mark.parametrize(("missing", "told"), [("learn", True), ("branch", True), ("majority", False)])
def test_missing_cells_count_as_a_value_where_they_can_be_told_from_others(missing, told):
    """Two of three columns are drawn; where the one of holes takes no place, the best of all is there."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(200, 3))
    X[:, 2] = np.where(rng.random(200) < 0.5, np.nan, 3.0)
    y = (X[:, 0] > 0).astype(int)
    forest = RandomForestClassifier(
        n_estimators=40, max_features=2, max_depth=1, missing=missing, random_state=0
    )
    roots = {int(tree.feature[0]) for tree in forest.fit(X, y).ensemble_.trees}
    assert (roots == {0}) is not told


@pytest.mark.parametrize("forest", FORESTS)
def test_threads_and_frames_change_nothing(forest):
    target = CLASSES if "Classifier" in forest.__name__ else NUMBERS
    few = {"n_estimators": 12, "random_state": 2, "max_features": 0.5}
    digests = {forest(n_jobs=jobs, **few).fit(TABLE, target).digest() for jobs in (None, 2, 4)}
    digests.add(forest(**few).fit(pd.DataFrame(TABLE), target).digest())
    digests.add(forest(**few).fit(pl.DataFrame(TABLE, nan_to_null=True), target).digest())
    assert len(digests) == 1
    other = {k: v for k, v in few.items() if k != "random_state"}
    assert forest(random_state=3, **other).fit(TABLE, target).digest() not in digests


@pytest.mark.parametrize(
    "model", [*FORESTS, GradientBoostingClassifier, GradientBoostingRegressor, GradientBoostingRanker]
)
def test_the_order_in_which_categories_are_declared_changes_nothing(model):
    target = NUMBERS if "Regressor" in model.__name__ else CLASSES
    named = pl.DataFrame(TABLE, nan_to_null=True)
    letters = named.with_columns(pl.col("letter").cast(pl.Categorical))
    backwards = pd.Categorical(TABLE["letter"], categories=list("gfedcba"))
    frames = [
        named,
        letters,
        letters.to_arrow(),
        letters.to_pandas(),
        named.with_columns(pl.col("letter").cast(pl.Enum(list("dgabfec")))),
        pd.DataFrame(TABLE).assign(letter=backwards),
    ]
    queries = {"group": [40] * 10} if model is GradientBoostingRanker else {}
    made = [model(n_estimators=5, random_state=0) for _ in frames]
    digests = {m.fit(frame, target, **queries).digest() for m, frame in zip(made, frames, strict=True)}
    assert len(digests) == 1
    answers = {tuple(m.predict(frame)) for m, frame in zip(made, frames, strict=True)}
    assert len(answers) == 1


def test_numpy_pandas_and_polars_of_numbers():
    X = np.column_stack([TABLE["x"], TABLE["few"], TABLE["noise"]])
    names = ["x", "few", "noise"]
    rows = [pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names, nan_to_null=True)]
    few = RandomForestClassifier(n_estimators=5, random_state=0)
    of_frames = {few.fit(frame, CLASSES).digest() for frame in rows}
    assert len(of_frames) == 1
    shares = few.predict_proba(rows[0])
    assert (few.fit(X, CLASSES).predict_proba(X) == shares).all()  # columns without names: another digest


@pytest.mark.parametrize("forest", FORESTS)
def test_the_order_of_rows_changes_nothing_and_whole_weights_are_copies(forest):
    target = CLASSES if "Classifier" in forest.__name__ else NUMBERS
    rng = np.random.default_rng(0)
    few = {"n_estimators": 4, "random_state": 2, "max_features": 2}
    frame = pd.DataFrame(TABLE)
    first = forest(**few).fit(frame, target)
    order = rng.permutation(len(target))
    shuffled = forest(**few).fit(frame.iloc[order], target[order])
    assert (shuffled.predict(frame) == first.predict(frame)).all()
    counts = rng.integers(3, size=len(target))
    weighted = forest(**few).fit(frame, target, sample_weight=counts)
    repeated = forest(**few).fit(
        frame.iloc[np.repeat(order, counts[order])], np.repeat(target[order], counts[order])
    )
    assert np.allclose(weighted.predict(frame), repeated.predict(frame), rtol=1e-12)


@pytest.mark.parametrize("forest", FORESTS)
def test_rows_that_differ_in_their_weight_alone_may_change_places(forest):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(60, 2)).astype(float)
    target = (X[:, 0] > 1).astype(int)
    weights, order = rng.random(60), rng.permutation(60)
    few = {"n_estimators": 3, "random_state": 0}
    first = forest(**few).fit(X, target, sample_weight=weights)
    shuffled = forest(**few).fit(X[order], target[order], sample_weight=weights[order])
    assert first.digest() == shuffled.digest()


def test_bags_are_what_they_should_be():
    table = to_table({"x": np.arange(1000.0)})
    classes = (np.arange(1000) < 50).astype(np.int32)
    data = Data(table, classes, np.arange(2), None, None, 1)

    def counts(**how):
        bags = Sampling(**how).bags(data, 4)
        return [bags.counts(number) for number in range(20)]

    seen = counts()
    assert all(c.sum() == 1000 for c in seen)
    assert abs(np.mean([(c > 0).mean() for c in seen]) - (1 - np.exp(-1))) < 0.01
    assert len({c.tobytes() for c in seen}) == 20
    assert abs(np.mean(seen, axis=0).std() ** 2 * 20 - 1) < 0.15  # Poisson(1) in the limit
    assert all(c.sum() == 100 and c.max() == 1 for c in counts(bootstrap=False, max_samples=100))
    assert all((c == 1).all() for c in counts(bootstrap=False))
    for c in counts(bootstrap="balanced"):
        assert c[classes == 1].sum() == c[classes == 0].sum() == 50
    weights = np.ones(1000)
    weights[:10] = 30.0
    bags = Sampling(bootstrap=False).bags(Data(table, classes, np.arange(2), weights, None, 1), 4)
    assert (bags.counts(0) == weights).all()  # copies
    bags = Sampling(bootstrap=False).bags(Data(table, classes, np.arange(2), weights / 2, None, 1), 4)
    assert (bags.counts(0) == 1).all()  # shares are no copies: they multiply


def test_columns_of_each_tree_of_bagging():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 9))
    forest = BaggingTreesRegressor(n_estimators=30, max_features=3, random_state=0).fit(X, X.sum(axis=1))
    asked = [set(tree.feature[tree.feature >= 0].tolist()) for tree in forest.ensemble_]
    assert all(len(columns) == 3 for columns in asked)
    assert len(set.union(*asked)) == 9
    assert len({tuple(sorted(columns)) for columns in asked}) > 15


@pytest.mark.parametrize(
    "changes",
    [{}, {"missing": "branch"}, {"missing": "surrogate"}, {"max_bins": 9}, {"missing": "fractional"}],
)
def test_random_cuts_answer_as_they_were_grown(changes):
    """Rows go where they went in growth: a leaf's class weights are those of the rows that come to it."""
    forest = ExtraTreesClassifier(n_estimators=6, random_state=1, max_features=2, **changes).fit(
        TABLE, CLASSES
    )
    for tree in forest.ensemble_:
        rows, nodes, shares = tree.reach(TABLE)
        reached = np.zeros_like(tree.value)
        np.add.at(reached, (nodes, CLASSES[rows]), shares)
        leaves = tree.feature < 0
        assert np.allclose(reached[leaves], tree.value[leaves], atol=1e-9)
        if not changes:
            assert (tree.impurity[leaves] < 1e-12).all()
    thresholds = {t for tree in forest.ensemble_ for t in tree.threshold[tree.kind == 1]}
    middles = DecisionTreeClassifier().fit(TABLE, CLASSES).tree_.threshold
    assert len(thresholds - set(middles)) > 50


def test_random_cuts_are_even_between_the_extremes():
    x = np.array([0.0, 1.0, 10.0])
    cuts = [
        ExtraTreesRegressor(n_estimators=1, max_depth=1, random_state=s)
        .fit(x[:, None], x)
        .ensemble_[0]
        .threshold[0]
        for s in range(300)
    ]
    assert min(cuts) >= 0.0
    assert max(cuts) < 10.0
    assert abs(np.mean(cuts) - 5.0) < 0.6  # five standard errors are 0.83
    assert abs(np.mean(np.array(cuts) < 1.0) - 0.1) < 0.06


def test_random_groups_of_categories():
    letters = np.array(list("abcdefgh") * 5, dtype=object)
    table = {"letter": letters}
    y = np.arange(40) % 8
    forest = ExtraTreesRegressor(n_estimators=40, max_depth=1, random_state=0).fit(table, y)
    lefts = set()
    for tree in forest.ensemble_:
        assert tree.n_leaves == 2
        lefts.add(tuple(tree.category_child.tolist()))
    assert len(lefts) > 20


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_forest_does_not_hold_the_room_that_columns_were_sorted_in() -> None:
    """Its trees have memory of their own. It held 23 MB to the end: the peak was 116 MB, now it is 95."""
    prepare = """
        rng = np.random.default_rng(9)
        x = rng.random((1_500_000, 2))
        y = x[:, 0] + rng.random(1_500_000) > 1
        model = bough.BaggingTreesClassifier(n_estimators=1, max_depth=2, n_jobs=1, random_state=0)
        model.fit(x[:1000], y[:1000])
    """
    assert peak_over(prepare, "model.fit(x, y)") < 106

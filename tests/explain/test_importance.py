"""Importances: equal to the gain on the rows themselves, and not fooled by noise of many values on others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_friedman1
from sklearn.inspection import permutation_importance as sklearn_permutation
from sklearn.tree import DecisionTreeRegressor as SklearnTree

import bough
from bough import (
    AdaBoostClassifier,
    BoughError,
    C45Classifier,
    CARTClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRanker,
    RandomForestClassifier,
)
from bough import load as load_model
from bough.data.examples import load
from bough.explain.importance import permutation_importance, unbiased_importance
from bough.pruning import Evidence
from bough.tree import Ensemble
from bough.tree.gains import gain_importance


def noisy(n=1000, seed=0, numbers=False):
    """A column of two values that tells something, and one of 500 that tells nothing."""
    rng = np.random.default_rng(seed)
    signal = rng.integers(0, 2, n)
    X = pd.DataFrame({"noise": [f"id{k}" for k in rng.integers(0, 500, n)], "signal": signal})
    truth = signal * 0.8 + rng.normal(size=n)
    return X, truth if numbers else (rng.random(n) < 0.35 + 0.3 * signal).astype(int)


MODELS = {
    "tree": DecisionTreeClassifier(),
    "multiway": DecisionTreeClassifier(categories="multiway"),
    "numbers": DecisionTreeRegressor(),
    "C4.5": C45Classifier(pruning=None, choice="gain"),
    "forest": RandomForestClassifier(n_estimators=30, random_state=0),
    "extra trees": ExtraTreesClassifier(n_estimators=10, random_state=0),
    "AdaBoost": AdaBoostClassifier(n_estimators=10, estimator=DecisionTreeClassifier(max_depth=3)),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_noise_column_of_500_levels_does_not_rank_first_by_default(name):
    X, y = noisy(numbers=name == "numbers")
    model = MODELS[name].fit(X, y)
    biased = model.importances(method="gain")
    assert biased.ranking[0][0] == "noise"  # what is to be corrected
    assert biased.values.tolist() == model.feature_importances_.tolist()
    found = model.importances()
    assert found.method == "unbiased"
    assert found.ranking[0][0] == "signal"
    assert model.importances(method="permutation").ranking[0][0] == "signal"


def test_unbiased_gain_is_around_zero_for_noise():
    for numbers, tree in ((False, DecisionTreeClassifier), (True, DecisionTreeRegressor)):
        rows = [noisy(seed=s, numbers=numbers) for s in range(12)]
        values = np.array([tree(max_depth=6).fit(X, y).importances().values[0] for X, y in rows])
        assert abs(values.mean()) < 3 * values.std(ddof=1) / np.sqrt(12)
        rows = [(X[["signal"]], y) for X, y in rows]
        alone = np.mean([tree().fit(X, y).importances().values[0] for X, y in rows])
        # The gain of the signal: of Gini .3^2 / 2, of the squared error .8^2 / 4.
        assert alone == pytest.approx(0.16 if numbers else 0.045, rel=0.1)


@pytest.mark.parametrize("missing", ["learn", "branch", "fractional", "surrogate", "stop"])
def test_on_the_rows_grown_on_unbiased_gain_is_the_gain(missing):
    columns, y = load("titanic")
    model = DecisionTreeClassifier(missing=missing, max_depth=4, min_samples_leaf=5).fit(columns, y)
    with pytest.warns(UserWarning, match="the rows that the model was fitted on"):
        found = model.importances(columns, y)
    tree = model.tree_
    asking = tree.feature >= 0
    gains = np.bincount(tree.feature[asking], (tree.gain * tree.weight)[asking], len(tree.fields))
    if missing in ("learn", "branch"):
        np.testing.assert_allclose(found.values, gains / len(y), atol=1e-12)
    else:  # rows without a value had no part in the gain
        assert np.corrcoef(found.values, gains)[0, 1] > 0.95


def test_gain_is_that_of_scikit_learn():
    X, y = make_friedman1(500, random_state=0)
    theirs = SklearnTree(max_depth=4, random_state=0).fit(X, y).feature_importances_
    ours = DecisionTreeRegressor(max_depth=4).fit(X, y).feature_importances_
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


def test_permutation_agrees_with_scikit_learn():
    X, y = make_friedman1(600, noise=0.1, random_state=0)
    model = DecisionTreeRegressor(max_depth=6).fit(X[:300], y[:300])
    ours = model.importances(X[300:], y[300:], method="permutation", repeats=20)
    theirs = sklearn_permutation(model, X[300:], y[300:], n_repeats=20, random_state=1)
    np.testing.assert_allclose(ours.values, theirs.importances_mean, atol=0.05)
    assert np.isfinite(ours.errors).all()


def test_each_tree_is_judged_by_the_rows_outside_of_it():
    X, y = noisy(seed=5)
    rng = np.random.default_rng(0)
    trees, outside = [], []
    for _ in range(10):
        drawn = rng.integers(0, len(y), len(y))
        trees.append(DecisionTreeClassifier().fit(X, y, np.bincount(drawn, minlength=len(y))).tree_)
        outside.append(np.setdiff1d(np.arange(len(y)), drawn))
    forest = Ensemble(
        tuple(trees),
        trees[0].fields,
        trees[0].classes,
        "mean",
        np.ones(10),
        np.zeros(10, np.int32),
        np.zeros(0),
    )
    rows = Evidence.of(forest, X, y)
    assert gain_importance(forest).argmax() == 0
    assert unbiased_importance(forest, rows, outside).ranking[0][0] == "signal"
    by_hand = [unbiased_importance(t, rows.take(some)).values for t, some in zip(trees, outside, strict=True)]
    np.testing.assert_allclose(unbiased_importance(forest, rows, outside).values, np.mean(by_hand, axis=0))
    found = permutation_importance(forest, rows, 2, np.random.RandomState(0), outside)
    assert found.ranking[0][0] == "signal"


def test_a_surrogate_counts_in_permutation():
    columns, y = load("titanic")
    model = CARTClassifier(cp=0.0).fit(columns, y)
    asked = set(model.tree_.feature[model.tree_.feature >= 0]) | set(model.tree_.surrogate_feature)
    with pytest.warns(UserWarning, match="the rows that the model was fitted on"):
        found = model.importances(columns, y, method="permutation")
    assert found.ranking[0][0] == "sex"
    assert set(np.flatnonzero(found.values)) <= asked


def test_text_and_errors():
    X, y = noisy()
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    text = str(model.importances())
    assert text.startswith("importance: unbiased\nsignal ")
    assert " ± " in text
    with pytest.raises(BoughError, match='Did you mean "permutation"'):
        model.importances(method="permutations")
    with pytest.raises(BoughError, match="class 7, which"):
        model.importances(X, y + 7)
    with pytest.raises(BoughError, match="folds=1"):
        model.importances(folds=1)


def test_boosted_trees_are_judged_by_permutation():
    X, y = noisy()
    model = GradientBoostingClassifier(n_estimators=10).fit(X, y)
    found = model.importances(folds=3)
    assert (found.method, found.ranking[0][0]) == ("permutation", "signal")
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    with pytest.raises(BoughError, match="added up"):
        model.importances(method="unbiased")
    ranker = GradientBoostingRanker(n_estimators=3).fit(X, y, group=[500, 500])
    assert ranker.importances(method="gain").values.tolist() == ranker.feature_importances_.tolist()
    with pytest.raises(BoughError, match=r"has X but no y(?s:.*)importances\(method=\"gain\"\)"):
        ranker.importances(X, qid=np.arange(len(X)) // 10)
    with pytest.raises(BoughError, match="does not keep its queries") as error:
        ranker.importances()
    assert 'method="gain"' in error.value.hint


def test_a_ranker_is_judged_by_the_order_of_other_queries():
    """A column of 500 levels takes most of the gain of deep trees, and is worth nothing to new queries."""

    def queries(seed):
        rng = np.random.default_rng(seed)
        signal = rng.normal(size=1000)
        X = {"signal": signal.tolist(), "noise": [f"id{k}" for k in rng.integers(0, 500, 1000)]}
        relevance = np.clip(np.round(signal + 2 * rng.normal(size=1000)), 0, 4)
        return X, relevance, np.repeat(np.arange(100), 10)

    X, y, qid = queries(0)
    model = GradientBoostingRanker(n_estimators=20, min_category_rows=1, category_smoothing=0, random_state=0)
    model.fit(X, y, qid=qid)
    assert model.importances(method="gain").ranking[0][0] == "noise"
    X, y, qid = queries(1)
    found = model.importances(X, y, qid=qid, repeats=3)
    assert (found.method, found.ranking[0][0]) == ("permutation", "signal")
    again = model.importances(X, y, group=[10] * 100, repeats=3)
    assert again.values.tolist() == found.values.tolist()
    order = np.random.RandomState(0)  # the first repeat asks for the columns in their order
    lost = []
    for name in model.ensemble_.fields:
        moved = dict(X)
        places = order.permutation(1000)
        moved[name.name] = [X[name.name][k] for k in places]
        lost.append(model.score(X, y, qid=qid) - model.score(moved, y, qid=qid))
    one = model.importances(X, y, qid=qid, repeats=1)
    assert one.values == pytest.approx(lost, abs=1e-12)
    with pytest.raises(BoughError, match="repeats=0"):
        model.importances(X, y, qid=qid, repeats=0)


@pytest.mark.filterwarnings("ignore:no tree has a split")
def test_folds_whose_rows_no_model_knows():
    """A row whose class no other row has is left out of its fold; where all are such, it is said."""
    X = {"a": [0.0, 1.0, 2.0], "b": ["x", "y", "z"]}
    model = GradientBoostingClassifier(n_estimators=2)
    assert model.fit(X, ["p", "q", "p"]).importances().values.tolist() == [0.0, 0.0]
    with pytest.raises(BoughError, match="every training row has a class of its own"):
        model.fit(X, ["p", "q", "r"]).importances()


def test_a_class_too_rare_for_every_fold():
    X = np.arange(40.0).reshape(-1, 1)
    y = np.array([0] * 20 + [1] * 19 + [2])
    assert DecisionTreeClassifier().fit(X, y).importances().values[0] > 0.2


def test_the_training_rows_flatter_and_are_recognised(tmp_path):
    X, y = noisy()
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    forest.save(tmp_path / "m.bough")
    loaded = load_model(tmp_path / "m.bough")
    with pytest.raises(BoughError, match="not at hand") as error:
        loaded.importances()
    assert error.value.hint.startswith("Give rows that the model was not fitted on: importances(X, y);")
    weighted = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y, np.arange(len(y)) + 1.0)
    for model in (forest, loaded, weighted):
        with pytest.warns(UserWarning, match="noise too. Give rows that it was not fitted on"):
            model.importances(X, y)
    others = noisy(seed=1)
    for model in (forest, loaded):
        assert model.importances(*others).ranking[0][0] == "signal"  # a warning would be an error


def test_rows_need_both_columns_and_answers():
    X, y = noisy()
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    with pytest.raises(BoughError, match="importances has X but no y"):
        model.importances(X)
    with pytest.raises(BoughError, match="importances has y but no X"):
        model.importances(y=y)


def test_the_text_says_what_the_error_is_over():
    X, y = noisy()
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    tree = DecisionTreeClassifier(max_depth=3).fit(X, y)
    other = noisy(seed=1)
    for found, over in (
        (forest.importances(), "trees"),
        (forest.importances(*other), "trees"),
        (forest.importances(method="permutation", repeats=2), "trees"),
        (forest.importances(*other, method="permutation", repeats=2), "repeats"),
        (tree.importances(), "folds"),
        (tree.importances(method="permutation", folds=2, repeats=1), "folds"),
    ):
        assert found.over == over
        assert str(found).splitlines()[-1].startswith(f"± is over the {over}, of the same table")
    for known in (tree.importances(*other), tree.importances(method="gain")):
        assert "±" not in str(known)


def test_the_error_over_trees_is_less_than_what_other_tables_would_change():
    """As docs/importance.md says: no interval, but around 0 for noise."""
    told = [
        RandomForestClassifier(n_estimators=50, random_state=0).fit(*noisy(seed=s)).importances()
        for s in range(12)
    ]
    values, errors = (np.array([getattr(one, name)[0] for one in told]) for name in ("values", "errors"))
    assert values.std(ddof=1) > 2 * errors.mean()
    assert abs(values.mean()) < 3 * values.std(ddof=1) / np.sqrt(12)


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, GradientBoostingClassifier])
def test_folds_count_the_weight_of_a_class_once(kind):
    X, y = load("titanic")
    by_class = {"died": 1.0, "survived": 5.0}
    some = {"max_leaf_nodes": 6} | ({"n_estimators": 5} if kind is GradientBoostingClassifier else {})
    model = kind(class_weight=by_class, **some).fit(X, y)
    other = kind(**some).fit(X, y, sample_weight=[by_class[c] for c in y])
    found, wanted = (m.importances(random_state=0) for m in (model, other))
    assert np.array_equal(found.values, wanted.values)


@pytest.mark.parametrize("kind", ["RandomForest", "DecisionTree", "GradientBoosting", "ExtraTrees"])
def test_groups_are_judged_as_new_ones(kind):
    who = np.repeat(np.arange(40), 8)
    y = who % 2
    X = {"who": who.astype(float), "noise": np.random.default_rng(2).normal(size=320)}
    model = getattr(bough, f"{kind}Classifier")(random_state=0).fit(X, y)
    assert model.importances().values[0] > 0.05
    assert model.importances(groups=who).values[0] < 0
    with pytest.raises(BoughError, match=r"groups has the shape \(319,\), and the model was fitted on 320"):
        model.importances(groups=who[1:])
    with pytest.raises(BoughError, match="no two groups"):
        model.importances(groups=np.zeros(320))
    with pytest.raises(BoughError, match="groups="):
        model.importances(X, y, groups=who)

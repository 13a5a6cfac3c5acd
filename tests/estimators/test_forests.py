"""Forests as their users see them: answers, out-of-bag answers, quantiles, stops, and bad input."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from golden.readers import load as golden
from sklearn import ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.metrics import r2_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.utils.estimator_checks import check_estimator

from bough import (
    BaggingTreesClassifier,
    BaggingTreesRegressor,
    BoughError,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bough.data.examples import load
from bough.ensemble.out_of_bag import score_of_classes, score_of_numbers

CLASSIFIERS = (RandomForestClassifier, ExtraTreesClassifier, BaggingTreesClassifier)
REGRESSORS = (RandomForestRegressor, ExtraTreesRegressor, BaggingTreesRegressor)
IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def titanic():
    columns, target = load("titanic")
    return pd.DataFrame(columns), np.array(target)


@pytest.mark.parametrize(
    "estimator",
    [
        *(forest(n_estimators=10) for forest in CLASSIFIERS + REGRESSORS),
        RandomForestClassifier(n_estimators=5, n_jobs=2, oob_score=False, voting="vote"),
        RandomForestClassifier(n_estimators=5, bootstrap="balanced"),
        RandomForestRegressor(n_estimators=5, max_bins=16),
    ],
    ids=repr,
)
def test_check_estimator_has_nothing_to_object(estimator):
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    assert len(results) > 50
    failures = {r["check_name"]: r["exception"] for r in results if r["status"] not in ("passed", "skipped")}
    assert not failures
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {"check_array_api_input"}


# ---- answers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("forest", CLASSIFIERS)
def test_shares_are_the_mean_of_the_trees_and_votes_their_votes(forest):
    X, y = titanic()
    mean = forest(n_estimators=7, max_depth=5, random_state=0).fit(X, y)
    trees = [tree.predict_proba(X) for tree in mean.ensemble_]
    assert np.allclose(mean.predict_proba(X), np.mean(trees, axis=0), rtol=0, atol=1e-15)
    vote = forest(n_estimators=7, max_depth=5, random_state=0, voting="vote").fit(X, y)
    votes = np.mean([tree.predict(X)[:, None] == vote.classes_ for tree in mean.ensemble_], axis=0)
    assert np.allclose(vote.predict_proba(X), votes, rtol=0, atol=1e-15)
    assert (vote.predict(X) == vote.classes_[votes.argmax(axis=1)]).all()
    assert mean.apply(X).shape == (len(y), 7)


@pytest.mark.parametrize("forest", REGRESSORS)
def test_numbers_are_the_mean_of_the_trees(forest):
    X, y = DIABETES
    model = forest(n_estimators=9, random_state=0).fit(X, y)
    expected = np.mean([tree.predict(X) for tree in model.ensemble_], axis=0)
    assert np.allclose(model.predict(X), expected, rtol=1e-14)


def test_costs_decide_the_answer():
    X, y = titanic()
    costs = [[0, 1], [9, 0]]
    model = RandomForestClassifier(n_estimators=20, max_depth=4, random_state=0, costs=costs).fit(X, y)
    plain = RandomForestClassifier(n_estimators=20, max_depth=4, random_state=0).fit(X, y)
    second = model.classes_[1]
    assert (model.predict(X) == second).mean() > (plain.predict(X) == second).mean() + 0.2
    expected = model.predict_proba(X) @ np.array(costs)
    assert (model.predict(X) == model.classes_[expected.argmin(axis=1)]).all()


def rare(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    y = (X[:, 0] + X[:, 1] + rng.normal(size=n) > 3.2).astype(int)
    return X[: n // 2], y[: n // 2], X[n // 2 :], y[n // 2 :]


@pytest.mark.parametrize(
    "how",
    [
        {"bootstrap": "balanced"},
        {"class_weight": "balanced", "min_samples_leaf": 20},
        {"class_weight": "balanced_subsample", "min_samples_leaf": 20},
        {"class_weight": {0: 1, 1: 15}, "min_samples_leaf": 20},
        {"priors": {0: 0.5, 1: 0.5}, "min_samples_leaf": 20},
    ],
    ids=str,
)
def test_a_rare_class_is_found_when_it_counts(how):
    X, y, X_new, y_new = rare()
    plain = RandomForestClassifier(n_estimators=30, random_state=0).fit(X, y)
    model = RandomForestClassifier(n_estimators=30, random_state=0, **how).fit(X, y)
    found = [(m.predict(X_new)[y_new == 1] == 1).mean() for m in (plain, model)]
    assert found[1] > found[0] + 0.25


def test_weights_of_a_bag_are_balanced_anew():
    X, y, _, _ = rare()
    model = RandomForestClassifier(n_estimators=5, class_weight="balanced_subsample", random_state=0).fit(
        X, y
    )
    for tree in model.ensemble_:
        assert np.allclose(tree.value[0, 0], tree.value[0, 1])
        assert np.isclose(tree.weight[0], len(y))


@pytest.mark.parametrize("forest", CLASSIFIERS)
@pytest.mark.parametrize("missing", ["learn", "fractional", "surrogate"])
def test_strings_and_holes_are_taken_as_they_are(forest, missing):
    X, y = titanic()
    model = forest(n_estimators=15, missing=missing, min_samples_leaf=3, random_state=0)
    assert cross_val_score(model, X, y, cv=3).mean() > 0.75


@pytest.mark.parametrize("forest", CLASSIFIERS + REGRESSORS)
def test_very_small_tables(forest):
    two = forest(n_estimators=3, random_state=0).fit([[0.0], [1.0]], [0, 1])
    assert two.predict([[0.0], [1.0]]).shape == (2,)
    constant = forest(n_estimators=3).fit(np.arange(6.0).reshape(-1, 1), np.full(6, 4))
    assert (constant.predict([[2.0], [np.nan]]) == 4).all()
    assert all(tree.n_nodes == 1 for tree in constant.ensemble_)
    assert (constant.feature_importances_ == 0).all()


# ---- out of bag ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("voting", ["mean", "vote"])
@pytest.mark.parametrize("missing", ["learn", "fractional"])
def test_out_of_bag_shares_by_hand(voting, missing):
    X, y = titanic()
    model = RandomForestClassifier(
        n_estimators=15, oob_score=True, random_state=1, max_depth=6, voting=voting, missing=missing
    ).fit(X, y)
    bags = model._bagged[1]
    total, times = np.zeros((len(y), 2)), np.zeros(len(y))
    for number, tree in enumerate(model.ensemble_):
        unseen = bags.counts(number) == 0
        said = tree.predict_proba(X) if voting == "mean" else tree.predict(X)[:, None] == model.classes_
        total[unseen] += said[unseen]
        times += unseen
    assert (times > 0).all()
    expected = total / times[:, None]
    assert np.allclose(model.oob_decision_function_, expected, rtol=0, atol=1e-14)
    right = (model.classes_[expected.argmax(axis=1)] == y).mean()
    assert np.isclose(model.oob_score_, right, rtol=0, atol=1e-12)
    low, high = model.oob_interval_
    assert low < right < high
    # Wilson's interval solves |p - share| = z sqrt(p (1 - p) / n).
    for p in (low, high):
        assert np.isclose(abs(p - right), 1.959963984540054 * np.sqrt(p * (1 - p) / len(y)))
    assert model.oob_curve_[:, 0].tolist() == [10, 15]
    assert model.oob_curve_[-1, 1] == model.oob_score_


def test_out_of_bag_numbers_by_hand():
    X, y = DIABETES
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.5)
    model = RandomForestRegressor(n_estimators=25, oob_score=True, random_state=1)
    model.fit(X, y, sample_weight=weights)
    kept = weights > 0
    total, times = np.zeros(kept.sum()), np.zeros(kept.sum())
    for number, tree in enumerate(model.ensemble_):
        unseen = model._bagged[1].counts(number) == 0
        total[unseen] += tree.predict(X[kept])[unseen]
        times += unseen
    assert np.isnan(model.oob_prediction_[~kept]).all()
    assert np.allclose(model.oob_prediction_[kept], total / times, rtol=1e-13)
    assert np.isclose(model.oob_score_, r2_score(y[kept], total / times))
    assert model.oob_interval_[0] < model.oob_score_ < model.oob_interval_[1]


def test_weights_that_differ_make_for_wider_intervals_out_of_bag():
    """A few heavy rows say less than many: as many as the square of the sum by the sum of the squares."""
    random = np.random.default_rng(0)
    right, weights = random.random(400) < 0.8, np.where(np.arange(400) < 8, 50.0, 1.0)
    n = weights.sum() ** 2 / (weights**2).sum()
    found = score_of_classes(right, weights)
    for p in (found.low, found.high):
        assert np.isclose(abs(p - found.value), 1.959963984540054 * np.sqrt(p * (1 - p) / n))
    assert found.n_rows == 400
    target, share = random.random(400), weights / weights.sum()
    answers = target + 0.1 * random.standard_normal(400)
    missed = (answers - target) ** 2
    error, variance = share @ missed, share @ (target - share @ target) ** 2
    half = 1.959963984540054 * np.sqrt(share @ (missed - error) ** 2 / n) / variance
    found = score_of_numbers(answers, target, share)
    assert np.allclose((found.low, found.high), (found.value - half, found.value + half))


def test_the_out_of_bag_score_of_classes_is_a_share_of_the_rows():
    X, y = load_iris(return_X_y=True)
    model = RandomForestClassifier(n_estimators=60, oob_score=True, random_state=0).fit(X, y)
    right = (model.oob_decision_function_.argmax(axis=1) == y).sum()
    assert model.oob_score_ == right / len(y)


def test_rows_that_every_tree_has_seen_are_named():
    with pytest.warns(UserWarning, match=r"^\d+ rows were seen by every tree"):
        model = RandomForestClassifier(n_estimators=2, oob_score=True, random_state=0).fit(*IRIS)
    with pytest.warns(UserWarning, match="^1 row was seen by every tree"):
        RandomForestClassifier(n_estimators=8, oob_score=True, random_state=1).fit(*IRIS)
    assert np.isnan(model.oob_decision_function_).any()
    assert 0 < model.oob_score_ <= 1


@pytest.mark.parametrize(
    ("name", "errors", "margin"),
    # Of ranger and randomForest with 500 trees; about three of their standard deviations between seeds.
    [("iris", (0.048, 0.045), 0.015), ("glass", (0.215, 0.194), 0.03), ("diabetes", (0.237, 0.232), 0.017)],
)
def test_out_of_bag_errors_are_those_of_other_forests(name, errors, margin):
    table = golden(name)
    found = []
    for seed in range(3):
        model = RandomForestClassifier(n_estimators=300, oob_score=True, random_state=seed)
        found.append(1 - model.fit(table.frame, table.target).oob_score_)
    assert min(errors) - margin < np.mean(found) < max(errors) + margin


# ---- quantiles and closeness -----------------------------------------------------------------------------


@pytest.mark.parametrize("weights", [None, np.linspace(0.5, 3.1, 442)])
def test_quantiles_by_hand(weights):
    X, y = DIABETES
    model = RandomForestRegressor(n_estimators=12, min_samples_leaf=4, random_state=0)
    model.fit(X, y, sample_weight=weights)
    levels = [0.0, 0.05, 0.5, 0.9, 1.0]
    found = model.predict_quantiles(X[:40], levels)
    leaves, counts = model.apply(X), [model._bagged[1].counts(t) for t in range(12)]
    row_weights = np.ones(len(y)) if weights is None else weights
    for i in range(40):
        shares = np.zeros(len(y))
        for t in range(12):
            own = (leaves[:, t] == leaves[i, t]) * counts[t] * row_weights
            shares += own / own.sum() / 12
        assert np.isclose(shares @ y, model.predict(X[i : i + 1])[0])  # the mean of it is the prediction
        order = np.argsort(y, kind="stable")
        reached = shares[order].cumsum()
        held = shares[order] > 0
        for level, value in zip(levels, found[i], strict=True):
            assert value == y[order][held][(reached[held] >= level - 1e-12).argmax()]
    low, high = model.predict_interval(X[:40], coverage=0.8).T
    assert (low == model.predict_quantiles(X[:40], 0.1)[:, 0]).all()
    assert (low < high).all()


def test_intervals_cover_new_rows():
    rng = np.random.default_rng(0)
    X = rng.random((4000, 3))
    y = 4 * X[:, 0] + rng.normal(size=4000) * (0.2 + X[:, 1])
    model = RandomForestRegressor(n_estimators=60, min_samples_leaf=10, random_state=0).fit(
        X[:2000], y[:2000]
    )
    low, high = model.predict_interval(X[2000:], coverage=0.9).T
    inside = (low <= y[2000:]) & (y[2000:] <= high)
    assert 0.86 < inside.mean() < 0.96
    wide = (high - low)[X[2000:, 1] > 0.8].mean() / (high - low)[X[2000:, 1] < 0.2].mean()
    assert wide > 1.5


def test_quantiles_after_loading():
    X, y = DIABETES
    model = RandomForestRegressor(n_estimators=5, random_state=0).fit(X, y)
    with pytest.raises(BoughError, match="training rows are not at hand"):
        pickle.loads(pickle.dumps(model)).predict_quantiles(X)
    expected = model.predict_quantiles(X)
    loaded = pickle.loads(pickle.dumps(model))
    assert (loaded.predict_quantiles(X) == expected).all()
    assert loaded.digest() == model.digest()
    with pytest.raises(BoughError, match="quantiles"):
        model.predict_quantiles(X, [1.5])


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_has_the_training_rows_of_the_model(copied):
    X, y = DIABETES
    model = RandomForestRegressor(n_estimators=5, random_state=0).fit(X, y)
    other = copied(model)
    assert (other.predict_quantiles(X) == model.predict_quantiles(X)).all()
    assert other.importances().values.tolist() == model.importances().values.tolist()
    assert other.digest() == model.digest()
    other.set_params(n_estimators=2).fit(X, y)
    assert len(other) == 2
    assert len(model) == model.n_estimators == 5
    nested = copied([model, {"it": model}])
    assert nested[0] is nested[1]["it"]
    assert len(nested[0]) == 5
    assert not hasattr(copied(RandomForestRegressor()), "ensemble_")


@pytest.mark.parametrize("missing", ["learn", "fractional"])
def test_proximity_is_the_share_of_common_leaves(missing):
    X, y = titanic()
    X, y = X[:60], y[:60]
    model = RandomForestClassifier(n_estimators=20, random_state=0, missing=missing).fit(X, y)
    close = model.proximity(X)
    assert close.shape == (60, 60)
    assert np.allclose(close, close.T)
    if missing == "learn":
        leaves = model.apply(X)
        assert np.allclose(close, (leaves[:, None] == leaves[None]).mean(axis=2))
        assert (np.diag(close) == 1).all()
    else:  # rows that are spread over leaves
        assert np.diag(close).min() < 0.9
    assert np.allclose(model.proximity(X[:5], X), close[:5])


# ---- beside scikit-learn ---------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [load_breast_cancer, load_wine], ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", ["RandomForest", "ExtraTrees"])
def test_forests_are_as_accurate_as_scikit_learns(name, table):
    X, y = table(return_X_y=True)
    ours = {"RandomForest": RandomForestClassifier, "ExtraTrees": ExtraTreesClassifier}[name]
    theirs = getattr(ensemble, name + "Classifier")
    scores = []
    for forest in (ours, theirs):
        found = []
        for seed in range(2):
            cv = StratifiedKFold(5, shuffle=True, random_state=seed)
            found.append(cross_val_score(forest(n_estimators=100, random_state=seed), X, y, cv=cv).mean())
        scores.append(np.mean(found))
    assert scores[0] > scores[1] - 0.015


def friedman(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 8))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + rng.normal(size=n)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (RandomForestRegressor(max_features=1.0), ensemble.RandomForestRegressor()),
        (RandomForestRegressor(), ensemble.RandomForestRegressor(max_features=1 / 3)),
        (ExtraTreesRegressor(), ensemble.ExtraTreesRegressor()),
        (RandomForestRegressor(max_bins=64), ensemble.RandomForestRegressor(max_features=1 / 3)),
    ],
    ids=["all", "third", "extra", "binned"],
)
def test_errors_are_those_of_scikit_learn(ours, theirs):
    X, y = friedman(1000, 0)
    X_new, y_new = friedman(4000, 1)
    errors = [
        np.mean(
            [((m.set_params(random_state=s).fit(X, y).predict(X_new) - y_new) ** 2).mean() for s in range(2)]
        )
        for m in (ours, theirs)
    ]
    assert errors[0] < 1.04 * errors[1]


# ---- bad input -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"n_estimators": 0}, "n_estimators=0 is not possible"),
        ({"n_estimators": 2.5}, "n_estimators"),
        ({"bootstrap": "yes"}, "bootstrap='yes'"),
        ({"max_samples": 1.5}, "max_samples=1.5"),
        ({"max_samples": 151}, "from 1 to 150"),
        ({"max_features": 0}, "max_features=0"),
        ({"voting": "most"}, "mean, vote"),
        ({"oob_score": 1}, "oob_score=1"),
        ({"oob_score": True, "bootstrap": False}, "every tree sees all rows"),
        ({"oob_patience": 0}, "oob_patience=0"),
        ({"oob_tol": -1}, "oob_tol=-1"),
        ({"warm_start": "no"}, "warm_start='no'"),
        ({"callback": 3}, "callback=3"),
        ({"time_limit": -1}, "time_limit=-1"),
        ({"class_weight": "even"}, '"balanced", "balanced_subsample" or None'),
        ({"criterion": "squared_error"}, "criterion='squared_error'"),
    ],
    ids=str,
)
def test_wrong_parameters_are_named(bad, message):
    with pytest.raises(BoughError) as error:
        RandomForestClassifier(**bad).fit(*IRIS)
    assert message in str(error.value)


def test_a_wrong_name_is_answered_with_the_right_one():
    with pytest.raises(BoughError, match='Did you mean "n_estimators"'):
        RandomForestClassifier(n_estimator=3)
    with pytest.raises(BoughError, match="balanced"):
        RandomForestRegressor(bootstrap="balanced").fit(*DIABETES)
    with pytest.raises(BoughError, match="max_features=5"):
        BaggingTreesClassifier(max_features=5).fit(*IRIS)


def test_the_signature_and_the_documentation_name_every_parameter():
    for forest in CLASSIFIERS + REGRESSORS:
        for name in forest().get_params():
            assert f"\n{name} : " in forest.__doc__
    assert "columns drawn for each tree" in BaggingTreesClassifier.__doc__
    assert "voting" not in RandomForestRegressor().get_params()
    assert RandomForestClassifier().max_features == "sqrt"


def test_a_criterion_of_the_users_own():
    def gini(sums):
        total = sums.sum(axis=1)
        return total - (sums**2).sum(axis=1) / np.maximum(total, 1)

    own = BaggingTreesClassifier(n_estimators=3, criterion=gini, random_state=0, max_depth=3, n_jobs=2)
    named = BaggingTreesClassifier(n_estimators=3, random_state=0, max_depth=3)
    assert (own.fit(*IRIS).predict(IRIS[0]) == named.fit(*IRIS).predict(IRIS[0])).all()


def test_short_thresholds_send_the_rows_of_the_bag_the_same_way() -> None:
    """With all rows in every bag, that is all rows."""
    columns, survived = load("titanic")
    plain, short = (
        BaggingTreesClassifier(
            n_estimators=5, bootstrap=False, max_features=0.5, random_state=0, thresholds=rule
        ).fit(columns, survived)
        for rule in ("midpoint", "short")
    )
    assert np.array_equal(plain.apply(columns), short.apply(columns))
    longest = [
        max(len(repr(float(t))) for tree in m.ensemble_ for t in tree.threshold) for m in (plain, short)
    ]
    assert longest[0] > 15
    assert longest[1] < 8


def test_a_class_of_one_row_is_in_every_balanced_bag() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(81, 3)), np.array(["a"] * 50 + ["b"] * 30 + ["z"])
    model = RandomForestClassifier(n_estimators=50, bootstrap="balanced", oob_score=True, random_state=0)
    with pytest.warns(UserWarning, match=r"1 row was seen by every tree.*class that small"):
        model.fit(X, y)
    assert np.flatnonzero(np.isnan(model.oob_decision_function_[:, 0])).tolist() == [80]
    assert model.predict(X[80:]) == "z"

"""AdaBoost against scikit-learn's, against its formulas by hand, and among scikit-learn's tools."""

from __future__ import annotations

import pickle
import signal
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_friedman1, make_hastie_10_2
from sklearn.ensemble import AdaBoostClassifier as SklearnClassifier
from sklearn.ensemble import AdaBoostRegressor as SklearnRegressor
from sklearn.tree import DecisionTreeClassifier as SklearnTree
from sklearn.utils.estimator_checks import check_estimator

import bough
from bough import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BoughError,
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    _core,
)
from bough.data.examples import load
from bough.data.table import Table

take = Table.take  # as it is before a test changes it
ESTIMATORS = (
    AdaBoostClassifier(n_estimators=5),
    AdaBoostRegressor(n_estimators=5),
    AdaBoostClassifier(n_estimators=5, estimator=DecisionTreeClassifier(max_depth=2), learning_rate=0.5),
)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_check_estimator_has_nothing_to_object(estimator):
    results = check_estimator(estimator, on_skip=None, on_fail=None)
    assert len(results) > 50
    failures = {r["check_name"]: r["exception"] for r in results if r["status"] not in ("passed", "skipped")}
    assert not failures
    # It needs SCIPY_ARRAY_API=1 in the environment before scipy is imported.
    assert {r["check_name"] for r in results if r["status"] == "skipped"} <= {"check_array_api_input"}


def spread_iris():
    """Three classes, and no two values equal."""
    X, y = load_iris(return_X_y=True)
    return X + np.random.default_rng(0).uniform(-0.05, 0.05, X.shape), y


DATA = {
    "hastie": (make_hastie_10_2(600, random_state=1), 1),
    "hastie, deeper": (make_hastie_10_2(600, random_state=1), 2),
    "breast cancer": (load_breast_cancer(return_X_y=True), 1),
    "iris": (spread_iris(), 1),
}


@pytest.mark.parametrize("rate", [1.0, 0.3])
@pytest.mark.parametrize("name", DATA)
def test_staged_errors_are_those_of_scikit_learn(name, rate):
    (X, y), depth = DATA[name]
    tree = DecisionTreeClassifier(max_depth=depth)
    ours = AdaBoostClassifier(n_estimators=25, learning_rate=rate, estimator=tree).fit(X, y)
    peer = SklearnTree(max_depth=depth)
    theirs = SklearnClassifier(peer, n_estimators=25, learning_rate=rate, random_state=0).fit(X, y)
    assert list(ours.staged_score(X, y)) == list(theirs.staged_score(X, y))
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_[:25], rtol=1e-9)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_[:25], rtol=1e-9)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_r2_with_resampling_is_that_of_scikit_learn(loss):
    X, y = make_friedman1(300, random_state=0)
    tree = DecisionTreeRegressor(max_depth=3)
    ours = AdaBoostRegressor(n_estimators=15, loss=loss, sampling="resample", random_state=5).fit(X, y)
    theirs = SklearnRegressor(tree, n_estimators=15, loss=loss, random_state=5).fit(X, y)
    np.testing.assert_allclose(
        np.array(list(ours.staged_predict(X))), np.array(list(theirs.staged_predict(X))), rtol=1e-12
    )


def test_two_rounds_by_hand():
    # Six points, the best stump errs on one: error 1/6, vote ln 5, and that row then weighs half of all.
    X = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
    y = np.array(["a", "a", "b", "a", "b", "b"])
    model = AdaBoostClassifier(n_estimators=2).fit(X, y)
    assert model.estimator_errors_[0] == pytest.approx(1 / 6)
    assert model.estimator_weights_[0] == pytest.approx(np.log(5))
    first = model.ensemble_[0]
    wrong = first.predict(X) != y
    w = np.where(wrong, 1 / 2, 1 / 10)
    second = DecisionTreeClassifier(max_depth=1).fit(X, y, w).tree_
    assert model.ensemble_[1].threshold[0] == second.threshold[0]
    assert model.estimator_errors_[1] == pytest.approx(w[second.predict(X) != y].sum())


def test_it_stops_at_a_tree_without_error():
    X, y = load_iris(return_X_y=True)
    model = AdaBoostClassifier(estimator=DecisionTreeClassifier()).fit(X + np.arange(150)[:, None] / 1e6, y)
    assert (len(model.ensemble_), model.stop_reason_) == (1, "a tree without error")
    numbers = AdaBoostRegressor(estimator=DecisionTreeRegressor()).fit(
        np.arange(9.0).reshape(-1, 1), range(9)
    )
    assert (len(numbers.ensemble_), numbers.stop_reason_) == (1, "a tree without error")


def test_it_stops_at_a_tree_no_better_than_chance_and_keeps_the_first():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    y = X[:, 0] ^ X[:, 1]
    model = AdaBoostClassifier().fit(X, y)
    assert (len(model.ensemble_), model.stop_reason_) == (1, "a tree no better than chance")
    assert model.score(X, y) == 0.5
    deeper = AdaBoostClassifier(estimator=DecisionTreeClassifier(max_depth=2)).fit(X, y)
    assert deeper.score(X, y) == 1.0


def test_resampling_on_performance_learns_what_weights_learn():
    X, y = make_hastie_10_2(3000, random_state=2)
    weights, drawn, other = (
        AdaBoostClassifier(n_estimators=60, sampling=way, random_state=seed).fit(X[:1500], y[:1500])
        for way, seed in (("weights", 0), ("resample", 0), ("resample", 1))
    )
    stump = weights.ensemble_[0].predict(X[1500:])
    assert weights.score(X[1500:], y[1500:]) > (stump == y[1500:]).mean() + 0.2
    assert drawn.score(X[1500:], y[1500:]) == pytest.approx(weights.score(X[1500:], y[1500:]), abs=0.04)
    assert drawn.digest() != other.digest()
    assert drawn.digest() == clone(drawn).fit(X[:1500], y[:1500]).digest()


@pytest.mark.parametrize("jobs", [1, 2, 4])
@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_strings_and_holes_with_any_tree_are_the_same_everywhere(library, jobs):
    columns, y = load("titanic")
    X = library(columns)
    model = AdaBoostClassifier(estimator=C45Classifier(min_weight_leaf=20.0), n_estimators=4, n_jobs=jobs)
    model.fit(X, y)
    plain = clone(model).set_params(n_jobs=1).fit(pd.DataFrame(columns), np.array(y))
    assert model.digest() == plain.digest()
    assert model.score(X, y) > 0.8
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    assert (model.predict(X) == list(model.staged_predict(X))[-1]).all()
    assert pickle.loads(pickle.dumps(model)).digest() == model.digest()


def test_declared_classes_keep_their_order():
    X, y = load_iris(return_X_y=True)
    names = np.array(["small", "middle", "large"])[y]
    tree = DecisionTreeClassifier(max_depth=1, classes=["small", "middle", "large"])
    model = AdaBoostClassifier(estimator=tree, n_estimators=20).fit(X, names)
    assert model.classes_.tolist() == ["small", "middle", "large"]
    same = AdaBoostClassifier(n_estimators=20).fit(X, y)
    assert (model.predict_proba(X) == same.predict_proba(X)).all()


@pytest.mark.parametrize("labels", [np.array([False, True]), np.array(["no", "yes"])])
def test_answers_have_the_type_of_the_classes(labels):
    X = np.arange(20.0).reshape(-1, 1)
    y = labels[(X[:, 0] > 9).astype(int)]
    model = AdaBoostClassifier(n_estimators=3).fit(X, y)
    assert model.predict(X).dtype == model.classes_.dtype == labels.dtype
    assert model.score(X, y) == 1.0


def test_zero_weights_leave_rows_out():
    X, y = make_hastie_10_2(300, random_state=0)
    w = (np.arange(300) % 3 > 0).astype(float)
    one = AdaBoostClassifier(n_estimators=10).fit(X, y, w)
    other = AdaBoostClassifier(n_estimators=10).fit(X[w > 0], y[w > 0])
    assert one.digest() == other.digest()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"sampling": "resampling"}, 'Did you mean "resample"'),
        ({"n_estimators": 0}, "n_estimators=0"),
        ({"learning_rate": -1}, "learning_rate=-1"),
        ({"estimator": SklearnTree()}, "a tree of bough"),
        ({"estimator": DecisionTreeRegressor()}, "answers with classes"),
    ],
)
def test_wrong_parameters_say_what_is_right(parameters, words):
    with pytest.raises(BoughError, match=words):
        AdaBoostClassifier(**parameters).fit([[1], [2]], [1, 2])


@pytest.mark.parametrize("sampling", ["weights", "resample"])
@pytest.mark.parametrize("kind", [AdaBoostClassifier, AdaBoostRegressor])
def test_progress_and_a_stop_by_the_callback(kind, sampling, capsys):
    X, y = make_hastie_10_2(300, random_state=0)
    y = y if kind is AdaBoostClassifier else 3.0 * X[:, 0] + X[:, 1]
    seen = []

    def watch(progress):
        seen.append((progress.done, progress.of))
        return progress.done == 7

    given = {"sampling": sampling, "random_state": 0}
    model = kind(n_estimators=20, callback=watch, verbose=1, **given).fit(X, y)
    assert seen == [(n, 20) for n in range(1, 8)]
    assert (len(model), model.stop_reason_) == (7, "callback")
    assert "6 of 20 trees" in capsys.readouterr().err
    assert model.digest() == kind(n_estimators=7, **given).fit(X, y).digest()


@pytest.mark.parametrize("sampling", ["weights", "resample"])
@pytest.mark.parametrize("kind", [AdaBoostClassifier, AdaBoostRegressor])
def test_ctrl_c_keeps_the_trees_that_are_there(kind, sampling):
    X, y = make_hastie_10_2(300, random_state=0)
    y = y if kind is AdaBoostClassifier else 3.0 * X[:, 0] + X[:, 1]

    def press(progress):
        if progress.done == 4:
            signal.raise_signal(signal.SIGINT)

    given = {"sampling": sampling, "random_state": 0}
    model = kind(n_estimators=50, callback=press, **given)
    with pytest.warns(UserWarning, match="interrupted: the model has 4 of 50 trees"):
        model.fit(X, y)
    assert (len(model), model.stop_reason_) == (4, "interrupted")
    assert model.digest() == kind(n_estimators=4, **given).fit(X, y).digest()


def test_ctrl_c_before_the_first_tree_leaves_the_model_as_it_was(monkeypatch):
    model = AdaBoostClassifier(n_estimators=3).fit(*load_iris(return_X_y=True))
    before = model.digest()
    monkeypatch.setattr(DecisionTreeClassifier, "fit", lambda *_: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        model.set_params(estimator=DecisionTreeClassifier()).fit(*load_iris(return_X_y=True))
    assert model.digest() == before


def test_resampling_bins_once_and_grows_the_trees_of_the_rows_drawn(monkeypatch):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.normal(size=(700, 3)), columns=list("abc"))
    frame.loc[rng.random(700) < 0.2, "a"] = np.nan
    frame["few"] = rng.integers(9, size=700)
    frame["town"] = rng.choice([f"t{i}" for i in range(400)], size=700)
    y = frame["a"].fillna(0.5).to_numpy() + frame["few"].to_numpy() * 0.3 + rng.normal(size=700)
    made = []

    whole = _core.BinnedMatrix

    def counted(columns, n_categories, n_rows, *others, **named):
        made.append(n_rows)
        return whole(columns, n_categories, n_rows, *others, **named)

    given = {"n_estimators": 6, "sampling": "resample", "random_state": 0}
    tree = DecisionTreeClassifier(max_depth=4)
    cases = [
        (AdaBoostRegressor(**given), y),
        (AdaBoostClassifier(estimator=tree, **given), y > 1.5),
        (AdaBoostClassifier(estimator=clone(tree).set_params(missing="surrogate"), **given), y > 1.5),
    ]
    for model, target in cases:
        with monkeypatch.context() as patched:
            patched.setattr(_core, "BinnedMatrix", counted)
            once = model.fit(frame, target).digest()
        assert made == [700]
        made.clear()
        with monkeypatch.context() as patched:  # the same, each draw binned by itself
            patched.setattr(Table, "take", lambda table, rows: replace(take(table, rows), within=None))
            assert model.fit(frame, target).digest() == once
    # Numbers that are not cut apart are told by the values of a whole column: such draws are binned anew.
    c45 = AdaBoostClassifier(estimator=C45Classifier(), **given).fit(frame, y > 1.5)
    assert len(c45) > 1


@pytest.mark.parametrize("callback", [7, lambda: True, lambda done, of: True])
def test_a_callback_takes_the_progress(callback):
    for kind in (AdaBoostClassifier, bough.GradientBoostingClassifier, bough.RandomForestClassifier):
        with pytest.raises(BoughError, match="callback="):
            kind(n_estimators=2, callback=callback).fit([[0.0], [1.0]], [0, 1])


def test_votes_of_rows_in_parts_have_no_shapley_values_and_others_have():
    X = np.random.default_rng(0).normal(size=(80, 3))
    y = (X[:, 0] > 0).astype(int)
    spread = AdaBoostClassifier(estimator=bough.C45Classifier(), n_estimators=2).fit(X, y)
    with pytest.raises(BoughError, match="spread over leaves"):
        spread.explain(X[0])
    whole = AdaBoostClassifier(estimator=bough.C45Classifier(missing="learn"), n_estimators=2).fit(X, y)
    assert whole.shap_values(X).outputs == pytest.approx(whole.predict_proba(X), abs=1e-9)

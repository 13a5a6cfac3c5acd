"""Forests that grow on, and all that stops them: time, a flat score, a callback, Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from bough import (
    BaggingTreesClassifier,
    BoughError,
    DecisionTreeClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
)
from bough.ensemble.forest import Grove

CLASSIFIERS = (RandomForestClassifier, ExtraTreesClassifier, BaggingTreesClassifier)
IRIS = load_iris(return_X_y=True)


@pytest.mark.parametrize("forest", CLASSIFIERS)
def test_warm_start_is_the_forest_grown_at_once(forest):
    X, y = IRIS
    judged = {"oob_score": True, "bootstrap": True}
    step = forest(n_estimators=13, warm_start=True, random_state=4, **judged).fit(X, y)
    step.set_params(n_estimators=30).fit(X, y)
    at_once = forest(n_estimators=30, random_state=4, **judged).fit(X, y)
    assert step.digest() == at_once.digest()
    assert step.oob_score_ == at_once.oob_score_
    assert len(step) == 30
    with pytest.raises(BoughError, match="n_estimators=10"):
        step.set_params(n_estimators=10).fit(X, y)
    with pytest.raises(BoughError, match="same columns"):
        step.set_params(n_estimators=40).fit(X[:, :2], y)
    with pytest.warns(UserWarning, match="none was grown"):
        step.set_params(n_estimators=30).fit(X, y)
    assert step.digest() == at_once.digest()


def test_a_time_limit_leaves_a_forest():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 20)), rng.integers(2, size=20_000)
    start = time.monotonic()
    with pytest.warns(UserWarning, match=r"time_limit=0.6 s is over: the model has \d+ of 100000 trees"):
        model = RandomForestClassifier(n_estimators=100_000, time_limit=0.6, random_state=0).fit(X, y)
    assert time.monotonic() - start < 300  # a hang, not a measurement
    whole = RandomForestClassifier(n_estimators=1, random_state=0).fit(X, y)
    assert 1 <= len(model) < 100_000
    if len(model) > 1:  # all of them are finished trees
        assert model.ensemble_[0].digest() == whole.ensemble_[0].digest()
    with pytest.warns(UserWarning, match="the model has 1 of 10 trees"):
        short = RandomForestClassifier(n_estimators=10, time_limit=1e-6).fit(X, y)
    assert len(short) == 1
    assert short.ensemble_[0].n_leaves < whole.ensemble_[0].n_leaves


def test_growth_stops_when_the_score_is_flat():
    X, y = IRIS
    model = RandomForestClassifier(n_estimators=500, oob_patience=30, oob_score=True, random_state=0)
    model.fit(X, y)
    assert 40 <= len(model) < 300
    curve = dict(model.oob_curve_)
    last = len(model)
    old = max(score for n, score in curve.items() if n <= last - 30)
    new = max(score for n, score in curve.items() if n > last - 30)
    assert new <= old + 1e-3
    digests = {clone(model).set_params(n_jobs=jobs).fit(X, y).digest() for jobs in (1, 2, 4)}
    assert digests == {model.digest()}


def test_a_callback_hears_and_stops():
    heard = []

    def enough(progress):
        heard.append(progress)
        return progress.done >= 20

    model = RandomForestClassifier(n_estimators=500, oob_score=True, callback=enough, random_state=0).fit(
        *IRIS
    )
    assert len(model) == 20
    assert [p.done for p in heard] == [10, 20]
    assert heard[-1].of == 500
    assert heard[-1].score == model.oob_score_
    assert str(heard[-1]).startswith("20 of 500 trees, ")


def test_trees_that_nobody_watches_grow_in_one_go(monkeypatch):
    asked = []
    grow = Grove.grow
    monkeypatch.setattr(Grove, "grow", lambda grove, *given: asked.append(given[:2]) or grow(grove, *given))
    model = RandomForestClassifier(n_estimators=9, random_state=0, n_jobs=2).fit(*IRIS)
    assert asked == [(0, 9)]
    watched = clone(model).set_params(callback=lambda progress: False).fit(*IRIS)
    assert asked[1] == (0, 2)
    assert watched.digest() == model.digest()


def test_memory_is_made_for_some_of_very_many_trees(monkeypatch):
    asked = []
    grow = Grove.grow
    monkeypatch.setattr(Grove, "grow", lambda grove, *given: asked.append(given[1]) or grow(grove, *given))
    with pytest.warns(UserWarning, match="time_limit"):
        RandomForestClassifier(n_estimators=10**9, time_limit=0.1, random_state=0, n_jobs=2).fit(*IRIS)
    assert max(asked) <= 2_000


def test_trees_that_are_made_when_ctrl_c_comes_stay(monkeypatch):
    """The core is done, and its arrays are made into trees."""
    made = []
    tree = Grove._tree

    def interrupted(grove, arrays):
        if len(made) == 7:
            raise KeyboardInterrupt
        made.append(tree(grove, arrays))
        return made[-1]

    monkeypatch.setattr(Grove, "_tree", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        model = RandomForestClassifier(n_estimators=20, random_state=0).fit(*IRIS)
    assert len(model) == 7


def test_verbose_writes_to_stderr(capsys):
    RandomForestClassifier(n_estimators=20, verbose=1, oob_score=True).fit(*IRIS)
    out, err = capsys.readouterr()
    assert out == ""
    assert "20 of 20 trees" in err
    assert "out-of-bag score 0." in err


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_keeps_the_trees_that_are_there(jobs):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(4_000, 10)), rng.integers(2, size=4_000)

    def stop(progress):
        if progress.done >= 3 * jobs and not stopping:
            stopping.append(threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)))
            stopping[0].start()

    stopping: list[threading.Timer] = []
    model = RandomForestClassifier(n_estimators=100_000, random_state=0, n_jobs=jobs, callback=stop)
    with pytest.warns(UserWarning, match=r"interrupted: the model has \d+ of 100000 trees"):
        model.fit(X, y)
    assert 3 <= len(model) < 100_000
    whole = RandomForestClassifier(n_estimators=len(model), random_state=0).fit(X, y)
    assert model.digest() == whole.digest()
    assert model.predict(X).shape == (4_000,)


def test_ctrl_c_before_the_first_tree_leaves_the_model_as_it_was():
    model = RandomForestClassifier(n_estimators=3, random_state=0).fit(*IRIS)
    before = model.digest()
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400_000, 30)), rng.integers(2, size=400_000)
    timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.digest() == before


@pytest.mark.parametrize("rows", [900, 70_000])
def test_close_numbers_in_forests_that_draw_columns(rows):
    """Of the two columns one is constant, so that the forest's trees are those of the other alone."""
    rng = np.random.default_rng(0)
    X, y = np.zeros((rows, 2)), rng.integers(0, 3, rows)
    X[:, 0] = rng.normal(size=rows)
    given = {"value_gap": 30 / rows, "max_depth": 6}
    alone = DecisionTreeClassifier(**given).fit(X, y).tree_
    drawn = RandomForestClassifier(n_estimators=1, bootstrap=False, max_features=1, **given).fit(X, y)
    assert drawn.ensemble_.trees[0].digest() == alone.digest()
    assert DecisionTreeClassifier(**given | {"value_gap": 0.0}).fit(X, y).digest() != alone.digest()


@pytest.mark.parametrize("max_bins", [None, 300])
def test_numbers_that_are_close_stay_together_in_forests_too(max_bins):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(900, 3)), rng.integers(0, 3, 900)
    given = {"value_gap": 0.02, "max_depth": 6, "max_bins": max_bins}
    whole = {"n_estimators": 1, "bootstrap": False, "max_features": None}
    alone = DecisionTreeClassifier(**given).fit(X, y).tree_
    assert RandomForestClassifier(**whole, **given).fit(X, y).ensemble_.trees[0].digest() == alone.digest()
    assert DecisionTreeClassifier(**given | {"value_gap": 0.0}).fit(X, y).digest() != alone.digest()

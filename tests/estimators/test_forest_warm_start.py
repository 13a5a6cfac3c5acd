"""Forests that go on growing: what is said of rows out of bag holds for older trees too, or is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import bough
from bough import BoughError, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 5))
Y = RNG.integers(0, 2, 400)  # noise: whatever is right more often than by chance was seen
TWICE = np.full(400, 2)
OTHERS = {
    "balanced": ({"bootstrap": "balanced"}, {}),
    "fewer rows": ({}, {"rows": slice(300)}),
    "other rows": ({}, {"rows": np.r_[1:400, 1]}),
    "draws": ({"max_samples": 0.5}, {}),
    "no bootstrap": ({"bootstrap": False, "max_samples": 0.9}, {}),
    "copies": ({}, {"sample_weight": TWICE}),
    "weights": ({}, {"sample_weight": np.linspace(0.5, 1.7, 400)}),
}


def fitted(model, rows=slice(None), sample_weight=None):
    return model.fit(X[rows], Y[rows], sample_weight=sample_weight)


@pytest.mark.parametrize(("parameters", "data"), OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("loaded", [False, True])
def test_out_of_bag_answers_of_older_trees_with_other_bags_are_refused(parameters, data, loaded, tmp_path):
    model = fitted(RandomForestClassifier(n_estimators=10, random_state=3, warm_start=True))
    if loaded:
        model.save(tmp_path / "m.bough")
        model = bough.load(tmp_path / "m.bough")
    before = model.digest()
    for asked in ({"oob_score": True}, {"oob_score": False, "oob_patience": 5}):
        model.set_params(n_estimators=11, **parameters, **asked)
        with pytest.raises(BoughError, match="the 10 trees that are there grew on other rows") as caught:
            fitted(model, **data)
        assert "warm_start=False" in caught.value.hint
        assert model.digest() == before
    fitted(model.set_params(oob_patience=None), **data)
    assert len(model) == 11
    assert model.bags_digest_ is None
    with pytest.raises(BoughError, match="did not all grow on the same rows"):
        model.importances()
    assert "gain" in model._repr_html_()
    # Once mixed, always mixed: also with the first rows again.
    with pytest.raises(BoughError, match="grew on other rows"):
        fitted(
            model.set_params(
                n_estimators=12, bootstrap=True, max_samples=None, oob_score=True, warm_start=True
            )
        )
    fresh = fitted(model.set_params(warm_start=False, n_estimators=60))
    assert 0.4 < fresh.oob_score_ < 0.6


@pytest.mark.parametrize("kept", ["in memory", "pickled", "saved"])
def test_the_same_bags_go_on_as_if_they_had_grown_at_once(kept, tmp_path):
    given = {"n_estimators": 20, "random_state": 3}
    model = fitted(RandomForestClassifier(**given, warm_start=True))
    if kept == "pickled":
        model = pickle.loads(pickle.dumps(model))
    elif kept == "saved":
        model.save(tmp_path / "m.bough")
        model = bough.load(tmp_path / "m.bough")
    order = RNG.permutation(400)
    # Neither the order of the rows nor what decides about splits changes the bags; the seed stays.
    model.set_params(n_estimators=30, oob_score=True, random_state=8, max_depth=30)
    fitted(model, rows=order)
    at_once = fitted(RandomForestClassifier(n_estimators=30, oob_score=True, random_state=3))
    assert model.bags_digest_ == at_once.bags_digest_
    assert model.oob_score_ == at_once.oob_score_
    assert np.array_equal(model.oob_decision_function_, at_once.oob_decision_function_[order])
    assert model.importances().values == pytest.approx(at_once.importances().values, rel=1e-9)


def test_whole_weights_are_copies_of_rows_here_too():
    model = RandomForestClassifier(n_estimators=5, random_state=0, warm_start=True)
    repeated = fitted(model, rows=np.repeat(np.arange(400), 2)).bags_digest_
    assert fitted(model.set_params(n_estimators=6), sample_weight=TWICE).bags_digest_ == repeated


@pytest.mark.parametrize("forest", [RandomForestRegressor, ExtraTreesRegressor])
def test_quantiles_of_trees_that_grew_on_other_rows_are_refused(forest):
    y = X[:, 0] + X[:, 1]
    model = forest(n_estimators=5, min_samples_leaf=5, random_state=0, warm_start=True).fit(X, y)
    model.predict_quantiles(X[:3])
    model.set_params(n_estimators=8).fit(X[:300], y[:300])
    with pytest.raises(BoughError, match="did not all grow on the same rows"):
        model.predict_quantiles(X[:3])
    assert model.predict(X[:3]).shape == (3,)

"""Ctrl-C while many trees grow: one warning, of one class, that points at the user's line, for all."""

from __future__ import annotations

import signal
import warnings

import numpy as np
import pytest

import bough

X = np.random.default_rng(0).normal(size=(2_000, 6))
Y = (X[:, 0] + X[:, 1] * X[:, 2] > 0).astype(int)
GROUPS = {"group": [20] * 100}
MANY = {
    "RandomForestClassifier": {},
    "RandomForestRegressor": {},
    "ExtraTreesClassifier": {},
    "ExtraTreesRegressor": {},
    "BaggingTreesClassifier": {},
    "BaggingTreesRegressor": {},
    "AdaBoostClassifier": {},
    "AdaBoostRegressor": {},
    "GradientBoostingClassifier": {},
    "GradientBoostingRegressor": {},
    "GradientBoostingRanker": GROUPS,
}


@pytest.mark.parametrize("name", MANY)
def test_all_say_it_alike_and_keep_what_is_there(name):
    def press(progress):
        signal.raise_signal(signal.SIGINT)

    model = getattr(bough, name)(n_estimators=3_000, callback=press, random_state=0)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model.fit(X, Y, **MANY[name])
    unit = "rounds" if name.startswith("Gradient") else "trees"
    (one,) = seen
    assert one.category is UserWarning
    assert str(one.message) == f"interrupted: the model has {len(model)} of 3000 {unit}."
    assert one.filename == __file__
    assert 0 < len(model) < 3_000
    assert model.predict(X[:5]).shape == (5,)

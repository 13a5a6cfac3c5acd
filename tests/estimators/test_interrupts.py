"""Ctrl-C while many trees grow: one warning, of one class, that points at the user's line, for all."""

from __future__ import annotations

import signal
import warnings

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

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


AROUND = {
    "evaluate": lambda model: bough.evaluate(model, X, Y, cv=3, bootstrap=0),
    "compare": lambda model: bough.compare([bough.DecisionTreeClassifier(), model], X, Y, cv=3, bootstrap=0),
    "select": lambda model: bough.select(model, X, Y, {"n_estimators": [20, 21]}, cv=2),
    "learning_curve": lambda model: bough.learning_curve(model, X, Y, sizes=[0.5, 1.0], cv=2),
    "complexity_curve": lambda model: bough.complexity_curve(
        model, X, Y, parameter="n_estimators", values=[20], cv=2
    ),
    "average": lambda model: bough.WeightedAverageClassifier([("one", model)], cv=2).fit(X, Y),
    "in a pipeline": lambda model: bough.evaluate(make_pipeline(model), X, Y, cv=3, bootstrap=0),
}
KINDS = ("RandomForestClassifier", "AdaBoostClassifier", "GradientBoostingClassifier")


class Press:
    """Ctrl-C after some trees, once; copies count together."""

    def __init__(self):
        self.pressed = 0

    def __deepcopy__(self, memo):
        return self

    def __call__(self, progress):
        self.pressed += 1
        if self.pressed == 1:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("around", AROUND)
def test_where_several_models_are_fitted_it_ends_them_all(around, kind):
    press = Press()
    model = getattr(bough, kind)(n_estimators=20, callback=press, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        AROUND[around](model)
    assert press.pressed == 1  # no other was begun
    with pytest.warns(UserWarning, match="^interrupted"):  # afterwards a fit of its own keeps its trees
        model.set_params(callback=Press()).fit(X, Y)


def test_importances_of_boosted_trees_end_too():
    press = Press()
    press.pressed = 1
    model = bough.GradientBoostingClassifier(n_estimators=3, callback=press).fit(X, Y)
    press.pressed = 0
    with pytest.raises(KeyboardInterrupt):
        model.importances()
    assert press.pressed == 1


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

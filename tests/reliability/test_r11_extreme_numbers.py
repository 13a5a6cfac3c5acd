"""R11: 1e308 against 1.7e308, float64 neighbours, integers beyond 2^53, targets of +-1e200: exact or refused.

Single trees: tests/growing/test_precision.py, tests/estimators/test_bad_input.py."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bough

MODELS = {
    "tree": bough.DecisionTreeClassifier,
    "forest": lambda: bough.RandomForestClassifier(n_estimators=5, bootstrap=False),
    "boosting": lambda: bough.GradientBoostingClassifier(n_estimators=5, min_samples_leaf=1),
    "AdaBoost": lambda: bough.AdaBoostClassifier(n_estimators=5),
}
PAIRS = {
    "1e308, 1.7e308": (1e308, 1.7e308),
    "-1.7e308, 1.7e308": (-1.7e308, 1.7e308),
    "neighbours of 1": (1.0, math.nextafter(1.0, 2.0)),
    "neighbours of 1e300": (1e300, math.nextafter(1e300, math.inf)),
    "denormal": (5e-324, 1e-323),
    "0 and denormal": (0.0, 5e-324),
    "around 2^53": (float(2**53 - 1), float(2**53)),
}


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("name", MODELS)
def test_two_values_are_told_apart(name, pair):
    low, high = PAIRS[pair]
    X = np.array([[low], [high]] * 20)
    y = np.array(["low", "high"] * 20)
    model = MODELS[name]().fit(X, y)
    assert (model.predict(X) == y).all()


@pytest.mark.parametrize("name", MODELS)
def test_an_integer_that_float64_does_not_have_is_refused(name):
    X = np.array([[2**53 + 1], [1]] * 5)
    with pytest.raises(bough.BoughError, match="row 0: the integer 9007199254740993"):
        MODELS[name]().fit(X, [0, 1] * 5)


NUMBERS = {
    "tree": bough.DecisionTreeRegressor,
    "forest": lambda: bough.RandomForestRegressor(n_estimators=4, bootstrap=False),
    "boosting": lambda: bough.GradientBoostingRegressor(
        n_estimators=2, learning_rate=1.0, min_samples_leaf=1, l2_regularization=0
    ),
    "AdaBoost": lambda: bough.AdaBoostRegressor(n_estimators=3),
}


@pytest.mark.parametrize("size", [1e200, 1e-200, 1.7e308])
@pytest.mark.parametrize("name", NUMBERS)
def test_targets_of_any_size_come_back_or_are_refused(name, size):
    X = np.arange(40.0)[:, None]
    y = np.where(X[:, 0] < 20, -size, size)
    if name == "boosting" and size > 1e300:
        with pytest.raises(bough.BoughError, match="too large"):
            NUMBERS[name]().fit(X, y)
        return
    answers = NUMBERS[name]().fit(X, y).predict(X)
    np.testing.assert_allclose(answers, y, rtol=1e-9)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
@pytest.mark.parametrize("sampling", ["weights", "resample"])
def test_errors_of_adaboost_that_leave_the_range(loss, sampling):
    """One tree cannot follow these targets, so that its errors are compared: 2 x 1.7e308 is infinite."""
    X = np.arange(60.0)[:, None]
    y = np.where(np.arange(60) % 7 == 0, -1.0, 1.0) * np.where(X[:, 0] < 30, 1.0, -1.0)
    models = [
        bough.AdaBoostRegressor(
            estimator=bough.DecisionTreeRegressor(max_depth=1), n_estimators=5, loss=loss, sampling=sampling,
            random_state=0,
        ).fit(X, y * size)
        for size in (1.0, 1.7e308)
    ]  # fmt: skip
    assert len(models[0].ensemble_.trees) == len(models[1].ensemble_.trees)
    np.testing.assert_allclose(models[1].predict(X) / 1.7e308, models[0].predict(X), rtol=1e-9)

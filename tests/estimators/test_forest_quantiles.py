"""Quantiles of a forest: those of the training rows that the prediction is the mean of."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bough import RandomForestRegressor


@pytest.mark.parametrize("missing", ["learn", "stop", "surrogate", "fractional", "majority", "branch"])
@pytest.mark.parametrize("categories", ["subset", "multiway"])
def test_quantiles_are_those_of_the_rows_that_the_prediction_is_the_mean_of(missing, categories):
    rng = np.random.default_rng(1)
    n = 300
    X = pd.DataFrame({"x": rng.normal(size=n), "z": rng.normal(size=n), "c": rng.choice(list("abcdefgh"), n)})
    y = 3 * X["x"].to_numpy() + (X["c"] == "b") + rng.normal(size=n)
    X.loc[::3, "x"] = np.nan  # and none in z, so that no training row is stopped there
    model = RandomForestRegressor(
        n_estimators=8,
        min_samples_leaf=3,
        small_branches=True,
        missing=missing,
        surrogate_last="stop",
        categories=categories,
        random_state=0,
    ).fit(X, y)
    new = X[:80].copy()
    new.loc[::2, "z"] = np.nan
    new.loc[::5, "c"] = None
    # Levels in the middle of so many equal steps: their mean is nearly that of the weights.
    levels = (np.arange(4000) + 0.5) / 4000
    found = model.predict_quantiles(new, levels).mean(axis=1)
    assert np.allclose(found, model.predict(new), rtol=0, atol=0.01)
    nothing = pd.DataFrame({"x": [np.nan], "z": [np.nan], "c": [None]}).astype({"x": float, "z": float})
    assert np.isclose(model.predict_quantiles(nothing, levels).mean(), model.predict(nothing)[0], atol=0.01)


def test_quantiles_of_a_row_that_is_stopped_at_the_root():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 1))
    y = 3 * x[:, 0]
    x[::2] = np.nan
    y += 10 * np.isnan(x[:, 0])
    model = RandomForestRegressor(n_estimators=1, bootstrap=False, missing="stop", min_samples_leaf=20)
    found = model.fit(x, y).predict_quantiles([[np.nan]], [0.05, 0.5, 0.95])[0]
    assert np.array_equal(found, np.quantile(y, [0.05, 0.5, 0.95], method="inverted_cdf"))

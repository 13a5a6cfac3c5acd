"""Boosting with more categories than two bytes count, and with more histograms than memory is given to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bough import GradientBoostingClassifier, GradientBoostingRegressor


@pytest.mark.parametrize("kind", [GradientBoostingRegressor, GradientBoostingClassifier])
def test_70_000_categories(kind: Any) -> None:
    """The loss of rows held out, which are encoded, is that of the finished model's answers."""
    n = 70_000
    names, other = (
        np.array([f"c{i:05d}" for i in range(n)], dtype=object),
        np.random.default_rng(0).normal(size=n),
    )
    y = np.arange(n) % 2
    held = {"c": np.append(names[::7], ["never seen", None]), "x": np.append(other[::7], [0.0, np.nan])}
    y_held = np.append(y[::7], [0, 1])
    model = kind(n_estimators=2, min_samples_leaf=1, category_smoothing=0.0, min_category_rows=1)
    model.set_params(learning_rate=1.0, max_leaf_nodes=4)
    model.fit({"c": names, "x": other}, y, X_val=held, y_val=y_held)
    assert (np.round(model.predict({"c": names, "x": other})) == y).all()
    if kind is GradientBoostingRegressor:
        losses = 0.5 * (model.predict(held) - y_held) ** 2
    else:
        losses = -np.log(model.predict_proba(held)[np.arange(len(y_held)), y_held])
    assert model.validation_loss_[-1] == pytest.approx(losses.mean(), rel=1e-9)


def test_histograms_that_are_given_up_are_counted_again() -> None:
    """Columns and 250 copies of each: the first of those that tie is taken, so the trees are the same."""
    rng = np.random.default_rng(0)
    few = rng.normal(size=(600, 40))
    y = (few[:, 0] * few[:, 1] + np.abs(few[:, 2]) + 0.3 * rng.normal(size=600) > 0.8).astype(int)
    settings = {"n_estimators": 1, "min_samples_leaf": 1, "max_leaf_nodes": 60}
    small = GradientBoostingClassifier(**settings).fit(few, y)
    large = GradientBoostingClassifier(**settings).fit(np.tile(few, 250), y)
    for one, other in zip(small.ensemble_.trees, large.ensemble_.trees, strict=True):
        assert one.n_leaves > 20  # more than 512 MB have room for
        for name in ("feature", "threshold", "value", "n_rows"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name

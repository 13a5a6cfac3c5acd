"""Boosting within limits: monotone columns and interactions."""

import numpy as np
import pytest
from estimators.boosted import numbers

from bough import (
    BoughError,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)


@pytest.mark.parametrize("direction", [1, -1])
def test_monotone_columns_on_a_grid(direction):
    X, y = numbers(800)
    y = direction * y
    given = {"n_estimators": 30, "max_leaf_nodes": 20, "min_samples_leaf": 2}
    grid = np.linspace(0, 1, 200)
    rows = np.repeat(X[:40], len(grid), axis=0)
    rows[:, 3] = np.tile(grid, 40)
    free = np.diff(GradientBoostingRegressor(**given).fit(X, y).predict(rows).reshape(40, -1), axis=1)
    model = GradientBoostingRegressor(**given, monotonic_cst={"x3": direction}).fit(X, y)
    held = np.diff(model.predict(rows).reshape(40, -1), axis=1)
    assert (free * direction < -1e-9).any()
    assert (held * direction >= 0).all()
    labels = y > np.median(y)
    classifier = GradientBoostingClassifier(**given, monotonic_cst={"x3": direction}).fit(X, labels)
    shares = classifier.predict_proba(rows)[:, 1].reshape(40, -1)
    assert (np.diff(shares, axis=1) * direction >= 0).all()


def test_monotone_columns_of_several_classes_are_refused():
    X, y = numbers(300)
    labels = np.digitize(y, np.quantile(y, [0.3, 0.6]))
    with pytest.raises(
        BoughError, match=r"^monotonic_cst=\{'x3': 1\} is not possible in boosting with 3 classes"
    ) as told:
        GradientBoostingClassifier(n_estimators=3, monotonic_cst={"x3": 1}).fit(X, labels)
    assert "forests" in told.value.hint
    free, zero = (
        GradientBoostingClassifier(n_estimators=3, monotonic_cst=given).fit(X, labels)
        for given in (None, {"x3": 0})
    )
    assert free.digest() == zero.digest()


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("loss", ["absolute_error", "quantile", "huber"])
def test_monotone_leaves_of_medians(loss, direction):
    X, y = numbers(800)
    y = direction * y
    y[::50] += 40.0  # medians and means differ
    X[::9, 3] = np.nan
    given = {"n_estimators": 30, "max_leaf_nodes": 20, "min_samples_leaf": 2, "loss": loss, "quantile": 0.7}
    grid = np.linspace(0, 1, 200)
    rows = np.repeat(X[:40], len(grid), axis=0)
    rows[:, 3] = np.tile(grid, 40)
    free = GradientBoostingRegressor(**given).fit(X, y)
    model = GradientBoostingRegressor(**given, monotonic_cst={"x3": direction}).fit(X, y)
    assert (np.diff(free.predict(rows).reshape(40, -1), axis=1) * direction < -1e-9).any()
    assert (np.diff(model.predict(rows).reshape(40, -1), axis=1) * direction >= 0).all()
    # Not at the price of the fit: the constraint is true of the data.
    errors = [np.abs(m.predict(X) - y).mean() for m in (free, model)]
    assert errors[1] < 0.7 * np.abs(np.median(y) - y).mean()
    for tree in model.ensemble_:  # nodes above have the mean of what is below
        inner = np.flatnonzero(tree.first_child >= 0)
        below = tree.first_child[inner][:, None] + [0, 1]
        mean = (tree.weight * tree.value[:, 0])[below].sum(axis=1) / tree.weight[below].sum(axis=1)
        assert tree.value[inner, 0] == pytest.approx(mean)


def test_interactions_stay_within_their_groups():
    X, y = numbers(800)
    groups = [[0, 1], ["x2"], ["x3", "x4"]]
    model = GradientBoostingRegressor(n_estimators=30, interaction_cst=groups).fit(X, y)
    allowed = [{0, 1}, {2}, {3, 4}, {5}]
    asked = [
        {int(tree.feature[n]) for n in tree.path(leaf)[:-1]}
        for tree in model.ensemble_
        for leaf in np.flatnonzero(tree.feature < 0)
    ]
    assert all(any(columns <= group for group in allowed) for columns in asked)
    assert {0, 1} in asked
    # Without interaction, differences in one group do not depend on the other groups.
    a, b = X[:50].copy(), X[:50].copy()
    a[:, 3], b[:, 3] = 0.2, 0.8
    effect = model.predict(b) - model.predict(a)
    assert np.ptp(effect - np.array([effect[X[:50, 4].argmin()]])) > 0 or np.ptp(effect) < 1e-9
    c, d = a.copy(), b.copy()
    c[:, :3] = d[:, :3] = X[50:100, :3]
    assert model.predict(d) - model.predict(c) == pytest.approx(effect, abs=1e-9)

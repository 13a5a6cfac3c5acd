"""Boosting that goes on with early stopping: by rows that no tree has seen, or not at all."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_friedman1

import bough
from bough import (
    BoughError,
    GradientBoostingClassifier,
    GradientBoostingRanker,
    GradientBoostingRegressor,
)

X, Y = make_friedman1(600, noise=3, random_state=0)
CLASSES = np.digitize(Y, [10, 17])
MODELS = {
    "numbers": (GradientBoostingRegressor, Y, {}),
    "two classes": (GradientBoostingClassifier, CLASSES > 0, {}),
    "classes": (GradientBoostingClassifier, CLASSES, {}),
    "queries": (GradientBoostingRanker, CLASSES, {"group": [20] * 30}),
}
STOPPING = {"early_stopping": True, "random_state": 0, "n_iter_no_change": 50}


@pytest.mark.parametrize(("model", "y", "more"), MODELS.values(), ids=MODELS)
@pytest.mark.parametrize(
    ("first", "then"),
    [
        ({}, STOPPING),
        (STOPPING, STOPPING | {"random_state": 1}),
        (STOPPING, STOPPING | {"validation_fraction": 0.3}),
    ],
    ids=["all rows seen", "another seed", "another share"],
)
def test_rows_that_older_trees_have_seen_stop_nothing(model, y, more, first, then):
    made = model(n_estimators=8, warm_start=True, **first).fit(X, y, **more)
    before, rounds = made.digest(), made.n_estimators_
    made.set_params(n_estimators=20, **then)
    with pytest.raises(BoughError, match=f"the {rounds} rounds that are there have seen rows") as caught:
        made.fit(X, y, **more)
    assert "X_val" in caught.value.hint
    assert made.digest() == before
    made.set_params(warm_start=False).fit(X, y, **more)


@pytest.mark.parametrize(("model", "y", "more"), MODELS.values(), ids=MODELS)
@pytest.mark.parametrize("loaded", [False, True])
def test_the_same_rows_held_out_go_on_as_at_once(model, y, more, loaded, tmp_path):
    made = model(n_estimators=5, warm_start=True, tol=0.0, **STOPPING).fit(X, y, **more)
    if loaded:
        made.save(tmp_path / "m.bough")
        made = bough.load(tmp_path / "m.bough")
    made.set_params(n_estimators=15).fit(X, y, **more)
    at_once = model(n_estimators=15, **STOPPING).fit(X, y, **more)
    assert made.held_out_digest_ == at_once.held_out_digest_
    assert made.digest() == at_once.digest()
    assert made.validation_loss_[-1] == pytest.approx(at_once.validation_loss_[-1])
    # Once all rows were seen, none is held out any more.
    made.set_params(n_estimators=18, early_stopping=False).fit(X, y, **more)
    with pytest.raises(BoughError, match="have seen rows"):
        made.set_params(n_estimators=20, early_stopping=True).fit(X, y, **more)


def test_rows_of_the_users_own_choice_stop_a_warm_start():
    made = GradientBoostingRegressor(n_estimators=10, warm_start=True).fit(X[:400], Y[:400])
    made.set_params(n_estimators=300, early_stopping=True)
    made.fit(X[:400], Y[:400], X_val=X[400:], y_val=Y[400:])
    assert made.n_estimators_ < 300
    assert made.validation_loss_.min() > 5  # the noise alone is 9, halved 4.5
    assert made.held_out_digest_ is None

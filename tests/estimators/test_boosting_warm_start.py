"""Boosting that goes on: with the same loss, and with early stopping by rows that no tree has seen."""

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


def own(y, raw):
    return raw - y, np.ones_like(raw)


def other(y, raw):
    return np.sign(raw - y), np.ones_like(raw)


POSITIVE = np.abs(Y) + 1
LOSSES = {
    "another loss": ({"loss": "squared_error"}, {"loss": "absolute_error"}, "squared_error small.*absolute"),
    "another link": ({"loss": "squared_error"}, {"loss": "poisson"}, "squared_error small.*poisson"),
    "the same link": ({"loss": "poisson"}, {"loss": "gamma"}, "poisson small.*gamma"),
    "a quantile": (
        {"loss": "quantile", "quantile": 0.1},
        {"quantile": 0.9},
        r"quantile \(quantile=0.1\) small.*=0.9",
    ),
    "delta": ({"loss": "huber"}, {"huber_delta": 2.0}, r"huber_delta=None\).*huber_delta=2.0"),
    "power": ({"loss": "tweedie"}, {"tweedie_power": 1.1}, r"tweedie_power=1.5\).*=1.1"),
    "one's own": ({"loss": own}, {"loss": other}, "the function own small.*the function other"),
    "init": ({"init": 3.0}, {"init": 4.0}, r"init=4.0 .*began at \[3.0\]"),
    "init then": ({}, {"init": 4.0}, "init=4.0 .*began at"),
}


@pytest.mark.parametrize(("first", "then", "says"), LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("loaded", [False, True])
def test_rounds_of_two_losses_are_no_model(first, then, says, loaded, tmp_path):
    made = GradientBoostingRegressor(n_estimators=5, warm_start=True, **first).fit(X, POSITIVE)
    before = made.digest()
    if loaded:
        made.save(tmp_path / "m.bough")
        made = bough.load(tmp_path / "m.bough")
    made.set_params(n_estimators=10, **then)
    with pytest.raises(BoughError, match=says) as caught:
        made.fit(X, POSITIVE)
    assert caught.value.code == "parameter"
    assert made.digest() == before
    back = {name: getattr(GradientBoostingRegressor(), name) for name in then} | first
    made.set_params(**back).fit(X, POSITIVE)
    assert made.digest() == GradientBoostingRegressor(n_estimators=10, **first).fit(X, POSITIVE).digest()


def test_another_place_of_the_ndcg_is_another_loss():
    made = GradientBoostingRanker(n_estimators=3, warm_start=True).fit(X, CLASSES, group=[20] * 30)
    made.set_params(n_estimators=5, ndcg_at=3)
    with pytest.raises(BoughError, match=r"ndcg_at=30\).*ndcg_at=3\)"):
        made.fit(X, CLASSES, group=[20] * 30)


def test_every_tree_keeps_its_learning_rate():
    made = GradientBoostingRegressor(n_estimators=5, warm_start=True, learning_rate=0.5).fit(X, Y)
    made.set_params(n_estimators=10, learning_rate=0.1).fit(X, Y)
    assert made.ensemble_.weights.tolist() == [0.5] * 5 + [0.1] * 5
    by_hand = made.ensemble_.base[0] + sum(
        rate * tree.predict(X)
        for rate, tree in zip(made.ensemble_.weights, made.ensemble_.trees, strict=True)
    )
    np.testing.assert_allclose(made.predict(X), by_hand)


NAMED = {"a": X[:, 0], "b": X[:, 1]}
TEXT = np.where(X[:, 1] > 0.5, "x", "y")
OTHERS = {
    "a column less": ({"a": X[:, 0]}, CLASSES, 'X has no column "b"'),
    "a column more": (NAMED | {"c": X[:, 2]}, CLASSES, 'has the column "c", which is new'),
    "another order": (dict(reversed(NAMED.items())), CLASSES, "columns of X have another order"),
    "another kind": (NAMED | {"b": TEXT}, CLASSES, 'column "b" was numeric and is nominal'),
    "a class more": (NAMED, np.where(X[:, 3] > 0.9, 7, CLASSES), "y has the class 7, which is new"),
    "a class less": (NAMED, np.minimum(CLASSES, 1), "no row of y has the class 2"),
}


@pytest.mark.parametrize("kind", [GradientBoostingClassifier, bough.RandomForestClassifier])
@pytest.mark.parametrize(("data", "y", "says"), OTHERS.values(), ids=OTHERS)
def test_other_columns_and_classes_are_named(kind, data, y, says):
    made = kind(n_estimators=3, warm_start=True).fit(NAMED, CLASSES)
    with pytest.raises(BoughError, match=says):
        made.set_params(n_estimators=5).fit(data, y)


def test_other_categories_are_named():
    made = GradientBoostingClassifier(n_estimators=3, warm_start=True).fit({"t": TEXT}, CLASSES)
    with pytest.raises(BoughError, match='the column "t" has other categories'):
        made.set_params(n_estimators=5).fit({"t": np.where(X[:, 2] > 0.5, "z", TEXT)}, CLASSES)

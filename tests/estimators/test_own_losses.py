"""Boosting by a loss of the user's own: equal to the built-in one, and clear errors."""

import numpy as np
import pytest
from estimators.boosted import SMALL, mixed, numbers

from bough import (
    BoughError,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
)


def test_a_loss_of_your_own_equals_the_built_in():
    X, y = numbers(500)
    built_in = GradientBoostingRegressor(**SMALL).fit(X, y)
    own = GradientBoostingRegressor(**SMALL, loss=lambda y, raw: (raw - y, np.ones(len(y)))).fit(X, y)
    assert (own.apply(X) == built_in.apply(X)).all()
    assert own.predict(X) == pytest.approx(built_in.predict(X), rel=1e-9)

    def logistic(y, raw):
        share = 1 / (1 + np.exp(-raw))
        return share - y, share * (1 - share)

    frame, answer = mixed(500)
    built_in = GradientBoostingClassifier(**SMALL).fit(frame, answer)
    own = GradientBoostingClassifier(**SMALL, loss=logistic).fit(frame, answer)
    assert (own.apply(frame) == built_in.apply(frame)).all()
    assert own.predict_proba(frame) == pytest.approx(built_in.predict_proba(frame), rel=1e-9)


def softmax(y, raw):
    powers = np.exp(raw - raw.max(axis=1, keepdims=True))
    shares = powers / powers.sum(axis=1, keepdims=True)
    return shares - (y[:, None] == np.arange(3)), shares * (1 - shares)


@pytest.mark.parametrize("weighted", [False, True])
def test_with_a_loss_of_your_own_the_order_of_the_rows_does_not_show(weighted):
    X, y = numbers(700)
    y = y * np.exp(np.random.default_rng(0).normal(size=700) * 3)  # whose sums round
    w = np.random.default_rng(1).uniform(0.1, 3.0, 700) if weighted else None
    labels = np.digitize(y, np.quantile(y, [0.3, 0.6]))
    squared = GradientBoostingRegressor(**SMALL, loss=lambda y, raw: (raw - y, np.ones(len(y))))
    several = GradientBoostingClassifier(**SMALL, loss=softmax)
    for model, target in ((squared, y), (several, labels)):
        expected = model.fit(X, target, w).digest()
        for seed in range(5):
            order = np.random.default_rng(seed).permutation(700)
            found = model.fit(X[order], target[order], None if w is None else w[order])
            assert found.digest() == expected


def test_a_loss_of_your_own_may_write_into_what_it_is_given():
    X, y = numbers(500)

    def rude(y, raw):
        raw -= y
        y[:] = 1.0
        return raw, y

    own = GradientBoostingRegressor(**SMALL, loss=rude).fit(X, y)
    expected = GradientBoostingRegressor(**SMALL).fit(X, y).predict(X)
    assert own.predict(X) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("value", [1.0, "low", np.ones(3)])
def test_a_loss_of_your_own_whose_value_is_wrong(value):
    X, y = numbers(60)

    def squared(y, raw):
        return raw - y, np.ones(len(y))

    squared.loss = lambda y, raw: value
    with pytest.raises(BoughError, match="gives a value of shape"):
        GradientBoostingRegressor(loss=squared, early_stopping=True).fit(X, y)


def test_derivatives_may_be_lists():
    X, y = numbers(60)
    given = {"n_estimators": 3}
    arrays = GradientBoostingRegressor(loss=lambda y, raw: (raw - y, np.ones(len(y))), **given).fit(X, y)
    lists = GradientBoostingRegressor(loss=lambda y, raw: [list(raw - y), [1] * len(y)], **given).fit(X, y)
    assert lists.digest() == arrays.digest()


def test_a_loss_of_your_own_that_is_wrong():
    X, y = numbers(60)
    for loss, message in [
        (lambda y, raw: raw - y, "does not return two arrays"),
        (lambda y, raw: ((raw - y)[1:], raw), "gradient of shape"),
        (lambda y, raw: (raw - y, -np.ones(len(y))), "the hessian -1"),
        (lambda y, raw: (raw * np.nan, np.ones(len(y))), "the gradient nan"),
    ]:
        with pytest.raises(BoughError, match=message):
            GradientBoostingRegressor(loss=loss, init=0.0).fit(X, y)
    with pytest.raises(BoughError, match="no value to show or to stop by"):
        GradientBoostingRegressor(loss=lambda y, raw: (raw - y, np.ones(len(y))), early_stopping=True).fit(
            X, y
        )


def test_a_loss_that_answers_otherwise_each_time_is_told_of_the_row_that_was_wrong():
    X, y = numbers(300)
    calls = []

    def loss(y, raw):
        calls.append(len(y))
        gradient = raw - y
        if len(calls) == 4:
            gradient[17] = np.nan
        return gradient, np.ones(len(y))

    with pytest.raises(BoughError, match="row 17 has the gradient nan"):
        GradientBoostingRegressor(loss=loss, init=0.0).fit(X, y)
    assert len(calls) == 4


def test_a_loss_of_your_own_without_a_constant_is_not_blamed_on_y():
    X, y = numbers(60)
    with pytest.raises(BoughError, match="loss of your own has no finite best constant"):
        GradientBoostingRegressor(loss=lambda y, raw: (raw * np.nan, np.ones(len(y)))).fit(X, y)


def test_a_loss_of_ones_own_without_curvature_counts_rows():
    X = np.random.default_rng(0).normal(size=(300, 2))

    def flat(y, raw):
        return np.sign(raw - y), np.zeros(len(y))

    model = GradientBoostingRegressor(loss=flat, n_estimators=60).fit(X, X[:, 0])
    assert np.abs(model.predict(X) - X[:, 0]).mean() < 0.2

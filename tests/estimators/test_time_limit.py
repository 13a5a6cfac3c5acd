"""A limit of time for boosting: the rounds so far are kept, and a warning says how many."""

import warnings

import numpy as np
import pytest
from estimators.boosted import mixed, numbers

from bough import (
    BoughError,
    GradientBoostingClassifier,
    GradientBoostingRanker,
    GradientBoostingRegressor,
)


def test_the_rounds_so_far_are_the_first_of_those_that_were_wanted():
    X, y = numbers(2_000)
    with pytest.warns(UserWarning, match=r"time_limit=0.2 s is over: the model has \d+ of 1000000 rounds"):
        model = GradientBoostingRegressor(n_estimators=1_000_000, time_limit=0.2).fit(X, y)
    assert 1 <= model.n_estimators_ < 1_000_000
    assert len(model) == model.n_estimators_
    same = GradientBoostingRegressor(n_estimators=model.n_estimators_).fit(X, y)
    assert same.digest() == model.digest()


def test_the_first_round_is_grown_in_any_case_and_warm_start_goes_on():
    X, y = mixed(300)
    with pytest.warns(UserWarning, match="the model has 1 of 8 rounds"):
        model = GradientBoostingClassifier(n_estimators=8, time_limit=1e-9, warm_start=True).fit(X, y)
    assert model.n_estimators_ == 1
    with pytest.warns(UserWarning, match="the model has 1 of 8 rounds"):
        model.fit(X, y)  # there is a round already
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(time_limit=None).fit(X, y)
        in_time = GradientBoostingClassifier(n_estimators=8, time_limit=1000).fit(X, y)
    whole = GradientBoostingClassifier(n_estimators=8).fit(X, y)
    assert whole.digest() == model.digest() == in_time.digest()


def test_with_early_stopping_the_best_round_so_far_is_kept():
    X, y = numbers(500)
    given = {"n_estimators": 1_000_000, "early_stopping": True, "n_iter_no_change": 1_000_000}
    with pytest.warns(UserWarning, match="time_limit"):
        model = GradientBoostingRegressor(**given, learning_rate=0.5, time_limit=0.3).fit(X, y)
    assert model.n_estimators_ == max(1, model.validation_loss_.argmin())


def test_a_ranker_has_it_too():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = np.clip(np.round(X[:, 0] + 1), 0, 4)
    with pytest.warns(UserWarning, match="the model has 1 of 5 rounds"):
        GradientBoostingRanker(n_estimators=5, time_limit=1e-9).fit(X, y, group=[20] * 10)


@pytest.mark.parametrize("limit", [0, -1.0, "1", float("inf"), True])
def test_a_limit_is_a_number_of_seconds(limit):
    X, y = numbers(50)
    with pytest.raises(BoughError, match=r"time_limit=.* is not possible") as caught:
        GradientBoostingRegressor(time_limit=limit).fit(X, y)
    assert "seconds above 0" in str(caught.value.hint)

"""P-values by permutations: against all permutations of small tables, and in trees."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest

from bough import BoughError, ConditionalTreeClassifier, ConditionalTreeRegressor, _core

TIMES = 20_000
NO_WEIGHTS = np.empty(0)


def target_of(y, classes):
    if classes:
        return _core.class_target(np.array(y, dtype=np.int32), classes, NO_WEIGHTS)
    return _core.number_target(np.array(y, dtype=float), NO_WEIGHTS)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("categories", [0, 3])
def test_all_orders_of_a_small_table(categories, classes, seed):
    """The statistic of every order of the target is computed by the test itself, not by what draws."""
    rng = np.random.default_rng([seed, classes, categories])
    x = (rng.integers(0, categories, 7) if categories else rng.normal(size=7).round(1)).astype(float)
    y = rng.integers(0, classes, 7) if classes else rng.normal(size=7).round(1) * 1e5
    x = np.append(x, np.nan)  # a row without a value has no part
    statistics = np.array(
        [_core.association(x, categories, target_of([*order, y[0]], classes))[0] for order in permutations(y)]
    )
    exact = np.mean(statistics >= statistics[0] * (1 - 1e-9))  # the first is the order as it is
    found = math.exp(_core.resampled_log_p(x, categories, target_of([*y, y[0]], classes), TIMES, 1))
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / TIMES) + 1 / TIMES)
    again = math.exp(_core.resampled_log_p(x, categories, target_of([*y, y[0]], classes), TIMES, 1))
    assert again == found


def table(seed):
    rng = np.random.default_rng(seed)
    X = {
        "a": rng.normal(size=120),
        "b": [f"k{v}" for v in rng.integers(0, 4, 120)],
        "c": np.where(rng.random(120) < 0.1, np.nan, rng.normal(size=120)),
    }
    return X, X["a"] + (np.array(X["b"]) == "k1") + rng.normal(size=120)


@pytest.mark.parametrize("seed", range(3))
def test_a_tree_depends_on_the_seed_alone(seed):
    X, y = table(seed)
    drawn = {"p_values": "monte_carlo", "resamples": 499}
    for kind, target in ((ConditionalTreeRegressor, y), (ConditionalTreeClassifier, y > 0)):
        one, two = (kind(**drawn, random_state=0, n_jobs=n).fit(X, target).digest() for n in (1, 2))
        assert one == two
        assert kind(**drawn, random_state=0).fit(X, target).tree_.root.column == "a"


def test_a_p_value_is_no_smaller_than_the_orders_that_were_drawn():
    X, y = table(0)
    model = ConditionalTreeRegressor(p_values="monte_carlo", resamples=199, random_state=0)
    assert model.fit(X, y).get_n_leaves() > 1
    with pytest.warns(UserWarning, match="reach no p-value below 0.15"):  # 3 columns: 1 - (1 - 1/19)^3
        model.set_params(resamples=18).fit(X, y)
    assert model.get_n_leaves() == 1


def test_what_cannot_be_permuted_is_refused():
    X, y = table(0)
    for settings in ({"choice": "gain"}, {"missing": "fractional"}, {"resamples": 0}):
        with pytest.raises(BoughError, match=r"p_values|missing|resamples"):
            ConditionalTreeRegressor(**{"p_values": "monte_carlo"} | settings).fit(X, y)
    with pytest.raises(BoughError, match="differ in weight"):
        ConditionalTreeRegressor(p_values="monte_carlo").fit(X, y, sample_weight=1.0 + (y > 0))

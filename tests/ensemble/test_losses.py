"""Losses of boosting: derivatives against differences, leaves and first constants against minimisation."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import bough
from bough import BoughError
from bough.ensemble import losses

RNG = np.random.default_rng(3)
N = 40
NUMBERS = RNG.gamma(2.0, size=N) + 0.1
LOSSES = {
    "squared": (losses.Squared(), RNG.normal(size=N)),
    "absolute": (losses.Absolute(), RNG.normal(size=N)),
    "quantile": (losses.Quantile(0.3), RNG.normal(size=N)),
    "huber": (losses.Huber(0.8), RNG.normal(size=N)),
    "poisson": (losses.Poisson(), RNG.poisson(2.0, size=N).astype(float)),
    "gamma": (losses.Gamma(), NUMBERS),
    "tweedie": (losses.Tweedie(1.3), NUMBERS * (RNG.uniform(size=N) < 0.5)),
    "logistic": (losses.Logistic(), RNG.integers(2, size=N).astype(float)),
    "softmax": (losses.Softmax(4), RNG.integers(4, size=N)),
}
CURVED = ("squared", "gamma", "tweedie", "logistic", "softmax")
STEP = 1e-5


def derivatives(loss, y, raw):
    gradient, hessian = np.full_like(raw, np.nan), np.full_like(raw, np.nan)
    loss.derivatives(y, raw, gradient, hessian)
    return gradient, np.ones_like(raw) if loss.unit_hessian else hessian


@pytest.mark.parametrize("name", LOSSES)
def test_derivatives_are_the_differences(name):
    loss, y = LOSSES[name]
    raw = RNG.normal(size=(loss.n_outputs, N))
    gradient, hessian = derivatives(loss, y, raw)
    for k in range(loss.n_outputs):
        up, down = raw.copy(), raw.copy()
        up[k] += STEP
        down[k] -= STEP
        slope = (loss.rows(y, up) - loss.rows(y, down)) / (2 * STEP)
        assert gradient[k] == pytest.approx(slope, rel=1e-5, abs=1e-6)
        if name in CURVED:
            curve = (derivatives(loss, y, up)[0][k] - derivatives(loss, y, down)[0][k]) / (2 * STEP)
            assert hessian[k] == pytest.approx(curve, rel=1e-5, abs=1e-6)
        elif name != "poisson":
            assert (hessian == 1).all()


def test_the_curvature_of_counts_is_the_largest_on_the_way_to_the_best_value_of_the_row():
    loss, y = LOSSES["poisson"]
    raw = RNG.normal(scale=2.0, size=(1, N))
    hessian = derivatives(loss, y, raw)[1][0]
    best = np.where(y > 0, np.log(np.maximum(y, 1e-300)), raw[0] - 5.0)
    slopes = []
    for share in np.linspace(0.0, 1.0, 101):
        at = raw + share * (best - raw)
        up, down = (derivatives(loss, y, at + step)[0][0] for step in (STEP, -STEP))
        slopes.append((up - down) / (2 * STEP))
    assert hessian == pytest.approx(np.max(slopes, axis=0), rel=1e-4)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", [name for name in LOSSES if name != "softmax"])
def test_the_first_constant_is_the_best(name, weighted):
    loss, y = LOSSES[name]
    w = RNG.uniform(0.1, 2.0, size=N) if weighted else None
    start = loss.initial(y, w)[0]
    at = lambda c: loss.mean(y, np.full((1, N), c), w)  # noqa: E731
    best = minimize_scalar(at, bracket=(start - 1, start + 1.1), tol=1e-10)
    assert at(start) <= best.fun + 1e-9


def test_means_of_the_largest_numbers_do_not_depend_on_the_order():
    y, w = np.array([1.7e308, -1.7e308, 1.0, 2.0]), np.array([2.0, 2.0, 1.0, 1.0])
    large = np.array([1.7e308, 1.7e308, -1.7e308, -1.7e308, 3.0])
    for order in itertools.permutations(range(4)):
        assert losses.exact_mean(y[list(order)], w[list(order)]) == 0.5
    for order in itertools.permutations(range(5)):
        assert losses.exact_mean(large[list(order)], None) == 3.0 / 5
    assert losses.exact_mean(np.full(3, 1.7e308), np.array([0.1, 0.7, 1e308])) == 1.7e308
    assert losses.exact_mean(np.array([5e-324, 5e-324]), None) == 5e-324
    assert np.isnan(losses.exact_mean(np.array([np.inf, -np.inf]), None))
    usual, heavy = RNG.normal(size=99), RNG.uniform(size=99)  # the same bits as without the powers of two
    assert losses.exact_mean(usual, heavy) == math.fsum(usual * heavy) / math.fsum(heavy)


def test_the_first_constants_of_several_classes_are_their_log_shares():
    loss, y = LOSSES["softmax"]
    shares = np.bincount(y, minlength=4) / N
    assert np.exp(loss.initial(y, None)) == pytest.approx(shares)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["absolute", "quantile", "huber"])
def test_leaves_are_exact_minimisers(name, weighted):
    loss, _ = LOSSES[name]
    for n in (1, 2, 3, 7, 50):
        rest = np.round(RNG.normal(size=n), 1) * RNG.choice([1.0, 30.0], size=n)
        w = RNG.uniform(0.1, 2.0, size=n) if weighted else None
        value = loss.leaf(rest, w)
        at = lambda c: loss.mean(rest, np.full((1, len(rest)), c), w)  # noqa: B023, E731
        # Convex, with bends at the rows and delta from them: the minimum is at a bend or where Huber is flat.
        grid = np.concatenate([rest, rest - 0.8, rest + 0.8, np.linspace(rest.min(), rest.max(), 2001)])
        assert at(value) <= min(map(at, grid)) + 1e-12


def test_a_weight_of_two_is_a_row_twice():
    rest, w = RNG.normal(size=30), RNG.integers(1, 4, size=30)
    twice = np.repeat(rest, w)
    for share in (0.1, 0.5, 0.77):
        weighted = losses.weighted_quantile(rest, w.astype(float), share)
        assert weighted == losses.weighted_quantile(twice, None, share)
    assert losses.weighted_quantile(twice, None, 0.5) == np.median(twice)
    assert losses.huber_centre(rest, w.astype(float), 0.5) == pytest.approx(
        losses.huber_centre(twice, None, 0.5)
    )


def test_huber_learns_its_delta():
    loss = losses.Huber()
    y = np.arange(101.0)
    loss.initial(y, None)
    assert loss.delta == pytest.approx(45.0, abs=1.0)


@pytest.mark.parametrize(("loss", "y"), [(losses.Poisson(), [-1.0, 2.0]), (losses.Gamma(), [0.0, 1.0])])
def test_targets_that_a_loss_cannot_have(loss, y):
    with pytest.raises(BoughError, match="in row 0"):
        loss.check(np.array(y))


def test_only_zeros_have_no_rate():
    with pytest.raises(BoughError, match="0 in every row"):
        losses.Tweedie().check(np.zeros(3))


@pytest.mark.parametrize(
    ("make", "given"),
    [(losses.Quantile, 1.0), (losses.Tweedie, 2.0), (losses.Huber, 0.0), (losses.Huber, "x")],
)
def test_parameters_out_of_range(make, given):
    with pytest.raises(BoughError, match="is not possible"):
        make(given)


@pytest.mark.parametrize("threads", [1, 3])
def test_log_losses_of_the_core_are_those_of_numpy(threads):
    rng = np.random.default_rng(3)
    n = 9000
    raw = rng.normal(scale=6.0, size=(4, n))
    gradient, hessian = np.empty_like(raw), np.empty_like(raw)
    loss = losses.class_loss(4)
    loss.threads = threads
    y = rng.integers(4, size=n)
    loss.derivatives(y, raw, gradient, hessian)
    shares = np.exp(raw - raw.max(axis=0))
    shares /= shares.sum(axis=0)
    np.testing.assert_allclose(gradient, shares - (y == np.arange(4)[:, None]), rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(hessian, shares - shares * shares, rtol=1e-13, atol=1e-16)
    loss = losses.class_loss(2)
    loss.threads = threads
    loss.derivatives(y % 2, raw[:1], gradient[:1], hessian[:1])
    share = 1.0 / (1.0 + np.exp(-raw[0]))
    np.testing.assert_allclose(gradient[0], share - y % 2, rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(hessian[0], share - share * share, rtol=1e-13, atol=1e-16)


def test_quantiles_of_rows_that_all_count_once():
    rng = np.random.default_rng(6)
    for n in (1, 2, 3, 4, 10, 33, 100):
        values = np.round(rng.normal(size=n), 1)
        for share in (0.01, 0.1, 0.25, 0.3, 0.5, 0.7, 0.9, 0.99):
            assert losses.weighted_quantile(values, None, share) == losses.weighted_quantile(
                values, np.ones(n), share
            )


def test_names_of_other_programs_are_understood():
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    with pytest.raises(bough.BoughError, match='Did you mean "entropy"') as error:
        bough.DecisionTreeClassifier(criterion="log_loss").fit(X, y)
    assert error.value.hint.endswith(", or a function of your own.")
    with pytest.raises(bough.BoughError, match='Did you mean "squared_error"') as error:
        bough.GradientBoostingRegressor(loss="mse").fit(X, y)
    assert error.value.hint.endswith(", or a function of your own.")
    with pytest.raises(bough.BoughError, match=r'loss="gamma" needs numbers above 0\.'):
        bough.GradientBoostingRegressor(loss="gamma").fit(X, y)
    with pytest.raises(bough.BoughError, match=r'loss="poisson" needs numbers from 0 up\.'):
        bough.GradientBoostingRegressor(loss="poisson").fit(X, y - 1.0)

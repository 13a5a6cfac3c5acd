"""What boosting makes small: one class for each loss, with its first and second derivative."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.errors import BoughError
from bough.growing.settings import is_finite_number, wrong

Floats = NDArray[np.float64]

MOST_BYTES = 256  # classes whose numbers are bytes
SMALLEST_SHARE = 1e-15  # of a class, so that its logarithm is a number


class Loss:
    """`raw` are the sums of trees, outputs by rows; y is class numbers or numbers. All losses are means over
    rows by weight `w` (None: all 1); derivatives are of one row's loss, without its weight."""

    link: ClassVar[str] = "identity"
    unit_hessian: ClassVar[bool] = False  # every second derivative is 1
    own_leaves: ClassVar[bool] = False  # Newton's step is not the best value of a leaf
    n_outputs: int = 1
    threads: int = 1  # that the derivatives may use
    log_loss: bool = False  # the core makes the derivatives itself, from `sums`, while a tree grows

    def check(self, y: Floats) -> None:
        """An error unless the loss is defined for these targets."""

    def initial(self, y: Any, w: Floats | None) -> Floats:
        """The best constant for each output."""
        raise NotImplementedError

    def derivatives(self, y: Any, raw: Floats, gradient: Floats, hessian: Floats) -> None:
        """Writes both, outputs by rows; with `unit_hessian` only the first."""
        raise NotImplementedError

    def sums(self, raw: Floats, room: Floats | None) -> Floats:
        """What the core makes the derivatives from, with `log_loss`; it may stand in the room of the last
        time."""
        raise NotImplementedError

    def rows(self, y: Any, raw: Floats) -> Floats:
        """The loss of each row."""
        raise NotImplementedError

    def mean(self, y: Any, raw: Floats, w: Floats | None) -> float:
        return float(np.average(self.rows(y, raw), weights=w))

    def leaf(self, residual: Floats, w: Floats | None) -> float:
        """The best number to add in a leaf, with `own_leaves`; residual is y - raw."""
        raise NotImplementedError


class Squared(Loss):
    """Half the squared error: the mean."""

    unit_hessian = True

    def initial(self, y: Any, w: Floats | None) -> Floats:
        return np.array([exact_mean(y, w)])

    def derivatives(self, y: Any, raw: Floats, gradient: Floats, hessian: Floats) -> None:
        np.subtract(raw[0], y, out=gradient[0])

    def rows(self, y: Any, raw: Floats) -> Floats:
        squared: Floats = 0.5 * (raw[0] - y) ** 2
        return squared


class Quantile(Loss):
    """The pinball loss: the quantile `share` of y."""

    unit_hessian = True
    own_leaves = True

    def __init__(self, share: float = 0.5) -> None:
        if not is_finite_number(share) or not 0 < share < 1:
            raise wrong("quantile", share, "a number between 0 and 1")
        self.share = float(share)

    def initial(self, y: Any, w: Floats | None) -> Floats:
        return np.array([weighted_quantile(y, w, self.share)])

    def derivatives(self, y: Any, raw: Floats, gradient: Floats, hessian: Floats) -> None:
        np.subtract(raw[0] > y, self.share, out=gradient[0])

    def rows(self, y: Any, raw: Floats) -> Floats:
        rest = y - raw[0]
        pinball: Floats = np.maximum(self.share * rest, (self.share - 1.0) * rest)
        return pinball

    def leaf(self, residual: Floats, w: Floats | None) -> float:
        return weighted_quantile(residual, w, self.share)


class Absolute(Quantile):
    """The absolute error: the median."""

    def __init__(self) -> None:
        super().__init__(0.5)

    def derivatives(self, y: Any, raw: Floats, gradient: Floats, hessian: Floats) -> None:
        np.sign(raw[0] - y, out=gradient[0])

    def rows(self, y: Any, raw: Floats) -> Floats:
        absolute: Floats = np.abs(raw[0] - y)
        return absolute


class Huber(Loss):
    """Squared up to `delta` from the answer, absolute beyond it. None: what nine in ten of the rows are
    closer to the median than. Rows beyond delta have no curvature of their own and count like the others."""

    unit_hessian = True
    own_leaves = True

    def __init__(self, delta: float | None = None) -> None:
        if delta is not None and (not is_finite_number(delta) or delta <= 0):
            raise wrong("huber_delta", delta, "a number above 0, or None")
        self.delta = delta

    def initial(self, y: Any, w: Floats | None) -> Floats:
        if self.delta is None:
            distance = np.abs(y - weighted_quantile(y, w, 0.5))
            self.delta = weighted_quantile(distance, w, 0.9) or float(distance.max()) or 1.0
        return np.array([huber_centre(y, w, self.delta)])

    def derivatives(self, y: Any, raw: Floats, gradient: Floats, hessian: Floats) -> None:
        assert self.delta is not None
        np.clip(raw[0] - y, -self.delta, self.delta, out=gradient[0])

    def rows(self, y: Any, raw: Floats) -> Floats:
        assert self.delta is not None
        rest = np.abs(raw[0] - y)
        inside = np.minimum(rest, self.delta)
        huber: Floats = inside * (rest - 0.5 * inside)
        return huber

    def leaf(self, residual: Floats, w: Floats | None) -> float:
        assert self.delta is not None
        return huber_centre(residual, w, self.delta)


def exact_mean(y: Any, w: Floats | None) -> float:
    """Of exact sums, which the order of the rows does not change. Powers of two first bring the largest
    number below 2^900 and the largest weight below 1, so that no sum is too large. NaN unless all numbers
    are finite.

    >>> exact_mean(np.array([1.7e308, -1.7e308, 1.0, 2.0]), np.array([2.0, 2.0, 1.0, 1.0]))
    0.5
    """
    top, exponent = math.frexp(max(float(y.max()), -float(y.min())))
    if not math.isfinite(top):
        return math.nan
    if w is None and whole_and_small(y, exponent):
        return float(y.sum()) / len(y)
    exponent -= 900
    top, scaled = math.ldexp(top, 900), np.ldexp(y, -exponent)
    if w is None:
        mean = math.fsum(scaled) / len(scaled)
    else:
        light = np.ldexp(w, -math.frexp(w.max())[1])
        mean = math.fsum(scaled * light) / math.fsum(light)
    return math.ldexp(min(max(mean, -top), top), exponent)


def whole_and_small(y: Any, exponent: int, block: int = 65_536) -> bool:
    """Whether float64 has all sums of these numbers, because they are whole. None reaches 2^exponent. By
    blocks: an array of their size would be fresh memory."""
    if exponent + len(y).bit_length() > 53:
        return False
    return all((np.rint(part) == part).all() for part in np.split(y, range(block, len(y), block)))


def _exp(x: Floats) -> Floats:
    """With the same bits on every machine, unlike NumPy's, because trees grow from it."""
    powers = np.array(x)
    _core.exponential(powers)
    return powers


class Poisson(Loss):
    """Counts: the logarithm of the mean, less what depends on y alone.

    A Newton step upwards by the curvature where it begins goes far beyond the best value, so the second
    derivative is the largest one between the sum of the trees and the row's own best, log y.
    docs/boosting.md has what that brings."""

    link = "exp"

    def check(self, y: Floats) -> None:
        _check_sign(y, y >= 0, "poisson", "from 0 up")
        _check_some(y, "poisson")

    def initial(self, y: Any, w: Floats | None) -> Floats:
        return np.log([exact_mean(y, w)])

    def derivatives(self, y: Any, raw: Floats, gradient: Floats, hessian: Floats) -> None:
        hessian[0] = _exp(raw[0])
        np.subtract(hessian[0], y, out=gradient[0])
        np.maximum(hessian[0], y, out=hessian[0])

    def rows(self, y: Any, raw: Floats) -> Floats:
        rows: Floats = np.exp(raw[0]) - y * raw[0]
        return rows


class Gamma(Loss):
    """Positive numbers whose deviation grows with them."""

    link = "exp"

    def check(self, y: Floats) -> None:
        _check_sign(y, y > 0, "gamma", "above 0")

    def initial(self, y: Any, w: Floats | None) -> Floats:
        return np.log([exact_mean(y, w)])

    def derivatives(self, y: Any, raw: Floats, gradient: Floats, hessian: Floats) -> None:
        np.multiply(_exp(-raw[0]), y, out=hessian[0])
        np.subtract(1.0, hessian[0], out=gradient[0])

    def rows(self, y: Any, raw: Floats) -> Floats:
        rows: Floats = raw[0] + y * np.exp(-raw[0])
        return rows


class Tweedie(Loss):
    """Many zeros and positive numbers; `power` between 1 (Poisson) and 2 (Gamma)."""

    link = "exp"

    def __init__(self, power: float = 1.5) -> None:
        if not is_finite_number(power) or not 1 < power < 2:
            raise wrong("tweedie_power", power, "a number between 1 and 2")
        self.power = float(power)

    def check(self, y: Floats) -> None:
        _check_sign(y, y >= 0, "tweedie", "from 0 up")
        _check_some(y, "tweedie")

    def initial(self, y: Any, w: Floats | None) -> Floats:
        return np.log([exact_mean(y, w)])

    def derivatives(self, y: Any, raw: Floats, gradient: Floats, hessian: Floats) -> None:
        low, high = 1.0 - self.power, 2.0 - self.power
        event, size = y * _exp(low * raw[0]), _exp(high * raw[0])
        np.subtract(size, event, out=gradient[0])
        np.subtract(high * size, low * event, out=hessian[0])

    def rows(self, y: Any, raw: Floats) -> Floats:
        low, high = 1.0 - self.power, 2.0 - self.power
        rows: Floats = np.exp(high * raw[0]) / high - y * np.exp(low * raw[0]) / low
        return rows


class Logistic(Loss):
    """Log loss of two classes; the raw output is the log odds of the second."""

    link = "logistic"
    log_loss = True

    def sums(self, raw: Floats, room: Floats | None) -> Floats:
        return raw

    def initial(self, y: Any, w: Floats | None) -> Floats:
        mean = exact_mean(np.asarray(y, dtype=np.float64), w)
        share = np.clip(mean, SMALLEST_SHARE, 1.0 - SMALLEST_SHARE)
        return np.array([np.log(share) - np.log1p(-share)])

    def derivatives(self, y: Any, raw: Floats, gradient: Floats, hessian: Floats) -> None:
        _core.logistic_derivatives(
            np.asarray(y, dtype=np.float64), raw[0], gradient[0], hessian[0], self.threads
        )

    def rows(self, y: Any, raw: Floats) -> Floats:
        rows: Floats = np.logaddexp(0.0, raw[0]) - y * raw[0]
        return rows


class Softmax(Loss):
    """Log loss of several classes; one raw output for each."""

    link = "softmax"

    def __init__(self, n_classes: int) -> None:
        self.n_outputs = n_classes
        self.log_loss = 1 < n_classes <= MOST_BYTES  # the core has a byte for a class

    def sums(self, raw: Floats, room: Floats | None) -> Floats:
        """The shares."""
        shares = np.empty_like(raw) if room is None else room
        _core.softmax_shares(raw, shares, self.threads)
        return shares

    def initial(self, y: Any, w: Floats | None) -> Floats:
        total = np.bincount(y, minlength=self.n_outputs)
        if w is not None:
            total = np.array([math.fsum(w[y == k]) for k in range(self.n_outputs)])
        shares: Floats = np.log(np.maximum(total / total.sum(), SMALLEST_SHARE))
        return shares

    def derivatives(self, y: Any, raw: Floats, gradient: Floats, hessian: Floats) -> None:
        _core.softmax_derivatives(np.asarray(y, dtype=np.int64), raw, gradient, hessian, self.threads)

    def rows(self, y: Any, raw: Floats) -> Floats:
        top = raw.max(axis=0)
        rows: Floats = np.log(np.exp(raw - top).sum(axis=0)) + top - raw[y, np.arange(len(y))]
        return rows


REGRESSION: dict[str, Callable[..., Loss]] = {
    "squared_error": lambda **_: Squared(),
    "absolute_error": lambda **_: Absolute(),
    "huber": lambda huber_delta, **_: Huber(huber_delta),
    "quantile": lambda quantile, **_: Quantile(quantile),
    "poisson": lambda **_: Poisson(),
    "gamma": lambda **_: Gamma(),
    "tweedie": lambda tweedie_power, **_: Tweedie(tweedie_power),
}


def class_loss(n_classes: int) -> Loss:
    return Logistic() if n_classes == 2 else Softmax(n_classes)


def weighted_quantile(values: Floats, w: Floats | None, share: float) -> float:
    """The number that this share of the weight lies below; between two of them, the middle.

    >>> weighted_quantile(np.array([1.0, 2.0, 4.0, 9.0]), None, 0.5)
    3.0
    """
    if w is None:  # without a full sort: boosting asks for every leaf
        wanted, n = share * len(values), len(values)
        place = min(max(math.ceil(wanted * (1.0 - 1e-12)), 1), n) - 1
        both = place + 1 < n and place + 1 <= wanted * (1.0 + 1e-12)
        parted = np.partition(values, [place, place + 1] if both else place)
        return float(0.5 * (parted[place] + parted[place + 1]) if both else parted[place])
    order = np.lexsort((w, values))  # by weight, too: the order of the rows must not show in a sum
    reached = np.cumsum(w[order])
    wanted = share * reached[-1]
    place = min(int(np.searchsorted(reached, wanted * (1.0 - 1e-12))), len(values) - 1)
    here = values[order[place]]
    if reached[place] <= wanted * (1.0 + 1e-12) and place + 1 < len(values):
        return float(0.5 * (here + values[order[place + 1]]))
    return float(here)


def huber_centre(values: Floats, w: Floats | None, delta: float) -> float:
    """The number with the smallest Huber loss: where the clipped distances cancel.

    >>> huber_centre(np.array([0.0, 1.0, 50.0]), None, 2.0)
    1.5
    """
    weight = np.ones(len(values)) if w is None else w
    # The sum of clipped distances is piecewise linear in the centre, with a bend at each of these.
    bends = np.concatenate([values - delta, values + delta])
    change = np.concatenate([weight, -weight])
    order = np.lexsort((change, bends))
    bends, change = bends[order], change[order]
    slope = np.cumsum(change)[:-1]
    pull = np.concatenate([[0.0], np.cumsum(slope * np.diff(bends))]) - delta * math.fsum(weight)
    after = int(np.searchsorted(pull, 0.0))
    if after == 0:
        return float(bends[0])
    after = min(after, len(bends) - 1)
    rise = pull[after] - pull[after - 1]
    if rise <= 0:
        return float(bends[after])
    return float(bends[after - 1] - pull[after - 1] * (bends[after] - bends[after - 1]) / rise)


def _check_sign(y: Floats, good: NDArray[np.bool_], name: str, allowed: str) -> None:
    if not good.all():
        row = int((~good).argmax())
        raise BoughError(
            f'the target y is {y[row]:g} in row {row}; loss="{name}" needs numbers {allowed}.',
            code="target",
            hint='Use loss="squared_error".',
        )


def _check_some(y: Floats, name: str) -> None:
    if not y.any():
        raise BoughError(
            f'the target y is 0 in every row; loss="{name}" needs a row above 0.',
            code="target",
            hint="Was the data filtered?",
        )

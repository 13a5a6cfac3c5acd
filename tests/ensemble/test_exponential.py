"""Exponentials that trees grow from: right to the last place, alone and in any company, on every machine."""

import math
from fractions import Fraction

import numpy as np
import pytest

from bough import _core


def powers(x):
    given = np.array(x, dtype=float)
    _core.exponential(given)
    return given


def exact(x):
    """e^x to 40 places and more, by whole numbers: the series of x / 2^k, squared k times."""
    k = 12
    small, term, total = Fraction(x) / 2**k, Fraction(1), Fraction(1)
    for n in range(1, 25):
        term = term * small / n
        total += term
    bits = 400
    scaled = int(total * 2**bits)
    for _ in range(k):
        scaled = scaled * scaled >> bits
    return Fraction(scaled, 2**bits)


def test_error_below_one_unit_in_the_last_place():
    x = np.random.default_rng(1).uniform(-30, 30, size=300)
    for given, power in zip(x, powers(x), strict=True):
        unit = Fraction(math.ulp(power))
        assert abs(Fraction(power) - exact(given)) < unit


def test_the_ends():
    x = [0.0, -0.0, 709.7827, 709.79, 1e300, math.inf, -745.13, -745.2, -1e300, -math.inf, -720.0]
    tiny = math.ulp(0.0)
    assert powers(x).tolist() == [
        *(1.0, 1.0, pytest.approx(math.exp(709.7827)), math.inf, math.inf, math.inf),
        *(tiny, 0.0, 0.0, 0.0, pytest.approx(math.exp(-720.0))),
    ]
    assert np.isnan(powers([math.nan, 1.0])).tolist() == [True, False]


def test_neighbours_change_nothing():
    x = np.random.default_rng(2).normal(scale=5, size=1001)
    assert np.array_equal(powers(x), [powers([one])[0] for one in x])


# Written down once: a machine, a compiler or a set of instructions that gives others grows other trees.
BITS = {
    1.0: "0x1.5bf0a8b14576ap+1",
    -1.0: "0x1.78b56362cef38p-2",
    0.1: "0x1.1aec7b35a00d4p+0",
    20.5: "0x1.7d6c4f0bcdd5cp+29",
    -0.7: "0x1.fc80db9dd5542p-2",
    300.25: "0x1.1fda3eaeb3d0ep+433",
}


def test_these_bits_on_every_machine():
    assert [value.hex() for value in powers(list(BITS)).tolist()] == list(BITS.values())

"""How sure a figure is: Wilson's interval of a share, and the bootstrap over rows for everything else."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bough.errors import BoughError
from bough.explain.interval import wilson as wilson_of_hits

Floats = NDArray[np.float64]

MOST_CELLS = 4_000_000  # of one block of resampled rows: 32 MB


def wilson(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share of n rows; NaN where there are none.

    >>> low, high = wilson(0.1, 10)
    >>> round(low, 4), round(high, 4)
    (0.0179, 0.4042)
    """
    if n <= 0 or not math.isfinite(share):
        return math.nan, math.nan
    return wilson_of_hits(share * n, n, level)


def check_level(level: float) -> None:
    if not 0 < level < 1:
        raise BoughError(
            f"level={level!r} is not possible.", code="parameter", hint="level is a share, such as 0.95."
        )


def resampled(weights: Floats, times: int, seed: int) -> Iterator[Floats]:
    """Blocks of weights, samples by rows: each sample draws as many rows as there are, with replacement."""
    n = len(weights)
    random = np.random.default_rng(seed)
    left = times
    while left > 0:
        block = min(left, max(1, MOST_CELLS // n))
        drawn = random.integers(0, n, size=(block, n))
        drawn += np.arange(block)[:, None] * n
        counts = np.bincount(drawn.ravel(), minlength=block * n).reshape(block, n)
        yield counts * weights
        left -= block


def percentiles(values: Floats, level: float) -> tuple[float, float]:
    """The middle `level` of the resampled figures; samples without the figure do not count."""
    known = values[np.isfinite(values)]
    if not known.size:
        return math.nan, math.nan
    low, high = np.quantile(known, [0.5 - level / 2, 0.5 + level / 2])
    return float(low), float(high)

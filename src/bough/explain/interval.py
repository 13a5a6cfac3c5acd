"""95 % intervals: Wilson's for a share, Student's for a mean."""

from __future__ import annotations

import math
from statistics import NormalDist


def wilson(hits: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """The interval of a share, from so many hits among n.

    >>> tuple(round(x, 4) for x in wilson(423, 488))
    (0.8338, 0.8941)
    """
    if n <= 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share, zz = hits / n, z * z / n
    middle = (share + zz / 2) / (1 + zz)
    half = z / (1 + zz) * math.sqrt(max(share * (1 - share) / n + zz / (4 * n), 0.0))
    # At the ends the formula gives 0 and 1 up to rounding.
    low = 0.0 if hits <= 0 else max(middle - half, 0.0)
    return low, 1.0 if hits >= n else min(middle + half, 1.0)


def mean_interval(mean: float, sd: float, n: float) -> tuple[float, float]:
    """The interval of the mean of n numbers with this standard deviation (divided by n).

    >>> tuple(round(x, 3) for x in mean_interval(10.0, 2.0, 16))
    (8.899, 11.101)
    """
    if n < 2:
        return -math.inf, math.inf
    from scipy.special import stdtrit  # a fifth of a second that classes need not pay

    half = float(stdtrit(n - 1, 0.975)) * sd / math.sqrt(n - 1)
    return mean - half, mean + half

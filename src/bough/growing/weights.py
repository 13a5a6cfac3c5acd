"""Sample weights of a size that the core's products of weights and numbers have room for."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bough.errors import BoughError
from bough.growing.settings import Settings

MODERATE = 64  # the largest weight lies within 2^-64 … 2^64


def moderate(
    weights: NDArray[np.float64] | None, settings: Settings, numbers: bool
) -> tuple[NDArray[np.float64] | None, Settings, float]:
    """Weights, settings for them, and the power of two that they were multiplied by. `numbers`: the target is
    one; classes are only counted, and do with any size."""
    if weights is None or not numbers:
        return weights, settings, 1.0
    power = math.frexp(float(weights.max()))[1]
    if abs(power) <= MODERATE:
        return weights, settings, 1.0
    if settings.choice == "significance" or settings.significance_level is not None:
        raise BoughError(
            f"the largest sample weight is {weights.max():g}, and a test of significance takes weights as "
            "numbers of rows.",
            code="weights",
            hint="Divide all of them by their mean.",
        )
    scale = math.ldexp(1.0, -power)
    least = float(settings.min_weight_leaf) * scale
    return np.ldexp(weights, -power), replace(settings, min_weight_leaf=min(least, 1e300)), scale

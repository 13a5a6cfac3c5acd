"""Which number stands between two neighbouring values: the midpoint, a value of the data, a short one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bough import _core
from bough.data.table import Table

_THRESHOLD = int(_core.SplitKind.threshold.value)


def place_thresholds(arrays: dict[str, Any], table: Table, rule: str) -> None:
    """Moves the midpoints in the arrays of a grown tree. All rules send the training rows the same way.

    "below" is the lower of the two values; "data" is the largest value of the whole table that is not above
    their midpoint (C4.5)."""
    below, above = arrays.pop("below"), arrays.pop("above")
    if rule == "midpoint":
        return
    cuts = np.flatnonzero((arrays["kind"] == _THRESHOLD) & np.isfinite(arrays["threshold"]))
    for node in cuts if rule == "short" else ():
        if not table.fields[arrays["feature"][node]].categories:
            arrays["threshold"][node] = shortest(float(below[node]), float(above[node]))
    if rule == "below":
        arrays["threshold"][cuts] = below[cuts] + 0.0
    if rule == "data":
        for j in np.unique(arrays["feature"][cuts]):
            nodes = cuts[arrays["feature"][cuts] == j]
            values = np.unique(table.columns[j].values)  # missing ones are last
            # 7.597 lies between 7.554 and 7.64, but half of their sum is a little less in doubles.
            middle = arrays["threshold"][nodes]
            with np.errstate(over="ignore"):
                slack = 4 * np.spacing(np.abs(middle))
                place = np.searchsorted(values, middle + slack, side="right")
            before = np.searchsorted(values, above[nodes], side="left")
            arrays["threshold"][nodes] = values[np.minimum(place, before) - 1] + 0.0


def shortest(a: float, b: float) -> float:
    """The decimal with the fewest digits in [a, b), of several the one nearest to the middle.

    >>> shortest(2.449, 2.451), shortest(0.8, 1.7), shortest(-0.3, 20.0), shortest(1234.0, 1987.0)
    (2.45, 1.0, 0.0, 1600.0)
    """
    middle = a / 2 + b / 2
    spread = b - a
    exponent = 308 if math.isinf(spread) else math.floor(math.log10(spread)) + 1 if spread > 0 else 0
    for digits in range(exponent, exponent - 20, -1):
        # Numbers through their text, so that a digit is what it says.
        step = float(f"1e{digits}")
        if step == 0:
            break
        near = round(middle / step) if math.isfinite(middle / step) else 0
        for units in (near, near - 1, near + 1):
            number = float(f"{units}e{digits}")
            if a <= number < b:
                return number + 0.0
    return a

"""All cut points of an ordered column in a node, with the gain of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Field
from bough.explain.numbers import Cut
from bough.explain.sums import Loss, pearson
from bough.growing.thresholds import shortest
from bough.tree.condition import threshold_text
from bough.tree.text import significant

Floats = NDArray[np.float64]

MOST_CUTS = 2000  # of a column that are listed; nobody reads more, and a million would take minutes


@dataclass(frozen=True)
class Limits:
    """What each side of a cut must have."""

    rows: int = 1
    weight: float = 0.0
    gap: float = 0.0
    events: bool = False  # a sum above zero, for Poisson


@dataclass(frozen=True)
class Column:
    """An ordered column in a node: values (NaN: missing), the sums of each row, how missing rows count
    ("learn": with either side, "branch": by themselves, "apart": not at all)."""

    field: Field
    values: Floats
    sums: Floats
    missing: str
    numbers: bool  # the target is a number
    placed: str  # the rule of thresholds
    everywhere: Floats  # all values of the column, for thresholds="data"
    bins: tuple[Floats, Floats] | None = None  # smallest and largest value of each bin; values are bins then


@dataclass(frozen=True)
class Measured:
    """All cuts as arrays: the values between which they lie, the sums on both sides, gains in units of
    weight, the side of missing rows, and whether both sides are large enough."""

    values: Floats
    left: Floats
    right: Floats
    gains: Floats
    side: NDArray[Any]
    valid: NDArray[np.bool_]


def measured(column: Column, loss: Loss, chi_square: bool, limits: Limits) -> Measured | None:
    """None where there is nothing to cut."""
    known = ~np.isnan(column.values)
    values, place = np.unique(column.values[known], return_inverse=True)
    if len(values) < 2:
        return None
    by_value = np.zeros((len(values), column.sums.shape[1]))
    np.add.at(by_value, place, column.sums[known])
    rows = np.bincount(place, minlength=len(values))
    left, n_left = by_value.cumsum(axis=0)[:-1], rows.cumsum()[:-1]
    right = by_value.sum(axis=0) - left
    if not column.numbers:
        right = right.clip(min=0.0)
    absent, n_absent = column.sums[~known].sum(axis=0), int((~known).sum())
    sides = {"": (0.0, 0.0)}
    if n_absent and column.missing == "learn":
        sides = {"left": (1.0, 0.0), "right": (0.0, 1.0)}
    apart = absent if column.missing == "branch" and n_absent else None
    best = np.full(len(left), -math.inf)
    valid, side = np.zeros(len(left), dtype=bool), np.full(len(left), "", dtype="U5")
    for name, (to_left, to_right) in sides.items():
        a, b = left + to_left * absent, right + to_right * absent
        counts = (n_left + to_left * n_absent, rows.sum() - n_left + to_right * n_absent)
        fits = _fits(a, b, counts, column, limits) & (values[:-1] + limits.gap < values[1:])
        gains = _gains(a, b, apart, loss, chi_square)
        # What is possible comes before what gains more; of equal sides the first.
        better = (fits & ~valid) | ((fits == valid) & (gains > best + 1e-12 * np.abs(gains)))
        best, valid = np.where(better, gains, best), np.where(better, fits, valid)
        side = np.where(better, name, side)
    return Measured(values, left, right, best, side, valid)


def listed(column: Column, found: Measured) -> tuple[Cut, ...]:
    """In the order of the values; of more than MOST_CUTS, those that gain most."""
    total = float(_weights(column.sums, column).sum())
    places = np.arange(len(found.gains))
    if len(places) > MOST_CUTS:
        places = np.sort(np.lexsort((-found.gains, ~found.valid))[:MOST_CUTS])
    cuts = []
    for j in places.tolist():
        threshold = threshold_between(column, float(found.values[j]), float(found.values[j + 1]))
        cuts.append(
            Cut(
                threshold,
                short_threshold(column.field, threshold),
                _shown(found.left[j], column),
                _shown(found.right[j], column),
                gain=float(found.gains[j]) / total,
                missing=str(found.side[j]),
                valid=bool(found.valid[j]),
            )
        )
    return tuple(cuts)


def _weights(sums: Floats, column: Column) -> Floats:
    return sums[:, 0] if column.numbers else sums.sum(axis=1)


def _shown(sums: Floats, column: Column) -> tuple[float, ...]:
    """Class weights, or the weight of numbers."""
    return (float(sums[0]),) if column.numbers else tuple(map(float, sums))


def _fits(
    left: Floats, right: Floats, counts: tuple[Any, Any], column: Column, limits: Limits
) -> NDArray[np.bool_]:
    """Whether both sides are large enough."""
    fits = (counts[0] >= limits.rows) & (counts[1] >= limits.rows)
    for sums in (left, right):
        fits &= _weights(sums, column) >= limits.weight - 1e-9
        if limits.events:
            fits &= sums[:, 1] > 0
    found: NDArray[np.bool_] = fits
    return found


def _gains(left: Floats, right: Floats, apart: Floats | None, loss: Loss, chi_square: bool) -> Floats:
    """In units of weight; `apart`: rows that are a branch of their own."""
    groups = [left, right] if apart is None else [left, right, np.broadcast_to(apart, left.shape)]
    stacked = np.stack(groups, axis=1)
    if chi_square:
        return pearson(stacked)
    found: Floats = loss(stacked.sum(axis=1)) - loss(stacked).sum(axis=1)
    return found


def threshold_between(column: Column, a: float, b: float) -> float:
    if column.bins is not None:
        a, b = float(column.bins[1][int(a)]), float(column.bins[0][int(b)])
    middle = a / 2 + b / 2 if math.isinf(a + b) else (a + b) / 2
    if not a <= middle < b:
        middle = a
    if column.placed == "below":
        return a + 0.0
    if column.placed == "short" and not column.field.categories:
        return shortest(a, b)
    if column.placed == "data":
        there = column.everywhere
        with np.errstate(over="ignore", invalid="ignore"):
            there = there[(there <= middle + 4 * np.spacing(abs(middle))) & (there < b)]
        return max(float(there.max()), a) + 0.0 if there.size else a
    return middle + 0.0


def short_threshold(field: Field, threshold: float) -> str:
    """To six digits where all of them would be a long decimal."""
    text = threshold_text(field, threshold)
    plain = field.kind == "numeric" and len(text) > 9 and math.isfinite(threshold)
    return significant(threshold, 6) if plain else text


def packed(values: Floats, most: int) -> tuple[Floats, Floats, Floats]:
    """Values put into at most so many bins of about equal numbers of rows, as the core does: the bin of each
    row, and the smallest and the largest value of each bin."""
    known = ~np.isnan(values)
    distinct, place, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    number = np.zeros(len(distinct), dtype=np.int64)
    bin_number, in_bin, rows_left, bins_left = 0, 0, int(counts.sum()), most
    for v, count in enumerate(counts.tolist()):
        # A bin is closed before a value that would overshoot its share by more than it falls short now.
        if in_bin > 0 and bins_left > 1 and in_bin + 0.5 * count > (rows_left + in_bin) / bins_left:
            bin_number, bins_left, in_bin = bin_number + 1, bins_left - 1, 0
        number[v] = bin_number
        in_bin += count
        rows_left -= count
    bins = np.full(len(values), np.nan)
    bins[known] = number[place]
    first = np.flatnonzero(np.diff(number, prepend=-1))
    last = np.append(first[1:] - 1, len(number) - 1)
    return bins, distinct[first], distinct[last]

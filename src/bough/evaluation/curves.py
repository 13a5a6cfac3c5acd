"""Curves of a classifier: ROC, precision against recall, calibration; and the choice of a threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics

from bough.data.target import effective_rows
from bough.errors import BoughError
from bough.evaluation.intervals import wilson

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Roc:
    """One point for each threshold, from the strictest; a row is called positive at or above it."""

    false_positive_rate: Floats
    true_positive_rate: Floats
    thresholds: Floats


@dataclass(frozen=True)
class PrecisionRecall:
    """One point for each threshold, ascending, and a last one without a threshold (recall 0)."""

    precision: Floats
    recall: Floats
    thresholds: Floats


@dataclass(frozen=True)
class Calibration:
    """Bins of predicted shares: the mean prediction, how often it came true, how many rows, its interval."""

    predicted: Floats
    observed: Floats
    rows: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Threshold:
    """A row is called positive if its share is at least `value`; what that leads to."""

    value: float
    recall: float
    precision: float
    false_positive_rate: float
    flagged: float  # share of the rows that are called positive
    cost: float = math.nan  # mean cost of a row

    def __str__(self) -> str:
        cost = "" if math.isnan(self.cost) else f", cost {self.cost:.4g} per row"
        return (
            f"call it positive from a share of {self.value:.4g}: recall {self.recall:.3f}, "
            f"precision {self.precision:.3f}, false positive rate {self.false_positive_rate:.3f}{cost}"
        )


def roc_of(positive: Mask, scores: Floats, weights: Floats) -> Roc | None:
    """None where all rows, or none, are positive."""
    if positive.all() or not positive.any():
        return None
    false, true, thresholds = metrics.roc_curve(
        positive, scores, sample_weight=weights, drop_intermediate=False
    )
    return Roc(false, true, thresholds)


def precision_recall_of(positive: Mask, scores: Floats, weights: Floats) -> PrecisionRecall | None:
    if not positive.any():
        return None
    precision, recall, thresholds = metrics.precision_recall_curve(positive, scores, sample_weight=weights)
    return PrecisionRecall(precision, recall, thresholds)


def calibration_of(positive: Mask, shares: Floats, weights: Floats, bins: int, level: float) -> Calibration:
    """Bins of equal width, empty ones left out."""
    place = np.clip((shares * bins).astype(np.int64), 0, bins - 1)
    lines = []
    for number in np.unique(place):
        inside = place == number
        w = weights[inside]
        observed = float(np.average(positive[inside], weights=w))
        bounds = wilson(observed, effective_rows(w), level)
        lines.append((float(np.average(shares[inside], weights=w)), observed, float(w.sum()), *bounds))
    return Calibration(*np.array(lines).T)


def choose_threshold(
    positive: Mask,
    scores: Floats,
    weights: Floats,
    costs: tuple[float, float] | None,
    recall: float | None,
    precision: float | None,
) -> Threshold:
    """By the least cost (of a miss, of a false alarm), the best precision that keeps a recall, or the best
    recall that keeps a precision; of equal ones the highest threshold."""
    if sum(wish is not None for wish in (costs, recall, precision)) != 1:
        raise BoughError(
            "a threshold is chosen by one wish.",
            code="parameter",
            hint="Give one of costs, recall, precision.",
        )
    if positive.all() or not positive.any():
        raise BoughError(
            "all rows, or none, are positive: there is nothing to choose a threshold by.",
            code="target",
            hint="Judge by rows of both classes.",
        )
    points = _Points(positive, scores, weights)
    if costs is not None:
        return min(points(*costs), key=lambda point: (point.cost, -point.value))
    name, wish = ("recall", recall) if recall is not None else ("precision", precision)
    assert wish is not None
    good = [point for point in points()[1:] if getattr(point, name) >= wish - 1e-12]
    other = "precision" if name == "recall" else "recall"
    if not good:
        most = max(getattr(point, name) for point in points()[1:])
        raise BoughError(
            f"no threshold reaches a {name} of {wish:g}; the most is {most:.3f}.",
            code="parameter",
            hint=f"Ask for {name}={math.floor(1000 * most) / 1000:g} or less.",
        )
    return max(good, key=lambda point: (getattr(point, other), point.value))


class _Points:
    """Every threshold that makes a difference."""

    def __init__(self, positive: Mask, scores: Floats, weights: Floats) -> None:
        order = np.argsort(-scores, kind="stable")
        hits, alarms = np.cumsum((weights * positive)[order]), np.cumsum((weights * ~positive)[order])
        last = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True))
        self.value, self.hits, self.alarms = scores[order][last], hits[last], alarms[last]

    def __call__(self, miss: float = math.nan, alarm: float = math.nan) -> list[Threshold]:
        actual, others = float(self.hits[-1]), float(self.alarms[-1])
        total = actual + others
        # Nobody is called positive above the highest score.
        values = [float(np.nextafter(self.value[0], np.inf)), *self.value.tolist()]
        counts = zip([0.0, *self.hits.tolist()], [0.0, *self.alarms.tolist()], strict=True)
        return [
            Threshold(
                value,
                hit / actual,
                hit / (hit + false) if hit + false else math.nan,
                false / others,
                (hit + false) / total,
                (miss * (actual - hit) + alarm * false) / total,
            )
            for value, (hit, false) in zip(values, counts, strict=True)
        ]

"""AUC and average precision for many weightings of the same rows at once, as the bootstrap needs them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def _grouped(weights: Floats, positive: Mask, scores: Floats) -> tuple[Floats, Floats]:
    """The weight of positive and of other rows at each distinct score, ascending; samples by scores."""
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=np.nan) != 0)
    ordered, of_class = weights[:, order], positive[order]
    return (
        np.add.reduceat(ordered * of_class, starts, axis=1),
        np.add.reduceat(ordered * ~of_class, starts, axis=1),
    )


def aucs(weights: Floats, positive: Mask, scores: Floats) -> Floats:
    """The share of pairs of a positive and another row that the score puts in order, half for ties; NaN where
    a sample has no pair. `weights` are samples by rows."""
    hits, others = _grouped(weights, positive, scores)
    below = np.cumsum(others, axis=1) - others
    pairs = hits.sum(axis=1) * others.sum(axis=1)
    area = (hits * (below + others / 2)).sum(axis=1)
    found: Floats = np.divide(area, pairs, out=np.full(len(pairs), np.nan), where=pairs > 0)
    return found


def average_precisions(weights: Floats, positive: Mask, scores: Floats) -> Floats:
    """The sum over falling scores of precision times the rise of recall."""
    hits, others = _grouped(weights, positive, scores)
    hits, others = hits[:, ::-1], others[:, ::-1]
    found, called = np.cumsum(hits, axis=1), np.cumsum(hits + others, axis=1)
    precision = np.divide(found, called, out=np.zeros_like(found), where=called > 0)
    total = hits.sum(axis=1)
    area = (hits * precision).sum(axis=1)
    result: Floats = np.divide(area, total, out=np.full(len(total), np.nan), where=total > 0)
    return result

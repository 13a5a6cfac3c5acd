"""Impurities and gains of all nodes from their values; those of growth but for rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.store.shape import Shape

Array = NDArray[Any]
STATISTICS = ("impurity", "gain")
CLOSE = 1e-6  # of the root's impurity: impurities of leaves of numbers are kept as float32
LOSSES = ("", "gini", "entropy", "error", "squared_error")


def impurities(loss: str, shape: Shape, value: Array, weight: Array, leaves: Array) -> Array:
    """Each node's loss for one row; `leaves`: the variances of leaves, where the values are means."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        if loss == "squared_error":
            return _variances(shape, value[:, 0], weight, leaves)
        total = value.sum(axis=1, keepdims=True)
        share = np.where(total > 0, value / total, 0.0)
        if loss == "gini":
            found = 1.0 - (share**2).sum(axis=1)
        elif loss == "error":
            found = 1.0 - share.max(axis=1)
        else:
            found = -(share * np.log2(np.where(share > 0, share, 1.0))).sum(axis=1)
        return np.where(total[:, 0] > 0, found, 0.0) + 0.0


def _variances(shape: Shape, mean: Array, weight: Array, leaves: Array) -> Array:
    """Within the children and between them, from the leaves up."""
    out = np.zeros(len(mean))
    out[~shape.asking] = leaves
    for level in shape.levels[:-1]:
        parent = shape.parent[level]
        share = np.where(weight[parent] > 0, weight[level] / weight[parent], 0.0)
        np.add.at(out, parent, share * (out[level] + (mean[level] - mean[parent]) ** 2))
    return out


def gains(shape: Shape, impurity: Array, weight: Array) -> Array:
    """Each inner node's impurity less that of its children, by their weight."""
    out = np.where(shape.asking, impurity, 0.0)
    child = np.flatnonzero(shape.parent >= 0)
    parent = shape.parent[child]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(weight[parent] > 0, weight[child] / weight[parent], 0.0)
    np.subtract.at(out, parent, share * impurity[child])
    return out


def close(found: Array, given: Array) -> bool:
    largest = float(np.abs(given).max()) if given.size else 0.0
    return bool(np.isfinite(found).all() and (np.abs(found - given) <= CLOSE * largest).all())


def means(shape: Shape, leaves: Array, weight: Array) -> Array:
    """The mean of each inner node from those of its children, level by level; plain operations in a fixed
    order, so that any machine finds the same bits."""
    out = np.zeros(len(weight))
    out[~shape.asking] = leaves
    with np.errstate(all="ignore"):
        for level in shape.levels[:-1]:
            parent = shape.parent[level]
            np.add.at(out, parent, weight[level] * out[level])
            above = np.unique(parent)
            out[above] = out[above] / weight[above]
    return out


def _ordered(floats: Array) -> Array:
    """Whole numbers that count floats in their order, so that neighbours differ by one."""
    bits = np.ascontiguousarray(floats, dtype=np.float64).view(np.int64)
    return np.where(bits < 0, np.int64(-(2**63)) - bits, bits)


def floats_between(found: Array, wanted: Array) -> Array | None:
    """How many floats lie from one to the other; None if it is not worth while, or -0.0 would be lost."""
    if (
        not (np.isfinite(found).all() and np.isfinite(wanted).all())
        or (np.signbit(wanted) & (wanted == 0)).any()
    ):
        return None
    a, b = _ordered(found), _ordered(wanted)
    same_side = (a < 0) == (b < 0)
    if not same_side.all() or not a.size:
        return None
    steps = b - a
    return steps if int(np.abs(steps).max()) < 2**31 else None


def floats_off(found: Array, steps: Array) -> Array:
    """The floats that many further on."""
    with np.errstate(all="ignore"):
        moved = _ordered(found) + steps
    bits = np.where(moved < 0, np.int64(-(2**63)) - moved, moved)
    return np.ascontiguousarray(bits).view(np.float64)

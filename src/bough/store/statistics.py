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

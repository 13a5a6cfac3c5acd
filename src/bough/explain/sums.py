"""Losses from sums: what the core counts, written in Python for figures that it does not hand out.

The sums of a group of rows are its class weights; of numbers its weight, sum and sum of squares around the
node's mean, for Poisson the sum of y log(y / mean), and the mean for each row.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Loss = Callable[[Floats], Floats]


def row_sums(target: NDArray[Any], weights: Floats, n_classes: int, criterion: Any) -> Floats:
    """The sums of each row by itself, rows by sums."""
    if n_classes:
        each = np.zeros((len(target), n_classes))
        each[np.arange(len(target)), target] = weights
        return each
    y = np.asarray(target, dtype=np.float64)
    if criterion != "poisson" and not callable(criterion) and weights.sum() > 0:
        y = y - np.average(y, weights=weights)
    columns = [weights, weights * y, weights * y * y]
    if criterion == "poisson":
        mean = float(np.average(y, weights=weights)) if weights.sum() > 0 else 0.0
        columns[2] = weights * y * np.log1p(np.where(y > 0, (y - mean) / (mean or 1.0), 0.0))
        columns.append(weights * mean)
    return np.column_stack(columns)


def loss_function(criterion: Any) -> Loss:
    """From sums (groups by sums) to losses."""
    if callable(criterion):
        address = getattr(criterion, "address", None)
        return _own(_compiled(address) if isinstance(address, int) else criterion)
    return {
        "entropy": _entropy,
        "gini": _gini,
        "error": lambda s: s.sum(axis=-1) - s.max(axis=-1),
        "chi_square": lambda s: s.sum(axis=-1) * np.maximum((s > 0).sum(axis=-1) - 1, 0),
        "poisson": _poisson,
    }.get(criterion, _squares)


def _compiled(address: int) -> Callable[[Floats], Any]:
    """A compiled criterion, which takes the sums of one group and their number."""
    pointer = ctypes.POINTER(ctypes.c_double)
    call = ctypes.CFUNCTYPE(ctypes.c_double, pointer, ctypes.c_int64)(address)
    return lambda sums: [call(one.ctypes.data_as(pointer), one.size) for one in np.ascontiguousarray(sums)]


def _own(criterion: Callable[..., Any]) -> Loss:
    def loss(sums: Floats) -> Floats:
        flat = sums.reshape(-1, sums.shape[-1])
        found: Floats = np.asarray(criterion(flat.copy()), dtype=np.float64).reshape(sums.shape[:-1])
        return found

    return loss


def _entropy(s: Floats) -> Floats:
    total = s.sum(axis=-1, keepdims=True)
    share = np.divide(s, total, out=np.ones_like(s), where=(s > 0) & (total > 0))
    found: Floats = -(s * np.log2(share)).sum(axis=-1)
    return found


def _gini(s: Floats) -> Floats:
    total = s.sum(axis=-1)
    squares = np.divide((s * s).sum(axis=-1), total, out=np.zeros_like(total), where=total > 0)
    found: Floats = total - squares
    return found


def _squares(s: Floats) -> Floats:
    weight = s[..., 0]
    between = np.divide(s[..., 1] ** 2, weight, out=np.zeros_like(weight), where=weight > 0)
    found: Floats = np.maximum(s[..., 2] - between, 0.0)
    return found


def _poisson(s: Floats) -> Floats:
    weight, events = s[..., 0], s[..., 1]
    # Around the mean of all rows, so that numbers which are large and close to each other lose no digits.
    whole = s[..., 3]
    ratio = np.divide(events - whole, whole, out=np.zeros_like(weight), where=(whole > 0) & (events > 0))
    found: Floats = np.maximum(s[..., 2] - events * np.log1p(ratio), 0.0)
    return found


def pearson(groups: Floats) -> Floats:
    """Pearson's statistic of tables, groups by classes on the last two axes."""
    rows, columns = groups.sum(axis=-1, keepdims=True), groups.sum(axis=-2, keepdims=True)
    total = rows.sum(axis=-2, keepdims=True)
    expected = np.divide(rows * columns, total, out=np.zeros_like(groups), where=total > 0)
    cells = np.divide((groups - expected) ** 2, expected, out=np.zeros_like(groups), where=expected > 0)
    found: Floats = cells.sum(axis=(-1, -2))
    return found

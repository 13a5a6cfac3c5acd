"""How much of the target one column alone tells on rows left out: near all of it is a leak."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Column, Table
from bough.growing import Settings, grow

MOST_ROWS = 20_000  # more say the same
LEAVES = 32


def explained(
    column: Column, y: NDArray[Any], classes: NDArray[Any] | None, weights: NDArray[np.float64] | None
) -> tuple[float, float]:
    """The share of the baseline's error that a tree of this column alone saves, and its score (accuracy, R²).
    Each half of the rows is judged by a tree of the other."""
    n_rows = len(y)
    order = np.random.default_rng(0).permutation(n_rows)[:MOST_ROWS]
    table = Table((column,), n_rows)
    w = np.ones(n_rows) if weights is None else weights
    lost = lost_before = total = 0.0
    settings = Settings(max_leaf_nodes=LEAVES, criterion="squared_error" if classes is None else "gini")
    for fit_on, left in ((order[::2], order[1::2]), (order[1::2], order[::2])):
        if not len(fit_on) or not len(left):
            return 0.0, 0.0
        numbers = None if classes is None else np.arange(len(classes))
        target = y[fit_on].astype(np.float64 if classes is None else np.int32)
        if (target == target[0]).all():
            return 0.0, 0.0
        tree = grow(table.take(fit_on), target, numbers, w[fit_on], settings)
        answers = tree.predict(table.take(left))
        root = tree.answers[0]
        if classes is None:
            lost += float(w[left] @ np.square(y[left] - answers))
            lost_before += float(w[left] @ np.square(y[left] - root))
        else:
            lost += float(w[left] @ (y[left] != answers))
            lost_before += float(w[left] @ (y[left] != root))
        total += float(w[left].sum())
    if lost_before <= 0:
        return 0.0, 0.0
    share = 1 - lost / lost_before
    return share, share if classes is None else 1 - lost / total

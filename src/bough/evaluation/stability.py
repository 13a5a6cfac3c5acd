"""Would other rows of the same kind ask the same questions? First and second splits of bootstrap samples."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bough.data.table import Table
from bough.evaluation.answers import fitted_copy

Floats = NDArray[np.float64]

STABLE = 0.8  # of the samples have the tree's own root


@dataclass(frozen=True)
class Stability:
    """How often each column was asked first, and how often on the level below (a sample has one question
    there for each branch that is asked again); `thresholds` of the root's own column."""

    samples: int
    root: str | None
    first: Counter[str]
    second: Counter[str]
    thresholds: list[float]

    @property
    def own_share(self) -> float:
        """The samples that ask first what the tree asks first."""
        return self.first[self.root] / self.samples if self.root is not None and self.samples else math.nan

    @property
    def stable(self) -> bool:
        return self.root is None or self.own_share >= STABLE


def stability(
    model: Any, table: Table, labels: NDArray[Any], weights: Floats, samples: int = 100, seed: int = 0
) -> Stability:
    """Trees of two levels, grown with the model's settings and not pruned, on rows drawn with replacement."""
    random = np.random.default_rng(seed)
    params = model.get_params()
    limits: dict[str, Any] = {
        "max_depth": min(2, params.get("max_depth") or 2),
        "pruning": None,
        "ccp_alpha": 0.0,
    }
    limits |= {"early_stopping": False, "max_leaf_nodes": None, "max_nodes": None}
    short = clone(model).set_params(**{name: value for name, value in limits.items() if name in params})
    own = model.tree_.root.column
    first: Counter[str] = Counter()
    second: Counter[str] = Counter()
    thresholds = []
    for _ in range(samples):
        rows = random.integers(0, len(labels), len(labels))
        if model.tree_.classes is not None and len(np.unique(labels[rows])) < 2:
            first["(no question)"] += 1
            continue
        tree = fitted_copy(short, table.take(rows), labels[rows], weights[rows]).tree_
        root = tree.root
        first[root.column or "(no question)"] += 1
        second.update(child.column for child in root.children if child.column is not None)
        if root.column == own and root.kind == "threshold" and math.isfinite(root.threshold):
            thresholds.append(root.threshold)
    return Stability(samples, own, first, second, thresholds)

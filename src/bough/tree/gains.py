"""How much of all gain each column has brought, in one tree or in several."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bough.tree.ensemble import Ensemble
from bough.tree.tree import Tree

Floats = NDArray[np.float64]


def gain_importance(model: Tree | Ensemble) -> Floats:
    """The share of each column in the sum of all gains; biased towards columns of many values. Of several
    trees the mean of their shares, or, where trees are added up, the share of all their gains."""
    if isinstance(model, Tree):
        return _shares(by_column(model, model.split_gains.clip(min=0.0)))
    if model.combine == "sum":
        gains = [by_column(tree, (tree.gain * tree.weight).clip(min=0.0)) for tree in model]
        return _shares(np.sum(gains, axis=0))
    means = [w * gain_importance(tree.opened()) for tree, w in zip(model.trees, model.weights, strict=True)]
    return _shares(np.sum(means, axis=0))


def by_column(tree: Tree, of_nodes: Floats) -> Floats:
    """What the nodes have, added up for each column that they ask."""
    asking = tree.feature >= 0
    return np.bincount(tree.feature[asking], of_nodes[asking], len(tree.fields)).astype(np.float64)


def _shares(total: Floats) -> Floats:
    return total / total.sum() if total.sum() > 0 else total

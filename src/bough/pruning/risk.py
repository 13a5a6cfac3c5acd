"""What each node costs if it answers: impurity, errors, the expected cost of the cheapest answer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bough.errors import BoughError
from bough.pruning.sweeps import asking, child_sums
from bough.tree import Tree
from bough.tree.condition import STAY
from bough.tree.rules import cheapest

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


class Risk(NamedTuple):
    """The cost of each node as a leaf, and of the rows that stay at it while it asks."""

    as_leaf: Floats
    staying: Floats


def training_risk(tree: Tree, measure: str, costs: Floats | None) -> Risk:
    """A share of the training weight: impurity, or errors (with costs: the mean cost of the cheapest answer).
    Numbers have one measure, the impurity that the tree was grown by."""
    if measure == "impurity" or tree.classes is None:
        as_leaf = tree.impurity * tree.weight
        # Impurity cannot be told for a part of the rows: those that stay are taken to be like all of them.
        share = np.divide(stayed(tree, tree.weight), tree.weight, where=tree.weight > 0, out=0.0 * as_leaf)
        staying = share * as_leaf
    else:
        chosen = node_answers(tree, costs)
        as_leaf = class_cost(tree.value, chosen, costs)
        staying = class_cost(stayed(tree, tree.value), chosen, costs)
    if not np.isfinite(as_leaf).all():
        raise BoughError(
            "the impurity of this tree is too large for float64, so its subtrees cannot be compared.",
            code="target",
            hint="Grow the tree on smaller numbers, e.g. y / y.max().",
        )
    return Risk(as_leaf / tree.weight[0], staying / tree.weight[0])


def check_variances(tree: Tree, what: str) -> None:
    """Impurities must be variances: a node's is what its children have inside and between them."""
    if tree.classes is None and not tree.has_variances:
        raise BoughError(
            f"{what} needs a tree of variances, and the impurity of this one is something else.",
            code="parameter",
            hint='Grow it with criterion="squared_error", or prune it by "cost_complexity".',
        )


def stayed(tree: Tree, sums: Floats) -> Floats:
    """What part of a node's sum does not go on to its children: zero but for questions whose missing rows
    stay at the node."""
    rest = np.zeros_like(sums)
    stops = asking(tree) & (tree.missing_child == STAY)
    if stops.any():
        rest[stops] = (sums - child_sums(tree, sums))[stops]
        # Sums of weights that are not whole numbers leave rounding behind.
        rest[np.abs(rest) <= 1e-9 * np.abs(sums)] = 0.0
    return rest


def node_answers(tree: Tree, costs: Floats | None) -> Longs:
    """The number of the class that each node answers, the first of equal ones; without rows, its parent's."""
    # As Tree.answers, for any costs.
    weighed = costs is None and tree.rules.estimate != "m"
    chosen: Longs = cheapest(tree.value if weighed else tree.shares, costs)
    empty = np.flatnonzero(tree.n_rows == 0)
    chosen[empty] = chosen[tree.parent[empty]]
    return chosen


def class_cost(value: Floats, answer: Longs, costs: Floats | None) -> Floats:
    """What class weights cost, node by node, under the answer that the node gives."""
    if costs is None:
        costs = 1.0 - np.eye(value.shape[1])
    cost: Floats = np.einsum("nk,nk->n", value, costs.T[answer])
    return cost

"""The arithmetic of pruning at a node: what it costs as a leaf and as a subtree, for CART and for C4.5."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bough.errors import BoughError
from bough.pruning.cost_complexity import checked_risk
from bough.pruning.pessimistic import MARGIN, Bound
from bough.pruning.risk import stayed
from bough.pruning.sweeps import asking, subtree_sums
from bough.tree.tree import Tree


@dataclass(frozen=True)
class Cost:
    """Cost-complexity: R(t) of the node as a leaf, R(T_t) of its subtree, both as shares of all training
    weight, and alpha = (R(t) - R(T_t)) / (leaves - 1), the cost of a leaf at which it becomes one."""

    measure: str  # error or impurity
    as_leaf: float
    subtree: float
    alpha: float | None  # None in a leaf


@dataclass(frozen=True)
class Estimate:
    """C4.5: expected errors of the node as a leaf and of its subtree at a confidence of CF."""

    confidence: float
    n: float
    errors: float
    as_leaf: float
    subtree: float

    @property
    def pruned(self) -> bool:
        return self.as_leaf <= self.subtree + MARGIN


@dataclass(frozen=True)
class PruningNumbers:
    """`weight`: of all training rows; R times it is in rows."""

    leaves: int
    weight: float
    costs: tuple[Cost, ...]
    estimate: Estimate | None  # classes only


def pruning_numbers(
    tree: Tree, node: int, confidence: float = 0.25, estimate: str = "normal", impurity: bool = True
) -> PruningNumbers:
    """`impurity`: whether the impurity of the nodes is a cost that adds up, which chi-square does not."""
    leaves = subtree_sums(tree, ~asking(tree))
    measures = ["error"] * (tree.classes is not None) + ["impurity"] * impurity
    costs = [_cost(tree, node, measure) for measure in measures]
    return PruningNumbers(
        leaves=int(leaves[node]),
        weight=float(tree.weight[0]),
        costs=tuple(c for c in costs if c is not None),
        estimate=None if tree.classes is None else _estimate(tree, node, confidence, estimate),
    )


def of_part(numbers: PruningNumbers, weight: float) -> PruningNumbers:
    """The same numbers as shares of so much weight, where the tree was grown on a part of it."""
    times = numbers.weight / weight
    costs = [
        Cost(c.measure, c.as_leaf * times, c.subtree * times, None if c.alpha is None else c.alpha * times)
        for c in numbers.costs
    ]
    return PruningNumbers(numbers.leaves, weight, tuple(costs), numbers.estimate)


def _cost(tree: Tree, node: int, measure: str) -> Cost | None:
    try:
        risk = checked_risk(tree, measure, None)
    except BoughError:  # numbers too large to be squared
        return None
    asks = asking(tree)
    below = subtree_sums(tree, np.where(asks, risk.staying, risk.as_leaf))
    more = int(subtree_sums(tree, np.where(asks, tree.n_children - 1, 0))[node])
    as_leaf, subtree = float(risk.as_leaf[node]), float(below[node])
    return Cost(measure, as_leaf, subtree, (as_leaf - subtree) / more if more else None)


def _estimate(tree: Tree, node: int, confidence: float, estimate: str) -> Estimate:
    bound = Bound.of(confidence, estimate)
    expected = bound.errors(tree.value)
    below = subtree_sums(tree, np.where(asking(tree), bound.errors(stayed(tree, tree.value)), expected))
    value = tree.value[node]
    wrong = float(value.sum() - value.max())
    return Estimate(confidence, float(value.sum()), wrong, float(expected[node]), float(below[node]))

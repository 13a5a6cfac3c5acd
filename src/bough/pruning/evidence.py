"""Rows as evidence: table, target and weights in the tree's own terms, and what the rows cost in the tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.ingest import to_table
from bough.data.table import Table
from bough.data.target import class_codes, number_target
from bough.data.target import weights as row_weights
from bough.errors import BoughError
from bough.pruning.risk import Floats, Longs, Risk, class_cost, node_answers
from bough.pruning.sweeps import asking, subtree_sums, sums
from bough.tree import Ensemble, Tree


@dataclass(frozen=True)
class Evidence:
    """Rows with the columns of a tree, their class numbers (or numbers), and a weight for each."""

    table: Table
    target: NDArray[Any]
    weights: Floats

    @classmethod
    def of(cls, tree: Tree | Ensemble, data: Any, target: Any, weights: Any = None) -> Evidence:
        """From a user's data; the target holds labels as in tree.classes."""
        table = to_table(data, fields=tree.fields, owner="the tree")
        numbers = target_numbers(tree.classes, target, table.n_rows)
        given = row_weights(weights, table.n_rows)
        return cls(table, numbers, np.ones(table.n_rows) if given is None else given)

    def take(self, rows: NDArray[Any]) -> Evidence:
        return Evidence(self.table.take(rows), self.target[rows], self.weights[rows])


def target_numbers(classes: NDArray[Any] | None, target: Any, n_rows: int) -> NDArray[Any]:
    """The numbers of a user's labels among a model's classes; without classes, the numbers themselves."""
    if classes is None:
        numbers: NDArray[Any] = number_target(target, n_rows, "the tree")
        return numbers
    codes, labels = class_codes(target, n_rows, "the tree")
    number = {label: i for i, label in enumerate(classes.tolist())}
    strange = [label for label in labels.tolist() if label not in number]
    if strange:
        raise BoughError(
            f"the target has the class {strange[0]!r}, which the tree does not know.",
            code="target",
            hint="Its classes: " + ", ".join(map(str, classes.tolist())) + ".",
        )
    return np.array([number[label] for label in labels.tolist()], dtype=np.int64)[codes]


@dataclass(frozen=True)
class Rested:
    """What the rows cost that pass each node, if it answers, and those that stay at it while it asks;
    the same for squares, which tell how the costs vary."""

    risk: Risk
    squares: Risk


def rested(tree: Tree, rows: Evidence, costs: Floats | None = None) -> Rested:
    """Costs are errors, given costs, or squared errors of numbers; sums, not means, of the rows' weights."""
    row, node, share = tree.reach(rows.table)
    weight = share * rows.weights[row]
    if tree.classes is None:
        return _numbers(tree, node, rows.target[row], weight)
    n_classes = len(tree.classes)
    cells = sums(node * n_classes + rows.target[row], weight, tree.n_nodes * n_classes)
    here = cells.reshape(tree.n_nodes, n_classes)
    chosen = node_answers(tree, costs)
    passing, staying = subtree_sums(tree, here), here * asking(tree)[:, None]

    def risk(costs: Floats | None) -> Risk:
        return Risk(class_cost(passing, chosen, costs), class_cost(staying, chosen, costs))

    return Rested(risk(costs), risk(None if costs is None else costs**2))


def _numbers(tree: Tree, node: Longs, target: Floats, weight: Floats) -> Rested:
    """Sums of (y - answer)^2 and its square, from the powers of y around the root's mean."""
    middle = tree.value[0, 0]
    here = np.column_stack([sums(node, weight * (target - middle) ** p, tree.n_nodes) for p in range(5)])
    passing, staying = subtree_sums(tree, here), here * asking(tree)[:, None]
    d = tree.value[:, 0] - middle
    square = np.column_stack([d**2, -2 * d, np.ones_like(d)])
    fourth = np.column_stack([d**4, -4 * d**3, 6 * d**2, -4 * d, np.ones_like(d)])

    def risk(factors: Floats) -> Risk:
        count = factors.shape[1]
        return Risk((passing[:, :count] * factors).sum(axis=1), (staying[:, :count] * factors).sum(axis=1))

    return Rested(risk(square), risk(fourth))

"""Rows with their target and weights, and those of them that come to a node of a tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Table
from bough.tree.rebuild import rebuild
from bough.tree.tree import Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """`target`: class numbers, or numbers; `weights` None: all are 1."""

    table: Table
    target: NDArray[Any]
    weights: Floats | None

    @property
    def total(self) -> float:
        return float(self.table.n_rows if self.weights is None else self.weights.sum())

    @property
    def each(self) -> Floats:
        """The weight of each row."""
        return np.ones(self.table.n_rows) if self.weights is None else self.weights

    def take(self, rows: NDArray[Any], shares: Floats | None = None) -> Sample:
        weights = None if self.weights is None else self.weights[rows]
        if shares is not None and not (shares == 1.0).all():
            weights = shares if weights is None else weights * shares
        return Sample(self.table.take(rows), self.target[rows], weights)


def at_node(tree: Tree, sample: Sample, node: int) -> Sample:
    """The rows that come to the node, those that are spread by their part in it."""
    if node == 0:
        return sample
    above = tree.path(node)[:-1]
    leaf = np.ones(tree.n_nodes, dtype=bool)
    leaf[above] = False
    top = rebuild(tree, leaf)
    rows, ends, shares = top.reach(sample.table)
    here = ends == _new_number(tree, leaf, node)
    return sample.take(rows[here], shares[here])


def _new_number(tree: Tree, leaf: NDArray[np.bool_], node: int) -> int:
    """The number of a node in the tree that ends at these leaves: nodes keep their order."""
    kept = np.zeros(tree.n_nodes, dtype=bool)
    kept[0] = True
    kept[1:] = ~leaf[tree.parent[1:]]  # all above ask, or the node above would not
    return int(kept[:node].sum())


def one_split(tree: Tree, node: int) -> Tree:
    """The question of a node as a tree of its own."""
    instead = np.arange(tree.n_nodes)
    instead[0] = node
    leaf = np.ones(tree.n_nodes, dtype=bool)
    leaf[node] = False
    return rebuild(tree, leaf, instead)

"""Bottom-up arithmetic on breadth-first arrays: sums over subtrees, and the cheapest pruning.

Both work for any shape: a tree of 100,000 leaves and a chain of 100,000 questions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.tree import Tree

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def asking(tree: Tree) -> Mask:
    return tree.feature >= 0


def sums(where: NDArray[np.int64], values: NDArray[Any], length: int) -> Floats:
    """The values added up, each in its place."""
    return np.bincount(where, values, length).astype(np.float64, copy=False)


def child_sums(tree: Tree, values: NDArray[Any]) -> Floats:
    """For each node the sum over its children of the number (or the row of numbers) that each node has."""
    if values.ndim == 2:
        return np.column_stack([child_sums(tree, column) for column in values.T])
    return sums(tree.parent[1:], values[1:], tree.n_nodes)


def subtree_sums(tree: Tree, values: NDArray[Any]) -> Floats:
    """For each node the sum over itself and everything below it.

    After pass k a node has the sum over everything less than 2^k below it, so a chain of 100,000 takes
    17 passes and not 100,000.
    """
    if values.ndim == 2:
        return np.column_stack([subtree_sums(tree, column) for column in values.T])
    total = values.astype(np.float64)
    nodes, above = np.arange(1, tree.n_nodes), tree.parent[1:]
    ancestor = tree.parent.copy()
    while nodes.size:
        total += sums(above, total[nodes], tree.n_nodes)
        higher = ancestor[above]
        ancestor[nodes] = higher
        nodes, above = nodes[higher >= 0], higher[higher >= 0]
    return total


def levels(tree: Tree) -> list[tuple[int, int]]:
    """The first node of each depth and the first of the next, from the root down."""
    children = np.cumsum(tree.n_children).tolist()
    found, first, end = [], 0, 1
    while first < end:
        found.append((first, end))
        first, end = end, 1 + children[end - 1]
    return found


def cheapest(tree: Tree, as_leaf: Floats, staying: Floats, margin: float = 0.0) -> Mask:
    """Which nodes are leaves in the pruning of least cost.

    A node costs `as_leaf` as a leaf; while it asks, it costs what its children cost and what the rows cost
    that stay at it. It becomes a leaf if that costs at most `margin` more.
    """
    cost = as_leaf.copy()
    leaf = ~asking(tree)
    below_end = tree.n_nodes
    for first, end in reversed(levels(tree)):
        children = slice(end, below_end)
        below = staying[first:end] + sums(tree.parent[children] - first, cost[children], end - first)
        keeps = ~leaf[first:end] & (as_leaf[first:end] > below + margin)
        leaf[first:end] = ~keeps
        np.copyto(cost[first:end], below, where=keeps)
        below_end = end
    return leaf

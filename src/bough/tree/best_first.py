"""Smaller trees inside a tree that grew best-first: the order of its splits, and where rows stop early."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bough.tree.tree import Tree


def stops(tree: Tree, leaves: int | None) -> NDArray[np.int64]:
    """Where a row that passes each node ends in the tree of at most so many leaves."""
    ends = np.arange(tree.n_nodes)
    if leaves is None:
        return ends
    split = set(_first_splits(tree, leaves))
    for node in range(1, tree.n_nodes):  # parents come first
        parent = int(tree.parent[node])
        if parent not in split:
            ends[node] = ends[parent]
    return ends


def _first_splits(tree: Tree, leaves: int) -> Iterable[int]:
    """Nodes in the order in which best-first growth split them: docs/semantics.md, Growth."""
    gains = tree.gain * tree.weight
    frontier = [(-gains[0], 0)]
    count = 1
    while frontier:
        _, node = heapq.heappop(frontier)
        if tree.feature[node] < 0 or count - 1 + tree.n_children[node] > leaves:
            continue
        count += int(tree.n_children[node]) - 1
        yield node
        first = int(tree.first_child[node])
        for child in range(first, first + int(tree.n_children[node])):
            heapq.heappush(frontier, (-gains[child], child))

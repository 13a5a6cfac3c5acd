"""Smaller trees inside a tree that grew best-first: the order of its splits, and where rows stop early."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bough.tree.rebuild import rebuild
from bough.tree.tree import Tree


def stops(tree: Tree, leaves: int | None) -> NDArray[np.int64]:
    """Where a row that passes each node ends in the tree of at most so many leaves."""
    ends = np.arange(tree.n_nodes)
    if leaves is None:
        return ends
    split = set(split_order(tree, leaves))
    for node in range(1, tree.n_nodes):  # parents come first
        parent = int(tree.parent[node])
        if parent not in split:
            ends[node] = ends[parent]
    return ends


def split_order(tree: Tree, leaves: int | None = None) -> Iterator[int]:
    """Nodes in the order in which best-first growth splits them, those of a tree of at most so many leaves:
    docs/semantics.md, Growth."""
    gains = _compared(tree)
    frontier = [(-gains[0], 0, 0)]  # with the place in the order of making, which decides between equals
    count = made = 1
    while frontier:
        _, _, node = heapq.heappop(frontier)
        n_children = int(tree.n_children[node])
        if tree.feature[node] < 0 or (leaves is not None and count - 1 + n_children > leaves):
            continue
        count += n_children - 1
        yield node
        first = int(tree.first_child[node])
        for c in range(n_children):
            heapq.heappush(frontier, (-gains[first + c], made + c, first + c))
        made += n_children


def beginning(tree: Tree, splits: Sequence[int]) -> Tree:
    """The tree in which only these nodes ask; with a node, those above it are among them."""
    leaf = np.ones(tree.n_nodes, dtype=bool)
    leaf[list(splits)] = False
    return rebuild(tree, leaf)


def _compared(tree: Tree) -> list[float]:
    """Gains times weights to the 36 bits that the core compares."""
    with np.errstate(over="ignore"):
        gains = tree.gain * tree.weight
    if tree.classes is None and not (np.isfinite(gains).all() and gains.any()):
        gains = tree.split_gains  # squares left the range of float64
    bits = np.ascontiguousarray(gains, dtype=np.float64).view(np.uint64)
    half = np.uint64(1 << 15)
    kept: list[float] = ((bits + half) & ~np.uint64((1 << 16) - 1)).view(np.float64).tolist()
    return kept

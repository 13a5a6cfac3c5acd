"""What follows from the form of trees in one row: parents, levels, sums over children."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.kept import kept
from bough.store.container import damaged

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Shape:
    """Nodes of all trees in one row; each tree is numbered breadth-first, siblings side by side."""

    sizes: Array  # nodes of each tree
    n_children: Array

    def __post_init__(self) -> None:
        if not len(self.sizes) or int(self.sizes.min()) < 1 or int(self.sizes.sum()) != len(self.n_children):
            raise damaged("the trees and their nodes do not fit together")
        if int(self.n_children.min()) < 0:
            raise damaged("a node has less than no children")
        below = np.add.reduceat(self.n_children.astype(np.int64), self.starts)
        if (below != self.sizes - 1).any():
            raise damaged("a tree has more or fewer children than nodes")
        if (self.first_child[self.asking] <= np.flatnonzero(self.asking) - self.start_of[self.asking]).any():
            raise damaged("a node comes before its parent")

    @kept
    def starts(self) -> Array:
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    @kept
    def start_of(self) -> Array:
        """The first node of each node's tree."""
        return np.repeat(self.starts, self.sizes)

    @property
    def asking(self) -> Array:
        return self.n_children > 0

    @kept
    def first_child(self) -> Array:
        """Counted within the tree; -1 in leaves."""
        before = np.cumsum(self.n_children) - self.n_children
        first = 1 + before - before[self.starts].repeat(self.sizes)
        return np.where(self.asking, first, -1).astype(np.int64)

    @kept
    def parent(self) -> Array:
        """In the whole row; -1 for roots."""
        parent = np.full(len(self.n_children), -1, dtype=np.int64)
        inner = np.ones(len(parent), dtype=bool)
        inner[self.starts] = False
        # The children of a tree stand in the order of their parents, after its root.
        parent[inner] = np.repeat(np.arange(len(parent)), self.n_children)
        return parent

    @kept
    def levels(self) -> list[Array]:
        """Node numbers by depth, the deepest first."""
        level = self.starts
        found = []
        while level.size:
            found.append(level)
            inner = level[self.n_children[level] > 0]
            counts = self.n_children[inner].astype(np.int64)
            first = self.first_child[inner] + self.start_of[inner]
            steps = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
            level = np.repeat(first, counts) + steps
        return found[::-1]

    def summed(self, leaves: Array) -> Array:
        """Numbers of all nodes, where those of inner nodes are the sums over their children."""
        total = np.zeros((len(self.n_children), *leaves.shape[1:]))
        total[~self.asking] = leaves
        for level in self.levels[:-1]:
            np.add.at(total, self.parent[level], total[level])
        return total

    def heaviest_child(self, weight: Array) -> Array:
        """The child with the largest weight, the first on a tie; -1 in leaves."""
        inner = np.flatnonzero(self.asking)
        out = np.full(len(weight), -1, dtype=np.int32)
        if not inner.size:
            return out
        first = (self.first_child + self.start_of)[inner]
        # The children of all inner nodes: rows of the weight without roots, in order.
        most = np.full(len(inner), -np.inf)
        best = np.zeros(len(inner), dtype=np.int32)
        for place in range(int(self.n_children.max())):
            has = self.n_children[inner] > place
            value = np.where(has, weight[np.minimum(first + place, len(weight) - 1)], -np.inf)
            larger = value > most
            most[larger], best[larger] = value[larger], place
        out[inner] = best
        return out

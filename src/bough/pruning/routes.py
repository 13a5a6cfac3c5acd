"""Rows with weights sent down a tree, level by level: from any node, through a tree that is being changed.

Tree.reach does this for whole trees; here a subtree is tried in another place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Table
from bough.pruning.risk import Floats, Longs
from bough.pruning.sweeps import Mask, sums
from bough.tree import Tree
from bough.tree.condition import MULTIWAY, SPREAD, STAY, THRESHOLD
from bough.tree.rebuild import runs

UNKNOWN = -3  # the value leads nowhere


class Level(NamedTuple):
    """Rows at nodes of one depth: the number of the row among those sent, the node that it has come to and
    its weight there."""

    entry: Longs
    node: Longs
    weight: Floats
    rests: Mask  # goes no further
    missing: Mask  # has no value in the column that the node asks for


class Lists:
    """The categories that lead to each child: of nodes, or of surrogates."""

    def __init__(self, start: Longs, category: NDArray[np.int32], child: NDArray[np.int32]) -> None:
        # One sorted list of numbers, owner * width + category.
        self.width = int(category.max(initial=0)) + 1
        key = np.repeat(np.arange(len(start) - 1), np.diff(start)) * self.width + category
        order = np.argsort(key, kind="stable")
        self.key, self.child = key[order], child[order]

    def find(self, owner: Longs, x: Floats) -> Longs:
        wanted = owner * self.width + x.astype(np.int64)
        place = np.searchsorted(self.key, wanted)
        listed = (place < len(self.key)) & (x >= 0) & (x < self.width)
        listed[listed] = self.key[place[listed]] == wanted[listed]
        return np.where(listed, self.child[np.where(listed, place, 0)], UNKNOWN)


class Router:
    """A tree, the columns of a table, and what may change while it is used: which nodes ask and what stands
    where (`leaf` and `instead`, as in `rebuild`), and the weights of the nodes."""

    def __init__(self, tree: Tree, table: Table) -> None:
        self.tree = tree
        self.columns = np.stack([column.values for column in table.columns])
        self.leaf = tree.feature < 0
        self.instead = np.arange(tree.n_nodes)
        self.weight = tree.weight.copy()
        self._lists = Lists(tree.category_start, tree.category, tree.category_child)
        self._surrogate_lists = Lists(
            tree.surrogate_category_start, tree.surrogate_category, tree.surrogate_category_child
        )

    def descend(self, start: Longs, row: Longs, weight: Floats, by_rows: bool) -> Iterator[Level]:
        """Rows, each from its own node, down to where they rest. A row that is spread over the children is
        shared in proportion to the weight that they have: of these very rows (`by_rows`), or in the tree."""
        entry, node = np.arange(len(row)), start
        while entry.size:
            missing, answer = np.zeros(len(entry), dtype=bool), np.full(len(entry), STAY)
            asks = np.flatnonzero(~self.leaf[node])
            missing[asks], answer[asks] = self.answers(node[asks], row[entry[asks]])
            yield Level(entry, node, weight, answer == STAY, missing)
            entry, node, weight = self._next(entry, node, weight, answer, by_rows)

    def answers(self, node: Longs, row: Longs) -> tuple[Mask, Longs]:
        """Whether a value is missing; the number of the child that the row goes to, or STAY, or SPREAD."""
        tree = self.tree
        x = self.columns[tree.feature[node], row]
        missing = np.isnan(x)
        child = _ways(x, node, tree.kind[node], tree.threshold[node], self._lists)
        if tree.rules.unseen == "majority":
            for entry in np.flatnonzero((child == UNKNOWN) & ~missing).tolist():
                child[entry] = self._heaviest(int(node[entry]))
        count = np.diff(tree.surrogate_start)[node] if len(tree.surrogate_feature) else np.zeros(1, np.int64)
        for number in range(count.max(initial=0)):
            asks = np.flatnonzero((child == UNKNOWN) & (count > number))
            child[asks] = self._surrogate(tree.surrogate_start[node[asks]] + number, row[asks])
        return missing, np.where(child == UNKNOWN, tree.missing_child[node], child)

    def _surrogate(self, which: Longs, row: Longs) -> Longs:
        tree = self.tree
        x = self.columns[tree.surrogate_feature[which], row]
        kind, first = tree.surrogate_kind[which], tree.surrogate_first[which]
        child = _ways(x, which, kind, tree.surrogate_threshold[which], self._surrogate_lists)
        turned = (kind == THRESHOLD) & (child != UNKNOWN) & (first == 1)
        return np.where(turned, 1 - child, child)

    def _heaviest(self, node: int) -> int:
        first = int(self.tree.first_child[node])
        children = self.instead[first : first + int(self.tree.n_children[node])]
        return int(self.weight[children].argmax())

    def _next(
        self, entry: Longs, node: Longs, weight: Floats, answer: Longs, by_rows: bool
    ) -> tuple[Longs, Longs, Floats]:
        goes = answer >= 0
        place = self.tree.first_child[node[goes]] + answer[goes]
        entries, weights = entry[goes], weight[goes]
        spread = answer == SPREAD
        if spread.any():
            which, places, share = self._shares(node[spread], place, weights, by_rows)
            entries = np.concatenate([entries, entry[spread][which]])
            weights = np.concatenate([weights, weight[spread][which] * share])
            place = np.concatenate([place, places])
        return entries, self.instead[place], weights

    def _shares(
        self, node: Longs, place: Longs, weight: Floats, by_rows: bool
    ) -> tuple[Longs, Longs, Floats]:
        """For rows that are spread: the number of the row among them, the child's place and its share. The
        others at this depth, which have gone to `place` with `weight`, tell the shares where `by_rows`."""
        counts = self.tree.n_children[node].astype(np.int64)
        which = np.repeat(np.arange(len(node)), counts)
        places = runs(self.tree.first_child[node], counts)
        mass = self.weight[self.instead[places]]
        if by_rows:
            found, where = np.unique(place, return_inverse=True)
            known = np.append(sums(where, weight, len(found)), 0.0)
            at = np.searchsorted(found, places)
            at[(at == len(found)) | (np.append(found, -1)[at] != places)] = len(found)
            # Where no row is known, the tree's own weights must do.
            some = sums(which, known[at], len(node))[which] > 0
            mass = np.where(some, known[at], mass)
        share = mass / sums(which, mass, len(node))[which]
        there = share > 0
        return which[there], places[there], share[there]


def _ways(x: Floats, owner: Longs, kind: NDArray[np.uint8], threshold: Floats, lists: Lists) -> Longs:
    """The child that each value leads to, UNKNOWN if it is missing or not listed."""
    child = np.where(kind == THRESHOLD, x > threshold, UNKNOWN)
    ways = (kind == MULTIWAY) & (x >= 0)
    child[ways] = x[ways].astype(np.int64)
    groups = (kind != THRESHOLD) & (kind != MULTIWAY) & ~np.isnan(x)
    child[groups] = lists.find(owner[groups], x[groups])
    child[np.isnan(x)] = UNKNOWN
    return child

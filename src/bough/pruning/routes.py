"""Rows with weights sent down a tree, level by level: from any node, through a tree that is being changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bough.data.table import Table
from bough.pruning.risk import SPREADS, STAYS, Floats, Longs
from bough.pruning.sweeps import Mask, sums
from bough.tree import Tree
from bough.tree.condition import MULTIWAY, THRESHOLD
from bough.tree.rebuild import runs


class Level(NamedTuple):
    """Rows at nodes of one depth: an entry is a row, the node that it has come to and its weight there."""

    row: Longs
    node: Longs
    weight: Floats
    rests: Mask  # goes no further
    missing: Mask  # has no value in the column that the node asks for


class Router:
    """A tree, the columns of a table, and which nodes ask and stand where: `leaf` and `instead` are as in
    `rebuild` and may be changed while the router is used."""

    def __init__(self, tree: Tree, table: Table) -> None:
        self.tree = tree
        self.columns = np.stack([column.values for column in table.columns])
        self.leaf = tree.feature < 0
        self.instead = np.arange(tree.n_nodes)
        # The category lists of all nodes as one sorted list of numbers: node * width + category.
        self._width = int(tree.category.max(initial=0)) + 1
        owner = np.repeat(np.arange(tree.n_nodes), np.diff(tree.category_start))
        key = owner * self._width + tree.category
        order = np.argsort(key, kind="stable")
        self._key, self._child = key[order], tree.category_child[order]

    def ends(self) -> tuple[Longs, Longs, Floats]:
        """Row, node and weight of all rows of the table, of weight 1 each, where they come to rest."""
        row = np.arange(self.columns.shape[1])
        rested = [
            (level.row[level.rests], level.node[level.rests], level.weight[level.rests])
            for level in self.descend(0, row, np.ones(len(row)), by_rows=False)
        ]
        rows, nodes, weights = (np.concatenate(part) for part in zip(*rested, strict=True))
        return rows, nodes, weights

    def descend(self, start: int, row: Longs, weight: Floats, by_rows: bool) -> Iterator[Level]:
        """The rows from a node down to where they rest. A row that is spread over the children is shared in
        proportion to the weight that they have: of these very rows (`by_rows`), or in the tree."""
        node = np.full(len(row), start, dtype=np.int64)
        while row.size:
            rests = self.leaf[node]
            missing, answer = np.zeros(len(row), dtype=bool), np.full(len(row), STAYS)
            asks = np.flatnonzero(~rests)
            missing[asks], answer[asks] = self._answers(node[asks], row[asks])
            yield Level(row, node, weight, answer == STAYS, missing)
            row, node, weight = self._next(row, node, weight, answer, by_rows)

    def _answers(self, node: Longs, row: Longs) -> tuple[Mask, Longs]:
        """Whether a value is missing; the number of the child that the row goes to, or STAYS, or SPREADS."""
        tree = self.tree
        x = self.columns[tree.feature[node], row]
        missing = np.isnan(x)
        kind = tree.kind[node]
        child = (x > tree.threshold[node]).astype(np.int64)
        known = ~missing
        ways = known & (kind == MULTIWAY)
        child[ways] = x[ways].astype(np.int64)
        groups = known & (kind != MULTIWAY) & (kind != THRESHOLD)
        if groups.any():
            wanted = node[groups] * self._width + x[groups].astype(np.int64)
            place = np.minimum(np.searchsorted(self._key, wanted), len(self._key) - 1)
            listed = (self._key[place] == wanted) & (x[groups] < self._width)
            child[groups] = self._child[place]
            known[groups] = listed
        return missing, np.where(known, child, tree.missing_child[node])

    def _next(
        self, row: Longs, node: Longs, weight: Floats, answer: Longs, by_rows: bool
    ) -> tuple[Longs, Longs, Floats]:
        goes = answer >= 0
        place = self.tree.first_child[node[goes]] + answer[goes]
        rows, weights = row[goes], weight[goes]
        spread = answer == SPREADS
        if spread.any():
            which, places, share = self._shares(node[spread], place, weights, by_rows)
            rows = np.concatenate([rows, row[spread][which]])
            weights = np.concatenate([weights, weight[spread][which] * share])
            place = np.concatenate([place, places])
        return rows, self.instead[place], weights

    def _shares(
        self, node: Longs, place: Longs, weight: Floats, by_rows: bool
    ) -> tuple[Longs, Longs, Floats]:
        """For rows that are spread: the number of the row among them, the child's place and its share. The
        others at this depth, which have gone to `place` with `weight`, tell the shares where `by_rows`."""
        counts = self.tree.n_children[node].astype(np.int64)
        which = np.repeat(np.arange(len(node)), counts)
        places = runs(self.tree.first_child[node], counts)
        mass = self.tree.weight[self.instead[places]]
        if by_rows:
            found, where = np.unique(place, return_inverse=True)
            known = np.append(sums(where, weight, len(found)), 0.0)
            at = np.searchsorted(found, places)
            at[(at == len(found)) | (np.append(found, -1)[at] != places)] = len(found)
            fresh = known[at]
            # Where no row is known, the tree's own weights must do.
            some = sums(which, fresh, len(node))[which] > 0
            mass = np.where(some, fresh, mass)
        share = mass / sums(which, mass, len(node))[which]
        there = share > 0
        return which[there], places[there], share[there]

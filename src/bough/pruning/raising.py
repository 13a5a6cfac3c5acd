"""Subtree raising (C4.5): the largest branch of a question may take the question's place.

From the bottom up each question is compared with a leaf and with its largest branch, down which all rows of
the question are sent. A branch that takes the question's place is counted anew with those rows and pruned
once more, because what held for its own rows need not hold for all of them. Questions of one depth are
dealt with together: they share no rows but parts of those that are spread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bough import information
from bough.errors import BoughError
from bough.pruning.evidence import Evidence
from bough.pruning.risk import Floats, Longs
from bough.pruning.routes import Router
from bough.pruning.sweeps import Mask, asking, sums
from bough.tree import Tree
from bough.tree.condition import SPREAD, STAY
from bough.tree.rebuild import rebuild, runs

Impurity = Callable[[Floats], Floats]


class Rows(NamedTuple):
    """Rows at nodes, with their weights there."""

    row: Longs
    node: Longs
    weight: Floats

    def where(self, chosen: Mask) -> Rows:
        return Rows(self.row[chosen], self.node[chosen], self.weight[chosen])


def raised(tree: Tree, rows: Evidence, errors: Callable[[Floats], Floats], margin: float) -> Tree:
    """The pruned tree; `errors` gives the expected errors of leaves with these class weights."""
    work = _Work(tree, rows.target, Router(tree, rows.table), errors, margin)
    work.prune(np.zeros(1, dtype=np.int64), _rested(tree, rows))
    return work.result()


def _rested(tree: Tree, rows: Evidence) -> Rows:
    row, node, share = tree.reach(rows.table)
    found = Rows(row, node, share * rows.weights[row])
    total = sums(found.node, found.weight, tree.n_nodes)
    off = ~asking(tree) & (np.abs(total - tree.weight) > 1e-6 * tree.weight[0])
    if off.any():
        raise BoughError(
            f"the rows are not those that the tree was grown on: {np.count_nonzero(off)} leaves differ.",
            code="evidence",
            hint="Raising subtrees needs the training rows with their weights, or raising=False.",
        )
    return found.where(found.weight > 0)


class _Work:
    """The tree while it changes. Numbers are those of the old tree; `place` is where a node stands."""

    def __init__(
        self,
        tree: Tree,
        target: NDArray[Any],
        router: Router,
        errors: Callable[[Floats], Floats],
        margin: float,
    ) -> None:
        self.tree, self.target, self.router = tree, target, router
        self.errors, self.margin = errors, margin
        self.place = np.arange(tree.n_nodes)
        self.value, self.weight = tree.value.copy(), router.weight
        self.n_rows, self.n_missing = tree.n_rows.copy(), tree.n_missing.copy()
        self.recounted = np.zeros(tree.n_nodes, dtype=bool)
        self.as_leaf = errors(tree.value)
        self.expected = self.as_leaf.copy()  # of the subtree as it stands
        self.spreads = bool((tree.missing_child == SPREAD).any())

    def prune(self, roots: Longs, rows: Rows) -> Rows:
        """Prunes the subtrees at these places; the rows, given where they rest, come back at the roots."""
        for nodes in reversed(self._levels(self.router.instead[roots])):
            rows = self._decide(nodes, rows)
        return rows

    def _levels(self, nodes: Longs) -> list[Longs]:
        """The questions of the subtrees, by depth."""
        found = []
        while nodes.size:
            asks = nodes[~self.router.leaf[nodes]]
            found.append(asks)
            nodes = self.router.instead[self._children(asks)[1]]
        return found

    def _children(self, nodes: Longs) -> tuple[Longs, Longs]:
        """Number of the node among these, and place, of each of their children."""
        counts = self.tree.n_children[nodes].astype(np.int64)
        return np.repeat(np.arange(len(nodes)), counts), runs(self.tree.first_child[nodes], counts)

    def _decide(self, nodes: Longs, rows: Rows) -> Rows:
        """Each question stays, becomes a leaf, or makes room for its largest branch."""
        which, places = self._children(nodes)
        branches = self.router.instead[places]
        rows = self._lifted(nodes, which, branches, rows)
        alone = self.as_leaf[nodes]
        subtree = sums(which, self.expected[branches], len(nodes)) + self._staying(nodes, which, branches)
        # The last of equally large ones; what differs in the seventh digit is equal.
        order = np.lexsort((places, np.round(self.weight[branches], 6), which))
        largest = branches[order[np.cumsum(np.bincount(which, minlength=len(nodes))) - 1]]
        branch = self._if_raised(nodes, largest, rows)
        is_leaf = alone <= np.minimum(subtree, branch) + self.margin
        is_raised = ~is_leaf & (branch <= subtree + self.margin)
        self.router.leaf[nodes[is_leaf]] = True
        self.expected[nodes] = np.where(is_leaf, alone, subtree)
        return self._raise(nodes[is_raised], largest[is_raised], rows) if is_raised.any() else rows

    def _lifted(self, nodes: Longs, which: Longs, branches: Longs, rows: Rows) -> Rows:
        """The rows of the branches now stand at the questions; parts of a row are put together."""
        above = np.arange(self.tree.n_nodes)
        above[branches] = nodes[which]
        row, node, weight = rows.row, above[rows.node], rows.weight
        if self.spreads:
            key, part = np.unique(node * (len(self.target) + 1) + row, return_inverse=True)
            node, row = np.divmod(key, len(self.target) + 1)
            weight = sums(part, weight, len(key))
        return Rows(row, node, weight)

    def _staying(self, nodes: Longs, which: Longs, branches: Longs) -> Floats:
        """The rows that stay at a question count as a leaf of their own."""
        stays = self.tree.missing_child[nodes] == STAY
        if not stays.any():
            return np.zeros(len(nodes))
        gone = [sums(which, column, len(nodes)) for column in self.value[branches].T]
        rest = self.value[nodes] - np.column_stack(gone)
        return np.where(stays, self.errors(np.maximum(rest, 0.0)), 0.0)

    def _if_raised(self, nodes: Longs, largest: Longs, rows: Rows) -> Floats:
        """The expected errors of each question's largest branch, if it gets all rows of the question."""
        expected = self.as_leaf[nodes].copy()
        asks = ~self.router.leaf[largest]
        number = np.full(self.tree.n_nodes, -1)
        number[nodes[asks]] = np.flatnonzero(asks)
        rows = rows.where(number[rows.node] >= 0)
        if not asks.any():
            return expected
        owner = number[rows.node]
        expected[asks] = 0.0
        levels = list(self.router.descend(largest[owner], rows.row, rows.weight, by_rows=True))
        entry, node, weight = (
            np.concatenate([part[level.rests] for level, part in zip(levels, parts, strict=True)])
            for parts in zip(*((level.entry, level.node, level.weight) for level in levels), strict=True)
        )
        found, where, value = self._class_weights(node, rows.row[entry], weight)
        owners = np.empty(len(found), dtype=np.int64)
        owners[where] = owner[entry]
        return expected + sums(owners, self.errors(value), len(nodes))

    def _class_weights(self, node: Longs, row: Longs, weight: Floats) -> tuple[Longs, Longs, Floats]:
        """The nodes among these, the number of each entry's node, and the class weights of the nodes."""
        found, where = np.unique(node, return_inverse=True)
        classes = self.value.shape[1]
        cells = sums(where * classes + self.target[row], weight, len(found) * classes)
        return found, where, cells.reshape(len(found), classes)

    def _raise(self, nodes: Longs, branches: Longs, rows: Rows) -> Rows:
        """Puts the branches in the places of the questions, counts and prunes them anew."""
        places = self.place[nodes]
        self.place[branches] = places
        self.router.instead[places] = branches
        # Nothing that a branch no longer gets may keep its old count.
        everything = [branches]
        while everything[-1].size:
            asks = everything[-1][~self.router.leaf[everything[-1]]]
            everything.append(self.router.instead[self._children(asks)[1]])
        below = np.concatenate(everything)
        self._set(below, np.zeros((len(below), self.value.shape[1])), 0, 0)
        branch = np.full(self.tree.n_nodes, -1)
        branch[nodes] = branches
        moved = branch[rows.node] >= 0
        mine, others = rows.where(moved), rows.where(~moved)
        rested = []
        for level in self.router.descend(branch[mine.node], mine.row, mine.weight, by_rows=True):
            found, where, value = self._class_weights(level.node, mine.row[level.entry], level.weight)
            counts, missing = np.bincount(where), sums(where, level.missing, len(found))
            self._set(found, value, counts, missing)
            rested.append(Rows(mine.row[level.entry], level.node, level.weight).where(level.rests))
        again = Rows(*(np.concatenate(parts) for parts in zip(*rested, strict=True)))
        again = self.prune(places, again)
        return Rows(*(np.concatenate(parts) for parts in zip(others, again, strict=True)))

    def _set(self, nodes: Longs, value: Floats, n_rows: Any, n_missing: Any) -> None:
        self.value[nodes], self.weight[nodes] = value, value.sum(axis=1)
        self.n_rows[nodes], self.n_missing[nodes] = n_rows, n_missing
        self.as_leaf[nodes] = self.expected[nodes] = self.errors(value)
        self.recounted[nodes] = True

    def result(self) -> Tree:
        measure, known = impurity_of(self.tree), self.weight > 0
        impurity, gain = self.tree.impurity.copy(), self.tree.gain.copy()
        again = self.recounted & known
        if measure is not None:
            impurity[again] = measure(self.value[again])
            standing = (self.weight * impurity)[self.router.instead]
            below = sums(self.tree.parent[1:], standing[1:], self.tree.n_nodes)
            gain[again] = impurity[again] - below[again] / self.weight[again]
        changed: dict[str, NDArray[Any]] = {
            "value": self.value,
            "weight": self.weight,
            "n_rows": self.n_rows,
            "n_missing": self.n_missing,
            "impurity": impurity,
            "gain": gain,
        }
        return rebuild(self.tree, self.router.leaf, self.router.instead, changed)


def impurity_of(tree: Tree) -> Impurity | None:
    """The criterion that the tree was grown by, known by its figures. None if it is none of these: then
    raised nodes keep the impurity and gain that they had below."""
    weighty = tree.weight > 0
    measures: tuple[Impurity, ...] = (information.entropy, information.gini, information.error_rate)
    for measure in measures:
        if np.allclose(measure(tree.value[weighty]), tree.impurity[weighty], rtol=1e-9, atol=1e-9):
            return measure
    return None

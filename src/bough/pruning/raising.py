"""Subtree raising (C4.5): the largest branch of a question may take the question's place.

From the bottom up each question is compared with a leaf and with its largest branch, down which all rows of
the question are sent. A branch that takes the question's place is counted anew with those rows and pruned
once more, because what held for its own rows need not hold for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough import information
from bough.data.table import Table
from bough.errors import BoughError
from bough.pruning.evidence import Evidence
from bough.pruning.risk import Floats, Longs
from bough.pruning.routes import Router
from bough.pruning.sweeps import asking, sums
from bough.tree import Tree
from bough.tree.rebuild import rebuild, runs
from bough.tree.tree import SPREAD, STAY

Rows = tuple[Longs, Floats]  # their numbers, each once, and their weights
Impurity = Callable[[Floats], Floats]


def raised(tree: Tree, rows: Evidence, errors: Callable[[Floats], Floats], margin: float) -> Tree:
    """The pruned tree; `errors` gives the expected errors of leaves with these class weights."""
    work = _Work(tree, rows, errors)
    questions = np.flatnonzero(asking(tree)).tolist()  # a stack: what is pushed later is below and done first
    while questions:
        node = questions.pop()
        if not work.router.leaf[node]:
            questions += work.prune(node, margin)
    return work.result()


class _Work:
    """The tree while it changes. Numbers are those of the old tree; `place` is where a node stands."""

    def __init__(self, tree: Tree, rows: Evidence, errors: Callable[[Floats], Floats]) -> None:
        self.tree = tree
        self.router = Router(tree, rows.table)
        self.target = rows.target
        self.errors = errors
        self.place = np.arange(tree.n_nodes)
        self.value, self.weight = tree.value.copy(), self.router.weight
        self.n_rows, self.n_missing = tree.n_rows.copy(), tree.n_missing.copy()
        self.recounted = np.zeros(tree.n_nodes, dtype=bool)
        self.as_leaf = errors(tree.value)
        self.expected = self.as_leaf.copy()  # of the subtree as it stands
        self.rows: dict[int, Rows] = {}  # where they rest; a question takes over those of its branches
        self.spreads = bool((tree.missing_child == SPREAD).any())
        self._rest(rows.table, rows.weights)

    def _rest(self, table: Table, weights: Floats) -> None:
        row, node, share = self.tree.reach(table)
        weight = share * weights[row]
        there = weight > 0
        self._keep(row[there], node[there], weight[there])
        total = sums(node, weight, self.tree.n_nodes)
        leaves = ~asking(self.tree)
        off = np.abs(total - self.tree.weight)[leaves] > 1e-6 * self.tree.weight[0]
        if off.any():
            raise BoughError(
                f"the rows are not those that the tree was grown on: {np.count_nonzero(off)} leaves differ.",
                code="evidence",
                hint="Raising subtrees needs the training rows with their weights, or raising=False.",
            )

    def _keep(self, row: Longs, node: Longs, weight: Floats) -> None:
        order = np.argsort(node, kind="stable")
        nodes, counts = np.unique(node, return_counts=True)
        for n, end, count in zip(nodes.tolist(), np.cumsum(counts).tolist(), counts.tolist(), strict=True):
            part = order[end - count : end]
            self.rows[n] = row[part], weight[part]

    def prune(self, node: int, margin: float) -> list[int]:
        """Keeps the question, makes it a leaf, or raises its largest branch; then returns the questions of
        that branch, which are to be pruned anew."""
        first, count = int(self.tree.first_child[node]), int(self.tree.n_children[node])
        branches = self.router.instead[first : first + count]
        rows = self.rows[node] = self._gathered(node, branches)
        subtree = float(self.expected[branches].sum() + self._staying(node, branches))
        largest = int(branches[count - 1 - self.weight[branches[::-1]].argmax()])  # the last of equal ones
        alone = float(self.as_leaf[node])
        branch = alone if self.router.leaf[largest] else self._if_raised(largest, rows)
        if alone <= min(subtree, branch) + margin:
            self.router.leaf[node] = True
            self.expected[node] = alone
        elif branch <= subtree + margin:
            return self._raise(node, largest, rows)
        else:
            self.expected[node] = subtree
        return []

    def _gathered(self, node: int, branches: Longs) -> Rows:
        """The rows of the branches and those that stay at the node; parts of a row are put together."""
        parts = [self.rows.pop(n) for n in (node, *branches.tolist()) if n in self.rows]
        if not parts:
            return np.empty(0, dtype=np.int64), np.empty(0)
        row, weight = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        if self.spreads:
            row, which = np.unique(row, return_inverse=True)
            weight = sums(which, weight, len(row))
        return row, weight

    def _staying(self, node: int, branches: Longs) -> float:
        """The rows that stay at a question count as a leaf of their own."""
        if self.tree.missing_child[node] != STAY:
            return 0.0
        rest = self.value[node] - self.value[branches].sum(axis=0)
        return float(self.errors(np.maximum(rest, 0.0)[None])[0])

    def _if_raised(self, branch: int, rows: Rows) -> float:
        """The expected errors of a branch that gets these rows."""
        levels = list(self.router.descend(branch, *rows, by_rows=True))
        node = np.concatenate([level.node[level.rests] for level in levels])
        row = np.concatenate([level.row[level.rests] for level in levels])
        weight = np.concatenate([level.weight[level.rests] for level in levels])
        return float(self.errors(self._class_weights(node, row, weight)[1]).sum())

    def _class_weights(self, node: Longs, row: Longs, weight: Floats) -> tuple[Longs, Floats]:
        """The nodes among these, and the class weights of each."""
        found, where = np.unique(node, return_inverse=True)
        classes = self.value.shape[1]
        cells = sums(where * classes + self.target[row], weight, len(found) * classes)
        return found, cells.reshape(len(found), classes)

    def _raise(self, node: int, branch: int, rows: Rows) -> list[int]:
        place = self.place[branch] = self.place[node]
        self.router.instead[place] = branch
        del self.rows[node]
        questions: list[int] = []
        below = np.array([branch])
        while below.size:  # nothing that a branch no longer gets may keep its old count
            self._set(below, np.zeros((len(below), self.value.shape[1])), 0, 0)
            asks = below[~self.router.leaf[below]]
            questions += asks.tolist()
            counts = self.tree.n_children[asks].astype(np.int64)
            below = self.router.instead[runs(self.tree.first_child[asks], counts)]
        for level in self.router.descend(branch, *rows, by_rows=True):
            nodes, value = self._class_weights(level.node, level.row, level.weight)
            where = np.searchsorted(nodes, level.node)
            missing = sums(where, level.missing, len(nodes))
            self._set(nodes, value, np.bincount(where, minlength=len(nodes)), missing)
            rests = level.rests
            self._keep(level.row[rests], level.node[rests], level.weight[rests])
        return questions

    def _set(self, nodes: Longs, value: Floats, n_rows: Any, n_missing: Any) -> None:
        self.value[nodes], self.weight[nodes] = value, value.sum(axis=1)
        self.n_rows[nodes], self.n_missing[nodes] = n_rows, n_missing
        self.as_leaf[nodes] = self.expected[nodes] = self.errors(value)
        self.recounted[nodes] = True

    def result(self) -> Tree:
        measure, known = impurity_of(self.tree), self.weight > 0
        impurity, gain = self.tree.impurity.copy(), self.tree.gain.copy()
        again = self.recounted & known
        impurity[again] = np.nan if measure is None else measure(self.value[again])
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
    """The criterion that the tree was grown by, known by its figures; None if it is none of these."""
    weighty = tree.weight > 0
    measures: tuple[Impurity, ...] = (information.entropy, information.gini, information.error_rate)
    for measure in measures:
        if np.allclose(measure(tree.value[weighty]), tree.impurity[weighty], rtol=1e-9, atol=1e-9):
            return measure
    return None

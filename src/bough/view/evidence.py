"""Training rows at the nodes of a picture: values of the column asked, targets, quartiles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Table
from bough.kept import kept
from bough.tree import Tree

Floats = NDArray[np.float64]


class TrainingRows(Protocol):
    """Rows as the tree grew on them: class numbers or numbers, weights (None: all 1)."""

    @property
    def table(self) -> Table: ...
    @property
    def target(self) -> NDArray[Any]: ...
    @property
    def weights(self) -> Floats | None: ...


@dataclass(frozen=True)
class Members:
    """The rows of a node: their numbers and the weight with which each is there."""

    rows: NDArray[np.int64]
    weight: Floats


class Evidence:
    """Answers questions about the rows at a node; walks the table down the tree once."""

    def __init__(self, tree: Tree, given: TrainingRows) -> None:
        self.tree = tree
        self.given = given

    @kept
    def _spans(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Places of the nodes, each before those below it, and the place after the last of these."""
        tree = self.tree
        below = np.ones(tree.n_nodes, dtype=np.int64)
        for node in range(tree.n_nodes - 1, 0, -1):
            below[tree.parent[node]] += below[node]
        place, free = np.zeros(tree.n_nodes, dtype=np.int64), np.zeros(tree.n_nodes, dtype=np.int64)
        for node in range(1, tree.n_nodes):
            above = tree.parent[node]
            place[node] = place[above] + 1 + free[above]
            free[above] += below[node]
        return place, place + below

    @kept
    def _ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
        """Rows, the places where they end, ascending, and their weights there."""
        rows, ends, shares = self.tree.reach(self.given.table)
        places = self._spans[0][ends]
        order = np.argsort(places, kind="stable")
        weights = self.given.weights
        weight = shares if weights is None else shares * weights[rows]
        return rows[order], places[order], weight[order]

    def members(self, node: int) -> Members:
        """Rows that pass the node, those that stop there included."""
        rows, places, weight = self._ends
        first, end = np.searchsorted(places, [self._spans[0][node], self._spans[1][node]])
        return Members(rows[first:end], weight[first:end])

    def column(self, node: int, members: Members) -> Floats:
        """What the members say to the node's question."""
        values: Floats = self.given.table.columns[int(self.tree.feature[node])].values[members.rows]
        return values

    def target(self, members: Members) -> NDArray[Any]:
        return self.given.target[members.rows]

    def answered(self, node: int, answer: int) -> tuple[Floats, float]:
        """Of classes: their weights among the members, and the share of the one that is answered."""
        assert self.tree.classes is not None
        here = self.members(node)
        sums = np.bincount(self.target(here), here.weight, len(self.tree.classes)).astype(np.float64)
        return sums, float(sums[answer] / sums.sum()) if sums.sum() > 0 else math.nan

    def mean(self, node: int) -> float:
        """Of numbers; NaN without rows."""
        here = self.members(node)
        if not here.weight.sum() > 0:
            return math.nan
        return float(np.average(np.asarray(self.target(here), dtype=np.float64), weights=here.weight))

    @kept
    def target_range(self) -> tuple[float, float]:
        return float(np.min(self.given.target)), float(np.max(self.given.target))

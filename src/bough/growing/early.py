"""Growth that stops early: best-first, until rows that were held out are answered no better."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Table
from bough.errors import BoughError
from bough.growing.grow import grow
from bough.growing.settings import Settings, is_count, wrong
from bough.tree.best_first import beginning, split_order
from bough.tree.rules import Rules, cheapest
from bough.tree.tree import Tree

Longs = NDArray[np.int64]
Floats = NDArray[np.float64]

TIE = 1e-12  # a loss lower by less, relative to that of the root, is not lower


@dataclass(frozen=True)
class HeldOut:
    """Rows that no split is chosen on; `target` as for growth, `weights` None: all are 1."""

    table: Table
    target: NDArray[Any]
    weights: Floats | None = None


def grow_until(
    table: Table,
    target: NDArray[Any],
    classes: NDArray[Any] | None,
    weights: Floats | None,
    settings: Settings,
    threads: int,
    rules: Rules | None,
    held_out: HeldOut,
    patience: int,
) -> Tree:
    """The tree of best-first growth that ends when so many splits in a row have not raised the score on the
    held-out rows. Nothing grows twice: the whole tree has all its beginnings inside."""
    tree = grow(table, target, classes, weights, settings, threads, rules)
    return stop_early(tree, held_out, patience, threads)


def stop_early(
    tree: Tree, held_out: HeldOut, patience: int, threads: int = 1, grown: Tree | None = None
) -> Tree:
    """The beginning of a tree with the best score on the held-out rows (accuracy, or minus the mean squared
    error), the smallest of equal ones; after `patience` splits in a row that have not raised it, it ends.
    `grown`: the tree as it grew, if its weights have been changed since: they order the splits."""
    if not is_count(patience) or patience < 1:
        raise wrong("patience", patience, "a whole number from 1 up")
    if held_out.table.n_rows == 0 or (held_out.weights is not None and not held_out.weights.any()):
        raise BoughError(
            "no rows are held out to stop the growth by.",
            code="empty",
            hint="Hold out a larger share of the rows.",
        )
    splits: list[int] = []
    best, kept, margin = math.inf, 0, 0.0
    for node, loss in losses(tree, held_out, threads, grown):
        if node >= 0:
            splits.append(node)
        else:
            margin = TIE * loss
        if loss < best - margin:
            best, kept = loss, len(splits)
        if len(splits) - kept >= patience:
            break
    return beginning(tree, splits[:kept])


def losses(
    tree: Tree, held_out: HeldOut, threads: int = 1, grown: Tree | None = None
) -> Iterator[tuple[int, float]]:
    """Nodes in the order in which best-first growth splits them, and the loss on the held-out rows after each
    split: the weight of wrong answers, or the weighted sum of squared errors up to a common factor. First
    comes -1 with the loss of the root alone."""
    parts = _Parts.of(tree, held_out, threads)
    loss = parts.loss(parts.rows)
    total = math.fsum(loss)
    yield -1, total
    for node in split_order(grown or tree):
        here = parts.at_node(node)
        rows = np.unique(parts.row[here])
        if rows.size:
            for child in range(tree.first_child[node], tree.first_child[node] + tree.n_children[node]):
                parts.place[parts.at_node(child)] = child
            changed = parts.loss(rows)
            total += math.fsum(changed) - math.fsum(loss[rows])
            loss[rows] = changed
        yield node, total


@dataclass(frozen=True)
class _Parts:
    """Held-out rows on their way down the tree. A row is one part, or several where it is spread; parts are
    sorted by the place where they end, so that those which pass a node stand together."""

    tree: Tree
    held_out: HeldOut
    row: Longs
    share: Floats
    place: Longs  # where the part is at present
    first: Longs  # of the parts that pass a node
    last: Longs
    by_row: Longs  # parts, row by row
    row_start: Longs
    scale: float  # of numbers, so that no square leaves the range of float64

    @classmethod
    def of(cls, tree: Tree, held_out: HeldOut, threads: int) -> _Parts:
        row, end, share = tree.reach(held_out.table, threads)
        number, size = _depth_first(tree)
        order = np.argsort(number[end], kind="stable")
        ends = number[end][order]
        numbers = (tree.value, held_out.target) if tree.classes is None else ()
        return cls(
            tree,
            held_out,
            row[order],
            share[order],
            np.zeros(len(row), dtype=np.int64),
            np.searchsorted(ends, number),
            np.searchsorted(ends, number + size),
            np.argsort(row[order], kind="stable"),
            np.searchsorted(row, np.arange(held_out.table.n_rows + 1)),
            max((float(np.abs(values).max()) for values in numbers), default=1.0) or 1.0,
        )

    @property
    def rows(self) -> Longs:
        return np.arange(self.held_out.table.n_rows)

    def at_node(self, node: int) -> slice:
        """The parts that pass the node."""
        return slice(int(self.first[node]), int(self.last[node]))

    def loss(self, rows: Longs) -> Floats:
        """Of each of these rows, where its parts are at present."""
        true, answer = self.held_out.target[rows], self.answer(rows)
        loss: Floats
        if self.tree.classes is not None:
            loss = (self.tree.classes[true] != answer).astype(np.float64)
        else:
            scale = (
                max(float(np.abs(self.tree.value).max()), float(np.abs(self.held_out.target).max())) or 1.0
            )
            loss = (true / scale - answer / scale) ** 2
        return loss if self.held_out.weights is None else loss * self.held_out.weights[rows]

    def answer(self, rows: Longs) -> NDArray[Any]:
        tree = self.tree
        counts = self.row_start[rows + 1] - self.row_start[rows]
        if len(self.row) == self.held_out.table.n_rows:
            answers: NDArray[Any] = tree.answers[self.place[self.by_row[self.row_start[rows]]]]
            return answers
        starts = np.cumsum(counts) - counts
        parts = self.by_row[np.repeat(self.row_start[rows] - starts, counts) + np.arange(counts.sum())]
        values = tree.value if tree.classes is None else tree.shares
        mixed = np.add.reduceat(values[self.place[parts]] * self.share[parts, None], starts, axis=0)
        chosen: NDArray[Any] = (
            mixed[:, 0]
            if tree.classes is None
            else tree.classes[cheapest(mixed, tree.rules.costs, mixed=True)]
        )
        return chosen


def _depth_first(tree: Tree) -> tuple[Longs, Longs]:
    """The number of each node, parents first and each subtree in one piece, and the size of its subtree."""
    size = np.ones(tree.n_nodes, dtype=np.int64)
    for node in range(tree.n_nodes - 1, 0, -1):
        size[tree.parent[node]] += size[node]
    before = np.cumsum(size) - size
    number = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in range(1, tree.n_nodes):  # siblings stand together
        parent = tree.parent[node]
        number[node] = number[parent] + 1 + before[node] - before[tree.first_child[parent]]
    return number, size

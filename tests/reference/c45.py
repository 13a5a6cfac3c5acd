"""A plain-Python C4.5, first step: growing a tree, and its answers. Slow, written from the definitions.

Two dialects, `Settings.dialect`: "j48" is Weka's J48, "release8" Quinlan's C4.5. They share the
algorithm; the rules here and in c45_splits (the split of a column) and c45_prune (collapsing, pruning)
say where they differ.

Rows. A row in a node has a weight, which shrinks when the row is spread over branches; W is their sum.

Leaf without search. W does not reach 2 * minimum, or the largest class has all of it (W - largest does
not exceed 0).

Choice of the column. The columns that offer a split take part. Their average gain is without nominal
columns that have 0.3 * n declared categories or more (n: rows of the table), unless all columns of the
table have; with "merge" none is left out. If no column is left to average there is no split.
"gain_ratio": a column needs a gain of at least the average - 1e-3, and in release8 a split information
above 1e-3. The largest gain ratio wins: a later column must exceed the best before; the first must exceed
0 in j48, -1e-3 in release8 (a split without gain is taken there: collapsing removes it unless the tree
below is better).
"gain": the same with the gain in place of the ratio, for any column with a split information above 0.

Where rows go. At most the threshold: left ("at most": does not exceed). Rows with a missing value go to
every branch with weight times share, the share being the branch's weight / that of all branches, in known
rows; no row goes to a branch whose share does not exceed 0. If no row is known (possible only when
pruning gives a tree other rows) shares are equal. A branch without rows becomes an empty leaf.

Answer. Class weights of the leaf / their sum, or with laplace (w + 1) / (sum + classes). A row whose
value is missing goes down all branches by their shares. At an empty leaf j48 answers with its parent's
distribution, release8 with certainty for its parent's largest class. The class predicted is the first
that no later one exceeds by 1e-6, in the distribution without laplace.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from .c45_splits import EPSILON, Rows, Settings, Split, Splits, reaches
from .grower import Table, Value


@dataclass(eq=False)
class Node:
    rows: Rows
    counts: list[float]  # weight of each class
    majority: int  # the first class with the largest weight; of an empty leaf: its parent's
    split: Split | None = None
    shares: list[float] = field(default_factory=list)  # of a missing row, by branch
    children: list[Node] = field(default_factory=list)

    @property
    def weight(self) -> float:
        return sum(self.counts)

    @property
    def errors(self) -> float:
        """As a leaf, on its own rows."""
        return self.weight - max(self.counts)

    @property
    def size(self) -> int:
        return 1 + sum(child.size for child in self.children)

    @property
    def leaves(self) -> int:
        return sum(child.leaves for child in self.children) if self.children else 1

    def become_leaf(self) -> None:
        self.split, self.shares, self.children = None, [], []


def grow(table: Table, settings: Settings, rows: Sequence[int] | None = None) -> Node:
    """The tree as grown from the table or some of its rows: not collapsed, not pruned (see c45_prune)."""
    weights = table.weights or [1.0] * len(table.target)
    chosen = range(len(weights)) if rows is None else rows
    return Grower(table, settings).node([(i, float(weights[i])) for i in chosen if weights[i]], 0)


class Grower:
    def __init__(self, table: Table, settings: Settings) -> None:
        self.table, self.settings, self.splits = table, settings, Splits(table, settings)
        many = 0.3 * len(table.target)
        self.few = [c.kind == "ordered" or settings.exceeds(many, c.n_categories) for c in table.columns]
        if settings.categories == "merge" or not any(self.few):
            self.few = [True] * len(self.few)

    def node(self, rows: Rows, parent_majority: int) -> Node:
        counts = count(self.table, rows)
        node = Node(rows, counts, counts.index(max(counts)) if rows else parent_majority)
        node.split = self.search(node)
        if node.split is not None:
            parts, node.shares = part(self.table, node.split, rows, self.settings)
            node.children = [self.node(p, node.majority) for p in parts]
        return node

    def search(self, node: Node) -> Split | None:
        s = self.settings
        if not reaches(node.weight, 2 * s.minimum) or reaches(0, node.errors):
            return None
        offers = [self.splits.offer(c, node.rows) for c in range(len(self.table.columns))]
        gains = [x.gain for x in offers if x and self.few[x.column]]
        average = s.stored(sum(gains) / len(gains)) if gains else math.inf
        best, best_worth = None, 0.0 if s.dialect == "j48" else -EPSILON
        for split in offers:
            if split and s.exceeds(worth := self.worth(split, average), best_worth):
                best, best_worth = split, worth
        return best

    def worth(self, split: Split, average: float) -> float:
        """What columns are compared by; minus infinity if the column takes no part."""
        if self.settings.choice == "gain":
            return split.gain if split.info > 0 else -math.inf
        if split.gain < average - 1e-3:
            return -math.inf
        if self.settings.dialect == "release8" and split.info <= EPSILON:
            return -math.inf
        return split.ratio


def count(table: Table, rows: Rows) -> list[float]:
    counts = [0.0] * (table.n_classes or 0)
    for i, w in rows:
        counts[int(table.target[i])] += w
    return counts


def branch_of(split: Split, value: Value, settings: Settings) -> int | None:
    """The branch of a value; None if it is missing."""
    if value is None:
        return None
    if split.threshold is not None:
        return int(settings.exceeds(value, split.threshold))
    return next(b for b, group in enumerate(split.groups) if value in group)


def part(
    table: Table, split: Split, rows: Rows, settings: Settings, shares: list[float] | None = None
) -> tuple[list[Rows], list[float]]:
    """The rows of each branch, missing ones in shares (by these rows unless given); and the shares."""
    values = table.columns[split.column].values
    parts: list[Rows] = [[] for _ in range(split.branches)]
    missing: Rows = []
    for i, w in rows:
        b = branch_of(split, values[i], settings)
        (missing if b is None else parts[b]).append((i, w))
    if shares is None:
        weights = [sum(w for _, w in p) for p in parts]
        known = sum(weights)
        shares = [w / known if known > 1e-6 else 1 / len(parts) for w in weights]
    for p, share in zip(parts, shares, strict=True):
        if settings.exceeds(share, 0):
            p.extend((i, w * share) for i, w in missing)
    return parts, shares


def answer(node: Node, row: Sequence[Value], settings: Settings, laplace: bool = False) -> list[float]:
    """The class distribution for a row, given by its values in column order."""
    if node.split is None:
        return distribution(node, laplace)
    b = branch_of(node.split, row[node.split.column], settings)
    if b is not None:
        return answer_below(node, b, row, settings, laplace)
    total = [0.0] * len(node.counts)
    for b, share in enumerate(node.shares):
        if share:
            below = answer_below(node, b, row, settings, laplace)
            total = [t + share * p for t, p in zip(total, below, strict=True)]
    return total


def answer_below(node: Node, b: int, row: Sequence[Value], settings: Settings, laplace: bool) -> list[float]:
    child = node.children[b]
    if child.rows:
        return answer(child, row, settings, laplace)
    if settings.dialect == "j48":
        return distribution(node, laplace)
    return [float(k == child.majority) for k in range(len(node.counts))]


def distribution(node: Node, laplace: bool) -> list[float]:
    add = 1.0 if laplace else 0.0
    total = node.weight + add * len(node.counts)
    return [(w + add) / total for w in node.counts]


def predicted(shares: Sequence[float]) -> int:
    best = 0
    for k, p in enumerate(shares):
        if p > shares[best] + 1e-6:
            best = k
    return best

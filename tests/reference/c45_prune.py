"""A plain-Python C4.5, second step: collapsing a grown tree, then pruning it.

Collapsing. A node becomes a leaf if its subtree makes no fewer errors on the training rows: errors of the
subtree's leaves >= errors as a leaf - 1e-3 (errors are weights, a row that is spread counts in parts).
j48 goes top-down and asks with the subtree as grown; release8 bottom-up, while growing, with branches
already collapsed. Both collapse trees that are not pruned, too.

Estimated errors of a leaf with weight n and errors e: e + extra_errors(n, e), 0 if n is 0.

Pruning, children first, then the node with its pruned children; all rows of the node with their weights:
- tree: the sum of its leaves' estimates; leaf: the estimate as one leaf;
- branch: the estimate of its largest branch (most known weight, the last of equals) if that got all the
  node's rows: they are sent down anew, rows with a missing value in shares that the new rows determine.
- leaf <= tree + 0.1 and leaf <= branch + 0.1 ("<=": does not exceed): the node becomes a leaf;
- else branch <= tree + 0.1: the branch takes the node's place with all its rows, its distributions are
  counted anew, and it is pruned again from its children on;
- else the node stays.
Without raising, branch is infinite. A leaf keeps the class it had unless another one is now heavier
(release8: it is the class of an empty leaf's answer). With "merge" the last branch of a test is dropped
in the pruned tree if no category of its group can arrive there, given the groups above (drop_impossible);
C4.5 counts the unpruned tree with it.

Reduced-error pruning (J48 -R, three folds). stratified() orders the rows; the last of three parts prunes,
the tree is grown from the others (thresholds from the whole table), not collapsed. Pruning rows with a
missing value are spread by the shares of the growing rows. Children first, a node becomes a leaf if its
errors on the pruning rows do not exceed those of its subtree; a branch that got no growing rows errs as
its parent would. The distributions stay those of the growing rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import NormalDist

from .c45 import Node, count, grow, part
from .c45_splits import Rows, Settings
from .grower import Table

# C4.5's confidence levels and standard deviations.
LEVELS = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)


def collapse(node: Node, dialect: str = "j48") -> float:
    """Collapses in place; the errors of what is left."""
    if node.split is None:
        return node.errors
    if dialect == "release8":
        below = sum(collapse(child, dialect) for child in node.children)
        if below >= node.errors - 1e-3:
            node.become_leaf()
        return below
    if training_errors(node) >= node.errors - 1e-3:
        node.become_leaf()
    for child in node.children:
        collapse(child, dialect)
    return training_errors(node)


def training_errors(node: Node) -> float:
    return sum(training_errors(c) for c in node.children) if node.children else node.errors


def deviation(confidence: float, dialect: str) -> float:
    """j48: the normal quantile of 1 - confidence. release8: C4.5's table, with straight lines between."""
    if dialect == "j48":
        return NormalDist().inv_cdf(1 - confidence)
    points = pairwise(zip(LEVELS, DEVIATIONS, strict=True))
    (a, y), (b, z) = next(pair for pair in points if confidence <= pair[1][0])
    return y + (z - y) * (confidence - a) / (b - a)


def extra_errors(n: float, e: float, confidence: float, dialect: str) -> float:
    """What the upper limit of the error rate, at that confidence, adds to e errors among n.

    No error (release8: e < 1e-6): n (1 - confidence^(1/n)). Fewer than one (release8: e < 0.9999): on the
    straight line between no error and one. e + 0.5 >= n: n - e, at least 0 (release8: 0.67 (n - e)). j48
    adds nothing for a confidence above 0.5. Otherwise n * limit - e, with limit the larger p where (f - n
    p)^2 = z^2 n p (1 - p), f = e + 0.5.
    """
    j48 = dialect == "j48"
    if j48 and confidence > 0.5:
        return 0.0
    if e < (1 if j48 else 0.9999):
        none = n * (1 - confidence ** (1 / n))
        if e <= (0 if j48 else 1e-6):
            return none
        return none + e * (extra_errors(n, 1.0, confidence, dialect) - none)
    if e + 0.5 >= n:
        return max(n - e, 0.0) if j48 else 0.67 * (n - e)
    z2, f = deviation(confidence, dialect) ** 2, e + 0.5
    return n * (f + z2 / 2 + math.sqrt(z2 * (f * (1 - f / n) + z2 / 4))) / (n + z2) - e


def prune(
    node: Node, table: Table, settings: Settings, confidence: float = 0.25, raising: bool = True
) -> float:
    """Prunes in place; the estimated errors of what is left."""
    return Pruner(table, settings, confidence, raising).prune(node, node.rows)


class Pruner:
    def __init__(self, table: Table, settings: Settings, confidence: float, raising: bool) -> None:
        self.table, self.settings, self.confidence, self.raising = table, settings, confidence, raising

    def as_leaf(self, rows: Rows) -> float:
        counts = count(self.table, rows)
        n = sum(counts)
        e = n - max(counts)
        return e + extra_errors(n, e, self.confidence, self.settings.dialect) if n > 1e-6 else 0.0

    def estimate(self, node: Node, rows: Rows) -> float:
        """The tree's estimate if it got these rows."""
        if node.split is None:
            return self.as_leaf(rows)
        parts, _ = part(self.table, node.split, rows, self.settings)
        return sum(self.estimate(child, p) for child, p in zip(node.children, parts, strict=True))

    def prune(self, node: Node, rows: Rows) -> float:
        node.rows, node.counts = rows, count(self.table, rows)
        if max(node.counts) > node.counts[node.majority]:
            node.majority = node.counts.index(max(node.counts))
        leaf = self.as_leaf(rows)
        if node.split is None:
            return leaf
        parts, node.shares = part(self.table, node.split, rows, self.settings)
        tree = sum(self.prune(child, p) for child, p in zip(node.children, parts, strict=True))
        largest = node.children[self.largest(node.shares)]
        branch = self.estimate(largest, rows) if self.raising else math.inf
        if not self.settings.exceeds(leaf, min(tree, branch) + 0.1):
            node.become_leaf()
            return leaf
        if not self.settings.exceeds(branch, tree + 0.1):
            node.split, node.children, node.majority = largest.split, largest.children, largest.majority
            return self.prune(node, rows)
        return tree

    def largest(self, shares: Sequence[float]) -> int:
        best = 0
        for b, share in enumerate(shares):
            if not self.settings.exceeds(shares[best], share):
                best = b
        return best


def drop_impossible(node: Node, possible: dict[int, frozenset[int]] | None = None) -> None:
    """Drops last branches of merged categories that no row can reach."""
    possible = possible or {}
    if node.split is None:
        return
    groups, column = node.split.groups, node.split.column
    merged = any(len(group) > 1 for group in groups) or len(groups) > 2
    if merged and not groups[-1] & possible.get(column, groups[-1]):
        node.children = node.children[:-1]
    for b, child in enumerate(node.children):
        drop_impossible(child, {**possible, column: groups[b]} if merged else possible)


# Reduced-error pruning.


def stratified(target: Sequence[float], folds: int) -> list[list[int]]:
    """Weka's folds: rows of one class together, by swapping; every n-th from 0, from 1, ...; in parts."""
    order, n = list(range(len(target))), len(target)
    index = 1
    while index < n:
        first = order[index - 1]
        for j in range(index, n):
            if target[order[j]] == target[first]:
                order[index], order[j] = order[j], order[index]
                index += 1
        index += 1
    order = [i for start in range(folds) for i in order[start::folds]]
    sizes = [n // folds + (f < n % folds) for f in range(folds)]
    return [order[sum(sizes[:f]) : sum(sizes[: f + 1])] for f in range(folds)]


def reduced_error(table: Table, settings: Settings, folds: int = 3) -> Node:
    *growing, pruning = stratified(table.target, folds)
    tree = grow(table, settings, [i for fold in growing for i in fold])
    weights = table.weights or [1.0] * len(table.target)
    reduce(tree, table, settings, [(i, weights[i]) for i in pruning])
    return tree


def reduce(node: Node, table: Table, settings: Settings, rows: Rows) -> float:
    """Prunes in place; the errors of what is left on these rows."""
    counts = count(table, rows)
    leaf = sum(counts) - counts[node.majority]
    if node.split is None:
        return leaf
    parts, _ = part(table, node.split, rows, settings, node.shares)
    tree = sum(reduce(child, table, settings, p) for child, p in zip(node.children, parts, strict=True))
    if not settings.exceeds(leaf, tree):
        node.become_leaf()
        return leaf
    return tree

"""Pruning by minimum description length: the tree with which the targets can be sent in the fewest bits.

What is sent, in bits:
- for each node 1: does it ask?
- for each question: log2 of the number of columns; for a threshold log2 of the number of cuts between the
  rows that have a value; for g categories in m groups g log2 m - log2 m!; for a branch of each category
  nothing more; log2 of the number of branches where training rows were missing and one branch takes them;
- for each leaf the targets of its rows. Classes: one after the other, each at the odds of those before it,
  counts starting from 1/2 (Krichevsky and Trofimov):
  log2 [Gamma(n + K/2) / Gamma(K/2)] - sum over k of log2 [Gamma(n_k + 1/2) / Gamma(1/2)].
  Numbers: likewise under a normal distribution whose mean and variance are learnt from the rows before,
  starting as if one row with the root's mean and variance had been seen. (A constant for each row, its
  last digit, is the same in every tree and left out.)
Weights count as that many rows.
"""

from __future__ import annotations

import numpy as np

from bough.pruning.risk import check_variances, stayed
from bough.pruning.sweeps import Floats, asking, cheapest, child_sums
from bough.tree import Tree
from bough.tree.condition import MULTIWAY, THRESHOLD
from bough.tree.rebuild import rebuild


def mdl(tree: Tree) -> Tree:
    """The pruning of the shortest description."""
    check_variances(tree, 'method="mdl"')
    staying = target_bits(tree, stays=True)
    return rebuild(tree, cheapest(tree, target_bits(tree), question_bits(tree) + staying))


def description_length(tree: Tree) -> float:
    """The bits of the whole tree and of its targets."""
    asks = asking(tree)
    root = 1.0  # the other nodes' bits are counted with the questions above them
    questions = question_bits(tree) + target_bits(tree, stays=True)
    return root + float(target_bits(tree)[~asks].sum() + questions[asks].sum())


def question_bits(tree: Tree) -> Floats:
    """What each question costs: itself, and one bit for each of its children; 0 in a leaf."""
    from scipy.special import gammaln  # 0.2 s that other methods need not pay

    asks = asking(tree)
    branches = np.maximum(tree.n_children, 1).astype(np.float64)
    bits = np.full(tree.n_nodes, np.log2(len(tree.fields)))
    cuts = np.maximum(tree.n_rows - tree.n_missing - 1, 1)
    listed = np.diff(tree.category_start)
    groups = listed * np.log2(branches) - gammaln(branches + 1) / np.log(2)
    threshold, multiway = tree.kind == THRESHOLD, tree.kind == MULTIWAY
    bits += np.where(threshold, np.log2(cuts), np.where(multiway, 0.0, np.maximum(groups, 0.0)))
    bits += np.where((tree.n_missing > 0) & (tree.missing_child >= 0), np.log2(branches), 0.0)
    return np.where(asks, bits + tree.n_children, 0.0)


def target_bits(tree: Tree, stays: bool = False) -> Floats:
    """The bits for the targets of each node's rows, or of those that stay at it while it asks."""
    if tree.classes is not None:
        return class_bits(stayed(tree, tree.value) if stays else tree.value)
    weight, mean, squares = tree.weight, tree.value[:, 0], tree.weight * tree.impurity
    if stays:
        weight = stayed(tree, tree.weight)
        sums = stayed(tree, tree.weight * mean)
        between = child_sums(tree, tree.weight * (mean - mean[np.maximum(tree.parent, 0)]) ** 2)
        squares = np.maximum(squares - child_sums(tree, squares) - between, 0.0) * (weight > 0)
        mean = np.divide(sums, weight, out=mean.copy(), where=weight > 0)
    return number_bits(weight, mean, squares, float(tree.value[0, 0]), float(tree.impurity[0]))


def class_bits(value: Floats) -> Floats:
    from scipy.special import gammaln

    classes = value.shape[1]
    total = gammaln(value.sum(axis=1) + classes / 2) - gammaln(classes / 2)
    each = gammaln(value + 0.5) - gammaln(0.5)
    bits: Floats = (total - each.sum(axis=1)) / np.log(2)
    return bits


def number_bits(weight: Floats, mean: Floats, squares: Floats, start: float, variance: float) -> Floats:
    """The normal distribution's density of all rows, integrated over mean and variance: with a = 1/2 and
    b = variance / 2 before, a + n/2 and b + squares/2 + n (mean - start)^2 / (2 (n + 1)) after."""
    from scipy.special import gammaln

    if variance == 0:
        return np.zeros(len(weight))
    after = 0.5 + weight / 2
    # In units of the root's variance: sizes cancel, and nothing overflows.
    b = 0.5 + (squares + weight * (mean - start) ** 2 / (weight + 1)) / (2 * variance)
    nats = (
        weight / 2 * np.log(2 * np.pi)
        + np.log1p(weight) / 2
        + after * np.log(b)
        - 0.5 * np.log(0.5)
        + gammaln(0.5)
        - gammaln(after)
    )
    bits: Floats = nats / np.log(2)
    return bits

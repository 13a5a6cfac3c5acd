"""Significance pruning (critical value): a split that chance explains goes, unless a split below it stays.

Classes: Pearson's chi-square test of branch against class, where weights count as that many cases.
Numbers: the F test of equal means in the branches, where only the ratios of weights matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bough.pruning.options import check_number
from bough.pruning.risk import check_variances
from bough.pruning.sweeps import Floats, asking, child_sums, subtree_sums
from bough.tree import Tree
from bough.tree.rebuild import rebuild


class SplitTests(NamedTuple):
    """The test of each question: statistic, degrees of freedom, p-value; 0, 0 and 1 in a leaf.
    For numbers the statistic is F and df that of its numerator."""

    statistic: Floats
    df: NDArray[np.int64]
    p_value: Floats


def significance(tree: Tree, *, level: float = 0.05) -> Tree:
    """Keeps the splits with a p-value of at most `level`, and those above them."""
    check_number("level", level, 0.0, 1.0, "a number from 0 to 1")
    kept = asking(tree) & (split_tests(tree).p_value <= level)
    return rebuild(tree, subtree_sums(tree, kept) == 0)


def split_tests(tree: Tree) -> SplitTests:
    """The test of every question, in the order of the nodes."""
    return _equal_means(tree) if tree.classes is None else _chi_square(tree)


def _chi_square(tree: Tree) -> SplitTests:
    """Sum of (seen - expected)^2 / expected over branches with rows and classes present: it equals
    W * (sum of seen^2 / (row sum * column sum) - 1)."""
    from scipy.special import chdtrc  # 0.2 s that other methods need not pay

    columns = child_sums(tree, tree.value)
    above = np.maximum(tree.parent, 0)
    expected = columns[above] * tree.weight[:, None]
    cells = np.divide(tree.value**2, expected, out=np.zeros_like(expected), where=expected > 0)
    total = columns.sum(axis=1)
    statistic = np.maximum(total * (child_sums(tree, cells.sum(axis=1)) - 1.0), 0.0)
    branches, classes = child_sums(tree, tree.weight > 0), (columns > 0).sum(axis=1)
    df = np.maximum(branches - 1, 0) * np.maximum(classes - 1, 0)
    tested = asking(tree) & (df > 0)
    p_value = np.where(tested, chdtrc(np.maximum(df, 1), statistic), 1.0)
    return SplitTests(np.where(tested, statistic, 0.0), np.where(tested, df, 0).astype(np.int64), p_value)


def _equal_means(tree: Tree) -> SplitTests:
    """F = (between / (branches - 1)) / (within / (rows - branches)); sums of squares per unit of weight."""
    from scipy.special import fdtrc

    check_variances(tree, "the F test")
    means = tree.value[:, 0]
    weight = child_sums(tree, tree.weight)
    share = tree.weight / np.where(weight > 0, weight, 1.0)[np.maximum(tree.parent, 0)]
    middle = child_sums(tree, share * means)
    between = child_sums(tree, share * (means - middle[np.maximum(tree.parent, 0)]) ** 2)
    within = child_sums(tree, share * tree.impurity)
    branches, rows = child_sums(tree, tree.n_rows > 0), child_sums(tree, tree.n_rows)
    df = np.maximum(branches - 1, 0)
    # Without any rest in the branches a split that parts at all is certain.
    tested = asking(tree) & (df > 0) & (between > 0)
    spare = np.maximum(rows - branches, 0)
    usual = tested & (within > 0) & (spare > 0)
    statistic = np.zeros(tree.n_nodes)
    statistic[tested] = np.inf
    statistic[usual] = (between / np.where(usual, within, 1.0) * spare / np.maximum(df, 1))[usual]
    p_value = np.where(tested, fdtrc(np.maximum(df, 1), np.maximum(spare, 1), statistic), 1.0)
    p_value[tested & (spare == 0)] = 1.0  # as many means as rows
    return SplitTests(statistic, np.where(tested, df, 0).astype(np.int64), p_value)

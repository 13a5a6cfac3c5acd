"""Pessimistic pruning (C4.5): training errors raised to the upper end of a confidence interval.

A leaf of weight N with e errors is expected to make e + added(N, e) errors on new rows. From the bottom up,
a question becomes a leaf if that is expected to cost at most 0.1 errors more than its subtree; with the
training rows at hand its largest branch may also take its place (raising.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bough.errors import BoughError
from bough.growing.settings import check_name
from bough.pruning.evidence import Evidence
from bough.pruning.options import check_classes, check_number, check_switch
from bough.pruning.raising import raised
from bough.pruning.risk import class_cost, node_answers, stayed
from bough.pruning.sweeps import Floats, Mask, asking, cheapest, subtree_sums
from bough.pruning.unreachable import without_unreachable
from bough.tree import Tree
from bough.tree.rebuild import rebuild

ESTIMATES = ("normal", "table")
MARGIN = 0.1 + 1e-6  # errors; Weka takes what differs by less than 1e-6 as equal
SAVED = 1e-3  # errors that a subtree must save on the training rows

# Quinlan's table: the deviation that a share CF of the normal distribution exceeds.
CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def pessimistic(
    tree: Tree,
    rows: Evidence | None = None,
    *,
    confidence: float = 0.25,
    estimate: str = "normal",
    collapse: bool = True,
    raising: bool | None = None,
) -> Tree:
    """C4.5's pruning. `confidence` CF: smaller prunes more. `estimate`: "normal" as in Weka's J48, "table"
    as in Quinlan's release 8. `collapse` first makes leaves of subtrees that save no training error.
    `raising` needs the training rows; None: raise if they are given.
    """
    check_classes(tree, 'method="pessimistic"')
    bound = Bound.of(confidence, estimate)
    if raising is None:
        raising = rows is not None
    if check_switch("raising", raising) and rows is None:
        raise BoughError(
            "raising subtrees needs the training rows.",
            code="parameter",
            hint="prune(tree, method, data=X, target=y), or raising=False.",
        )
    if check_switch("collapse", collapse):
        tree = rebuild(tree, saves_nothing(tree))
    if raising and rows is not None:
        return without_unreachable(raised(tree, rows, bound.errors, MARGIN))
    staying = bound.errors(stayed(tree, tree.value))
    leaves = cheapest(tree, bound.errors(tree.value), staying, MARGIN)
    return without_unreachable(rebuild(tree, leaves))


def saves_nothing(tree: Tree) -> Mask:
    """Subtrees with as many training errors as their root alone."""
    answer = node_answers(tree, None)
    wrong = class_cost(tree.value, answer, None)
    staying = class_cost(stayed(tree, tree.value), answer, None)
    below = subtree_sums(tree, np.where(asking(tree), staying, wrong))
    nothing: Mask = asking(tree) & (below >= wrong - SAVED)
    return nothing


@dataclass(frozen=True)
class Bound:
    """The upper end of a one-sided confidence interval for the errors of a leaf."""

    confidence: float
    z: float  # the deviation of the normal distribution that belongs to it
    at_full: float  # what is added, for each row that is not an error, where nearly all are errors

    @classmethod
    def of(cls, confidence: Any, estimate: Any) -> Bound:
        check_name("estimate", estimate, ESTIMATES)
        if estimate == "normal":
            from scipy.special import ndtri  # 0.2 s that other methods need not pay

            cf = check_number("confidence", confidence, 1e-12, 0.5, "a number above 0, at most 0.5")
            return cls(cf, -float(ndtri(cf)), 1.0)
        cf = check_number("confidence", confidence, 1e-12, 1.0, "a number above 0, at most 1")
        return cls(cf, float(np.interp(cf, CONFIDENCES, DEVIATIONS)), 0.67)

    def errors(self, value: Floats) -> Floats:
        """The expected errors of leaves with these class weights (one leaf a row); 0 without weight."""
        total = value.sum(axis=1)
        wrong = total - value.max(axis=1)
        some = total > 1e-6
        expected = np.zeros(len(total))
        expected[some] = wrong[some] + self.added(total[some], wrong[some])
        return expected

    def added(self, n: Floats, e: Floats) -> Floats:
        """Below one error a straight line from the exact n (1 - CF^(1/n)) at none; else the normal
        approximation with continuity correction, up to half an error below n."""
        none = n * (1.0 - self.confidence ** (1.0 / n))
        one_or_more = self._normal(n, np.maximum(e, 1.0))
        return np.where(e < 1.0, none + e * (one_or_more - none), one_or_more)

    def _normal(self, n: Floats, e: Floats) -> Floats:
        zz, wrong = self.z**2, e + 0.5
        nearly_all = wrong >= n
        inner = np.where(nearly_all, 0.0, zz * (wrong * (1.0 - wrong / n) + zz / 4.0))
        upper = n * (wrong + zz / 2.0 + np.sqrt(inner)) / (n + zz)
        return np.where(nearly_all, self.at_full * np.maximum(n - e, 0.0), upper - e)

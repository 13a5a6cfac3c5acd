"""How a grown tree answers: estimates of class shares, costs of mistakes, and values it has no branch for."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ESTIMATES = ("raw", "half", "laplace", "m")
UNSEEN = ("missing", "majority", "error")
TIE = 1e-12  # expected costs, or mixed shares, closer than this, relative to the best, are equal


@dataclass(frozen=True)
class Rules:
    """What does not follow from the nodes alone."""

    estimate: str = "raw"  # of class shares from class weights
    m: float = 2.0  # rows that the root's shares count for, with estimate "m"
    costs: tuple[tuple[float, ...], ...] | None = None  # of answering column j where row k is the truth
    unseen: str = "missing"  # a category without a branch
    never_missing: tuple[str, ...] = ()  # columns in which a missing value is an error

    def changes(self) -> dict[str, Any]:
        """What differs from the usual rules."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) != f.default}


def class_shares(value: Floats, rules: Rules) -> Floats:
    """Estimated shares from class weights, nodes by classes; a node without weight has none (all 0).

    >>> class_shares(np.array([[3.0, 29.0]]), Rules(estimate="half")).round(4)
    array([[0.1061, 0.8939]])
    """
    totals = value.sum(axis=1, keepdims=True)
    n_classes = value.shape[1]
    extra: Floats | float = {"raw": 0.0, "half": 0.5, "laplace": 1.0, "m": 0.0}[rules.estimate]
    if rules.estimate == "m":
        extra = rules.m * value[:1] / totals[0]
    more = float(np.sum(extra)) if rules.estimate == "m" else float(extra) * n_classes
    shares: Floats = np.divide(value + extra, totals + more, out=np.zeros_like(value), where=totals > 0)
    return shares


def cheapest(
    shares: Floats, costs: tuple[tuple[float, ...], ...] | Floats | None, mixed: bool = False
) -> NDArray[np.intp]:
    """The class to answer: the largest share, or the least expected cost; the first on a tie. `mixed`: shares
    of several leaves were added up, which rounds."""
    if costs is None and mixed:
        first: NDArray[np.intp] = (shares >= shares.max(axis=1, keepdims=True) * (1 - TIE)).argmax(axis=1)
        return first
    if costs is None:
        largest: NDArray[np.intp] = shares.argmax(axis=1)
        return largest
    expected = shares @ np.array(costs)
    # Costs are small whole numbers more often than not: equal ones are common, and rounding tells them apart.
    limit = expected.min(axis=1, keepdims=True) * (1 + TIE)
    least: NDArray[np.intp] = (expected <= limit).argmax(axis=1)
    return least

"""What the trees that have not seen a row say about it, and how good that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bough.data.target import effective_rows
from bough.ensemble.forest import Data, Grove
from bough.tree import Ensemble, Tree
from bough.tree.rules import cheapest

Floats = NDArray[np.float64]

SPREAD = 1.959963984540054  # of a normal variable: 95 % lie within so many standard deviations


@dataclass(frozen=True)
class Score:
    """Share of right answers, or R²; `low` to `high`: where it lies with 95 % confidence."""

    value: float
    low: float
    high: float
    n_rows: int  # that at least one tree has not seen


class OutOfBag:
    """Sums over the trees that have not seen a row, in the order of the trees."""

    def __init__(self, grove: Grove, combine: str) -> None:
        self._grove = grove
        self._combine = combine
        data = grove.data
        width = 1 if data.classes is None else len(data.classes)
        self.total = np.zeros((data.table.n_rows, width))
        self.times = np.zeros(data.table.n_rows, dtype=np.int64)

    def add(self, trees: list[Tree], first: int) -> None:
        """Trees number first, first + 1 … of the grove."""
        data = self._grove.data
        ensemble = forest_of(tuple(trees), data, self._combine)
        ensemble.add_unseen(data.table, self._grove.bags, first, self.total, self.times, data.threads)

    def answers(self) -> Floats:
        """Shares of the classes, or numbers; NaN for a row that all trees have seen."""
        seen = self.times == 0
        with np.errstate(invalid="ignore"):
            answers: Floats = self.total / self.times[:, None]
        answers[seen] = np.nan
        return answers

    def score(self) -> Score:
        data = self._grove.data
        known = self.times > 0
        weights = np.ones(len(known)) if data.weights is None else data.weights
        if not known.any():
            return Score(np.nan, np.nan, np.nan, 0)
        weights = weights[known]
        answers, target = self.answers()[known], data.target[known]
        if data.classes is None:
            return score_of_numbers(answers[:, 0], target, weights / weights.sum())
        costs = self._grove.rules.costs if self._combine == "mean" else None
        return score_of_classes(cheapest(answers, costs) == target, weights)


def score_of_classes(right: NDArray[np.bool_], weights: Floats) -> Score:
    """The share of the right answers and Wilson's interval of it; `weights`: what each row counts."""
    n, p = len(right), float(weights @ right / weights.sum())  # all right is 1 to the last bit
    z = SPREAD**2 / effective_rows(weights)
    middle = (p + z / 2) / (1 + z)
    half = np.sqrt(p * (1 - p) * z + z * z / 4) / (1 + z)
    return Score(p, float(middle - half), float(middle + half), n)


def score_of_numbers(answers: Floats, target: Floats, share: Floats) -> Score:
    """R², and the errors' mean give or take its standard error as a share of the variance."""
    n = len(target)
    errors = (answers - target) ** 2
    error = float(share @ errors)
    variance = float(share @ (target - share @ target) ** 2)
    if variance == 0:
        value = 1.0 if error == 0 else 0.0  # as scikit-learn's r2_score
        return Score(value, value, value, n)
    spread = SPREAD * float(np.sqrt(share @ (errors - error) ** 2 / effective_rows(share)))
    return Score(1 - error / variance, 1 - (error + spread) / variance, 1 - (error - spread) / variance, n)


def forest_of(trees: tuple[Tree, ...], data: Data, combine: str) -> Ensemble:
    """The trees with equal weight."""
    return Ensemble(
        trees,
        data.table.fields,
        data.classes,
        combine,
        np.ones(len(trees)),
        np.zeros(len(trees), dtype=np.int32),
        np.zeros(0),
    )

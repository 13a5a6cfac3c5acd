"""How many leaves: cross-validation over a ladder of sizes, and the rule of one standard error.

Best-first growth makes every smaller tree with two-way splits a beginning of the larger one, so each fold
grows one tree of the largest size and all smaller ones are read off it: 10 growths instead of 160.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, brier_score_loss, r2_score, roc_auc_score, root_mean_squared_error
from sklearn.model_selection import KFold, StratifiedKFold

from bough.cli.problem import Problem
from bough.tree import Tree
from bough.tree.best_first import stops

FEWEST = 50  # rows; with fewer, one standard error spans everything and the answer would be a single leaf
LADDER = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32)

Splits = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


@dataclass(frozen=True)
class SizeScore:
    """The mean score over the folds of trees with at most so many leaves; None: as large as was asked."""

    leaves: int | None
    mean: float
    error: float  # standard error of the mean


@dataclass(frozen=True)
class Fold:
    rows: NDArray[np.intp]  # left out when the tree was grown
    tree: Tree
    ends: NDArray[np.int64]  # the leaf that each of them comes to
    classes: NDArray[np.int64]  # numbers of the classes that the tree knows


def splits(problem: Problem, folds: int, seed: int) -> Splits:
    """Rows to grow on and rows to score, so many times or as often as possible; none if not twice."""
    n_rows = len(problem.y)
    if problem.classes is None:
        folds = min(folds, n_rows)
        splitter: Any = KFold
    else:
        # The second largest class has a row in every fold. Rarer ones may be absent from some.
        folds = min(folds, int(np.sort(np.bincount(problem.y))[-2]))
        splitter = StratifiedKFold
    if folds < 2:
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about those rarer ones
        return list(splitter(folds, shuffle=True, random_state=seed).split(np.zeros(n_rows), problem.y))


def grow_folds(problem: Problem, parts: Splits, estimator: Callable[[], Any]) -> list[Fold]:
    """One tree for each fold, grown on the others."""
    folds = []
    for grown, left in parts:
        w = None if problem.weights is None else problem.weights[grown]
        model = estimator().fit(problem.table.take(grown), problem.y[grown], sample_weight=w)
        ends = model.apply(problem.table.take(left))
        folds.append(Fold(left, model.tree_, ends, getattr(model, "classes_", np.empty(0, np.int64))))
    return folds


def score_size(problem: Problem, folds: Iterable[Fold], leaves: int | None) -> SizeScore:
    """Accuracy, or the root mean squared error with a minus: more is better."""
    found = []
    for fold in folds:
        nodes = stops(fold.tree, leaves)[fold.ends]
        w = None if problem.weights is None else problem.weights[fold.rows]
        true, answers = problem.y[fold.rows], fold.tree.answers[nodes]
        if problem.classes is None:
            found.append(-root_mean_squared_error(true, answers, sample_weight=w))
        else:
            found.append(accuracy_score(true, answers, sample_weight=w))
    return SizeScore(leaves, float(np.mean(found)), float(np.std(found, ddof=1) / math.sqrt(len(found))))


def smallest_good(scores: Sequence[SizeScore]) -> SizeScore:
    """The one-standard-error rule; the scores come in order of size."""
    best = best_of(scores)
    return next(s for s in scores if s.mean >= best.mean - best.error - 1e-12)


def best_of(scores: Sequence[SizeScore]) -> SizeScore:
    """The first of the largest."""
    return max(scores, key=lambda s: s.mean)


def scores_of(problem: Problem, folds: list[Fold], chosen: SizeScore) -> dict[str, float]:
    """The figures of the chosen size, each from rows that its trees had not seen."""
    answers = [_answers(problem, fold, chosen.leaves) for fold in folds]
    rows = np.concatenate([fold.rows for fold in folds])
    together, y = np.concatenate(answers), problem.y[rows]
    w = None if problem.weights is None else problem.weights[rows]
    if problem.classes is None:
        constant = np.full(len(y), np.average(y, weights=w))
        return {
            "rmse": -chosen.mean,
            "rmse_error": chosen.error,
            "rmse_of_mean": float(root_mean_squared_error(y, constant, sample_weight=w)),
            "r2": float(r2_score(y, together[:, 0], sample_weight=w)),
        }
    share = np.bincount(y, w) / (len(y) if w is None else w.sum())
    figures = {"accuracy": chosen.mean, "accuracy_error": chosen.error, "largest_class": float(share.max())}
    # Shares of different trees do not rank rows against each other, so there is one AUC for each fold.
    areas = [area for fold, a in zip(folds, answers, strict=True) for area in _auc(problem, fold, a)]
    if areas:
        figures["auc"] = float(np.mean(areas))
    if len(share) == 2:
        figures["brier"] = float(brier_score_loss(y, together[:, 1], sample_weight=w))
    return figures


def _answers(problem: Problem, fold: Fold, leaves: int | None) -> NDArray[np.float64]:
    """The mean, or the share of each class, for each left-out row."""
    nodes = stops(fold.tree, leaves)[fold.ends]
    if problem.classes is None:
        return fold.tree.value[nodes]
    shares = np.zeros((len(nodes), len(problem.classes)))
    shares[:, fold.classes] = fold.tree.shares[nodes]
    return shares


def _auc(problem: Problem, fold: Fold, shares: NDArray[np.float64]) -> list[float]:
    """One number, of several classes the mean of each against the rest; none where a class is absent."""
    y, n_classes = problem.y[fold.rows], shares.shape[1]
    if len(np.unique(y)) < n_classes:
        return []
    w = None if problem.weights is None else problem.weights[fold.rows]
    scores = shares[:, 1] if n_classes == 2 else shares
    return [float(roc_auc_score(y, scores, sample_weight=w, multi_class="ovr", average="macro"))]

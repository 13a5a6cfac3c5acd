"""How many leaves: cross-validation over a ladder of sizes, and the rule of one standard error.

Best-first growth makes every smaller tree with two-way splits a beginning of the larger one, so each fold
grows one tree of the largest size and all smaller ones are read off it: 10 growths instead of 160.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Table
from bough.evaluation.answers import Answers, baseline, baseline_name
from bough.evaluation.class_figures import class_values
from bough.evaluation.folds import Folds, standard_error
from bough.evaluation.number_figures import number_values
from bough.tree import Tree
from bough.tree.best_first import stops

Array = NDArray[Any]
Floats = NDArray[np.float64]

FEWEST = 50  # rows; with fewer, one standard error spans everything and the answer would be a single leaf
LADDER = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32)


class Problem(Protocol):
    """What is asked of a table."""

    @property
    def table(self) -> Table: ...
    @property
    def y(self) -> NDArray[Any]: ...  # class numbers, or numbers
    @property
    def classes(self) -> NDArray[Any] | None: ...
    @property
    def weights(self) -> NDArray[np.float64] | None: ...
    @property
    def labels(self) -> NDArray[Any]: ...  # classes, or numbers


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
    answers: NDArray[Any]  # of each node: a class number, or a number


def grow_folds(problem: Problem, parts: Folds, estimator: Callable[[], Any]) -> list[Fold]:
    """One tree for each fold, grown on the others."""
    folds = []
    for grown, left in parts:
        w = None if problem.weights is None else problem.weights[grown]
        model = estimator().fit(problem.table.take(grown), problem.labels[grown], sample_weight=w)
        ends = model.apply(problem.table.take(left))
        folds.append(Fold(left, model.tree_, ends, *_numbered(model.tree_, problem.classes)))
    return folds


def _numbered(tree: Tree, classes: NDArray[Any] | None) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """The tree's classes among all classes, and the answers of its nodes, as numbers."""
    if classes is None or tree.classes is None:
        return np.empty(0, dtype=np.int64), tree.answers
    place = {value: number for number, value in enumerate(classes.tolist())}
    known = np.array([place[value] for value in tree.classes.tolist()])
    return known, np.array([place[value] for value in tree.answers.tolist()])


def score_size(
    problem: Problem, folds: Iterable[Fold], leaves: int | None, costs: Floats | None = None
) -> SizeScore:
    """Accuracy, or the root mean squared error or the mean cost of mistakes with a minus: more is better."""
    found = []
    for fold in folds:
        nodes = stops(fold.tree, leaves)[fold.ends]
        w = None if problem.weights is None else problem.weights[fold.rows]
        true, answers = problem.y[fold.rows], fold.answers[nodes]
        if costs is not None:
            found.append(-float(np.average(costs[true, answers], weights=w)))
        else:
            found.append(plain_score(true, answers, w, problem.classes is None))
    return SizeScore(leaves, float(np.mean(found)), standard_error(found))


def plain_score(truth: Array, given: Array, weights: Array | None, numbers: bool) -> float:
    """The same as scikit-learn's scores; 160 calls of those take a second, most of it checks."""
    if numbers:
        return -float(np.sqrt(np.average(np.square(truth - given), weights=weights)))
    return float(np.average(truth == given, weights=weights))


def smallest_good(scores: Sequence[SizeScore]) -> SizeScore:
    """The one-standard-error rule; the scores come in order of size."""
    best = best_of(scores)
    return next(s for s in scores if s.mean >= best.mean - best.error - 1e-12)


def best_of(scores: Sequence[SizeScore]) -> SizeScore:
    """The first of the largest."""
    return max(scores, key=lambda s: s.mean)


def scores_of(
    problem: Problem, folds: list[Fold], chosen: SizeScore, costs: Floats | None = None
) -> tuple[dict[str, float], str]:
    """The figures of the chosen size, each from rows that its trees had not seen, and what the baseline among
    them answers."""
    answers = _answers(problem, folds, chosen.leaves)
    base = baseline(answers)
    always = baseline_name(base)
    if problem.classes is None:
        found, of_mean = number_values(answers), number_values(base)["rmse"]
        numbers = {"rmse": found["rmse"], "rmse_error": chosen.error, "rmse_of_mean": of_mean}
        return numbers | {"r2": found["r2"]}, always
    two = len(problem.classes) == 2
    error = chosen.error if costs is None else score_size(problem, folds, chosen.leaves).error
    found = class_values(answers, 1 if two else None, None)
    figures = {
        "accuracy": found["accuracy"],
        "accuracy_error": error,
        "largest_class": float(np.average(base.given == base.truth, weights=base.weights)),
    }
    shown = ("auc", "brier") if two else ("auc",)
    figures |= {name: found[name] for name in shown if name in found}
    return figures | ({} if costs is None else {"cost": -chosen.mean, "cost_error": chosen.error}), always


def _answers(problem: Problem, folds: list[Fold], leaves: int | None) -> Answers:
    """What trees of so many leaves say of the rows that they had not seen."""
    rows = np.concatenate([fold.rows for fold in folds])
    number = np.repeat(np.arange(len(folds)), [len(fold.rows) for fold in folds])
    w = np.ones(len(rows)) if problem.weights is None else problem.weights[rows]
    ends = [stops(fold.tree, leaves)[fold.ends] for fold in folds]
    given = np.concatenate([fold.answers[nodes] for fold, nodes in zip(folds, ends, strict=True)])
    shares = scores = None
    if problem.classes is not None:
        shares = np.zeros((len(rows), len(problem.classes)))
        for place, (fold, nodes) in enumerate(zip(folds, ends, strict=True)):
            inside = np.flatnonzero(number == place)
            shares[np.ix_(inside, fold.classes)] = fold.tree.shares[nodes]
        scores = shares[:, 1] if len(problem.classes) == 2 else None
    return Answers(rows, number, problem.y[rows], given, problem.classes, shares, scores, w, len(folds))

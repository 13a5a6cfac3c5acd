"""The error against the number of trees, on the training rows and on rows left out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.evaluation.folds import Folds, standard_error
from bough.evaluation.size_curve import SizeCurve
from bough.evaluation.sizes import Problem, plain_score
from bough.tree import Ensemble

STEPS = (1, 2, 3, 5, 8, 12, 20, 32, 50, 80, 128, 200, 320, 500, 800, 1280, 2000, 3200, 5000)


def trees_curve(model: Any, models: list[Any], problem: Problem, folds: Folds) -> SizeCurve:
    """Of the first trees of the model, and of the models of the folds (where these have fewer, of all that
    there are). Of several classes, boosting adds a tree for each class at once: these count as one."""
    whole = rounds(model.ensemble_)
    counts = sorted({*(n for n in STEPS if n < whole), whole})
    rows = np.arange(problem.table.n_rows)
    training = [_error(beginning(model.ensemble_, n), problem, rows) for n in counts]
    left = [
        [_error(beginning(m.ensemble_, n), problem, rest) for m, (_, rest) in zip(models, folds, strict=True)]
        for n in counts
    ]
    return SizeCurve(
        "root mean squared error" if problem.classes is None else "share of wrong answers",
        counts,
        np.array(training),
        np.array([np.mean(errors) for errors in left]),
        np.array([standard_error(errors) for errors in left]),
    )


def rounds(ensemble: Ensemble) -> int:
    """Trees, or trees for each output where these are added up."""
    return len(ensemble) // (len(ensemble.base) if ensemble.combine == "sum" else 1)


def beginning(ensemble: Ensemble, count: int) -> Ensemble:
    """The model as it was after so many rounds."""
    n = count * (len(ensemble) // rounds(ensemble))
    return replace(
        ensemble, trees=ensemble.trees[:n], weights=ensemble.weights[:n], output=ensemble.output[:n]
    )


def _error(ensemble: Ensemble, problem: Problem, rows: NDArray[Any]) -> float:
    given = ensemble.predict(problem.table.take(rows))
    w = None if problem.weights is None else problem.weights[rows]
    numbers = problem.classes is None
    score = plain_score(problem.labels[rows], given, w, numbers)
    return -score if numbers else 1 - score

"""The error against the number of leaves, on the training rows and on rows left out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bough.errors import BoughError
from bough.evaluation.folds import Folds
from bough.evaluation.sizes import LADDER, Problem, grow_folds, plain_score, score_size
from bough.tree.best_first import stops

Floats = NDArray[np.float64]

# What else limits the size is taken off, so that the number of leaves alone does.
_UNLIMITED: dict[str, Any] = {
    "max_depth": None,
    "max_nodes": None,
    "pruning": None,
    "ccp_alpha": 0.0,
    "early_stopping": False,
}


@dataclass(frozen=True)
class SizeCurve:
    """`what` the errors are; `left_out` with its standard error. Of many trees, `leaves`
    are numbers of trees."""

    what: str
    leaves: list[int]
    training: Floats
    left_out: Floats
    standard_error: Floats


def size_curve(model: Any, problem: Problem, folds: Folds) -> SizeCurve | None:
    """By best-first growth with the model's own settings; for trees pruned by cross-validation, the subtrees
    that were compared. None where the model cannot be grown to a number of leaves."""
    choice = getattr(model, "pruning_choice_", None)
    if choice is not None:
        what = "error relative to a single leaf"
        leaves = choice.n_leaves.tolist()
        return SizeCurve(what, leaves, choice.rel_error, choice.xerror, choice.xstd)
    params = model.get_params()
    limits = {name: value for name, value in _UNLIMITED.items() if name in params}

    def grown(leaves: int) -> Any:
        return clone(model).set_params(**limits, max_leaf_nodes=leaves)

    try:
        largest = _fit(grown(max(LADDER[-1], model.tree_.n_leaves)), problem)
    except BoughError:
        return None  # forced splits do not go with a number of leaves
    sizes = sorted({n for n in (*LADDER, model.tree_.n_leaves) if n <= largest.tree_.n_leaves})
    # With splits of many branches a smaller tree may have room for one that the larger lacks.
    nested = bool((largest.tree_.n_children <= 2).all())
    shared = grow_folds(problem, folds, partial(grown, sizes[-1])) if nested else None
    training, scores = [], []
    for size in sizes:
        fits = shared or grow_folds(problem, folds, partial(grown, size))
        scores.append(score_size(problem, fits, size))
        whole = largest if nested else _fit(grown(size), problem)
        training.append(_training_error(whole, problem, size))
    means = np.array([score.mean for score in scores])
    numbers = problem.classes is None
    return SizeCurve(
        "root mean squared error" if numbers else "share of wrong answers",
        sizes,
        np.array(training),
        -means if numbers else 1 - means,
        np.array([score.error for score in scores]),
    )


def _fit(model: Any, problem: Problem) -> Any:
    return model.fit(problem.table, problem.labels, sample_weight=problem.weights)


def _training_error(model: Any, problem: Problem, size: int) -> float:
    tree = model.tree_
    given = tree.answers[stops(tree, size)[tree.apply(problem.table)]]
    numbers = problem.classes is None
    score = plain_score(problem.labels, given, problem.weights, numbers)
    return -score if numbers else 1 - score

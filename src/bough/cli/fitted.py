"""From a problem and the options to a tree of the right size, with its scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bough.cli.problem import Problem
from bough.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from bough.evaluation.folds import Folds, splits
from bough.evaluation.sizes import (
    FEWEST,
    LADDER,
    Fold,
    SizeScore,
    best_of,
    grow_folds,
    score_size,
    scores_of,
    smallest_good,
)
from bough.tree import Tree

if TYPE_CHECKING:
    from bough.cli.fit import Asked

Model = DecisionTreeRegressor | DecisionTreeClassifier
Estimator = Callable[..., Model]


@dataclass(frozen=True)
class Fitted:
    problem: Problem
    model: Model
    folds: int  # 0: too few rows
    tried: tuple[SizeScore, ...]  # one where the size was given
    scores: dict[str, float]

    @property
    def tree(self) -> Tree:
        return self.model.tree_

    @property
    def chosen(self) -> SizeScore:
        return smallest_good(self.tried)

    @property
    def best(self) -> SizeScore:
        return best_of(self.tried)


def fitted(problem: Problem, asked: Asked) -> Fitted:
    """The tree of the size that cross-validation chooses, or of the size asked for."""
    kind = DecisionTreeRegressor if problem.classes is None else DecisionTreeClassifier
    settings: dict[str, Any] = {
        "categories": asked.categories,
        "ties": asked.ties,
        "max_depth": asked.max_depth,
        "min_samples_leaf": asked.min_leaf,
        "random_state": asked.seed,
        "n_jobs": asked.threads or -1,
    }
    if asked.criterion is not None:
        settings["criterion"] = asked.criterion
    estimator: Estimator = partial(kind, **settings)
    parts = splits(asked.folds, problem.y, classes=problem.classes is not None, seed=asked.seed)
    given = asked.max_leaves is not None or asked.max_depth is not None
    if parts and not given and problem.table.n_rows >= FEWEST:
        return _chosen(problem, parts, estimator, nested=asked.categories != "multiway")
    estimator = partial(estimator, max_leaf_nodes=asked.max_leaves)
    folds = grow_folds(problem, parts, estimator)
    model = _fit(problem, estimator())
    if not parts:
        return Fitted(problem, model, 0, (), {})
    score = score_size(problem, folds, None)
    return Fitted(problem, model, len(parts), (score,), scores_of(problem, folds, score))


def _chosen(problem: Problem, parts: Folds, estimator: Estimator, *, nested: bool) -> Fitted:
    """Not nested: with splits of many branches a smaller tree may have room for one that the larger lacks."""

    def grown(leaves: int) -> list[Fold]:
        return grow_folds(problem, parts, partial(estimator, max_leaf_nodes=leaves))

    largest = _fit(problem, estimator(max_leaf_nodes=LADDER[-1])).get_n_leaves()
    shared = grown(LADDER[-1]) if nested else None
    folds: dict[int | None, list[Fold]] = {n: shared or grown(n) for n in LADDER if n <= largest}
    tried = tuple(score_size(problem, found, size) for size, found in folds.items())
    chosen = smallest_good(tried)
    scores = scores_of(problem, folds[chosen.leaves], chosen)
    model = _fit(problem, estimator(max_leaf_nodes=chosen.leaves))
    return Fitted(problem, model, len(parts), tried, scores)


def _fit(problem: Problem, model: Model) -> Model:
    model.fit(problem.table, problem.labels, sample_weight=problem.weights)
    return model

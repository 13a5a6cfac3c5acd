"""From a problem and the options to a tree of the right size, with its scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from bough.cli.choose import (
    FEWEST,
    LADDER,
    SizeScore,
    best_of,
    grow_folds,
    score_size,
    scores_of,
    smallest_good,
    splits,
)
from bough.cli.problem import Problem
from bough.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from bough.tree import Tree

if TYPE_CHECKING:
    from bough.cli.fit import Asked

Estimator = Callable[[], DecisionTreeRegressor | DecisionTreeClassifier]


@dataclass(frozen=True)
class Fitted:
    problem: Problem
    tree: Tree
    folds: int  # 0: too few rows
    tried: tuple[SizeScore, ...]  # one where the size was given
    scores: dict[str, float]

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
    estimator = partial(kind, **settings)
    parts = splits(problem, asked.folds, asked.seed)
    given = asked.max_leaves is not None or asked.max_depth is not None
    choosing = bool(parts) and not given and problem.table.n_rows >= FEWEST
    largest = partial(estimator, max_leaf_nodes=LADDER[-1] if choosing else asked.max_leaves)
    tree = _tree(problem, largest)
    folds = grow_folds(problem, parts, largest)
    sizes = [size for size in LADDER if size <= tree.n_leaves] if choosing else [None] if parts else []
    tried = tuple(score_size(problem, folds, size) for size in sizes)
    if choosing:
        tree = _tree(problem, partial(estimator, max_leaf_nodes=smallest_good(tried).leaves))
    scores = scores_of(problem, folds, smallest_good(tried)) if tried else {}
    return Fitted(problem, tree, len(parts), tried, scores)


def _tree(problem: Problem, estimator: Estimator) -> Tree:
    return estimator().fit(problem.table, problem.labels, sample_weight=problem.weights).tree_

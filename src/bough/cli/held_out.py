"""Rows that a model is judged on: --test FILE, --holdout SHARE, and whether it has seen them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, train_test_split

from bough.cli.fit_options import Asked
from bough.cli.model import Loaded
from bough.cli.problem import Problem
from bough.cli.recipe import positive_class
from bough.data.objects import label
from bough.errors import BoughError
from bough.estimators.seen import Seen, are_training_rows
from bough.evaluation import evaluate
from bough.evaluation.folds import as_rows
from bough.pruning import Evidence


def held_out(problem: Problem, share: float, seed: int) -> tuple[Problem, Problem]:
    """The rows to fit and those to judge by; groups stay together, classes keep their shares."""
    rows = np.arange(problem.table.n_rows)
    try:
        if problem.groups is not None:
            split = GroupShuffleSplit(1, test_size=share, random_state=seed)
            kept, left = next(split.split(rows, groups=problem.groups))
        else:
            even = problem.y if problem.classes is not None and np.bincount(problem.y).min() >= 2 else None
            kept, left = train_test_split(rows, test_size=share, random_state=seed, stratify=even)
    except ValueError:
        raise BoughError(
            f"{len(rows)} rows are too few to keep a share of {share:g} out.",
            code="parameter",
            hint="Give another --holdout, or leave it out: cross-validation judges the model too.",
        ) from None
    return problem.take(np.sort(kept)), problem.take(np.sort(left))


def other_rows(problem: Problem, asked: Asked, path: str) -> Problem:
    """The rows of another file, as the model sees them."""
    source = asked.source(path)
    other = asked.asked_of(source)
    if (other.classes is None) != (problem.classes is None):
        raise BoughError(
            f'"{problem.target}" is of another kind in {source.name} than in {problem.source}.',
            code="target",
            hint="Say what it is:  --task class  or  --task reg",
        )
    if problem.classes is not None and other.classes is not None:
        known = [label(value) for value in problem.classes]
        new = [label(value) for value in other.classes if label(value) not in known]
        if new:
            raise BoughError(
                f'{source.name} has the class "{new[0]}", which {problem.source} does not have.',
                code="target",
                hint=f"classes: {', '.join(known[:8])} ({len(known)})",
            )
    return other


def judged_on(model: Any, test: Problem, asked: Asked) -> Any:
    """An Evaluation of the fitted model on these rows."""
    return evaluate(
        model,
        as_rows(test.table),
        test.labels,
        cv=None,
        sample_weight=test.weights,
        qid=test.together.get("qid"),
        positive=positive_class(test, asked) if test.classes is not None and len(test.classes) == 2 else None,
    )


def has_seen(loaded: Loaded, problem: Problem) -> list[str]:
    """A warning if the model was fitted on these rows, or on a table of their name; `problem` may have more
    columns than the model."""
    if _fitted_on(loaded, problem):
        return [f"! {loaded.name} was fitted on these very rows: the figures flatter it. {_KEEP_APART}"]
    if loaded.facts.get("data") == problem.source:
        return [
            f"! {loaded.name} was fitted on a table of the same name, {problem.source}: the figures flatter "
            f"it if it has seen some of these rows. {_KEEP_APART}"
        ]
    return []


_KEEP_APART = "Judge by new rows, or let bough fit --holdout 0.2 keep some apart."


def _fitted_on(loaded: Loaded, problem: Problem) -> bool:
    try:
        rows = Evidence.of(loaded.model, problem.table, problem.labels, problem.weights)
    except BoughError:  # rows that the model cannot have seen
        return False
    told = None if problem.weights is None else rows.weights
    return are_training_rows(loaded.estimator, Seen(rows.table, rows.target, told))

"""Rows that a model is judged on: --test FILE, --holdout SHARE, and whether it has seen them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, train_test_split

from bough.cli.average import Average
from bough.cli.fit_options import Asked
from bough.cli.model import Loaded
from bough.cli.problem import Problem
from bough.cli.recipe import positive_class
from bough.data.objects import label
from bough.errors import BoughError
from bough.estimators.seen import was_fitted_on
from bough.evaluation import evaluate
from bough.evaluation.answers import OWN_ROWS
from bough.evaluation.folds import as_rows


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
    two = test.classes is not None and len(test.classes) == 2
    with told_here():
        return evaluate(
            model,
            as_rows(test.table),
            test.labels,
            cv=None,
            sample_weight=test.weights,
            qid=test.together.get("qid"),
            positive=positive_class(test, asked) if two else None,
        )


@contextmanager
def told_here() -> Iterator[None]:
    """The warning of rows that the model has seen is given in the words of the command line."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", f".*{OWN_ROWS}")
        yield


def no_test(model: Any, test: Problem) -> list[str]:
    """A warning if the rows of --test are those that the model was fitted on."""
    if not model._was_fitted_on(test.table, test.labels, test.weights):
        return []
    return [f"! {test.source} is no test: the model {OWN_ROWS} {_KEEP_APART}"]


def has_seen(loaded: Loaded, problem: Problem) -> list[str]:
    """A warning if the model was fitted on these rows, or on a table of their name; `problem` may have more
    columns than the model."""
    rows = problem.table, problem.labels, problem.weights
    if isinstance(loaded.model, Average):
        own = loaded.estimator._was_fitted_on(*rows)
    else:
        own = was_fitted_on(loaded.estimator, loaded.model, *rows)
    if own:
        return [f"! {loaded.name} {OWN_ROWS} {_KEEP_APART}"]
    if loaded.facts.get("data") == problem.source:
        return [
            f"! {loaded.name} was fitted on a table of the same name, {problem.source}: the figures flatter "
            f"it if it has seen some of these rows. {_KEEP_APART}"
        ]
    return []


_KEEP_APART = "Judge by new rows, or let bough fit --holdout 0.2 keep some apart."

"""From a problem and the options to a model of the right size, with its scores."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.cli.common import say
from bough.cli.fit_options import Asked
from bough.cli.problem import Problem
from bough.cli.progress import Tell, progress
from bough.cli.recipe import Recipe, positive_class, recipe
from bough.data.target import effective_rows
from bough.errors import BoughError
from bough.estimators.many import INTERRUPTED, NO_SPLIT
from bough.evaluation import evaluate
from bough.evaluation.answers import Answers
from bough.evaluation.folds import Folds, as_rows, splits
from bough.evaluation.judge import Wish, judged
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
from bough.tree import Ensemble, Tree

HELD_OUT = 4  # one part in so many, where rows are held out


@dataclass(frozen=True)
class Fitted:
    problem: Problem
    model: Any  # the estimator
    how: str = "none"  # the size was chosen or judged by cv, holdout, oob or none
    folds: int = 0
    tried: tuple[SizeScore, ...] = ()  # one where the size was given
    chosen: SizeScore | None = None
    scores: dict[str, float] | None = None
    baseline: str = ""  # what it answers, which stands among the scores
    interrupted: bool = False
    judged: NDArray[np.intp] | None = None  # the rows that the scores come from

    @property
    def tree(self) -> Tree | Ensemble:
        found: Tree | Ensemble = self.model.tree_ if hasattr(self.model, "tree_") else self.model.ensemble_
        return found

    @property
    def groups(self) -> NDArray[Any] | None:
        """Of the rows that the model was fitted on; a ranker's are its queries."""
        problem = self.problem
        if problem.groups is None or problem.ranks:
            return None
        return problem.groups if problem.weights is None else problem.groups[problem.weights > 0]

    @property
    def best(self) -> SizeScore:
        return best_of(self.tried)


def fitted(problem: Problem, asked: Asked) -> Fitted:
    """The model of the size that is chosen, or of the size asked for."""
    positive_class(problem, asked)  # an error now rather than after the work
    if problem.ranks and asked.model != "boost":
        raise BoughError(
            "--qid is for ranking, and only boosted trees rank.",
            code="parameter",
            hint=f"Add  --model boost   or keep rows together in folds only:  --group {asked.qid}",
        )
    made = recipe(problem, asked)
    if asked.model != "tree":
        return _many(problem, made, asked)
    how = asked.choose or "cv"
    parts = _parts(problem, asked, how)
    given = asked.max_leaves is not None or asked.max_depth is not None or made.decides
    if parts and not given and problem.table.n_rows >= FEWEST:
        return _chosen(problem, parts, made, asked, how)
    make = partial(made.make, max_leaf_nodes=asked.max_leaves)
    model = _fit(problem, make())
    found = Fitted(problem, model, how, len(parts))
    if not parts:
        return replace(found, how=how if how == "none" else "few")
    stopped: list[bool] = []
    folds = _folds(problem, parts, make, stopped, "scoring")
    if len(folds) < min(2, len(parts)):
        return replace(found, how="none", folds=0, interrupted=True)
    score = _sure(score_size(problem, folds, None, made.costs))
    scores, always = scores_of(problem, folds, score, made.costs)
    return replace(
        found,
        folds=len(folds),
        tried=(score,),
        chosen=score,
        scores=scores,
        baseline=always,
        interrupted=bool(stopped),
        judged=_left_out(parts[: len(folds)]),
    )


def _parts(problem: Problem, asked: Asked, how: str) -> Folds:
    if how == "none":
        return []
    count = asked.folds if how == "cv" else HELD_OUT
    parts = splits(
        count, problem.y, classes=problem.classes is not None, seed=asked.seed, groups=problem.groups
    )
    return parts if how == "cv" else parts[:1]


def _chosen(problem: Problem, parts: Folds, made: Recipe, asked: Asked, how: str) -> Fitted:
    """Not nested: with splits of many branches a smaller tree may have room for one that the larger lacks."""
    largest = _fit(problem, made.make(max_leaf_nodes=LADDER[-1]))
    sizes = [n for n in LADDER if n <= largest.get_n_leaves()]
    found: dict[int, list[Fold]] = {}
    stopped: list[bool] = []
    if made.nested:
        make = partial(made.make, max_leaf_nodes=LADDER[-1])
        found = dict.fromkeys(sizes, _folds(problem, parts, make, stopped, "choosing the size"))
    for size in sizes if not made.nested else ():
        make = partial(made.make, max_leaf_nodes=size)
        grown = _folds(problem, parts, make, stopped, f"trying {size} leaves")
        if stopped:
            break
        found[size] = grown
    n_folds = min((len(folds) for folds in found.values()), default=0)
    if n_folds < min(2, len(parts)):
        return Fitted(problem, largest, "none", interrupted=True)
    tried = tuple(_sure(score_size(problem, folds, size, made.costs)) for size, folds in found.items())
    chosen = best_of(tried) if asked.rule == "best" else smallest_good(tried)
    scores, always = scores_of(problem, found[chosen.leaves or 1], chosen, made.costs)
    model = _fit(problem, made.make(max_leaf_nodes=chosen.leaves))
    judged = _left_out(parts[:n_folds])
    return Fitted(problem, model, how, n_folds, tried, chosen, scores, always, bool(stopped), judged)


def _left_out(parts: Folds) -> NDArray[np.intp]:
    return np.concatenate([rows for _, rows in parts])


def _sure(score: SizeScore) -> SizeScore:
    """A single set of held-out rows has no error between folds; the best size is then taken."""
    return replace(score, error=0.0) if np.isnan(score.error) else score


def _folds(problem: Problem, parts: Folds, make: Any, stopped: list[bool], what: str) -> list[Fold]:
    """One tree for each fold, as many as there are before Ctrl-C."""
    done: list[Fold] = []
    with progress(what, len(parts), "folds") as tell:
        for number, part in enumerate(parts):
            try:
                done += grow_folds(problem, [part], make)
            except KeyboardInterrupt:
                stopped.append(True)
                break
            tell(number + 1, "")
    return done


def _fit(problem: Problem, model: Any) -> Any:
    model.fit(problem.table, problem.labels, **problem.for_fit)
    return model


def _many(problem: Problem, made: Recipe, asked: Asked) -> Fitted:
    """A forest or boosted trees, fitted on all rows. A forest is judged by its out-of-bag answers, the
    others, and where it was asked for, by copies that have not seen the rows."""
    model = made.make()
    with progress(asked.model, model.n_estimators, "trees") as tell:
        interrupted = _watched(problem, model, tell)
    how = asked.choose or "holdout"
    if not interrupted and asked.choose is None and np.isfinite(getattr(model, "oob_score_", np.nan)):
        return _out_of_bag(Fitted(problem, model))  # which needs no second row of a class
    parts = _parts(problem, asked, how)
    found = Fitted(problem, model, how, len(parts), interrupted=interrupted)
    if interrupted or not parts:
        return replace(found, how="none" if interrupted or how == "none" else "few", folds=0)
    judge = made.make().set_params(callback=None)
    if asked.model == "forest":
        judge.set_params(oob_score=False)  # other rows judge it
    try:
        with progress("scoring", None) as tell, warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            result = evaluate(
                judge,
                as_rows(problem.table),
                problem.labels,
                cv=parts,
                sample_weight=problem.weights,
                qid=problem.together.get("qid"),
                bootstrap=0,
            )
    except KeyboardInterrupt:
        return replace(found, how="none", folds=0, interrupted=True)
    grown = any(tree.n_leaves > 1 for tree in model.ensemble_.trees)
    for text in dict.fromkeys(str(warning.message) for warning in seen):
        if grown or not text.startswith(NO_SPLIT):
            say(f"! a copy that judges: {text.replace('min_samples_leaf=', '--min-leaf ')}", mark="yellow")
    scores = _as_scores(result, float(result.standard_error))
    return replace(found, scores=scores, baseline=result.baseline, judged=_left_out(parts))


def _out_of_bag(found: Fitted) -> Fitted:
    """Each row by the trees that have not seen it: all rows judge, and the very model that is saved."""
    model, problem = found.model, found.problem
    numbers = problem.classes is None
    given = np.asarray(model.oob_prediction_ if numbers else model.oob_decision_function_, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(given.reshape(len(given), -1)[:, 0]))
    rows, given = problem.take(known), given[known]
    w = np.ones(len(known)) if rows.weights is None else rows.weights
    truth = rows.y if numbers else rows.y.astype(np.int64)
    answers = Answers(
        np.arange(len(known)),
        np.zeros(len(known), dtype=np.int64),
        truth,
        given if numbers else given.argmax(axis=1),
        problem.classes,
        None if numbers else given,
        given[:, 1] if not numbers and given.shape[1] == 2 else None,
        w,
        0,
    )
    result = judged(answers, Wish(bootstrap=0))
    missed = (answers.given - truth) ** 2 if numbers else answers.given != truth
    mean = float(np.average(missed, weights=w))
    error = float(np.sqrt(np.sum((w * (missed - mean)) ** 2)) / w.sum())
    if numbers and result["rmse"].value > 0:
        error /= 2 * result["rmse"].value  # of a square root
    found = replace(found, how="oob", folds=0, judged=known)
    return replace(found, scores=_as_scores(result, error), baseline=result.baseline)


def _as_scores(result: Any, error: float) -> dict[str, float]:
    """The same names as for a tree. Rows that were held out once have no error between folds (NaN): that of a
    share is then the one over rows, that of an RMSE not told."""
    figures = {name: float(figure.value) for name, figure in result.figures.items()}
    of_base = {name: float(figure.baseline) for name, figure in result.figures.items()}
    if "ndcg" in figures:
        known = {"ndcg_error": error} if np.isfinite(error) else {}
        return figures | known | {"ndcg_of_any_order": of_base["ndcg"]}
    if "rmse" in figures:
        found = {"rmse": figures["rmse"], "rmse_of_mean": of_base["rmse"]}
        found |= {"rmse_error": error} if np.isfinite(error) else {}
        return found | ({"r2": figures["r2"]} if "r2" in figures else {})  # one row has none
    right = figures["accuracy"]
    if np.isnan(error):
        error = float(np.sqrt(right * (1 - right) / effective_rows(result.answers.weights)))
    found = {"accuracy": right, "accuracy_error": error, "largest_class": of_base["accuracy"]}
    shown = ("auc", "brier") if len(result.classes) == 2 else ("auc",)
    there = (name for name in shown if np.isfinite(figures.get(name, np.nan)))  # one class has no AUC
    return found | {name: figures[name] for name in there}


def _watched(problem: Problem, model: Any, tell: Tell) -> bool:
    """Fits with a bar; whether Ctrl-C ended it, after which the trees so far are kept."""

    def watch(state: Any) -> None:
        loss = next(
            (x for x in (getattr(state, n, None) for n in ("validation_loss", "loss")) if x is not None), None
        )
        tell(state.done, "" if loss is None else f"loss {loss:.4g}")

    model.set_params(callback=watch)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        _fit(problem, model)
    model.set_params(callback=None)
    texts = [str(warning.message) for warning in seen]
    stopped = [text for text in texts if text.startswith(INTERRUPTED)]
    for text in texts:
        if text not in stopped and not text.startswith(NO_SPLIT):  # which the output tells
            say(f"! {text}", mark="yellow")
    return bool(stopped)

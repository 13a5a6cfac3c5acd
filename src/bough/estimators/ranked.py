"""Rankers in select and the curves: folds of whole queries, NDCG in place of the estimators' own score."""

from __future__ import annotations

import numbers
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import model_selection
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.parallel import Parallel, delayed

from bough.data.target import number_target
from bough.ensemble.ranking import GIVE_QUERIES, Queries, check_relevant, gains, query_ndcg
from bough.errors import BoughError
from bough.evaluation.answers import Target, fitted_copy
from bough.evaluation.folds import Folds, row_count
from bough.evaluation.judge import folds_for
from bough.evaluation.rank_figures import query_numbers
from bough.growing.settings import is_count, wrong

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Ranked:
    """Rows with their relevance and their queries."""

    rows: Any
    y: Floats
    queries: Ints

    def folds(self, cv: Any, seed: Any) -> Folds:
        return folds_for(Target(self.y, None, self.queries), cv, seed, None)

    def tried(self, model: Any, fit_on: NDArray[Any], held_out: NDArray[Any]) -> tuple[float, float, float]:
        """NDCG of the rows that a copy was fitted on and of those held out, and the seconds of the fit. NaN:
        no row is relevant."""
        order = fit_on[np.argsort(self.queries[fit_on], kind="stable")]
        began = time.perf_counter()
        rows = _safe_indexing(self.rows, order)
        copy = fitted_copy(model, rows, self.y[order], np.ones(len(order)), self.queries[order])
        seconds = time.perf_counter() - began
        return self._score(copy, fit_on), self._score(copy, held_out), seconds

    def _score(self, model: Any, rows: NDArray[Any]) -> float:
        raw = np.asarray(model.predict(_safe_indexing(self.rows, rows)), dtype=np.float64)
        queries = Queries.of(len(rows), None, self.queries[rows])
        found = query_ndcg(gains(self.y[rows]), raw, queries, None)
        there = ~np.isnan(found)
        return float(found[there].mean()) if there.any() else float("nan")

    def all_tried(self, models: Sequence[Any], folds: Folds, n_jobs: int | None) -> Floats:
        """What `tried` tells, models by folds by three."""
        work = (delayed(self.tried)(model, *fold) for model in models for fold in folds)
        return np.array(Parallel(n_jobs=n_jobs)(work)).reshape(len(models), len(folds), 3)

    def fitted(self, model: Any) -> Any:
        order = np.argsort(self.queries, kind="stable")
        ones = np.ones(len(order))
        return fitted_copy(model, _safe_indexing(self.rows, order), self.y[order], ones, self.queries[order])

    def some_queries(self, fit_on: NDArray[Any], sizes: Sequence[int], seed: Any) -> list[NDArray[Any]]:
        """The rows of so many of the queries, drawn once: the more begin with the fewer."""
        drawn = check_random_state(seed).permutation(np.unique(self.queries[fit_on]))
        return [fit_on[np.isin(self.queries[fit_on], drawn[:size])] for size in sizes]


def last_step(estimator: Any) -> Any:
    """Of a pipeline its last step, which answers; of others themselves."""
    return estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator


def ranked_rows(estimators: Sequence[Any], rows: Any, y: Any, group: Any, qid: Any) -> Ranked | None:
    """None where nothing is ranked; an error where a ranker has no queries, or queries no ranker."""
    n_rows = row_count(rows)
    queries = query_numbers(n_rows, group, qid, None)
    for estimator in estimators:
        last = last_step(estimator)
        name = type(last).__name__
        if queries is None and getattr(last, "predicts", None) == "queries":
            what = f"{name} orders the rows of queries, and no queries are given."
            raise BoughError(what, code="parameter", hint=GIVE_QUERIES)
        if queries is not None and is_classifier(estimator):
            raise BoughError(
                f"{name} answers with classes, which put no rows of a query in order.",
                code="parameter",
                hint="Leave group and qid out, or take a ranker or a regressor.",
            )
    if queries is None:
        return None
    target = number_target(y, n_rows, "a ranker")
    check_relevant(gains(target))
    return Ranked(rows, target, queries)


def query_counts(ranked: Ranked, sizes: Sequence[float], folds: Folds) -> list[int]:
    """Shares of the queries that every fold leaves to fit on, or their numbers, as numbers."""
    most = min(len(np.unique(ranked.queries[fit_on])) for fit_on, _ in folds)
    found = []
    for size in sizes:
        share, odd = not is_count(size), isinstance(size, bool) or not isinstance(size, numbers.Real)
        if share and (odd or not 0 < float(size) <= 1):
            raise wrong("sizes", sizes, "shares above 0 and up to 1, or numbers of queries")
        count = max(1, int(float(size) * most)) if share else int(size)
        if not 1 <= count <= most:
            raise wrong("sizes", sizes, f"at most {most} queries, which every fold leaves to fit on")
        found.append(count)
    return sorted(dict.fromkeys(found))


def with_parameters(estimator: Any, grid: Any) -> list[tuple[dict[str, Any], Any]]:
    """Each choice of a grid, and a copy of the estimator that has it."""
    choices = list(model_selection.ParameterGrid(grid or {}))
    return [(choice, clone(estimator).set_params(**choice)) for choice in choices]

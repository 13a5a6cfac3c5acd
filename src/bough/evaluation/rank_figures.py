"""Figures of a model that orders the rows of queries: NDCG, with intervals over the queries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.ensemble.ranking import Queries, gains, query_ndcg
from bough.errors import BoughError
from bough.evaluation.answers import Answers
from bough.evaluation.class_figures import Sampling
from bough.evaluation.figures import Figure
from bough.evaluation.folds import Folds
from bough.evaluation.intervals import percentiles, resampled

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

PLACES = {"ndcg": None, "ndcg_at_1": 1, "ndcg_at_5": 5, "ndcg_at_10": 10}  # first places that count


def query_numbers(n_rows: int, group: Any, qid: Any, groups: Any) -> Longs | None:
    """The query of each row; None where none are given."""
    if group is None and qid is None:
        return None
    if groups is not None:
        raise BoughError(
            "groups is given beside the queries, whose rows are never in different folds anyway.",
            code="parameter",
            hint="Leave groups out.",
        )
    return Queries.of(n_rows, group, qid).number


def check_whole(folds: Folds, queries: Longs | None) -> None:
    """Half a query can neither be learned nor judged."""
    if queries is None:
        return
    sizes = np.bincount(queries)
    for fit_on, left in folds:
        both = len(np.intersect1d(queries[fit_on], queries[left]))
        there = (np.bincount(queries[np.unique(side)], minlength=len(sizes)) for side in (fit_on, left))
        in_part = max(int(((rows > 0) & (rows < sizes)).sum()) for rows in there)
        if both or in_part:
            what = f"{both:,} of them have rows on both sides of" if both else f"{in_part:,} lack rows in"
            raise BoughError(
                f"cv cuts queries apart: {what} a fold.",
                code="parameter",
                hint="Give a number of folds, or a splitter by groups: sklearn.model_selection.GroupKFold().",
            )


def judged_queries(answers: Answers) -> Queries:
    """Of the judged rows; one that is judged in two folds counts twice."""
    assert answers.queries is not None
    return Queries.of(len(answers.truth), qid=answers.fold * (answers.queries.max() + 1) + answers.queries)


def by_query(answers: Answers, k: int | None) -> Floats:
    return query_ndcg(gains(answers.truth), answers.given, judged_queries(answers), k)


def mean_ndcg(answers: Answers, k: int | None = None) -> float:
    """NaN where no query has a relevant row."""
    found, w = by_query(answers, k), judged_queries(answers).weights_of(answers.weights)
    there = ~np.isnan(found) & (w > 0)
    return float(np.average(found[there], weights=w[there])) if there.any() else float("nan")


def rank_figures(answers: Answers, base: Answers, sampling: Sampling) -> dict[str, Figure]:
    samples = rank_bootstrap(answers, sampling)
    return {
        name: Figure(
            name,
            mean_ndcg(answers, k),
            *percentiles(samples[name], sampling.level),
            mean_ndcg(base, k),
            "bootstrap over queries",
        )
        for name, k in PLACES.items()
    }


def rank_bootstrap(answers: Answers, sampling: Sampling) -> dict[str, Floats]:
    """Each figure in each sample of queries; the same ones are drawn for every model with the same seed."""
    values = np.column_stack([by_query(answers, k) for k in PLACES.values()])
    there = ~np.isnan(values[:, 0])
    w = judged_queries(answers).weights_of(answers.weights)[there]
    blocks = [np.empty((0, len(PLACES)))]
    for drawn in resampled(w, sampling.times, sampling.seed) if len(w) else []:
        total = drawn.sum(axis=1, keepdims=True)
        blocks.append(
            np.divide(
                drawn @ values[there], total, where=total > 0, out=np.full((len(drawn), len(PLACES)), np.nan)
            )
        )
    return dict(zip(PLACES, np.concatenate(blocks).T, strict=True))

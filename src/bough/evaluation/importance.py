"""What a column is worth on rows left out: how much worse the model gets when its values are shuffled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Column, Table
from bough.ensemble.ranking import Queries, gains, query_ndcg
from bough.evaluation.folds import Folds, standard_error

Floats = NDArray[np.float64]

REPEATS = 3


@dataclass(frozen=True)
class Importance:
    """For each column the mean loss over the folds, in accuracy, the root mean squared error or NDCG, and its
    standard error."""

    names: list[str]
    loss: Floats
    error: Floats


def shuffled_importance(
    models: list[Any],
    table: Table,
    labels: NDArray[Any],
    weights: Floats,
    folds: Folds,
    seed: int = 0,
    queries: NDArray[Any] | None = None,
) -> Importance:
    """`models`: one for each fold, fitted on its other rows, of one tree or many; `queries`: of each row, if
    the order within them is judged."""
    random = np.random.default_rng(seed)
    losses = np.zeros((len(folds), len(table.columns)))
    for fold, (model, (_, left)) in enumerate(zip(models, folds, strict=True)):
        rows, truth, w = table.take(left), labels[left], weights[left]
        of_rows = None if queries is None else Queries.of(len(left), None, queries[left])
        asked: set[int] = set()
        for tree in [model.tree_] if hasattr(model, "tree_") else model.ensemble_:
            asked |= set(tree.feature[tree.feature >= 0].tolist()) | set(tree.surrogate_feature.tolist())
        before = _wrong(model, rows, truth, w, of_rows)
        for place in sorted(asked):
            after = [
                _wrong(model, _shuffled(rows, place, random.permutation(rows.n_rows)), truth, w, of_rows)
                for _ in range(REPEATS)
            ]
            losses[fold, place] = float(np.mean(after)) - before
    errors = np.array([standard_error(losses[:, place]) for place in range(len(table.columns))])
    return Importance(list(table.names), losses.mean(axis=0), errors)


def _shuffled(table: Table, place: int, order: NDArray[Any]) -> Table:
    columns = list(table.columns)
    columns[place] = Column(columns[place].field, columns[place].values[order])
    return Table(tuple(columns), table.n_rows)


def _wrong(
    model: Any, rows: Table, truth: NDArray[Any], weights: Floats, queries: Queries | None = None
) -> float:
    given = model.predict(rows)
    if queries is not None:
        found, w = query_ndcg(gains(truth), given, queries, None), queries.weights_of(weights)
        there = ~np.isnan(found) & (w > 0)
        return 1 - float(np.average(found[there], weights=w[there])) if there.any() else 0.0
    if not hasattr(model, "classes_"):
        return float(np.sqrt(np.average(np.square(truth - given), weights=weights)))
    return float(np.average(given != truth, weights=weights))

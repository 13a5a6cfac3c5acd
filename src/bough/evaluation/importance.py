"""What a column is worth on rows left out: how much worse the model gets when its values are shuffled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Column, Table
from bough.evaluation.folds import Folds, standard_error

Floats = NDArray[np.float64]

REPEATS = 3


@dataclass(frozen=True)
class Importance:
    """For each column the mean loss over the folds, in accuracy or in the root mean squared error, and its
    standard error."""

    names: list[str]
    loss: Floats
    error: Floats


def shuffled_importance(
    models: list[Any], table: Table, labels: NDArray[Any], weights: Floats, folds: Folds, seed: int = 0
) -> Importance:
    """`models`: one for each fold, fitted on its other rows, of one tree or many."""
    random = np.random.default_rng(seed)
    losses = np.zeros((len(folds), len(table.columns)))
    for fold, (model, (_, left)) in enumerate(zip(models, folds, strict=True)):
        rows, truth, w = table.take(left), labels[left], weights[left]
        asked: set[int] = set()
        for tree in [model.tree_] if hasattr(model, "tree_") else model.ensemble_:
            asked |= set(tree.feature[tree.feature >= 0].tolist()) | set(tree.surrogate_feature.tolist())
        before = _wrong(model, rows, truth, w)
        for place in sorted(asked):
            after = [
                _wrong(model, _shuffled(rows, place, random.permutation(rows.n_rows)), truth, w)
                for _ in range(REPEATS)
            ]
            losses[fold, place] = float(np.mean(after)) - before
    errors = np.array([standard_error(losses[:, place]) for place in range(len(table.columns))])
    return Importance(list(table.names), losses.mean(axis=0), errors)


def _shuffled(table: Table, place: int, order: NDArray[Any]) -> Table:
    columns = list(table.columns)
    columns[place] = Column(columns[place].field, columns[place].values[order])
    return Table(tuple(columns), table.n_rows)


def _wrong(model: Any, rows: Table, truth: NDArray[Any], weights: Floats) -> float:
    given = model.predict(rows)
    if not hasattr(model, "classes_"):
        return float(np.sqrt(np.average(np.square(truth - given), weights=weights)))
    return float(np.average(given != truth, weights=weights))

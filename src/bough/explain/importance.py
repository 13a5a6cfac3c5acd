"""How much each column matters: by gain, by gain on rows that were not grown on, by permutation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Column, Table
from bough.pruning.evidence import Evidence
from bough.pruning.sweeps import child_sums, subtree_sums
from bough.tree import Ensemble, Tree
from bough.tree.ensemble_text import decimals
from bough.tree.gains import by_column
from bough.tree.rules import Rules, class_shares

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

METHODS = ("unbiased", "permutation", "gain")


@dataclass(frozen=True, repr=False)
class Importance:
    """`values`: one for each column; `errors`: their standard errors `over` trees, folds or repeats (NaN: not
    known), all of the same table: with other rows the values change by more. "gain": shares of all gain.
    "unbiased": gain per row of rows not grown on, around 0 for noise. "permutation": what the accuracy (of
    numbers: R²) loses."""

    names: tuple[str, ...]
    values: Floats
    errors: Floats
    method: str
    over: str = ""

    @property
    def ranking(self) -> list[tuple[str, float]]:
        """Names and values, the largest first."""
        order = np.argsort(-self.values, kind="stable")
        return [(self.names[i], float(self.values[i])) for i in order]

    def __repr__(self) -> str:  # what a console and a notebook show
        return str(self)

    def __str__(self) -> str:
        width = max(map(len, self.names))
        values, top = dict(self.ranking), float(np.abs(self.values).max())
        shown = decimals(list(values.values()), top)
        errors = dict(zip(self.names, decimals(self.errors.tolist(), top), strict=True))
        lines = [f"importance: {self.method}"]
        for name, text in zip(values, shown, strict=True):
            error = errors[name].strip()
            lines.append(f"{name:<{width}}  {text}" + ("" if error == "nan" else f" ± {error}"))
        if np.isfinite(self.errors).any():
            lines.append(f"± is over the {self.over}, of the same table; with other rows more would change")
        return "\n".join(lines)


def names_of(model: Tree | Ensemble) -> tuple[str, ...]:
    return tuple(field.name for field in model.fields)


def unbiased_gain(tree: Tree, rows: Evidence) -> Floats:
    """MDI-oob (Li, Wang, Basu, Kumbier and Yu 2019): the covariance, within each node, of what its branches
    answer by the training rows and the targets of other rows. On the training rows themselves it is the gain
    of Gini, or of squared error."""
    if tree.classes is None:
        middle = float(tree.value[0, 0])
        answers, targets = tree.value - middle, rows.target[:, None] - middle
    else:
        answers = class_shares(tree.value, Rules())
        answers[1:] = np.where(tree.weight[1:, None] > 0, answers[1:], answers[tree.parent[1:]])
        targets = np.eye(len(tree.classes))[rows.target]
    row, node, share = tree.reach(rows.table)
    weight = share * rows.weights[row]
    here = np.zeros_like(answers)
    np.add.at(here, node, weight[:, None] * targets[row])
    passing = subtree_sums(tree, here)
    weights = subtree_sums(tree, np.bincount(node, weight, tree.n_nodes))
    # Around the mean of the rows that the branches get: values never seen may all go to one of them.
    below, total = child_sums(tree, passing), child_sums(tree, weights)
    middle_of = np.divide(below, total[:, None], out=np.zeros_like(below), where=total[:, None] > 0)
    apart = passing[1:] - weights[1:, None] * middle_of[tree.parent[1:]]
    moved = (answers[1:] * apart).sum(axis=1)
    gains = np.bincount(tree.parent[1:], moved, tree.n_nodes).astype(np.float64)
    return by_column(tree, gains) / float(rows.weights.sum())


def mean_and_error(values: Sequence[Floats], weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Over trees, folds or repeats; no error of a single one."""
    found = np.array(values)
    mean = np.average(found, axis=0, weights=weights)
    if len(found) < 2:
        return mean, np.full(len(mean), np.nan)
    return mean, found.std(axis=0, ddof=1) / np.sqrt(len(found))


def unbiased_importance(
    model: Tree | Ensemble, rows: Evidence, outside: Sequence[Rows] | None = None
) -> Importance:
    """`outside`: of each tree, the rows that it did not grow on; None: no tree knows any of the rows."""
    if isinstance(model, Tree):
        values, errors = mean_and_error([unbiased_gain(model, rows)])
        return Importance(names_of(model), values, errors, "unbiased")
    chosen = [rows] * len(model) if outside is None else [rows.take(some) for some in outside]
    told = [
        (unbiased_gain(t, r), w)
        for t, r, w in zip(model, chosen, model.weights, strict=True)
        if len(r.target)
    ]
    values, errors = mean_and_error([gain for gain, _ in told], np.array([w for _, w in told]))
    return Importance(names_of(model), values, errors, "unbiased", "trees")


def permutation_importance(
    model: Tree | Ensemble,
    rows: Evidence,
    repeats: int,
    random: np.random.RandomState,
    outside: Sequence[Rows] | None = None,
    score: Callable[[Table], float] | None = None,
) -> Importance:
    """What the score loses if a column's values change places among the rows: of the model on all of them, or
    of each tree on the rows `outside` of it (Breiman 2001), which is then averaged over the trees. `score`:
    of the answers for a table; None: the accuracy, or R²."""
    if outside is None:
        lost = _lost(model, rows, repeats, random, score)
    else:
        trees = zip(model if isinstance(model, Ensemble) else [model], outside, strict=True)
        lost = [_mean_lost(tree, rows.take(some), repeats, random) for tree, some in trees if len(some) > 1]
    values, errors = mean_and_error(lost)
    return Importance(
        names_of(model), values, errors, "permutation", "repeats" if outside is None else "trees"
    )


def _mean_lost(tree: Tree, rows: Evidence, repeats: int, random: np.random.RandomState) -> Floats:
    mean: Floats = np.mean(_lost(tree, rows, repeats, random), axis=0)
    return mean


def _lost(
    model: Tree | Ensemble,
    rows: Evidence,
    repeats: int,
    random: np.random.RandomState,
    score: Callable[[Table], float] | None = None,
) -> list[Floats]:
    """One array for each repeat."""
    score = score or _scorer(model, rows)
    whole = score(rows.table)
    asked = _asked(model)
    lost = []
    for _ in range(repeats):
        found = np.zeros(len(model.fields))
        for column in asked:
            order = random.permutation(rows.table.n_rows)
            found[column] = whole - score(_shuffled(rows.table, column, order))
        lost.append(found)
    return lost


def _asked(model: Tree | Ensemble) -> list[int]:
    """Columns that a tree asks for, itself or by a surrogate; the others lose nothing."""
    trees = [model] if isinstance(model, Tree) else list(model)
    asked = np.concatenate(
        [np.append(tree.feature[tree.feature >= 0], tree.surrogate_feature) for tree in trees]
    )
    return [int(column) for column in np.unique(asked)]


def _shuffled(table: Table, column: int, order: NDArray[Any]) -> Table:
    columns = list(table.columns)
    columns[column] = Column(columns[column].field, columns[column].values[order])
    return Table(tuple(columns), table.n_rows)


def _scorer(model: Tree | Ensemble, rows: Evidence) -> Callable[[Table], float]:
    """The accuracy, or R², of the answers for a table."""
    w = rows.weights
    if model.classes is not None:
        truth = model.classes[rows.target]
        return lambda table: float(np.average(model.predict(table) == truth, weights=w))
    around = float(np.average((rows.target - np.average(rows.target, weights=w)) ** 2, weights=w))

    def explained(table: Table) -> float:
        off = float(np.average((model.predict(table) - rows.target) ** 2, weights=w))
        return 1.0 - off / around if around > 0 else 0.0

    return explained

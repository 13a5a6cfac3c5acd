"""Shapley values of each answer, exact, for every kind of split: the core walks a tree once for eight rows.

For a row, the value of a set of columns is what the tree answers if it is told only these: a node that asks
for a known column sends the row its way, any other node sends it down all branches by the weight of their
training rows (or, with a background table, the way of a background row). A leaf is thus reached with a
product over the columns k of its path, o_k where the column is known and z_k where it is not, and the Shapley
value of column j is

    sum over leaves of  value * (o_j - z_j) * integral over t in [0, 1] of the product over k != j of
    t * o_k + (1 - t) * z_k,

because the integral of t^s (1 - t)^(d - 1 - s) is the weight of the sets of s columns. The product is a
polynomial, so that Gauss's rule with half as many points as columns is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.ingest import check_known, to_table
from bough.data.table import Table
from bough.errors import BoughError
from bough.tree import Ensemble, Tree

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]


@dataclass(frozen=True)
class ShapValues:
    """`values`: rows by columns (by outputs, for classes): what each column adds to the answer. Together with
    `base_values`, the answer where nothing is known, they add up to `outputs`."""

    values: Floats
    base_values: Any
    feature_names: tuple[str, ...]

    @property
    def outputs(self) -> Floats:
        sums: Floats = self.values.sum(axis=1) + self.base_values
        return sums


def shap_values(
    model: Tree | Ensemble, data: Any, background: Any = None, threads: int = 1, owner: str = "the model"
) -> ShapValues:
    """What is explained: class shares or the mean of a tree and of averaged trees, shares of votes, and of
    summed trees the raw output, before the link."""
    table = _table(model, data, owner)
    others = None if background is None else _table(model, background, owner)
    if isinstance(model, Ensemble) and model.combine == "sum":
        classes, base = None, model.base.copy()
    else:
        classes = model.classes
        base = np.zeros(1 if classes is None else len(classes))
    values = np.zeros((table.n_rows, len(model.fields), len(base)))
    for tree, node_values, outputs in _parts(model):
        # Shares add up to one, so that the last class follows from the others.
        free = outputs[:-1] if classes is not None and len(outputs) > 1 else outputs
        told = node_values[:, : len(free)]
        base[free] += _tree_values(tree, told, table, others, values, int(outputs[0]), threads)
    if classes is not None and len(base) > 1:
        values[:, :, -1] = -values[:, :, :-1].sum(axis=2)
        base[-1] = 1.0 - base[:-1].sum()
    names = tuple(field.name for field in model.fields)
    if len(base) == 1 and classes is None:
        return ShapValues(values[:, :, 0], float(base[0]), names)
    return ShapValues(values, base, names)


def _table(model: Tree | Ensemble, data: Any, owner: str) -> Table:
    if isinstance(model, Ensemble):
        return model.table(data, owner)
    table = to_table(data, fields=model.fields, owner=owner, strict=model.rules.unseen == "error")
    check_known(table, model.rules.never_missing)
    return table


def _parts(model: Tree | Ensemble) -> Iterator[tuple[Tree, Floats, Longs]]:
    """The trees, what their nodes add to the outputs, and to which."""
    if isinstance(model, Tree):
        values = model.value if model.classes is None else model.shares
        yield model, values, np.arange(values.shape[1])
        return
    whole = 1.0 if model.combine == "sum" else model.weights.sum()
    for tree, weight, output in zip(model.trees, model.weights, model.output, strict=True):
        if model.combine == "vote" and (tree.classes is None or tree.spreads):
            what = "a weighted median" if tree.classes is None else "the vote of a row spread over leaves"
            raise BoughError(
                f"{what} is not a sum over trees, so it has no exact Shapley values.",
                code="model",
                hint="Explain its trees one by one: bough.explain.shap.shap_values(model.ensemble_[0], X).",
            )
        values = weight / whole * model.node_values(tree)
        yield tree, values, np.array([output]) if model.combine == "sum" else np.arange(values.shape[1])


def _tree_values(
    tree: Tree,
    node_values: Floats,
    table: Table,
    others: Table | None,
    into: Floats,
    first: int,
    threads: int,
) -> Floats:
    """Adds the tree's part to `into`, rows by columns by outputs; returns its answer to nothing known."""
    points, weights = _quadrature((tree.walker.most_asked + 1) // 2)
    value = np.ascontiguousarray(node_values)
    columns = [column.values for column in table.columns]

    def add(cover: Floats, first: int, to: Floats) -> Floats:
        return tree.walker.shapley(columns, table.n_rows, cover, value, points, weights, first, to, threads)

    if others is None:
        return add(tree.walker.training_shares(), first, into)
    base = np.zeros(value.shape[1])
    part = np.zeros((*into.shape[:2], value.shape[1]))
    known = [column.values for column in others.columns]
    for row in range(others.n_rows):
        base += add(tree.walker.shares(known, others.n_rows, row), 0, part)
    into[:, :, first : first + value.shape[1]] += part / others.n_rows
    return base / others.n_rows


@cache
def _quadrature(n: int) -> tuple[Floats, Floats]:
    """Points and weights on [0, 1] that are exact for twice as many columns."""
    points, weights = np.polynomial.legendre.leggauss(max(n, 1))
    return (points + 1.0) / 2.0, weights / 2.0

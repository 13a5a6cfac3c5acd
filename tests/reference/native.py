"""The native core on tables of the references, in any layout of the columns and on any number of threads."""

from __future__ import annotations

import math

import numpy as np

from bough import _core
from bough.data.table import Column, Field, Table
from bough.growing import Settings
from bough.growing.grow import n_categories
from bough.growing.thresholds import place_thresholds
from bough.tree import Tree

from . import grower


def to_table(table: grower.Table) -> Table:
    columns = []
    for col in table.columns:
        values = np.array([math.nan if v is None else v for v in col.values], dtype=float)
        categories = tuple(f"c{i:03d}" for i in range(col.n_categories))
        columns.append(Column(Field(col.name, "nominal" if categories else "numeric", categories), values))
    return Table(tuple(columns), len(table.target))


def grow_core(given: grower.Table, settings: Settings, threads: int = 1, record_bins: int = 255) -> Tree:
    """As bough.growing.grow; with record_bins=0 ordered columns are kept sorted and categories are sorted in
    each node, as happens with more than 255 values."""
    table = to_table(given)
    y = np.array(given.target)
    weights = np.empty(0)
    if given.weights is not None:
        weights = np.array(given.weights, dtype=float)
        kept = weights > 0
        table, y, weights = table.take(kept), y[kept], weights[kept]
    matrix = _core.BinnedMatrix(
        [column.values for column in table.columns],
        [n_categories(field) for field in table.fields],
        table.n_rows,
        0,
        threads,
        record_bins,
    )
    divided = settings.missing == "fractional" and any(np.isnan(c.values).any() for c in table.columns)
    classes = None
    if given.n_classes is None:
        target = _core.number_target(y.astype(float), weights, divided)
    else:
        classes = np.arange(given.n_classes)
        target = _core.class_target(y.astype(np.int32), len(classes), weights, divided)
    arrays = _core.grow(matrix, target, settings.for_core(table.fields, table.n_rows), threads)
    place_thresholds(arrays, table, settings.thresholds)
    return Tree(fields=table.fields, classes=classes, **arrays)

"""Growth in one call: columns to codes, target to exact sums, and the core's loop; a Tree comes out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.data.ingest import check_known
from bough.data.table import Field, Table
from bough.errors import BoughError
from bough.growing.custom import set_criterion
from bough.growing.settings import Settings, wrong
from bough.growing.thresholds import place_thresholds
from bough.growing.weights import moderate
from bough.tree.rules import Rules
from bough.tree.tree import Tree

NO_WEIGHTS = np.empty(0)
MOST_CLASSES = 65_535


def grow(
    table: Table,
    target: NDArray[Any],
    classes: NDArray[Any] | None,
    weights: NDArray[np.float64] | None,
    settings: Settings,
    threads: int = 1,
    rules: Rules | None = None,
    values: Table | None = None,
) -> Tree:
    """`target` holds class numbers, or numbers where `classes` is None; `weights` None: all are 1. Rows of
    weight zero are left out. `rules`: how the tree is to answer; `values`: where thresholds="data" takes
    numbers from, if the table is a part of it."""
    if weights is not None and not weights.all():
        kept = weights > 0
        table, target, weights = table.take(kept), target[kept], weights[kept]
    weights, own, scale = moderate(weights, settings, classes is None)
    prepared = prepare(table, target, classes, weights, own, threads, grows_at_once=True)
    matrix, core_target, core_settings, threads = prepared
    arrays = _core.grow(matrix, core_target, core_settings, threads)
    if scale != 1:
        arrays["weight"] = arrays["weight"] / scale
    place_thresholds(arrays, values or table, settings.thresholds)
    return Tree(fields=table.fields, classes=classes, **arrays, rules=rules or Rules())


def prepare(
    table: Table,
    target: NDArray[Any],
    classes: NDArray[Any] | None,
    weights: NDArray[np.float64] | None,
    settings: Settings,
    threads: int,
    by_row: bool = False,
    grows_at_once: bool = False,
) -> tuple[_core.BinnedMatrix, _core.Target, _core.Settings, int]:
    """The same for the core, and how many threads may grow. `by_row`: no column is kept sorted;
    `grows_at_once`: the matrix grows one tree and goes."""
    fields = table.fields
    missing = settings.missing_rules(fields)
    if "error" in missing:
        check_known(table, [f.name for f, rule in zip(fields, missing, strict=True) if rule == "error"])
    if settings.value_gap > 0:  # parts of a table do not know all of its values
        table = replace(table, within=None)
    matrix = _codes(table, min(settings.max_bins or 0, table.n_rows), threads, by_row, grows_at_once)
    if settings.monotonic_cst is not None:
        _check_monotone(table, settings, missing)
    if settings.p_values == "monte_carlo" and weights is not None and len(np.unique(weights)) > 1:
        raise wrong("p_values", settings.p_values, "asymptotic where rows differ in weight")
    core_target = _target(target, classes, weights, _divides(table, missing), settings.criterion)
    if callable(settings.criterion) and not set_criterion(core_target, settings.criterion):
        threads = 1  # Python runs one at a time
    return matrix, core_target, settings.for_core(fields, table.n_rows), threads


def _codes(
    table: Table, max_bins: int, threads: int, by_row: bool, grows_at_once: bool
) -> _core.BinnedMatrix:
    """The columns as codes, or a copy of those that a table keeps: growing uses them up."""
    if table.within is not None and not by_row:
        whole, rows = table.within
        return _kept(whole, max_bins, threads).part(rows.astype(np.uint32))
    if table.coded is not None and not by_row:
        return _kept(table, max_bins, threads).copy()
    return _coded(table, max_bins, threads, by_row, grows_at_once)


def _kept(table: Table, max_bins: int, threads: int) -> _core.BinnedMatrix:
    assert table.coded is not None
    if max_bins not in table.coded:
        table.coded[max_bins] = _coded(table, max_bins, threads, by_row=False, grows_at_once=False)
    kept: _core.BinnedMatrix = table.coded[max_bins]
    return kept


def _coded(
    table: Table, max_bins: int, threads: int, by_row: bool, grows_at_once: bool
) -> _core.BinnedMatrix:
    return _core.BinnedMatrix(
        [column.values for column in table.columns],
        [n_categories(field) for field in table.fields],
        table.n_rows,
        max_bins,
        threads,
        by_row=by_row,
        grows_at_once=grows_at_once,
    )


def _check_monotone(table: Table, settings: Settings, missing: list[str]) -> None:
    """What a monotone tree cannot promise is refused."""
    if callable(settings.criterion) or settings.categories == "chaid":
        raise wrong(
            "monotonic_cst", settings.monotonic_cst, "None with a criterion of your own or with chaid"
        )
    holes = any(np.isnan(column.values).any() for column in table.columns)
    if holes and any(rule not in ("learn", "error") for rule in missing):
        raise wrong("missing", settings.missing, '"learn" with monotonic_cst, where values are missing')


def _target(
    target: NDArray[Any],
    classes: NDArray[Any] | None,
    weights: NDArray[np.float64] | None,
    shares: bool,
    criterion: Any,
) -> _core.Target:
    w = NO_WEIGHTS if weights is None else weights
    if classes is None:
        if criterion == "poisson" and (target < 0).any():
            row = int((target < 0).argmax())
            raise BoughError(
                f'the target y is {target[row]:g} in row {row}; criterion="poisson" needs 0 or more.',
                code="target",
                hint='Use criterion="squared_error".',
            )
        return _core.number_target(target, w, shares, criterion == "poisson")
    if len(classes) > MOST_CLASSES:
        raise BoughError(
            f"the target y has {len(classes)} different classes, at most {MOST_CLASSES} are possible.",
            code="target",
            hint="Is it an identifier, or a number to predict with a regressor?",
        )
    return _core.class_target(target, len(classes), w, shares)


def _divides(table: Table, missing: list[str]) -> bool:
    """Whether rows will be divided among children."""
    return any(
        rule == "fractional" and bool(np.isnan(column.values).any())
        for rule, column in zip(missing, table.columns, strict=True)
    )


def n_categories(field: Field) -> int:
    """The size of the domain where categories are grouped; 0 where values are ordered."""
    return len(field.categories) if field.kind in ("nominal", "boolean") else 0

"""Growth in one call: columns to codes, target to exact sums, and the core's loop; a Tree comes out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.data.table import Field, Table
from bough.errors import BoughError
from bough.growing.settings import Settings
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
) -> Tree:
    """`target` holds class numbers, or numbers where `classes` is None; `weights` None: all are 1. Rows of
    weight zero are left out."""
    if weights is not None and not weights.all():
        kept = weights > 0
        table, target, weights = table.take(kept), target[kept], weights[kept]
    matrix = _core.BinnedMatrix(
        [column.values for column in table.columns],
        [n_categories(field) for field in table.fields],
        table.n_rows,
        min(settings.max_bins or 0, table.n_rows),
        threads,
    )
    w = NO_WEIGHTS if weights is None else weights
    if classes is None:
        core_target = _core.number_target(target, w)
    else:
        if len(classes) > MOST_CLASSES:
            raise BoughError(
                f"the target y has {len(classes)} different classes, at most {MOST_CLASSES} are possible.",
                code="target",
                hint="Is it an identifier, or a number to predict with a regressor?",
            )
        core_target = _core.class_target(target, len(classes), w)
    arrays = _core.grow(matrix, core_target, settings.for_core(table.fields, table.n_rows), threads)
    return Tree(fields=table.fields, classes=classes, **arrays)


def n_categories(field: Field) -> int:
    """The size of the domain where categories are grouped; 0 where values are ordered."""
    return len(field.categories) if field.kind in ("nominal", "boolean") else 0

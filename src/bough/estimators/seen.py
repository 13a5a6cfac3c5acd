"""What a model was fitted on, kept for questions about its training rows where it is small."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.ingest import to_table
from bough.data.table import Table
from bough.data.target import class_codes, number_target
from bough.errors import BoughError

MOST_CELLS = 20_000_000  # larger tables are not kept alive by a model


@dataclass(frozen=True)
class Seen:
    """Rows as the tree grew on them: class numbers or numbers, weights (None: all 1)."""

    table: Table
    target: NDArray[Any]
    weights: NDArray[np.float64] | None


def seen(table: Table, target: NDArray[Any], weights: NDArray[np.float64] | None) -> Seen | None:
    return Seen(table, target, weights) if table.n_rows * len(table.columns) <= MOST_CELLS else None


def training_rows(model: Any, hint: str = "Give them: X=, y=.") -> Seen:
    """What the model was fitted on, or an error that says what to give."""
    rows: Seen | None = getattr(model, "_seen", None)
    if rows is None:
        raise BoughError(
            "the training rows are not at hand: the model was loaded, or they were too many to keep.",
            code="model",
            hint=hint,
        )
    return rows


def data_digest(rows: Seen) -> str:
    """SHA-256 of the rows that a model was fitted on: columns, target, weights."""
    sha = hashlib.sha256()
    for column in rows.table.columns:
        sha.update(repr(column.field).encode("utf-8", "surrogatepass"))
        sha.update(column.values.astype("<f8").tobytes())
    sha.update(rows.target.astype("<f8").tobytes())
    if rows.weights is not None:
        sha.update(rows.weights.astype("<f8").tobytes())
    return sha.hexdigest()


def check_both(X: Any, y: Any) -> None:
    if (X is None) != (y is None):
        raise BoughError(
            "training rows need both X and y.", code="parameter", hint="Give X= and y=, or neither."
        )


def are_training_rows(model: Any, rows: Seen) -> bool:
    """Whether these are the rows that the model was fitted on, in their order, as far as it knows them."""
    kept: Seen | None = getattr(model, "_seen", None)
    if kept is None:
        return getattr(model, "_data_digest", None) == data_digest(rows)
    if kept.table.n_rows != rows.table.n_rows:
        return False
    return data_digest(replace(kept, weights=None)) == data_digest(replace(rows, weights=None))


def rows_of(model: Any, X: Any = None, y: Any = None) -> Seen | None:
    """The rows given, or those that the model keeps, if it does."""
    if X is None and y is None:
        kept: Seen | None = getattr(model, "_seen", None)
        return kept
    check_both(X, y)
    tree, owner = model.tree_, type(model).__name__
    table = to_table(X, fields=tree.fields, owner=owner)
    if tree.classes is None:
        return Seen(table, number_target(y, table.n_rows, owner), None)
    codes, _ = class_codes(y, table.n_rows, owner, tree.classes.tolist())
    return Seen(table, codes, None)

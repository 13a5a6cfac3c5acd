"""What a model was fitted on, kept for questions about its training rows where it is small."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.ingest import to_table
from bough.data.table import Column, Table
from bough.data.target import class_codes, number_target
from bough.errors import BoughError
from bough.pruning import Evidence
from bough.pruning.evidence import target_numbers
from bough.tree import Ensemble, Tree

MOST_CELLS = 20_000_000  # larger tables are not kept alive by a model
MOST_COPIED = 2_000_000  # cells, 16 MB; of larger tables the user's own memory is kept, and its checksum
MOST_SUMMED = 50_000  # cells


@dataclass(frozen=True)
class Seen:
    """Rows as the tree grew on them: class numbers or numbers, weights (None: all 1). `shared`: memory that
    the user may write to, with its checksum; empty where the table has its own."""

    table: Table
    target: NDArray[Any]
    weights: NDArray[np.float64] | None
    shared: tuple[NDArray[Any], ...] = ()
    checksum: int = 0


def seen(X: Any, table: Table, target: NDArray[Any], weights: NDArray[np.float64] | None) -> Seen | None:
    """`X`: what the table was made of."""
    cells = table.n_rows * len(table.columns)
    if cells > MOST_CELLS:
        return None
    shared = _shared(X, table)
    if cells <= MOST_COPIED:
        return Seen(_apart(table, shared), target, weights)
    return Seen(table, target, weights, shared, _checksum(shared))


def _shared(X: Any, table: Table) -> tuple[NDArray[Any], ...]:
    """The user's memory that the table may be a view of: one contiguous matrix, or columns."""
    if isinstance(X, Table):
        return ()
    if type(X) is np.ndarray and X.ndim == 2:
        if not np.may_share_memory(X, table.columns[0].values):
            return ()
        if X.flags.c_contiguous or X.flags.f_contiguous:
            return (X,)
    # All other kinds of columns have been encoded.
    return tuple(column.values for column in table.columns if column.field.kind == "numeric")


def _apart(table: Table, shared: tuple[NDArray[Any], ...]) -> Table:
    """The same table, in memory of its own."""
    if not shared:
        return table
    if shared[0].ndim == 2:
        values = shared[0].copy("K").T
        values.flags.writeable = False
        columns = tuple(Column(c.field, v) for c, v in zip(table.columns, values, strict=True))
    else:
        columns = tuple(
            Column(c.field, c.values.copy()) if c.field.kind == "numeric" else c for c in table.columns
        )
    return Table(columns, table.n_rows)


def _checksum(arrays: tuple[NDArray[Any], ...]) -> int:
    """Of cells here and there: what is done to many is seen, and a large fit takes no longer. Whole rows
    would be few of a wide table, or most of its memory: 10,000 of 5,000 columns took a fifth of a fit."""
    if not arrays:
        return 0
    # Multiples of the golden ratio, without their whole part: no regular pattern of changes avoids them. They
    # go on from column to column, so that these are not all asked in the same rows.
    each = 1 + MOST_SUMMED // len(arrays)
    parts = np.arange(each * len(arrays), dtype=np.uint64) * np.uint64(2654435769) % np.uint64(2**32)
    found = 0
    for array, part in zip(arrays, parts.reshape(-1, each), strict=True):
        places = (part * np.uint64(array.size) >> np.uint64(32)).astype(np.intp)
        found = zlib.crc32(array[np.unravel_index(places, array.shape)].data, found)
    return found


def kept_rows(model: Any) -> Seen | None:
    """What the model was fitted on, if it has kept it and nobody has changed it since."""
    rows: Seen | None = getattr(model, "_seen", None)
    return None if rows is None or _checksum(rows.shared) != rows.checksum else rows


def training_rows(model: Any, hint: str = "Give them: X=, y=.") -> Seen:
    """What the model was fitted on, or an error that says what to give."""
    rows = kept_rows(model)
    if rows is not None:
        return rows
    if getattr(model, "_seen", None) is not None:
        raise BoughError(
            "the training rows have been changed since the fit, and the model has no others: tables of more "
            f"than {MOST_COPIED:,} cells are not copied.",
            code="model",
            hint=f"{hint} Or fit again, on a copy if X is to be changed: fit(X.copy(), y).",
        )
    if getattr(model, "bags_digest_", "") is None:
        raise BoughError(
            "the trees of this forest did not all grow on the same rows, weights and bags (warm_start): no "
            "rows are those of all of them.",
            code="model",
            hint=f"{hint} Or fit again with warm_start=False.",
        )
    raise BoughError(
        "the training rows are not at hand: the model was loaded, or they were too many to keep.",
        code="model",
        hint=hint,
    )


def data_digest(rows: Seen, weighted: bool = False) -> str:
    """SHA-256 of the rows that a model was fitted on: columns and target. Not of their weights, which a fit
    changes (class_weight, AdaBoost) and a question may leave out; `weighted`: as older files have it."""
    sha = hashlib.sha256()
    for column in rows.table.columns:
        sha.update(repr(column.field).encode("utf-8", "surrogatepass"))
        values = column.values.astype("<f8")
        values[np.isnan(values)] = np.nan  # whatever its sign
        sha.update(values.data)
    sha.update(rows.target.astype("<f8").tobytes())
    if weighted and rows.weights is not None:
        sha.update(rows.weights.astype("<f8").tobytes())
    return sha.hexdigest()


def known_digest(model: Any) -> str | None:
    """Of the rows that the model was fitted on: those that it keeps, or those of before it was loaded."""
    rows = kept_rows(model)
    found: str | None = getattr(model, "_data_digest", None) if rows is None else data_digest(rows)
    return found


def check_both(X: Any, y: Any) -> None:
    if (X is None) != (y is None):
        raise BoughError(
            "training rows need both X and y.", code="parameter", hint="Give X= and y=, or neither."
        )


def are_training_rows(model: Any, rows: Seen) -> bool:
    """Whether these are the rows that the model was fitted on, in their order, as far as it knows them."""
    kept = kept_rows(model)
    if kept is None:
        known = getattr(model, "_data_digest", None)
        return known is not None and known in (data_digest(rows), data_digest(rows, weighted=True))
    if not np.array_equal(kept.target, rows.target):  # almost all other rows, and a digest takes longer
        return False
    return data_digest(kept) == data_digest(rows)


def was_fitted_on(model: Any, trees: Tree | Ensemble, X: Any, y: Any, sample_weight: Any = None) -> bool:
    """The same of a user's rows, which may have more columns than the model."""
    kept = kept_rows(model)
    if kept is None and getattr(model, "_data_digest", None) is None:
        return False
    try:
        if kept is not None:  # the target alone tells almost all other rows, before X is encoded
            target = target_numbers(trees.classes, y, len(kept.target))
            if not np.array_equal(kept.target, target):
                return False
        rows = Evidence.of(trees, X, y, sample_weight)
    except BoughError:  # rows that the model cannot have seen
        return False
    told = None if sample_weight is None else rows.weights
    return are_training_rows(model, Seen(rows.table, rows.target, told))


def rows_of(model: Any, X: Any = None, y: Any = None) -> Seen | None:
    """The rows given, or those that the model keeps, if it does."""
    if X is None and y is None:
        return kept_rows(model)
    check_both(X, y)
    tree, owner = model.tree_, type(model).__name__
    table = to_table(X, fields=tree.fields, owner=owner)
    if tree.classes is None:
        return Seen(table, number_target(y, table.n_rows, owner), None)
    codes, _ = class_codes(y, table.n_rows, owner, tree.classes.tolist())
    return Seen(table, codes, None)

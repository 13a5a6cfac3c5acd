"""Tables of counts: two columns to a contingency table, and checks of counts that are given."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from bough.errors import BoughError, BoughTypeError

Floats: TypeAlias = npt.NDArray[np.float64]


def contingency(
    x: Iterable[object],
    y: Iterable[object],
    *,
    rows: Sequence[object] | None = None,
    columns: Sequence[object] | None = None,
    missing: Literal["error", "drop"] = "error",
) -> Floats:
    """Count how often each value of x meets each value of y: the table that bough.information takes.

    x and y are lists, numpy arrays or the columns of a frame. Rows and columns stand in sorted order unless
    `rows` and `columns` list the values; a listed value that never occurs gets zeros. A missing value
    (None, NaN, NA) is an error, or with `missing="drop"` its pair is left out.

    >>> cloud = ["yes", "no", "yes", "no"]
    >>> contingency(["wet", "dry", "wet", "wet"], cloud)
    array([[1., 0.],
           [1., 2.]])
    >>> contingency(["wet", None, "wet", "dry"], cloud, rows=["wet", "dry", "snow"], missing="drop")
    array([[0., 2.],
           [1., 0.],
           [0., 0.]])
    """
    if missing not in ("error", "drop"):
        raise BoughError(f'missing={missing!r}: choose "error" or "drop"', code="parameter")
    xs, x_known = known_values(x, "x", allow_missing=missing == "drop")
    ys, y_known = known_values(y, "y", allow_missing=missing == "drop")
    if len(xs) != len(ys):
        raise unequal_lengths("x", len(xs), "y", len(ys))
    kept = [i for i in range(len(xs)) if x_known[i] and y_known[i]]
    x_codes, n_rows = numbered([xs[i] for i in kept], rows, "x")
    y_codes, n_columns = numbered([ys[i] for i in kept], columns, "y")
    counts = np.bincount(x_codes * n_columns + y_codes, minlength=n_rows * n_columns)
    return counts.reshape(n_rows, n_columns).astype(np.float64)


def known_values(
    column: Iterable[object], name: str, *, allow_missing: bool = False
) -> tuple[list[object], list[bool]]:
    """The values of a column as Python objects, and for each whether it is there."""
    if isinstance(column, (str, bytes)) or not isinstance(column, Iterable):
        raise BoughTypeError(
            f"{name} must be a column of values, not {column!r}",
            code="column",
            hint="E.g. a list or a Series.",
        )
    convert = getattr(column, "to_list", None) or getattr(column, "tolist", None)
    values = list(convert() if convert else column)
    known = [not _is_missing(value) for value in values]
    if not allow_missing and not all(known):
        raise BoughError(
            f"{name} has {known.count(False)} missing values, the first at position {known.index(False)}",
            code="missing",
            hint='Leave them out first; contingency does it with missing="drop".',
        )
    return values, known


def _is_missing(value: object) -> bool:
    # pandas.NA answers NA to every comparison, so it can only be known by its type.
    if value is None or type(value).__name__ == "NAType":
        return True
    return type(value).__name__ == "NaTType" or (isinstance(value, float) and math.isnan(value))


def numbered(
    values: list[object], declared: Sequence[object] | None, name: str
) -> tuple[npt.NDArray[np.intp], int]:
    """The number of each value among the declared (or the sorted) ones, and how many of those there are."""
    try:
        order = list(declared) if declared is not None else sorted(set(values))  # type: ignore[type-var]  # a TypeError is answered below
        number = {value: i for i, value in enumerate(order)}
        codes = [number[value] for value in values]
    except KeyError as unknown:
        raise BoughError(
            f"{name} has the value {unknown.args[0]!r}, which is not listed",
            code="category",
            hint=f"Listed: {', '.join(map(str, order))}.",
        ) from None
    except TypeError as reason:
        raise BoughTypeError(
            f"the values of {name} cannot be put in order ({reason})",
            code="column",
            hint="Give one kind of plain values, or list them with rows= and columns=.",
        ) from None
    return np.asarray(codes, dtype=np.intp), len(order)


def unequal_lengths(a: str, n_a: int, b: str, n_b: int) -> BoughError:
    return BoughError(
        f"{a} has {n_a} values and {b} has {n_b}", code="column", hint="Give pairs: equal lengths."
    )


def shares_of(counts: Floats, *, empty_ok: bool = False) -> Floats:
    """Each distribution divided by its sum; one without weight is an error or, if allowed, zeros."""
    total = counts.sum(axis=-1, keepdims=True)
    if not empty_ok:
        require_weight(total)
    shares: Floats = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    return shares


def require_weight(total: npt.ArrayLike) -> None:
    if not np.all(np.asarray(total) > 0):
        raise BoughError(
            "a distribution has no cases, so its uncertainty is undefined",
            code="counts",
            hint="Give at least one count above zero.",
        )


def counts_in(values: npt.ArrayLike) -> Floats:
    counts = numbers_in(values, "counts")
    if counts.ndim == 0 or counts.shape[-1] == 0:
        raise BoughError("expected a list of counts, one for each class", code="counts", hint="E.g. [9, 5].")
    wrong = ~((counts >= 0) & (counts < math.inf))
    if wrong.any():
        raise BoughError(
            f"{counts[wrong][0]} is not a count",
            code="counts",
            hint="Counts and shares are finite and not negative.",
        )
    # A sum that overflows would turn every share into 0; a power of two changes no share.
    return counts * 2.0**-64 if counts.max(initial=0.0) > 1e280 else counts


def table_in(values: npt.ArrayLike) -> Floats:
    cells = counts_in(values)
    if cells.ndim < 2 or cells.shape[-2] == 0:
        raise BoughError(
            f"expected a contingency table, got the shape {cells.shape}",
            code="counts",
            hint="Rows are the values of X, columns the classes of Y; contingency(x, y) makes one.",
        )
    return cells


def numbers_in(values: npt.ArrayLike, what: str) -> Floats:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biufO":
            raise TypeError(f"found {array.dtype}")
        return array.astype(np.float64)
    except (TypeError, ValueError) as reason:
        raise BoughTypeError(
            f"{what} must be numbers in rows of equal length ({reason})",
            code="counts",
            hint="To count the values of two columns use contingency(x, y).",
        ) from None

"""Numpy arrays to columns: float64 is kept as a view, everything else is converted once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.objects import EXACT, complex_column, from_objects, inexact, too_far, wrapped
from bough.data.table import BOOLEAN, Column, Field, Kind
from bough.errors import BoughError, BoughTypeError

Array = NDArray[Any]


def from_array(name: str, array: Array, wanted: Kind | None = None) -> Column:
    """The column of a one-dimensional array."""
    if array.ndim != 1:
        raise BoughError(
            f'column "{name}" has {array.ndim} dimensions (shape {array.shape}), it must have one.',
            code="column",
            hint="Spread it over columns of its own.",
        )
    if isinstance(array, np.ma.MaskedArray):
        if np.ma.is_masked(array):
            return from_objects(name, unmasked(array), wanted)
        array = array.data
    kind = array.dtype.kind
    if kind in "fiu":
        values = floats(array, (name,))
        return Column(Field(name, "numeric"), values if values.flags.aligned else values.copy())
    if kind == "b":
        return Column(Field(name, "boolean", BOOLEAN), array.astype(np.float64))
    if kind == "M":
        return Column(
            Field(name, "datetime", zoned=None if _days(array) else False),
            _ticks(name, array, "datetime64[us]"),
        )
    if kind == "m":
        return Column(Field(name, "numeric"), _ticks(name, array, "timedelta64[us]") / 1e6)
    if kind in "OUST":
        return from_objects(name, array.tolist(), wanted)
    if kind == "c":
        raise complex_column(name)
    raise BoughTypeError(
        f'column "{name}" has the type {array.dtype}, which a table cannot hold.',
        code="column",
        hint="Spread its parts over columns of their own.",
    )


def _days(array: Array) -> bool:
    """Whether they are days without a time, or there are none."""
    return np.datetime_data(array.dtype)[0] in ("Y", "M", "W", "D", "generic")


def matrix_columns(matrix: Array, names: list[str]) -> list[Column]:
    """The columns of a two-dimensional array of numbers or booleans, as views of one float64 matrix."""
    if isinstance(matrix, np.ma.MaskedArray):
        known = floats(np.ma.filled(matrix, 0), names)
        matrix = np.where(np.ma.getmaskarray(matrix), np.nan, known)
    values = floats(matrix, names)
    if not values.flags.aligned:
        values = values.copy()
    values = values.view()
    values.flags.writeable = False
    if matrix.dtype.kind == "b":
        return [Column(Field(name, "boolean", BOOLEAN), v) for name, v in zip(names, values.T, strict=True)]
    return [Column(Field(name, "numeric"), v) for name, v in zip(names, values.T, strict=True)]


def floats(array: Array, names: list[str] | tuple[str, ...]) -> NDArray[np.float64]:
    """The numbers as float64, refusing integers that would become other numbers."""
    if array.dtype == np.float64:
        return array
    with np.errstate(over="ignore"):
        # A longdouble beyond float64 becomes inf here, which is found and named later.
        values = array.astype(np.float64, copy=False)
    wide = array.dtype.kind in "iu" and array.dtype.itemsize == 8 and array.size > 0
    if wide and max(-int(array.min()), int(array.max())) > EXACT:
        _check_exact(array, values, names)
    return values


def check_finite(columns: list[Column], matrix: Array | None = None) -> None:
    """Refuse infinite numbers, naming the first; `matrix` holds the columns' values if there is one."""
    if matrix is not None and not _may_be_infinite(matrix):
        return
    for column in columns:
        if column.field.kind == "numeric" and _may_be_infinite(column.values):
            infinite = np.isinf(column.values)
            if infinite.any():
                row = int(infinite.argmax())
                raise BoughError(
                    f'column "{column.field.name}", row {row}: the value is {column.values[row]} (infinity).',
                    code="column",
                    hint="A division by zero? Replace infinite values by a number, or by None for missing.",
                )


def _may_be_infinite(values: Array) -> bool:
    # One pass without a temporary array settles the usual case; a NaN or an overflow needs a second look.
    with np.errstate(over="ignore", invalid="ignore"):
        return not np.isfinite(values.sum())


def _check_exact(array: Array, values: Array, names: list[str] | tuple[str, ...]) -> None:
    top = 2.0 ** (63 if array.dtype.kind == "i" else 64)
    safe = np.where(values >= top, 0.0, values)
    bad = (values >= top) | (safe.astype(array.dtype) != array)
    if bad.any():
        at = np.unravel_index(int(bad.argmax()), array.shape)
        column = names[int(at[1])] if array.ndim == 2 else names[0]
        raise inexact(column, int(array[at]), int(at[0]))


def _ticks(name: str, array: Array, unit: str) -> NDArray[np.float64]:
    far = wrapped(array)
    if far.any():
        row = int(far.argmax())
        raise too_far(name, array[row], row)
    ticks = array.astype(unit).astype(np.int64).astype(np.float64)
    ticks[np.isnat(array)] = np.nan
    return ticks


def unmasked(array: np.ma.MaskedArray[Any, Any]) -> list[Any]:
    """The values with None for the masked ones."""
    # tolist() would turn datetime64 into plain numbers for nanoseconds.
    mask = np.ma.getmaskarray(array)
    return [None if hidden else value for value, hidden in zip(array.data, mask, strict=True)]

"""Whatever the user holds, opened: its column names if it has any, and its columns as they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np

from bough.data.arrays import Array, matrix_columns
from bough.data.frames import as_frame, as_series, check_unique, frame_names
from bough.data.table import Column, Table
from bough.errors import BoughError, BoughTypeError

# A column before its kind is known.
Raw: TypeAlias = "Array | list[Any] | nw.Series[Any] | Column"


def column_names(data: Any) -> list[str] | None:
    """The names that the data itself gives its columns, or None if it has none."""
    if isinstance(data, Table):
        return list(data.names)
    if isinstance(data, np.ndarray):
        return list(data.dtype.names) if data.dtype.names else None
    if isinstance(data, Mapping):
        return text_names(list(data))
    if isinstance(data, list | tuple):
        return text_names(_keys(data)) if data and isinstance(data[0], Mapping) else None
    return frame_names(data)


def open_source(data: Any, owner: str) -> tuple[list[str] | None, list[Raw], int]:
    """Names if there are any, the columns as they come, the number of rows."""
    if isinstance(data, Table):
        return list(data.names), list(data.columns), data.n_rows
    if isinstance(data, np.ndarray):
        return _open_array(data, owner)
    if hasattr(data, "toarray") and hasattr(data, "nnz"):
        raise BoughTypeError(
            "Sparse data was passed, but dense data is required.",
            code="type",
            hint="Use '.toarray()' to convert to a dense numpy array.",
        )
    if isinstance(data, Mapping):
        return _open_mapping(data)
    if isinstance(data, list | tuple):
        return _open_rows(data)
    own = frame_names(data)
    if own is not None:
        check_unique(own)
    frame = as_frame(data)
    if frame is not None:
        return own, list(frame.iter_columns()), frame.shape[0]
    series = as_series(data)
    if series is not None:
        raise _one_dimensional(f"a series of {len(series)} values")
    if hasattr(data, "__array__"):
        return _open_array(np.asarray(data), owner)
    raise BoughTypeError(
        f"cannot read a table from a {type(data).__name__}.",
        code="type",
        hint="Give a pandas, polars or pyarrow frame, a 2-D array, a dict of columns or a list of rows.",
    )


def _open_array(array: Array, owner: str) -> tuple[list[str] | None, list[Raw], int]:
    if array.dtype.names and array.ndim == 1:
        return list(array.dtype.names), [array[name] for name in array.dtype.names], len(array)
    if array.ndim > 2:
        raise BoughError(
            f"Found array with dim {array.ndim}. {owner} expected <= 2.",
            code="shape",
            hint="Bring it to rows and columns: array.reshape(len(array), -1)",
        )
    if array.ndim < 2:
        raise _one_dimensional(f"shape {array.shape}", "1D array" if array.ndim else "scalar array")
    array = array if isinstance(array, np.ma.MaskedArray) else np.asarray(array)
    n_rows, n_columns = array.shape
    if array.dtype.kind in "fiub":
        return None, list(matrix_columns(array, numbered(n_columns))), n_rows
    return None, [array[:, i] for i in range(n_columns)], n_rows


def _open_mapping(data: Mapping[Any, Any]) -> tuple[list[str] | None, list[Raw], int]:
    raws = [_raw(name, values) for name, values in data.items()]
    lengths = {str(name): len(raw) for name, raw in zip(data, raws, strict=True)}
    if len(set(lengths.values())) > 1:
        (first, n), *rest = lengths.items()
        other, m = next(item for item in rest if item[1] != n)
        raise BoughError(
            f'the columns have different lengths: "{first}" has {n} values, "{other}" has {m}.',
            code="shape",
            hint="Give every column one value a row, None where it is missing.",
        )
    return text_names(list(data)), list(raws), next(iter(lengths.values()), 0)


def _raw(name: Any, values: Any) -> Array | list[Any] | nw.Series[Any]:
    if isinstance(values, list | tuple | range):
        return list(values)
    if isinstance(values, np.ndarray):
        return values
    series = as_series(values)
    if series is not None:
        return series
    if hasattr(values, "__array__") and np.ndim(values):
        return np.asarray(values)
    raise BoughTypeError(
        f'column "{name}" is a single {type(values).__name__}, it must be a list of values.',
        code="type",
        hint="For one row write [{...}], a list with one dict in it.",
    )


def _nested(rows: Sequence[Any]) -> Array:
    """Lists within rows: more than two axes, or cells that are none."""
    try:
        return np.asarray(rows)
    except ValueError:
        inner = next(value for value in rows[0] if isinstance(value, list | tuple))
        raise BoughTypeError(
            f"row 0 holds a {type(inner).__name__} among its values: {inner!r:.40}.",
            code="type",
            hint="Each cell of a row is one number, text or date, or None where it is missing.",
        ) from None


def _open_rows(rows: Sequence[Any]) -> tuple[list[str] | None, list[Raw], int]:
    if not rows:
        return None, [], 0
    if isinstance(rows[0], Mapping):
        for i, row in enumerate(rows):
            if not isinstance(row, Mapping):
                raise _odd_row(i, f"a {type(row).__name__}", "the rows before are dicts")
        keys = _keys(rows)
        return text_names(keys), [[row.get(key) for row in rows] for key in keys], len(rows)
    if isinstance(rows[0], str | bytes) or not hasattr(rows[0], "__len__"):
        raise _one_dimensional(f"a list of {len(rows)} values")
    if getattr(rows[0], "ndim", 1) > 1 or any(isinstance(v, list | tuple) for v in rows[0]):
        return _open_array(_nested(rows), "the model")
    width = len(rows[0])
    for i, row in enumerate(rows):
        if not hasattr(row, "__len__") or isinstance(row, str | bytes | Mapping | Set):
            raise _odd_row(i, f"a {type(row).__name__}", "the rows before are lists" if i else "not a list")
        if len(row) != width:
            raise _odd_row(i, f"{len(row)} values", f"row 0 has {width}")
    return None, [list(column) for column in zip(*rows, strict=True)], len(rows)


def _keys(rows: Sequence[Mapping[Any, Any]]) -> list[Any]:
    """The keys of all rows, in the order of their first appearance."""
    keys: dict[Any, None] = {}
    for row in rows:
        keys.update(dict.fromkeys(row))
    return list(keys)


def text_names(names: list[Any]) -> list[str]:
    for name in names:
        if not isinstance(name, str):
            raise BoughTypeError(
                "Feature names are only supported if all input features have string names, "
                f"but {name!r} is of the type {type(name).__name__}.",
                code="column",
                hint=f"Use text as keys: {str(name)!r} for {name!r}.",
            )
    return names


def numbered(count: int) -> list[str]:
    return [f"x{i}" for i in range(count)]


def _one_dimensional(found: str, what: str = "1D array") -> BoughError:
    return BoughError(
        f"Expected 2D array, got {what} instead: {found}.",
        code="shape",
        hint="Reshape your data with array.reshape(-1, 1) if it is one column, "
        "or array.reshape(1, -1) if it is one row; for a column of a frame, X[[name]].",
    )


def _odd_row(row: int, found: str, expected: str) -> BoughError:
    return BoughError(
        f"row {row} has {found}, {expected}." if "values" in found else f"row {row} is {found}, {expected}.",
        code="shape",
        hint="Give all rows in the same form, with None where a value is missing.",
    )

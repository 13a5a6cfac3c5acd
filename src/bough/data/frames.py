"""Frames and series of pandas, polars and pyarrow to columns, through narwhals."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from bough.data.arrays import from_array
from bough.data.objects import EXACT, from_objects, label
from bough.data.table import Column, Field, Kind
from bough.errors import BoughError, BoughTypeError

Series = nw.Series[Any]


def as_frame(data: Any) -> nw.DataFrame[Any] | None:
    """A narwhals frame of the data, or None if it is not a frame."""
    if type(data).__name__ == "RecordBatch" and _library(data) == "pyarrow":
        data = sys.modules["pyarrow"].Table.from_batches([data])
    names = frame_names(data)
    if names is None and nw.dependencies.is_pandas_dataframe(data):
        data = data.set_axis([f"x{i}" for i in range(data.shape[1])], axis=1)
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise BoughTypeError(
            f"the data is a lazy query ({type(data).__name__}), it has no rows yet.",
            code="type",
            hint="Run it first: X.collect()",
        )
    return frame if isinstance(frame, nw.DataFrame) else None


def frame_names(data: Any) -> list[str] | None:
    """The column names of a frame; None if there are none, or none that are text (as scikit-learn has it)."""
    if nw.dependencies.is_polars_lazyframe(data):
        return None
    names = getattr(data, "column_names" if _library(data) == "pyarrow" else "columns", None)
    if names is None or callable(names):
        return None
    names = list(names)
    if names and isinstance(names[0], tuple):
        raise BoughTypeError(
            f"the column names have several levels, such as {names[0]!r}.",
            code="column",
            hint='Make one of them: X.columns = ["_".join(map(str, name)) for name in X.columns]',
        )
    text = [isinstance(name, str) for name in names]
    if any(text) and not all(text):
        other = next(name for name in names if not isinstance(name, str))
        raise BoughTypeError(
            "Feature names are only supported if all input features have string names, "
            f"but {other!r} is of the type {type(other).__name__}.",
            code="column",
            hint="Make them all text: X.columns = X.columns.astype(str)",
        )
    return [str(name) for name in names] if all(text) else None


def check_unique(names: list[str]) -> None:
    if len(set(names)) != len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        raise BoughError(
            f'two columns are named "{twice}".', code="column", hint="Rename or drop one of them."
        )


def as_series(data: Any) -> Series | None:
    """A narwhals series of the data, or None if it is not a series of a frame library."""
    library = _library(data)
    if library == "pyarrow" and hasattr(data, "dictionary_encode") and not hasattr(data, "chunks"):
        data = sys.modules["pyarrow"].chunked_array([data])
    elif library == "pandas" and not hasattr(data, "iloc") and hasattr(data, "dtype"):
        data = sys.modules["pandas"].Series(data)
    series = nw.from_native(data, allow_series=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


def from_series(name: str, series: Series, wanted: Kind | None = None) -> Column:
    """The column of a narwhals series."""
    dtype = series.dtype
    if dtype.is_nested():
        raise BoughTypeError(
            f'column "{name}" holds nested values ({dtype}), which a table cannot.',
            code="column",
            hint="Spread them over columns of their own, or drop the column.",
        )
    if dtype in (nw.Categorical, nw.Enum):
        return _categorical(name, series, wanted)
    if dtype in (nw.String, nw.Int128, nw.UInt128):
        return from_objects(name, series.to_list(), wanted)
    array = series.to_numpy()
    if dtype.is_integer() and array.dtype.kind == "f" and bool((np.abs(array) >= EXACT).any()):
        # Integers with nulls come as floats; the exact ones are needed to see whether any was changed.
        return from_objects(name, series.to_list(), wanted)
    column = from_array(name, array, wanted)
    if column.field.kind != "datetime" or not isinstance(dtype, nw.Datetime | nw.Date):
        return column
    zoned = dtype.time_zone is not None if isinstance(dtype, nw.Datetime) else None
    return Column(replace(column.field, zoned=zoned), column.values)


def _categorical(name: str, series: Series, wanted: Kind | None) -> Column:
    native: Any = series.to_native()
    if series.implementation.is_polars():
        if not isinstance(series.dtype, nw.Enum):
            return from_objects(name, series.to_list(), wanted)
        return _coded(name, series.dtype.categories, native.to_physical().to_numpy(), ordered=False)
    if hasattr(native.dtype, "categories") if hasattr(native, "dtype") else False:
        levels = native.cat.categories.tolist()
        return _coded(name, levels, native.cat.codes.to_numpy(), ordered=bool(native.cat.ordered))
    # Not through to_numpy: narwhals fills the nulls of an arrow dictionary with a neighbour.
    chunks: Any = series.to_arrow() if hasattr(native, "dtype") else native
    if hasattr(chunks, "unify_dictionaries"):
        chunks = chunks.unify_dictionaries().combine_chunks()
    codes = chunks.indices.to_numpy(zero_copy_only=False)
    return _coded(name, chunks.dictionary.to_pylist(), codes, ordered=bool(chunks.type.ordered))


def _coded(name: str, levels: Any, codes: Any, *, ordered: bool) -> Column:
    """A column of declared categories; a negative or NaN code is missing."""
    levels = list(levels)
    values = np.asarray(codes, dtype=np.float64).copy()
    values[values < 0] = np.nan
    if None in levels:
        gap = levels.index(None)
        del levels[gap]
        values[values == gap] = np.nan
        values[values > gap] -= 1
    seen: dict[str, Any] = {}
    for level in levels:
        text = label(level)
        if text in seen:
            raise BoughError(
                f'column "{name}" has two categories that read "{text}": {seen[text]!r} and {level!r}.',
                code="column",
                hint="Rename one of them, or merge the two.",
            )
        seen[text] = level
    return Column(Field(name, "ordinal" if ordered else "nominal", tuple(seen)), values)


def _library(data: Any) -> str:
    return type(data).__module__.partition(".")[0]

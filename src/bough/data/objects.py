"""Python values to a column: decides the kind from the types, rows are counted from 0."""

from __future__ import annotations

import datetime as dt
import math
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import BOOLEAN, Column, Field, Kind
from bough.errors import BoughError, BoughTypeError

# From here on neighbouring integers are no longer neighbouring float64 numbers.
EXACT = 2.0**53

# pandas and numpy mark missing values by types of their own; by name, so that pandas is not imported.
_MISSING = {"NoneType", "NAType", "NaTType", "MaskedConstant"}
_WORDS = {"text": "text", "number": "numbers", "boolean": "booleans", "date": "dates", "duration": "times"}
_CATEGORICAL: tuple[Kind, ...] = ("nominal", "ordinal", "boolean")


def from_objects(name: str, values: Sequence[Any], wanted: Kind | None = None) -> Column:
    """The column of these values; `wanted` is the kind that a model expects, if there is one."""
    groups = _groups(values)
    if len(groups) > 1:
        # A NaN among texts or dates stands for missing, among numbers it is one of them.
        values = [None if _is_missing(value) else value for value in values]
        groups = _groups(values)
    if groups == {"number", "boolean"}:
        groups = {"number"}
    elif len(groups) > 1 and wanted in _CATEGORICAL and groups <= {"text", "number", "boolean"}:
        groups = {"text"}
    if len(groups) > 1:
        raise _mixed(name, values, groups)
    group = groups.pop() if groups else "number"
    if group not in _BUILDERS:
        raise _unsupported(name, values, group)
    return _BUILDERS[group](name, values)


def label(value: Any) -> str:
    """The name of a category: texts as they are, 1 and 1.0 both "1"."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8")
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def inexact(name: str, value: int, row: int) -> BoughError:
    """The error for an integer that would silently become another number."""
    digits = value.bit_length() * 3 // 10
    shown = str(value) if digits < 40 else f"of about {digits} digits"
    return BoughError(
        f'column "{name}", row {row}: the integer {shown} is too large to be kept exactly (beyond 2^53).',
        code="column",
        hint=f'Is it an identifier? Drop "{name}", or make it text with str() to use it as categories.',
    )


def complex_column(name: str) -> BoughError:
    return BoughError(
        f'Complex data not supported: column "{name}" holds complex numbers.',
        code="column",
        hint="Give the real and the imaginary part as two columns.",
    )


def _group(kind: type) -> str:
    if kind.__name__ in _MISSING:
        return "missing"
    for group, kinds in _KINDS:
        if issubclass(kind, kinds):
            return group
    return "other"


# np.timedelta64 is a subclass of np.integer and bool one of int, so the order matters.
_KINDS: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("text", (str, bytes, bytearray)),
    ("boolean", (bool, np.bool_)),
    ("duration", (dt.timedelta, dt.time, np.timedelta64)),
    ("number", (Real, Decimal, np.integer, np.floating)),
    ("complex", (complex, np.complexfloating)),
    ("date", (dt.date, np.datetime64)),
)


def _groups(values: Sequence[Any]) -> set[str]:
    return {_group(kind) for kind in set(map(type, values))} - {"missing"}


def _is_missing(value: Any) -> bool:
    group = _group(type(value))
    if isinstance(value, Decimal):
        return value.is_nan()  # a signalling one may not be compared
    # Only NaN and NaT differ from themselves.
    return group == "missing" or (group in _WORDS and bool(value != value))  # noqa: PLR0124  # NaN, of any library


def _floats(values: Sequence[Any]) -> list[Any]:
    """The same values with NaN for the missing ones."""
    kinds = set(map(type, values))
    if Decimal in kinds:  # whose signalling NaN is no float
        return [math.nan if _is_missing(value) else value for value in values]
    missing = {kind for kind in kinds if _group(kind) == "missing"}
    return [math.nan if type(value) in missing else value for value in values] if missing else list(values)


def _numbers(name: str, values: Sequence[Any]) -> Column:
    known = _floats(values)
    try:
        array = np.array(known, dtype=np.float64)
    except OverflowError:
        row = next(row for row, value in enumerate(known) if abs(value) > int(sys.float_info.max))
        raise inexact(name, int(known[row]), row) from None
    for row in np.flatnonzero(np.abs(array) >= EXACT).tolist():
        value = known[row]
        if isinstance(value, int | np.integer) and int(array[row]) != int(value):
            raise inexact(name, int(value), row)
    return Column(Field(name, "numeric"), array)


def _booleans(name: str, values: Sequence[Any]) -> Column:
    return Column(Field(name, "boolean", BOOLEAN), np.array(_floats(values), dtype=np.float64))


def _texts(name: str, values: Sequence[Any]) -> Column:
    if bytearray in set(map(type, values)):
        values = [bytes(value) if isinstance(value, bytearray) else value for value in values]
    distinct = set(values)
    # Plain texts are their own labels: for a million different ones the loop below would take a second.
    other = [value for value in distinct if type(value) is not str]
    labels: dict[Any, str] = {}
    missing = []
    for value in other:
        if _group(type(value)) == "missing":
            missing.append(value)
        else:
            labels[value] = _decoded(name, values, value)
    categories = sorted(distinct.difference(other).union(labels.values()))
    code: dict[Any, float] = dict(zip(categories, range(len(categories)), strict=True))
    code.update({value: code[text] for value, text in labels.items()})
    code.update(dict.fromkeys(missing, math.nan))
    codes = np.fromiter(map(code.__getitem__, values), np.float64, len(values))
    return Column(Field(name, "nominal", tuple(categories)), codes)


def _decoded(name: str, values: Sequence[Any], value: Any) -> str:
    try:
        return label(value)
    except UnicodeDecodeError:
        raise BoughError(
            f'column "{name}", row {values.index(value)}: {value!r} is not text in utf-8.',
            code="column",
            hint="Decode the bytes first: value.decode(encoding).",
        ) from None


def _dates(name: str, values: Sequence[Any]) -> Column:
    _check_ticks(name, values, np.datetime64)
    array = np.fromiter(map(_microseconds, values), np.float64, len(values))
    moments = [value.tzinfo is not None for value in values if isinstance(value, dt.datetime)]
    return Column(Field(name, "datetime", zoned=any(moments) if moments else None), array)


def _check_ticks(name: str, values: Sequence[Any], kind: type) -> None:
    for row, value in enumerate(values):
        if isinstance(value, kind) and wrapped(np.asarray(value)).any():
            raise too_far(name, value, row)


def wrapped(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Which dates or durations are too far away for microseconds: numpy counts on from the other end."""
    if np.datetime_data(array.dtype)[0] in ("us", "ns", "ps", "fs", "as", "generic"):
        return np.zeros(array.shape, dtype=bool)
    there = array.astype(f"{array.dtype.kind}8[us]").astype(array.dtype)
    far: NDArray[np.bool_] = ~np.isnat(array) & (there != array)
    return far


def too_far(name: str, value: Any, row: int) -> BoughError:
    """The error for a date or a duration that would silently become another one."""
    return BoughError(
        f'column "{name}", row {row}: {value!s:.40} is beyond 292,000 years, too far to be counted.',
        code="column",
        hint="Is it a stand-in for a missing value? Give None instead.",
    )


def _microseconds(value: Any) -> float:
    if _is_missing(value):
        return math.nan
    if isinstance(value, np.datetime64):
        return float(value.astype("datetime64[us]").astype(np.int64))
    if not isinstance(value, dt.datetime):
        value = dt.datetime(value.year, value.month, value.day)
    if value.tzinfo is None:
        value = value.replace(tzinfo=dt.UTC)
    return float((value - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1))


def _durations(name: str, values: Sequence[Any]) -> Column:
    _check_ticks(name, values, np.timedelta64)
    array = np.fromiter(map(_seconds, values), np.float64, len(values))
    return Column(Field(name, "numeric"), array)


def _seconds(value: Any) -> float:
    if _is_missing(value):
        return math.nan
    if isinstance(value, np.timedelta64):
        return float(value / np.timedelta64(1, "s"))
    if isinstance(value, dt.time):
        # The time of day counts from midnight.
        return value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    return float(value.total_seconds())


_BUILDERS: dict[str, Callable[[str, Sequence[Any]], Column]] = {
    "number": _numbers,
    "boolean": _booleans,
    "text": _texts,
    "date": _dates,
    "duration": _durations,
}


def _mixed(name: str, values: Sequence[Any], groups: set[str]) -> BoughError:
    strange = groups - set(_BUILDERS)
    if strange:
        return _unsupported(name, values, strange.pop())
    first: dict[str, int] = {}
    for row, value in enumerate(values):
        first.setdefault(_group(type(value)), row)
    order = sorted(groups, key=first.__getitem__)
    parts = [f"{_WORDS[group]} (row {first[group]}: {values[first[group]]!r})" for group in order]
    return BoughError(
        f'column "{name}" mixes {" and ".join(parts)}.',
        code="column",
        hint="Make all its values one kind: text with str(), or numbers with None for what is not one.",
    )


def _unsupported(name: str, values: Sequence[Any], group: str) -> BoughError:
    if group == "complex":
        return complex_column(name)
    row = next(row for row, value in enumerate(values) if _group(type(value)) == group)
    text = repr(values[row])
    shown = text if len(text) <= 40 else text[:37] + "..."
    return BoughTypeError(
        f'column "{name}", row {row}: cannot use a {type(values[row]).__name__}: {shown}',
        code="column",
        hint="Each argument must be a string, a number, a boolean, a date or None. "
        "Spread nested values over columns of their own.",
    )

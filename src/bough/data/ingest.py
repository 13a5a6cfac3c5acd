"""Any data to a typed table: learns the schema, or matches the columns with a schema and encodes them."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import narwhals as nw
import numpy as np

from bough.data.arrays import Array, check_finite, from_array, matrix_columns
from bough.data.encode import recode
from bough.data.frames import check_unique, from_series
from bough.data.objects import from_objects
from bough.data.sources import Raw, numbered, open_source, text_names
from bough.data.stages import ingesting
from bough.data.table import Column, Field, Kind, Table
from bough.errors import BoughError

R = TypeVar("R", bound=Raw)


@ingesting
def to_table(
    data: Any,
    *,
    fields: Sequence[Field] | None = None,
    names: Sequence[str] | None = None,
    owner: str = "the model",
    strict: bool = False,
) -> Table:
    """The table of any data.

    Without `fields` the schema is learned. With `fields` columns are matched by name, or by position if the
    data has no names, and encoded by that schema. `names` replaces the names of the data's columns;
    `owner` is who asks, for error messages; `strict`: a category that a field lacks is an error.
    """
    if isinstance(data, Table) and names is None:
        return data if fields is None or _alike(data.fields, fields) else _encoded(data, fields, strict)
    if type(data) is np.ndarray and data.ndim == 2 and data.dtype.kind in "fiub":
        return _matrix_table(data, fields, names, owner, strict)
    own, raws, n_rows = open_source(data, owner)
    check_not_empty(n_rows, len(raws))
    if names is not None:
        own = _given_names(names, len(raws))
    if fields is None:
        learned = own if own is not None else numbered(len(raws))
        check_unique(learned)
        columns = [_learn(name, raw) for name, raw in zip(learned, raws, strict=True)]
        check_finite(columns)
    else:
        picked = _matched(own, raws, fields, owner)
        columns = [_learn(f.name, raw, f.kind) for f, raw in zip(fields, picked, strict=True)]
        check_finite(columns)
        columns = [recode(column, field, strict) for column, field in zip(columns, fields, strict=True)]
    return Table(tuple(columns), n_rows)


def check_known(table: Table, names: Sequence[str]) -> None:
    """An error if one of these columns has a missing value."""
    for column in table.columns:
        if column.field.name in names and np.isnan(column.values).any():
            row = int(np.isnan(column.values).argmax())
            raise BoughError(
                f'column "{column.field.name}", row {row}: a value is missing, and missing="error".',
                code="column",
                hint='Fill it in or leave the row out, or choose another rule, for example missing="learn".',
            )


def _matrix_table(
    matrix: Array, fields: Sequence[Field] | None, names: Sequence[str] | None, owner: str, strict: bool
) -> Table:
    n_rows, n_columns = matrix.shape
    check_not_empty(n_rows, n_columns)
    if names is not None:
        given = _given_names(names, n_columns)
        check_unique(given)
        if fields is not None:
            return _encoded(_matrix_table(matrix, None, given, owner, strict), fields, strict)
    elif fields is not None:
        _check_count(n_columns, fields, owner)
        given = [field.name for field in fields]
    else:
        given = numbered(n_columns)
    columns = matrix_columns(matrix, given)
    if matrix.dtype.kind == "f":
        check_finite(columns, matrix)
    if fields is not None:
        columns = [recode(column, field, strict) for column, field in zip(columns, fields, strict=True)]
    return Table(tuple(columns), n_rows)


def _alike(have: tuple[Field, ...], fields: Sequence[Field]) -> bool:
    """Zones are told apart where both sides know theirs; fields are equal without them."""
    other = ({a.zoned, b.zoned} == {True, False} for a, b in zip(have, fields, strict=False))
    return have == tuple(fields) and not any(other)


def _encoded(table: Table, fields: Sequence[Field], strict: bool) -> Table:
    picked = _matched(list(table.names), table.columns, fields, "the model")
    columns = [recode(column, field, strict) for column, field in zip(picked, fields, strict=True)]
    return Table(tuple(columns), table.n_rows)


def _learn(name: str, raw: Raw, wanted: Kind | None = None) -> Column:
    if isinstance(raw, Column):
        return Column(replace(raw.field, name=name), raw.values)
    if isinstance(raw, np.ndarray):
        return from_array(name, raw, wanted)
    if isinstance(raw, nw.Series):
        return from_series(name, raw, wanted)
    return from_objects(name, raw, wanted)


def _given_names(names: Sequence[str], count: int) -> list[str]:
    if len(names) != count:
        raise BoughError(
            f"{len(names)} names were given for {count} columns.",
            code="shape",
            hint="Give one name for each column, in their order.",
        )
    return text_names(list(names))


def _matched(own: list[str] | None, raws: Sequence[R], fields: Sequence[Field], owner: str) -> list[R]:
    """The raw columns in the order of the schema."""
    if own is None:
        _check_count(len(raws), fields, owner)
        return list(raws)
    check_unique(own)
    place = {name: i for i, name in enumerate(own)}
    absent = [field.name for field in fields if field.name not in place]
    if absent:
        raise _missing(absent, own, fields)
    return [raws[place[field.name]] for field in fields]


def _missing(absent: list[str], own: list[str], fields: Sequence[Field]) -> BoughError:
    some = ", ".join(f'"{name}"' for name in absent[:5])
    more = f" and {len(absent) - 5} more" if len(absent) > 5 else ""
    if [field.name for field in fields] == numbered(len(fields)):
        hint = "The model was fitted on data without column names. Pass an array: X.to_numpy()"
    else:
        needed = {field.name for field in fields}  # a column that has its own place is no other one renamed
        lower = {name.lower(): name for name in own if name not in needed}
        close = difflib.get_close_matches(absent[0].lower(), list(lower), n=1, cutoff=0.4)
        shown = ", ".join(f"{name:.60}" for name in own[:5]) + (", …" if len(own) > 5 else "")
        hint = f"Its columns: {shown} ({len(own)})"
        if close:
            hint = f'Closest: "{lower[close[0]]}". Rename it to "{absent[0]}".'
    them = "them" if len(absent) > 1 else "it"
    return BoughError(
        f"the model needs {some}{more}, the data does not have {them}.", code="missing-column", hint=hint
    )


def _check_count(count: int, fields: Sequence[Field], owner: str) -> None:
    if count != len(fields):
        raise BoughError(
            f"X has {count} features, but {owner} is expecting {len(fields)} features as input",
            code="shape",
            hint="It was fitted on the columns "
            + ", ".join(field.name for field in fields[:5])
            + (", …" if len(fields) > 5 else "")
            + ".",
        )


def check_not_empty(n_rows: int, n_columns: int) -> None:
    """In the words that scikit-learn looks for."""
    for count, what in ((n_rows, "sample(s)"), (n_columns, "feature(s)")):
        if not count:
            raise BoughError(
                f"Found array with 0 {what} (shape=({n_rows}, {n_columns})) "
                "while a minimum of 1 is required.",
                code="empty",
                hint="Was the data filtered?",
            )

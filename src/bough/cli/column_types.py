"""--types: columns taken as numbers, categories or dates, whatever the file makes of them."""

from __future__ import annotations

import re

import numpy as np

from bough.cli.common import pairs
from bough.data.objects import label
from bough.data.table import Column, Field, Table
from bough.errors import BoughError, did_you_mean

TYPES = ("number", "category", "date")
_DATE = re.compile(r"-?[0-9]{4,5}(-[0-9]{2}){0,2}([T ][0-9:.]+)?")  # no zone, of which numpy knows nothing


def parsed_types(given: tuple[str, ...]) -> dict[str, str]:
    """Column names to types."""
    found = pairs("--types", given)
    for name, kind in found.items():
        if kind not in TYPES:
            raise BoughError(
                f'"{name}" cannot be taken as "{kind}".{did_you_mean(kind, TYPES)}',
                code="parameter",
                hint=f"--types {name}=TYPE, where TYPE is one of {', '.join(TYPES)}",
            )
    return found


def converted(table: Table, kinds: dict[str, str], where: str) -> tuple[Table, list[str]]:
    """The table with these columns in these types, and what is to be said of it."""
    for name in kinds:
        if name not in table.names:
            raise BoughError(
                f'no column "{name}" in {where}.{did_you_mean(name, table.names)}',
                code="column",
                hint=f"--types speaks of it. columns: {', '.join(table.names[:8])} ({len(table.names)})",
            )
    notes: list[str] = []
    columns = [
        _converted(column, kinds[column.field.name], notes) if column.field.name in kinds else column
        for column in table.columns
    ]
    return Table(tuple(columns), table.n_rows), notes


def _converted(column: Column, kind: str, notes: list[str]) -> Column:
    have = column.field.kind
    if kind == "category":
        return as_category(column)
    if kind == "number":
        if have == "datetime":
            raise _impossible(column, "dates", "a number")
        found = as_number(column, notes)
        _refuse_if_emptied(column, found)
        return found
    if have == "datetime":
        return column
    if have not in ("nominal", "ordinal"):
        raise _impossible(column, "numbers", "a date")
    return _as_date(column)


def as_category(column: Column) -> Column:
    name = column.field.name
    if column.field.categories:
        return Column(Field(name, "nominal", column.field.categories), column.values)
    known = ~np.isnan(column.values)
    numbers, codes = np.unique(column.values[known], return_inverse=True)
    if column.field.kind == "datetime":
        names = [str(np.datetime64(int(number), "us")) for number in numbers]
    else:
        names = [label(float(number)) for number in numbers]
    order = np.argsort(np.array(names, dtype=object), kind="stable")
    place = np.empty(len(order))
    place[order] = np.arange(len(order))
    values = np.full(len(column.values), np.nan)
    values[known] = place[codes]
    return Column(Field(name, "nominal", tuple(names[i] for i in order)), values)


def as_number(column: Column, notes: list[str]) -> Column:
    """Texts that are no number are missing, which is said."""
    name = column.field.name
    if not column.field.categories or column.field.kind == "boolean":
        return Column(Field(name, "numeric"), column.values)
    numbers = np.array([_number(text) for text in column.field.categories])
    odd = [text for text, number in zip(column.field.categories, numbers, strict=True) if np.isnan(number)]
    known = ~np.isnan(column.values)
    values = np.full(len(column.values), np.nan)
    values[known] = numbers[column.values[known].astype(np.intp)]
    if odd:
        count = int((known & np.isnan(values)).sum())
        shown = ", ".join(f'"{text}"' for text in odd[:3]) + (", …" if len(odd) > 3 else "")
        notes.append(f'"{name}": {count:,} cells are no number ({shown}) and count as empty.')
    return Column(Field(name, "numeric"), values)


def _refuse_if_emptied(column: Column, found: Column) -> None:
    """A few cells may be no numbers; a column that loses most of them is written otherwise."""
    known = ~np.isnan(column.values)
    lost = known & np.isnan(found.values)
    if 2 * lost.sum() <= known.sum():
        return
    name, bad = column.field.name, column.field.categories[int(column.values[lost][0])]
    raise BoughError(
        f'"{name}" cannot be taken as a number: {int(lost.sum()):,} of its {int(known.sum()):,} cells '
        f'are none, such as "{bad}".',
        code="column",
        hint="Write decimals with a point, and nothing between thousands.",
    )


def _number(text: str) -> float:
    try:
        found = float(text.strip().replace("−", "-"))
    except ValueError:
        return float("nan")
    return found if np.isfinite(found) else float("nan")


def _as_date(column: Column) -> Column:
    moments = np.array([_moment(text, column.field.name) for text in column.field.categories])
    known = ~np.isnan(column.values)
    values = np.full(len(column.values), np.nan)
    values[known] = moments.astype(np.int64)[column.values[known].astype(np.intp)]
    return Column(Field(column.field.name, "datetime"), values)


def moment(text: str) -> np.datetime64 | None:
    """None if it is no date: numpy also knows NaT, now and today, and counts on from the other end where a
    year is too far away."""
    if not _DATE.fullmatch(text.strip()):
        return None
    try:
        return np.datetime64(text.strip(), "us")
    except ValueError:
        return None


def _moment(text: str, name: str) -> np.datetime64:
    found = moment(text)
    if found is None:
        raise BoughError(
            f'"{name}" cannot be taken as a date: "{text}" is not of the form 2026-01-31.',
            code="column",
            hint="Write dates as year-month-day, and leave cells without a date empty.",
        )
    return found


def _impossible(column: Column, have: str, wish: str) -> BoughError:
    return BoughError(
        f'"{column.field.name}" holds {have}, which cannot be taken as {wish}.',
        code="column",
        hint=f"Leave {column.field.name} out of --types, or take it as category.",
    )

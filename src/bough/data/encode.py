"""A column encoded by the schema that a model remembers, or by the names of its categories alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bough.data.objects import label
from bough.data.table import Column, Field, Table
from bough.errors import BoughError

_CATEGORICAL = ("nominal", "ordinal", "boolean")
_NEEDS = {"numeric": "numbers", "datetime": "dates", "boolean": "True or False"}


UNSEEN = -1.0  # the number of a category that the field lacks, where categories have no order


def recode(column: Column, field: Field, strict: bool = False) -> Column:
    """The same values in the field's kind and categories. A category that the field lacks is UNSEEN, in an
    ordered field it is missing; `strict`: it is an error."""
    have = column.field
    if {have.zoned, field.zoned} == {True, False} and not np.isnan(column.values).all():
        raise _other_zone(column)
    if have == field:
        return column
    values = column.values
    if not _same_numbers(column, field):
        if field.kind not in _CATEGORICAL or have.kind == "datetime":
            raise _mismatch(column, field, int((~np.isnan(values)).argmax()))
        names = have.categories
        if have.kind == "numeric":
            numbers, codes = np.unique(values, return_inverse=True)
            names = tuple(label(float(number)) for number in numbers)
            values = np.where(np.isnan(values), np.nan, codes)
        values = _renumbered(values, names, field)
        unseen = (
            (values == UNSEEN) if field.kind != "ordinal" else np.isnan(values) & ~np.isnan(column.values)
        )
        # One unseen category is nothing special; numbers none of which is a category are a mistake.
        if have.kind == "numeric" and (unseen | np.isnan(values)).all():
            raise _mismatch(column, field, int((~np.isnan(column.values)).argmax()))
        if strict and unseen.any():
            raise _unseen(column, field, int(unseen.argmax()))
    return Column(field, values)


def by_name(table: Table) -> Table:
    """The same rows with the categories that have no order numbered by their names, in whatever order they
    were declared: what is decided or drawn by these numbers is then the same for every kind of frame."""
    columns = tuple(_sorted(c) if c.field.kind == "nominal" else c for c in table.columns)
    same = all(new is old for new, old in zip(columns, table.columns, strict=True))
    return table if same else Table(columns, table.n_rows)


def _sorted(column: Column) -> Column:
    return recode(column, replace(column.field, categories=tuple(sorted(column.field.categories))))


def _other_zone(column: Column) -> BoughError:
    name, zoned = column.field.name, bool(column.field.zoned)
    texts = ("no time zone", "a time zone")
    mend = '.dt.tz_convert("UTC").dt.tz_localize(None)' if zoned else '.dt.tz_localize("UTC")'
    return BoughError(
        f'column "{name}" has moments with {texts[zoned]}, the model was fitted on moments with '
        f"{texts[not zoned]}.",
        code="column",
        hint=f'Make them alike; without a zone they count as UTC. In pandas: X["{name}"]{mend}',
    )


def _same_numbers(column: Column, field: Field) -> bool:
    """Whether the values stand for the same in the field as they are."""
    kinds = (column.field.kind, field.kind)
    if kinds in (("numeric", "numeric"), ("datetime", "datetime"), ("boolean", "numeric")):
        return True
    known = ~np.isnan(column.values)
    if kinds == ("numeric", "boolean"):
        odd = known & (column.values != 0) & (column.values != 1)
        if odd.any():
            raise _mismatch(column, field, int(odd.argmax()))
        return True
    return not known.any()


def _renumbered(values: NDArray[np.float64], names: tuple[str, ...], field: Field) -> NDArray[np.float64]:
    """Numbers of `names` turned into the field's; the place after the last name stands for missing."""
    number = {category: float(i) for i, category in enumerate(field.categories)}
    absent = np.nan if field.kind == "ordinal" else UNSEEN
    place = np.array([*(number.get(name, absent) for name in names), np.nan])
    return place[np.where(np.isnan(values), len(names), values).astype(np.intp)]


def _unseen(column: Column, field: Field, row: int) -> BoughError:
    value = float(column.values[row])
    shown = column.field.categories[int(value)] if column.field.categories else label(value)
    known = ", ".join(field.categories[:8]) + (", …" if len(field.categories) > 8 else "")
    return BoughError(
        f'column "{field.name}", row {row}: the category "{shown}" was not in the training data.',
        code="column",
        hint=f'Known: {known}. With unseen="missing" or "majority" the model takes others too.',
    )


def _mismatch(column: Column, field: Field, row: int) -> BoughError:
    have = column.field
    value = float(column.values[row])
    shown = f'"{have.categories[int(value)]}"' if have.categories else label(value)
    if have.kind == "datetime":
        shown = str(np.datetime64(int(value), "us"))
    need = _NEEDS.get(field.kind, "categories")
    return BoughError(
        f'column "{field.name}", row {row}: the value is {shown}, the model was fitted on {need} here.',
        code="column",
        hint=f'Convert "{field.name}" to {need} before calling, with None for what is missing.',
    )

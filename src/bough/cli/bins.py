"""--bins: a target of numbers made into groups of about the same size; the first rows of a table in words."""

from __future__ import annotations

import numpy as np

from bough.data.objects import label
from bough.data.table import Column, Field, Table
from bough.errors import BoughError
from bough.tree.text import significant


def binned(aim: Column, bins: dict[str, str]) -> Column:
    """The target as classes named by their limits: "1: up to 7.91", "2: up to 14.45", "3: above"."""
    name = aim.field.name
    other = [column for column in bins if column != name]
    if other:
        raise BoughError(
            f'--bins is for the target "{name}", not for "{other[0]}".',
            code="parameter",
            hint="A tree finds the limits of other columns by itself.",
        )
    if not bins[name].isdigit() or not 2 <= int(bins[name]) <= 100:
        raise BoughError(
            f'"{bins[name]}" groups of "{name}" are not possible.', code="parameter", hint=f"--bins {name}=4"
        )
    if aim.field.kind != "numeric":
        raise BoughError(
            f'"{name}" holds no numbers, so there is nothing to put into groups.',
            code="target",
            hint="Leave --bins out.",
        )
    known = ~np.isnan(aim.values)
    steps = np.arange(1, int(bins[name])) / int(bins[name])
    limits = np.unique(np.quantile(aim.values[known], steps, method="lower")) if known.any() else np.empty(0)
    limits = limits[limits < aim.values[known].max()] if limits.size else limits
    codes = np.where(known, np.searchsorted(limits, aim.values, side="left"), np.nan)
    width = len(str(len(limits) + 1))
    names = [f"{i + 1:{width}}: up to {significant(float(limit), 6)}" for i, limit in enumerate(limits)]
    last = (
        f"{len(limits) + 1:{width}}: above {significant(float(limits[-1]), 6)}" if limits.size else "1: all"
    )
    return Column(Field(name, "nominal", (*names, last)), codes)


def first_rows(table: Table, count: int = 3, columns: int = 4) -> str:
    shown = [
        ", ".join(_cell(column, row) for column in table.columns[:columns])
        + (", …" if len(table.columns) > columns else "")
        for row in range(min(count, table.n_rows))
    ]
    return " / ".join(shown)


def _cell(column: Column, row: int) -> str:
    value = float(column.values[row])
    if np.isnan(value):
        return ""
    if column.field.categories:
        return column.field.categories[int(value)]
    if column.field.kind == "datetime":
        return str(np.datetime64(int(value), "us").astype("datetime64[s]"))
    return label(value)

"""The verb `explain`: why a row gets its answer, and what would change it."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import click

from bough.cli.common import ascii_signs, common_options, output_options, plainly
from bough.cli.fit_options import asked_from, growth_options
from bough.cli.problem import Problem
from bough.data.ingest import to_table
from bough.data.table import Field, Table
from bough.errors import BoughError, did_you_mean


@click.command()
@click.argument("data")
@click.option(
    "--row", "number", type=click.IntRange(min=0), metavar="N", help="A row of DATA, counted from 0."
)
@click.option("--set", "given", multiple=True, metavar="COL=VALUE", help="A value; COL= is a missing one.")
@growth_options
@output_options
@common_options
def explain(data: str, number: int | None, given: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Grow a tree from DATA as  bough fit  does and explain its answer for one row.

    \b
    bough explain demo:titanic --row 17
    bough explain demo:titanic --set sex=male --set age=

    With both, --set changes values of the row; columns that are not named are missing without --row.
    """
    from bough.cli.fitted import fitted

    asked = asked_from(options)
    problem = asked.problem(data)
    row = _row(problem, number, given)
    told = fitted(problem, asked).model.explain(row)
    if as_json:
        click.echo(json.dumps(told.to_dict(), ensure_ascii=False, indent=1))
    else:
        click.echo(ascii_signs(str(told)) if plainly() else str(told))


def _row(problem: Problem, number: int | None, given: Sequence[str]) -> Table:
    if number is None and not given:
        raise BoughError(
            "which row? Name it with --row, or give values with --set.",
            code="parameter",
            hint="E.g. --row 17, or --set sex=male --set age=",
        )
    table = problem.table
    if number is not None and number >= table.n_rows:
        raise BoughError(
            f"{problem.source} has no row {number}: rows are counted from 0 to {table.n_rows - 1}.",
            code="parameter",
        )
    values: dict[str, list[Any]] = {}
    for column in table.columns:
        known = math.nan if number is None else float(column.values[number])
        values[column.field.name] = [_said(column.field, known)]
    for text in given:
        name, sign, value = text.partition("=")
        if not sign or name not in values:
            what = f'no column "{name}".{did_you_mean(name, values)}' if sign else "there is no = in it."
            raise BoughError(
                f"--set {text}: {what}",
                code="parameter",
                hint="Write --set COL=VALUE; columns: " + ", ".join(list(values)[:8]),
            )
        field = next(f for f in table.fields if f.name == name)
        values[name] = [_parsed(field, value)]
    return to_table(values, fields=table.fields)


def _said(field: Field, x: float) -> Any:
    if math.isnan(x):
        return None
    if field.kind == "boolean":
        return x == 1
    if field.categories:
        return field.categories[int(x)]
    if field.kind == "datetime":
        import numpy as np

        return np.datetime64(int(x), "us").item()
    return x


def _parsed(field: Field, text: str) -> Any:
    """A value as it is written on the command line; nothing is a missing value."""
    if text == "":
        return None
    if field.kind == "numeric":
        try:
            return float(text)
        except ValueError:
            raise BoughError(
                f'--set {field.name}={text}: "{field.name}" is a number.', code="parameter", hint="E.g. 3.5"
            ) from None
    if field.kind == "boolean":
        return text.strip().lower() in ("true", "1", "yes")
    if field.kind == "datetime":
        import datetime

        try:
            return datetime.datetime.fromisoformat(text)
        except ValueError:
            raise BoughError(
                f'--set {field.name}={text}: "{field.name}" is a date.',
                code="parameter",
                hint="E.g. 2024-12-31",
            ) from None
    return text

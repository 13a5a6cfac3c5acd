"""The verb `explain`: why a row gets its answer, and what would change it."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from typing import Any

import click

from bough.cli.common import debug_option
from bough.cli.problem import TASKS, Problem, make_problem
from bough.cli.source import read_source
from bough.data.ingest import to_table
from bough.data.objects import label
from bough.data.table import Field, Table
from bough.errors import BoughError, did_you_mean
from bough.tree.text import ascii_text


@click.command()
@click.argument("data")
@click.option("-t", "--target", metavar="COL", help="The column to predict; demo tables know theirs.")
@click.option("--row", type=click.IntRange(min=0), metavar="N", help="A row of DATA, counted from 0.")
@click.option("--set", "values", multiple=True, metavar="COL=VALUE", help="A value; COL= is a missing one.")
@click.option("--task", type=click.Choice(TASKS), default="auto", show_default=True)
@click.option(
    "--max-leaves", type=click.IntRange(min=1), metavar="N", help="By cross-validation if not given."
)
@click.option("--max-depth", type=click.IntRange(min=0), metavar="N")
@click.option("--drop", multiple=True, metavar="COL", help="Columns to leave out.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
@click.option("--plain", is_flag=True, help="ASCII only.")
@debug_option
def explain(data: str, **options: Any) -> None:
    """Grow a tree from DATA as  bough fit  does and explain its answer for one row.

    \b
    bough explain demo:titanic --row 17
    bough explain demo:titanic --set sex=male --set age=

    With both, --set changes values of the row; columns that are not named are missing without --row.
    """
    from bough.cli.fit_output import cannot_draw
    from bough.explain.nearest import scales_of
    from bough.explain.path import explain_row

    problem = make_problem(
        read_source(data, options["drop"]), options["target"], task=options["task"], drop=options["drop"]
    )
    row = _row(problem, options["row"], options["values"])
    told = explain_row(_tree(problem, options), row, scales_of(problem.table))
    if options["as_json"]:
        click.echo(json.dumps(_plain(told.to_dict()), ensure_ascii=False, indent=1))
        return
    text = str(told)
    click.echo(ascii_text(text) if options["plain"] or cannot_draw(sys.stdout) else text)


def _tree(problem: Problem, options: dict[str, Any]) -> Any:
    """As `bough fit` grows it, with the names of the classes for answers."""
    from bough.cli.fit import Asked
    from bough.cli.fitted import fitted

    asked = Asked(
        target=problem.target,
        task=options["task"],
        criterion=None,
        categories="subset",
        ties="column",
        max_leaves=options["max_leaves"],
        max_depth=options["max_depth"],
        min_leaf=1,
        drop=options["drop"],
        only=(),
        weights=None,
        drop_missing_target=False,
        folds=10,
        seed=0,
        threads=None,
        as_json=False,
        plain=False,
        quiet=False,
    )
    return fitted(problem, asked).tree


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


def _plain(value: Any) -> Any:
    """What JSON can hold."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else label(value)

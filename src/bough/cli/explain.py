"""The verb `explain`: why a row gets its answer, and what would change it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from bough.cli.average import Average
from bough.cli.common import ascii_signs, common_options, output_options, plainly, within_terminal
from bough.cli.fit_options import Asked, asked_from, growth_options
from bough.cli.matching import Counts, constant, match
from bough.cli.model import Loaded, open_model
from bough.cli.predict import given_values
from bough.cli.source import read_source
from bough.data.ingest import to_table
from bough.data.table import Column, Table
from bough.errors import BoughError, did_you_mean

if TYPE_CHECKING:
    from bough.explain import Contributions, Explanation
    from bough.explain.members import Members


@click.command()
@click.argument("data", metavar="MODEL|DATA")
@click.argument("rows", required=False)
@click.option("--row", "number", type=click.IntRange(min=0), metavar="N", help="A row, counted from 0.")
@click.option("--set", "given", multiple=True, metavar="COL=VALUE", help="A value; COL= is a missing one.")
@growth_options
@output_options
@common_options
def explain(data: str, rows: str | None, number: int | None, given: tuple[str, ...], **options: Any) -> None:
    """Explain the answer for one row, by a model file or by the tree that fit grows from DATA.

    \b
    bough explain titanic.bough --set sex=male --set age=
    bough explain titanic.bough new.csv --row 17
    bough explain demo:titanic --row 17

    Of one tree it is the row's way, of many what each column adds to the answer if nothing were known.
    With both, --set changes values of the row; columns that are not named are missing without --row.
    """
    if number is None and not given:
        raise BoughError(
            "which row? Name it with --row, or give values with --set.",
            code="parameter",
            hint="E.g. --row 17, or --set sex=male --set age=",
        )
    asked = asked_from(options)
    loaded = open_model(data, asked)
    table = _table(loaded, rows, asked)
    if number is not None:
        _check_row(number, table, rows or loaded.name)
    row = _row(loaded, table, number, given_values(given))
    told = _told(loaded, row, table)
    if options["as_json"]:
        click.echo(json.dumps(told.to_dict(), ensure_ascii=False))
    else:
        click.echo(within_terminal(ascii_signs(str(told)) if plainly() else str(told)))


def _told(loaded: Loaded, row: Table, table: Table | None) -> Explanation | Contributions | Members:
    from bough.explain.contributions import explain_together
    from bough.explain.nearest import scales_of
    from bough.explain.path import explain_row
    from bough.tree import Tree

    if isinstance(loaded.model, Average):
        members: Members = loaded.estimator.explain(row)
        return members
    if not isinstance(loaded.model, Tree):
        return explain_together(loaded.model, row)
    return explain_row(loaded.model, row, None if table is None else scales_of(table))


def _table(loaded: Loaded, rows: str | None, asked: Asked) -> Table | None:
    """The rows that there are, as the model reads them."""
    if rows is None:
        return None if loaded.problem is None else loaded.problem.table
    source = read_source(rows, sql=asked.sql, bad_lines=asked.bad_lines, types=asked.types)
    matching = match(loaded.model, list(source.table.names), source.name)
    return matching.table(source.table, Counts())[0]


def _check_row(number: int, table: Table | None, name: str) -> None:
    if table is None:
        raise BoughError(
            f"of which table is row {number}? {name} holds a model.",
            code="parameter",
            hint=f"Name the table:  bough explain {name} DATA --row {number}",
        )
    if number >= table.n_rows:
        raise BoughError(
            f"{name} has no row {number}: rows are counted from 0 to {table.n_rows - 1}.",
            code="parameter",
            hint="The first line below the names is row 0.",
        )


def _row(loaded: Loaded, table: Table | None, number: int | None, given: dict[str, str]) -> Table:
    fields = loaded.model.fields
    names = [field.name for field in fields]
    for name in given:
        if name not in names:
            raise BoughError(
                f'--set {name}: the model has no column "{name}".{did_you_mean(name, names)}',
                code="parameter",
                hint="columns: " + ", ".join(names[:8]),
            )
    columns = []
    for place, field in enumerate(fields):
        if field.name in given:
            columns.append(constant(field, given[field.name], 1))
        elif table is not None and number is not None:
            columns.append(table.take([number]).columns[place])
        else:
            columns.append(Column(field, np.full(1, np.nan)))
    return to_table(Table(tuple(columns), 1), fields=fields)

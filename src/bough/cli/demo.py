"""The verb `demo`: the tables that come with bough."""

from __future__ import annotations

import json

import click

from bough.cli.common import common_options, output_options
from bough.data.examples import EXAMPLES, demo_table


@click.command()
@output_options
@common_options
def demo(as_json: bool, plain: bool, quiet: bool, verbose: bool) -> None:
    """List the tables that come with bough, for  bough fit demo:NAME."""
    rows = []
    for name, example in EXAMPLES.items():
        table = demo_table(name)
        rows.append((f"demo:{name}", table.n_rows, len(table.columns), example.target, example.title))
    if as_json:
        keys = ("name", "rows", "columns", "target", "title")
        click.echo(json.dumps({"tables": [dict(zip(keys, row, strict=True)) for row in rows]}))
        return
    shown = [("name", "rows", "columns", "target", "title"), *((str(cell) for cell in row) for row in rows)]
    cells = [tuple(row) for row in shown]
    widths = [max(len(row[i]) for row in cells) for i in range(4)]
    for row in cells:
        name, n_rows, n_columns, target = (
            f"{cell:{align}{width}}" for cell, align, width in zip(row, "<>><", widths, strict=False)
        )
        click.echo(f"{name}  {n_rows}  {n_columns}  {target}  {row[4]}")

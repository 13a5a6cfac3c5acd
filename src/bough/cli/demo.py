"""The verb `demo`: the tables that come with bough."""

from __future__ import annotations

import click

from bough.cli.common import debug_option
from bough.data.examples import EXAMPLES, demo_table


@click.command()
@debug_option
def demo() -> None:
    """List the tables that come with bough, for  bough fit demo:NAME."""
    rows = [("name", "rows", "columns", "target", "title")]
    for name, example in EXAMPLES.items():
        table = demo_table(name)
        rows.append(
            (f"demo:{name}", str(table.n_rows), str(len(table.columns)), example.target, example.title)
        )
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    for row in rows:
        name, n_rows, n_columns, target = (
            f"{cell:{align}{width}}" for cell, align, width in zip(row, "<>><", widths, strict=False)
        )
        click.echo(f"{name}  {n_rows}  {n_columns}  {target}  {row[4]}")

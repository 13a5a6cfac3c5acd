"""The verb `report`: a tree of a table and all about it in one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bough.cli.common import command_line, debug_option
from bough.cli.grown import (
    cost_option,
    costs_of,
    group_option,
    group_values,
    growing_like_fit,
    grown,
    positive_option,
    taken,
    test_option,
    test_rows,
)

if TYPE_CHECKING:
    from bough.cli.fitted import Fitted


@click.command()
@click.argument("data")
@click.option("-o", "--out", metavar="FILE", help="By default DATA.report.html in this folder; - is stdout.")
@click.option("--title", default="", metavar="TEXT", help="The heading.")
@click.option("--open", "opens", is_flag=True, help="Open the report in the browser.")
@test_option
@group_option
@positive_option
@cost_option
@debug_option
@click.pass_context
def report(ctx: click.Context, /, data: str, out: str | None, opens: bool, **options: Any) -> None:
    """Grow a tree from DATA, as fit does, and write a report of it.

    The report is one file that needs no network; print it for a PDF.

    \b
    bough report demo:titanic --open
    bough report patients.csv -t outcome -o patients.html
    """
    asked = taken(options)
    group = options["group"]
    fit = grown(data, asked, group)
    path = out or report_name(data)
    written = write_report(
        fit,
        path,
        command=command_line(ctx),
        seed=asked.seed,
        folds=asked.folds,
        title=options["title"],
        positive=options["positive"],
        costs=costs_of(options["cost"]),
        groups=group_values(data, asked, group, len(fit.problem.y)),
        test=test_rows(options["test"], fit),
    )
    if path == "-":
        click.echo(written, nl=False)
        return
    if not asked.quiet:
        click.echo(f"{path}  {fit.tree.n_leaves} leaves, {len(written.encode()) / 1000:.0f} KB")
    if opens:
        import webbrowser

        webbrowser.open(Path(path).resolve().as_uri())


def report_name(data: str) -> str:
    name = data.removeprefix("demo:") if data.startswith("demo:") else Path(data).name
    return f"{'stdin' if name == '-' else name.split('.')[0] or 'table'}.report.html"


def write_report(fit: Fitted, path: str, *, command: str, seed: int, folds: int, **options: Any) -> str:
    """The report of a fit; a path of - writes no file."""
    from bough.reporting import report as make

    problem = fit.problem
    return make(
        fit.model,
        problem.table,
        problem.labels,
        None if path == "-" else path,
        sample_weight=problem.weights,
        source=problem.source,
        target=problem.target,
        command=command,
        cv=folds,
        random_state=seed,
        **options,
    )


growing_like_fit(report)

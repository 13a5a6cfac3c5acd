"""The verb `report`: a model of a table and all about it in one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bough.cli.common import command_line, common_options, output_options, say
from bough.cli.fit_files import STDOUT, places
from bough.cli.fit_options import Asked, asked_from, growth_options
from bough.cli.model import is_model, leaf_count, load_model, rows_to_judge_by, told_by

if TYPE_CHECKING:
    from bough.cli.fitted import Fitted
    from bough.cli.problem import Problem


@click.command()
@click.argument("data", metavar="MODEL|DATA")
@click.argument("rows", required=False)
@growth_options
@click.option("--test", metavar="FILE", help="Rows that were held back; their figures stand beside.")
@click.option("-o", "--out", metavar="FILE", help="By default DATA.report.html in this folder; - is stdout.")
@click.option("--tree", type=click.IntRange(min=0), default=0, metavar="K", help="Of many, the one to draw.")
@click.option("--title", default="", metavar="TEXT", help="The heading.")
@click.option("--open", "opens", is_flag=True, help="Open the report in the browser.")
@output_options
@common_options
@click.pass_context
def report(ctx: click.Context, /, data: str, rows: str | None, **options: Any) -> None:
    """Write a report of a model file and the ROWS that it was fitted on, or of what fit grows from DATA.

    The report is one file that needs no network; print it for a PDF.

    \b
    bough report demo:titanic --open
    bough report titanic.bough titanic.csv --open
    bough report patients.csv -t outcome -o patients.html
    """
    from bough.cli.held_out import no_test, other_rows, told_here

    asked = asked_from(options)
    fit, asked = _fit(data, rows, asked)
    problem = fit.problem
    test = None if options["test"] is None else other_rows(problem, asked, options["test"])
    for warning in [] if test is None else no_test(fit.model, test):
        say(warning, mark="yellow")
    path = str(options["out"] or places(data, None, True).report)
    command = command_line(ctx)
    with told_here():
        text = write_report(
            fit, asked, path, command=command, title=options["title"], test=test, tree=options["tree"]
        )
    if path == STDOUT:
        click.echo(text, nl=False)
    elif options["as_json"]:
        import json

        click.echo(json.dumps({"report": path, "leaves": leaf_count(fit.tree), "bytes": len(text.encode())}))
    elif not options["quiet"]:
        click.echo(f"{path}  {leaf_count(fit.tree):,} leaves, {len(text.encode()) / 1000:.0f} KB")
    if options["opens"] and path != STDOUT:
        import webbrowser

        webbrowser.open(Path(path).resolve().as_uri())


def _fit(data: str, rows: str | None, asked: Asked) -> tuple[Fitted, Asked]:
    """A model from a file with its rows, or a new one; and what is asked of other rows."""
    from bough.cli.average import Average
    from bough.cli.fitted import Fitted, fitted

    if not is_model(data):
        return fitted(asked.problem(data), asked), asked
    loaded = load_model(data)
    if isinstance(loaded.model, Average):
        raise loaded.model.no_tree(loaded.name)
    return Fitted(rows_to_judge_by(loaded, rows, asked), loaded.estimator), told_by(loaded, asked)


def write_report(
    fit: Fitted,
    asked: Asked,
    path: str,
    *,
    command: str,
    title: str = "",
    test: Problem | None = None,
    tree: int = 0,
) -> str:
    """The report of a fit; a path of - writes no file."""
    from bough.cli.recipe import positive_class, recipe
    from bough.reporting import report as make

    problem = fit.problem
    return make(
        fit.model,
        problem.table,
        problem.labels,
        None if path == STDOUT else path,
        sample_weight=problem.weights,
        source=problem.source,
        target=problem.target,
        command=command,
        title=title,
        cv=asked.folds,
        **problem.together,
        positive=positive_class(problem, asked),
        costs=recipe(problem, asked).costs,
        random_state=asked.seed,
        test=None if test is None else (test.table, test.labels, *([test.groups] if test.ranks else [])),
        tree=tree,
    )

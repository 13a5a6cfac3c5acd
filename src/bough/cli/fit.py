"""The verb `fit`: a table and a target in, a model and honest scores out."""

from __future__ import annotations

import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bough.cli.common import command_line, common_options, output_options, plainly, prose_width, say
from bough.cli.config import save_config
from bough.cli.fit_files import STDOUT, Places, facts_of, places, save_model
from bough.cli.fit_options import Asked, asked_from, growth_options
from bough.errors import BoughError

if TYPE_CHECKING:
    from bough.cli.fitted import Fitted

INTERRUPTED = 130
MOST_REPORTED = 50_000  # rows; a report grows a hundred trees more


@click.command()
@click.argument("data")
@growth_options
@click.option("--test", metavar="FILE", help="Judge the model on the rows of this file.")
@click.option(
    "--holdout",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Keep so many rows out of everything and judge the model on them.",
)
@click.option("--report/--no-report", default=None, help="Write a report, one HTML file.")
@click.option("--open", "opens", is_flag=True, help="Open the report in the browser.")
@click.option("-o", "--out", metavar="FILE", help="The model file: .bough, or .json; - is stdout.")
@output_options
@common_options
@click.pass_context
def fit(ctx: click.Context, /, data: str, **options: Any) -> None:
    """Grow a tree from DATA, show it, and save it.

    DATA is a file (CSV, TSV, Parquet, JSON lines, SQLite, Arrow; CSV and JSON also .gz), demo:NAME, or - for
    CSV on stdin. The model is saved in the current folder under the name of the file.

    The number of leaves is the smallest whose score in cross-validation is within one standard error
    of the best, unless --max-leaves or --max-depth says how large the tree may be. From a table of a
    few rows, too few for such a choice, the tree is grown in full.
    """
    asked = asked_from(options)
    if options["test"] is not None and options["holdout"] is not None:
        raise BoughError(
            "--test and --holdout exclude each other.", code="parameter", hint="Give one of them."
        )
    where = places(data, options["out"], True if options["opens"] else options["report"])
    started = time.perf_counter()
    problem = asked.problem(data)
    say(f"read {problem.source} in {time.perf_counter() - started:.1f} s", detail=True)
    asked_for = options["report"] is not None or options["opens"]
    if where.report is not None and not asked_for:
        where = _without_report(where, problem.table.n_rows, asked)
    # Here, so that help and errors about the table do without scikit-learn.
    from bough.cli.fitted import fitted
    from bough.cli.held_out import held_out, judged_on, no_test, other_rows

    test = None
    if options["holdout"] is not None:
        problem, test = held_out(problem, options["holdout"], asked.seed)
    elif options["test"] is not None:
        test = other_rows(problem, asked, options["test"])
    started = time.perf_counter()
    result = fitted(problem, asked)
    say(f"grown and scored in {time.perf_counter() - started:.1f} s", detail=True)
    tested = None if test is None else judged_on(result.model, test, asked)
    warnings = [] if test is None else no_test(result.model, test)
    _deliver(ctx, result, asked, tested, warnings, where, options)
    if result.interrupted:
        say("interrupted; this is the best so far")
        raise click.exceptions.Exit(INTERRUPTED)


def _without_report(where: Places, n_rows: int, asked: Asked) -> Places:
    """No report that takes long, unless it is asked for."""
    if asked.model == "tree" and n_rows <= MOST_REPORTED:
        return where
    what = "many trees" if asked.model != "tree" else f"more than {MOST_REPORTED:,} rows"
    say(f"no report of {what} unless asked for:  --report")
    return replace(where, report=None)


def _deliver(
    ctx: click.Context,
    result: Fitted,
    asked: Asked,
    tested: Any,
    warnings: list[str],
    where: Places,
    options: dict[str, Any],
) -> None:
    from bough.cli.fit_output import as_json, as_text, warnings_of
    from bough.cli.report import write_report
    from bough.tree.text import folded

    warnings = [*warnings, *warnings_of(result, ctx)]
    if asked.model != "tree":
        from bough.estimators.many import keep_importances

        keep_importances(result.model, result.groups)
    if where.model is not None:
        save_model(result.model, where.model, facts_of(result.problem, asked, result.scores))
    report = where.report
    if report is not None:
        write_report(result, asked, report, command=command_line(ctx))
    named = [name for name in (where.model, report) if name is not None and name != STDOUT]
    if options["as_json"]:
        text = as_json(result, warnings, tested, named)
    else:
        text = as_text(result, asked, tested, plain=plainly(), quiet=options["quiet"])
    click.echo(text, err=where.model == STDOUT)
    config = save_config(ctx)
    if options["as_json"]:
        return
    for warning in warnings:
        click.echo(err=True, nl=sys.stderr.isatty() and not options["quiet"])
        wrong, *mended = warning.split("\n")  # a command is kept whole
        say("\n".join([*folded(wrong, prose_width()), *mended]), mark="yellow")
    for line in _closing(named, config, one=asked.model == "tree"):
        say(line)
    if options["opens"] and report is not None:
        import webbrowser

        webbrowser.open(Path(report).resolve().as_uri())


def _closing(named: list[str], config: str | None, *, one: bool) -> list[str]:
    lines = [f"saved  {'   '.join(named)}"] if named else []
    if config is not None:
        lines.append(f"saved  {config}: the flags of this command")
    models = [name for name in named if not name.endswith(".html")]
    if models:
        model = shlex.quote(models[0])
        verbs = [f"bough show {model}{'' if one else ' --tree 0'} --open", f"bough predict {model} NEW.csv"]
        lines += [f"{'next' if i == 0 else '':<7}{verb}" for i, verb in enumerate(verbs)]
    return lines

"""The verb `fit`: a table and a target in, a tree and honest scores out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import click

from bough.cli.common import command_line, debug_option
from bough.cli.problem import FEW_VALUES, ROWS_PER_VALUE, TASKS, make_problem
from bough.cli.source import read_source
from bough.growing.settings import CATEGORIES, CLASS_CRITERIA, NUMBER_CRITERIA, TIES, Settings
from bough.tree.text import ascii_text

F = TypeVar("F", bound=Callable[..., Any])

_SETTINGS = {field.name: field for field in fields(Settings)}


@dataclass(frozen=True)
class Asked:
    """The options, by their names in Python."""

    target: str | None
    task: str
    criterion: str | None
    categories: str
    ties: str
    max_leaves: int | None
    max_depth: int | None
    min_leaf: int
    drop: tuple[str, ...]
    only: tuple[str, ...]
    weights: str | None
    drop_missing_target: bool
    folds: int
    seed: int
    threads: int | None
    as_json: bool
    plain: bool
    quiet: bool


def _setting(flag: str, name: str) -> Callable[[F], F]:
    """An option whose lower bound, default and help are those of the setting."""
    field = _SETTINGS[name]
    return click.option(
        flag,
        type=click.IntRange(min=field.metadata["lowest"]),
        default=field.default,
        show_default=field.default is not None,
        metavar="N",
        help=field.metadata["doc"].capitalize() + ".",
    )


def _choice(flag: str, names: tuple[str, ...], default: Any, shown: str | bool = True) -> Callable[[F], F]:
    text = _SETTINGS[flag.removeprefix("--")].metadata["doc"].capitalize() + "."
    return click.option(flag, type=click.Choice(names), default=default, show_default=shown, help=text)


@click.command()
@click.argument("data")
@click.option("-t", "--target", metavar="COL", help="The column to predict; demo tables know theirs.")
@click.option(
    "--task",
    type=click.Choice(TASKS),
    default="auto",
    show_default=True,
    help="auto: texts and booleans are classes; so are whole numbers if they have at most "
    f"{FEW_VALUES} different values and at least {ROWS_PER_VALUE} rows for each, or two values only.",
)
@_choice(
    "--criterion", CLASS_CRITERIA + NUMBER_CRITERIA, None, f"{CLASS_CRITERIA[0]} or {NUMBER_CRITERIA[0]}"
)
@_choice("--categories", CATEGORIES, _SETTINGS["categories"].default)
@_choice("--ties", TIES, _SETTINGS["ties"].default)
@_setting("--max-leaves", "max_leaf_nodes")
@_setting("--max-depth", "max_depth")
@_setting("--min-leaf", "min_samples_leaf")
@click.option("--drop", multiple=True, metavar="COL", help="Columns to leave out: --drop a --drop b,c")
@click.option("--only", multiple=True, metavar="COL", help="Columns to ask for, and no others.")
@click.option("--weights", metavar="COL", help="Column that says how many times a row counts.")
@click.option("--drop-missing-target", is_flag=True, help="Leave out rows whose target is empty.")
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    default=10,
    show_default=True,
    metavar="N",
    help="Of cross-validation.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default=True,
    metavar="N",
    help="Of folds and random ties.",
)
@click.option(
    "--threads", type=click.IntRange(min=1), metavar="N", help="All cores by default; the tree is the same."
)
@click.option("--report", is_flag=True, help="Write a report, too: DATA.report.html in this folder.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
@click.option("--plain", is_flag=True, help="ASCII only.")
@click.option("-q", "--quiet", is_flag=True, help="The tree alone: no header, scores or warnings.")
@debug_option
@click.pass_context
def fit(ctx: click.Context, /, data: str, report: bool, **options: Any) -> None:
    """Grow a tree from DATA and show it.

    DATA is a file (CSV, TSV, Parquet, JSON lines; .gz too), demo:NAME or - for CSV on stdin.

    The number of leaves is the smallest whose score in cross-validation is within one standard error
    of the best, unless --max-leaves or --max-depth says how large the tree may be. From a table of a
    few rows, too few for such a choice, the tree is grown in full.
    """
    # Here, so that `bough fit --help` does without scikit-learn.
    from bough.cli.fit_output import as_json, as_text, cannot_draw, warnings_of
    from bough.cli.fitted import fitted

    asked = Asked(**options)
    problem = make_problem(
        read_source(data, asked.drop),
        asked.target,
        task=asked.task,
        drop=asked.drop,
        only=asked.only,
        weights=asked.weights,
        drop_missing_target=asked.drop_missing_target,
    )
    result = fitted(problem, asked)
    warnings = warnings_of(result, ctx)
    plain = asked.plain or cannot_draw(sys.stdout)
    click.echo(as_json(result, warnings) if asked.as_json else as_text(result, asked, plain=plain))
    if report:
        from bough.cli.report import report_name, write_report

        path, command = report_name(data), command_line(ctx)
        write_report(result, path, command=command, seed=asked.seed, folds=asked.folds)
        if not asked.quiet and not asked.as_json:
            click.echo(f"\nsaved  {path}")
    if not asked.quiet and not asked.as_json:
        for warning in warnings:
            click.echo(err=True, nl=sys.stderr.isatty())
            click.echo(ascii_text(warning) if plain else warning, err=True)

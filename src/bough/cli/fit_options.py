"""The options of `fit`: what is asked of the table, how the tree grows, how its size is chosen and judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import click

from bough.cli.problem import FEW_VALUES, ROWS_PER_VALUE, TASKS, Problem, make_problem
from bough.cli.source import Source, read_source
from bough.growing.settings import CATEGORIES, CLASS_CRITERIA, NUMBER_CRITERIA, TIES, Settings

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

MODELS = ("tree", "forest", "boost")
ALGORITHMS = ("id3", "c45", "cart", "chaid", "ctree")
CHOOSE = ("cv", "holdout", "none")
RULES = ("1se", "best")
MISSING = {"route": "learn", "category": "branch", "error": "error"}  # our words, the settings' words
_SETTINGS = {field.name: field for field in fields(Settings)}


@dataclass(frozen=True)
class Asked:
    """The options that decide which model comes out, by their names in Python."""

    target: str | None = None
    sql: str | None = None
    bad_lines: str = "error"
    types: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    weights: str | None = None
    group: str | None = None
    qid: str | None = None
    bins: tuple[str, ...] = ()
    drop_missing_target: bool = False
    task: str = "auto"
    model: str = "tree"
    algo: str | None = None
    criterion: str | None = None
    categories: str | None = None
    ties: str | None = None
    missing: str | None = None
    positive: str | None = None
    cost: tuple[str, ...] = ()
    max_leaves: int | None = None
    max_depth: int | None = None
    min_leaf: int | None = None
    trees: int | None = None
    choose: str | None = None
    folds: int = 10
    rule: str = RULES[0]
    seed: int = 0
    threads: int | None = None

    def problem(self, data: str) -> Problem:
        return self.asked_of(self.source(data))

    def source(self, data: str) -> Source:
        return read_source(data, self.drop, types=self.types, sql=self.sql, bad_lines=self.bad_lines)

    def asked_of(self, source: Source) -> Problem:
        from bough.cli.common import pairs

        return make_problem(
            source,
            self.target,
            task=self.task,
            drop=self.drop,
            only=self.only,
            weights=self.weights,
            group=self.group,
            qid=self.qid,
            bins=pairs("--bins", self.bins),
            drop_missing_target=self.drop_missing_target,
        )


def _setting(flag: str, name: str) -> Any:
    """An option whose lower bound and help are those of the setting."""
    field = _SETTINGS[name]
    return click.option(
        flag,
        type=click.IntRange(min=field.metadata["lowest"]),
        metavar="N",
        help=field.metadata["doc"].capitalize() + ".",
    )


def _choice(flag: str, names: tuple[str, ...], default: str) -> Any:
    text = _SETTINGS[flag.removeprefix("--")].metadata["doc"].capitalize()
    return click.option(flag, type=click.Choice(names), help=f"{text}.  [default: {default}]")


def _words(flag: str, names: tuple[str, ...], text: str, default: str | None = None) -> Any:
    return click.option(
        flag, type=click.Choice(names), default=default, show_default=default is not None, help=text
    )


def _columns(flag: str, metavar: str, text: str) -> Any:
    return click.option(flag, multiple=True, metavar=metavar, help=text)


# In the order of the help.
READING: tuple[Any, ...] = (
    click.option("-t", "--target", metavar="COL", help="The column to predict; demo tables know theirs."),
    click.option(
        "--sql",
        metavar="QUERY",
        help="Rows from a query, in which a file is called data (SQLite: its tables).",
    ),
    _words("--bad-lines", ("error", "skip"), "CSV lines of another length than the header.", "error"),
    _columns(
        "--types", "COL=TYPE", "Take columns as number, category or date: --types age=number,zip=category"
    ),
    _columns("--drop", "COL", "Columns to leave out: --drop a --drop b,c"),
    _columns("--only", "COL", "Columns to ask for, and no others."),
    click.option("--weights", metavar="COL", help="Column that says how many times a row counts."),
    click.option("--group", metavar="COL", help="Rows with the same value here stay together in folds."),
    click.option(
        "--qid", metavar="COL", help="The query of each row: --model boost then puts its rows in order."
    ),
    _columns("--bins", "COL=N", "Make N classes of a target of numbers: --bins fare=4"),
    click.option("--drop-missing-target", is_flag=True, help="Leave out rows whose target is empty."),
    click.option(
        "--task",
        type=click.Choice(TASKS),
        default="auto",
        show_default=True,
        help="auto: texts and booleans are classes; so are whole numbers if they have at most "
        f"{FEW_VALUES} different values and at least {ROWS_PER_VALUE} rows for each, or two values only.",
    ),
)
GROWING: tuple[Any, ...] = (
    _words("--model", MODELS, "One tree, a random forest, or boosted trees.", "tree"),
    _words("--algo", ALGORITHMS, "Grow the tree as this classical program does."),
    _choice("--criterion", CLASS_CRITERIA + NUMBER_CRITERIA, f"{CLASS_CRITERIA[0]} or {NUMBER_CRITERIA[0]}"),
    _choice("--categories", CATEGORIES, str(_SETTINGS["categories"].default)),
    _choice("--ties", TIES, str(_SETTINGS["ties"].default)),
    _words(
        "--missing",
        tuple(MISSING),
        "Empty cells: sent where they do best, a branch of their own, or refused.",
    ),
    click.option(
        "--positive", metavar="CLASS", help="Of two classes, the one that costs and rates are about."
    ),
    _columns("--cost", "WHAT=N", "What mistakes cost: --cost fn=5,fp=1"),
    _setting("--max-leaves", "max_leaf_nodes"),
    _setting("--max-depth", "max_depth"),
    _setting("--min-leaf", "min_samples_leaf"),
    click.option("--trees", type=click.IntRange(min=1), metavar="N", help="Of a forest or of boosting."),
    _words(
        "--choose",
        CHOOSE,
        "The number of leaves by cross-validation, by rows held out, or as grown.  "
        "[default: cv for a tree, holdout for boosting; a forest is judged out of bag]",
    ),
    click.option(
        "--folds",
        type=click.IntRange(min=2),
        default=10,
        show_default=True,
        metavar="N",
        help="Of cross-validation.",
    ),
    _words("--rule", RULES, "The smallest size within one standard error of the best, or the best.", "1se"),
    click.option(
        "--seed",
        type=click.IntRange(0, 2**32 - 1),
        default=0,
        show_default=True,
        metavar="N",
        help="Of folds, bags and random ties.",
    ),
    click.option(
        "--threads",
        type=click.IntRange(min=1),
        metavar="N",
        help="All cores by default; the model is the same.",
    ),
)


def growth_options(command: F) -> F:
    """The options of `Asked`, for every verb that may grow a model from DATA."""
    for option in reversed((*READING, *GROWING)):
        command = option(command)
    return command


def asked_from(options: dict[str, Any]) -> Asked:
    """Takes its options out of all options of a verb."""
    return Asked(**{field.name: options.pop(field.name) for field in fields(Asked)})

"""Verbs that grow a tree as `fit` does: its options, and the tree with its problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from bough.cli.fit import Asked, fit
from bough.cli.problem import Problem, make_problem
from bough.cli.source import read_source
from bough.errors import BoughError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bough.cli.fitted import Fitted


def growing_like_fit(command: click.Command) -> click.Command:
    """Adds the options of fit that the command has not, but for those about fit's own files."""
    own = {param.name for param in command.params}
    more = [p for p in fit.params if p.name in Asked.__dataclass_fields__ and p.name not in own]
    command.params[1:1] = more
    return command


def taken(options: dict[str, Any]) -> Asked:
    """The options of fit, taken out of all options."""
    return Asked(**{name: options.pop(name) for name in Asked.__dataclass_fields__})


def problem_of(data: str, asked: Asked, also_drop: tuple[str, ...] = ()) -> Problem:
    return make_problem(
        read_source(data, asked.drop),
        asked.target,
        task=asked.task,
        drop=(*asked.drop, *also_drop),
        only=asked.only,
        weights=asked.weights,
        drop_missing_target=asked.drop_missing_target,
    )


def grown(data: str, asked: Asked, group: str | None = None) -> Fitted:
    """The tree that fit would grow; `group` is a column that is not asked."""
    from bough.cli.fitted import fitted

    return fitted(problem_of(data, asked, () if group is None else (group,)), asked)


def group_values(data: str, asked: Asked, group: str | None, n_rows: int) -> NDArray[Any] | None:
    """The groups of the rows, by the column's name."""
    from bough.cli.source import find_column

    if group is None:
        return None
    values = find_column(read_source(data, asked.drop), group).values
    if len(values) != n_rows:
        raise BoughError(
            "--group does not go together with rows that are left out.",
            code="parameter",
            hint="Take rows without a target or of weight 0 out of the file first.",
        )
    return values


def costs_of(text: str | None) -> dict[str, float] | None:
    """From fn=5,fp=1."""
    if text is None:
        return None
    try:
        pairs = [part.split("=") for part in text.split(",")]
        costs = {name.strip(): float(value) for name, value in pairs}
    except ValueError:
        costs = {}
    if not costs or set(costs) - {"fn", "fp"}:
        raise BoughError(
            f"--cost {text} is not possible.", code="parameter", hint="For example  --cost fn=5,fp=1"
        )
    return costs


def test_rows(path: str | None, fit: Fitted) -> tuple[Any, Any] | None:
    """The rows of another file with the same columns, for judging."""
    if path is None:
        return None
    source = read_source(path)
    found = make_problem(source, fit.problem.target, task="reg" if fit.problem.classes is None else "class")
    return found.table, found.labels


positive_option = click.option(
    "--positive", metavar="CLASS", help="Of two classes the one that rates are about."
)
cost_option = click.option("--cost", metavar="fn=N,fp=N", help="What a miss and a false alarm cost.")
group_option = click.option("--group", metavar="COL", help="Rows of one group are never in different folds.")
test_option = click.option("--test", metavar="FILE", help="Judge by these rows, which were held back.")

"""What is asked of a table: the target and whether it is a class or a number, the columns, the weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.cli.bins import binned, first_rows
from bough.cli.source import Source, column_list, columns_line, find_column
from bough.data.objects import label
from bough.data.table import Column, Table
from bough.data.target import weights as checked_weights
from bough.errors import BoughError

TASKS = ("auto", "class", "reg")
FEW_VALUES = 20  # whole numbers with at most so many different values may be classes
ROWS_PER_VALUE = 5  # if each has so many rows on average, or there are only two
NO_GROUP = -1.0
MOST_CLASSES = 100  # different numbers taken as classes when asked for


@dataclass(frozen=True)
class Problem:
    source: str
    target: str
    table: Table  # the columns to ask, without target and weights
    classes: NDArray[Any] | None  # sorted labels, None for numbers
    y: NDArray[Any]  # class numbers, or the numbers
    weights: NDArray[np.float64] | None
    notes: tuple[str, ...]
    groups: NDArray[np.float64] | None = None  # rows of one group are never in different folds
    ranks: bool = False  # the groups are queries, whose rows are to be put in order

    @property
    def labels(self) -> NDArray[Any]:
        """What an estimator is fitted on."""
        return self.y if self.classes is None else self.classes[self.y]

    @property
    def together(self) -> dict[str, Any]:
        """What is said to `evaluate` of rows that belong together."""
        return {"qid" if self.ranks else "groups": self.groups}

    @property
    def n_queries(self) -> int:
        return 0 if self.groups is None else len(np.unique(self.groups))

    @property
    def for_fit(self) -> dict[str, Any]:
        """What a model is fitted with besides the columns and the labels."""
        return {"sample_weight": self.weights} | ({"qid": self.groups} if self.ranks else {})

    def take(self, rows: NDArray[np.intp]) -> Problem:
        """The same question asked of some of the rows."""
        weights, groups = (None if a is None else a[rows] for a in (self.weights, self.groups))
        return replace(self, table=self.table.take(rows), y=self.y[rows], weights=weights, groups=groups)


def make_problem(
    source: Source,
    target: str | None,
    *,
    task: str = "auto",
    drop: Sequence[str] = (),
    only: Sequence[str] = (),
    weights: str | None = None,
    group: str | None = None,
    qid: str | None = None,
    bins: dict[str, str] | None = None,
    drop_missing_target: bool = False,
) -> Problem:
    target = target or source.target
    if target is None:
        raise BoughError(
            "which column is to be predicted? Name it with -t.",
            code="parameter",
            hint=columns_line(source.table.names),
        )
    aim = find_column(source, target)
    if bins:
        aim = binned(aim, bins)
    groups = None if group is None else _groups(find_column(source, group))
    if qid is not None:
        groups = _queries(find_column(source, qid), aim, group, task)
    w = None if weights is None else _weights(find_column(source, weights))
    table = _asked(
        source, {target, weights, group, qid}, column_list(source, drop), column_list(source, only)
    )
    keep = ~np.isnan(aim.values)
    if not keep.all() and not drop_missing_target:
        raise BoughError(
            f'"{target}" is empty on {np.count_nonzero(~keep):,} of the {len(keep):,} rows.',
            code="target",
            hint="Leave these rows out:  --drop-missing-target",
        )
    notes = list(source.notes)
    if not keep.all():
        notes.append(f'{np.count_nonzero(~keep):,} rows with an empty "{target}" are left out.')
    alone = 0 if group is None or groups is None else int((groups[keep] == NO_GROUP).sum())
    if alone > 1:
        notes.append(f"{alone:,} rows without a group are kept together.")
    if w is not None and not w.all():
        notes.append(f"{np.count_nonzero(w == 0):,} rows of weight 0 are left out.")
        keep &= w > 0
    if not keep.all():
        aim, table = Column(aim.field, aim.values[keep]), table.take(keep)
        w, groups = (None if a is None else a[keep] for a in (w, groups))
    _check_outcomes(aim, table)
    classes, y = _outcomes(aim, task if qid is None else "reg")
    if classes is not None and aim.field.kind == "numeric" and task == "auto":
        notes.append("The numbers are taken as classes; to predict the number:  --task reg")
    return Problem(source.name, target, table, classes, y, w, tuple(notes), groups, qid is not None)


def _asked(source: Source, apart: set[str | None], drop: list[str], only: list[str]) -> Table:
    columns = tuple(
        column
        for column in source.table.columns
        if column.field.name not in apart
        and column.field.name not in drop
        and (not only or column.field.name in only)
    )
    if not columns:
        raise BoughError(
            f"no column of {source.name} is left to ask for.",
            code="column",
            hint=columns_line(source.table.names),
        )
    return Table(columns, source.table.n_rows)


def _weights(column: Column) -> NDArray[np.float64] | None:
    if column.field.kind not in ("numeric", "boolean"):
        raise BoughError(
            f'the weights "{column.field.name}" are not numbers ({column.field.kind}).',
            code="weights",
            hint="A weight says how many times a row counts.",
        )
    return checked_weights(column.values, len(column.values))


def _groups(column: Column) -> NDArray[np.float64]:
    """Their numbers; rows without a group are a group of their own, whatever the values of the others."""
    _, codes = np.unique(column.values, return_inverse=True)
    return np.where(np.isnan(column.values), NO_GROUP, codes.astype(np.float64))


def _queries(column: Column, aim: Column, group: str | None, task: str) -> NDArray[np.float64]:
    """The query of each row; the target must be able to say how relevant the row is."""
    name, empty = column.field.name, int(np.isnan(column.values).sum())
    if group is not None or task == "class":
        other = "--group" if group is not None else "--task class"
        raise BoughError(
            f"--qid and {other} exclude each other.",
            code="parameter",
            hint="The rows of a query stay together in folds anyway, and relevance is a number.",
        )
    if name == aim.field.name:
        raise BoughError(
            f'"{name}" is the target, so it cannot say which query a row belongs to.',
            code="parameter",
            hint="-t names how relevant a row is, --qid its query.",
        )
    if empty:
        raise BoughError(
            f'"{name}" is empty on {empty:,} of the {len(column.values):,} rows, which belong to no query.',
            code="column",
            hint="Give each row its query, or leave such rows out.",
        )
    if aim.field.kind not in ("numeric", "boolean"):
        raise BoughError(
            f'"{aim.field.name}" is no number ({aim.field.kind}), so it cannot say how relevant a row is.',
            code="target",
            hint="Relevance is a number: 0 does not matter, higher is better.",
        )
    return column.values


def _check_outcomes(aim: Column, table: Table) -> None:
    name, n_rows = aim.field.name, len(aim.values)
    if not n_rows:
        raise BoughError(
            f'"{name}" is empty on all rows.', code="target", hint="Choose another target with -t."
        )
    if (aim.values == aim.values[0]).all():
        raise BoughError(
            f'"{name}" is "{_shown(aim, aim.values[0])}" on all {n_rows:,} rows. '
            "A tree needs at least two outcomes.",
            code="target",
            hint=f"Was the file filtered?  first rows: {first_rows(table)}",
        )


def _shown(aim: Column, value: float) -> str:
    if aim.field.kind == "datetime":
        return str(np.datetime64(int(value), "us"))
    return aim.field.categories[int(value)] if aim.field.categories else label(float(value))


def _outcomes(aim: Column, task: str) -> tuple[NDArray[Any] | None, NDArray[Any]]:
    kind, name, n_rows = aim.field.kind, aim.field.name, len(aim.values)
    if kind == "datetime":
        raise BoughError(
            f'"{name}" holds dates, which a tree cannot predict.',
            code="target",
            hint="Turn them into numbers (days since ...) or classes (the year, the weekday) first.",
        )
    if kind == "numeric":
        return _of_numbers(aim, task)
    if task == "reg":
        if kind == "boolean":
            return None, aim.values
        raise BoughError(
            f'"{name}" holds texts such as "{_shown(aim, aim.values[0])}", so this is not a number.',
            code="target",
            hint="Predict the class:  --task class",
        )
    codes = aim.values.astype(np.int64)
    present = np.unique(codes)
    if len(present) > max(FEW_VALUES, n_rows // 2):
        raise BoughError(
            f'"{name}" has {len(present):,} different texts on {n_rows:,} rows, so this is not a class.',
            code="target",
            hint="Is it a name or a number for each row? Choose another target with -t.",
        )
    values = [code == 1 if kind == "boolean" else aim.field.categories[code] for code in present.tolist()]
    classes = np.array(values, dtype=bool if kind == "boolean" else object)
    order = np.argsort(classes, kind="stable")  # estimators have their classes sorted
    place = np.zeros(len(aim.field.categories), dtype=np.int64)
    place[present[order]] = np.arange(len(order))
    return classes[order], place[codes]


def _of_numbers(aim: Column, task: str) -> tuple[NDArray[Any] | None, NDArray[Any]]:
    values, codes = np.unique(aim.values, return_inverse=True)
    whole = bool((values == np.rint(values)).all()) and float(np.abs(values).max()) < 2.0**53
    likely = (
        whole
        and len(values) <= FEW_VALUES
        and (len(values) == 2 or len(codes) >= ROWS_PER_VALUE * len(values))
    )
    if task == "reg" or (task == "auto" and not likely):
        return None, aim.values
    if len(values) > MOST_CLASSES or not whole:
        odd = "" if len(values) > MOST_CLASSES else f" such as {values[values != np.rint(values)][0]}"
        raise BoughError(
            f'"{aim.field.name}" has {len(values):,} different numbers{odd}, so this is not a class.',
            code="target",
            hint=f"Predict the number:  --task reg\nor make groups:      --bins {aim.field.name}=4",
        )
    return values.astype(np.int64), codes

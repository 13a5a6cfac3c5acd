"""A table that a wrong export cannot pass: made from the model, around every threshold and every gap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.encode import UNSEEN
from bough.data.table import Column, Field, Table
from bough.exporting.plan import ABOVE, AT_MOST, IN, Plan, PlannedTree, Test
from bough.tree import Tree

Floats = NDArray[np.float64]
LARGEST = float(np.finfo(np.float64).max)
SPECIAL = (0.0, -0.0, 5e-324, -5e-324, LARGEST, -LARGEST, 1.0, -1.0)
FIRST_DAY, LAST_DAY = -62_135_596_800_000_000, 253_402_214_400_000_000  # years 1 to 9999


@dataclass(frozen=True)
class Fuzz:
    """The rows as the model reads them, and what an export gets: texts for categories, None for missing."""

    table: Table
    new: str  # the text of categories that the model never saw

    def values(self, column: int) -> list[Any]:
        """Texts, numbers, whole microseconds, booleans; None where missing."""
        field, numbers = self.table.columns[column].field, self.table.columns[column].values
        if field.kind == "boolean":
            return [None if math.isnan(v) else bool(v) for v in numbers]
        if field.categories:
            names = [*field.categories, self.new]  # UNSEEN is -1: the last
            return [None if math.isnan(v) else names[int(v)] for v in numbers]
        if field.kind == "datetime":
            return [None if math.isnan(v) else int(v) for v in numbers]
        return [None if math.isnan(v) else float(v) for v in numbers]


def fuzz(plan: Plan, n_rows: int = 2000, seed: int = 0) -> Fuzz:
    """Random mixtures of the critical values of all columns, and rows that come to nodes chosen at random
    with the node's own critical values."""
    rng = np.random.default_rng(seed)
    critical = [_critical(plan, column) for column in range(len(plan.fields))]
    rows = np.column_stack([rng.choice(values, n_rows) for values in critical])
    # One row for each column that lacks this column alone; random rows lack several.
    for row in range(0, n_rows, 3):
        _lead(plan, rows[row], critical, rng)
    for column in range(min(len(plan.fields), n_rows)):
        if np.isnan(critical[column]).any():
            rows[column, column] = np.nan
    return Fuzz(_table(plan, rows), new_text(plan))


def _table(plan: Plan, rows: Floats) -> Table:
    columns = tuple(Column(f, np.ascontiguousarray(rows[:, i])) for i, f in enumerate(plan.fields))
    return Table(columns, len(rows))


def new_text(plan: Plan) -> str:
    """A text that is no category of any column; close to one, so that careless comparisons fail."""
    known = {c for f in plan.fields for c in f.categories}
    text = max(known, key=len, default="new").upper() + " "
    while text in known:
        text += "?"
    return text


def _rules(plan: Plan) -> tuple[set[str], bool]:
    """Columns in which the model refuses missing values, and whether it refuses unseen categories."""
    trees = [planned.tree for planned in plan.trees]
    never = {name for tree in trees for name in tree.rules.never_missing}
    return never, any(tree.rules.unseen == "error" for tree in trees)


def _critical(plan: Plan, column: int) -> Floats:
    field = plan.fields[column]
    never, refuses = _rules(plan)
    missing = [] if field.name in never else [math.nan]
    if field.categories:
        # In an ordered column a category that it lacks is missing, see `recode`.
        new = [UNSEEN] if field.kind == "nominal" and not refuses else []
        return np.array([*range(len(field.categories)), *new, *missing], dtype=np.float64)
    thresholds = _thresholds(plan, column)
    if field.kind == "datetime":
        around = [math.floor(t) + step for t in thresholds for step in (-1, 0, 1, -86_400_000_000)]
        inside = [float(t) for t in around if FIRST_DAY < t < LAST_DAY]
        return np.array([*(inside or [0.0]), 0.0, *missing])
    near = [v for t in thresholds for v in (t, math.nextafter(t, math.inf), math.nextafter(t, -math.inf))]
    near += [t + step for t in thresholds for step in (-1.0, 1.0)]
    return np.array([*(v for v in near if math.isfinite(v)), *SPECIAL, *missing * (1 + len(near) // 5)])


def _thresholds(plan: Plan, column: int) -> list[float]:
    found: set[float] = set()
    for planned in plan.trees:
        tree = planned.tree
        asks = (tree.feature == column) & np.isfinite(tree.threshold)
        found.update(tree.threshold[asks].tolist())
        also = (tree.surrogate_feature == column) & np.isfinite(tree.surrogate_threshold)
        found.update(tree.surrogate_threshold[also].tolist())
    return sorted(found)[:: max(1, len(found) // 500)]


def _lead(plan: Plan, row: Floats, critical: list[Floats], rng: np.random.Generator) -> None:
    """Changes the row so that it comes to some inner node of some tree; the node's column keeps its value."""
    planned: PlannedTree = plan.trees[int(rng.integers(len(plan.trees)))]
    nodes = list(planned.ways)
    if not nodes:
        return
    tree: Tree = planned.tree
    path = tree.path(int(rng.choice(nodes)))
    own = row.copy()
    for node, below in pairwise(path):
        child = below - int(tree.first_child[node])
        tests = [test for test, to in planned.ways[node].tests if to == child]
        if tests:
            _satisfy(plan.fields, tests[0], row, critical, rng)
        elif not np.isnan(critical[tree.feature[node]]).any():
            _satisfy_rest(planned, node, row, critical, rng)
        else:
            row[tree.feature[node]] = np.nan
    last = int(tree.feature[path[-1]])
    row[last] = own[last]


def _satisfy(
    fields: tuple[Field, ...], test: Test, row: Floats, critical: list[Floats], rng: np.random.Generator
) -> None:
    values = critical[test.column]
    good = values[_holds(test, values)]
    held = good[~np.isnan(good)]
    if held.size and not (_holds(test, row[[test.column]])[0]):
        row[test.column] = rng.choice(held)


def _satisfy_rest(
    planned: PlannedTree, node: int, row: Floats, critical: list[Floats], rng: np.random.Generator
) -> None:
    column = int(planned.tree.feature[node])
    values = critical[column]
    taken = np.zeros(len(values), dtype=bool)
    for test, _ in planned.ways[node].tests:
        if test.column == column:
            taken |= _holds(test, values)
    if not taken.all():
        row[column] = rng.choice(values[~taken])


def _holds(test: Test, values: Floats) -> NDArray[np.bool_]:
    if test.way == AT_MOST:
        return values <= test.threshold
    if test.way == ABOVE:
        return values > test.threshold
    if test.way == IN:
        return np.isin(values, test.members)
    return ~np.isnan(values)

"""The nearest other answer: the smallest change of a row that brings it to a leaf with another answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Column, Field, Table
from bough.explain.condition import Condition
from bough.explain.rules import Rule
from bough.explain.words import answer_name, percent
from bough.tree.tree import Tree

Floats = NDArray[np.float64]

LEARNT = 0.5  # the size of a change from missing to a value: nothing that was known becomes untrue


@dataclass(frozen=True)
class Change:
    """A column that has to change: what it must say, a value that does, and by how much that differs (in
    units of the column's scale; 1 for another category or for leaving a value out, LEARNT for a value that
    was missing)."""

    column: str
    text: str
    value: Any
    size: float


@dataclass(frozen=True)
class Nearest:
    """Fewest columns first, then the smallest change."""

    changes: tuple[Change, ...]
    prediction: Any
    share: float | None
    n: int
    leaf: int

    def __str__(self) -> str:
        changed = " and ".join(change.text for change in self.changes)
        share = "" if self.share is None else f" {percent(self.share)}"
        return (
            f"{changed} → {answer_name(self.prediction)}{share} ({self.n:,} row{'' if self.n == 1 else 's'})"
        )


def nearest(
    tree: Tree, rules: Sequence[Rule], columns: Sequence[Floats], scales: Mapping[str, float]
) -> Nearest | None:
    """None where all leaves answer alike. Each way is tried before it is told: the changed row does get the
    other answer."""
    row = np.array([float(c[0]) for c in columns])
    now = tree.predict(_as_table(tree, row))[0]
    by_node = {rule.node: rule for rule in rules}
    ways = []
    met: dict[int, bool] = {}  # leaves share conditions, which are asked once
    for number, rule in enumerate(rules):
        for c in rule.conditions:
            if id(c) not in met:
                met[id(c)] = float(c.shares(columns)[0]) == 1.0
        failed = [c for c in rule.conditions if not met[id(c)]]
        changed = _changes(tree, failed, row, scales)
        if changed is not None:
            sizes = [size for _, _, size in changed.values()]
            ways.append((len(changed), sum(sizes), -rule.weight, number, changed))
    for *_, changed in sorted(ways, key=lambda way: way[:4]):
        moved = row.copy()
        for column, (_, value, _) in changed.items():
            moved[column] = value
        there = _as_table(tree, moved)
        # Where surrogates ask a column that changes, the row may come to another leaf than it was sent to.
        rule, found = by_node[int(tree.apply(there)[0])], tree.predict(there)[0]
        if not changed or found == now or found != rule.prediction:
            continue
        return Nearest(
            tuple(
                Change(tree.fields[j].name, c.text(), _plain(tree.fields[j], value), size)
                for j, (c, value, size) in changed.items()
            ),
            rule.prediction,
            rule.share,
            rule.n,
            rule.node,
        )
    return None


def _as_table(tree: Tree, row: Floats) -> Table:
    return Table(tuple(Column(f, np.array([x])) for f, x in zip(tree.fields, row, strict=True)), 1)


def _changes(
    tree: Tree, failed: Sequence[Condition], row: Floats, scales: Mapping[str, float]
) -> dict[int, tuple[Condition, float, float]] | None:
    """For columns that keep the row from a rule: the condition, a value that meets it, the size of the
    change; None where no value does."""
    changed = {}
    for c in failed:
        found = _moved(c, float(row[c.column]), scales.get(c.field.name, 0.0) or _spread(tree, c.column))
        if found is None:
            return None
        changed[c.column] = (c, *found)
    return changed


def _moved(c: Condition, x: float, scale: float) -> tuple[float, float] | None:
    """A value that meets the condition, and how far it is from x."""
    if c.known:
        value = _inside(c, x)
        if value is not None:
            return value, LEARNT if math.isnan(x) else abs(value / scale - x / scale)
    listed = sorted(code for code, way in c.passing.items() if code >= 0 and way.certain)
    met = [code for code in listed if c.passing[code].seen]
    if listed:
        return float((met or listed)[0]), LEARNT if math.isnan(x) else 1.0
    way = c.missing
    return (math.nan, 1.0) if way is not None and way.certain and not math.isnan(x) else None


def _inside(c: Condition, x: float) -> float | None:
    """The value of the interval that is next to x; codes and dates are whole numbers."""
    whole = c.field.kind in ("ordinal", "datetime")
    finite = math.isfinite(c.low)
    above = (
        math.floor(c.low) + 1.0
        if whole and finite
        else float(np.nextafter(c.low, math.inf))
        if finite
        else c.low
    )
    below = float(math.floor(c.high)) if whole and math.isfinite(c.high) else c.high
    if math.isnan(x):
        value = below if math.isfinite(below) else above
        if not math.isfinite(value):
            value = 0.0  # known, whatever it is
    else:
        value = above if x <= c.low else below
    if c.field.kind == "ordinal":
        value = min(max(value, 0.0), len(c.field.categories) - 1.0)
    return value if c.low < value <= c.high else None


def _spread(tree: Tree, column: int) -> float:
    """Without rows to measure by: what the thresholds of the column span."""
    asked = tree.threshold[(tree.feature == column) & np.isfinite(tree.threshold)]
    if not asked.size:
        return 1.0
    span = float(asked.max()) - float(asked.min())
    return (span if math.isfinite(span) else 0.0) or float(np.abs(asked).max()) or 1.0


def _plain(field: Field, value: float) -> Any:
    """The value as a user writes it."""
    if math.isnan(value):
        return None
    if field.categories:
        name = field.categories[int(value)]
        return name == "True" if field.kind == "boolean" else name
    if field.kind == "datetime":
        return np.datetime64(int(value), "us")
    return value


def scales_of(table: Table) -> dict[str, float]:
    """The standard deviation of each ordered column."""
    found = {}
    for column in table.columns:
        known = column.values[~np.isnan(column.values)]
        if column.field.kind not in ("nominal", "boolean") and known.size > 1:
            with np.errstate(over="ignore", invalid="ignore"):
                found[column.field.name] = float(known.std())
    return {name: scale for name, scale in found.items() if math.isfinite(scale) and scale > 0}

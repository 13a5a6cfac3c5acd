"""Surrogates in plain Python: which other columns send a node's rows where its split sends them.

The rules are rpart's. The split's known rows are those that it sends left or right; agree and adjusted
count weight.

- Ordered values: every cut of the node's values, the lowest first, `below goes left` before `below goes
  right`. Rows that the split does not know weigh nothing, but their values are values: cuts lie next to
  them. Two known rows must stand on either side. The first of the best cuts wins; it must beat sending all
  rows one way.
- Categories: each goes where more of its weight goes; on a tie to the side that has more of the rows known
  in both (right if equal). A category without a known row has no side and asks the next surrogate.
- Here too a surrogate should send two rows either way. rpart instead counts the rows that it sends the
  split's way and those that it does not: a column of categories with fewer than two errors, however good,
  is never its surrogate. as_rpart=False asks for two rows either way.
- agree = weight sent the split's way / weight of the split's known rows: a row that misses the surrogate
  counts as an error (surrogatestyle 0). adjusted = (agree - majority) / (1 - majority), where the majority
  rule sends all rows to the heavier side; only adjusted > 1e-10 helps. The largest agree comes first, of
  equals the first column.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

LEFT, RIGHT = -1, 1
Number = Any  # int or Fraction; float for the information criterion
Rule = dict[str, Any]


@dataclass(frozen=True)
class Column:
    name: str
    values: Sequence[Any]  # None is missing; categories are numbers from 0
    n_categories: int = 0  # 0: ordered


@dataclass(frozen=True)
class Split:
    column: int
    improve: Number  # of a surrogate: agree
    cut: float = math.nan
    below: int = 0  # the side of x < cut
    sides: tuple[int, ...] = ()  # of each category; 0: none
    count: int = 0  # known rows; of a surrogate: rows that it sends
    adjusted: Number = 0

    def side(self, value: Any) -> int:
        if value is None:
            return 0
        if self.sides:
            return self.sides[value]
        return self.below if value < self.cut else -self.below


@dataclass
class Table:
    """Of the rows with one value, or below a cut: how many the split sends to each side, and their weight."""

    rows: Counter[int] = field(default_factory=Counter)
    weight: Counter[int] = field(default_factory=Counter)


def heavier_side(weights: Sequence[Number], sides: dict[int, int]) -> int:
    """0 if both sides weigh the same."""
    total = sum(side * weights[i] for i, side in sides.items())
    return (total > 0) - (total < 0)


def find_surrogates(
    columns: Sequence[Column],
    weights: Sequence[Number],
    sides: dict[int, int],
    skip: int,
    at_most: int,
    as_rpart: bool = True,
) -> list[Split]:
    """`sides`: where the split sends each row of the node, 0 if it does not know. `skip`: its own column."""
    by_side = [sum(weights[i] for i, s in sides.items() if s == side) for side in (LEFT, RIGHT)]
    total, majority = sum(by_side), max(by_side)
    found = []
    for j, column in enumerate(columns):
        if j == skip or majority == total:
            continue
        tables: dict[Any, Table] = {}
        for i, side in sides.items():
            if column.values[i] is not None:
                table = tables.setdefault(column.values[i], Table())
                if side:
                    table.rows[side] += 1
                    table.weight[side] += weights[i]
        tables = dict(sorted(tables.items()))
        if column.n_categories:
            agree, rule = best_subset(tables, column.n_categories, as_rpart)
        else:
            agree, rule = best_cut(tables)
        adjusted = Fraction(agree - majority) / (total - majority)
        if rule and adjusted > Fraction(1, 10**10):
            found.append(Split(j, Fraction(agree) / total, adjusted=adjusted, **rule))
    found.sort(key=lambda split: -split.improve)
    return found[:at_most]


def whole_of(tables: Iterable[Table]) -> Table:
    total = Table()
    for table in tables:
        total.rows.update(table.rows)
        total.weight.update(table.weight)
    return total


def best_cut(tables: dict[Any, Table]) -> tuple[Number, Rule]:
    """The weight sent where the split sends it, and the cut."""
    whole, below = whole_of(tables.values()), Table()
    best: Number = max(whole.weight[LEFT], whole.weight[RIGHT])
    rule: Rule = {}
    for low, high in itertools.pairwise(tables):
        below = whole_of([below, tables[low]])
        if min(below.rows.total(), whole.rows.total() - below.rows.total()) < 2:
            continue
        for side in (LEFT, RIGHT):
            agree = below.weight[side] + whole.weight[-side] - below.weight[-side]
            if agree > best:
                best, rule = agree, {"cut": (low + high) / 2, "below": side}
    return best, rule


def best_subset(tables: dict[Any, Table], n_categories: int, as_rpart: bool) -> tuple[Number, Rule]:
    """Likewise, with each category going its own best way."""
    whole = whole_of(tables.values())
    on_tie = LEFT if whole.weight[LEFT] > whole.weight[RIGHT] else RIGHT
    sides, agree = [0] * n_categories, 0
    sent, hits = Counter({LEFT: 0, RIGHT: 0}), Counter({True: 0, False: 0})
    for category, table in tables.items():
        if table.rows.total():
            side = max((on_tie, -on_tie), key=lambda side, weight=table.weight: weight[side])
            sides[category] = side
            agree += table.weight[side]
            sent[side] += table.rows.total()
            hits.update({True: table.rows[side], False: table.rows[-side]})
    if min((hits if as_rpart else sent).values()) < 2:
        return 0, {}
    return agree, {"sides": tuple(sides)}

"""Conditional inference trees in plain Python and exact fractions (Hothorn, Hornik & Zeileis 2006).

A node first asks of every column whether the target depends on it at all, by the permutation test of
Strasser & Weber, then cuts the column with the smallest p-value. With n the weight of the rows known in the
column, the quadratic form of that test comes down to

    numbers x numbers         (n - 1) r^2, r the correlation                          df 1
    numbers x classes         (n - 1) between-class / total sum of squares of x       df classes - 1
    categories x numbers      (n - 1) between-category / total sum of squares of y    df categories - 1
    categories x classes      (n - 1) / n Pearson's chi-square                        df (r - 1)(c - 1)

where only what is present counts. A column is not tested where x or y does not vary or n is not above 1.
The p-values are adjusted for the number m of columns that were tested in the node: 1 - (1 - p)^m. A cut is
the largest such statistic of "is on the left" against the target, above 0, the first of equal ones.

Rows that are missing in the cut column follow the child of the larger weight, the left one on a tie (partykit
draws a child at random, unless it is told to take the majority). Of columns with equal p-values the first is
taken (partykit: the last); equal means that their logarithms differ by a relative 1e-12 at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .chi_square import log_survival, pearson
from .grower import Table, as_integers

Number = Any  # int or Fraction


@dataclass(frozen=True)
class Settings:
    significance_level: float = 0.05
    min_samples_split: int = 20
    min_samples_leaf: int = 7
    min_share: float = 0.01  # of the node's rows, in each child
    tries: int = 2  # columns that are tried for a cut that leaves enough rows on both sides


@dataclass(frozen=True)
class Association:
    statistic: Fraction
    df: int
    log_p: float


@dataclass(eq=False)
class Node:
    rows: list[int]
    tests: dict[int, Association] = field(default_factory=dict)  # by column
    p_value: float | None = None  # the smallest, adjusted
    column: int | None = None
    threshold: float | None = None  # a value of the data: x <= threshold goes left
    left: frozenset[int] = frozenset()  # categories
    right: frozenset[int] = frozenset()
    missing_child: int | None = None
    children: list[Node] = field(default_factory=list)

    def adjusted(self, column: int) -> float:
        return adjusted(self.tests[column].log_p, len(self.tests))


def adjusted(log_p: float, m: int) -> float:
    """1 - (1 - p)^m."""
    p = math.exp(log_p)
    return -math.expm1(m * math.log1p(-p)) if p < 1 else 1.0


def between_share(groups: Sequence[Any], values: Sequence[Number], weights: Sequence[Number]) -> Fraction:
    """Share of the weighted sum of squares of `values` that lies between the groups."""
    sums: dict[Any, list[Number]] = {}
    for g, v, w in zip(groups, values, weights, strict=True):
        of_group = sums.setdefault(g, [0, 0])
        of_group[0] += w
        of_group[1] += w * v
    n, total = sum(s[0] for s in sums.values()), sum(s[1] for s in sums.values())
    centre = Fraction(total) / n
    spread = sum(w * (v - centre) ** 2 for v, w in zip(values, weights, strict=True))
    between = sum((s - centre * w) ** 2 / w for w, s in sums.values())
    return Fraction(between / spread)


def squared_correlation(xs: Sequence[Number], ys: Sequence[Number], weights: Sequence[Number]) -> Fraction:
    n = sum(weights)
    x0 = Fraction(sum(w * x for w, x in zip(weights, xs, strict=True))) / n
    y0 = Fraction(sum(w * y for w, y in zip(weights, ys, strict=True))) / n
    rows = [(w, x - x0, y - y0) for w, x, y in zip(weights, xs, ys, strict=True)]
    xx, yy, xy = (sum(w * a[i] * a[j] for w, *a in rows) for i, j in ((0, 0), (1, 1), (0, 1)))
    return Fraction(xy * xy / (xx * yy))


def association(
    kind: str, xs: Sequence[Number], ys: Sequence[Number], classes: int | None, weights: Sequence[Number]
) -> Association | None:
    """The test of a column of this kind ("ordered", "nominal") against classes or numbers."""
    n = sum(weights)
    if n <= 1 or len(set(xs)) < 2 or len(set(ys)) < 2:
        return None
    if kind == "nominal" and classes is not None:
        table = {x: [0] * classes for x in xs}
        for x, y, w in zip(xs, ys, weights, strict=True):
            table[x][int(y)] += w
        statistic, df = pearson(list(table.values()))
        statistic *= Fraction(n - 1) / n
    elif kind == "nominal":
        statistic, df = (n - 1) * between_share(xs, ys, weights), len(set(xs)) - 1
    elif classes is not None:
        statistic, df = (n - 1) * between_share(ys, xs, weights), len(set(ys)) - 1
    else:
        statistic, df = (n - 1) * squared_correlation(xs, ys, weights), 1
    return Association(statistic, df, log_survival(statistic, df))


class Grower:
    def __init__(self, table: Table, settings: Settings) -> None:
        self.table, self.settings, self.classes = table, settings, table.n_classes
        weights, unit = as_integers(table.weights or [1.0] * len(table.target))
        self.weights = [Fraction(w, unit) if unit > 1 else w for w in weights]
        self.target = as_integers(table.target)[0] if self.classes is None else [int(y) for y in table.target]
        # The tests do not depend on the unit of x or y, so all of them are whole numbers.
        self.values: list[dict[int, int]] = []
        for column in table.columns:
            known = {i: float(v) for i, v in enumerate(column.values) if v is not None}
            self.values.append(dict(zip(known, as_integers(list(known.values()))[0], strict=True)))

    def test(self, kind: str, xs: dict[int, Any]) -> Association | None:
        ys, weights = [self.target[i] for i in xs], [self.weights[i] for i in xs]
        return association(kind, list(xs.values()), ys, self.classes, weights)

    def grow(self, rows: list[int]) -> Node:
        node, s = Node(rows), self.settings
        if len(rows) < s.min_samples_split:
            return node
        for j, column in enumerate(self.table.columns):
            known = {i: self.values[j][i] for i in rows if i in self.values[j]}
            if (found := self.test(column.kind, known)) is not None:
                node.tests[j] = found
        if not node.tests:
            return node
        order = self.order(node)
        node.p_value = node.adjusted(order[0])
        for j in order[: s.tries]:
            if node.adjusted(j) < s.significance_level and self.cut(node, j):
                break
        return node

    def order(self, node: Node) -> list[int]:
        """The tested columns, the smallest p-value first."""
        left, order = dict(node.tests), []
        while left:
            limit = min(test.log_p for test in left.values()) * (1 - 1e-12)
            order.append(next(j for j, test in left.items() if test.log_p <= limit))
            del left[order[-1]]
        return order

    def cut(self, node: Node, j: int) -> bool:
        """Splits the node by the best cut of the column, if there is one."""
        s, known = self.settings, {i: self.values[j][i] for i in node.rows if i in self.values[j]}
        least = max(s.min_samples_leaf, math.ceil(s.min_share * len(node.rows)))
        best, best_left = Fraction(0), None
        for left in self.candidates(j, known):
            sides = {i: int(x not in left) for i, x in known.items()}
            right = sum(sides.values())
            if least <= right <= len(known) - least:
                found = self.test("nominal", sides)
                if found is not None and found.statistic > best:
                    best, best_left = found.statistic, left
        if best_left is None:
            return False
        column = self.table.columns[j]
        node.column = j
        if column.kind == "nominal":
            node.left, node.right = best_left, frozenset(known.values()) - best_left
        else:
            node.threshold = max(float(column.values[i] or 0.0) for i, x in known.items() if x in best_left)
        sides = {i: int(x not in best_left) for i, x in known.items()}
        weight = [sum(self.weights[i] for i, c in sides.items() if c == side) for side in (0, 1)]
        node.missing_child = 0 if weight[0] >= weight[1] else 1
        parts = [[i for i in node.rows if sides.get(i, node.missing_child) == side] for side in (0, 1)]
        node.children = [self.grow(part) for part in parts]
        return True

    def candidates(self, j: int, known: dict[int, int]) -> Iterator[frozenset[int]]:
        """The left sides of a column's splits in the order of docs/semantics.md."""
        present = sorted(set(known.values()))
        if self.table.columns[j].kind != "nominal":
            yield from (frozenset(present[: k + 1]) for k in range(len(present) - 1))
            return
        if self.classes is not None and self.classes > 2 and len(present) <= 8:
            for b in range(2 ** (len(present) - 1) - 1):
                yield frozenset([present[0], *(x for i, x in enumerate(present[1:]) if b >> i & 1)])
            return
        for k in range(self.classes) if self.classes is not None and self.classes > 2 else [1]:
            order = sorted(present, key=lambda x: self.mean(known, x, k))
            yield from (frozenset(order[: i + 1]) for i in range(len(order) - 1))

    def mean(self, known: dict[int, int], x: int, k: int) -> Fraction:
        """Of the target in a category; of "is class k" where there are classes."""
        rows = [i for i, v in known.items() if v == x]
        ys = [self.target[i] if self.classes is None else int(self.target[i] == k) for i in rows]
        weights = [self.weights[i] for i in rows]
        return Fraction(sum(w * y for w, y in zip(weights, ys, strict=True))) / sum(weights)


def grow(table: Table, settings: Settings | None = None) -> Node:
    grower = Grower(table, settings or Settings())
    return grower.grow([i for i, w in enumerate(grower.weights) if w])


def preorder(node: Node) -> list[Node]:
    """The nodes as partykit numbers them: a node, its left subtree, its right subtree."""
    return [node, *(n for child in node.children for n in preorder(child))]

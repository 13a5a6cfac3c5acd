"""CHAID's merging of categories in plain Python and exact fractions (Kass 1980), without re-splitting.

As long as there are more than two groups, the two that differ least (the largest p-value of Pearson's
chi-square of two groups x classes) become one, if that p-value is above alpha. Then groups that are too
small, the smallest first, join the group they differ least from. Ordered categories join their neighbours
only; missing values, where they are a category of their own, come last and may join any group.

The p-value of the merged table is multiplied by the number of ways in which c categories can become r groups:

    nominal                   sum over i < r of (-1)^i (r - i)^c / (i! (r - i)!)
    ordered                   C(c - 1, r - 1)
    ordered, with missing     C(c - 2, r - 2) + r C(c - 2, r - 1)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, factorial

from .chi_square import Number, log_survival, pearson


@dataclass(frozen=True)
class Merged:
    groups: tuple[tuple[int, ...], ...]  # by their first category
    statistic: Fraction
    df: int
    log_p: float
    log_p_adjusted: float


def multiplier(c: int, r: int, ordered: bool, missing: bool) -> int:
    if not ordered:
        terms = (Fraction((-1) ** i * (r - i) ** c, factorial(i) * factorial(r - i)) for i in range(r))
        return int(sum(terms))
    if not missing:
        return comb(c - 1, r - 1)
    return comb(c - 2, r - 2) + r * comb(c - 2, r - 1) if r > 1 else 1


def merge(
    table: Sequence[Sequence[Number]],
    rows: Sequence[int],
    alpha: float = 0.05,
    ordered: bool = False,
    missing: bool = False,
    min_rows: int = 1,
) -> Merged:
    """`table`: class weights of each category, `rows`: its number of rows; the last one is the missing values
    if `missing`."""
    c = len(table)
    groups = [(i,) for i in range(c)]

    def total(group: tuple[int, ...]) -> list[Number]:
        return [sum(column) for column in zip(*(table[i] for i in group), strict=True)]

    def size(group: tuple[int, ...]) -> int:
        return sum(rows[i] for i in group)

    def may_join(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
        floating = (c - 1,) if missing else ()
        if not ordered or floating in (a, b):
            return True
        in_order = [g for g in groups if g != floating]
        return abs(in_order.index(a) - in_order.index(b)) == 1

    def most_alike(pairs: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> tuple[float, int]:
        """The largest log p and its pair, the first of equal ones."""
        likeness = [log_survival(*pearson([total(a), total(b)])) for a, b in pairs]
        return max(likeness), likeness.index(max(likeness))

    def join(a: tuple[int, ...], b: tuple[int, ...]) -> None:
        groups[groups.index(a)] = tuple(sorted(a + b))
        groups.remove(b)

    while len(groups) > 2:
        pairs = [pair for pair in combinations(groups, 2) if may_join(*pair)]
        log_p, at = most_alike(pairs)
        if log_p <= math.log(alpha):
            break
        join(*pairs[at])
    while len(groups) > 1 and min(map(size, groups)) < min_rows:
        small = min(groups, key=size)
        pairs = [pair for pair in combinations(groups, 2) if small in pair and may_join(*pair)]
        join(*pairs[most_alike(pairs)[1]])

    statistic, df = pearson([total(g) for g in groups])
    log_p = log_survival(statistic, df)
    ways = multiplier(c, len(groups), ordered, missing)
    return Merged(tuple(groups), statistic, df, log_p, min(0.0, log_p + math.log(ways)))

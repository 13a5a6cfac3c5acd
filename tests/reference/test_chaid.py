"""The CHAID reference: its multipliers counted out, and merging by hand."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from .chaid import merge, multiplier


def partitions(items: list[int]) -> Iterator[list[list[int]]]:
    """All ways to put the items into groups."""
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        yield [[items[0]], *rest]
        for i in range(len(rest)):
            yield [*rest[:i], [items[0], *rest[i]], *rest[i + 1 :]]


def contiguous(group: list[int], floating: int | None) -> bool:
    known = sorted(i for i in group if i != floating)
    return not known or known == list(range(known[0], known[-1] + 1))


@pytest.mark.parametrize("c", range(2, 8))
def test_the_multiplier_counts_the_ways(c: int) -> None:
    for r in range(1, c + 1):
        ways = [p for p in partitions(list(range(c))) if len(p) == r]
        assert multiplier(c, r, ordered=False, missing=False) == len(ways)
        for missing in (False, True):
            floating = c - 1 if missing else None
            fit = [p for p in ways if all(contiguous(group, floating) for group in p)]
            assert multiplier(c, r, ordered=True, missing=missing) == len(fit)


def test_the_stirling_numbers_of_ten() -> None:
    row = [1, 511, 9330, 34105, 42525, 22827, 5880, 750, 45, 1]  # Abramowitz & Stegun, table 24.4
    assert [multiplier(10, r, ordered=False, missing=False) for r in range(1, 11)] == row


TABLE = [[10, 40], [25, 25], [12, 38], [40, 10], [27, 23]]  # shares .2 .5 .24 .8 .54
ROWS = [50] * 5


def test_merging_by_hand() -> None:
    # 0 joins 2 (chi-square 0.233, p .63) after 1 has joined 4 (0.160, p .69); then all differ clearly.
    first = stats.chi2_contingency([TABLE[1], TABLE[4]], correction=False)
    assert (first.statistic, first.pvalue) == (
        pytest.approx(0.160256, abs=1e-6),
        pytest.approx(0.69, abs=0.005),
    )
    found = merge(TABLE, ROWS)
    assert found.groups == ((0, 2), (1, 4), (3,))
    theirs = stats.chi2_contingency([[22, 78], [52, 48], [40, 10]])
    assert (float(found.statistic), found.df) == (pytest.approx(theirs.statistic), 2)
    assert math.exp(found.log_p) == pytest.approx(theirs.pvalue)
    assert math.exp(found.log_p_adjusted) == pytest.approx(25 * theirs.pvalue)  # S(5, 3)


def test_ordered_categories_join_their_neighbours() -> None:
    assert merge(TABLE, ROWS, ordered=True).groups == ((0,), (1,), (2,), (3,), (4,))
    assert merge(sorted(TABLE), ROWS, ordered=True).groups == ((0, 1), (2, 3), (4,))
    # The last one, as missing values, may join any: .54 finds .5.
    found = merge(TABLE, ROWS, ordered=True, missing=True)
    assert found.groups == ((0,), (1, 4), (2,), (3,))
    ways = math.comb(3, 2) + 4 * math.comb(3, 3)
    assert found.log_p_adjusted == pytest.approx(found.log_p + math.log(ways))


def test_two_groups_are_left_to_the_test() -> None:
    same = [[10, 10], [20, 20], [5, 5]]
    found = merge(same, [20, 40, 10])
    assert found.groups == ((0, 1), (2,))  # all pairs have p = 1: the first
    assert (found.statistic, found.log_p, found.log_p_adjusted) == (0, 0.0, 0.0)
    assert merge([[3, 4]], [7]).groups == ((0,),)


def test_small_groups_join_their_likest() -> None:
    table = [[10, 90], [90, 10], [0, 8], [50, 50]]
    rows = [100, 100, 8, 100]
    assert merge(table, rows, alpha=0.9).groups == ((0,), (1,), (2,), (3,))
    assert merge(table, rows, alpha=0.9, min_rows=10).groups == ((0, 2), (1,), (3,))
    assert merge(table, rows, min_rows=1000).groups == ((0, 1, 2, 3),)
    assert merge(table, rows, min_rows=1000).log_p_adjusted == 0.0


def test_absent_classes_do_not_count() -> None:
    rng = np.random.default_rng(3)
    table = rng.integers(1, 9, (5, 3))
    rows = table.sum(axis=1).tolist()
    wide = np.insert(table, 1, 0, axis=1)
    assert merge(table.tolist(), rows) == merge(wide.tolist(), rows)

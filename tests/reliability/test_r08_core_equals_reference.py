"""R8: native growth equals the plain-Python reference: 10,000 tables, 1,000 for each rule of missing rows.

The comparisons are tests/growing/test_core_equals_reference.py (trees) and test_core_equals_c45.py; in
tests/ensemble test_core_equals_boosting_reference.py and test_forest.py (a tree of a forest is its bag's).
Here: that they try as many tables as is said, and other tables than theirs; more by BOUGH_TABLES=100000."""

from __future__ import annotations

import os

import pytest
from growing import test_core_equals_reference as compared
from reference.strategies import build_case

TABLES = int(os.environ.get("BOUGH_TABLES", "1000"))


def test_the_suite_compares_ten_thousand_tables():
    assert compared.CASES >= 10_000
    assert compared.RULED >= 1_000


@pytest.mark.parametrize("rule", ["learn", "branch", "majority", "stop", "fractional"])
def test_other_tables_than_those_of_the_suite(rule):
    first = 2**50  # the suite draws its seeds below
    called, differ = 0, []
    for i in range(TABLES // 5):
        case = build_case(first + i, 1 + (7 * i) % 40, 1 + i % 5)
        try:
            called += compared.check(case, rule)
        except AssertionError:
            differ.append(i)
    assert not differ
    assert called > TABLES // 10

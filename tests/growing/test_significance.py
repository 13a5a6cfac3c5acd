"""The core's tests of significance against the plain reference, scipy, and known counts."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference import chaid, conditional
from reference.chi_square import log_survival
from reference.grower import Col, Table
from reference.strategies import build_column, build_target, build_weights
from reference.test_conditional import airquality, iris, iris_length
from scipy import stats

from bough import _core

QUICK = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
DEGREES = st.sampled_from((1, 2, 3, 4, 5, 7, 12, 31, 64, 200, 1000))


@QUICK
@given(DEGREES, st.floats(-6, 3), st.booleans())
def test_the_tail_of_chi_square(df: int, size: float, tiny: bool) -> None:
    statistic = min(df * math.exp(size), 700.0) if not tiny else 1500.0 + size
    exact, found = log_survival(statistic, df), _core.chi_square_log_survival(statistic, df)
    assert found == pytest.approx(exact, rel=1e-12, abs=0)
    assert _core.chi_square_survival(statistic, df) == pytest.approx(math.exp(exact), rel=1e-12)


def test_the_tail_of_chi_square_by_scipy() -> None:
    for df in (0.5, 1, 2.5, 10_000, 1_000_000):
        for share in (0.0, 1e-300, 0.01, 0.5, 0.98, 1.0, 1.001, 1.02, 4.0):
            theirs = stats.chi2.sf(share * df, df)
            assert _core.chi_square_survival(share * df, df) == pytest.approx(theirs, rel=1e-10)
    assert _core.chi_square_survival(math.inf, 3) == 0.0
    assert _core.chi_square_survival(3.0, 0) == 1.0
    # e^-x/2 for two degrees of freedom, where no double can hold the probability
    assert _core.chi_square_log_survival(1e9, 2) == pytest.approx(-5e8, rel=1e-15)


@QUICK
@given(st.floats(-800, -1e-12), st.integers(1, 500))
def test_adjusting_for_many_tests(log_p: float, m: int) -> None:
    """log(1 - (1 - p)^m)"""
    with localcontext(prec=400):
        exact = float((1 - (1 - Decimal(log_p).exp()) ** m).ln())
    assert _core.adjusted_log_p(log_p, m) == pytest.approx(exact, rel=1e-12)
    assert _core.adjusted_log_p(0.0, m) == 0.0


def core_association(table: Table, column: Col, rows: list[int]) -> tuple[float, float, float]:
    weights = np.empty(0) if table.weights is None else np.array([table.weights[i] for i in rows])
    y = np.array([table.target[i] for i in rows])
    values = np.array([math.nan if (v := column.values[i]) is None else v for i in rows], dtype=float)
    if table.n_classes is None:
        target = _core.number_target(y, weights)
    else:
        target = _core.class_target(y.astype(np.int32), table.n_classes, weights)
    return _core.association(values, column.n_categories, target)


@pytest.mark.parametrize("table", [iris(), iris_length(), airquality()], ids=["iris", "length", "airquality"])
def test_the_tests_of_partykit(table: Table) -> None:
    """The reference has partykit's figures in every node, and the core has those of the reference."""
    for node in conditional.preorder(conditional.grow(table)):
        for j, column in enumerate(table.columns):
            statistic, df, log_p = core_association(table, column, node.rows)
            if j in node.tests:
                exact = node.tests[j]
                assert (statistic, df) == (pytest.approx(float(exact.statistic), rel=1e-11), exact.df)
                assert log_p == pytest.approx(exact.log_p, rel=1e-11)


@QUICK
@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_a_column_against_the_target(seed: int, n: int) -> None:
    for k in range(20):
        rng = Random(f"{seed}/{k}")
        column = build_column(rng, "x", n)
        target, classes = build_target(rng, n, column)
        weights = build_weights(rng, n)
        rows = [i for i in range(n) if weights is None or weights[i] > 0]
        table = Table([column], target, classes, weights)
        found = core_association(table, column, rows)
        grower = conditional.Grower(table, conditional.Settings())
        known = {i: grower.values[0][i] for i in rows if i in grower.values[0]}
        exact = grower.test(column.kind, known) if known else None
        if exact is None:
            assert found == (0.0, 0.0, 0.0)
        elif sum(grower.weights[i] for i in known) > 1 + 1e-9:  # closer to one, rounding decides
            assert found[1] == exact.df
            assert found[0] == pytest.approx(float(exact.statistic), rel=1e-9, abs=1e-12)


@QUICK
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(1, 4))
def test_chaid_merges_as_the_reference_does(seed: int, categories: int, classes: int) -> None:
    for k in range(10):
        rng = Random(f"{seed}/{k}")
        top = rng.choice((2, 5, 30))
        table = [[rng.randrange(top) for _ in range(classes)] for _ in range(categories)]
        for counts in table:
            counts[rng.randrange(classes)] += 1
        rows = [sum(counts) for counts in table]
        alpha, least = rng.choice((0.01, 0.05, 0.3)), rng.choice((1, 1, 3, 10))
        ordered, missing = rng.random() < 0.5, rng.random() < 0.5
        exact = chaid.merge(table, rows, alpha, ordered, missing, least)
        group, statistic, df, log_p, adjusted = _core.chaid_merge(
            np.array(table), np.array(rows), alpha, ordered, missing, least
        )
        places = {c: g for g, members in enumerate(exact.groups) for c in members}
        assert group.tolist() == [places[c] for c in range(categories)]
        assert (statistic, df) == (pytest.approx(float(exact.statistic), rel=1e-12), exact.df)
        assert (log_p, adjusted) == pytest.approx((exact.log_p, exact.log_p_adjusted), rel=1e-11)


def test_the_ways_to_merge() -> None:
    for c in (2, 3, 5, 12, 40, 150):
        for r in {1, 2, min(3, c), c // 2, c - 1, c}:
            for ordered in (False, True):
                for missing in (False, True):
                    exact = math.log(chaid.multiplier(c, r, ordered, missing))
                    found = _core.chaid_log_multiplier(c, r, ordered, missing)
                    assert found == pytest.approx(exact, rel=1e-12, abs=1e-12)

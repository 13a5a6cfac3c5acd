"""The native core against the plain-Python reference: equal trees on random small tables."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference import grower as ref
from reference import missing, native
from reference.native import to_table
from reference.rounding import close_call
from reference.strategies import Case, build_case

from bough.growing import Settings
from bough.tree import Tree

CASES = 10_000
RULED = 1_000  # for each other rule of missing rows
BATCH = 50  # tables for each hypothesis example: its own bookkeeping costs more than a table


def grow_core(case: Case, threads: int = 1, record_bins: int = 255) -> Tree:
    return native.grow_core(case.table, Settings(**vars(case.settings)), threads, record_bins)


def same(core: Tree, reference: ref.Node, case: Case) -> None:
    nodes = ref.number(reference)
    assert core.n_nodes == len(nodes)
    divided = (core.missing_child == missing.SPREAD).any()  # small parts of rows have fewer digits
    rtol, atol = (1e-8, 1e-10) if divided else (1e-11, 1e-13)
    for number, node in enumerate(nodes):
        assert core.n_rows[number] == node.n_rows
        assert core.feature[number] == (-1 if node.column is None else node.column)
        value = node.value if isinstance(node.value, tuple) else (node.value,)
        expected = [float(v) for v in value]
        if node.n_rows or not core.classes is not None:
            scale = max(1e-300, *(abs(float(y)) for y in case.table.target)) if core.classes is None else 1.0
            np.testing.assert_allclose(core.value[number], expected, rtol=rtol, atol=atol * scale)
        if node.column is None:
            continue
        assert core.missing_child[number] == node.missing_child
        if node.kind == "ordered":
            assert core.threshold[number] == node.threshold
            assert math.copysign(1, core.threshold[number]) == math.copysign(1, node.threshold + 0.0)
        elif node.kind == "subset":
            where = slice(core.category_start[number], core.category_start[number + 1])
            sides = dict(zip(core.category[where].tolist(), core.category_child[where].tolist(), strict=True))
            assert sides == {**dict.fromkeys(node.left, 0), **dict.fromkeys(node.right, 1)}
        else:
            assert core.n_children[number] == len(node.children)


def same_answers(core: Tree, reference: ref.Node, case: Case) -> None:
    """Every training row, and every row with each of its columns blanked, ends in the same nodes."""
    table = case.table
    rows = [[col.values[i] for col in table.columns] for i in range(len(table.target))]
    rows += [[None if k == j else v for k, v in enumerate(row)] for row in rows[:5] for j in range(len(row))]
    numbers = {id(node): number for number, node in enumerate(ref.number(reference))}
    columns = tuple(
        ref.Col(c.name, c.kind, [row[j] for row in rows], c.n_categories) for j, c in enumerate(table.columns)
    )
    found = core.reach(to_table(ref.Table(columns, [0.0] * len(rows))))
    ends = [
        (i, *end)
        for i, row in enumerate(rows)
        for end in sorted((numbers[id(node)], share) for node, share in missing.ends_of(reference, row))
    ]
    expected = list(zip(*ends, strict=True))
    assert found[0].tolist() == list(expected[0])
    assert found[1].tolist() == list(expected[1])
    np.testing.assert_allclose(found[2], expected[2], rtol=1e-11, atol=1e-12)


def check(case: Case, rule: str = "learn") -> bool:
    """False if the case is too close to call."""
    if case.table.weights is not None and not any(case.table.weights):
        return False
    case = replace(case, settings=missing.Settings(**vars(case.settings), missing=rule))
    grower = missing.Grower(case.table, case.settings)
    reference = grower.grow()
    if close_call(case.table, case.settings, reference, centred=True, grown_by=grower):
        return False
    core = grow_core(case)
    same(core, reference, case)
    same_answers(core, reference, case)
    same(grow_core(case, record_bins=0), reference, case)
    return True


@settings(
    max_examples=CASES // BATCH, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.integers(0, 2**40), st.integers(1, 40), st.integers(1, 5))
def test_random_tables_grow_equal_trees(seed: int, rows: int, columns: int) -> None:
    called = sum(
        check(build_case(seed + i, 1 + (rows + 7 * i) % 40, 1 + (columns + i) % 5)) for i in range(BATCH)
    )
    assert called > BATCH // 2


@settings(
    max_examples=RULED // BATCH, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.integers(0, 2**40), st.integers(1, 40), st.integers(1, 5))
@pytest.mark.parametrize("rule", ["branch", "majority", "stop", "fractional"])
def test_rules_for_missing_rows(rule: str, seed: int, rows: int, columns: int) -> None:
    called = sum(
        check(build_case(seed + i, 1 + (rows + 7 * i) % 40, 1 + (columns + i) % 5), rule)
        for i in range(BATCH)
    )
    assert called > BATCH // 2


@settings(
    max_examples=RULED // BATCH, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.integers(0, 2**40), st.integers(1, 40), st.integers(2, 9))
@pytest.mark.parametrize("rule", ["learn", "branch", "majority", "stop", "fractional"])
def test_drawn_columns(rule: str, seed: int, rows: int, columns: int) -> None:
    """Constant columns are drawn, but not counted; small nodes have many."""
    called = 0
    for i in range(BATCH):
        case = build_case(seed + i, 1 + (rows + 7 * i) % 40, 2 + (columns + i) % 8)
        drawn = replace(case.settings, max_features=1 + i % 3, seed=(seed + i) * 2**23)
        called += check(replace(case, settings=drawn), rule)
    assert called > BATCH // 2


@pytest.mark.parametrize("seed", range(30))
def test_threads_grow_the_same_small_trees(seed: int) -> None:
    case = build_case(seed, 40, 5)
    assert grow_core(case, 1).digest() == grow_core(case, 3).digest()


def test_categories_of_one_value_stay_in_order_whatever_their_weights() -> None:
    """Their means are equal, though a weight times a value is rounded; a limit of weight cuts among them."""
    called = 0
    for seed in range(60):
        draw = np.random.default_rng(seed)
        codes = draw.permutation(np.repeat(np.arange(9), 3))
        target = np.where(codes < 7, 0.0, 3.0)
        weights = draw.lognormal(0, 2, len(codes)) * np.where(codes < 7, 1, 0.05)
        column = ref.Col("c", "nominal", codes.tolist(), 9)
        table = ref.Table((column,), target.tolist(), weights=weights.tolist())
        limited = ref.Settings(criterion="squared_error", min_weight_fraction_leaf=0.3, max_depth=1)
        called += check(Case(seed, len(codes), 1, table, limited))
    assert called > 40

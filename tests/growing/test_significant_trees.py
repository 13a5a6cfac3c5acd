"""Trees that choose by significance: conditional inference against the plain reference, CHAID's branches."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from reference import chaid, conditional
from reference import grower as ref
from reference.strategies import build_column, build_target
from reference.test_conditional import airquality, iris, iris_length

from bough.data.table import Column, Field, Table
from bough.growing import Settings, grow
from bough.tree import Tree

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def core_tree(table: ref.Table, plain: conditional.Settings) -> Tree:
    columns = []
    for col in table.columns:
        values = np.array([math.nan if v is None else v for v in col.values], dtype=float)
        categories = tuple(f"c{i:03d}" for i in range(col.n_categories))
        columns.append(Column(Field(col.name, "nominal" if categories else "numeric", categories), values))
    chosen = Settings(
        criterion="squared_error" if table.n_classes is None else "chi_square",
        choice="significance",
        significance_level=plain.significance_level,
        min_samples_split=plain.min_samples_split,
        min_samples_leaf=plain.min_samples_leaf,
        missing="majority",
        zero_gain_splits=False,  # as the presets have it: the statistic of a cut must be above 0
    )
    y = np.array(table.target)
    classes = None if table.n_classes is None else np.arange(table.n_classes)
    y = y if classes is None else y.astype(np.int32)
    return grow(Table(tuple(columns), len(y)), y, classes, None, chosen)


def assert_same(tree: Tree, root: conditional.Node) -> None:
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children)
    assert tree.feature.tolist() == [-1 if n.column is None else n.column for n in nodes]
    assert tree.n_rows.tolist() == [len(n.rows) for n in nodes]
    for i, node in enumerate(nodes):
        if node.column is None:
            continue
        if node.threshold is not None:
            assert tree.threshold[i] >= node.threshold
        span = slice(tree.category_start[i], tree.category_start[i + 1])
        sides = zip(tree.category[span].tolist(), tree.category_child[span].tolist(), strict=True)
        assert {c for c, side in sides if side == 0} == node.left


@pytest.mark.parametrize("table", [iris(), iris_length(), airquality()], ids=["iris", "length", "airquality"])
def test_the_trees_of_partykit(table: ref.Table) -> None:
    """The reference has partykit's cuts, and the core has those of the reference."""
    plain = conditional.Settings(min_share=0.0)  # a hundredth of these tables is less than seven rows
    assert_same(core_tree(table, plain), conditional.grow(table, plain))


@QUICK
@given(st.integers(0, 2**32 - 1), st.integers(20, 70), st.integers(1, 4))
@example(5312, 59, 2)  # the only cut of a node leaves both sides with its mean
def test_conditional_inference_trees(seed: int, n: int, columns: int) -> None:
    for k in range(3):
        rng = Random(f"{seed}/{k}")
        cols = [build_column(Random(f"{seed}/{k}/{j}"), f"x{j}", n) for j in range(columns)]
        target, classes = build_target(rng, n, cols[0])
        plain = conditional.Settings(
            significance_level=rng.choice((0.05, 0.5)),
            min_samples_split=rng.choice((4, 20)),
            min_samples_leaf=rng.choice((1, 3, 7)),
            min_share=0.0,
        )
        table = ref.Table(cols, target, classes)
        assert_same(core_tree(table, plain), conditional.grow(table, plain))


@pytest.mark.parametrize("missing", ["learn", "branch", "majority", "fractional", "stop"])
def test_chaid_has_a_branch_for_each_group(missing: str) -> None:
    """Missing rows are a category of their own, or take no part in the merging."""
    takes_part, compared = missing in ("learn", "branch"), 0
    for seed in range(60):
        rng = Random(seed)
        n, c, k, least = rng.randint(30, 120), rng.randint(2, 7), rng.choice((2, 3)), rng.choice((1, 5))
        shares = [[rng.random() ** 2 for _ in range(k)] for _ in range(c + 1)]
        x = [rng.randrange(c + 1) for _ in range(n)]  # c: missing
        y = [rng.choices(range(k), shares[v])[0] for v in x]
        cats = sorted({v for v in x if v < c or takes_part})
        counts = [[sum(a == v and b == q for a, b in zip(x, y, strict=True)) for q in range(k)] for v in cats]
        exact = chaid.merge(counts, list(map(sum, counts)), missing=c in cats, min_rows=least)
        if len(exact.groups) < 2 or exact.log_p_adjusted > math.log(0.9):
            continue
        compared += 1
        values = np.array([math.nan if v == c else v for v in x])
        table = Table((Column(Field("x", "nominal", tuple(map(str, range(c)))), values),), n)
        chosen = Settings(
            criterion="chi_square",
            choice="significance",
            categories="chaid",
            significance_level=0.95,
            missing=missing,
            max_depth=1,
            min_samples_leaf=least,
        )
        tree = grow(table, np.array(y, dtype=np.int32), np.arange(k), None, chosen)
        child = dict(zip(tree.category.tolist(), tree.category_child.tolist(), strict=True))
        if c in cats:
            child[c] = int(tree.missing_child[0])
        assert [child[v] for v in cats] == [
            next(i for i, group in enumerate(exact.groups) if place in group) for place in range(len(cats))
        ]
        assert tree.n_children[0] == len(exact.groups)
    assert compared > 20


def test_columns_that_differ_in_scale_alone_are_ties() -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=60)
        target = (x + rng.normal(size=60) / 2 > 0).astype(int).tolist()
        pair = [ref.Col("a", "ordered", (3 * x + 1).tolist()), ref.Col("b", "ordered", x.tolist())]
        assert core_tree(ref.Table(pair, target, 2), conditional.Settings()).feature[0] == 0

"""The native core, set up as C4.5, against the plain-Python C4.5: equal trees and answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference import c45
from reference.c45 import Node
from reference.c45_splits import Settings as C45
from reference.c45_splits import Splits
from reference.grower import Col, Table, Value
from reference.native import grow_core, to_table
from reference.strategies import build_case

from bough.growing import Settings
from bough.tree import Tree

CASES = 5_000
BATCH = 50  # tables for each hypothesis example


def plain_column(col: Col, kept: list[int]) -> Col:
    """Some rows of a column; C4.5 does not tell numbers apart that are closer to 0 than 1e-6."""
    values: list[Value] = [col.values[i] for i in kept]
    if col.kind == "ordered":
        values = [0.0 if v is not None and abs(v) < 1e-5 else v for v in values]
    return replace(col, values=values)


def build(seed: int, rows: int, columns: int) -> tuple[Table, C45]:
    """As build_case: any columns and weights, with classes and settings of C4.5."""
    table = build_case(seed, rows, columns).table
    rng = Random(f"{seed}/c45")
    settings = C45(
        minimum=rng.choice((1.0, 2.0, 2.0, 3.0)),
        choice=rng.choice(("gain_ratio", "gain_ratio", "gain")),
        categories=rng.choice(("multiway", "one_vs_rest", "merge")),
        mdl_correction=rng.random() < 0.7,
        counts_rows=False,
    )
    n_classes, target = table.n_classes, table.target
    if n_classes is None:
        n_classes = rng.choice((2, 3, 4))
        ranks = {y: i for i, y in enumerate(sorted(set(target)))}
        target = [ranks[y] % n_classes for y in target]
    weights = table.weights or [1.0] * rows
    kept = [i for i, w in enumerate(weights) if w]
    cols = [plain_column(col, kept) for col in table.columns]
    some = None if table.weights is None else [weights[i] for i in kept]
    return Table(cols, [target[i] for i in kept], n_classes, some), settings


def for_core(c45: C45) -> Settings:
    return Settings(
        criterion="entropy",
        choice=c45.choice,
        categories=c45.categories,
        missing="fractional",
        mdl_correction=c45.mdl_correction,
        small_branches=True,
        cut_minimum="c45",
        tie_margin=1e-6,
        value_gap=1e-5,
        min_weight_leaf=c45.minimum,
        thresholds="data",
        zero_gain_splits=False,
    )


def number(tree: Node) -> list[Node]:
    """All nodes breadth-first."""
    nodes = [tree]
    for node in nodes:
        nodes.extend(node.children)
    return nodes


def same(core: Tree, tree: Node) -> None:
    nodes = number(tree)
    assert core.feature.tolist() == [-1 if n.split is None else n.split.column for n in nodes]
    assert core.n_children.tolist() == [len(n.children) for n in nodes]
    assert core.n_rows.tolist() == [len(n.rows) for n in nodes]
    np.testing.assert_allclose(core.value, [n.counts for n in nodes], rtol=1e-9, atol=1e-9)
    for i, node in enumerate(nodes):
        if node.split is None:
            continue
        assert core.missing_child[i] == -2
        if node.split.threshold is not None:
            assert core.threshold[i] == node.split.threshold
        elif core.category_start[i] < core.category_start[i + 1]:
            where = slice(core.category_start[i], core.category_start[i + 1])
            sides = dict(zip(core.category[where].tolist(), core.category_child[where].tolist(), strict=True))
            assert sides == {c: b for b, group in enumerate(node.split.groups) for c in group}
        else:
            assert node.split.groups == tuple(frozenset([c]) for c in range(core.n_children[i]))


def same_answers(core: Tree, tree: Node, table: Table, settings: C45) -> None:
    """For training rows, for rows with each of their columns blanked, and for rows mixed from two."""
    rows = [[col.values[i] for col in table.columns] for i in range(len(table.target))]
    blanked = [
        [None if k == j else v for k, v in enumerate(row)] for row in rows[:5] for j in range(len(row))
    ]
    mixed = [[*a[:1], *b[1:]] for a, b in zip(rows[:8], rows[::-1], strict=False)]
    rows += blanked + mixed
    fresh = Table(
        [replace(c, values=[r[j] for r in rows]) for j, c in enumerate(table.columns)], [0] * len(rows)
    )
    expected = [c45.answer(tree, row, settings) for row in rows]
    np.testing.assert_allclose(core.predict_proba(to_table(fresh)), expected, rtol=1e-9, atol=1e-9)


@dataclass(frozen=True)
class Wider(C45):
    """C4.5 that takes other differences for rounding."""

    slack: float = 1e-6

    @property
    def small(self) -> float:
        return self.slack


def outline(tree: Node) -> list[tuple[object, ...]]:
    return [(n.split.column, n.split.threshold, n.split.groups) if n.split else () for n in number(tree)]


def close_call(table: Table, settings: C45, tree: Node) -> bool:
    """Whether a decision lies at the limit of what C4.5 takes for equal."""
    others = (c45.grow(table, Wider(**vars(settings), slack=slack)) for slack in (2e-7, 5e-6))
    return any(outline(other) != outline(tree) for other in others)


def check(seed: int, rows: int, columns: int) -> bool:
    """False if the case is too close to call."""
    table, settings = build(seed, rows, columns)
    tree = c45.grow(table, settings)
    core = grow_core(table, for_core(settings))
    try:
        same(core, tree)
        same_answers(core, tree, table, settings)
    except AssertionError as error:
        if close_call(table, settings, tree):
            return False
        raise AssertionError(f"build({seed}, {rows}, {columns}): {table}, {settings}") from error
    assert grow_core(table, for_core(settings), 2).digest() == core.digest()
    assert grow_core(table, for_core(settings), record_bins=0).digest() == core.digest()
    return True


@settings(
    max_examples=CASES // BATCH, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.integers(0, 2**40), st.integers(1, 40), st.integers(1, 5))
def test_random_tables_grow_equal_trees(seed: int, rows: int, columns: int) -> None:
    called = sum(check(seed + i, 1 + (rows + 7 * i) % 40, 1 + (columns + i) % 5) for i in range(BATCH))
    assert called >= BATCH - 2


@pytest.mark.parametrize("seed", range(6))
def test_threads_and_layouts_grow_the_same_larger_trees(seed: int) -> None:
    table, settings = build(seed, 6000, 5)
    trees = [
        grow_core(table, for_core(settings), threads, record_bins)
        for threads in (1, 2)
        for record_bins in (255, 0)
    ]
    assert len({tree.digest() for tree in trees}) == 1
    same(trees[0], c45.grow(table, settings))


@pytest.mark.parametrize("choice", ["gain", "gain_ratio"])
@pytest.mark.parametrize("kind", ["nominal", "ordered"])
def test_equal_columns_are_compared_in_single_precision(kind: str, choice: str) -> None:
    """Copies of a column tie, with other numbers for its categories or from the top down; in single precision
    the order of the branches shows. Every second table has holes."""
    moved = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(20, 90)), int(rng.integers(3, 7))
        codes = rng.integers(0, k, n)
        target = [int(c) for c in (codes + rng.integers(0, 3, n)) % 3]
        holes = rng.random(n) < (0.2 if seed % 2 else 0.0)
        columns = []
        for j in range(5):
            to = rng.permutation(k) if kind == "nominal" else np.arange(k)[:: -1 if j == 2 else 1]
            values: list[Value] = [None if h else int(to[c]) for c, h in zip(codes, holes, strict=True)]
            columns.append(Col(f"c{j}", kind, values, k if kind == "nominal" else 0))
        table = Table(columns, target, 3, None)
        settings = C45(choice=choice, minimum=1.0, single=True, dialect="release8")
        offers = [Splits(table, settings).offer(j, [(i, 1.0) for i in range(n)]) for j in range(5)]
        merits = [0.0 if o is None else o.gain if choice == "gain" else o.ratio for o in offers]
        core = grow_core(table, replace(for_core(settings), ties="single"))
        expected = int(np.argmax(merits)) if max(merits) > 0 else -1
        assert core.feature[0] == expected, (seed, merits)
        moved += expected > 0
    if kind == "nominal":  # two branches add up to the same in either order
        assert moved > 20

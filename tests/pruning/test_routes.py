"""Rows sent down by the router that raising uses: where the core sends them, and one row at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bough import DecisionTreeClassifier
from bough.data.examples import load
from bough.data.ingest import to_table
from bough.pruning.routes import Router
from pruning.plain import SOME, ends
from pruning.test_rebuild import some_tree


def routed(tree, table):
    """Row, node and share of each end, in order."""
    everything = np.zeros(table.n_rows, dtype=int), np.arange(table.n_rows), np.ones(table.n_rows)
    found = [
        entry
        for level in Router(tree, table).descend(*everything, by_rows=False)
        for entry, rests in zip(
            zip(level.entry, level.node, level.weight, strict=True), level.rests, strict=True
        )
        if rests
    ]
    return sorted(found)


def check_same(tree, table):
    row, node, share = tree.reach(table)
    found = routed(tree, table)
    assert [(r, n) for r, n, _ in found] == list(zip(row.tolist(), node.tolist(), strict=True))
    np.testing.assert_allclose([s for *_, s in found], share, rtol=1e-12)


@SOME
@given(st.integers(0, 10**6))
def test_any_tree(seed):
    tree, table, _ = some_tree(seed)
    check_same(tree, table)
    one_by_one = [(r, n, s) for r in range(table.n_rows) for n, s in sorted(ends(tree, table, r).items())]
    assert [e[:2] for e in routed(tree, table)] == [e[:2] for e in one_by_one]
    np.testing.assert_allclose([e[2] for e in routed(tree, table)], [e[2] for e in one_by_one])


@pytest.mark.parametrize("missing", ["learn", "fractional", "surrogate", "branch", "majority", "stop"])
@pytest.mark.parametrize("categories", ["subset", "multiway"])
def test_grown_trees(missing, categories):
    columns, survived = load("titanic")
    model = DecisionTreeClassifier(missing=missing, categories=categories, min_samples_leaf=3)
    tree = model.fit(columns, survived).tree_
    check_same(tree, to_table(columns))


def test_unseen_categories_by_majority_and_to_surrogates():
    columns, survived = load("titanic")
    for settings in ({"unseen": "majority"}, {"missing": "surrogate", "surrogate_last": "stop"}):
        tree = DecisionTreeClassifier(max_depth=6, **settings).fit(columns, survived).tree_
        strange = dict(columns)
        strange["sex"] = ["other" if i % 5 == 0 else s for i, s in enumerate(columns["sex"])]
        strange["age"] = [math.nan if i % 3 == 0 else a for i, a in enumerate(columns["age"])]
        check_same(tree, to_table(strange, fields=tree.fields))


def test_shares_of_the_rows_themselves():
    """Three rows say a, one says b, one says nothing: it is shared 3 : 1, whatever the tree's weights are."""
    tree = DecisionTreeClassifier(missing="fractional").fit({"x": ["a", "b", "b", "b"]}, [0, 1, 1, 1]).tree_
    table = to_table({"x": ["a", "a", "a", "b", None]}, fields=tree.fields)
    router = Router(tree, table)
    *_, last = router.descend(np.zeros(5, int), np.arange(5), np.ones(5), by_rows=True)
    assert np.bincount(last.node, last.weight).tolist() == [0, 3.75, 1.25]
    *_, last = router.descend(np.zeros(1, int), np.array([4]), np.ones(1), by_rows=True)
    assert np.bincount(last.node, last.weight).tolist() == [0, 0.25, 0.75]  # no row tells: those of the tree

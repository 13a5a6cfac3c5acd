"""Trees put together: what was cut apart and grafted again is what it was, array for array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bough import DecisionTreeClassifier, DecisionTreeRegressor
from bough.data.examples import load
from bough.tree import Tree
from bough.tree.graft import graft
from bough.tree.rebuild import rebuild
from bough.tree.tree import ARRAYS


def same(a: Tree, b: Tree) -> None:
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
        assert getattr(a, name).dtype == getattr(b, name).dtype, name
    assert a.digest() == b.digest()


def grown(**settings: Any) -> Tree:
    columns, survived = load("titanic")
    if "criterion" in settings:
        fares = columns.pop("fare")
        return DecisionTreeRegressor(**settings).fit(columns, [fare or 0.0 for fare in fares]).tree_
    return DecisionTreeClassifier(**settings).fit(columns, survived).tree_


@pytest.mark.parametrize(
    "settings",
    [
        {"max_depth": 7},
        {"max_depth": 5, "categories": "multiway", "missing": "branch"},
        {"max_depth": 5, "missing": "surrogate"},
        {"max_depth": 4, "missing": "fractional", "criterion": "squared_error"},
    ],
    ids=str,
)
@pytest.mark.parametrize("depth", [0, 1, 3])
def test_cut_and_grafted_again(settings: dict[str, Any], depth: int) -> None:
    tree = grown(**settings)
    top = rebuild(tree, tree.depth >= depth)
    subtrees = {}
    for number in range(top.n_nodes):  # the first levels have the same numbers in both
        if top.depth[number] == depth:
            instead = np.arange(tree.n_nodes)
            instead[0] = number
            subtrees[number] = rebuild(tree, np.zeros(tree.n_nodes, dtype=bool), instead)
    same(graft(top, subtrees), tree)


def test_leaves_without_a_subtree_stay() -> None:
    tree = grown(max_depth=2)
    same(graft(tree, {}), tree)
    leaf = int(np.flatnonzero(tree.feature < 0)[0])
    larger = graft(tree, {leaf: tree})
    assert larger.n_leaves == 2 * tree.n_leaves - 1
    assert larger.node(leaf).column == tree.root.column
    assert [child.n_rows for child in larger.node(leaf).children] == [c.n_rows for c in tree.root.children]

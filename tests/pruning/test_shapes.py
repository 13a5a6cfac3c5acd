"""Trees of any shape: a single leaf, a chain of many questions, and all methods on them."""

from __future__ import annotations

import numpy as np
import pytest

from bough import DecisionTreeClassifier, Tree
from bough.data.table import Field
from bough.pruning import METHODS, path, prune

LONG = 100_000


def chain(length, gains=None):
    """Question i cuts off one row, of class i % 2, and sends the others on; counted from the bottom."""
    n = 2 * length + 1
    asks = np.arange(n) % 2 == 0  # nodes 0, 2, 4 … ask; 1, 3, 5 … are leaves, and so is the last
    asks[-1] = False
    rows = np.zeros((n, 2))
    rows[1::2][np.arange(length), np.arange(length) % 2] = 1.0
    rows[-1, length % 2] = 1.0
    value = np.cumsum(rows[::-1], axis=0)[::-1] * (asks[:, None]) + rows * ~asks[:, None]
    weight = value.sum(axis=1)
    impurity = 1 - ((value / weight[:, None]) ** 2).sum(axis=1)
    zeros = np.zeros(n)
    return Tree(
        fields=(Field("x", "numeric"),),
        classes=np.array([0, 1]),
        feature=np.where(asks, 0, -1).astype(np.int32),
        kind=np.where(asks, 1, 0).astype(np.uint8),
        threshold=np.where(asks, np.arange(n) // 2 + 0.5, 0.0),
        first_child=np.where(asks, np.arange(n) + 1, -1),
        n_children=np.where(asks, 2, 0).astype(np.int32),
        missing_child=np.where(asks, 1, -1).astype(np.int32),
        n_rows=weight.astype(np.int64),
        n_missing=np.zeros(n, dtype=np.int64),
        weight=weight,
        impurity=impurity,
        gain=zeros,
        value=value,
        category_start=np.zeros(n + 1, dtype=np.int64),
        category=np.empty(0, dtype=np.int32),
        category_child=np.empty(0, dtype=np.int32),
    )


def test_the_chain_is_a_tree():
    tree = chain(6)
    X = np.arange(7.0)[:, None]
    assert tree.predict(X).tolist() == [0, 1, 0, 1, 0, 1, 0]
    again = DecisionTreeClassifier(max_leaf_nodes=7).fit(X, tree.predict(X)).tree_
    assert again.value[0].tolist() == tree.value[0].tolist()
    assert again.impurity[0] == pytest.approx(tree.impurity[0])


ROWS = (np.array([[0.0], [1.0], [2.0], [7.0]]), [0, 1, 0, 0])
OPTIONS = {"cost_complexity": {"ccp_alpha": 1e-9}, "max_leaves": {"max_leaves": 10}}


@pytest.mark.parametrize("name", METHODS)
def test_a_chain_of_100_000(name):
    tree = chain(LONG)
    rows = {"data": ROWS[0], "target": ROWS[1]} if METHODS[name].rows == "held-out" else {}
    pruned = prune(tree, name, **rows, **OPTIONS.get(name, {}))
    assert pruned.n_leaves <= LONG + 1
    assert pruned.value[0].tolist() == tree.value[0].tolist()
    if name == "reduced_error":
        # The first rows need questions, those below nothing at all.
        assert pruned.n_leaves == 3
        assert pruned.predict(ROWS[0]).tolist() == [0, 1, 0, 0]


def test_the_path_of_a_chain():
    found = path(chain(LONG), measure="error")
    assert found.n_leaves[[0, -1]].tolist() == [LONG + 1, 1]
    assert found.impurities[-1] == pytest.approx(0.5, abs=1e-4)
    assert (np.diff(found.ccp_alphas) >= -1e-15).all()


@pytest.mark.parametrize("name", METHODS)
def test_a_leaf_stays_a_leaf(name):
    tree = DecisionTreeClassifier(max_depth=0).fit(*ROWS).tree_
    rows = {"data": ROWS[0], "target": ROWS[1]} if METHODS[name].rows != "none" else {}
    assert prune(tree, name, **rows, **OPTIONS.get(name, {})).n_nodes == 1

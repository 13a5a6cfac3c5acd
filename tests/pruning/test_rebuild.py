"""Trees made of other trees: numbered anew, with everything that belongs to a node."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bough import DecisionTreeClassifier
from bough.data.examples import load
from bough.pruning.sweeps import levels, subtree_sums
from bough.tree.rebuild import rebuild
from pruning.plain import SOME, asking_nodes, make_tree, random_questions, random_table


def some_tree(seed, depth=4, rows=40, **more):
    random = Random(seed)
    table = random_table(random, rows)
    target = np.array([random.randrange(3) for _ in range(rows)])
    questions = random_questions(random, table, depth, **more)
    return make_tree(questions, table, target, np.array(["a", "b", "c"])), table, target


def sums_one_by_one(tree, values):
    totals = np.array(values, dtype=float)
    for node in range(tree.n_nodes - 1, 0, -1):
        totals[tree.parent[node]] += totals[node]
    return totals


@SOME
@given(st.integers(0, 10**6))
def test_any_nodes_can_become_leaves(seed):
    tree, table, _ = some_tree(seed)
    random = Random(seed)
    leaf = np.array([random.random() < 0.2 for _ in range(tree.n_nodes)])
    pruned = rebuild(tree, leaf)
    asks = asking_nodes(tree, pruned)
    expected = {n for n in range(tree.n_nodes) if tree.feature[n] >= 0 and not leaf[tree.path(n)].any()}
    assert asks == expected
    # A row ends where the pruning has cut its way off.
    rows, nodes, share = tree.reach(table)
    ends = [next((n for n in tree.path(int(node)) if leaf[n]), int(node)) for node in nodes]
    value = np.zeros((table.n_rows, 3))
    np.add.at(value, rows, share[:, None] * tree.shares[ends])
    np.testing.assert_allclose(pruned.predict_proba(table), value, atol=1e-12)


def test_nothing_pruned_is_the_same_tree():
    tree = DecisionTreeClassifier().fit(*load("titanic")).tree_
    assert rebuild(tree, np.zeros(tree.n_nodes, dtype=bool)).digest() == tree.digest()
    assert rebuild(tree, np.ones(tree.n_nodes, dtype=bool)).n_nodes == 1


def test_the_result_cannot_be_changed():
    tree = DecisionTreeClassifier().fit(*load("tennis")).tree_
    pruned = rebuild(tree, np.zeros(tree.n_nodes, dtype=bool))
    with pytest.raises(ValueError, match="read-only"):
        pruned.value[0, 0] = 1.0


def test_a_raised_node_brings_its_subtree():
    tree = DecisionTreeClassifier(categories="multiway", criterion="entropy").fit(*load("restaurant")).tree_
    [hungry] = [n.id for n in tree.nodes() if n.column == "Hungry"]
    instead = np.arange(tree.n_nodes)
    instead[0] = hungry
    weight = tree.weight.copy()
    weight[hungry] = 12.0
    raised = rebuild(tree, np.zeros(tree.n_nodes, dtype=bool), instead, {"weight": weight})
    assert raised.root.column == "Hungry"
    assert raised.root.weight == 12.0
    assert raised.max_depth == tree.max_depth - 1
    below = [n for n in range(tree.n_nodes) if hungry in tree.path(n)]
    # Breadth-first in both, and siblings keep their order.
    np.testing.assert_array_equal(raised.feature, tree.feature[below])
    np.testing.assert_array_equal(raised.value, tree.value[below])
    np.testing.assert_array_equal(raised.parent[1:] < np.arange(1, raised.n_nodes), True)


def with_surrogates(tree):
    """Made-up surrogates: node i, if it asks, has i % 3 of them, surrogate s has s % 2 categories."""
    counts = np.where(tree.feature >= 0, np.arange(tree.n_nodes) % 3, 0)
    start = np.concatenate([[0], np.cumsum(counts)])
    n = int(start[-1])
    categories = np.concatenate([[0], np.cumsum(np.arange(n) % 2)])
    return replace(
        tree,
        surrogate_start=start,
        surrogate_feature=np.zeros(n, dtype=np.int32),
        surrogate_kind=np.where(np.arange(n) % 2, 2, 1).astype(np.uint8),
        surrogate_threshold=np.arange(n, dtype=float),
        surrogate_first=np.zeros(n, dtype=np.int32),
        surrogate_agree=np.ones(n),
        surrogate_adjusted=np.ones(n),
        surrogate_category_start=categories,
        surrogate_category=np.arange(categories[-1], dtype=np.int32),
        surrogate_category_child=np.ones(categories[-1], dtype=np.int32),
    )


def test_surrogates_and_their_categories_go_along():
    tree = with_surrogates(DecisionTreeClassifier().fit(*load("titanic")).tree_)
    leaf = np.arange(tree.n_nodes) % 7 == 5
    pruned = rebuild(tree, leaf)
    kept = [n for n in range(tree.n_nodes) if not leaf[tree.path(n)[:-1]].any()]
    assert pruned.n_nodes == len(kept)
    for new, old in enumerate(kept):
        mine = slice(pruned.surrogate_start[new], pruned.surrogate_start[new + 1])
        theirs = slice(tree.surrogate_start[old], tree.surrogate_start[old + 1])
        thresholds = [] if leaf[old] else tree.surrogate_threshold[theirs].tolist()
        assert pruned.surrogate_threshold[mine].tolist() == thresholds
        for s, t in zip(range(mine.start, mine.stop), range(theirs.start, theirs.stop), strict=False):
            lists = [
                each.surrogate_category[
                    each.surrogate_category_start[i] : each.surrogate_category_start[i + 1]
                ].tolist()
                for each, i in ((pruned, s), (tree, t))
            ]
            assert lists[0] == lists[1]
    assert 0 < len(pruned.surrogate_category) < len(tree.surrogate_category)


@SOME
@given(st.integers(0, 10**6))
def test_sums_over_subtrees(seed):
    tree, _, _ = some_tree(seed)
    values = np.arange(tree.n_nodes) ** 2
    np.testing.assert_array_equal(subtree_sums(tree, values), sums_one_by_one(tree, values))
    two = np.column_stack([values, values % 3])
    np.testing.assert_array_equal(subtree_sums(tree, two)[:, 1], sums_one_by_one(tree, values % 3))
    depth = [tree.depth[first:end].tolist() for first, end in levels(tree)]
    assert depth == [[d] * len(level) for d, level in enumerate(depth)]
    assert sum(map(len, depth)) == tree.n_nodes

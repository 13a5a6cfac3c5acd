"""Cost-complexity pruning: the lectures' figures, scikit-learn, rpart, and all prunings of small trees."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
import sklearn.tree
from golden.rpart_cases import NAMES
from hypothesis import assume, given
from hypothesis import strategies as st

from bough import DecisionTreeClassifier, DecisionTreeRegressor
from bough.data.examples import load
from bough.pruning import path, prune, strengths
from pruning.plain import (
    SOME,
    asking_nodes,
    cost_of,
    costs_of,
    leaves_of,
    make_tree,
    n_prunings,
    prunings,
    random_questions,
    random_table,
)
from pruning.rpart_runs import rpart_run

CLASSES = np.array(["a", "b", "c"])


def tennis(**settings):
    columns, play = load("tennis")
    model = DecisionTreeClassifier(categories="multiway", **settings).fit(columns, play)
    tree = model.tree_
    columns = {node.column: node.id for node in tree.nodes() if not node.is_leaf}
    return tree, [columns[name] for name in ("Outlook", "Humidity", "Wind")]


def test_w19_error_counts():
    tree, nodes = tennis()
    assert (14 * strengths(tree, measure="error"))[nodes].round(9).tolist() == [1.25, 2.0, 2.0]
    found = path(tree, measure="error")
    assert (14 * found.ccp_alphas).round(9).tolist() == [0.0, 1.25]  # the root goes first, and all with it
    assert found.n_leaves.tolist() == [5, 1]
    assert prune(tree, "cost_complexity", ccp_alpha=1.24 / 14, measure="error").n_leaves == 5
    assert prune(tree, "cost_complexity", ccp_alpha=1.25 / 14, measure="error").n_leaves == 1


def test_w19_gini():
    tree, nodes = tennis()
    assert strengths(tree)[nodes].round(6).tolist() == [0.114796, 0.171429, 0.171429]
    assert (14 * strengths(tree))[nodes].round(6).tolist() == [1.607143, 2.4, 2.4]
    assert path(tree).ccp_alphas.round(6).tolist() == [0.0, 0.114796]


# ---- scikit-learn ------------------------------------------------------------------------------------------


def continuous(seed, rows=600, columns=4):
    """Every column a permutation, and weights whose sums are exact: no split ties with another."""
    rng = np.random.default_rng(seed)
    X = np.stack([rng.permutation(rows) for _ in range(columns)], axis=1).astype(float)
    signal = X @ rng.normal(size=columns) + rng.normal(size=rows) * rows / 3
    return X, signal, rng.integers(5_000, 15_000, rows) / 8192


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_the_path_is_that_of_scikit_learn(criterion, seed):
    X, y, weights = continuous(seed)
    ours, theirs = DecisionTreeRegressor, sklearn.tree.DecisionTreeRegressor
    if criterion != "squared_error":
        y = np.digitize(y, np.quantile(y, [0.3, 0.6, 0.8]))
        ours, theirs = DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier
    settings = {"criterion": criterion, "min_samples_leaf": 6}
    tree = ours(**settings).fit(X, y, weights).tree_
    peer = theirs(**settings, random_state=0)
    expected = peer.cost_complexity_pruning_path(X, y, weights)
    found = path(tree)
    scale = expected.impurities[-1]
    np.testing.assert_allclose(found.ccp_alphas / scale, expected.ccp_alphas / scale, atol=1e-9)
    np.testing.assert_allclose(found.impurities / scale, expected.impurities / scale, atol=1e-9)
    assert found.n_leaves[0] == tree.n_leaves
    assert found.n_leaves[-1] == 1
    for alpha, leaves in list(zip(expected.ccp_alphas, found.n_leaves, strict=True))[1::7]:
        pruned = prune(tree, "cost_complexity", ccp_alpha=alpha)
        assert pruned.n_leaves == leaves
        peer.set_params(ccp_alpha=alpha * (1 + 1e-9)).fit(X, y, weights)
        assert pruned.n_leaves == peer.get_n_leaves()
        if criterion == "squared_error":
            np.testing.assert_allclose(pruned.predict(X), peer.predict(X), rtol=1e-9)
        else:
            np.testing.assert_allclose(pruned.predict_proba(X), peer.predict_proba(X), atol=1e-9)


def test_a_leaf_has_a_path_of_one():
    tree = DecisionTreeClassifier(max_depth=0).fit(*load("tennis")).tree_
    found = path(tree)
    assert (found.ccp_alphas.tolist(), found.n_leaves.tolist()) == ([0.0], [1])
    assert found.impurities.tolist() == tree.impurity.tolist()
    assert found.cp_table() == {"CP": [0.0], "nsplit": [0], "rel error": [1.0]}


# ---- rpart -------------------------------------------------------------------------------------------------

# In these two rpart's CP of the root is not where R(T) + alpha * leaves(T) turns: docs/pruning.md.
TOO_LOW = {
    "kyphosis_info": (0.0882352941176471, 5 / 3 / 17),
    "kyphosis_weights": (0.144230769230769, 27 / 3 / 52),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_table_is_that_of_rpart(name):
    run = rpart_run(name)
    found = path(run.tree, measure="error").cp_table(run.cp)
    expected = dict(run.printed)
    if name in TOO_LOW:
        theirs, right = TOO_LOW[name]
        assert expected["CP"][0] == pytest.approx(theirs)
        expected["CP"] = [right, *expected["CP"][1:]]
    for column, values in expected.items():
        np.testing.assert_allclose(found[column], values, rtol=1e-9, atol=1e-12)
    for cp, splits in zip(expected["CP"], expected["nsplit"], strict=True):
        assert prune(run.tree, "cost_complexity", cp=cp, measure="error").n_leaves == splits + 1


# ---- all prunings ------------------------------------------------------------------------------------------


def small_tree(seed, numbers=False):
    random = Random(seed)
    table = random_table(random, 14)
    tree_classes = None if numbers else CLASSES
    target = np.array([random.choice([0, 1, 2]) for _ in range(14)])
    weights = np.array([random.choice([0.5, 1.0, 3.0]) for _ in range(14)])
    tree = make_tree(random_questions(random, table, 3), table, target, tree_classes, weights)
    assume(2 < n_prunings(tree) < 3000)
    return tree, table, target, weights, random


def check_is_best(tree, pruned, cost, alpha, tie):
    """No pruning is cheaper, and of those as cheap none is smaller."""
    asks = asking_nodes(tree, pruned)
    size = len(leaves_of(tree, asks))
    for other in prunings(tree):
        leaves = len(leaves_of(tree, other))
        difference = cost(other) + alpha * leaves - cost(asks) - alpha * size
        assert difference > -tie
        if leaves < size:
            assert difference > tie


@SOME
@given(st.integers(0, 10**6), st.sampled_from(["errors", "costs", "gini"]))
def test_the_subtree_for_alpha_is_the_best_pruning(seed, what):
    tree, table, target, weights, random = small_tree(seed)
    costs = [[0, 1, 4], [2, 0, 1], [1, 3, 0]] if what == "costs" else None
    if what == "gini":
        total = tree.weight[0]
        passing = tree.impurity * tree.weight / total
        resting = np.zeros(tree.n_nodes)
        for n in np.flatnonzero((tree.feature >= 0) & (tree.missing_child == -1)):
            resting[n] = passing[n] * (1 - tree.weight[tree.parent == n].sum() / tree.weight[n])
        options = {}
    else:
        loss = np.array(costs or 1 - np.eye(3), dtype=float)
        tree = replace(tree, rules=replace(tree.rules, costs=tuple(map(tuple, loss.tolist()))))
        answer = [CLASSES.tolist().index(a) for a in tree.answers]
        shares = weights / weights.sum()
        passing, resting = costs_of(tree, table, shares, lambda row, node: loss[target[row], answer[node]])
        options = {"measure": "error", "costs": costs}
    alpha = random.choice([0.0, 0.01, 0.02, 0.05, 0.1, random.random() / 5])
    pruned = prune(tree, "cost_complexity", ccp_alpha=alpha, **options)
    check_is_best(tree, pruned, lambda asks: cost_of(tree, asks, passing, resting), alpha, 1e-9)
    found = path(tree, **options)
    last = np.append(np.diff(found.ccp_alphas) > 1e-9, True)
    for a, r, leaves in zip(*(x[last] for x in vars(found).values()), strict=True):
        step = prune(tree, "cost_complexity", ccp_alpha=max(a, 0), **options)
        assert step.n_leaves == leaves
        assert cost_of(tree, asking_nodes(tree, step), passing, resting) == pytest.approx(r, abs=1e-9)


@SOME
@given(st.integers(0, 10**6))
def test_numbers(seed):
    tree, *_ = small_tree(seed, numbers=True)
    assume((tree.missing_child[tree.feature >= 0] != -1).all())
    passing = tree.impurity * tree.weight / tree.weight[0]
    pruned = prune(tree, "cost_complexity", ccp_alpha=0.02)
    resting = np.zeros(tree.n_nodes)
    check_is_best(tree, pruned, lambda asks: cost_of(tree, asks, passing, resting), 0.02, 1e-9)

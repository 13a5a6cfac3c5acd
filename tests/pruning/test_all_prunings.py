"""Reduced error, description length and a limit on leaves: the best of all prunings of small trees."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bough import BoughError, DecisionTreeClassifier
from bough.data.examples import load
from bough.pruning import Evidence, description_length, path, prune
from bough.pruning.max_leaves import max_leaves
from bough.pruning.mdl import class_bits, number_bits, question_bits
from bough.pruning.reduced_error import reduced_error
from bough.tree.rebuild import rebuild
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
from pruning.test_cost_complexity import CLASSES, check_is_best

COSTS = [[0, 1, 4], [2, 0, 1], [1, 3, 0]]


def problem(seed, numbers=False, rows=14, limit=3000):
    """A tree, and as many rows again that it has not seen, of weight 1/2, 1 or 3."""
    random = Random(seed)
    table = random_table(random, 2 * rows)
    target = np.array([random.choice([0, 1, 2]) for _ in range(2 * rows)])
    weights = np.array([random.choice([0.5, 1.0, 3.0]) for _ in range(2 * rows)])
    all_rows = Evidence(table, target, weights)
    seen, unseen = (all_rows.take(np.arange(i * rows, (i + 1) * rows)) for i in (0, 1))
    questions = random_questions(random, table, 3)
    tree = make_tree(questions, seen.table, seen.target, None if numbers else CLASSES, seen.weights)
    assume(2 < n_prunings(tree) < limit)
    return tree, seen, unseen, random


@SOME
@given(st.integers(0, 10**6), st.sampled_from(["errors", "costs", "numbers"]))
def test_reduced_error_is_the_smallest_of_the_best(seed, what):
    tree, _, unseen, _ = problem(seed, what == "numbers")
    options = {"costs": COSTS} if what == "costs" else {}
    loss = np.array(COSTS if what == "costs" else 1 - np.eye(3))
    if what == "numbers":
        passing, resting = costs_of(
            tree,
            unseen.table,
            unseen.weights,
            lambda row, node: (unseen.target[row] - tree.value[node, 0]) ** 2,
        )
    else:
        expected = tree.shares @ loss
        answer = (expected <= expected.min(axis=1, keepdims=True) * (1 + 1e-12)).argmax(axis=1)
        passing, resting = costs_of(
            tree, unseen.table, unseen.weights, lambda row, node: loss[unseen.target[row], answer[node]]
        )
    pruned = reduced_error(tree, unseen, **options)
    check_is_best(tree, pruned, lambda asks: cost_of(tree, asks, passing, resting), 0.0, 1e-9)


@SOME
@given(st.integers(0, 10**6), st.sampled_from(["impurity", "error"]))
def test_max_leaves_is_the_best_of_its_size(seed, measure):
    tree, seen, _, random = problem(seed)
    most = random.randint(1, tree.n_leaves)
    if measure == "error":
        answer = tree.value.argmax(axis=1)
        empty = np.flatnonzero(tree.n_rows == 0)
        answer[empty] = answer[tree.parent[empty]]
        passing, resting = costs_of(
            tree, seen.table, seen.weights, lambda row, node: float(seen.target[row] != answer[node])
        )
    else:
        passing = tree.impurity * tree.weight
        resting = np.zeros(tree.n_nodes)
        for n in np.flatnonzero((tree.feature >= 0) & (tree.missing_child == -1)):
            resting[n] = passing[n] * (1 - tree.weight[tree.parent == n].sum() / tree.weight[n])
    asks = asking_nodes(tree, max_leaves(tree, max_leaves=most, measure=measure))
    size, cost = len(leaves_of(tree, asks)), cost_of(tree, asks, passing, resting)
    assert size <= most
    for other in prunings(tree):
        leaves = len(leaves_of(tree, other))
        if leaves <= most < tree.n_leaves:
            difference = cost_of(tree, other, passing, resting) - cost
            assert difference > -1e-9
            assert difference > 1e-9 or leaves >= size


def test_max_leaves_fills_the_sizes_between_the_nested_subtrees():
    columns, play = load("tennis")
    tree = DecisionTreeClassifier(categories="multiway").fit(columns, play).tree_
    assert path(tree, measure="error").n_leaves.tolist() == [5, 1]
    sizes = [prune(tree, "max_leaves", max_leaves=k, measure="error").n_leaves for k in range(1, 7)]
    assert sizes == [1, 1, 3, 4, 5, 5]


def test_max_leaves_takes_much_memory_only_in_chains():
    # A chain of 20,000 questions cut to 10,000 leaves: a table of 150 million numbers.
    from pruning.test_shapes import chain

    with pytest.raises(BoughError, match="takes too much memory"):
        max_leaves(chain(20_000), max_leaves=10_000)


# ---- minimum description length ----------------------------------------------------------------------------


@SOME
@given(st.integers(0, 10**6), st.booleans())
def test_no_pruning_has_a_shorter_description(seed, numbers):
    tree, *_ = problem(seed, numbers, limit=300)
    best = description_length(prune(tree, "mdl"))
    for asks in prunings(tree):
        leaf = np.array([n not in asks for n in range(tree.n_nodes)])
        assert best <= description_length(rebuild(tree, leaf)) + 1e-9


def test_classes_are_sent_one_after_the_other():
    """Krichevsky and Trofimov: each class at the odds of those before it, counts beginning with 1/2."""
    sent, bits = [0, 1, 1, 0, 2, 1], 0.0
    counts = np.full(3, 0.5)
    for k in sent:
        bits -= np.log2(counts[k] / counts.sum())
        counts[k] += 1
    assert class_bits(np.array([[2.0, 3.0, 1.0]]))[0] == pytest.approx(bits)
    # 1/2 for the first, 3/4 for the second, 5/6 for the third: 1 + log2(4/3) + log2(6/5).
    assert class_bits(np.array([[3.0, 0.0]]))[0] == pytest.approx(np.log2(2 * 4 / 3 * 6 / 5))


def test_numbers_are_sent_one_after_the_other():
    """Each number under Student's distribution, given those before it, as Bayes' rule has it."""
    from scipy.stats import t

    start, variance, values = 3.0, 4.0, [1.0, 5.5, 4.0, 4.5]
    mean, pseudo, a, b, bits = start, 1.0, 0.5, variance / 2, 0.0
    for y in values:
        scale = np.sqrt(b * (pseudo + 1) / (a * pseudo))
        # In units of the root's deviation, as number_bits has it.
        bits -= np.log2(t.pdf((y - mean) / scale, 2 * a) / scale * np.sqrt(variance))
        b += pseudo * (y - mean) ** 2 / (2 * (pseudo + 1))
        mean = (pseudo * mean + y) / (pseudo + 1)
        pseudo, a = pseudo + 1, a + 0.5
    n, found = np.array([4.0]), np.array(values)
    squares = ((found - found.mean()) ** 2).sum()
    assert number_bits(n, np.array([found.mean()]), np.array([squares]), start, variance)[0] == pytest.approx(
        bits
    )


def test_bits_of_questions():
    columns, play = load("tennis")
    multiway = DecisionTreeClassifier(categories="multiway").fit(columns, play).tree_
    # Outlook: one of 4 columns, 2 bits; 3 children that may ask or not.
    assert question_bits(multiway)[0] == pytest.approx(2 + 3)
    subset = DecisionTreeClassifier().fit(columns, play).tree_
    # Two groups of 3 categories: 2^3 / 2! ways, 2 bits; and 2 children.
    assert question_bits(subset)[0] == pytest.approx(2 + 2 + 2)
    numeric = DecisionTreeClassifier().fit([[1.0, 0.0], [2.0, 0.0], [4.0, 0.0]], ["a", "b", "b"]).tree_
    # One of 2 columns, one of 2 cuts.
    assert question_bits(numeric)[0] == pytest.approx(1 + 1 + 2)


def test_noise_is_not_worth_a_tree():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    assert prune(DecisionTreeClassifier().fit(X, y).tree_, "mdl").n_leaves == 1
    informed = np.where(X[:, 0] > 0, 1 - (rng.random(300) < 0.1), rng.random(300) < 0.1)
    tree = prune(DecisionTreeClassifier().fit(X, informed.astype(int)).tree_, "mdl")
    assert (tree.n_leaves, tree.root.column) == (2, "x0")

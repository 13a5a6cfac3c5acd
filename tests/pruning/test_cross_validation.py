"""The choice of alpha by cross-validation: as rpart with its own folds, and as one tree at a time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_iris

from bough import BoughError, DecisionTreeClassifier
from bough.data.examples import load
from bough.data.ingest import to_table
from bough.growing import Settings, grow
from bough.pruning import Evidence, choose_alpha, path, prune
from pruning.r_random import RRandom, rpart_folds
from pruning.test_cost_complexity import table_of

# rpart 4.1.19 after set.seed(1): xerror and xstd of printcp at full precision.
RPART = {
    "iris": ([1.14, 0.63, 0.11], [0.0523067873224881, 0.0604483250388297, 0.0319270000678631]),
    "kyphosis": ([1, 1, 1], [0.215587222254518] * 3),
    "cars": (
        [1.03378181831991, 0.583660560475361, 0.440922089995451, 0.441580457448276],
        [0.180465323711929, 0.10900972513651, 0.0865280401466603, 0.086630027241744],
    ),
}


def problem(name):
    """Evidence, classes, and a function that grows a tree on some rows with rpart's usual settings."""
    X, y = load_iris(return_X_y=True) if name == "iris" else table_of(name)
    table, classes, criterion = to_table(X), None, "squared_error"
    target = np.array([float(value) for value in y]) if name == "cars" else np.array(y)
    if name != "cars":
        classes, target = np.unique(target, return_inverse=True)
        criterion, target = "gini", target.astype(np.int32)
    settings = Settings(criterion=criterion, min_samples_split=20, min_samples_leaf=7)
    evidence = Evidence(table, target, np.ones(table.n_rows))
    return evidence, lambda rows: grow(table.take(rows), target[rows], classes, None, settings)


def test_random_numbers_are_those_of_r():
    assert RRandom(1).shuffled(list(range(1, 11))) == [9, 4, 7, 1, 2, 5, 3, 10, 6, 8]
    assert RRandom(42).shuffled(list(range(1, 11))) == [1, 5, 10, 8, 2, 4, 6, 9, 7, 3]


@pytest.mark.parametrize("name", RPART)
def test_errors_on_rows_left_out_are_those_of_rpart(name):
    evidence, grow_fold = problem(name)
    rows = np.arange(evidence.table.n_rows)
    tree = grow_fold(rows)
    folds = rpart_folds(len(rows))
    found = choose_alpha(tree, evidence, folds, grow_fold, measure="error", cp=0.01)
    np.testing.assert_allclose(found.xerror, RPART[name][0], rtol=1e-9)
    np.testing.assert_allclose(found.xstd, RPART[name][1], rtol=1e-9)
    table = path(tree, measure="error").cp_table(0.01)
    np.testing.assert_allclose(found.cp, table["CP"])
    np.testing.assert_allclose(found.rel_error, table["rel error"], atol=1e-12)
    assert found.n_leaves.tolist() == [splits + 1 for splits in table["nsplit"]]
    assert (
        prune(tree, "cost_complexity", ccp_alpha=found.ccp_alpha, measure="error").n_leaves
        == (found.n_leaves[found.chosen])
    )


def test_rules():
    evidence, grow_fold = problem("cars")
    tree = grow_fold(np.arange(60))
    chosen = {
        rule: choose_alpha(tree, evidence, rpart_folds(60), grow_fold, rule=rule, cp=0.01).chosen
        for rule in ("best", "1-se")
    }
    # The smallest xerror is .4409 with xstd .0865; .5837 is more than one standard error away.
    assert chosen == {"best": 2, "1-se": 2}
    evidence, grow_fold = problem("kyphosis")
    tree = grow_fold(np.arange(81))
    for rule in ("best", "1-se"):
        found = choose_alpha(tree, evidence, rpart_folds(81), grow_fold, rule=rule, measure="error")
        assert found.chosen == 0  # all as good: the smallest
        assert str(found).splitlines()[1].startswith("*")


COSTS = [[0, 1, 2], [3, 0, 1], [1, 5, 0]]


@pytest.mark.parametrize("missing", ["learn", "fractional", "stop"])
@pytest.mark.parametrize("costs", [None, COSTS])
def test_all_subtrees_in_one_pass_is_each_alone(missing, costs):
    """Penguins with holes and weights; every subtree of every fold grown and asked by itself."""
    columns, species = load("penguins")
    table = to_table(columns)
    classes, codes = np.unique(species, return_inverse=True)
    codes = codes.astype(np.int32)
    weights = np.random.default_rng(1).integers(1, 4, len(codes)) / 2
    evidence = Evidence(table, codes, weights)
    settings = Settings(missing=missing, min_samples_leaf=2)

    def grow_fold(rows):
        return grow(table.take(rows), codes[rows], classes, weights[rows], settings)

    whole = grow_fold(np.arange(len(codes)))
    folds = [(np.flatnonzero(np.arange(len(codes)) % 4 != f), np.arange(f, len(codes), 4)) for f in range(4)]
    options = {} if costs is None else {"costs": costs}
    found = choose_alpha(whole, evidence, folds, grow_fold, **options)
    loss = np.array(costs if costs else 1 - np.eye(3))
    alphas = found.alpha[::-1]
    middles = [np.sqrt(a * b) for a, b in pairwise(alphas)] + [1.0]
    expected, squares = np.zeros(len(alphas)), np.zeros(len(alphas))
    for train, test in folds:
        grown = grow_fold(train)
        for i, alpha in enumerate(middles):
            pruned = prune(grown, "cost_complexity", ccp_alpha=alpha, **options)
            row, node, share = pruned.reach(table.take(test))
            answer = (pruned.shares[node] @ loss).argmin(axis=1)
            lost = loss[codes[test][row], answer]
            expected[i] += (share * weights[test][row] * lost).sum()
            squares[i] += (share * weights[test][row] * lost**2).sum()
    total = weights.sum()
    root = (whole.value[0] @ loss).min() / total
    np.testing.assert_allclose(found.xerror[::-1], expected / total / root, atol=1e-12)
    spread = np.sqrt(squares - expected**2 / total) / total / root
    np.testing.assert_allclose(found.xstd[::-1], spread, atol=1e-12)
    assert len(alphas) > 4


def test_folds_must_have_rows_and_the_same_classes():
    evidence, grow_fold = problem("kyphosis")
    tree = grow_fold(np.arange(81))
    with pytest.raises(BoughError, match="no rows to judge by"):
        choose_alpha(tree, evidence, [], grow_fold)
    with pytest.raises(BoughError, match="other classes"):
        choose_alpha(
            tree,
            evidence,
            rpart_folds(81),
            lambda rows: DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]).tree_,
        )
    with pytest.raises(BoughError, match='Did you mean "1-se"'):
        choose_alpha(tree, evidence, rpart_folds(81), grow_fold, rule="1se")

"""The choice of alpha by cross-validation: as rpart with its own folds, and as one tree at a time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from bough import BoughError, DecisionTreeClassifier
from bough.data.examples import load
from bough.data.ingest import to_table
from bough.growing import Settings, grow
from bough.pruning import Evidence, choose_alpha, path, prune
from pruning.r_random import RRandom, rpart_folds
from pruning.rpart_runs import rpart_run

# rpart 4.1.19 after set.seed(1): xerror and xstd of printcp. Its other runs differ: those of full trees,
# where splits of small nodes tie, stagec, and those with costs or prior shares.
RPART = {
    "cartest_mileage": (
        [1.03378181831991, 0.583660560475361, 0.440922089995451, 0.441580457448276],
        [0.180465323711929, 0.10900972513651, 0.0865280401466603, 0.086630027241744],
    ),
    "cartest_mileage_all": (
        [1.03378181831991, 0.61592446988449, 0.414203066067674, 0.353702698367042, 0.352465355247801],
        [0.180465323711929, 0.0926641306705369, 0.0789555978810039, 0.0781425212491308, 0.0785001678213145],
    ),
    "cusummary_mileage": (
        [1.03378181831991, 0.53101362891203, 0.374720224011839, 0.378408608659074, 0.413948520675771],
        [0.180465323711929, 0.102921953586616, 0.083009724712364, 0.0874283450883668, 0.0853339691942429],
    ),
    "cusummary_reliability": (
        [1, 0.694915254237288, 0.728813559322034, 0.677966101694915, 0.76271186440678],
        [0.072003101738883, 0.0780830541618756, 0.0781263254614905, 0.0779964395438004, 0.0779964395438004],
    ),
    "iris_gini": ([1.14, 0.63, 0.11], [0.0523067873224881, 0.0604483250388297, 0.0319270000678631]),
    "iris_reg": (
        [
            1.00987005830972,
            0.39567936050555,
            0.302820991996934,
            0.252131449788988,
            0.233791147654857,
            0.245430864100279,
            0.242118020114687,
            0.218026847756263,
            0.216263174546548,
            0.212375270823792,
        ],
        [
            0.0990498294174598,
            0.048756226500828,
            0.0322790143047749,
            0.0310484713796539,
            0.0275014331177825,
            0.0293853363342153,
            0.0292141607526194,
            0.0263297103250827,
            0.0259616124987868,
            0.0259473976378287,
        ],
    ),
    "kyphosis_gini": ([1, 1, 1], [0.215587222254518, 0.215587222254518, 0.215587222254518]),
    "kyphosis_info": ([1, 1.17647058823529], [0.215587222254518, 0.228290839170889]),
    "kyphosis_weights": ([1, 1.13461538461538], [0.121351822097012, 0.126572680403354]),
}


def test_random_numbers_are_those_of_r():
    assert RRandom(1).shuffled(list(range(1, 11))) == [9, 4, 7, 1, 2, 5, 3, 10, 6, 8]
    assert RRandom(42).shuffled(list(range(1, 11))) == [1, 5, 10, 8, 2, 4, 6, 9, 7, 3]


def chosen(name, **options):
    run = rpart_run(name)
    folds = rpart_folds(run.rows.table.n_rows)
    return choose_alpha(run.tree, run.rows, folds, run.grow, measure="error", cp=run.cp, **options)


@pytest.mark.parametrize("name", RPART)
def test_errors_on_rows_left_out_are_those_of_rpart(name):
    run, found = rpart_run(name), chosen(name)
    np.testing.assert_allclose(found.xerror, RPART[name][0], rtol=1e-9)
    np.testing.assert_allclose(found.xstd, RPART[name][1], rtol=1e-9)
    table = path(run.tree, measure="error").cp_table(run.cp)
    np.testing.assert_allclose(found.cp, table["CP"])
    np.testing.assert_allclose(found.rel_error, table["rel error"], atol=1e-12)
    assert found.n_leaves.tolist() == [splits + 1 for splits in table["nsplit"]]
    pruned = prune(run.tree, "cost_complexity", ccp_alpha=found.ccp_alpha, measure="error")
    assert pruned.n_leaves == found.n_leaves[found.chosen]


def test_rules():
    # The smallest xerror of the cars is .3525 with xstd .0785: .4142 is within one standard error of it.
    lines = {rule: chosen("cartest_mileage_all", rule=rule).chosen for rule in ("best", "1-se")}
    assert lines == {"best": 4, "1-se": 2}
    for rule in ("best", "1-se"):
        found = chosen("kyphosis_gini", rule=rule)
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
    run = rpart_run("kyphosis_gini")
    with pytest.raises(BoughError, match="no rows to judge by"):
        choose_alpha(run.tree, run.rows, [], run.grow)
    other = DecisionTreeClassifier().fit([[0.0], [1.0]], ["a", "b"]).tree_
    with pytest.raises(BoughError, match="other classes"):
        choose_alpha(run.tree, run.rows, rpart_folds(81), lambda rows: other)
    with pytest.raises(BoughError, match='Did you mean "1-se"'):
        choose_alpha(run.tree, run.rows, rpart_folds(81), run.grow, rule="1se")


def test_a_tree_whose_splits_cost_nothing_to_prune() -> None:
    """All alphas are 0: the last of them stands for everything above it."""
    columns = {"a": [0.0, 0.0, 1.0, 1.0] * 4, "b": [0.0, 1.0, 0.0, 1.0] * 4}
    model = DecisionTreeClassifier(pruning="cost_complexity", random_state=0, max_depth=1)
    assert model.fit(columns, [0, 0, 0, 1] * 4).tree_.n_leaves == 1

"""Significance pruning: the lectures' figures, the tests one by one, and the rule for what stays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import f_oneway

from bough import BoughError, DecisionTreeClassifier, DecisionTreeRegressor
from bough.data.examples import load
from bough.growing.settings import NUMBER_CRITERIA
from bough.information import chi_square
from bough.pruning import prune, split_tests
from pruning.plain import SOME
from pruning.test_rebuild import some_tree


def tree_of(name, **settings):
    columns, target = load(name)
    model = DecisionTreeClassifier(criterion="entropy", categories="multiway", **settings)
    tree = model.fit(columns, target).tree_
    return tree, {node.column: node.id for node in tree.nodes() if not node.is_leaf}


def test_w25_tennis():
    tree, asks = tree_of("tennis")
    found = split_tests(tree)
    outlook, humidity = asks["Outlook"], asks["Humidity"]
    assert round(found.statistic[outlook], 4) == 3.5467
    assert found.df[outlook] == 2
    assert round(found.p_value[outlook], 4) == 0.1698
    assert (round(found.statistic[humidity], 9), round(found.p_value[humidity], 4)) == (5.0, 0.0253)
    # Outlook alone would go; it stays for Humidity and Wind below it.
    assert prune(tree, "significance").n_leaves == 5
    assert prune(tree, "significance", level=0.02).n_leaves == 1
    stump = DecisionTreeClassifier(criterion="entropy", categories="multiway", max_depth=1)
    assert prune(stump.fit(*load("tennis")).tree_, "significance", level=0.05).n_leaves == 1


def test_w25_restaurant():
    tree, asks = tree_of("restaurant", ties="column")
    found = split_tests(tree)
    patrons, hungry = asks["Patrons"], asks["Hungry"]
    assert (round(found.statistic[patrons], 4), round(found.p_value[patrons], 4)) == (6.6667, 0.0357)
    assert (round(found.statistic[hungry], 4), round(found.p_value[hungry], 4)) == (1.5, 0.2207)
    columns, target = load("restaurant")
    by_type = DecisionTreeClassifier(criterion="entropy", categories="multiway", max_depth=1)
    found = split_tests(by_type.fit({"Type": columns["Type"]}, target).tree_)
    assert (round(found.statistic[0], 9), found.p_value[0]) == (0.0, 1.0)
    pruned = prune(tree, "significance", level=0.05)
    assert (pruned.n_leaves, pruned.root.column) == (3, "Patrons")


@SOME
@given(st.integers(0, 10**6))
def test_every_test_is_that_of_its_table(seed):
    tree, *_ = some_tree(seed)
    found = split_tests(tree)
    significant = []
    for node in range(tree.n_nodes):
        if tree.feature[node] < 0:
            assert (found.statistic[node], found.df[node], found.p_value[node]) == (0, 0, 1)
            continue
        first = tree.first_child[node]
        statistic, df, p_value = chi_square(tree.value[first : first + tree.n_children[node]])
        assert found.statistic[node] == pytest.approx(statistic, abs=1e-9)
        assert (found.df[node], found.p_value[node]) == (df, pytest.approx(p_value, abs=1e-9))
        if p_value <= 0.3:
            significant.append(node)
    kept = {above for node in significant for above in tree.path(node)}
    pruned = prune(tree, "significance", level=0.3)
    assert np.count_nonzero(pruned.feature >= 0) == len(kept)


def test_numbers_have_an_f_test():
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 4, (60, 3)).astype(float), rng.normal(size=60)
    tree = DecisionTreeRegressor(max_depth=4, min_samples_leaf=2).fit(X, y).tree_
    found = split_tests(tree)
    passing = tree.decision_path(X).toarray().astype(bool)
    for node in np.flatnonzero(tree.feature >= 0):
        children = tree.first_child[node] + np.arange(tree.n_children[node])
        expected = f_oneway(*(y[passing[:, child]] for child in children))
        assert found.statistic[node] == pytest.approx(expected.statistic, rel=1e-6)
        assert found.p_value[node] == pytest.approx(expected.pvalue, rel=1e-6)
    assert prune(tree, "significance", level=1e-9).n_leaves == 1


def test_certain_and_empty_tests():
    certain = DecisionTreeRegressor().fit([[0.0], [0.0], [1.0], [1.0]], [1.0, 1.0, 3.0, 3.0]).tree_
    assert split_tests(certain).p_value.tolist() == [0, 1, 1]
    # Two means of two rows: nothing is left to compare them with.
    two = DecisionTreeRegressor().fit([[0.0], [1.0]], [1.0, 3.0]).tree_
    assert split_tests(two).p_value.tolist() == [1, 1, 1]
    with pytest.raises(BoughError, match="level=2 is not possible"):
        prune(two, "significance", level=2)


def test_deviances_are_not_variances():
    X, y = np.arange(40.0)[:, None], np.arange(40.0) // 7 + 1
    by_criterion = {c: DecisionTreeRegressor(criterion=c).fit(X, y).tree_ for c in NUMBER_CRITERIA}
    assert len(by_criterion) > 1
    for criterion, tree in by_criterion.items():
        for method in ("significance", "mdl"):
            if criterion == "poisson":
                with pytest.raises(BoughError, match="needs a tree of variances"):
                    prune(tree, method)
            else:
                assert prune(tree, method).n_leaves > 1

"""Where values go: thresholds, missing and unseen values, branches without rows, small and deep trees."""

from __future__ import annotations

import copy
import math
import pickle
import sys

import numpy as np
import pandas as pd
import pytest

from bough import DecisionTreeClassifier, DecisionTreeRegressor

# ---- thresholds ------------------------------------------------------------------------------------------


def stump(values, y, weights=None, kind=DecisionTreeClassifier, **settings):
    return kind(max_depth=1, **settings).fit({"c": values}, y, sample_weight=weights)


@pytest.mark.parametrize(
    ("low", "high", "threshold"),
    [
        (1.0, 2.0, 1.5),
        (-3.0, 5.0, 1.0),
        (0.1, 0.2, (0.1 + 0.2) / 2),
        (-1.0, 1.0, 0.0),
        (1.0, np.nextafter(1.0, 2.0), 1.0),
        (np.nextafter(1.0, 0.0), 1.0, np.nextafter(1.0, 0.0)),
        (0.0, 5e-324, 0.0),
        (-5e-324, 0.0, -5e-324),
        (1e308, 1.7e308, 1.35e308),
        (-1.7e308, 1.7e308, 0.0),
        (2.0**53, 2.0**53 + 2, 2.0**53),
        (2.0**60, 2.0**60 + 1024, 2.0**60 + 512),
    ],
)
def test_a_threshold_is_the_midpoint_and_what_equals_it_goes_left(low, high, threshold):
    model = stump([low, high], ["left", "right"])
    assert model.tree_.root.threshold == threshold
    below, above = np.nextafter(threshold, -np.inf), np.nextafter(threshold, np.inf)
    asked = [low, threshold, below, above, high]
    assert model.predict({"c": asked}).tolist() == ["left", "left", "left", "right", "right"]


def test_a_threshold_of_zero_has_no_sign_and_both_zeros_go_left():
    model = stump([-0.0, 0.0, 1.0, 5e-324], ["left", "left", "right", "right"])
    assert model.tree_.root.threshold == 0.0
    assert not math.copysign(1, model.tree_.root.threshold) < 0
    assert model.predict({"c": [-0.0, 0.0, 5e-324]}).tolist() == ["left", "left", "right"]


def test_midpoints_are_between_values_of_the_node_not_of_the_table():
    X = {"a": [0, 0, 0, 1, 1, 1], "b": [0.0, 10.0, 10.0, 4.0, 6.0, 6.0]}
    model = DecisionTreeRegressor().fit(X, [0, 1, 1, 100, 101, 101])
    thresholds = {
        node.column: [n.threshold for n in model.tree_.nodes() if n.column == node.column]
        for node in model.tree_.nodes()
        if not node.is_leaf
    }
    assert thresholds == {"a": [0.5], "b": [5.0, 5.0]}
    model = DecisionTreeRegressor().fit({"a": X["a"], "b": [0.0, 10, 10, 4, 7, 7]}, [0, 1, 1, 100, 101, 101])
    assert sorted(n.threshold for n in model.tree_.nodes() if n.column == "b") == [5.0, 5.5]


def test_ordered_categories_are_cut_between_category_numbers():
    sizes = pd.Categorical(["S", "M", "L", "XL"], categories=["S", "M", "L", "XL"], ordered=True)
    model = DecisionTreeClassifier().fit(pd.DataFrame({"size": sizes}), ["small", "small", "big", "big"])
    assert model.tree_.root.threshold == 1.5
    assert model.tree_.root.branches == ["≤ M", "> M"]
    assert model.predict({"size": ["XL", "S", "M", "L"]}).tolist() == ["big", "small", "small", "big"]


# ---- where missing and unseen values go ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "y", "weights", "child"),
    [
        ([1, 2, 3], "abb", None, 1),
        ([1, 2, 3], "aab", None, 0),
        ([1, 2], "ab", None, 0),
        ([1, 2], "ab", [1, 3], 1),
        ([1, 2, 3], "abb", [5, 1, 1], 0),
        ([1, 2, 3], "abb", [2, 1, 1], 0),
        (["u", "v", "v"], "abb", None, 1),
        (["u", "v", "v"], "abb", [4, 1, 1], 0),
        (["u", "v"], "ab", None, 0),
        ([True, False, True], "aba", None, 0),
    ],
)
@pytest.mark.parametrize("categories", ["subset", "multiway"])
def test_missing_follows_the_heavier_branch_where_none_was_missing(values, y, weights, child, categories):
    model = stump(values, list(y), weights, categories=categories)
    root = model.tree_.root
    assert root.n_missing == 0
    # Numbers: left is "a". Categories: found by the answer, as sides have no fixed order.
    heavier = max(root.children, key=lambda node: (node.weight, -node.id))
    assert root.children[root.missing_child] == heavier
    if isinstance(values[0], int) and not isinstance(values[0], bool):
        assert root.missing_child == child
    assert model.apply({"c": [None]}).tolist() == [heavier.id]


@pytest.mark.parametrize(
    ("values", "y", "missing"),
    [
        ([1, 2, None, None], "abaa", "a"),
        ([1, 2, None, None], "abbb", "b"),
        ([1, 1, 1, 2, None], "aaabb", "b"),
        (["u", "v", None, None], "abaa", "a"),
        (["u", "v", None], "abb", "b"),
        ([True, False, None], "abb", "b"),
    ],
)
@pytest.mark.parametrize("categories", ["subset", "multiway"])
def test_missing_follows_what_was_learned_of_it(values, y, missing, categories):
    model = stump(values, list(y), categories=categories)
    assert model.tree_.root.n_missing == values.count(None)
    assert model.predict({"c": [None]}).tolist() == [missing]
    assert model.score({"c": values}, list(y)) == 1.0


@pytest.mark.parametrize("known", [[1, 2, 3], ["u", "v", "u"], [True, False, True]])
def test_known_against_missing_is_a_split_of_its_own(known):
    model = stump([*known, None, None], ["a", "a", "a", "b", "b"])
    root = model.tree_.root
    assert root.branches[1] == "missing"
    assert root.missing_child == 1
    assert [child.n_rows for child in root.children] == [3, 2]
    assert model.predict({"c": [*known, None]}).tolist() == ["a", "a", "a", "b"]
    if known == [1, 2, 3]:
        assert root.threshold == math.inf
        assert root.branches == ["known", "missing"]
        assert model.predict({"c": [-1e308, 1e308]}).tolist() == ["a", "a"]
    if known == ["u", "v", "u"]:
        # Never seen is like missing.
        assert model.predict({"c": ["w"]}).tolist() == ["b"]


def test_missing_ties_go_left_first():
    # Left or right makes no difference to the gain: the first candidate has missing on the left.
    model = stump([1, 2, None, None], list("abab"), min_samples_leaf=1)
    assert model.tree_.root.missing_child == 0


def test_a_category_absent_at_a_node_goes_where_missing_goes():
    # "w" is only seen where big is 0; below big = 1 there are "u" (1 row) and "v" (3 rows).
    X = {"big": [0] * 4 + [1] * 4, "c": ["w", "w", "u", "v", "u", "v", "v", "v"]}
    y = ["low"] * 4 + ["one", "three", "three", "three"]
    model = DecisionTreeClassifier(ties="column").fit(X, y)
    root = model.tree_.root
    assert root.column == "big"
    inner = root.children[1]
    assert inner.column == "c"
    assert sorted(inner.branches) == ["u", "v"]
    asked = {"big": [1] * 5, "c": ["u", "v", "w", "never", None]}
    assert model.predict(asked).tolist() == ["one", "three", "three", "three", "three"]


def test_a_category_absent_at_a_node_goes_with_the_missing_of_that_node():
    X = {"big": [0] * 4 + [1] * 6, "c": ["w", "w", "u", "v", "u", "v", "v", "v", "v", None]}
    y = ["low"] * 4 + ["one", "three", "three", "three", "three", "one"]
    model = DecisionTreeClassifier().fit(X, y)
    assert model.tree_.root.column == "big"
    asked = {"big": [1] * 4, "c": ["u", "w", "never", None]}
    assert model.predict(asked).tolist() == ["one"] * 4


def with_empty_category(values, *, categories):
    return pd.DataFrame({"c": pd.Categorical(values, categories=categories)})


def test_a_branch_without_rows_answers_as_its_parent():
    X = with_empty_category(["a", "b", "b", "b"], categories=["a", "b", "never"])
    model = DecisionTreeClassifier(categories="multiway").fit(X, ["x", "y", "y", "z"])
    root = model.tree_.root
    assert root.branches == ["a", "b", "never"]
    empty = root.children[2]
    assert (empty.n_rows, empty.weight, empty.is_leaf) == (0, 0.0, True)
    assert empty.prediction == root.prediction == "y"
    asked = {"c": ["never"]}
    assert model.predict(asked).tolist() == ["y"]
    assert model.predict_proba(asked).tolist() == [[0.25, 0.5, 0.25]]
    # Unknown to the domain is something else: like missing, with the heaviest branch.
    assert model.apply({"c": ["strange", None]}).tolist() == [root.children[1].id] * 2


def test_a_branch_without_rows_answers_with_the_mean_of_its_parent():
    X = with_empty_category(["a", "b", "b", "b"], categories=["never", "a", "b"])
    model = DecisionTreeRegressor(categories="multiway").fit(X, [1.0, 2.0, 3.0, 6.0])
    assert model.predict({"c": ["never", "a", "b"]}).tolist() == [3.0, 1.0, 11.0 / 3.0]


def test_a_branch_without_rows_deep_in_the_tree_answers_as_its_own_parent():
    X = {"x": [0, 0, 0, 1, 1, 1], "c": ["p", "p", "q", "r", "s", "s"]}
    y = ["A", "A", "B", "C", "D", "D"]
    model = DecisionTreeClassifier(categories="multiway", ties="column", max_leaf_nodes=None).fit(X, y)
    for x, c in ((0, "r"), (1, "p"), (0, "s"), (1, "q")):
        leaf = model.tree_.node(int(model.apply({"x": [x], "c": [c]})[0]))
        if leaf.n_rows == 0:
            parent = model.tree_.node(int(model.tree_.parent[leaf.id]))
            assert leaf.prediction == parent.prediction
            np.testing.assert_array_equal(model.tree_.shares[leaf.id], model.tree_.shares[parent.id])
    # The table is learned whichever column is asked first.
    assert model.score(X, y) == 1.0


def test_the_first_class_answers_on_a_tie():
    model = DecisionTreeClassifier(max_depth=0).fit([[1], [2], [3], [4]], ["b", "a", "b", "a"])
    assert model.predict([[1]]).tolist() == ["a"]
    assert model.predict_proba([[1]]).tolist() == [[0.5, 0.5]]


# ---- small and deep trees --------------------------------------------------------------------------------


def test_a_tree_of_one_leaf():
    model = DecisionTreeRegressor(max_depth=0).fit([[1.0], [2.0]], [1.0, 2.0])
    tree = model.tree_
    assert (tree.n_nodes, tree.n_leaves, tree.max_depth) == (1, 1, 0)
    assert tree.root.is_leaf
    assert tree.path(0) == [0]
    assert list(tree.leaves()) == [tree.root]
    assert model.predict([[5.0], [math.nan]]).tolist() == [1.5, 1.5]
    assert model.apply([[5.0]]).tolist() == [0]
    assert model.decision_path([[5.0]]).toarray().tolist() == [[1]]
    assert repr(tree) == "Tree(1 leaves, depth 0, 1 columns, number)"
    assert tree.digest() != DecisionTreeRegressor(max_depth=0).fit([[1.0], [2.0]], [1.0, 3.0]).digest()


def test_a_chain_of_depth_five_thousand_needs_no_recursion():
    n = 5001
    X, y = np.arange(float(n)).reshape(-1, 1), np.arange(n) % 2
    frames, frame = 0, sys._getframe()
    while frame is not None:
        frames, frame = frames + 1, frame.f_back
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(frames + 60)
    try:
        model = DecisionTreeClassifier().fit(X, y)
        tree = model.tree_
        assert tree.max_depth == 5000
        assert tree.n_leaves == n
        assert (model.predict(X) == y).all()
        deepest = int(tree.depth.argmax())
        assert len(tree.path(deepest)) == 5001
        assert tree.node(deepest).depth == 5000
        assert model.decision_path(X[-3:]).sum() > 3
        back = pickle.loads(pickle.dumps(tree))
        assert back.digest() == copy.deepcopy(tree).digest() == tree.digest()
        assert len(str(tree)) > 0
    finally:
        sys.setrecursionlimit(limit)

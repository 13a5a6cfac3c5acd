"""The tree as a result: it cannot be changed, answers in one way, and sends every value where it must."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
import sys

import numpy as np
import pandas as pd
import pytest

from bough import DecisionTreeClassifier, DecisionTreeRegressor, Tree
from bough.data.examples import load
from bough.data.ingest import to_table
from bough.data.table import Field
from bough.tree.tree import ARRAYS

NAN = math.nan


def titanic(**settings):
    columns, y = load("titanic")
    return DecisionTreeClassifier(**settings).fit(columns, y), columns, y


def penguins(**settings):
    columns, y = load("penguins")
    return DecisionTreeClassifier(**settings).fit(columns, y), columns, y


def masses(**settings):
    columns, _ = load("penguins")
    known = [i for i, mass in enumerate(columns["body_mass_g"]) if mass is not None]
    columns = {name: [values[i] for i in known] for name, values in columns.items()}
    y = columns.pop("body_mass_g")
    return DecisionTreeRegressor(**settings).fit(columns, y), columns, y


MODELS = {
    "titanic": titanic,
    "titanic, multiway": lambda: titanic(categories="multiway"),
    "titanic, best-first": lambda: titanic(max_leaf_nodes=20),
    "penguins": lambda: penguins(criterion="entropy"),
    "penguins, multiway": lambda: penguins(categories="multiway", min_samples_leaf=3),
    "masses": lambda: masses(min_samples_leaf=3),
    "masses, multiway": lambda: masses(categories="multiway"),
    "a leaf": lambda: penguins(max_depth=0),
}


@pytest.fixture(params=MODELS)
def fitted(request):
    return MODELS[request.param]()


# ---- it cannot be changed --------------------------------------------------------------------------------


def copies(tree):
    return [tree, pickle.loads(pickle.dumps(tree)), copy.copy(tree), copy.deepcopy(tree)]


def test_no_array_of_a_tree_can_be_written_to(fitted):
    for tree in copies(fitted[0].tree_):
        for name in ARRAYS:
            array = getattr(tree, name)
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
        with pytest.raises(dataclasses.FrozenInstanceError):
            tree.threshold = tree.threshold.copy()


@pytest.mark.parametrize("name", ["classes", "parent", "depth", "shares", "answers"])
def test_nothing_that_follows_from_the_arrays_can_be_written_to(fitted, name):
    for tree in copies(fitted[0].tree_):
        array = getattr(tree, name)
        if array is not None:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = array.copy()


def test_writing_to_the_classes_of_the_estimator_does_not_change_its_answers():
    model, columns, _ = penguins(max_depth=2)
    expected, digest = model.predict(columns).tolist(), model.digest()
    try:
        model.classes_[0] = "other"
    except ValueError:
        return
    assert model.predict(columns).tolist() == expected
    assert model.digest() == digest


def test_nodes_cannot_be_changed(fitted):
    root = fitted[0].tree_.root
    for name in ("tree", "id", "threshold", "n_rows"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(root, name, 0)
    with pytest.raises(ValueError, match="read-only"):
        root.value[0] = 7.0


def test_a_copy_is_the_same_tree(fitted):
    model, columns, _ = fitted
    table = to_table(columns, fields=model.tree_.fields)
    for tree in copies(model.tree_):
        assert tree.digest() == model.tree_.digest()
        assert (tree.apply(table) == model.apply(columns)).all()
        assert tree.fields == model.tree_.fields
        assert str(tree) == str(model.tree_)
        assert tree.answers.tolist() == model.tree_.answers.tolist()


def test_a_pickle_is_taken_without_what_was_computed_from_it(fitted):
    tree = fitted[0].tree_
    plain = pickle.dumps(pickle.loads(pickle.dumps(tree)))
    _ = tree.shares, tree.depth, tree.answers, tree.parent
    assert len(pickle.dumps(tree)) <= len(plain) + 64


# ---- one answer everywhere -------------------------------------------------------------------------------


def leaf_by_hand(tree, row):
    """The leaf of one row (a dict of Python values), straight from the rules in docs/semantics.md."""
    node = 0
    while tree.feature[node] >= 0:
        field = tree.fields[tree.feature[node]]
        value = row[field.name]
        child = tree.missing_child[node]
        if value is not None and field.kind == "numeric":
            child = 0 if value <= tree.threshold[node] else 1
        elif value in field.categories:
            number = field.categories.index(value)
            if tree.kind[node] == 3:
                child = number
            else:
                here = slice(tree.category_start[node], tree.category_start[node + 1])
                sides = dict(
                    zip(tree.category[here].tolist(), tree.category_child[here].tolist(), strict=True)
                )
                child = sides.get(number, child)
        node = int(tree.first_child[node] + child)
    return node


def odd_rows(tree, columns, n=400):
    """Rows with values exactly on and next to thresholds, blanks, and categories never seen."""
    rng = np.random.default_rng(0)
    length = len(next(iter(columns.values())))
    cuts = {field.name: [] for field in tree.fields}
    for node in tree.nodes():
        if not node.is_leaf and node.field.kind == "numeric" and math.isfinite(node.threshold):
            cuts[node.column].append(node.threshold)
    rows = []
    for _ in range(n):
        row = {name: values[rng.integers(length)] for name, values in columns.items()}
        for field in tree.fields:
            luck = rng.random()
            if luck < 0.15:
                row[field.name] = None
            elif luck < 0.3 and field.kind == "nominal":
                row[field.name] = str(rng.choice(["never seen", "", *field.categories]))
            elif luck < 0.5 and field.kind == "numeric" and cuts[field.name]:
                on = cuts[field.name][rng.integers(len(cuts[field.name]))]
                row[field.name] = float(rng.choice([on, np.nextafter(on, -np.inf), np.nextafter(on, np.inf)]))
        rows.append(row)
    return rows


def test_apply_follows_the_written_rules_on_every_row(fitted):
    model, columns, _ = fitted
    rows = odd_rows(model.tree_, columns)
    assert model.apply(rows).tolist() == [leaf_by_hand(model.tree_, row) for row in rows]
    names = list(columns)
    plain = [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    assert model.apply(columns).tolist() == [leaf_by_hand(model.tree_, row) for row in plain]


def test_predictions_paths_and_leaves_say_the_same(fitted):
    model, columns, _ = fitted
    tree, rows = model.tree_, odd_rows(model.tree_, columns)
    leaves = model.apply(rows)
    assert model.predict(rows).tolist() == [tree.node(int(leaf)).prediction for leaf in leaves]
    paths = model.decision_path(rows)
    assert paths.shape == (len(rows), tree.n_nodes)
    for i, leaf in enumerate(leaves):
        path = tree.path(int(leaf))
        assert paths[i].indices.tolist() == path
        assert path[0] == 0
        assert path[-1] == leaf
        assert len(path) == tree.node(int(leaf)).depth + 1
    assert set(paths.data.tolist()) == {1}
    if tree.classes is not None:
        assert (model.predict_proba(rows) == tree.shares[leaves]).all()


def test_training_rows_fill_the_leaves_as_counted(fitted):
    model, columns, y = fitted
    tree, leaves = model.tree_, model.apply(columns)
    counted = np.bincount(leaves, minlength=tree.n_nodes)
    assert (counted[tree.feature < 0] == tree.n_rows[tree.feature < 0]).all()
    passed = np.asarray(model.decision_path(columns).sum(axis=0)).ravel()
    assert (passed == tree.n_rows).all()
    y = np.array(y)
    paths = model.decision_path(columns).tocsc()
    for node in tree.nodes():
        inside = y[paths[:, node.id].indices]
        if not len(inside):
            continue
        if tree.classes is None:
            np.testing.assert_allclose(node.value[0], inside.mean(), rtol=1e-12)
            np.testing.assert_allclose(node.impurity, inside.var(), rtol=1e-9, atol=1e-9 * y.var())
        else:
            counts = [(inside == label).sum() for label in tree.classes]
            assert node.value.tolist() == counts
            assert node.prediction == tree.classes[np.argmax(counts)]
            assert node.share == max(counts) / len(inside)


def test_nodes_know_their_neighbours(fitted):
    tree = fitted[0].tree_
    assert [node.id for node in tree.nodes()] == list(range(tree.n_nodes))
    assert [leaf.id for leaf in tree.leaves()] == np.flatnonzero(tree.feature < 0).tolist()
    assert tree.n_leaves == sum(node.is_leaf for node in tree.nodes())
    assert tree.max_depth == max(node.depth for node in tree.nodes())
    assert tree.root == tree.node(0)
    assert tree.parent[0] == -1
    seen = [0]
    for node in tree.nodes():
        assert tree.path(node.id)[:-1] == ([] if node.id == 0 else tree.path(int(tree.parent[node.id])))
        assert len(node.branches) == len(node.children)
        if node.is_leaf:
            assert (node.children, node.field, node.column, node.branches) == ([], None, None, [])
            assert node.missing_child == -1
            continue
        assert node.field.name == node.column
        assert 0 <= node.missing_child < len(node.children)
        assert sum(child.n_rows for child in node.children) == node.n_rows
        assert sum(child.weight for child in node.children) == node.weight
        lost = sum(child.impurity * child.weight for child in node.children) / node.weight
        np.testing.assert_allclose(node.gain, node.impurity - lost, atol=1e-9 * max(1, node.impurity))
        for child in node.children:
            assert child.depth == node.depth + 1
            assert tree.parent[child.id] == node.id
            seen.append(child.id)
    # Breadth-first: each child once, in order.
    assert seen == list(range(tree.n_nodes))


def test_only_nodes_that_exist_can_be_asked_for(fitted):
    tree = fitted[0].tree_
    for number in (-1, tree.n_nodes):
        with pytest.raises(IndexError, match=f"node {number} of a tree with nodes 0 to {tree.n_nodes - 1}"):
            tree.node(number)


def test_importances_are_shares_of_the_gains(fitted):
    model = fitted[0]
    tree, importances = model.tree_, model.feature_importances_
    by_hand = np.zeros(len(tree.fields))
    for node in tree.nodes():
        if not node.is_leaf:
            by_hand[[field.name for field in tree.fields].index(node.column)] += node.gain * node.weight
    if tree.n_nodes == 1:
        assert importances.tolist() == [0.0] * len(tree.fields)
    else:
        assert abs(importances.sum() - 1) < 1e-12
        np.testing.assert_allclose(importances, by_hand / by_hand.sum(), rtol=1e-9)
        assert (importances >= 0).all()


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
    assert model.predict([[5.0], [NAN]]).tolist() == [1.5, 1.5]
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


# ---- the digest ------------------------------------------------------------------------------------------


@pytest.fixture
def small():
    X = {"n": [1.0, 2.0, 3.0, 4.0, None, 6.0], "c": ["u", "v", "u", "w", "v", "w"]}
    return DecisionTreeClassifier().fit(X, ["a", "b", "a", "b", "b", "a"]).tree_


def changed(tree, name, place, value):
    array = getattr(tree, name).copy()
    array[place] = value
    return dataclasses.replace(tree, **{name: array})


def test_the_digest_sees_every_change_of_an_array(small):
    asking = int(np.flatnonzero(small.kind == 1)[0])
    grouping = int(np.flatnonzero(small.kind == 2)[0])
    place = int(small.category_start[grouping])
    others = [
        changed(small, "threshold", asking, np.nextafter(small.threshold[asking], 9)),
        changed(small, "value", (0, 0), np.nextafter(small.value[0, 0], 9)),
        changed(small, "missing_child", asking, 1 - small.missing_child[asking]),
        changed(small, "category_child", place, 1 - small.category_child[place]),
        dataclasses.replace(small, classes=np.array(["a", "c"])),
    ]
    digests = {tree.digest() for tree in others}
    assert len(digests) == len(others)
    assert small.digest() not in digests


def test_the_digest_sees_names_kinds_and_categories(small):
    n, c = small.fields
    other = [(Field("m", n.kind), c), (n, Field("d", c.kind, c.categories))]
    other.append((n, Field(c.name, c.kind, ("u", "v", "x"))))
    digests = {dataclasses.replace(small, fields=fields).digest() for fields in other}
    assert len(digests) == 3
    assert small.digest() not in digests


def test_the_digest_of_an_ordinal_column_depends_on_the_order_of_categories():
    def fit(order):
        sizes = pd.Categorical(["S", "M", "L"], categories=order, ordered=True)
        return DecisionTreeClassifier(max_depth=0).fit(pd.DataFrame({"size": sizes}), [0, 1, 1])

    assert fit(["S", "M", "L"]).digest() != fit(["M", "S", "L"]).digest()


def test_the_digest_is_a_known_text():
    digest = DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"]).digest()
    assert len(digest) == 64
    assert set(digest) <= set("0123456789abcdef")


def test_two_trees_are_told_apart_by_content_not_by_place(small):
    again = pickle.loads(pickle.dumps(small))
    assert isinstance(again, Tree)
    assert again is not small
    assert again.digest() == small.digest()

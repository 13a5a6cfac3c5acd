"""The tree as a result: it cannot be changed, and answers in one way."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle

import numpy as np
import pytest

from bough import DecisionTreeClassifier, DecisionTreeRegressor
from bough.data.examples import load
from bough.data.ingest import to_table
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

"""The same trees as scikit-learn's where the rules agree, and answers as good on its tables."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.tree
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

from bough import DecisionTreeClassifier, DecisionTreeRegressor

PAIRS = {
    "gini": (DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier),
    "entropy": (DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier),
    "squared_error": (DecisionTreeRegressor, sklearn.tree.DecisionTreeRegressor),
}


def make_table(seed, rows=600, columns=4, holes=0.0):
    """Every column a permutation: no equal values, and thresholds that float32 holds exactly."""
    rng = np.random.default_rng(seed)
    X = np.stack([rng.permutation(rows) for _ in range(columns)], axis=1).astype(float)
    signal = X @ rng.normal(size=columns) + rng.normal(size=rows) * rows / 3
    signal += np.where(X[:, 0] > rows / 2, X[:, 1], 0)
    X[rng.random(X.shape) < holes] = np.nan
    return X, signal


def odd_weights(seed, rows):
    """Their sums are exact; else scikit-learn splits some nodes of one class for an impurity of 4e-16."""
    return np.random.default_rng(seed).integers(5_000, 15_000, rows) / 8192


def fit_both(criterion, X, signal, weights=None, **settings):
    ours, theirs = PAIRS[criterion]
    y = signal
    if criterion != "squared_error":
        y = np.digitize(signal, np.quantile(signal, [0.3, 0.6, 0.8]))
        # Whole counts tie often, and each breaks ties in its own way; odd weights never tie.
        weights = odd_weights(77, len(y)) if weights is None else weights
    return (
        ours(criterion=criterion, **settings).fit(X, y, weights),
        theirs(criterion=criterion, random_state=0, **settings).fit(X, y, weights),
        y,
    )


def same_partition(a, b):
    """Whether two assignments of rows to leaves make the same groups of rows."""
    pairs = len(np.unique(np.stack([a, b]), axis=1)[0])
    return pairs == len(np.unique(a)) == len(np.unique(b))


def test_same_partition_sees_a_difference():
    assert same_partition([0, 0, 1, 2], [5, 5, 9, 7])
    assert not same_partition([0, 0, 1, 2], [5, 5, 9, 9])
    assert not same_partition([0, 0, 1, 1], [5, 6, 9, 9])
    assert not same_partition([0, 0, 1, 1], [5, 9, 9, 5])


def check_same(ours, theirs, X):
    assert ours.get_n_leaves() == theirs.get_n_leaves() > 4
    assert ours.get_depth() == theirs.get_depth()
    assert same_partition(ours.apply(X), theirs.apply(X))
    if hasattr(ours, "classes_"):
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)
    else:
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9, atol=1e-9)
    assert ours.tree_.root.column == f"x{theirs.tree_.feature[0]}"
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-6, atol=1e-9)


SETTINGS = [
    {"min_samples_leaf": 12},
    {"min_samples_leaf": 0.03},
    {"max_depth": 4, "min_samples_leaf": 8},
    {"min_samples_split": 60, "min_samples_leaf": 8},
    {"min_samples_split": 0.2, "min_samples_leaf": 8},
    {"max_leaf_nodes": 9, "min_samples_leaf": 8},
    {"min_impurity_decrease": 0.01, "min_samples_leaf": 8},
    {"min_weight_fraction_leaf": 0.04},
]


@pytest.mark.parametrize("criterion", PAIRS)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_the_tree_of_continuous_columns_is_the_same(criterion, settings, seed):
    X, signal = make_table(seed)
    ours, theirs, _ = fit_both(criterion, X, signal, **settings)
    check_same(ours, theirs, X)
    # Every node: the same splits at the same thresholds.
    splits = [
        sorted((int(f), float(t)) for f, t in zip(tree.feature, tree.threshold, strict=True) if f >= 0)
        for tree in (ours.tree_, theirs.tree_)
    ]
    assert splits[0] == splits[1]


@pytest.mark.parametrize("criterion", PAIRS)
@pytest.mark.parametrize(
    "settings", [{"min_samples_leaf": 15}, {"max_leaf_nodes": 8, "min_samples_leaf": 15}], ids=str
)
@pytest.mark.parametrize("seed", range(4))
def test_the_tree_of_columns_with_holes_is_the_same(criterion, settings, seed):
    X, signal = make_table(seed, holes=0.15)
    ours, theirs, _ = fit_both(criterion, X, signal, **settings)
    check_same(ours, theirs, X)
    assert ours.tree_.n_missing[0] > 0


@pytest.mark.parametrize("criterion", PAIRS)
@pytest.mark.parametrize("seed", range(3))
def test_holes_in_one_column_that_tell_the_outcome_are_the_same_split(criterion, seed):
    X, signal = make_table(seed)
    X[signal > np.quantile(signal, 0.7), 2] = np.nan
    ours, theirs, _ = fit_both(criterion, X, signal, min_samples_leaf=15)
    check_same(ours, theirs, X)
    assert ours.tree_.root.column == "x2"
    assert ours.tree_.root.n_missing == 180


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("seed", range(6))
def test_the_upper_levels_from_whole_counts_are_the_same(criterion, seed):
    X, signal = make_table(seed, rows=3000)
    ours, theirs, _ = fit_both(criterion, X, signal, np.ones(3000), max_depth=3)
    check_same(ours, theirs, X)


@pytest.mark.parametrize("criterion", PAIRS)
@pytest.mark.parametrize("seed", range(3))
def test_the_tree_of_weighted_rows_is_the_same(criterion, seed):
    X, signal = make_table(seed)
    weights = odd_weights(seed, len(X)) * (np.arange(len(X)) % 9 > 0)
    used = weights > 0
    # scikit-learn counts rows of weight zero for min_samples_leaf, so they are left out for it.
    ours, _, y = fit_both(criterion, X, signal, weights, min_samples_leaf=12)
    theirs = PAIRS[criterion][1](criterion=criterion, random_state=0, min_samples_leaf=12)
    theirs.fit(X[used], y[used], weights[used])
    check_same(ours, theirs, X[used])


@pytest.mark.parametrize("criterion", PAIRS)
def test_a_full_tree_answers_every_training_row_as_scikit_learn_does(criterion):
    X, signal = make_table(5)
    ours, theirs, y = fit_both(criterion, X, signal)
    np.testing.assert_array_equal(ours.predict(X), y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X))
    # Ties between columns are broken in other ways; the size stays near.
    assert abs(ours.get_n_leaves() - theirs.get_n_leaves()) <= 0.1 * theirs.get_n_leaves()


@pytest.mark.parametrize("seed", range(3))
def test_new_rows_are_answered_the_same(seed):
    X, signal = make_table(seed)
    fresh = np.random.default_rng(seed + 100).uniform(-50, 650, size=(5000, 4))
    fresh = fresh.astype(np.float32).astype(float)
    ours, theirs, _ = fit_both("squared_error", X, signal, min_samples_leaf=10)
    np.testing.assert_allclose(ours.predict(fresh), theirs.predict(fresh), rtol=1e-9)
    ours, theirs, _ = fit_both("gini", X, signal, min_samples_leaf=12)
    assert same_partition(ours.apply(fresh), theirs.apply(fresh))
    assert (ours.predict(fresh) == theirs.predict(fresh)).all()


@pytest.mark.parametrize("criterion", PAIRS)
def test_impurity_and_paths_are_the_same_numbers(criterion):
    X, signal = make_table(1)
    ours, theirs, _ = fit_both(criterion, X, signal, min_samples_leaf=12)
    np.testing.assert_allclose(ours.tree_.root.impurity, theirs.tree_.impurity[0], rtol=1e-12)
    by_row = ours.tree_.impurity[ours.apply(X)], theirs.tree_.impurity[theirs.apply(X)]
    np.testing.assert_allclose(*by_row, rtol=1e-7, atol=1e-7 * theirs.tree_.impurity[0])
    lengths = (np.asarray(m.decision_path(X).sum(axis=1)).ravel() for m in (ours, theirs))
    np.testing.assert_array_equal(*lengths)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize(
    "settings", [{}, {"max_depth": 3}, {"min_samples_leaf": 5}, {"max_leaf_nodes": 6}], ids=str
)
def test_accuracy_on_known_tables_is_near(load, criterion, settings):
    X, y = load(return_X_y=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=1)
    settings = {"criterion": criterion, **settings}
    ours = cross_val_score(DecisionTreeClassifier(**settings), X, y, cv=folds).mean()
    peers = [sklearn.tree.DecisionTreeClassifier(random_state=seed, **settings) for seed in range(3)]
    theirs = np.mean([cross_val_score(peer, X, y, cv=folds) for peer in peers])
    assert ours > theirs - 0.03
    assert ours > 0.85


@pytest.mark.parametrize(
    "settings", [{"max_depth": 3}, {"min_samples_leaf": 20}, {"max_leaf_nodes": 8}], ids=str
)
def test_error_on_the_diabetes_table_is_near(settings):
    X, y = load_diabetes(return_X_y=True)
    folds = KFold(10, shuffle=True, random_state=1)
    ours = cross_val_score(DecisionTreeRegressor(**settings), X, y, cv=folds).mean()
    peer = sklearn.tree.DecisionTreeRegressor(random_state=0, **settings)
    theirs = cross_val_score(peer, X, y, cv=folds).mean()
    assert ours > theirs - 0.02
    assert ours > 0.2


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
def test_training_rows_of_known_tables_are_learned_by_heart(load):
    X, y = load(return_X_y=True)
    assert DecisionTreeClassifier().fit(X, y).score(X, y) == 1.0

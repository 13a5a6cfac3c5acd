"""A criterion written by the user: the tree that the built-in one gives, errors that say what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from bough import (
    BoughError,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
)
from bough.data.examples import load


def gini(sums):
    total = sums.sum(axis=1)
    return total - np.divide((sums**2).sum(axis=1), total, out=np.zeros(len(sums)), where=total > 0)


def entropy(sums):
    total = sums.sum(axis=1, keepdims=True)
    ratio = np.divide(total, sums, out=np.ones_like(sums), where=sums > 0)
    return (sums * np.log2(ratio)).sum(axis=1)


def squared_error(sums):
    weight, total, squares = sums.T
    return squares - np.divide(total**2, weight, out=np.zeros(len(sums)), where=weight > 0)


def integers(seed, n=200, holes=True):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, (n, 4)).astype(float)
    if holes:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, rng.integers(0, 3, n)


@pytest.mark.parametrize(("name", "function"), [("gini", gini), ("entropy", entropy)])
@pytest.mark.parametrize("categories", ["multiway", "one_vs_rest"])
def test_a_criterion_in_python_grows_the_tree_of_the_built_in_one(name, function, categories):
    X, y = load("titanic")
    common = {"max_depth": 4, "min_samples_leaf": 3, "categories": categories}
    ours = DecisionTreeClassifier(criterion=function, **common).fit(X, y)
    theirs = DecisionTreeClassifier(criterion=name, **common).fit(X, y)
    for array in ("feature", "threshold", "value", "missing_child", "category_child"):
        np.testing.assert_array_equal(getattr(ours.tree_, array), getattr(theirs.tree_, array))
    np.testing.assert_allclose(ours.tree_.gain, theirs.tree_.gain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "settings", [{}, {"max_leaf_nodes": 9}, {"missing": "fractional"}, {"max_bins": 4}], ids=str
)
def test_gini_in_python_gives_the_same_tree_on_numbers(settings):
    X, y = integers(1)
    ours = DecisionTreeClassifier(criterion=gini, max_depth=5, **settings).fit(X, y).tree_
    theirs = DecisionTreeClassifier(max_depth=5, **settings).fit(X, y).tree_
    for array in ("feature", "threshold", "value", "missing_child"):
        np.testing.assert_array_equal(getattr(ours, array), getattr(theirs, array))


@pytest.mark.parametrize(
    "settings", [{}, {"max_leaf_nodes": 9}, {"missing": "branch"}, {"max_bins": 300}], ids=str
)
@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_columns_of_many_values(kind, settings):
    """More than 255, which are kept sorted, or as numbers of two bytes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    X[rng.random(X.shape) < 0.05] = np.nan
    classes = kind is DecisionTreeClassifier
    y = rng.integers(0, 3, 600) if classes else rng.normal(size=600)
    own = kind(criterion=gini if classes else squared_error, max_depth=4, **settings).fit(X, y).tree_
    usual = kind(max_depth=4, **settings).fit(X, y).tree_
    assert usual.n_leaves > 8
    for array in ("feature", "threshold", "value", "missing_child"):
        np.testing.assert_array_equal(getattr(own, array), getattr(usual, array))


@pytest.mark.parametrize("forest", [ExtraTreesClassifier, RandomForestClassifier])
def test_forests_ask_it_too(forest):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 3)), rng.integers(0, 3, 600)
    X[:300, 1] = np.round(X[:300, 1])
    same = {"n_estimators": 3, "random_state": 0, "max_depth": 4}
    own = forest(criterion=gini, **same).fit(X, y).ensemble_.trees
    for one, other in zip(own, forest(**same).fit(X, y).ensemble_.trees, strict=True):
        for array in ("feature", "threshold", "value"):
            np.testing.assert_array_equal(getattr(one, array), getattr(other, array))


def test_the_digest_is_that_of_gini_where_gini_is_exact():
    # Powers of two: no quotient rounds.
    X = np.repeat(np.arange(8.0), 8)[:, None]
    y = (X[:, 0] >= 4).astype(int)
    ours = DecisionTreeClassifier(criterion=gini).fit(X, y)
    assert ours.digest() == DecisionTreeClassifier(criterion="gini").fit(X, y).digest()


def test_squared_error_in_python():
    X, y = integers(2, holes=False)
    y = y * 4.0 + X[:, 0]
    ours = DecisionTreeRegressor(criterion=squared_error, max_depth=3).fit(X, y)
    theirs = DecisionTreeRegressor(max_depth=3).fit(X, y)
    assert ours.tree_.feature.tolist() == theirs.tree_.feature.tolist()
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
    np.testing.assert_allclose(ours.tree_.impurity, theirs.tree_.impurity, rtol=1e-9)


def test_the_sums_are_class_weights_or_moments():
    seen = []

    def watch(sums):
        seen.append(sums)
        return gini(sums)

    X, y = [[0.0], [1.0], [2.0]], [0, 1, 1]
    DecisionTreeClassifier(criterion=watch, max_depth=1).fit(X, y, sample_weight=[2.0, 1.0, 1.0])
    assert seen[0].tolist() == [[2.0, 2.0]]
    seen.clear()
    DecisionTreeRegressor(
        criterion=lambda sums: (seen.append(sums), squared_error(sums))[1], max_depth=1
    ).fit(X, [1.0, 2.0, 4.0])
    np.testing.assert_allclose(seen[0], [[3.0, 7.0, 21.0]], rtol=1e-12)


def test_a_loss_of_your_own_decides():
    # Mistakes on class 1 cost ten times those on class 0, in the choice of the splits, too.
    def costly(sums):
        return np.minimum(sums[:, 0], 10 * sums[:, 1])

    # Candidate cuts: "x0" separates all but one row of class 1, "x1" all but two of class 0.
    X = np.array([[0, 0], [0, 0], [0, 0], [0, 1], [0, 1], [0, 1], [1, 1], [1, 1]], dtype=float)
    y = np.array([0, 0, 0, 0, 0, 1, 1, 1])
    assert DecisionTreeClassifier(criterion="error", max_depth=1).fit(X, y).tree_.root.column == "x0"
    assert DecisionTreeClassifier(criterion=costly, max_depth=1).fit(X, y).tree_.root.column == "x1"


def test_a_compiled_criterion_may_run_in_threads():
    numba = pytest.importorskip("numba")

    @numba.cfunc("float64(CPointer(float64), int64)")
    def compiled(sums, n):
        total = squares = 0.0
        for k in range(n):
            total += sums[k]
            squares += sums[k] * sums[k]
        return total - squares / total if total > 0 else 0.0

    X, y = integers(3)
    one, two = (DecisionTreeClassifier(criterion=compiled, n_jobs=n).fit(X, y).digest() for n in (1, 2))
    assert one == two
    assert one == DecisionTreeClassifier(criterion=gini).fit(X, y).digest()


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
@pytest.mark.parametrize(
    ("criterion", "text"),
    [
        (lambda sums: sums, "shape"),
        (lambda sums: 0.0, "shape"),
        (lambda sums: sums[:, 0] * np.nan, "NaN or infinity"),
        (lambda sums: sums[:, 0] + np.inf, "NaN or infinity"),
        (lambda sums: "x", "shape"),
        (lambda sums: None, "shape"),
    ],
)
def test_a_criterion_that_gives_no_losses_is_refused(kind, criterion, text):
    with pytest.raises(BoughError, match=f"^the criterion gave .*{text}|^criterion") as caught:
        kind(criterion=criterion).fit([[1.0], [2.0], [3.0]], [0, 1, 0])
    assert caught.value.code == "parameter"


def test_an_error_inside_the_criterion_comes_out_as_it_is():
    def broken(sums):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        DecisionTreeClassifier(criterion=broken).fit([[1.0], [2.0]], [0, 1])

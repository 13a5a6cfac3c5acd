"""Shapley values against their definition, over all sets of columns, for every kind of split."""

from __future__ import annotations

import signal
import time
from itertools import combinations
from math import factorial

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier
from sklearn.datasets import load_breast_cancer

from bough import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BoughError,
    C45Classifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from bough.data.examples import load
from bough.data.ingest import to_table
from bough.explain.shap import shap_values
from bough.pruning.routes import Router
from bough.tree import Ensemble
from bough.tree.condition import SPREAD, STAY


def told(tree, values, router, row, columns, node=0, other=None):
    """The answer for a row of which only these columns are known: as the module defines it, node by node."""
    if tree.feature[node] < 0:
        return values[node]
    children = range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
    weight = tree.weight[list(children)]

    def go(which):
        return told(tree, values, router, row, columns, which, other)

    source = row if tree.feature[node] in columns else other
    if source is not None:
        _, way = router.answers(np.array([node]), np.array([source]))
        if way[0] == STAY:
            return values[node]
        if way[0] != SPREAD:
            return go(children[way[0]])
        return sum(w / weight.sum() * go(c) for w, c in zip(weight, children, strict=True) if w)
    whole = max(tree.weight[node], weight.sum()) if tree.missing_child[node] == STAY else weight.sum()
    stays = max(0.0, whole - weight.sum()) * values[node]
    return (stays + sum(w * go(c) for w, c in zip(weight, children, strict=True) if w)) / whole


def by_definition(tree, values, data, row, other=None):
    """Shapley's formula, columns by outputs."""
    router = Router(tree, data)
    n = len(tree.fields)
    found = np.zeros((n, values.shape[1]))
    for j in range(n):
        rest = [k for k in range(n) if k != j]
        for size in range(n):
            weight = factorial(size) * factorial(n - size - 1) / factorial(n)
            for some in combinations(rest, size):
                with_it = told(tree, values, router, row, {*some, j}, other=other)
                found[j] += weight * (with_it - told(tree, values, router, row, set(some), other=other))
    return found


def table(seed, n=60):
    """Numbers, categories and holes in every column."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(1),
            "b": rng.integers(0, 4, n).astype(float),
            "c": np.array(list("uvwxy"), dtype=object)[rng.integers(0, 5, n)],
            "d": np.array(["no", "yes"], dtype=object)[rng.integers(0, 2, n)],
        }
    )
    score = X["a"] + X["b"] * (X["c"] > "v") + 2 * (X["d"] == "yes") + rng.normal(size=n)
    for name in X:
        X.loc[rng.random(n) < 0.15, name] = None if X[name].dtype == object else np.nan
    return X, score.to_numpy(), np.digitize(score, [1.0, 3.0])


KINDS = [
    {"missing": missing, "categories": categories}
    for missing in ("learn", "branch", "fractional", "stop", "majority", "surrogate")
    for categories in ("subset", "multiway")
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("model", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_every_kind_of_split_has_the_values_of_the_definition(model, kind):
    X, number, group = table(len(str(kind)))
    y = group if model is DecisionTreeClassifier else number
    fitted = model(max_depth=4, min_samples_leaf=2, **kind).fit(X, y)
    tree = fitted.tree_
    values = tree.shares if tree.classes is not None else tree.value
    found = shap_values(tree, X)
    answer = fitted.predict(X) if tree.classes is None else fitted.predict_proba(X)
    np.testing.assert_allclose(found.outputs, answer, atol=1e-9)
    data = to_table(X, fields=tree.fields)
    for row in range(0, 60, 13):
        expected = by_definition(tree, values, data, row)
        np.testing.assert_allclose(found.values[row].reshape(expected.shape), expected, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS[::3], ids=str)
def test_a_background_table_has_the_values_of_its_definition(kind):
    X, number, _ = table(7)
    tree = DecisionTreeRegressor(max_depth=4, min_samples_leaf=2, **kind).fit(X, number).tree_
    found = shap_values(tree, X, background=X[:5])
    np.testing.assert_allclose(found.outputs, tree.predict(X), atol=1e-9)
    assert found.base_values == pytest.approx(tree.predict(X[:5]).mean())
    data = to_table(X, fields=tree.fields)
    for row in (8, 30):
        expected = np.mean([by_definition(tree, tree.value, data, row, other) for other in range(5)], axis=0)
        np.testing.assert_allclose(found.values[row][:, None], expected, atol=1e-12)


def test_a_background_row_of_plain_numbers_mixes_columns_of_two_rows():
    # The definition once more, by asking the tree itself for mixed rows.
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 3))
    tree = DecisionTreeRegressor(max_depth=5).fit(X, X[:, 0] * X[:, 1] + X[:, 2]).tree_
    x, b = X[0], X[1]

    def value(known):
        mixed = np.where(np.isin(np.arange(3), list(known)), x, b)
        return tree.predict(mixed[None])[0]

    expected = np.zeros(3)
    for j in range(3):
        for size in range(3):
            for some in combinations([k for k in range(3) if k != j], size):
                weight = factorial(size) * factorial(2 - size) / 6
                expected[j] += weight * (value({*some, j}) - value(some))
    np.testing.assert_allclose(shap_values(tree, x[None], background=b[None]).values[0], expected, atol=1e-12)


def test_a_column_asked_many_times_on_one_path():
    X = np.arange(64.0).reshape(-1, 1)
    tree = DecisionTreeRegressor().fit(X, np.arange(64.0) ** 2).tree_
    found = shap_values(tree, X)
    np.testing.assert_allclose(found.values[:, 0], tree.predict(X) - (np.arange(64.0) ** 2).mean(), atol=1e-9)


def test_a_tree_deeper_than_pythons_stack():
    n = 1500  # every other row is of the other class: the best cut takes one row off the end
    X = np.column_stack([np.arange(n), np.arange(n) % 7]).astype(float)
    tree = DecisionTreeClassifier().fit(X[:, :1], np.arange(n) % 2).tree_
    assert tree.max_depth > 1000
    some = X[::300, :1]
    np.testing.assert_allclose(shap_values(tree, some).outputs, tree.predict_proba(some), atol=1e-9)


def test_one_leaf_and_a_constant_column_say_nothing():
    X = np.column_stack([np.ones(8), np.arange(8)])
    flat = shap_values(DecisionTreeRegressor(max_depth=0).fit(X, np.arange(8.0)).tree_, X)
    assert flat.base_values == 3.5
    assert not flat.values.any()
    assert not shap_values(DecisionTreeRegressor().fit(X, np.arange(8.0)).tree_, X).values[:, 0].any()


def ensemble(models, combine, classes, weights, **more):
    trees = tuple(m.tree_ for m in models)
    given = {"output": np.zeros(len(trees), np.int32), "base": np.zeros(0)} | more
    return Ensemble(trees, trees[0].fields, classes, combine, np.array(weights, float), **given)


def test_ensembles_add_up_to_what_they_say():
    X, number, group = table(11)
    forest = [
        DecisionTreeClassifier(max_depth=3, max_features=2, random_state=s).fit(X, group) for s in range(4)
    ]
    mean = ensemble(forest, "mean", forest[0].classes_, [1, 2, 3, 4])
    found = shap_values(mean, X)
    np.testing.assert_allclose(found.outputs, mean.predict_proba(X), atol=1e-9)
    parts = [w / 10 * shap_values(m.tree_, X).values for m, w in zip(forest, (1, 2, 3, 4), strict=True)]
    np.testing.assert_allclose(found.values, sum(parts), atol=1e-12)
    vote = ensemble(forest, "vote", forest[0].classes_, [1, 2, 3, 4])
    np.testing.assert_allclose(shap_values(vote, X).outputs, vote.predict_proba(X), atol=1e-9)
    boosted = [DecisionTreeRegressor(max_depth=2).fit(X, number + k) for k in range(4)]
    summed = ensemble(
        boosted,
        "sum",
        np.arange(3),
        [0.1, 0.2, 0.3, 0.4],
        output=np.array([0, 1, 2, 0], np.int32),
        base=np.array([0.5, 0.0, -1.0]),
        link="softmax",
    )
    np.testing.assert_allclose(shap_values(summed, X).outputs, summed.raw(X), atol=1e-9)
    some = shap_values(summed, X, background=X[:6])
    np.testing.assert_allclose(some.outputs, summed.raw(X), atol=1e-9)
    np.testing.assert_allclose(some.base_values, summed.raw(X[:6]).mean(axis=0), atol=1e-9)


def test_the_methods_of_the_estimators():
    X, y = load_breast_cancer(return_X_y=True)
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    found = model.shap_values(X[:50])
    assert found.values.shape == (50, 30, 2)
    np.testing.assert_allclose(found.outputs, model.predict_proba(X[:50]), atol=1e-9)
    columns, target = load("titanic")
    tree = C45Classifier().fit(columns, target)
    found = tree.shap_values(columns)
    np.testing.assert_allclose(found.outputs, tree.predict_proba(columns), atol=1e-9)
    assert found.feature_names[np.abs(found.values[:, :, 1]).mean(axis=0).argmax()] == "sex"


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(n_estimators=5, max_depth=4, random_state=0),
        ExtraTreesClassifier(n_estimators=5, max_depth=4, random_state=0),
        GradientBoostingClassifier(n_estimators=5),
        RandomForestRegressor(n_estimators=5, missing="fractional", random_state=0),
        GradientBoostingRegressor(n_estimators=5, loss="poisson"),
    ],
    ids=repr,
)
def test_forests_and_boosting_on_strings_and_holes(model):
    X, number, group = table(3)
    answers = group if is_classifier(model) else np.abs(number)
    model.fit(X, answers)
    found = model.shap_values(X)
    raw = model.ensemble_.raw(X)
    np.testing.assert_allclose(found.outputs, raw if found.outputs.ndim == 2 else raw[:, 0], atol=1e-9)
    some = model.shap_values(X[:9], background=X[20:26])
    np.testing.assert_allclose(some.outputs, found.outputs[:9], atol=1e-9)
    assert found.feature_names == ("a", "b", "c", "d")


def test_a_median_has_no_exact_values():
    model = AdaBoostRegressor(n_estimators=3).fit(np.arange(20.0).reshape(-1, 1), np.arange(20.0) ** 2)
    with pytest.raises(BoughError, match="weighted median"):
        model.shap_values([[1.0]])


def test_rows_that_go_down_together_alone_and_in_threads_have_the_same_values():
    X, _, group = table(5, n=203)  # three blocks of rows, the last of them not full
    model = RandomForestClassifier(n_estimators=7, missing="surrogate", random_state=0).fit(X, group)
    whole = shap_values(model.ensemble_, X)
    alone = [shap_values(model.ensemble_, X.iloc[i : i + 1]).values[0] for i in range(len(X))]
    np.testing.assert_array_equal(whole.values, np.stack(alone))
    np.testing.assert_array_equal(whole.values, shap_values(model.ensemble_, X, threads=4).values)


def test_it_hears_ctrl_c():
    X = np.random.default_rng(0).normal(size=(4000, 10))
    tree = DecisionTreeRegressor().fit(X, X[:, 0] * X[:, 1] + X[:, 2]).tree_  # half a minute or more
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            shap_values(tree, np.tile(X, (40, 1)))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 10

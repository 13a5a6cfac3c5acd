"""Odd columns and numbers at the edges are told apart exactly."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from estimators.refusing import refused

from bough import BoughError, DecisionTreeClassifier, DecisionTreeRegressor

# ---- odd columns -----------------------------------------------------------------------------------------


def test_an_all_missing_column_is_never_asked():
    model = DecisionTreeClassifier().fit({"void": [None] * 4, "a": [1, 2, 3, 4]}, [0, 0, 1, 1])
    assert model.tree_.root.column == "a"
    assert model.predict({"void": [3.0], "a": [4]}).tolist() == [1]
    alone = DecisionTreeClassifier().fit({"void": [None] * 4}, [0, 0, 1, 1])
    assert alone.get_n_leaves() == 1


def test_a_constant_column_is_never_asked():
    for constant in (5, "x", True, dt.date(2020, 1, 1)):
        assert DecisionTreeClassifier().fit({"c": [constant] * 4}, [0, 0, 1, 1]).get_n_leaves() == 1


def test_dates_are_ordered():
    days = [dt.date(2024, 1, 1), dt.date(2024, 1, 2), dt.date(2024, 3, 1), None]
    model = DecisionTreeClassifier().fit({"day": days}, ["old", "old", "new", "new"])
    assert model.predict({"day": [dt.date(1, 1, 1), dt.date(9999, 12, 31), None]}).tolist() == [
        "old",
        "new",
        "new",
    ]
    assert model.predict(pd.DataFrame({"day": pd.to_datetime(["2024-02-01", "2024-01-31"])})).tolist() == [
        "new",
        "old",
    ]
    assert model.predict({"day": [dt.datetime(2024, 1, 2, 12)]}).tolist() == ["old"]


def test_text_that_looks_alike_is_not_the_same_category():
    texts = ["", " ", "a", "A", "a ", "\u00e4", "a\u0308", "\n", "nan", "None"]
    y = list(range(len(texts)))
    model = DecisionTreeClassifier(categories="multiway").fit({"t": texts}, y)
    assert model.predict({"t": texts}).tolist() == y
    subset = DecisionTreeRegressor().fit({"t": texts}, y)
    assert subset.predict({"t": texts}).tolist() == y


def test_bytes_are_the_text_they_spell():
    model = DecisionTreeClassifier().fit({"t": [b"a", b"b", b"\xc3\xa4"]}, [0, 1, 2])
    assert model.predict({"t": ["a", "b", "\u00e4"]}).tolist() == [0, 1, 2]


def test_booleans_are_categories_and_numbers_for_them_are_fine():
    model = DecisionTreeClassifier().fit({"b": [True, False, None]}, ["t", "f", "f"])
    assert model.predict({"b": [1, 0, None, 1.0]}).tolist() == ["t", "f", "f", "t"]
    refused(lambda: model.predict({"b": [2]}), 'column "b", row 0: the value is 2', "column")


def test_decimals_and_fractions_are_numbers():
    model = DecisionTreeClassifier().fit({"a": [Decimal("0.1"), Decimal("0.3"), Fraction(1, 2)]}, [0, 1, 2])
    assert model.predict({"a": [0.1, 0.3, 0.5]}).tolist() == [0, 1, 2]


def test_a_hundred_thousand_categories():
    n = 100_000
    names = [f"k{i:06d}" for i in range(n)]
    for model in (DecisionTreeClassifier(), DecisionTreeClassifier(categories="multiway")):
        model.fit({"id": names}, np.arange(n) % 3)
        assert model.score({"id": names}, np.arange(n) % 3) == 1.0
        assert model.predict({"id": ["no such", None]}).shape == (2,)


def test_ten_thousand_columns():
    X = np.random.default_rng(0).random((20, 10_000))
    y = np.arange(20) % 2
    X[:, 7_000] = y
    model = DecisionTreeClassifier(n_jobs=2).fit(X, y)
    assert model.tree_.n_nodes == 3
    assert model.score(X, y) == 1.0


# ---- numbers at the edges --------------------------------------------------------------------------------

EDGES = {
    "1e308 and 1.7e308": [-1.7e308, -1e308, 1e308, 1.7e308],
    "neighbours of 1": [np.nextafter(1, 0), 1.0, np.nextafter(1, 2), 1.5],
    "denormals": [-5e-324, 0.0, 5e-324, 1e-323],
    "the smallest normal and below": [2.2250738585072014e-308, 2.225073858507201e-308, 0.0, -5e-324],
    "largest and smallest": [-np.finfo(float).max, -5e-324, 5e-324, np.finfo(float).max],
    "2^53 and beyond as floats": [2.0**53, 2.0**53 + 2, 2.0**60, 2.0**60 + 256],
    "2^24 and beyond": [2**24, 2**24 + 1, 2**24 + 2, 2**53],
    "powers of ten": [1e-300, 1e-100, 1e100, 1e300],
}


@pytest.mark.parametrize("case", EDGES)
@pytest.mark.parametrize("swap", [False, True])
def test_columns_with_numbers_at_the_edges_are_told_apart_exactly(case, swap):
    values = EDGES[case][::-1] if swap else EDGES[case]
    X = np.array(values).reshape(-1, 1)
    model = DecisionTreeClassifier().fit(X, [0, 1, 2, 3])
    assert model.predict(X).tolist() == [0, 1, 2, 3]
    assert np.isfinite(model.tree_.threshold).all()
    for node in model.tree_.nodes():
        if not node.is_leaf:
            left = sorted(v for v in values if v <= node.threshold)
            assert left
            assert len(left) < 4
    numbers = DecisionTreeRegressor().fit(X, [0.0, 1.0, 2.0, 3.0])
    assert numbers.predict(X).tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    "y",
    [
        [1e200, -1e200, 0.0, 5e199],
        [1e-200, -1e-200, 0.0, 5e-201],
        [1e308, 1.7e308, -1.7e308, 0.0],
        [5e-324, 1e-323, 0.0, -5e-324],
        [1e15, 1e15 + 1, 1e15 + 2, 1e15 - 1],
        [2.0**52, 2.0**52 + 1, 2.0**52 + 2, 2.0**52 + 3],
    ],
    ids=str,
)
def test_targets_at_the_edges_are_answered_exactly(y):
    X = np.arange(4.0).reshape(-1, 1)
    model = DecisionTreeRegressor().fit(X, y)
    assert model.predict(X).tolist() == y
    mean = DecisionTreeRegressor(max_depth=0).fit(X, y).predict([[0]])[0]
    exact = float(sum(map(Fraction, y)) / 4)
    assert abs(mean - exact) <= abs(np.spacing(exact))


@pytest.mark.parametrize("y", [[1e200, 1.0, 0.0], [1e20, 1.0, 0.0], [1e300, 1e200, 1e100]], ids=str)
def test_targets_of_very_different_sizes_are_told_apart(y):
    X = np.arange(float(len(y))).reshape(-1, 1)
    assert DecisionTreeRegressor().fit(X, y).predict(X).tolist() == y


@pytest.mark.parametrize("scale", [1e-200, 1e-160, 1.0, 1e150, 1e200, 1e300])
def test_the_scale_of_the_target_does_not_change_the_tree_nor_the_importances(scale):
    rng = np.random.default_rng(1)
    X = rng.random((60, 3))
    y = X[:, 0] + 0.3 * rng.random(60) + (X[:, 1] > 0.5)
    expected = DecisionTreeRegressor(max_depth=4).fit(X, y)
    model = DecisionTreeRegressor(max_depth=4).fit(X, y * scale)
    assert (model.apply(X) == expected.apply(X)).all()
    np.testing.assert_allclose(model.predict(X), expected.predict(X) * scale, rtol=1e-12)
    np.testing.assert_allclose(model.feature_importances_, expected.feature_importances_, rtol=1e-6)


def test_an_offset_of_the_target_does_not_change_the_tree():
    rng = np.random.default_rng(2)
    X, y = rng.random((200, 3)), rng.integers(0, 1000, 200).astype(float)
    expected = DecisionTreeRegressor(min_samples_leaf=5).fit(X, y)
    model = DecisionTreeRegressor(min_samples_leaf=5).fit(X, y + 2.0**44)
    assert (model.apply(X) == expected.apply(X)).all()
    np.testing.assert_allclose(model.tree_.impurity, expected.tree_.impurity, rtol=1e-9)


def test_a_failed_fit_leaves_a_fitted_model_as_it_was():
    model = DecisionTreeClassifier().fit([[1], [2]], ["a", "b"])
    with pytest.raises(BoughError):
        model.fit([[1, 5], [2, 6]], ["x", None])
    assert model.predict([[1], [2]]).tolist() == ["a", "b"]
    assert model.n_features_in_ == 1
    assert model.classes_.tolist() == ["a", "b"]

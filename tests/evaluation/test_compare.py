"""Tests of bough.compare: the same folds, paired intervals on constructed data, forms."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

import bough
from bough.data.examples import load
from bough.evaluation import compare, evaluate


class Told(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Answers with a column of the data."""

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def fit(self, X: Any, y: Any) -> Told:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return X[:, self.column]


def constructed() -> tuple[Any, Any]:
    """400 rows; the first model errs on 100, the second on 80 of these and on 4 others."""
    y = np.tile([0, 1], 200)
    first, second = y.copy(), y.copy()
    first[:100] = 1 - y[:100]
    second[:80] = 1 - y[:80]
    second[300:304] = 1 - y[300:304]
    return np.column_stack([first, second]), y


def test_the_paired_interval_knows_that_the_mistakes_are_shared() -> None:
    X, y = constructed()
    found = compare({"a": Told(0), "b": Told(1)}, X, y, bootstrap=4000)
    apart = found.difference("b", "accuracy")
    assert apart.value == pytest.approx(16 / 400)
    # 20 rows better, 4 worse: the variance of the paired difference of shares.
    spread = np.sqrt((24 / 400 - (16 / 400) ** 2) / 400)
    z = norm.ppf(0.975)
    assert (apart.low, apart.high) == pytest.approx((0.04 - z * spread, 0.04 + z * spread), abs=0.004)
    assert apart.clear
    assert apart.better
    alone = [evaluate(Told(i), X, y)["accuracy"] for i in (0, 1)]
    assert alone[1].low < alone[0].high  # the intervals of each alone overlap


def test_equal_models_do_not_differ() -> None:
    X, y = load("titanic")
    tree = bough.DecisionTreeClassifier(max_leaf_nodes=6)
    found = compare([tree, bough.DecisionTreeClassifier(max_leaf_nodes=6)], X, y, bootstrap=100)
    assert list(found.evaluations) == ["DecisionTreeClassifier 1", "DecisionTreeClassifier 2"]
    assert all(d.value == d.low == d.high == 0 for d in found.differences)
    assert not any(d.clear or d.better for d in found.differences)


def test_each_model_is_evaluated_as_alone_on_the_same_folds() -> None:
    X, y = load("titanic")
    models = {"tree": bough.DecisionTreeClassifier(max_leaf_nodes=6), "C4.5": bough.C45Classifier()}
    found = compare(models, X, y, cv=5, random_state=2, bootstrap=50)
    for name, model in models.items():
        alone = evaluate(model, X, y, cv=5, random_state=2, bootstrap=50)
        assert found.evaluations[name].to_dict() == alone.to_dict()
    one, two = found.evaluations.values()
    np.testing.assert_array_equal(one.answers.rows, two.answers.rows)


def test_numbers_and_weights() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    y = np.sign(X[:, 0]) + 0.1 * random.normal(size=300)
    models = {"stump": bough.DecisionStumpRegressor(), "deep": bough.DecisionTreeRegressor()}
    found = compare(models, X, y, sample_weight=random.integers(1, 3, 300), bootstrap=200)
    worse = found.difference("deep", "rmse")
    assert worse.value > 0
    assert not worse.better
    assert found.difference("deep", "r2").value < 0


def test_forms_and_wrong_wishes() -> None:
    X, y = constructed()
    found = compare({"a": Told(0), "<b>": Told(1)}, X, y)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["differences"][0]["from"] == "a"
    assert "*" in str(found)
    assert "<b>" not in found._repr_html_()
    with pytest.raises(bough.BoughError, match="too few to compare"):
        compare([Told(0)], X, y)
    with pytest.raises(bough.BoughError, match="some with numbers"):
        compare([Told(0), bough.DecisionTreeRegressor()], X, y)
    with pytest.raises(bough.BoughError, match="no difference"):
        found.difference("c", "accuracy")


def test_other_learners_beside_trees() -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(200, 2))
    y = X[:, 0] + X[:, 1] > 0
    found = compare(
        {"stump": bough.DecisionStumpClassifier(), "line": LogisticRegression()}, X, y, bootstrap=200
    )
    assert found.difference("line", "accuracy").better

"""Subtrees of few rows that grow in one go (native/thicket.hpp) are those that grow node by node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bough import DecisionTreeClassifier, DecisionTreeRegressor

N = 3000
# No leaf is lighter than one row, so this limit changes nothing; but with it every node is split by itself.
USUAL = {"min_weight_fraction_leaf": 1e-12}
CHANGES: list[dict[str, Any]] = [
    {},
    {"min_samples_leaf": 4, "max_depth": 9},
    {"min_samples_split": 20, "min_impurity_decrease": 1e-4},
    {"zero_gain_splits": False},
    {"missing": "stop"},
    {"missing": "fractional"},
    {"missing": "branch"},
]


def table(rows: int = N, seed: int = 0) -> NDArray[np.float64]:
    """Real numbers, whole ones, few values, indicators of which most are rare, a constant."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 24))
    X[:, 1] = rng.integers(0, 700, rows)
    X[:, 2] = np.round(X[:, 2], 1)
    X[:, 3] = 4.0
    X[:, 4] = np.where(rng.random(rows) < 0.5, -0.0, X[:, 4])
    X[:, 5:20] = rng.integers(0, 15, rows)[:, None] == np.arange(15)
    X[:, 20] = rng.random(rows) < 0.9
    return X


X = table()
SCORE = X[:, 0] + X[:, 1] / 300 + X[:, 6] + X[:, 20] + np.random.default_rng(1).normal(size=N)


def same(one: Any, other: Any) -> None:
    assert one.digest() == other.digest()
    for name in ("gain", "impurity", "weight", "n_rows"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), strict=True)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("classes", [2, 3, 7, 40, 300])
@pytest.mark.parametrize("changes", CHANGES)
def test_classes(criterion: str, classes: int, changes: dict[str, Any]) -> None:
    target = np.argsort(np.argsort(SCORE)) * classes // N
    model = DecisionTreeClassifier(criterion=criterion, **changes)
    usual = DecisionTreeClassifier(criterion=criterion, **changes, **USUAL)
    same(model.fit(X, target).tree_, usual.fit(X, target).tree_)


@pytest.mark.parametrize("classes", [2, 5])
def test_classes_by_columns_of_many_values_alone(classes: int) -> None:
    """Then two classes have lists of two bytes (native/binary_thicket.hpp), and no record is counted."""
    many, target = X[:, [0, 1, 21, 22, 23]], np.argsort(np.argsort(SCORE)) * classes // N
    for changes in CHANGES:
        model, usual = DecisionTreeClassifier(**changes), DecisionTreeClassifier(**changes, **USUAL)
        same(model.fit(many, target).tree_, usual.fit(many, target).tree_)


@pytest.mark.parametrize("changes", CHANGES)
@pytest.mark.parametrize(
    "target",
    [SCORE, np.round(SCORE), 1e9 + 1e-3 * SCORE, np.where(SCORE > 3, 1e200, 1e-200), SCORE.round(3) * 1e-300],
)
def test_numbers(changes: dict[str, Any], target: NDArray[np.float64]) -> None:
    model, usual = DecisionTreeRegressor(**changes), DecisionTreeRegressor(**changes, **USUAL)
    same(model.fit(X, target).tree_, usual.fit(X, target).tree_)


@pytest.mark.parametrize("seed", range(20))
def test_small_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(5, 300))
    features = table(rows, seed)[:, rng.permutation(24)[: int(rng.integers(1, 24))]]
    target = rng.integers(0, 3, rows)
    same(
        DecisionTreeClassifier().fit(features, target).tree_,
        DecisionTreeClassifier(**USUAL).fit(features, target).tree_,
    )
    same(
        DecisionTreeRegressor().fit(features, target).tree_,
        DecisionTreeRegressor(**USUAL).fit(features, target).tree_,
    )


@pytest.mark.parametrize("share", [0.0002, 0.05])
def test_missing_values_somewhere(share: float) -> None:
    holes = np.where(np.random.default_rng(3).random(X.shape) < share, np.nan, X)
    target = (np.median(SCORE) < SCORE).astype(int) + (SCORE > 5)
    same(
        DecisionTreeClassifier().fit(holes, target).tree_,
        DecisionTreeClassifier(**USUAL).fit(holes, target).tree_,
    )


def test_many_columns_and_threads() -> None:
    features = np.random.default_rng(5).normal(size=(400, 3000))
    for threads in (1, 2):
        same(
            DecisionTreeRegressor(n_jobs=threads).fit(features, SCORE[:400]).tree_,
            DecisionTreeRegressor(**USUAL).fit(features, SCORE[:400]).tree_,
        )


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("changes", CHANGES[:4])
@pytest.mark.parametrize("rows", [260, 1500, 2300])
def test_two_classes_in_lists_of_two_bytes(criterion: str, changes: dict[str, Any], rows: int) -> None:
    """native/binary_thicket.hpp, where all columns are sorted: some with ties, one that decides most."""
    rng = np.random.default_rng(rows)
    features = rng.normal(size=(rows, 257))
    features[:, ::3] = np.round(features[:, ::3] * 150)
    target = features[:, 3] / 150 + features[:, 1] * features[:, 2] + rng.normal(size=rows) > 0.5
    usual = DecisionTreeClassifier(criterion=criterion, **changes, **USUAL).fit(features, target).tree_
    for threads in (1, 2):
        model = DecisionTreeClassifier(criterion=criterion, n_jobs=threads, **changes)
        same(model.fit(features, target).tree_, usual)
    features[rng.random(features.shape) < 0.0005] = np.nan
    usual = DecisionTreeClassifier(criterion=criterion, **changes, **USUAL).fit(features, target).tree_
    same(model.fit(features, target).tree_, usual)

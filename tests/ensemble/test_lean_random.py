"""Random cuts of categories and of columns with holes: the shorter way (native/lean) grows the trees that the
usual way grows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from bough import ExtraTreesClassifier, ExtraTreesRegressor

N = 900
USUAL = {"min_weight_fraction_leaf": 1e-12}  # changes nothing, but with it trees grow the usual way


def categories(levels: int, seed: int, holes: float = 0.0) -> Any:
    rng = np.random.default_rng(seed)
    codes = np.minimum(rng.geometric(min(0.5, 4 / levels), N) - 1, levels - 1)
    return pd.Categorical.from_codes(
        np.where(rng.random(N) < holes, -1, codes), [f"level {i}" for i in range(levels)]
    )


def with_holes(values: NDArray[np.float64], share: float, seed: int) -> NDArray[np.float64]:
    return np.where(np.random.default_rng(seed).random(N) < share, np.nan, values)


def frame() -> pd.DataFrame:
    """Categories of few and of many levels, real and whole numbers, with and without holes; one column has
    one value and holes, one a category and holes, one no value at all."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "two": categories(2, 1),
            "seven": categories(7, 2, 0.2),
            "many": categories(300, 3),
            "many_holes": categories(500, 4, 0.1),
            "most_unused": categories(70_000, 5, 0.05),
            "one": pd.Categorical.from_codes(np.where(rng.random(N) < 0.3, -1, 1), ["a", "b", "c"]),
            "real": rng.normal(size=N),
            "real_holes": with_holes(np.exp(3.0 * rng.normal(size=N)), 0.15, 6),
            "whole_holes": with_holes(rng.integers(-3, 9, N).astype(float), 0.4, 7),
            "same_holes": with_holes(np.full(N, 2.5), 0.5, 8),
            "empty": np.full(N, np.nan),
        }
    )


X = frame()
SCORE = (
    X["seven"].cat.codes.to_numpy() % 3
    + X["many"].cat.codes.to_numpy() % 2
    + X["real"].to_numpy()
    + np.isnan(X["real_holes"].to_numpy())
    + np.random.default_rng(1).normal(size=N)
)


def digests(model: Any, target: NDArray[Any], features: Any = X, **fit: Any) -> list[str]:
    return [tree.digest() for tree in model.fit(features, target, **fit).ensemble_.trees]


def same_both_ways(forest: Any, target: NDArray[Any], features: Any = X, **params: Any) -> None:
    given = {"n_estimators": 4, "random_state": 5, **params}
    assert digests(forest(**given), target, features) == digests(forest(**given, **USUAL), target, features)


@pytest.mark.parametrize("classes", [2, 3, 12])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"criterion": "entropy", "max_features": None},
        {"bootstrap": True, "min_samples_leaf": 4, "max_depth": 9},
        {"max_samples": 0.4, "bootstrap": True, "min_impurity_decrease": 1e-3, "min_samples_split": 20},
        {"ties": "random", "max_features": 3, "zero_gain_splits": False},
        {"class_weight": "balanced_subsample", "bootstrap": True},
    ],
)
def test_classes(classes: int, changes: dict[str, Any]) -> None:
    same_both_ways(ExtraTreesClassifier, np.argsort(np.argsort(SCORE)) * classes // N, **changes)


@pytest.mark.parametrize(
    "changes", [{}, {"max_features": 3, "min_samples_leaf": 3}, {"bootstrap": True, "max_depth": 6}]
)
@pytest.mark.parametrize("target", [SCORE, np.round(SCORE), 1e9 + 1e-3 * SCORE])
def test_numbers(changes: dict[str, Any], target: NDArray[np.float64]) -> None:
    same_both_ways(ExtraTreesRegressor, target, **changes)


@pytest.mark.parametrize("forest", [ExtraTreesClassifier, ExtraTreesRegressor])
@pytest.mark.parametrize(
    "columns",
    [["two", "seven"], ["one", "same_holes"], ["real_holes", "whole_holes", "same_holes", "empty"], list(X)],
)
def test_columns_of_a_kind_weights_and_threads(forest: Any, columns: list[str]) -> None:
    target = SCORE > 1.5 if forest is ExtraTreesClassifier else SCORE
    weights = np.random.default_rng(2).integers(1, 4, N)
    same = {"n_estimators": 3, "random_state": 1}
    fast = digests(forest(**same), target, X[columns], sample_weight=weights)
    assert fast == digests(forest(**same, **USUAL), target, X[columns], sample_weight=weights)
    assert fast == digests(forest(**same, n_jobs=2), target, X[columns], sample_weight=weights)
    same_both_ways(forest, target, X[columns])


@pytest.mark.parametrize(
    "changes",
    [
        {"missing": "majority"},
        {"missing": "fractional"},
        {"categories": "one_vs_rest"},
        {"subset_correction": True},
        {"max_bins": 30},
    ],
)
def test_what_it_does_not_know_grows_the_usual_way(changes: dict[str, Any]) -> None:
    same_both_ways(ExtraTreesClassifier, SCORE > 1.5, **changes)


def test_holes_in_single_precision() -> None:
    numbers = X[["real_holes", "whole_holes"]].astype(np.float32).astype(float).to_numpy()
    same_both_ways(ExtraTreesClassifier, SCORE > 1.5, numbers)
    same_both_ways(ExtraTreesRegressor, SCORE, numbers)


def test_every_category_and_every_hole_of_the_training_rows_has_its_way() -> None:
    """The counts in the trees are those that the rows make on their way down."""
    labels = (SCORE > 1.5).astype(int)
    model = ExtraTreesClassifier(n_estimators=5, random_state=3, min_samples_leaf=5).fit(X, labels)
    for tree, ends in zip(model.ensemble_.trees, model.apply(X).T, strict=True):
        leaves, rows = np.unique(ends, return_counts=True)
        assert (tree.n_rows[leaves] == rows).all()


@pytest.mark.parametrize(("rows", "max_bins"), [(3_000, 300), (90_000, 70_000)])
@pytest.mark.parametrize(
    "changes",
    [{"max_features": None}, {"max_features": 1}, {"missing": "surrogate"}, {"missing": "branch"}],
    ids=str,
)
def test_bins_of_two_and_four_bytes_lead_where_the_thresholds_lead(
    changes: dict[str, Any], rows: int, max_bins: int
) -> None:
    """Rows were counted in the leaves that their values lead to, also where codes stand in sorted order."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(rows, 2))
    target = features[:, 0] + rng.normal(size=rows)
    features[rng.random(rows) < 0.05, 1] = np.nan
    model = ExtraTreesRegressor(
        n_estimators=1, max_bins=max_bins, bootstrap=False, random_state=0, max_depth=5, **changes
    ).fit(features, target)
    tree = model.ensemble_.trees[0]
    leaves = tree.apply(features)
    assert tree.n_leaves > 10
    count = np.bincount(leaves, minlength=len(tree.n_rows))
    at = tree.feature < 0
    assert (count[at] == tree.n_rows[at]).all()
    means = np.bincount(leaves, target, minlength=len(count))[at] / count[at]
    np.testing.assert_allclose(tree.value[at, 0], means, rtol=0, atol=1e-9)

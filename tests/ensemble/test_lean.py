"""The shorter way to the trees of a forest (native/lean) grows the trees that the usual way grows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from simd import told_by_each_level

from bough import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor

N = 900
# No leaf is lighter than one row, so this limit changes nothing; but with it trees grow the usual way.
USUAL = {"min_weight_fraction_leaf": 1e-12}
CLASSIFIERS = (RandomForestClassifier, ExtraTreesClassifier)
REGRESSORS = (RandomForestRegressor, ExtraTreesRegressor)


def table(columns: int = 9, seed: int = 0) -> NDArray[np.float64]:
    """Real numbers, whole ones, two values, one value, and a column with one far outlier."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, columns))
    X[:, 1] = rng.integers(0, 700, N)
    X[:, 2] = rng.integers(0, 2, N)
    X[:, 3] = 4.0
    X[:, 4] = np.exp(5.0 * X[:, 4])
    X[0, 5] = 1e300
    X[:, 6] = np.where(rng.random(N) < 0.5, -0.0, X[:, 6])
    return X


X = table()
SCORE = X[:, 0] + X[:, 1] / 300 + X[:, 2] + np.random.default_rng(1).normal(size=N)


def digests(model: Any, target: NDArray[Any], features: NDArray[np.float64] = X, **fit: Any) -> list[str]:
    return [tree.digest() for tree in model.fit(features, target, **fit).ensemble_.trees]


@pytest.mark.parametrize("forest", CLASSIFIERS)
@pytest.mark.parametrize("classes", [1, 2, 3, 7, 12, 40])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"criterion": "entropy", "bootstrap": False},
        {"bootstrap": True, "min_samples_leaf": 4, "max_depth": 9},
        {"max_samples": 0.4, "min_impurity_decrease": 1e-3, "min_samples_split": 20},
        {"ties": "random", "max_features": 3, "zero_gain_splits": False},
        {"max_bins": 40},
        {"max_bins": 300, "criterion": "entropy", "min_samples_leaf": 3},
    ],
)
def test_classes(forest: Any, classes: int, changes: dict[str, Any]) -> None:
    ranks = np.argsort(np.argsort(SCORE))
    target = ranks * classes // N
    same = {"n_estimators": 4, "random_state": 5, **changes}
    assert digests(forest(**same), target) == digests(forest(**same, **USUAL), target)


@pytest.mark.parametrize("forest", REGRESSORS)
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"max_features": 4, "min_samples_leaf": 3},
        {"bootstrap": True, "max_depth": 6},
        {"max_bins": 30},
        {"max_bins": 300, "min_samples_leaf": 2},
    ],
)
@pytest.mark.parametrize(
    "target", [SCORE, np.round(SCORE), 1e9 + 1e-3 * SCORE, np.where(SCORE > 0, 1e250, 1e-250)]
)
def test_numbers(forest: Any, changes: dict[str, Any], target: NDArray[np.float64]) -> None:
    same = {"n_estimators": 4, "random_state": 5, "max_features": 3, **changes}
    assert digests(forest(**same), target) == digests(forest(**same, **USUAL), target)


@pytest.mark.parametrize("forest", [*CLASSIFIERS, *REGRESSORS])
def test_whole_weights_single_precision_and_many_columns(forest: Any) -> None:
    target = SCORE > 0.5 if forest in CLASSIFIERS else SCORE
    same = {"n_estimators": 3, "random_state": 1, "max_features": 5}
    weights = np.random.default_rng(2).integers(1, 4, N)
    for features in (X, X[:, :5].astype(np.float32).astype(float), table(200, 3)):
        fast, usual = forest(**same), forest(**same, **USUAL)
        assert digests(fast, target, features) == digests(usual, target, features)
        weighted = digests(fast, target, features, sample_weight=weights)
        assert weighted == digests(usual, target, features, sample_weight=weights)


def indicators(columns: int) -> NDArray[np.float64]:
    """Two real columns and an indicator of each of many groups: deep in a tree few of them vary."""
    rng = np.random.default_rng(8)
    group = np.minimum(rng.geometric(0.1, N) - 1, columns - 3)
    return np.column_stack([rng.normal(size=(N, 2)), group[:, None] == np.arange(columns - 2)])


@pytest.mark.parametrize("forest", [*CLASSIFIERS, *REGRESSORS])
@pytest.mark.parametrize("columns", [40, 200])
@pytest.mark.parametrize(
    "changes", [{"max_features": 1}, {"max_features": 6}, {"max_features": 6, "min_samples_leaf": 4}], ids=str
)
def test_columns_that_are_constant_in_most_nodes(forest: Any, columns: int, changes: dict[str, Any]) -> None:
    features = indicators(columns)
    score = features @ np.linspace(-1, 1, columns) + 0.5 * np.random.default_rng(9).normal(size=N)
    target = np.digitize(score, [-0.5, 0, 0.5]) if forest in CLASSIFIERS else score
    same = {"n_estimators": 3, "random_state": 5, **changes}
    lean = digests(forest(**same), target, features)
    assert lean == digests(forest(**same, **USUAL), target, features)
    assert lean == digests(forest(**same, n_jobs=2), target, features)


@pytest.mark.parametrize("kind", ["two classes", "five classes", "numbers"])
@pytest.mark.parametrize("max_bins", [None, 255, 1023])
def test_ranges_of_codes(kind: str, max_bins: int | None) -> None:
    """Nodes so large that a range has many codes, and a column whose codes crowd in a few of the ranges."""
    rng = np.random.default_rng(4)
    features = rng.normal(size=(6_000, 4))
    features[:, 1] = np.where(rng.random(6_000) < 0.9, 1e-9 * features[:, 1], features[:, 1])
    score = features[:, 0] * np.sign(features[:, 1]) + 0.5 * rng.normal(size=6_000)
    target = {
        "two classes": score > 0,
        "five classes": np.digitize(score, [-1, -0.2, 0.3, 1]),
        "numbers": np.round(score, 2),
    }[kind]
    forest = RandomForestRegressor if kind == "numbers" else RandomForestClassifier
    same = {"n_estimators": 2, "random_state": 0, "max_features": 2, "max_bins": max_bins, "max_depth": 14}
    usual = forest(**same, **USUAL)
    assert digests(forest(**same), target, features) == digests(usual, target, features)


@pytest.mark.parametrize("classes", [3, 8, 20])
@pytest.mark.parametrize("max_bins", [None, 255])
@pytest.mark.parametrize("min_samples_leaf", [1, 3])
def test_light_and_heavy_nodes(classes: int, max_bins: int | None, min_samples_leaf: int) -> None:
    """Counts of several classes that need one byte, two, and more; ranges of one class, and ends of such that
    must not be cut."""
    rng = np.random.default_rng(6)
    features = rng.normal(size=(4_000, 4))
    score = features[:, 0] + np.abs(features[:, 1]) + 0.3 * rng.normal(size=4_000)
    target = np.argsort(np.argsort(score)) * classes // 4_000
    weights = rng.integers(1, 40, 4_000)
    assert weights.sum() > 2 * 32_767
    same = {"n_estimators": 2, "random_state": 0, "max_features": 2, "max_bins": max_bins}
    forest = RandomForestClassifier(**same, min_samples_leaf=min_samples_leaf)
    usual = RandomForestClassifier(**same, min_samples_leaf=min_samples_leaf, **USUAL)
    lean = digests(forest, target, features, sample_weight=weights)
    assert lean == digests(usual, target, features, sample_weight=weights)


def test_a_node_of_many_rows_and_one_of_clustered_codes() -> None:
    rng = np.random.default_rng(4)
    features = rng.normal(size=(20_000, 3))
    features[:, 1] = np.where(rng.random(20_000) < 0.9, 1e-9 * features[:, 1], features[:, 1])
    target = features[:, 0] * features[:, 1] + 0.1 * rng.normal(size=20_000) > 0
    same = {"n_estimators": 2, "random_state": 0, "max_features": 2, "max_depth": 12}
    usual = RandomForestClassifier(**same, **USUAL)
    assert digests(RandomForestClassifier(**same), target, features) == digests(usual, target, features)


def test_means_of_numbers_of_very_different_size_are_rounded_once() -> None:
    column = np.arange(1500.0)
    target = (column // 9 % 2) * 1e15 + column
    weights = np.random.default_rng(0).integers(1, 1 << 20, 1500).astype(float)
    same = {"n_estimators": 1, "max_features": 1, "random_state": 0, "bootstrap": False}
    features = column[:, None]
    lean = RandomForestRegressor(**same).fit(features, target, sample_weight=weights).ensemble_[0]
    usual = RandomForestRegressor(**same, **USUAL).fit(features, target, sample_weight=weights).ensemble_[0]
    assert lean.digest() == usual.digest()
    root = sum(Fraction(int(w)) * Fraction(v) for w, v in zip(weights, target, strict=True))
    assert lean.value[0, 0] == float(root / int(weights.sum()))


@pytest.mark.parametrize("forest", [RandomForestClassifier, RandomForestRegressor])
def test_more_values_than_two_bytes_count_and_no_cut_that_stands_out(forest: Any) -> None:
    """Most ranges of codes may hold the best cut, so that a node has thousands of rows to sort."""
    rng = np.random.default_rng(6)
    features, target = rng.normal(size=(70_000, 2)), rng.integers(0, 2, 70_000)
    same = {"n_estimators": 1, "random_state": 0, "max_features": 1, "max_depth": 4, "bootstrap": False}
    usual = forest(**same, **USUAL)
    assert digests(forest(**same), target, features) == digests(usual, target, features)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_weights_beyond_the_table_of_logarithms(criterion: str) -> None:
    weights = np.random.default_rng(2).integers(20_000, 40_000, N)  # together more than 2^24
    target = np.digitize(SCORE, [0, 1])
    same = {"n_estimators": 2, "random_state": 1, "max_features": 3, "criterion": criterion}
    fast, usual = RandomForestClassifier(**same), RandomForestClassifier(**same, **USUAL)
    assert digests(fast, target, sample_weight=weights) == digests(usual, target, sample_weight=weights)


def test_without_simd() -> None:
    """Cuts that are judged side by side are those that are tried one by one."""
    code = (
        "import numpy as np, bough\n"
        "rng = np.random.default_rng(0)\n"
        "X = rng.normal(size=(1500, 6))\n"
        "X[:, 3:] = np.round(X[:, 3:] * [100, 10, 1])\n"
        "score = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=1500)\n"
        "for classes in 2, 5, 8, 12:\n"
        "    y = np.argsort(np.argsort(score)) * classes // 1500\n"
        "    for changes in {}, {'max_bins': 100}, {'min_samples_leaf': 3, 'max_features': 4}:\n"
        "        model = bough.RandomForestClassifier(n_estimators=5, random_state=0, **changes)\n"
        "        print(model.fit(X, y).digest(), model.fit(X, y, rng.integers(1, 99, 1500) / 7).digest())\n"
        "for n in 2, 8, 9, 24, 25, 63, 64, 65, 511, 512, 513:\n"
        "    for classes in 2, 8, 32:\n"
        "        model = bough.RandomForestClassifier(n_estimators=2, bootstrap=False, random_state=n)\n"
        "        y = np.arange(n) * 7 % 31 % classes\n"
        "        for heaviest in 1, 15, 16:\n"
        "            print(model.fit(X[:n], y, np.arange(n) % heaviest + 1).digest())\n"
    )
    assert len(told_by_each_level(code)) == 1


@pytest.mark.parametrize("drawn", [1, 5, 8, 9, 19])
@pytest.mark.parametrize("columns", [20, 150])
def test_any_number_of_columns_is_read_together(drawn: int, columns: int) -> None:
    features = table(columns, 6)
    same = {"n_estimators": 3, "random_state": 2, "max_features": drawn}
    for target in (SCORE > 0.5, np.digitize(SCORE, [0, 1, 2])):
        lean = digests(RandomForestClassifier(**same), target, features)
        assert lean == digests(RandomForestClassifier(**same, **USUAL), target, features)


def test_arrays_of_large_trees_share_memory_and_outlive_their_forest() -> None:
    """More arrays than one block of native/tree_memory.hpp has room for, some of which are kept."""
    rng = np.random.default_rng(3)
    features, target = rng.normal(size=(20_000, 6)), rng.integers(0, 3, 20_000)
    same = {"n_estimators": 14, "random_state": 1}
    model = RandomForestClassifier(**same)
    lean = digests(model, target, features)
    assert lean == digests(RandomForestClassifier(**same, **USUAL), target, features)
    assert lean == digests(RandomForestClassifier(**same, n_jobs=2), target, features)
    kept = [tree for tree in model.ensemble_.trees if tree.digest() in (lean[0], lean[9])]
    del model
    for seed in 5, 6:
        RandomForestClassifier(n_estimators=14, random_state=seed).fit(features, target)
    assert [tree.digest() for tree in kept] == [lean[0], lean[9]]

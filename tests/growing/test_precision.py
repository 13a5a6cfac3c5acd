"""Where rounding could decide: rare classes, gains of nothing, narrow nodes, odd weights and scales."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bough import BoughError, DecisionTreeClassifier, DecisionTreeRegressor, RandomForestRegressor
from bough.data.table import Column, Field, Table
from bough.growing import Settings, grow


@pytest.mark.parametrize("a", [3_001, 20_011, 70_001, 150_007])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_a_gain_of_nothing_is_nothing_in_large_nodes(criterion: str, a: int) -> None:
    # Groups of a and 3a rows with 1 and 3 positives: the same share, so nothing is gained.
    x = np.repeat([0.0, 1.0], [a, 3 * a])
    y = np.zeros(4 * a, dtype=np.int32)
    y[[0, a, a + 1, a + 2]] = 1
    table = Table((Column(Field("x", "numeric"), x),), len(x))
    made = {flag: Settings(criterion=criterion, zero_gain_splits=flag) for flag in (True, False)}
    assert grow(table, y, np.arange(2), None, made[True]).n_nodes == 3
    assert grow(table, y, np.arange(2), None, made[False]).n_nodes == 1


@pytest.mark.parametrize("n", [1_000, 100_000])
def test_the_entropy_of_a_rare_class_is_exact(n: int) -> None:
    x, y = np.arange(float(n)), np.zeros(n, dtype=np.int64)
    y[0] = 1
    tree = DecisionTreeClassifier(criterion="entropy").fit(x.reshape(-1, 1), y).tree_
    p = 1 / n
    expected = -p * np.log2(p) - (1 - p) * np.log1p(-p) / np.log(2)
    assert tree.impurity[0] == pytest.approx(expected, rel=1e-11)
    assert tree.gain[0] == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("largest", [1e3, 1e8, 1e9, 1e10, 1e12, 1e20])
def test_ties_in_a_node_that_is_narrow_compared_with_the_root(largest: float) -> None:
    # .1 .2 .3: both cuts gain the same, the first wins.
    X, y = np.arange(4.0).reshape(-1, 1), [0.1, 0.2, 0.3, largest]
    tree = DecisionTreeRegressor().fit(X, y).tree_
    assert tree.threshold[:2].tolist() == [2.5, 0.5]


def test_impurities_are_numbers_where_the_targets_differ_widely() -> None:
    tree = DecisionTreeRegressor().fit(np.arange(4.0).reshape(-1, 1), [0.0, 1.0, 2.0, 1e200]).tree_
    assert tree.impurity[1] == pytest.approx(2 / 3)
    assert not np.isnan(tree.impurity).any()


@pytest.mark.parametrize("values", [20, 400])
def test_many_small_steps_do_not_add_up_to_a_tie(values: int) -> None:
    # Each cut gains a little more than the last, less than a tie tells apart; the last gains most.
    x = np.concatenate([[0.0], np.arange(1.0, values + 1), [1000.0]])
    y = np.concatenate([np.zeros(values + 1, dtype=int), [1]])
    w = np.concatenate([[1.0], np.full(values, 4e-13), [1.0]])
    tree = DecisionTreeClassifier(max_depth=1).fit(x.reshape(-1, 1), y, w).tree_
    assert tree.threshold[0] > values - 10


def test_means_of_numbers_that_cancel() -> None:
    model = DecisionTreeRegressor(max_depth=0).fit([[1], [2], [3]], [1e30, -1e30, 1.0])
    assert model.predict([[1]])[0] == pytest.approx(1 / 3, rel=1e-12)


@pytest.mark.parametrize(
    "settings", [{"max_bins": 5}, {"min_samples_leaf": 0.1}, {"min_samples_split": 0.3}, {}]
)
def test_rows_of_weight_zero_are_left_out_before_anything_else(settings: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 2, 300)
    w = rng.choice([0.0, 0.3, 1.7], 300)
    model = DecisionTreeClassifier(**settings)
    assert model.fit(X, y, w).digest() == model.fit(X[w > 0], y[w > 0], w[w > 0]).digest()


def test_small_integer_labels_do_not_wrap() -> None:
    X, y = np.arange(100.0).reshape(-1, 1) % 2, np.array([-100, 100] * 50, dtype=np.int8)
    model = DecisionTreeClassifier().fit(X, y)
    assert model.classes_.tolist() == [-100, 100]
    assert model.score(X, y) == 1.0


def test_the_heavier_class_answers_however_small_the_difference() -> None:
    w = [0.11731311358131197, 0.11731311358131198, 0.0625]
    model = DecisionTreeClassifier(max_depth=0).fit([[1], [1], [1]], [0, 1, 2], w)
    assert model.predict([[1]]).tolist() == [1]


def test_weights_too_small_to_calculate_with_are_refused() -> None:
    with pytest.raises(BoughError, match="the largest sample weight is 1e-307"):
        DecisionTreeClassifier().fit([[1], [2]], [0, 1], [1e-307, 1e-307])


@pytest.mark.parametrize("power", [-950, -600, -100, 100, 600, 950])
@pytest.mark.parametrize("kind", [DecisionTreeRegressor, RandomForestRegressor])
def test_the_size_of_all_weights_changes_no_tree_of_numbers(kind: Any, power: int) -> None:
    rng = np.random.default_rng(5)
    X, w = rng.normal(size=(120, 3)), rng.uniform(0.5, 1.5, 120)
    y = 3 * X[:, 0] + rng.normal(size=120)
    params = {"max_depth": 4} | ({"n_estimators": 2} if kind is RandomForestRegressor else {})
    trees = []
    for weights in (w, np.ldexp(w, power)):
        model = kind(**params, random_state=0).fit(X, y, sample_weight=weights)
        trees.append(model.tree_ if kind is DecisionTreeRegressor else model.ensemble_.trees[1])
    for name in ("feature", "threshold", "value", "n_rows"):
        np.testing.assert_array_equal(getattr(trees[0], name), getattr(trees[1], name))
    for name in ("impurity", "gain"):
        np.testing.assert_allclose(getattr(trees[0], name), getattr(trees[1], name), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(trees[1].weight, np.ldexp(trees[0].weight, power), rtol=1e-9)


def test_weights_of_any_size_keep_their_minimum_in_a_leaf() -> None:
    X, y = np.arange(8.0)[:, None], [0.0, 9, 9, 9, 9, 9, 9, 9]
    w = np.full(8, 2.0**-300)
    tree = DecisionTreeRegressor(min_weight_leaf=3 * 2.0**-300).fit(X, y, w).tree_
    assert tree.threshold[0] == 2.5


def test_a_test_of_significance_needs_weights_that_are_numbers_of_rows() -> None:
    with pytest.raises(BoughError, match="largest sample weight is 1e-200"):
        DecisionTreeRegressor(significance_level=0.05).fit([[1], [2]], [0.0, 1.0], [1e-200, 1e-200])


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_gain_ratios_of_numbers_that_differ_by_rounding_are_ties(scale: float) -> None:
    # A column and its mirror image have the same cuts, so the first is asked.
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x, y = rng.permutation(60).astype(float), rng.normal(size=60) * scale
        model = DecisionTreeRegressor(choice="gain_ratio", max_depth=1).fit(np.column_stack([-x, x]), y)
        assert model.tree_.feature[0] == 0


def test_minus_zero_in_the_target_is_zero() -> None:
    X = [[1.0], [1.0], [2.0]]
    first, second = (DecisionTreeRegressor().fit(X, y).digest() for y in ([0.0, -0.0, 1], [-0.0, 0.0, 1]))
    assert first == second


def test_number_and_text_labels_are_different_models() -> None:
    X = [[1.0], [2.0]]
    numbers, texts = (DecisionTreeClassifier().fit(X, y).digest() for y in ([0, 1], ["0", "1"]))
    assert numbers != texts


def test_best_first_takes_the_earlier_of_two_nodes_that_gain_nothing() -> None:
    # After the first split both sides are an exclusive-or of a and b, where one question gains nothing.
    side, a, b = np.meshgrid([0.0, 1.0], [0.0, 1.0], [0.0, 1.0], indexing="ij")
    X = np.stack([side.ravel(), a.ravel(), b.ravel()], axis=1)
    y = np.where(X[:, 0] == 0, X[:, 1] != X[:, 2], 2 + (X[:, 1] != X[:, 2])).astype(int)
    for weight in (None, np.full(8, 0.7)):
        tree = DecisionTreeClassifier(max_leaf_nodes=3).fit(X, y, weight).tree_
        assert tree.feature.tolist() == [0, 1, -1, -1, -1]

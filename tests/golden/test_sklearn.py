"""DecisionTreeClassifier against scikit-learn 1.9.1: the trees that it printed, and its pruning path.

Where splits gain exactly the same, scikit-learn draws one and we take the first column. Such splits often
send the rows the same way; where they do not, what is below them is not compared.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn.tree
from sklearn.datasets import load_breast_cancer, load_iris

import bough
from bough.tree import Node

FOLDER = Path(__file__).parent / "sklearn"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
DATA = {"iris": load_iris(), "breast_cancer": load_breast_cancer()}


def gain_of(tree: dict[str, Any], i: int) -> float:
    sizes, impurity = tree["n_node_samples"], tree["impurity"]
    below = sum(sizes[c] * impurity[c] for c in (tree["left"][i], tree["right"][i]))
    return impurity[i] - below / sizes[i]


def check_node(X: np.ndarray, tree: dict[str, Any], i: int, mine: Node, rows: np.ndarray) -> int:
    """The number of splits compared."""
    assert mine.n_rows == tree["n_node_samples"][i] == len(rows)
    assert mine.impurity == pytest.approx(tree["impurity"][i], abs=1e-12)
    assert mine.value / mine.weight == pytest.approx(tree["value"][i][0], abs=1e-12)
    assert mine.is_leaf == (tree["feature"][i] < 0)
    if mine.is_leaf:
        return 0
    assert mine.gain == pytest.approx(gain_of(tree, i), abs=1e-12)
    column, threshold = tree["feature"][i], tree["threshold"][i]
    own = mine.tree.feature[mine.id]
    left = X[rows, column].astype(np.float32) <= threshold
    own_left = X[rows, own] <= mine.threshold
    if not np.array_equal(left, own_left):
        # A tie, unless it is the same column, whose cuts both take from the lowest up.
        assert own < column
        return 1
    if own == column:
        assert mine.threshold == pytest.approx(threshold, rel=1e-6)
    else:
        assert own < column
    sides = zip((tree["left"][i], tree["right"][i]), mine.children, (rows[left], rows[~left]), strict=True)
    return 1 + sum(check_node(X, tree, *side) for side in sides)


@pytest.mark.parametrize("name", NAMES)
def test_printed_trees(name: str) -> None:
    printed = json.loads((FOLDER / f"{name}.json").read_text())
    data, params = DATA[name.partition("__")[0]], printed["params"]
    model = bough.DecisionTreeClassifier(**params).fit(data.data, data.target)
    tree = printed["tree"]
    assert model.tree_.n_nodes == len(tree["feature"])
    assert model.score(data.data, data.target) == printed["train_score"]
    compared = check_node(data.data, tree, 0, model.tree_.root, np.arange(len(data.data)))
    assert compared > model.tree_.n_leaves // 2


def table_without_ties(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns that are permutations, and weights whose sums are exact and never alike."""
    rng, n = np.random.default_rng(seed), 500
    X = np.stack([rng.permutation(n) for _ in range(4)], axis=1).astype(float)
    signal = X @ rng.normal(size=4) + rng.normal(size=n) * n / 3
    return X, signal, rng.integers(5_000, 15_000, n) / 8192


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_pruning_path(criterion: str) -> None:
    X, y, weights = table_without_ties(5)
    ours, theirs = bough.DecisionTreeRegressor, sklearn.tree.DecisionTreeRegressor
    if criterion != "squared_error":
        y = np.digitize(y, np.quantile(y, [0.3, 0.7]))
        ours, theirs = bough.DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier
    settings = {"criterion": criterion, "min_samples_leaf": 5}
    model = ours(**settings)
    found = model.cost_complexity_pruning_path(X, y, weights)
    expected = theirs(**settings, random_state=0).cost_complexity_pruning_path(X, y, sample_weight=weights)
    scale = expected.impurities[-1]
    assert not hasattr(model, "tree_")
    assert len(expected.ccp_alphas) > 20
    np.testing.assert_allclose(found.ccp_alphas / scale, expected.ccp_alphas / scale, atol=1e-9)
    np.testing.assert_allclose(found.impurities / scale, expected.impurities / scale, atol=1e-9)
    for alpha in expected.ccp_alphas[1::9] * (1 + 1e-9):
        pruned = ours(**settings, ccp_alpha=alpha).fit(X, y, weights)
        peer = theirs(**settings, ccp_alpha=alpha, random_state=0).fit(X, y, weights)
        assert pruned.get_n_leaves() == peer.get_n_leaves()
        np.testing.assert_allclose(pruned.predict(X), peer.predict(X), rtol=1e-9)


def test_pruning_path_in_errors() -> None:
    """Alphas are those of the estimator's own measure; at each of them fewer leaves are left."""
    X, y, weights = table_without_ties(6)
    y = np.digitize(y, np.quantile(y, [0.3, 0.7]))
    model = bough.CARTClassifier(pruning_measure="error")
    found = model.cost_complexity_pruning_path(X, y, weights)
    assert found.impurities[-1] == pytest.approx(
        1 - max(weights[y == k].sum() for k in range(3)) / weights.sum()
    )
    sizes = [
        bough.CARTClassifier(pruning_measure="error", ccp_alpha=alpha).fit(X, y, weights).get_n_leaves()
        for alpha in np.unique(found.ccp_alphas)[1:]
    ]
    assert found.ccp_alphas[1] < 0.01 * found.impurities[-1]  # the preset's cp does not cut the path short
    assert sizes == sorted(set(sizes), reverse=True)
    assert sizes[-1] == 1

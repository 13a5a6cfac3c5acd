"""Chi-square and Poisson as criteria: scikit-learn's trees, scipy's figures, and every candidate tried."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from sklearn.tree import DecisionTreeRegressor as SklearnTree

from bough import DecisionTreeClassifier, DecisionTreeRegressor
from bough.data.table import Column, Field, Table
from bough.growing import Settings, grow


def counts(rng: np.random.Generator, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x = rng.normal(size=(n, 4))
    return x, rng.poisson(np.exp(0.7 * x[:, 0] - 0.4 * x[:, 1])).astype(float)


@pytest.mark.parametrize("seed", range(5))
def test_poisson_trees_are_scikit_learns(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = counts(rng, 600)
    weights = None if seed % 2 else rng.integers(1, 4, 600).astype(float)
    ours = DecisionTreeRegressor(criterion="poisson", min_samples_leaf=10).fit(x, y, weights).tree_
    theirs = SklearnTree(criterion="poisson", min_samples_leaf=10).fit(x, y, weights).tree_
    assert ours.n_nodes == theirs.node_count
    assert sorted(ours.weight) == pytest.approx(sorted(theirs.weighted_n_node_samples))
    assert sorted(ours.value.ravel()) == pytest.approx(sorted(theirs.value.ravel()))
    assert sorted(ours.impurity) == pytest.approx(sorted(theirs.impurity), rel=1e-9, abs=1e-12)


def test_a_poisson_gain_is_a_difference_of_half_deviances() -> None:
    x, y = counts(np.random.default_rng(9), 80)
    y[:3] += 0.25  # no need to be whole
    root = DecisionTreeRegressor(criterion="poisson", max_depth=1).fit(x, y).tree_

    def deviance(part: NDArray[np.float64]) -> float:
        return sum(v * math.log(v / part.mean()) for v in part if v > 0)

    gains = {}
    for j in range(4):
        for cut in np.sort(x[:, j])[:-1]:
            left = x[:, j] <= cut
            if y[left].sum() and y[~left].sum():
                gains[j, cut] = deviance(y) - deviance(y[left]) - deviance(y[~left])
    best = max(gains, key=gains.__getitem__)
    assert root.feature[0] == best[0]
    assert root.threshold[0] >= best[1]
    assert (root.gain[0] * 80, root.impurity[0] * 80) == pytest.approx((gains[best], deviance(y)))


def test_a_branch_without_events_is_no_candidate() -> None:
    y = np.array([0.0, 0, 0, 1, 1, 2])
    tree = DecisionTreeRegressor(criterion="poisson", max_depth=1).fit(np.arange(6.0)[:, None], y).tree_
    assert tree.threshold[0] == 3.5  # as scikit-learn's; 2.5 would predict nothing on the left


def table_of(x: NDArray[np.float64], categories: int) -> Table:
    names = tuple(f"c{i}" for i in range(categories))
    return Table((Column(Field("x", "nominal" if names else "numeric", names), x),), len(x))


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gain_is_chi_square(classes: int, weighted: bool) -> None:
    rng = np.random.default_rng(classes)
    x, n = rng.integers(0, 6, 300).astype(float), 300
    y = ((x * x + rng.integers(0, 3, n)) % classes).astype(np.int32)
    w = rng.integers(1, 9, n) / 4 if weighted else None
    crossed = np.zeros((6, classes))
    np.add.at(crossed, (x.astype(int), y), 1.0 if w is None else w)
    total = crossed.sum()

    def chi_square(table: NDArray[np.float64]) -> float:
        return float(stats.chi2_contingency(table, correction=False).statistic)

    def root(categories: int, rule: str) -> float:
        chosen = Settings(criterion="chi_square", categories=rule, max_depth=1)
        tree = grow(table_of(x, categories), y, np.arange(classes), w, chosen)
        assert tree.impurity[0] == pytest.approx(classes - 1)  # of pure branches
        return float(tree.gain[0] * total)

    assert root(6, "multiway") == pytest.approx(chi_square(crossed))
    cuts = [np.array([crossed[:k].sum(axis=0), crossed[k:].sum(axis=0)]) for k in range(1, 6)]
    assert root(0, "subset") == pytest.approx(max(map(chi_square, cuts)))
    halves = [[i for i in range(6) if b >> i & 1] for b in range(1, 32)]
    parts = [np.array([crossed[h].sum(axis=0), np.delete(crossed, h, axis=0).sum(axis=0)]) for h in halves]
    assert root(6, "subset") == pytest.approx(max(map(chi_square, parts)))


def test_a_pure_node_is_a_leaf() -> None:
    x = np.arange(20.0)[:, None]
    model = DecisionTreeClassifier(criterion="chi_square").fit(x, (x[:, 0] > 6).astype(int))
    assert model.tree_.n_nodes == 3


def test_poisson_with_rows_that_are_divided() -> None:
    """Half of one child's rows come in parts; the child's loss is half the deviance of those parts."""
    x = np.repeat([0.0, 1.0, math.nan], [30, 10, 20])[:, None]
    y = np.random.default_rng(4).poisson(np.where(x[:, 0] == 1, 6.0, 1.5)) + 0.5
    model = DecisionTreeRegressor(criterion="poisson", missing="fractional", max_depth=1).fit(x, y)
    tree = model.tree_
    for child, share in ((1, 0.75), (2, 0.25)):
        w = np.where(np.isnan(x[:, 0]), share, x[:, 0] == child - 1)
        mean = np.average(y, weights=w)
        assert tree.value[child, 0] == pytest.approx(mean)
        deviance = np.sum(w * y * np.log(y / mean))
        assert tree.impurity[child] * tree.weight[child] == pytest.approx(deviance, rel=1e-9)

"""Large nodes: what is left out of them, how several threads share them, and trees of many nodes laid out."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from peak import peak_over
from simd import told_by_each_level

from bough import DecisionTreeClassifier, DecisionTreeRegressor

Floats = NDArray[np.float64]


def information(counts: Floats) -> Floats:
    """Rows times entropy, of two classes in columns."""
    total = counts.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = counts * np.log2(counts / total)
    return -np.nan_to_num(parts).sum(axis=0)


@pytest.mark.parametrize("rows", [1_500, 150_000, 400_000])
def test_the_best_cut_of_two_classes_is_that_of_all_cuts(rows: int) -> None:
    """Blocks of cuts are left out, of more rows larger ones; the border bends, so that no cut stands out."""
    rng = np.random.default_rng(rows)
    X = rng.normal(size=(rows, 3))
    X[:, 1] = np.round(X[:, 1], 3)
    y = (np.sin(2 * X[:, 0]) + np.cos(3 * X[:, 1]) + rng.normal(size=rows) > 0).astype(np.int64)
    best: tuple[float, int, float] = (-1.0, 0, 0.0)
    whole = np.bincount(y, minlength=2).astype(np.float64)[:, None]
    for j in range(3):
        order = np.argsort(X[:, j], kind="stable")
        values, ones = X[order, j], np.cumsum(y[order])[:-1]
        left = np.stack([np.arange(1, rows) - ones, ones]).astype(np.float64)
        gain = information(whole) - information(left) - information(whole - left)
        gain[values[1:] == values[:-1]] = -1.0
        at = int(gain.argmax())
        if gain[at] > best[0] * (1 + 1e-12):
            best = (float(gain[at]), j, float((values[at] + values[at + 1]) / 2))
    for threads in (1, 2):
        tree = DecisionTreeClassifier(criterion="entropy", max_depth=1, n_jobs=threads).fit(X, y).tree_
        assert (tree.feature[0], tree.threshold[0]) == (best[1], pytest.approx(best[2], abs=1e-12))
        assert tree.gain[0] * rows == pytest.approx(best[0], rel=1e-9)


def chain(rows: int = 9_000) -> tuple[Floats, Floats]:
    """Each split cuts off one row, the largest target: no two threads find a node of their own at first."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, 4))
    y = rng.normal(size=rows)
    first = np.argsort(X[:, 2])[-40:]
    y[first] = 3.0 ** np.arange(10, 50)
    return X, y


def uneven(rows: int = 30_000) -> tuple[Floats, Floats]:
    """Splits of all shapes, columns of few values and indicators among the others."""
    rng = np.random.default_rng(1)
    X = rng.exponential(size=(rows, 9)) ** 3
    X[:, 3:6] = np.round(X[:, 3:6])
    X[:, 6:] = X[:, 6:] > 2.0
    return X, np.log1p(X[:, 0]) * X[:, 6] + (X[:, 1] > 9) * 5 + rng.normal(size=rows)


@pytest.mark.parametrize("table", [chain, uneven])
@pytest.mark.parametrize("jobs", [2, 3, 7])
def test_threads_that_take_what_is_open_grow_the_tree_of_one(table: Any, jobs: int) -> None:
    X, y = table()
    one, many = (DecisionTreeRegressor(n_jobs=n).fit(X, y).tree_ for n in (1, jobs))
    assert one.n_nodes > 8192
    assert one.digest() == many.digest()
    labels = np.digitize(y, np.quantile(y, [0.2, 0.6]))
    one, many = (DecisionTreeClassifier(n_jobs=n).fit(X, labels).tree_ for n in (1, jobs))
    assert one.digest() == many.digest()


@pytest.mark.parametrize("changes", [{"categories": "multiway"}, {"missing": "surrogate"}, {}])
def test_lists_of_categories_and_surrogates_of_many_nodes_stay_with_their_nodes(
    changes: dict[str, Any],
) -> None:
    rng = np.random.default_rng(2)
    n = 30_000
    town = pd.Series(rng.choice([f"t{i}" for i in range(40)], n), dtype="category")
    X = pd.DataFrame({"town": town, "a": rng.normal(size=n), "b": rng.normal(size=n).round(1)})
    a = X["a"].to_numpy()
    y = (town.cat.codes % 3).to_numpy() * (a > 2.5) + 4.0 * a + rng.normal(size=n)
    X.loc[rng.random(n) < 0.05, ["town", "a"]] = None
    one, many = (DecisionTreeRegressor(n_jobs=k, **changes).fit(X, y) for k in (1, 3))
    tree = one.tree_
    assert tree.n_nodes > 8192
    assert tree.digest() == many.tree_.digest()
    # Branches without rows answer as their parents do.
    empty = np.flatnonzero(tree.n_rows == 0)
    parent = np.zeros(tree.n_nodes, dtype=np.int64)
    for node in np.flatnonzero(tree.n_children):
        parent[tree.first_child[node] : tree.first_child[node] + tree.n_children[node]] = node
    np.testing.assert_array_equal(tree.value[empty], tree.value[parent[empty]])
    assert (len(empty) > 0) == (changes == {"categories": "multiway"})
    np.testing.assert_array_equal(one.predict(X[:2000]), many.predict(X[:2000]))


def test_strides_over_several_classes_see_every_cut() -> None:
    """Two rows at a time: nodes of odd and even sizes, cuts after either row, rows of one class together."""
    rng = np.random.default_rng(3)
    for rows in range(5, 60):
        X = np.round(rng.normal(size=(rows, 2)), 1)
        y = np.sort(rng.integers(0, 3, rows)) if rows % 2 else rng.integers(0, 3, rows)
        y[:3] = (0, 1, 2)
        plain = DecisionTreeClassifier(min_weight_fraction_leaf=1e-12).fit(X, y)
        weighted = DecisionTreeClassifier().fit(X, y, sample_weight=np.full(rows, 2.0))
        assert plain.fit(X, y).tree_.digest() == DecisionTreeClassifier().fit(X, y).tree_.digest()
        np.testing.assert_array_equal(plain.tree_.threshold, weighted.tree_.threshold)
        np.testing.assert_array_equal(plain.tree_.feature, weighted.tree_.feature)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_splits_that_cut_off_single_rows_take_no_more_memory_with_two_threads() -> None:
    """Each such node had a block of 64 nodes of its own, some 140 MB more."""
    prepare = """
        x, y = np.arange(12_000.0)[:, None], np.arange(12_000) % 2
        bough.DecisionTreeClassifier(n_jobs=2).fit(x[:300], y[:300])
    """
    one, two = (peak_over(prepare, f"bough.DecisionTreeClassifier(n_jobs={n}).fit(x, y)") for n in (1, 2))
    assert two < one + 20


@pytest.mark.parametrize("skew", [1.0, 8.0, -8.0])
def test_a_large_tree_knows_every_row_of_its_table(skew: float) -> None:
    """30,000 leaves, whose nodes, lists and arrays stand in blocks of large pages; cuts leave most rows to
    the first child, to the second, or half to each."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(30_000, 20))
    y = np.exp(skew * X[:, 3]) + np.arange(30_000) * 1e-9
    one, two = (DecisionTreeRegressor(n_jobs=threads).fit(X, y) for threads in (1, 2))
    assert (one.predict(X) == y).all()
    assert one.digest() == two.digest()


def test_entries_that_no_node_needs_any_more_make_room_for_the_tree() -> None:
    """One thread gives the entries of rows that are done to nodes and to the tree's arrays, several keep them
    to the end. Lists of 5.6 MB, a tenth of the cells missing in one of the columns."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(700_000, 3))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=700_000) > 0).astype(np.int64)
    X[rng.random(700_000) < 0.1, 2] = np.nan
    one, two = (DecisionTreeClassifier(criterion="entropy", n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.tree_.n_nodes > 100_000
    assert one.tree_.digest() == two.tree_.digest()
    again = DecisionTreeClassifier(criterion="entropy").fit(X, y)
    assert again.tree_.digest() == one.tree_.digest()
    assert (one.predict(X[:1000]) == y[:1000]).all()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_large_tree_takes_little_more_memory_than_its_sorted_columns() -> None:
    """Of 800,000 x 6, those are 37 MB, and room to sort one of them 12; the nodes take 59 and the tree 28.
    It was 124 MB, and 157 when each had memory of its own."""
    prepare = """
        rng = np.random.default_rng(8)
        x = rng.normal(size=(800_000, 6))
        y = (x[:, 0] * x[:, 1] + x[:, 2] + rng.normal(size=800_000) > 0).astype(np.int64)
        tree = bough.DecisionTreeClassifier(criterion="entropy", n_jobs=1)
        grow = lambda rows: tree.fit(x[:rows], y[:rows])
        grow(1000)
    """
    assert peak_over(prepare, "grow(800_000)") < 140


def test_logarithms_have_the_same_bits_with_and_without_wider_instructions() -> None:
    program = """
import numpy as np
from bough import DecisionTreeClassifier
rng = np.random.default_rng(6)
X = rng.normal(size=(20_000, 4))
y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=20_000) > 0).astype(int)
print(DecisionTreeClassifier(criterion="entropy").fit(X, y).digest())
"""
    assert len(told_by_each_level(program)) == 1

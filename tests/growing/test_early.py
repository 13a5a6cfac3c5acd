"""Growth that stops early, against growing each smaller tree anew and scoring it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

from bough.data.examples import load
from bough.data.ingest import to_table
from bough.data.table import Column, Field, Table
from bough.errors import BoughError
from bough.growing import Settings, grow
from bough.growing.early import HeldOut, grow_until, losses, stop_early
from bough.tree import Tree
from bough.tree.best_first import beginning, split_order


def score(tree: Tree, held_out: HeldOut) -> float:
    """Accuracy, or minus the mean squared error, by the tree's own answers."""
    answers = tree.predict(held_out.table)
    if tree.classes is None:
        return -float(np.average((answers - held_out.target) ** 2, weights=held_out.weights))
    return float(np.average(answers == tree.classes[held_out.target], weights=held_out.weights))


def expected(scores: list[float], patience: int) -> int:
    """How many splits are kept, from the score after each number of splits."""
    best = since = 0
    for n_splits, found in enumerate(scores):
        if n_splits > 0 and found > scores[best] + 1e-12 * abs(scores[0]):
            best, since = n_splits, 0
        elif n_splits > 0:
            since += 1
        if since == patience:
            break
    return best


def random_case(random: np.random.Generator, numbers: bool) -> tuple[Table, Any, Any, HeldOut]:
    n_rows, columns = 120, []
    for j in range(4):
        values = random.integers(0, 6, n_rows).astype(float)
        if j % 2:
            values[random.random(n_rows) < 0.2] = np.nan
        categories = tuple("abcdef") if j == 3 else ()
        columns.append(Column(Field(f"x{j}", "nominal" if categories else "numeric", categories), values))
    table = Table(tuple(columns), n_rows)
    signal = (np.nan_to_num(columns[0].values) > 2).astype(int) + (np.nan_to_num(columns[1].values) > 3)
    y = np.where(random.random(n_rows) < 0.4, random.integers(0, 3, n_rows), signal)
    target = y + random.random(n_rows) if numbers else y.astype(np.int32)
    weights = None if random.random() < 0.5 else random.integers(1, 4, n_rows) * 0.5
    grown, held = np.arange(n_rows) < 80, np.arange(n_rows) >= 80
    parts = HeldOut(table.take(held), target[held], None if weights is None else weights[held])
    return table.take(grown), target[grown], None if weights is None else weights[grown], parts


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("missing", ["learn", "fractional", "surrogate", "stop", "majority"])
def test_the_tree_kept_is_the_best_of_all_sizes(missing: str, numbers: bool) -> None:
    random = np.random.default_rng(1)
    classes = None if numbers else np.array(["no", "so", "yes"])
    for _ in range(8):
        table, target, weights, held_out = random_case(random, numbers)
        options = {"missing": missing, "criterion": "squared_error" if numbers else "gini"}
        most = grow(table, target, classes, weights, Settings(**options)).n_leaves
        sizes = [
            grow(table, target, classes, weights, Settings(**options, max_leaf_nodes=leaves))
            for leaves in range(1, most + 1)
        ]
        scores = [score(tree, held_out) for tree in sizes]
        for patience in (1, 3, 10, 1000):
            tree = grow_until(
                table, target, classes, weights, Settings(**options), 1, None, held_out, patience
            )
            assert tree.digest() == sizes[expected(scores, patience)].digest()


@pytest.mark.parametrize("missing", ["fractional", "branch"])
def test_the_loss_after_each_split_is_that_of_the_smaller_tree(missing: str) -> None:
    random = np.random.default_rng(2)
    for numbers in (False, True):
        table, target, weights, held_out = random_case(random, numbers)
        classes = None if numbers else np.arange(3)
        settings = Settings(
            missing=missing, categories="multiway", criterion="squared_error" if numbers else "entropy"
        )
        tree = grow(table, target, classes, weights, settings)
        total = held_out.table.n_rows if held_out.weights is None else held_out.weights.sum()
        splits: list[int] = []
        found = []
        for node, loss in losses(tree, held_out):
            splits += [node] if node >= 0 else []
            found.append((loss, score(beginning(tree, splits), held_out)))
        assert len(splits) == tree.n_nodes - tree.n_leaves
        scale = 1.0
        if numbers:
            scale = max(np.abs(tree.value).max(), np.abs(held_out.target).max()) ** 2
        for loss, right in found:
            assert -loss * scale / total == pytest.approx(right if numbers else right - 1, abs=1e-12)


def test_weights_that_were_changed_do_not_change_the_order() -> None:
    table, target, _, held_out = random_case(np.random.default_rng(4), False)
    factor = np.array([1.0, 5.0, 0.2])
    grown = grow(table, target, np.arange(3), factor[target], Settings())
    value = grown.value / factor
    changed = dataclasses.replace(grown, value=value, weight=value.sum(axis=1))
    order = [node for node, _ in losses(changed, held_out, grown=grown)]
    assert order == [-1, *split_order(grown)]
    assert order != [-1, *split_order(changed)]
    tree = stop_early(changed, held_out, 5, grown=grown)
    scores = [score(beginning(changed, order[1:n]), held_out) for n in range(1, len(order) + 1)]
    assert tree.digest() == beginning(changed, order[1 : 1 + expected(scores, 5)]).digest()


def test_the_leaf_limit_holds() -> None:
    columns, survived = load("titanic")
    table = to_table(columns)
    classes, y = np.unique(survived, return_inverse=True)
    y = y.astype(np.int32)
    grown, held = np.arange(0, 891, 2), np.arange(1, 891, 2)
    held_out = HeldOut(table.take(held), y[held])
    settings = Settings(max_leaf_nodes=4)
    tree = grow_until(table.take(grown), y[grown], classes, None, settings, 2, None, held_out, 1000)
    assert 1 < tree.n_leaves <= 4


def test_nothing_to_gain_is_a_single_leaf() -> None:
    x = Column(Field("x", "numeric"), np.arange(20.0))
    table = Table((x,), 20)
    y = (np.arange(20) >= 8).astype(np.int32)
    held_out = HeldOut(table, np.ones(20, dtype=np.int32))
    tree = grow_until(table, y, np.arange(2), None, Settings(), 1, None, held_out, 5)
    assert tree.n_nodes == 1


def test_large_numbers_stay_in_range() -> None:
    x = Column(Field("x", "numeric"), np.arange(30.0))
    table = Table((x,), 30)
    y = np.repeat([1.0, 4.0, 9.0], 10)
    digests = set()
    for scale in (1.0, 2.0**600, 2.0**-600):
        held_out = HeldOut(table, y * scale)
        settings = Settings(criterion="squared_error")
        tree = grow_until(table, y * scale, None, None, settings, 1, None, held_out, 2)
        digests.add(tuple(tree.threshold))
        assert tree.n_leaves == 3
    assert len(digests) == 1


@pytest.mark.parametrize("patience", [0, -1, 1.5, "3", None, True])
def test_patience_is_a_whole_number(patience: Any) -> None:
    table = Table((Column(Field("x", "numeric"), np.arange(4.0)),), 4)
    y = np.array([0, 1, 0, 1], dtype=np.int32)
    with pytest.raises(BoughError, match="patience="):
        grow_until(table, y, np.arange(2), None, Settings(), 1, None, HeldOut(table, y), patience)


def test_some_rows_must_be_held_out() -> None:
    table = Table((Column(Field("x", "numeric"), np.arange(4.0)),), 4)
    y = np.array([0, 1, 0, 1], dtype=np.int32)
    for held_out in (HeldOut(table.take([]), y[:0]), HeldOut(table, y, np.zeros(4))):
        with pytest.raises(BoughError, match="no rows are held out"):
            grow_until(table, y, np.arange(2), None, Settings(), 1, None, held_out, 1)

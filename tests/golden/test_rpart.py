"""CARTClassifier and CARTRegressor against the figures that rpart printed.

The children of a split may stand in another order, so nodes are compared by the rows that reach them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import pandas as pd
import pytest
from reference.surrogates import LEFT, RIGHT, Split, find_surrogates

import bough
from bough import _core
from bough.pruning import path, prune
from golden.rpart_cases import NAMES, ORDINAL, OTHER_SPLIT, ROUNDED, Run, load, printed_splits, table_of

THRESHOLD = _core.SplitKind.threshold.value
# rpart reckons the complexity of a node without the splits that would go before its child does, even where
# the node goes first: its CP is then too small for its own nsplit and rel error. See exact_cp.
ROUGH_CP = ("kyphosis_info", "kyphosis_weights")
USESURROGATE: list[dict[str, Any]] = [{"missing": "stop"}, {"surrogate_last": "stop"}, {}]


def close(expected: Any) -> Any:
    return pytest.approx(expected, rel=1e-12, abs=1e-12)


def frame_of(run: Run, table: dict[str, list[Any]]) -> pd.DataFrame:
    levels, columns = run.figures["xlevels"], {}
    for name in (c.name for c in run.problem.columns):
        if name in levels:
            ordered = name in ORDINAL
            columns[name] = pd.Categorical(table[name], ORDINAL.get(name, levels[name]), ordered=ordered)
        else:
            columns[name] = np.array([math.nan if v is None else v for v in table[name]], dtype=float)
    return pd.DataFrame(columns)


def settings_of(run: Run) -> dict[str, Any]:
    """rpart's call in our words."""
    control, problem = run.problem.control, run.problem
    settings: dict[str, Any] = {
        "min_samples_split": control.minsplit,
        "min_samples_leaf": control.minbucket,
        "max_depth": control.maxdepth,
        "max_surrogates": control.maxsurrogate,
        "cp": control.cp,
        "pruning_folds": 0,
    }
    if problem.n_classes:
        labels = run.figures["ylevels"]
        settings |= {"classes": labels, "costs": problem.costs}
        settings["criterion"] = {"gini": "gini", "information": "entropy"}[problem.criterion]
        settings["priors"] = problem.prior and dict(zip(labels, problem.prior, strict=True))
    return settings


@dataclass(frozen=True)
class Pair:
    """One node as rpart has it and as we have it."""

    place: int  # in rpart's frame
    number: int  # in rpart's numbering
    node: int  # in our tree
    rows: np.ndarray


@dataclass(frozen=True)
class Case:
    run: Run
    model: Any
    X: pd.DataFrame  # the rows that have a target and any value
    y: np.ndarray
    weights: np.ndarray
    rows: list[int]

    @property
    def tree(self) -> bough.Tree:
        return self.model.tree_

    @cached_property
    def frame(self) -> dict[str, list[Any]]:
        return self.run.figures["frame"]

    @cached_property
    def leaf_numbers(self) -> np.ndarray:
        """rpart's leaf of each row."""
        return np.array([self.frame["node"][place - 1] for place in self.run.figures["where"]])

    def rows_at(self, number: int) -> np.ndarray:
        """The rows that reach rpart's node."""
        up = self.leaf_numbers
        reached = up == number
        while up.any():
            up = up // 2
            reached |= up == number
        return np.flatnonzero(reached)

    @cached_property
    def pairs(self) -> list[Pair]:
        """By equal rows, from the root down; all nodes, but for those below the split that rounding chose."""
        passed = self.model.decision_path(self.X).toarray() == 1
        of_number, found = {1: 0}, []
        for place, number in enumerate(self.frame["node"]):
            if (self.run.name, number // 2) == OTHER_SPLIT:
                continue
            rows = self.rows_at(number)
            if number > 1:
                above = self.tree.node(of_number[number // 2])
                of_number[number] = next(
                    child.id
                    for child in above.children
                    if np.array_equal(rows, np.flatnonzero(passed[:, child.id]))
                )
            found.append(Pair(place, number, of_number[number], rows))
        return found

    @cached_property
    def class_factors(self) -> np.ndarray:
        """What the priors multiply the weight of each class by."""
        problem, k = self.run.problem, self.run.problem.n_classes
        if not problem.prior:
            return np.ones(k)
        sums = np.array([self.weights[self.y == label].sum() for label in self.run.figures["ylevels"]])
        return np.array(problem.prior) * sums.sum() / sums

    @cached_property
    def altered(self) -> np.ndarray:
        """What costs multiply that by while the tree grows, so that all rows keep their weight. We let the
        class that costs most keep its own, so that our gains are smaller by the largest of these."""
        costs = np.array(self.run.problem.costs or 1 - np.eye(self.run.problem.n_classes)).sum(axis=1)
        return costs * self.weights.sum() / (costs @ self.tree.value[0])

    def improvement(self, tree: bough.Tree, node: int) -> float:
        """Our gain in rpart's unit."""
        if not self.run.problem.n_classes:
            return float(tree.gain[node] / tree.impurity[node])
        unit = math.log(2) if self.run.problem.criterion == "information" else 1.0
        return float(tree.gain[node] * tree.weight[node] * unit * self.altered.max())

    @cached_property
    def splits(self) -> dict[int, tuple[list[Split], list[Split]]]:
        """The printed splits with competitors, and the surrogates, by rpart's node."""
        printed, found = printed_splits(self.run), {}
        for place, number in enumerate(self.frame["node"]):
            n = 0 if self.frame["var"][place] == "<leaf>" else 1 + self.frame["ncompete"][place]
            end = n + self.frame["nsurrogate"][place]
            found[number], printed = (printed[:n], printed[n:end]), printed[end:]
        return found

    def columns_at(self, pair: Pair) -> list[list[Any]]:
        """The values of the node's rows in each column, as the printed splits take them."""
        return [[c.values[self.rows[i]] for i in pair.rows] for c in self.run.problem.columns]

    def asking(self) -> list[Pair]:
        return [pair for pair in self.pairs if self.frame["var"][pair.place] != "<leaf>"]


@cache
def case_of(name: str, usesurrogate: int = 2) -> Case:
    run = load(name)
    table, target = frame_of(run, table_of(name.partition("_")[0])), run.problem.target
    rows = [i for i, y in enumerate(target) if y is not None and table.iloc[i].notna().any()]
    labels = run.figures["ylevels"]
    y = np.array([labels[target[i]] if labels else target[i] for i in rows])
    weights = np.array(run.problem.weights or np.ones(len(target)), dtype=float)[rows]
    kind = bough.CARTClassifier if labels else bough.CARTRegressor
    model = kind(**settings_of(run), **USESURROGATE[usesurrogate])
    model.fit(table.iloc[rows], y, weights)
    return Case(run, model, table.iloc[rows], y, weights, rows)


@pytest.fixture(params=NAMES)
def case(request: pytest.FixtureRequest) -> Case:
    return case_of(request.param)


def test_nodes(case: Case) -> None:
    tree, frame, k = case.tree, case.frame, case.run.problem.n_classes
    assert tree.n_nodes == len(frame["node"])
    for pair in case.pairs:
        node, place = tree.node(pair.node), pair.place
        assert node.is_leaf == (frame["var"][place] == "<leaf>")
        assert node.n_rows == frame["n"][place] == len(pair.rows)
        if not k:
            assert node.weight == close(frame["wt"][place])
            assert node.prediction == close(frame["yval"][place])
            assert node.impurity * node.weight == close(frame["dev"][place])
            continue
        costs = np.array(case.run.problem.costs or 1 - np.eye(k))
        label = case.run.figures["ylevels"][frame["yval"][place] - 1]
        assert node.prediction == label
        assert (node.value @ costs).min() == close(frame["dev"][place])
        weights = node.value / case.class_factors
        assert weights.sum() == close(frame["wt"][place])
        assert [*weights, *tree.shares[pair.node]] == close(case.run.figures["yval2"][place][1:-1])


def test_splits(case: Case) -> None:
    for pair in case.asking():
        node, printed = case.tree.node(pair.node), case.splits[pair.number][0][0]
        assert case.improvement(case.tree, pair.node) == close(printed.improve)
        if (case.run.name, pair.number) == OTHER_SPLIT:
            continue
        assert node.column == case.frame["var"][pair.place]
        left = set(case.rows_at(2 * pair.number))
        values = case.columns_at(pair)[printed.column]
        for row, value in zip(pair.rows, values, strict=True):
            assert value is None or (printed.side(value) == LEFT) == (row in left)
        if node.column not in case.run.figures["xlevels"]:
            assert node.threshold == pytest.approx(printed.cut, rel=1e-14)


def best_of_column(case: Case, pair: Pair, name: str) -> tuple[float, bough.Tree]:
    """The best split of a column alone, over the rows of a node."""
    weights = case.weights[pair.rows]
    labels = case.run.figures["ylevels"]
    settings = {"max_depth": 1, "min_samples_split": 2, "cp": 0.0, "pruning": None}
    if labels:
        factors = dict(zip(labels, case.class_factors, strict=True))
        weights = weights * [factors[label] for label in case.y[pair.rows]]
        settings["priors"] = None
    stump = type(case.model)(**(case.model.get_params() | settings))
    stump.fit(case.X.iloc[pair.rows][[name]], case.y[pair.rows], weights)
    return case.improvement(stump.tree_, 0), stump.tree_


def test_competitors(case: Case) -> None:
    """Every column's best split, the best columns first."""
    names = [c.name for c in case.run.problem.columns]
    for pair in case.asking():
        bests = {name: best_of_column(case, pair, name) for name in names}
        order = sorted((n for n in names if bests[n][1].n_leaves == 2), key=lambda n: -round(bests[n][0], 10))
        printed = case.splits[pair.number][0]
        assert [bests[n][0] for n in order[:5]] == close([p.improve for p in printed])
        if pair.number in ROUNDED.get(case.run.name, ()):
            continue
        assert order[:5] == [names[p.column] for p in printed]
        values = case.columns_at(pair)
        for name, split in zip(order, printed, strict=False):
            leaves = bests[name][1].apply(case.X.iloc[pair.rows][[name]])
            sides = [split.side(v) for v in values[split.column]]
            assert {LEFT, RIGHT} <= set(sides)
            of_side = {
                side: {leaf for leaf, s in zip(leaves, sides, strict=True) if s == side} for side in sides
            }
            assert len(of_side[LEFT]) == len(of_side[RIGHT]) == 1
            assert of_side[LEFT] != of_side[RIGHT]


def our_side(tree: bough.Tree, k: int, value: Any) -> int:
    """The child, 0 or 1, to which a surrogate sends a value; -1: none."""
    if value is None:
        return -1
    if tree.surrogate_kind[k] == THRESHOLD:
        first = int(tree.surrogate_first[k])
        return first if value <= tree.surrogate_threshold[k] else 1 - first
    part = slice(tree.surrogate_category_start[k], tree.surrogate_category_start[k + 1])
    ways = dict(zip(tree.surrogate_category[part], tree.surrogate_category_child[part], strict=True))
    return int(ways.get(value, -1))


def expected_surrogates(case: Case, pair: Pair) -> list[Split]:
    """Those printed; with priors or costs, those by the weights that they give. So the CART book has it;
    rpart counts rows by case weight alone."""
    printed, problem = case.splits[pair.number], case.run.problem
    if not problem.prior and not problem.costs:
        return printed[1]
    labels = case.run.figures["ylevels"]
    factors = dict(zip(labels, (case.class_factors * case.altered).tolist(), strict=True))
    weights, sides = [0.0] * len(problem.target), {}
    values = case.columns_at(pair)[printed[0][0].column]
    for i, value in zip(pair.rows, values, strict=True):
        weights[case.rows[i]] = factors[case.y[i]] * case.weights[i]
        sides[case.rows[i]] = printed[0][0].side(value)
    return find_surrogates(
        problem.columns, weights, sides, printed[0][0].column, problem.control.maxsurrogate
    )


def halved(rows: Sequence[int], some: set[int]) -> bool:
    return 2 * len(some.intersection(rows)) == len(rows)


def test_surrogates(case: Case) -> None:
    tree, by_node = case.tree, {pair.number: pair.node for pair in case.pairs}
    for pair in case.asking():
        if (case.run.name, pair.number) == OTHER_SPLIT:
            continue
        expected, values = expected_surrogates(case, pair), case.columns_at(pair)
        found = range(tree.surrogate_start[pair.node], tree.surrogate_start[pair.node + 1])
        assert len(found) == len(expected)
        left = by_node[2 * pair.number] - tree.first_child[pair.node]
        side_of = {left: LEFT, 1 - left: RIGHT, -1: 0}
        reached = set(case.rows_at(2 * pair.number))
        for k, split in zip(found, expected, strict=True):
            assert tree.surrogate_feature[k] == split.column
            assert tree.surrogate_agree[k] == close(float(split.improve))
            assert tree.surrogate_adjusted[k] == close(float(split.adjusted))
            ordinal = tree.fields[split.column].kind == "ordinal"
            for value in set(values[split.column]):
                own = value - 1 if ordinal and value is not None else value
                rows = [i for i, v in zip(pair.rows, values[split.column], strict=True) if v == value]
                # Where all rows, and those of a category, go both ways alike, rpart sends it to its right.
                if not (split.sides and halved(pair.rows, reached) and halved(rows, reached)):
                    assert side_of[our_side(tree, k, own)] == split.side(value)
            if not math.isnan(split.cut) and not ordinal:
                assert tree.surrogate_threshold[k] == pytest.approx(split.cut, rel=1e-14)


def test_pruning(case: Case) -> None:
    printed, cp = case.run.figures["cptable"], case.run.problem.control.cp
    table = path(case.tree, measure="error").cp_table(cp)
    assert table["nsplit"] == printed["nsplit"]
    assert table["rel error"] == close(printed["rel error"])
    assert table["CP"] == close([*exact_cp(printed), cp])
    if case.run.name not in ROUGH_CP:
        assert table["CP"] == close(printed["CP"])
    of_number = {pair.number: pair for pair in case.pairs}
    for own, line in zip(table["CP"], case.run.figures["pruned_at_cp"], strict=True):
        pruned = prune(case.tree, "cost_complexity", cp=own, measure="error")
        assert pruned.n_leaves == line["n_leaves"]
        leaves = pruned.apply(case.X)
        for number in line["nodes"]:
            if 2 * number not in line["nodes"] and number in of_number:
                rows = of_number[number].rows
                assert len(set(leaves[rows])) == 1
                assert np.count_nonzero(leaves == leaves[rows[0]]) == len(rows)


def exact_cp(printed: dict[str, list[float]]) -> list[float]:
    """The cp up to which a larger tree has the smaller rel error + cp x splits, of all lines but the last."""
    lines = list(zip(printed["nsplit"], printed["rel error"], strict=True))
    return [
        max((error - e) / (n - splits) for n, e in lines[i + 1 :])
        for i, (splits, error) in enumerate(lines[:-1])
    ]


def answers(case: Case, table: dict[str, list[Any]]) -> np.ndarray:
    rows = frame_of(case.run, table)
    return case.model.predict_proba(rows) if case.run.problem.n_classes else case.model.predict(rows)[:, None]


def test_training_rows(case: Case) -> None:
    printed = case.run.figures["train_pred"]
    expected = np.array(printed["values"])[printed["index"]]
    found = answers(case, table_of(case.run.name.partition("_")[0]))
    lost = case.rows_at(OTHER_SPLIT[1]) if case.run.name == OTHER_SPLIT[0] else []
    kept = np.setdiff1d(np.arange(len(expected)), np.array(case.rows)[lost])
    np.testing.assert_allclose(found[kept], expected[kept], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("usesurrogate", [0, 1, 2])
@pytest.mark.parametrize("name", [name for name in NAMES if "newdata" in load(name).figures])
def test_rows_with_missing_values(name: str, usesurrogate: int) -> None:
    case = case_of(name, usesurrogate)
    printed = case.run.figures[f"newdata_pred_usesurrogate{usesurrogate}"]
    expected = np.array(printed["values"])[printed["index"]]
    found = answers(case, case.run.figures["newdata"])
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)

"""Tests of bough.evaluation.sizes: smaller trees read off a large one, the 1-SE rule, scores and folds."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from bough import DecisionTreeClassifier, DecisionTreeRegressor
from bough.cli.main import cli
from bough.cli.problem import Problem, make_problem
from bough.cli.source import read_source
from bough.evaluation import folds as folding
from bough.evaluation.folds import Folds
from bough.evaluation.sizes import LADDER, SizeScore, grow_folds, score_size, scores_of, smallest_good
from bough.tree.best_first import stops

MULTIWAY = ("demo:titanic", "--categories", "multiway")


def problem(name: str, target: str | None = None, **wishes: str) -> Problem:
    return make_problem(read_source(f"demo:{name}"), target, **wishes)  # type: ignore[arg-type]


def splits(asked: Problem, count: int, seed: int) -> Folds:
    return folding.splits(count, asked.y, classes=asked.classes is not None, seed=seed)


@pytest.mark.parametrize("name", ["titanic", "penguins", "fare"])
def test_every_smaller_tree_is_the_beginning_of_the_largest(name: str) -> None:
    asked = problem("titanic", "fare") if name == "fare" else problem(name)
    kind = DecisionTreeClassifier if asked.classes is not None else DecisionTreeRegressor
    largest = kind(max_leaf_nodes=LADDER[-1]).fit(asked.table, asked.y)
    ends = largest.apply(asked.table)
    for size in LADDER:
        small = kind(max_leaf_nodes=size).fit(asked.table, asked.y)
        read_off = largest.tree_.answers[stops(largest.tree_, size)[ends]]
        np.testing.assert_array_equal(read_off, small.predict(asked.table), err_msg=f"{size} leaves")


def test_scores_are_those_of_growing_each_tree_anew() -> None:
    asked = problem("titanic")
    parts = splits(asked, 10, 0)
    folds = grow_folds(asked, parts, lambda: DecisionTreeClassifier(max_leaf_nodes=32))
    accuracies, areas = [], []
    for train, test in StratifiedKFold(10, shuffle=True, random_state=0).split(asked.y, asked.y):
        model = DecisionTreeClassifier(max_leaf_nodes=5).fit(asked.table.take(train), asked.labels[train])
        accuracies.append(accuracy_score(asked.labels[test], model.predict(asked.table.take(test))))
        areas.append(roc_auc_score(asked.y[test], model.predict_proba(asked.table.take(test))[:, 1]))
    score = score_size(asked, folds, 5)
    assert score.mean == pytest.approx(np.mean(accuracies))
    assert score.error == pytest.approx(np.std(accuracies, ddof=1) / np.sqrt(10))
    found, always = scores_of(asked, folds, score)
    assert found["auc"] == pytest.approx(np.mean(areas))
    assert found["largest_class"] == pytest.approx(549 / 891)
    assert always == 'always "died"'


def test_with_a_branch_for_each_category_every_size_is_grown_anew() -> None:
    asked = problem("titanic", "fare")
    sizes = json.loads(CliRunner().invoke(cli, ["fit", *MULTIWAY, "-t", "fare", "--json"]).stdout)["sizes"]
    tried = {size["leaves"]: size["score"] for size in sizes}
    for size in (5, 28):
        anew = partial(DecisionTreeRegressor, max_leaf_nodes=size, categories="multiway")
        score = score_size(asked, grow_folds(asked, splits(asked, 10, 0), anew), None)
        assert tried[size] == pytest.approx(score.mean, rel=1e-12)


def test_the_smallest_within_one_standard_error_of_the_best() -> None:
    tried = [
        SizeScore(1, 0.60, 0.001),
        SizeScore(2, 0.79, 0.02),
        SizeScore(3, 0.80, 0.02),
        SizeScore(4, 0.81, 0.015),
    ]
    assert smallest_good(tried).leaves == 3
    assert smallest_good(tried[:1]).leaves == 1
    assert smallest_good([SizeScore(1, 0.5, 0.0), SizeScore(2, 0.5, 0.0)]).leaves == 1


def test_folds_are_as_many_as_possible() -> None:
    assert len(splits(problem("titanic"), 10, 0)) == 10
    assert len(splits(problem("tennis"), 10, 0)) == 5  # five days of "No"
    assert (
        len(splits(problem("iris7"), 10, 0)) == 3
    )  # three of one species, three of another, one of the third
    assert len(splits(problem("titanic", "fare"), 900, 0)) == 891


def test_classes_are_sorted_as_the_estimators_have_them() -> None:
    asked = problem("tennis")  # declared as Yes, No
    assert asked.classes is not None
    assert asked.classes.tolist() == ["No", "Yes"]
    model = DecisionTreeClassifier().fit(asked.table, asked.labels)
    assert model.classes_.tolist() == ["No", "Yes"]
    assert np.bincount(asked.y).tolist() == [5, 9]

"""Selection and curves: the figures are those of scikit-learn's own tools and of plain loops over folds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn.model_selection
from sklearn.datasets import load_diabetes, load_iris
from sklearn.impute import SimpleImputer
from sklearn.metrics import accuracy_score, f1_score, make_scorer, root_mean_squared_error
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, StratifiedKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import bough
from bough import DecisionTreeClassifier, DecisionTreeRegressor
from bough.data.examples import load
from bough.data.ingest import to_table
from bough.errors import BoughError
from bough.estimators.selection import Candidate, _chosen, complexity_curve, learning_curve, select

IRIS, SPECIES = load_iris(return_X_y=True)
TITANIC, SURVIVED = load("titanic")
LEAVES = {"max_leaf_nodes": [2, 3, 5, 9, 20]}


def test_figures_are_those_of_grid_search() -> None:
    folds = StratifiedKFold(10, shuffle=True, random_state=7)
    grid = {"max_leaf_nodes": [2, 3, 6], "criterion": ["gini", "entropy"]}
    found = select(DecisionTreeClassifier(), IRIS, SPECIES, grid, random_state=7)
    search = GridSearchCV(DecisionTreeClassifier(), grid, cv=folds).fit(IRIS, SPECIES)
    results = search.cv_results_
    assert [c.params for c in found.candidates] == results["params"]
    assert [c.mean for c in found.candidates] == pytest.approx(results["mean_test_score"])
    # scikit-learn has the standard deviation of the folds, with n, not n - 1
    errors = results["std_test_score"] * math.sqrt(10 / 9) / math.sqrt(10)
    assert [c.error for c in found.candidates] == pytest.approx(errors)
    assert found.best.mean == pytest.approx(search.best_score_)
    assert np.mean(found.best.scores) == pytest.approx(found.best.mean)
    assert all(c.seconds > 0 for c in found.candidates)
    whole = DecisionTreeClassifier(**found.best.params).fit(IRIS, SPECIES)
    assert found.best_estimator_.digest() == whole.digest()


def test_leaves_are_the_mean_over_the_folds() -> None:
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    model = DecisionTreeClassifier(min_samples_leaf=7)
    fits = cross_validate(model, IRIS, SPECIES, cv=folds, return_estimator=True)
    sizes = [fit.get_n_leaves() for fit in fits["estimator"]]
    found = select(model, IRIS, SPECIES, cv=5)
    assert len(found.candidates) == 1
    assert found.best.leaves == pytest.approx(np.mean(sizes))
    assert found.best.scores == pytest.approx(tuple(fits["test_score"]))


def candidate(mean: float, error: float, leaves: float) -> Candidate:
    return Candidate("x", {}, (mean,), mean, error, leaves, 0.0)


def test_the_rules() -> None:
    tried = [
        candidate(0.60, 0.001, 1),
        candidate(0.80, 0.02, 3),
        candidate(0.805, 0.02, 3),
        candidate(0.81, 0.015, 5),
        candidate(0.81, 0.015, 4),
    ]
    assert _chosen(tried, "1-se") is tried[2]
    assert _chosen(tried, "best") is tried[4]
    assert _chosen(tried[:1], "1-se") is tried[0]
    assert _chosen([candidate(0.5, math.nan, 3), candidate(0.5, math.nan, 2)], "1-se").leaves == 2
    with pytest.raises(BoughError, match="has none"):
        _chosen([candidate(0.5, 0.1, math.nan)], "1-se")


def test_one_standard_error_on_data() -> None:
    best = select(DecisionTreeClassifier(), TITANIC, SURVIVED, LEAVES)
    small = select(DecisionTreeClassifier(), TITANIC, SURVIVED, LEAVES, rule="1-se")
    means = np.array([c.mean for c in best.candidates])
    assert best.best.mean == means.max()
    enough = [c for c in small.candidates if c.mean >= means.max() - best.best.error]
    assert small.best.leaves == min(c.leaves for c in enough)
    assert small.best.leaves < best.best.leaves
    assert small.best_estimator_.get_n_leaves() == small.best.params["max_leaf_nodes"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "rows", "table"])
def test_the_same_from_every_kind_of_data(kind: str) -> None:
    data: Any = {
        "pandas": lambda: pd.DataFrame(TITANIC),
        "polars": lambda: pl.DataFrame(TITANIC),
        "pyarrow": lambda: pa.table(TITANIC),
        "rows": lambda: [dict(zip(TITANIC, row, strict=True)) for row in zip(*TITANIC.values(), strict=True)],
        "table": lambda: to_table(TITANIC),
    }[kind]()
    plain = select(DecisionTreeClassifier(), TITANIC, SURVIVED, LEAVES, cv=3)
    found = select(DecisionTreeClassifier(), data, SURVIVED, LEAVES, cv=3)
    assert [c.scores for c in found.candidates] == [c.scores for c in plain.candidates]
    assert found.best_estimator_.digest() == plain.best_estimator_.digest()
    assert found.best_estimator_.predict(data).tolist() == plain.best_estimator_.predict(TITANIC).tolist()
    y = {"pandas": pd.Series(SURVIVED), "polars": pl.Series(SURVIVED), "pyarrow": pa.array(SURVIVED)}.get(
        kind
    )
    if y is not None:
        again = select(DecisionTreeClassifier(), data, y, LEAVES, cv=3)
        assert [c.scores for c in again.candidates] == [c.scores for c in plain.candidates]


def test_several_estimators_with_grids_of_their_own() -> None:
    models = {
        "tree": DecisionTreeClassifier(),
        "filled": make_pipeline(SimpleImputer(), DecisionTreeClassifier(max_depth=2)),
        "neighbours": KNeighborsClassifier(),
    }
    grids: dict[str, Any] = {
        "tree": {"max_depth": [1, 2]},
        "neighbours": [{"n_neighbors": [3, 5]}, {"p": [1]}],
    }
    found = select(models, IRIS, SPECIES, grids, cv=4)
    assert [(c.name, c.params) for c in found.candidates] == [
        ("tree", {"max_depth": 1}),
        ("tree", {"max_depth": 2}),
        ("filled", {}),
        ("neighbours", {"n_neighbors": 3}),
        ("neighbours", {"n_neighbors": 5}),
        ("neighbours", {"p": 1}),
    ]
    tree, filled, knn = found.candidates[1], found.candidates[2], found.candidates[3]
    assert tree.scores == filled.scores  # the same folds
    assert tree.leaves == filled.leaves == 3.0
    assert math.isnan(knn.leaves)
    assert type(found.best_estimator_) is type(models[found.best.name])
    with pytest.raises(BoughError, match='"neighbours" has none'):
        select(models, IRIS, SPECIES, grids, cv=4, rule="1-se")
    assert "neighbours" in str(found)


def test_one_grid_for_all() -> None:
    models = {"gini": DecisionTreeClassifier(), "entropy": DecisionTreeClassifier(criterion="entropy")}
    found = select(models, TITANIC, SURVIVED, {"max_depth": [1, 3]}, cv=3)
    assert [(c.name, c.params["max_depth"]) for c in found.candidates] == [
        ("gini", 1),
        ("gini", 3),
        ("entropy", 1),
        ("entropy", 3),
    ]


def test_numbers_and_other_scores() -> None:
    X, y = load_diabetes(return_X_y=True)
    folds = KFold(5, shuffle=True, random_state=0)
    grid = {"max_leaf_nodes": [3, 6]}
    found = select(DecisionTreeRegressor(), X, y, grid, cv=5)
    own = GridSearchCV(DecisionTreeRegressor(), grid, cv=folds).fit(X, y).cv_results_["mean_test_score"]
    assert [c.mean for c in found.candidates] == pytest.approx(own)
    assert found.scoring == "R²"
    named = select(DecisionTreeRegressor(), X, y, grid, cv=folds, scoring="neg_mean_absolute_error")
    own = GridSearchCV(DecisionTreeRegressor(), grid, cv=folds, scoring="neg_mean_absolute_error")
    assert [c.mean for c in named.candidates] == pytest.approx(own.fit(X, y).cv_results_["mean_test_score"])
    f1 = make_scorer(f1_score, average="macro")
    scored = select(DecisionTreeClassifier(max_depth=2), IRIS, SPECIES, cv=3, scoring=f1)
    own = cross_validate(
        DecisionTreeClassifier(max_depth=2),
        IRIS,
        SPECIES,
        cv=StratifiedKFold(3, shuffle=True, random_state=0),
        scoring=f1,
    )
    assert scored.best.scores == pytest.approx(tuple(own["test_score"]))


def test_given_folds_and_processes() -> None:
    groups = np.arange(150) % 7
    folds = list(GroupKFold(7).split(IRIS, SPECIES, groups))
    found = select(DecisionTreeClassifier(), IRIS, SPECIES, LEAVES, cv=folds, n_jobs=2)
    own = GridSearchCV(DecisionTreeClassifier(), LEAVES, cv=folds).fit(IRIS, SPECIES)
    assert [c.mean for c in found.candidates] == pytest.approx(own.cv_results_["mean_test_score"])
    assert len(found.best.scores) == 7


def test_the_printed_table() -> None:
    found = select(DecisionTreeClassifier(), IRIS, SPECIES, {"max_depth": [1, 2, None]}, cv=5, rule="1-se")
    mean = {c.params["max_depth"]: f"{c.mean:.4f}  {c.error:.4f}" for c in found.candidates}
    leaves = {c.params["max_depth"]: f"{c.leaves:.1f}" for c in found.candidates}
    assert str(found).splitlines() == [
        "   max_depth  accuracy       ±  leaves",
        f"        None    {mean[None]}     {leaves[None]}",
        f"→          2    {mean[2]}     3.0",
        f"           1    {mean[1]}     2.0",
        "5-fold cross-validation; → the fewest leaves within one standard error of the highest mean",
    ]
    assert repr(found) == "Selection(3 candidates, chosen: DecisionTreeClassifier {'max_depth': 2})"


def test_long_tables_are_cut() -> None:
    grid = {"max_leaf_nodes": list(range(2, 40))}
    found = select(DecisionTreeClassifier(), IRIS, SPECIES, grid, cv=3, rule="1-se")
    lines = str(found).splitlines()
    assert len(lines) == 1 + 20 + 2
    assert sum(line.startswith("→") for line in lines) == 1
    assert lines[-2] == "… and 18 more"


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"rule": "2-se"}, "rule='2-se' is not possible."),
        ({"estimators": {}}, "no estimators"),
        ({"scoring": ["accuracy", "f1_macro"]}, "scoring="),
        ({"grid": {"max_dept": [1]}}, 'no parameter "max_dept". Did you mean "max_depth"?'),
        (
            {"estimators": {"cart": DecisionTreeClassifier()}, "grid": {"cart": {}, "cert": {}}},
            '"cert" is no estimator. Did you mean "cart"?',
        ),
        ({"grid": {"max_depth": [-1]}}, "max_depth=-1 is not possible"),
    ],
)
def test_what_is_wrong_is_said(changes: dict[str, Any], text: str) -> None:
    call: dict[str, Any] = {"estimators": DecisionTreeClassifier(), "X": IRIS, "y": SPECIES, "cv": 3}
    with pytest.raises(BoughError) as caught:
        select(**call | changes)
    assert text in str(caught.value)


def test_the_learning_curve_is_that_of_scikit_learn() -> None:
    model = DecisionTreeClassifier(max_depth=3)
    curve = learning_curve(model, IRIS, SPECIES, sizes=[30, 60, 120], cv=5, random_state=3)
    rows, fitted, held_out = sklearn.model_selection.learning_curve(
        model,
        IRIS,
        SPECIES,
        train_sizes=[30, 60, 120],
        cv=StratifiedKFold(5, shuffle=True, random_state=3),
        shuffle=True,
        random_state=3,
    )
    assert curve["rows"] == rows.tolist() == [30, 60, 120]
    assert curve["training_error"] == pytest.approx(1 - fitted.mean(axis=1))
    assert curve["held_out_error"] == pytest.approx(1 - held_out.mean(axis=1))
    assert curve["training_standard_error"] == pytest.approx(fitted.std(axis=1, ddof=1) / math.sqrt(5))
    assert curve["held_out_standard_error"] == pytest.approx(held_out.std(axis=1, ddof=1) / math.sqrt(5))
    lines = str(curve).splitlines()
    assert lines[0] == "rows  training error       ±  held-out error       ±"
    assert lines[1].split() == ["30", *(f"{curve[key][0]:.4f}" for key in list(curve)[1:])]


def test_the_complexity_curve_is_a_loop_over_folds() -> None:
    curve = complexity_curve(DecisionTreeClassifier(), TITANIC, SURVIVED, values=[2, 7], cv=4)
    table, y = to_table(TITANIC), np.asarray(SURVIVED)
    fitted, held_out = np.zeros((2, 4)), np.zeros((2, 4))
    for k, (train, test) in enumerate(StratifiedKFold(4, shuffle=True, random_state=0).split(y, y)):
        for i, leaves in enumerate((2, 7)):
            model = DecisionTreeClassifier(max_leaf_nodes=leaves).fit(table.take(train), y[train])
            fitted[i, k] = 1 - accuracy_score(y[train], model.predict(table.take(train)))
            held_out[i, k] = 1 - accuracy_score(y[test], model.predict(table.take(test)))
    assert curve["max_leaf_nodes"] == [2, 7]
    assert curve["training_error"] == pytest.approx(fitted.mean(axis=1))
    assert curve["held_out_error"] == pytest.approx(held_out.mean(axis=1))
    assert curve["held_out_standard_error"] == pytest.approx(held_out.std(axis=1, ddof=1) / 2)


def test_curves_of_numbers_and_of_other_parameters() -> None:
    X, y = load_diabetes(return_X_y=True)
    curve = complexity_curve(DecisionTreeRegressor(), X, y, parameter="max_depth", values=[1, None], cv=3)
    errors = np.zeros((2, 3))
    for k, (train, test) in enumerate(KFold(3, shuffle=True, random_state=0).split(X)):
        for i, depth in enumerate((1, None)):
            model = DecisionTreeRegressor(max_depth=depth).fit(X[train], y[train])
            errors[i, k] = root_mean_squared_error(y[test], model.predict(X[test]))
    assert curve["max_depth"] == [1, None]
    assert curve["held_out_error"] == pytest.approx(errors.mean(axis=1))
    assert curve["training_error"][1] == 0.0
    assert str(curve).splitlines()[2].split()[0] == "None"
    with pytest.raises(BoughError, match='no parameter "max_leaves"'):
        complexity_curve(DecisionTreeRegressor(), X, y, parameter="max_leaves", values=[1])


def test_a_list_of_estimators_is_named_by_class():
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) // 20
    found = bough.select([bough.DecisionTreeClassifier(max_depth=d) for d in (1, 2)], X, y, cv=4)
    assert [c.name for c in found.candidates] == ["DecisionTreeClassifier 1", "DecisionTreeClassifier 2"]


@pytest.mark.parametrize("wrong", [[bough.DecisionTreeClassifier], [3], []])
def test_what_is_no_estimator_is_refused(wrong):
    with pytest.raises(bough.BoughError, match="estimator"):
        bough.select(wrong, np.arange(8.0).reshape(-1, 1), np.arange(8) % 2)


def test_a_curve_needs_values():
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) // 20
    with pytest.raises(bough.BoughError, match="no values"):
        bough.complexity_curve(bough.DecisionTreeClassifier(), X, y, values=[])

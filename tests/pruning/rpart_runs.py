"""rpart's printed runs, grown by bough with the same settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from golden.rpart_cases import load

from bough import DecisionTreeClassifier, DecisionTreeRegressor, Table, Tree
from bough.data.table import Column, Field
from bough.pruning import Evidence


@dataclass(frozen=True)
class Run:
    tree: Tree
    rows: Evidence
    grow: Callable[[Any], Tree]  # on these rows
    cp: float
    printed: dict[str, list[float]]  # CP, nsplit, rel error


@cache
def rpart_run(name: str) -> Run:
    run = load(name)
    problem = run.problem
    kept = np.array([y is not None for y in problem.target])
    columns = []
    for c in problem.columns:
        values = np.array([np.nan if v is None else float(v) for v in c.values])
        categories = tuple(map(str, range(c.n_categories)))
        columns.append(
            Column(Field(c.name, "nominal" if categories else "numeric", categories), values[kept])
        )
    table = Table(tuple(columns), int(kept.sum()))
    y = np.array([v for v in problem.target if v is not None])
    weights = np.ones(len(y)) if problem.weights is None else np.array(problem.weights, dtype=float)[kept]
    control = run.figures["control"]
    settings: dict[str, Any] = {
        "missing": "surrogate",
        "min_samples_split": control["minsplit"],
        "min_samples_leaf": control["minbucket"],
    }
    estimator: Any = DecisionTreeRegressor
    if problem.n_classes:
        estimator = DecisionTreeClassifier
        settings["criterion"] = {"information": "entropy"}.get(problem.criterion, problem.criterion)
        settings["classes"] = list(range(problem.n_classes))
        settings["costs"] = problem.costs
        if problem.prior:
            # Of the whole table: rpart's folds keep the weights that these shares give there.
            factor = np.array(problem.prior) * len(y) / np.bincount(y)
            weights = weights * factor[y]

    def grow(rows: Any) -> Tree:
        return estimator(**settings).fit(table.take(rows), y[rows], weights[rows]).tree_

    tree = grow(np.arange(len(y)))
    return Run(tree, Evidence(table, y, weights), grow, control["cp"], run.figures["cptable"])

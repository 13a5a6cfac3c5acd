"""rpart's printed runs: the problem that each was given, for the reference, and the figures that came out."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reference.cart import Control, Problem
from reference.surrogates import Column, Split
from sklearn.datasets import load_iris

FOLDER = Path(__file__).parent
NAMES = sorted(path.stem for path in (FOLDER / "rpart").glob("*.json"))
TABLES = {
    "cartest": "rpart_car.test.frame",
    "cusummary": "rpart_cu.summary",
    "kyphosis": "rpart_kyphosis",
    "stagec": "rpart_stagec",
}
ORDINAL = {"Reliability": ["Much worse", "worse", "average", "better", "Much better"]}
# What the call names but the figures do not say. The weights are R's set.seed(7); sample(1:4, 81, TRUE).
WEIGHTS = "233432322443442343243442332423143223242434413241311411241313244142342224342314231"
GIVEN: dict[str, dict[str, Any]] = {
    "kyphosis_info": {"criterion": "information"},
    "kyphosis_prior": {"criterion": "information", "prior": (0.65, 0.35)},
    "kyphosis_loss": {"costs": ((0, 1), (3, 0))},
    "kyphosis_weights": {"weights": [int(w) for w in WEIGHTS]},
}

# Nodes where exactly equal splits stand in another order, because rpart's rounding decided. In node 173 the
# split itself is another one; what becomes of its five rows cannot be compared.
ROUNDED = {"iris_reg": {2}, "cartest_mileage_cp0": {6, 12, 22, 173}}
OTHER_SPLIT = ("cartest_mileage_cp0", 173)


@dataclass(frozen=True)
class Run:
    name: str
    figures: dict[str, Any]
    problem: Problem

    def columns_of(self, table: dict[str, list[Any]]) -> list[Column]:
        return [as_column(c.name, table[c.name], self.figures["xlevels"]) for c in self.problem.columns]


def cell(text: str) -> Any:
    try:
        return float(text) if text else None
    except ValueError:
        return text


def table_of(name: str) -> dict[str, list[Any]]:
    if name == "iris":  # R's: Weka's differs in two rows
        iris = load_iris()
        names = ["Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width"]
        table = {n: iris.data[:, j].tolist() for j, n in enumerate(names)}
        return {**table, "Species": [str(iris.target_names[k]) for k in iris.target]}
    with (FOLDER / "data" / f"{TABLES[name]}.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {n: [cell(row[n]) for row in rows] for n in rows[0]}


def as_column(name: str, values: list[Any], levels: dict[str, list[str]]) -> Column:
    if name in ORDINAL and name in levels:
        return Column(name, [None if v is None else ORDINAL[name].index(v) + 1 for v in values])
    if name in levels:
        codes = [None if v is None else levels[name].index(v) for v in values]
        return Column(name, codes, len(levels[name]))
    return Column(name, values)


def load(name: str) -> Run:
    figures = json.loads((FOLDER / "rpart" / f"{name}.json").read_text())
    table = table_of(name.partition("_")[0])
    target, terms = re.match(r"rpart\((\S+) ~ ([^,]*),", figures["call"]).groups()
    names = [n for n in table if n != target] if terms == "." else terms.split(" + ")
    classes = figures["ylevels"]
    y = [v if v is None or not classes else classes.index(v) for v in table[target]]
    control = {k: v for k, v in figures["control"].items() if k in Control.__dataclass_fields__}
    columns = [as_column(n, table[n], figures["xlevels"]) for n in names]
    problem = Problem(columns, y, len(classes or ()), control=Control(**control), **GIVEN.get(name, {}))
    return Run(name, figures, problem)


def printed_splits(run: Run) -> list[Split]:
    """rpart's matrix of splits. An ordered factor is printed as a set of levels; `cut` lies between them."""
    figures, found = run.figures, []
    names = [c.name for c in run.problem.columns]
    for name, count, ncat, improve, index, adj in zip(
        *(figures["splits"][k] for k in ("var", "count", "ncat", "improve", "index", "adj")), strict=True
    ):
        j = names.index(name)
        split = Split(j, improve, count=count, adjusted=adj)
        if abs(ncat) == 1:
            found.append(replace(split, cut=index, below=ncat))
            continue
        sides = [side - 2 for side in figures["csplit"][int(index) - 1][:ncat]]
        if run.problem.columns[j].n_categories:
            found.append(replace(split, sides=tuple(sides)))
        else:
            found.append(replace(split, cut=sides.index(-sides[0]) + 0.5, below=sides[0]))
    return found

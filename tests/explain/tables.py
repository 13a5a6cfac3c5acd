"""Random tables with settings of growth, for everything that must hold whatever a tree grew from."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from reference.grower import Table as Plain
from reference.native import to_table
from reference.strategies import build_column, build_target, build_weights

from bough.data.table import Column, Field, Table
from bough.growing import Settings, grow
from bough.tree import Tree
from bough.tree.rules import Rules


@dataclass(frozen=True)
class Case:
    table: Table
    y: Any
    classes: Any
    weights: Any
    settings: Settings
    rules: Rules

    @property
    def tree(self) -> Tree:
        return grow(self.table, self.y, self.classes, self.weights, self.settings, rules=self.rules)


def draw_settings(rng: Random, classes: bool) -> Settings:
    pick = rng.choice
    criterion = (
        pick(("gini", "entropy", "error", "chi_square")) if classes else pick(("squared_error", "poisson"))
    )
    missing = pick(("learn", "learn", "fractional", "majority", "stop", "surrogate", "branch"))
    categories = pick(("subset", "multiway", "one_vs_rest"))
    choice = (
        pick(("gain", "gain", "gain_ratio", "significance")) if classes else pick(("gain", "significance"))
    )
    if criterion == "chi_square" and missing == "branch":
        missing = "learn"
    if criterion == "chi_square" and choice != "gain_ratio" and rng.random() < 0.5:
        categories = "chaid"
    if criterion == "entropy" and rng.random() < 0.2:
        categories = "merge"
    bins = pick((None, None, 3))
    return Settings(
        criterion=criterion,
        choice=choice,
        categories=categories,
        missing=missing,
        surrogate_last=pick(("majority", "stop")),
        ties=pick(("column", "alphabetical")),
        zero_gain_splits=pick((True, False)),
        thresholds=pick(("midpoint", "below", "data", "short")),
        mdl_correction=pick((False, False, True)) and criterion == "entropy",
        subset_correction=criterion in ("gini", "entropy", "squared_error")
        and categories == "subset"
        and pick((False, True)),
        cut_minimum=pick(("leaf", "c45")),
        small_branches=pick((False, True)),
        min_weight_leaf=pick((0.0, 0.0, 2.0)),
        min_samples_leaf=pick((1, 1, 2)),
        min_samples_split=pick((2, 2, 6)),
        min_impurity_decrease=pick((0.0, 0.0, 0.02)),
        significance_level=pick((None, None, 0.3)),
        max_depth=pick((None, 2)),
        max_bins=bins,
        value_gap=pick((0.0, 0.0, 1e-5)) if bins is None else 0.0,
    )


def draw(seed: int, n_rows: int) -> Case:
    """Ordered columns are numbers, ordinals or dates; categories may be boolean."""
    rng = Random(seed)
    columns = [build_column(Random(f"{seed}/{j}"), f"x{j}", n_rows) for j in range(rng.randint(1, 4))]
    target, k = build_target(rng, n_rows, columns[0])
    weights = build_weights(rng, n_rows)
    table = to_table(Plain(columns, target, k, weights))
    table = Table(tuple(_kind(c, Random(f"{seed}/{c.field.name}")) for c in table.columns), table.n_rows)
    settings = draw_settings(rng, k is not None)
    y = np.array(target, dtype=np.int32 if k else float)
    if k is None and np.abs(y).max() > 1e5:
        y = np.sign(y)  # squares beyond float64 are tested where trees grow
    if settings.criterion == "poisson":
        y = np.abs(y)
    w = None if weights is None else np.array(weights)
    if w is not None:
        table, y, w = table.take(w > 0), y[w > 0], w[w > 0]
    rules = Rules(unseen=rng.choice(("missing", "missing", "majority")))
    return Case(table, y, np.arange(k) if k else None, w, settings, rules)


def _kind(column: Column, rng: Random) -> Column:
    """The same column as another kind, where its values allow it."""
    values = column.values[~np.isnan(column.values)]
    if column.field.categories:
        if len(column.field.categories) == 2 and rng.random() < 0.5:
            return Column(Field(column.field.name, "boolean", ("False", "True")), column.values)
        return column
    distinct = np.unique(values)
    if not len(distinct) or rng.random() < 0.5:
        return column
    codes = np.where(np.isnan(column.values), np.nan, np.searchsorted(distinct, column.values))
    if rng.random() < 0.5:
        names = tuple(f"step {i}" for i in range(len(distinct)))
        return Column(Field(column.field.name, "ordinal", names), codes)
    return Column(Field(column.field.name, "datetime"), codes * 86_400e6 + 1.6e15)


def foreign(case: Case, seed: int) -> Table:
    """Rows that the tree has not seen: values mixed, some missing, categories that no row had."""
    rng = np.random.RandomState(seed % 2**32)
    columns = []
    for c in case.table.columns:
        values = rng.permutation(np.resize(c.values, 30)).copy()
        values[rng.rand(30) < 0.2] = np.nan
        if c.field.kind in ("nominal", "boolean"):
            values[rng.rand(30) < 0.2] = rng.randint(-1, len(c.field.categories))
        columns.append(Column(c.field, values))
    return Table(tuple(columns), 30)

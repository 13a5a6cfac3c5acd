"""Growth with given first splits: their numbers come from stumps, and each branch then grows by itself."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.data.ingest import check_known
from bough.data.table import Column, Field, Table
from bough.errors import BoughError
from bough.growing.forced_form import ForcedSplit, read_forced
from bough.growing.grow import NO_WEIGHTS, grow, n_categories
from bough.growing.settings import Settings
from bough.tree.condition import threshold_text
from bough.tree.graft import graft
from bough.tree.rules import Rules
from bough.tree.tree import Tree

Floats = NDArray[np.float64]

TIE = 1e-12  # relative to the node's impurity, as everywhere
# Settings that look at the whole tree or at the way to a node, which branches that grow by themselves cannot.
APART = {
    "max_leaf_nodes": "Splits are forced whatever they gain, so there is no best one first. Use max_depth.",
    "max_nodes": "Splits are forced whatever they gain, so there is no best one first. Use max_depth.",
    "monotonic_cst": "A forced split knows no direction. Use one of them.",
    "interaction_cst": "Forced columns may meet any others. Use one of them.",
    "required_columns": "Force the splits of these columns instead.",
}
KINDS = {name: int(kind.value) for name, kind in _core.SplitKind.__members__.items()}


def grow_forced(
    table: Table,
    target: NDArray[Any],
    classes: NDArray[Any] | None,
    weights: Floats | None,
    settings: Settings,
    threads: int,
    rules: Rules | None,
    forced: Any,
) -> Tree:
    """As grow, but the first splits are forced (the parameter forced_splits): {"column": name} for the best
    split of that column, with "threshold" or "categories" for a given one, "branches" for those below it.

    A given split is made whatever it gains and however small its branches are, unless all rows of the node
    have the same answer, or nothing to lose: such a node is a leaf."""
    for name, why in APART.items():
        if getattr(settings, name) is not None:
            raise BoughError(f"{name} does not go together with forced_splits.", code="parameter", hint=why)
    split = read_forced(forced, table.fields)
    if settings.max_depth is not None and split.levels > settings.max_depth:
        raise BoughError(
            f"forced_splits has {split.levels} levels of splits, and max_depth={settings.max_depth}.",
            code="parameter",
            hint="Raise max_depth, or force fewer levels.",
        )
    if weights is not None and not weights.all():
        kept = weights > 0
        table, target, weights = table.take(kept), target[kept], weights[kept]
    missing = settings.missing_rules(table.fields)
    check_known(table, [f.name for f, rule in zip(table.fields, missing, strict=True) if rule == "error"])
    core = settings.for_core(table.fields, table.n_rows)
    for one in split.all():
        if core.forbidden[one.column]:
            name = table.names[one.column]
            raise BoughError(
                f'{one.place} asks for the column "{name}", which is among forbidden_columns.',
                code="parameter",
                hint="Leave it out of one of them.",
            )
    absolute = replace(
        settings, min_samples_split=core.min_samples_split, min_samples_leaf=core.min_samples_leaf
    )
    deadline = math.inf if settings.time_limit is None else time.monotonic() + settings.time_limit
    whole = _Part(table, target, weights)
    askable = [j for j in range(len(table.columns)) if not core.forbidden[j]]
    growth = _Growth(whole, classes, absolute, missing, askable, threads, rules or Rules(), deadline)
    return growth.node(whole, split, 0, "")


@dataclass(frozen=True)
class _Part:
    """Rows of the table with their weights."""

    table: Table
    target: NDArray[Any]
    weights: Floats | None

    @property
    def total(self) -> float:
        return float(self.table.n_rows if self.weights is None else self.weights.sum())

    def take(self, rows: NDArray[np.int64], shares: Floats) -> _Part:
        if self.weights is None and (shares == 1.0).all():
            weights = None
        else:
            weights = shares if self.weights is None else self.weights[rows] * shares
        return _Part(self.table.take(rows), self.target[rows], weights)


@dataclass(frozen=True)
class _Growth:
    whole: _Part
    classes: NDArray[Any] | None
    settings: Settings  # without shares of rows
    missing: list[str]  # the rule of each column
    askable: list[int]  # columns that are not forbidden
    threads: int
    rules: Rules
    deadline: float
    number: count[int] = field(default_factory=count)  # of the next part, which has random numbers of its own

    def node(self, part: _Part, split: ForcedSplit | None, depth: int, way: str) -> Tree:
        """The tree of these rows; `way` says how they came here."""
        if split is None or (part.target == part.target[0]).all():
            return self.free(part, depth)
        given = split.threshold is not None or split.groups is not None
        where = f"{split.place} ({way})" if way else split.place
        top = (self.given if given else self.best)(part, split, where)
        if top.n_children[0] == 0:
            return self.free(part, depth)
        top = self.with_surrogates(part, top)
        n_children = int(top.n_children[0])
        if len(split.branches) > n_children:
            raise BoughError(
                f"{where} has {len(split.branches)} branches, the split has {n_children}: "
                + ", ".join(f'"{label}"' for label in top.root.branches)
                + ".",
                code="parameter",
                hint="Give one forced split or None for each branch, in this order.",
            )
        below = [*split.branches, *[None] * (n_children - len(split.branches))]
        rows, nodes, shares = top.reach(part.table, self.threads)
        subtrees = {}
        for child, branch in enumerate(below):
            here = nodes == child + 1
            label = top.root.branches[child]
            if here.any():
                rest = part.take(rows[here], shares[here])
                step = f"{part.table.names[split.column]}: {label}"
                subtrees[child + 1] = self.node(rest, branch, depth + 1, f"{way}, {step}" if way else step)
            elif branch is not None:
                raise _no_rows(where, label, part.table.columns[split.column])
        return graft(top, subtrees)

    def free(self, part: _Part, depth: int) -> Tree:
        """Growth as always; what is meant relative to all rows still is."""
        left = None if self.settings.max_depth is None else self.settings.max_depth - depth
        return self.grown(part, self.scaled(replace(self.settings, max_depth=left), part))

    def scaled(self, settings: Settings, part: _Part) -> Settings:
        times = self.whole.total / part.total
        fraction = settings.min_weight_fraction_leaf * times
        return replace(
            settings,
            min_weight_fraction_leaf=min(fraction, 0.5),
            min_impurity_decrease=settings.min_impurity_decrease * times,
            # No two branches can have more than half of the weight each.
            max_depth=settings.max_depth if fraction <= 0.5 * (1 + TIE) else 0,
        )

    def grown(self, part: _Part, settings: Settings) -> Tree:
        """Values of all rows, not of the part alone, are those that thresholds="data" chooses from."""
        settings = replace(settings, seed=settings.seed + next(self.number))
        if settings.time_limit is not None:
            settings = replace(settings, time_limit=max(self.deadline - time.monotonic(), 1e-9))
        columns = [c for c in self.whole.table.columns if c.field in part.table.fields]
        values = Table(tuple(columns), self.whole.table.n_rows)
        return grow(
            part.table, part.target, self.classes, part.weights, settings, self.threads, self.rules, values
        )

    def best(self, part: _Part, split: ForcedSplit, where: str) -> Tree:
        """The best split of the column as a tree, whatever it gains; limits of its branches hold."""
        column = part.table.columns[split.column]
        alone = replace(part, table=Table((column,), part.table.n_rows))
        settings = replace(
            self.scaled(self.settings, part),
            missing=self.missing[split.column],
            max_features=None,
            min_samples_split=2,
            zero_gain_splits=True,
            min_impurity_decrease=0.0,
            mdl_correction=False,
            subset_correction=False,
            significance_level=None,
            forbidden_columns=None,
            time_limit=None,
        )
        tree = self.grown(alone, replace(settings, max_depth=0 if settings.max_depth == 0 else 1))
        if tree.n_children[0] == 0 and tree.impurity[0] > 0:
            raise BoughError(
                f'{where}: no split of the column "{column.field.name}" is possible among the '
                f"{part.table.n_rows} rows here.",
                code="parameter",
                hint="They have one value in it, or branches would be smaller than the settings allow.",
            )
        feature = np.where(tree.feature >= 0, split.column, -1).astype(tree.feature.dtype)
        return replace(tree, fields=part.table.fields, feature=feature)

    def given(self, part: _Part, split: ForcedSplit, where: str) -> Tree:
        """The given split as a tree."""
        sides = _sides(part, split, where)
        rule = self.missing[split.column]
        top = self.measured(part, sides, "learn" if rule == "error" else rule)
        kind, threshold = top.kind.copy(), top.threshold.copy()
        feature = np.where(top.feature >= 0, split.column, -1).astype(top.feature.dtype)
        changed: dict[str, Any] = {"kind": kind, "threshold": threshold, "feature": feature}
        if split.threshold is not None:
            threshold[0] = split.threshold
        elif split.groups is not None:
            kind[0], threshold[0] = KINDS["subset"], 0.0
            pairs = sorted((c, side) for side, group in enumerate(split.groups) for c in group)
            changed["category"] = np.array([c for c, _ in pairs], dtype=top.category.dtype)
            changed["category_child"] = np.array([side for _, side in pairs], dtype=top.category.dtype)
            changed["category_start"] = np.append([0], np.full(top.n_nodes, len(pairs)))
        return replace(top, fields=part.table.fields, **changed)

    def measured(self, part: _Part, sides: Floats, rule: str) -> Tree:
        """The split into these sides (NaN: missing) as a tree that asks for the side."""
        unknown = np.isnan(sides)
        if rule != "learn" or not unknown.any():
            return self.stump(part, sides, rule)
        tried = [
            self.stump(part, np.where(unknown, side, sides), rule)
            for side in range(int(np.nanmax(sides)) + 1)
        ]
        enough = max(tree.gain[0] for tree in tried) - TIE * tried[0].impurity[0]
        side = next(side for side, tree in enumerate(tried) if tree.gain[0] >= enough)
        missing_child, n_missing = tried[side].missing_child.copy(), tried[side].n_missing.copy()
        missing_child[0], n_missing[0] = side, unknown.sum()
        return replace(tried[side], missing_child=missing_child, n_missing=n_missing)

    def stump(self, part: _Part, sides: Floats, rule: str) -> Tree:
        n_sides = int(np.nanmax(sides)) + 1
        if n_sides == 2:
            side = Field("side", "numeric")
        else:
            side = Field("side", "nominal", tuple(map(str, range(n_sides))))
        settings = Settings(
            criterion=self.settings.criterion,
            missing=rule,
            surrogate_last=self.settings.surrogate_last,
            categories="multiway",
            max_depth=1,
        )
        table = Table((Column(side, sides),), part.table.n_rows)
        return grow(table, part.target, self.classes, part.weights, settings, self.threads, self.rules)

    def with_surrogates(self, part: _Part, top: Tree) -> Tree:
        """The split with its surrogates, where missing rows follow such."""
        column = int(top.feature[0])
        if self.missing[column] != "surrogate" or top.n_children[0] != 2:
            return top
        columns = part.table.columns
        known = ~np.isnan(columns[column].values)
        ways = np.where(known, top.apply(part.table, self.threads) - 1, 2).astype(np.uint8)
        found, _ = _core.surrogates(
            _core.BinnedMatrix(
                [c.values for c in columns],
                [n_categories(c.field) for c in columns],
                len(ways),
                min(self.settings.max_bins or 0, len(ways)),
                self.threads,
            ),
            _core.class_target(
                ways.astype(np.int32), 3, NO_WEIGHTS if part.weights is None else part.weights
            ),
            ways,
            np.ones(len(ways), dtype=np.uint8),
            [j for j in self.askable if j != column],
            min(int(self.settings.max_surrogates), 2**30),
            bool(self.settings.rpart_surrogates),
        )
        return replace(top, **_surrogate_arrays(found, top))


def _surrogate_arrays(found: list[Any], top: Tree) -> dict[str, Any]:
    """Those of a tree with a single split."""
    feature, kind, threshold, first, agree, adjusted, categories = (
        zip(*found, strict=True) if found else [()] * 7
    )
    pairs = [pair for own in categories for pair in own]
    arrays: dict[str, Any] = {
        "surrogate_start": np.append([0], np.full(top.n_nodes, len(found))),
        "surrogate_feature": feature,
        "surrogate_kind": [int(k.value) for k in kind],
        "surrogate_threshold": threshold,
        "surrogate_first": first,
        "surrogate_agree": agree,
        "surrogate_adjusted": adjusted,
        "surrogate_category_start": np.cumsum([0, *map(len, categories)]),
        "surrogate_category": [category for category, _ in pairs],
        "surrogate_category_child": [child for _, child in pairs],
    }
    return {name: np.array(array, dtype=getattr(top, name).dtype) for name, array in arrays.items()}


def _sides(part: _Part, split: ForcedSplit, where: str) -> Floats:
    """The branch of each row, NaN where the column is missing."""
    column = part.table.columns[split.column]
    values, known = column.values, ~np.isnan(column.values)
    sides = np.full(len(values), np.nan)
    n_sides = 2
    if split.threshold is not None:
        sides[known] = values[known] > split.threshold
    elif split.groups is not None:
        n_sides = len(split.groups)
        side_of = np.full(len(column.field.categories), -1)
        for side, group in enumerate(split.groups):
            side_of[list(group)] = side
        there = values[known].astype(np.int64)
        if (side_of[there] < 0).any():
            name = column.field.categories[int(there[(side_of[there] < 0).argmax()])]
            raise BoughError(
                f'{where} has no branch for the category "{name}" of "{column.field.name}".',
                code="parameter",
                hint="Name each category that the rows here have in one of the lists.",
            )
        sides[known] = side_of[there]
    empty = np.flatnonzero(np.bincount(sides[known].astype(np.int64), minlength=n_sides) == 0)
    if empty.size:
        raise _no_rows(where, _side_name(column.field, split, int(empty[0])), column)
    return sides


def _side_name(asked: Field, split: ForcedSplit, side: int) -> str:
    if split.groups is not None:
        return ", ".join(asked.categories[category] for category in split.groups[side])
    return "≤>"[side] + " " + threshold_text(asked, split.threshold or 0.0)


def _no_rows(where: str, branch: str, column: Column) -> BoughError:
    values = column.values[~np.isnan(column.values)]
    if not values.size:
        there = "no values"
    elif column.field.categories:
        there = ", ".join(column.field.categories[int(value)] for value in np.unique(values))
    else:
        low, high = (threshold_text(column.field, float(value)) for value in (values.min(), values.max()))
        there = f"values from {low} to {high}"
    return BoughError(
        f'{where}: the split of "{column.field.name}" leaves the branch "{branch}" without rows.',
        code="parameter",
        hint=f'In "{column.field.name}" the {len(column.values)} rows here have {there}.',
    )

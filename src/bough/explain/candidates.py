"""The best split of each column in a node: found by the core on the node's rows, measured in every way."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough import information as info
from bough.data.table import Column, Field, Table
from bough.explain import cuts
from bough.explain.numbers import Candidate, Cut, Group
from bough.explain.sample import Sample
from bough.explain.sums import Loss, loss_function, pearson, row_sums
from bough.growing.grow import NO_WEIGHTS, grow, n_categories
from bough.growing.settings import Settings
from bough.tree.condition import branch_labels, takes_only_missing, threshold_text
from bough.tree.tree import Tree

Floats = NDArray[np.float64]

APART = ("fractional", "surrogate", "majority", "stop")  # missing rows have no part in the gain


@dataclass(frozen=True)
class Search:
    """One node: its rows, all rows, and the settings, with everything relative to all rows made absolute."""

    here: Sample
    whole: Sample
    classes: NDArray[Any] | None
    settings: Settings

    @property
    def n_classes(self) -> int:
        return 0 if self.classes is None else len(self.classes)

    @property
    def loss(self) -> Loss:
        return loss_function(self.settings.criterion)

    @property
    def sums(self) -> Floats:
        return row_sums(self.here.target, self.here.each, self.n_classes, self.settings.criterion)

    def rule(self, column: int) -> str:
        return self.settings.missing_rules(self.whole.table.fields)[column]

    def binned(self, column: int) -> tuple[Floats, tuple[Floats, Floats] | None]:
        """The values of an ordered column in the node; the numbers of bins where it is put into such."""
        own, all_rows = self.here.table.columns[column], self.whole.table.columns[column].values
        most = self.settings.max_bins
        if n_categories(own.field) or not most or len(np.unique(all_rows[~np.isnan(all_rows)])) <= most:
            return own.values, None
        _, low, high = cuts.packed(all_rows, most)
        bins = np.where(np.isnan(own.values), np.nan, np.searchsorted(low, own.values, side="right") - 1.0)
        return bins, (low, high)

    def limits(self, column: int) -> cuts.Limits:
        """Of cuts of an ordered column."""
        core = self.settings.for_core(self.whole.table.fields, self.whole.table.n_rows)
        s, n_rows = self.settings, self.here.table.n_rows
        rows = max(core.min_samples_leaf, math.ceil(s.min_share_leaf * n_rows * (1 - 1e-12)))
        weight = max(s.min_weight_fraction_leaf * self.whole.total, s.min_weight_leaf - 1e-6)
        if s.cut_minimum == "c45":
            known = ~np.isnan(self.here.table.columns[column].values)
            counted = self.here.each if self.rule(column) in ("learn", "error") else self.here.each[known]
            tenth = 0.1 * float(counted.sum()) / max(1, self.n_classes)
            weight = max(
                weight, (s.min_weight_leaf if tenth <= s.min_weight_leaf else min(tenth, 25.0)) - 1e-6
            )
        return cuts.Limits(rows, max(weight, 0.0), s.value_gap, s.criterion == "poisson")

    def ordered(self, column: int) -> cuts.Column | None:
        """An ordered column of the node; None of one with categories."""
        own = self.here.table.columns[column]
        if n_categories(own.field):
            return None
        values, bins = self.binned(column)
        rule = self.rule(column)
        return cuts.Column(
            own.field,
            values,
            self.sums,
            "apart" if rule in APART else "branch" if rule == "branch" else "learn",
            self.classes is None,
            self.settings.thresholds,
            self.whole.table.columns[column].values,
            bins,
        )

    def measured(self, column: cuts.Column, number: int) -> cuts.Measured | None:
        return cuts.measured(column, self.loss, self.settings.criterion == "chi_square", self.limits(number))

    def cuts(self, column: int) -> tuple[tuple[Cut, ...], int]:
        """The cut points of a column, and how many there are."""
        asked = self.ordered(column)
        found = None if asked is None else self.measured(asked, column)
        if asked is None or found is None:
            return (), 0
        return cuts.listed(asked, found), len(found.gains)

    def stump(self, column: int) -> Tree:
        """The best split of the column as a tree, by the same growth, whatever it gains."""
        own = self.here.table.columns[column]
        values, bins = self.binned(column)
        times = self.whole.total / self.here.total
        core = self.settings.for_core(self.whole.table.fields, self.whole.table.n_rows)
        directions = core.monotone[column]
        fraction = min(self.settings.min_weight_fraction_leaf * times, 0.5)
        settings = replace(
            self.settings,
            missing=self.rule(column),
            max_depth=1,
            min_samples_split=2,
            min_samples_leaf=core.min_samples_leaf,
            min_weight_fraction_leaf=fraction,
            min_impurity_decrease=0.0,
            significance_level=None,
            zero_gain_splits=True,
            mdl_correction=False,
            subset_correction=False,
            max_bins=None,
            # What is about whole trees, or about the way to a node.
            max_leaf_nodes=None,
            max_nodes=None,
            time_limit=None,
            max_features=None,
            interaction_cst=None,
            required_columns=None,
            forbidden_columns=None,
            monotonic_cst=[directions] if directions else None,
        )
        table = Table((Column(own.field, values),), self.here.table.n_rows)
        everywhere = Table((self.whole.table.columns[column],), self.whole.table.n_rows)
        if bins is not None:
            settings, everywhere = replace(settings, thresholds="midpoint", value_gap=0.0), table
        return grow(table, self.here.target, self.classes, self.here.weights, settings, values=everywhere)

    def subtree(self, depth: int) -> Tree:
        """What grows on the rows of the node, at this depth of the tree."""
        times = self.whole.total / self.here.total
        core = self.settings.for_core(self.whole.table.fields, self.whole.table.n_rows)
        left = None if self.settings.max_depth is None else self.settings.max_depth - depth
        settings = replace(
            self.settings,
            max_depth=left,
            min_samples_split=core.min_samples_split,
            min_samples_leaf=core.min_samples_leaf,
            min_weight_fraction_leaf=min(self.settings.min_weight_fraction_leaf * times, 0.5),
            min_impurity_decrease=self.settings.min_impurity_decrease * times,
        )
        here = self.here
        return grow(here.table, here.target, self.classes, here.weights, settings, values=self.whole.table)

    def candidate(self, column: int, split: Tree | None = None) -> Candidate:
        """The best split of a column, or a given one (a tree of one question), with all its measures."""
        own = self.here.table.columns[column]
        found = Candidate(own.field.name, own.field.kind, n_missing=int(np.isnan(own.values).sum()))
        stump = self.stump(column) if split is None else split
        if stump.n_children[0] == 0:
            every, count = self.cuts(column)
            return replace(found, why_not=self._why_not(own), cuts=every, n_cuts=count)
        asked = (
            Table((Column(own.field, self.binned(column)[0]),), len(own.values))
            if split is None
            else self.here.table
        )
        branches, before, known, test = self._branches(stump, asked, own.values, self.rule(column))
        labels = self._labels(column, stump, split is None)
        goes = int(stump.missing_child[0])
        if (
            found.n_missing
            and self.rule(column) not in APART
            and goes >= 0
            and not takes_only_missing(stump, 0, goes)
        ):
            labels[goes] += ", or missing"
        branches = [replace(b, label=text) for b, text in zip(branches, labels, strict=False)]
        found = replace(
            found, before=before, known=known, statistic=test[0], df=int(test[1]), p_value=_p(test[2])
        )
        return self._measured(found, stump, branches, column)

    def _why_not(self, own: Column) -> str:
        values = own.values[~np.isnan(own.values)]
        if (self.here.target == self.here.target[0]).all():
            return "there is nothing to gain"
        if not values.size:
            return "no value is known here"
        if (values == values[0]).all():
            return "all known rows have the same value here"
        return "no split leaves enough rows in each branch"

    def _labels(self, column: int, stump: Tree, found_here: bool) -> list[str]:
        bins = self.binned(column)[1] if found_here else None
        if bins is None or math.isinf(stump.threshold[0]):
            return branch_labels(stump, 0)
        here = np.unique(self.binned(column)[0])
        below, above = here[here <= stump.threshold[0]].max(), here[here > stump.threshold[0]].min()
        one = cuts.Column(
            self.whole.table.fields[column], here, here[:, None], "apart", True, self.settings.thresholds,
            self.whole.table.columns[column].values, bins,
        )  # fmt: skip
        text = threshold_text(one.field, cuts.threshold_between(one, float(below), float(above)))
        return [f"≤ {text}", f"> {text}", "missing"][: int(stump.n_children[0])]

    def _branches(
        self, stump: Tree, asked: Table, values: Floats, rule: str
    ) -> tuple[list[Group], float, float, tuple[float, float, float]]:
        """The branches as far as their rows have a part in the gain, the impurity before, the share of the
        weight that has a part; and of numbers the test of the branches' means."""
        apart = rule in APART
        counted = ~np.isnan(values) if apart else np.ones(len(values), dtype=bool)
        part = self.here.take(np.flatnonzero(counted))
        rows, ends, _ = stump.reach(asked.take(np.flatnonzero(counted)))
        groups = [
            self.group("", part.take(rows[ends == child])) for child in range(1, int(stump.n_children[0]) + 1)
        ]
        test = (0.0, 0.0, 0.0)
        if self.classes is None and len(rows):
            test = self._test(part, np.asarray(ends - 1, dtype=np.float64), int(stump.n_children[0]))
        return groups, self.group("", part).impurity, part.total / self.here.total, test

    def _test(self, part: Sample, values: Floats, n_values: int) -> tuple[float, float, float]:
        """The core's test of a column against the target: statistic, degrees of freedom, log p (above 0 where
        nothing could be tested)."""
        w = NO_WEIGHTS if part.weights is None else part.weights
        target = (
            _core.number_target(part.target, w)
            if self.classes is None
            else _core.class_target(part.target, len(self.classes), w)
        )
        return _core.association(values, n_values, target)

    def group(self, label: str, part: Sample) -> Group:
        """Rows together, with their impurity."""
        n, weight = part.table.n_rows, part.total
        sums = row_sums(part.target, part.each, self.n_classes, self.settings.criterion)
        impurity = 0.0
        if n and weight > 0:
            impurity = max(float(self.loss(sums.sum(axis=0)[None])[0]) / weight, 0.0)
        if self.classes is not None:
            return Group(label, n, weight, tuple(map(float, sums.sum(axis=0))), impurity)
        if not n:
            return Group(label, n, weight, (), 0.0)
        y = part.target.astype(np.float64)
        mean = float(np.average(y, weights=part.each))
        with np.errstate(over="ignore"):
            sd = float(np.sqrt(np.average((y - mean) ** 2, weights=part.each)))
        return Group(label, n, weight, (), impurity, mean, sd)

    def _measured(self, found: Candidate, stump: Tree, branches: list[Group], column: int) -> Candidate:
        total = self.here.total
        sizes = [b.weight for b in branches]
        if self.rule(column) in APART:
            sizes.append(total - sum(sizes))
        bits = info.entropy([max(size, 0.0) for size in sizes]) if sum(sizes) > 0 else 0.0
        every, count = self.cuts(column)
        measured = replace(
            found,
            branches=tuple(branches),
            gain=float(stump.gain[0]),
            split_information=float(bits),
            gain_ratio=float(stump.gain[0]) / float(bits) if bits > 1e-12 else 0.0,
            missing=self._missing_text(column, stump, found.n_missing),
            penalty=self._penalty(column),
            cuts=every,
            n_cuts=count,
        )
        if self.classes is None:
            return replace(measured, column_p=self._column_p(column, measured))
        table = np.array([b.counts for b in branches])
        test = info.chi_square(table)
        gains = [info.information_gain(table), info.gini_gain(table)]
        error = info.error_rate(table.sum(axis=0)) - info.conditional_error_rate(table)
        measured = replace(
            measured,
            information_gain=float(gains[0]) * found.known,
            gini_gain=float(gains[1]) * found.known,
            error_gain=max(float(error), 0.0) * found.known,
            statistic=test.statistic,
            df=test.df,
            p_value=test.p_value,
        )
        return replace(measured, column_p=self._column_p(column, measured))

    def _missing_text(self, column: int, stump: Tree, n_missing: int) -> str:
        if not n_missing:
            return ""
        rule = self.rule(column)
        said = {
            "fractional": "they are spread over the branches",
            "surrogate": "they go as surrogates say",
            "stop": "they stay here",
        }
        if rule in said:
            return said[rule]
        child = int(stump.missing_child[0])
        if child < 0:
            return ""
        name = branch_labels(stump, 0)[child]
        return (
            "they are a branch of their own"
            if takes_only_missing(stump, 0, child)
            else f'they go with "{name}"'
        )

    def _penalty(self, column: int) -> float:
        """Per unit of weight: log2 of the number of cuts; what the choice of a subset brings."""
        if n_categories(self.here.table.fields[column]):
            return self._subset_penalty(column)
        if not self.settings.mdl_correction:
            return 0.0
        return math.log2(max(1, self.known_cuts(column))) / self.here.total

    def _subset_penalty(self, column: int) -> float:
        values = self.here.table.columns[column].values
        cuts = len(np.unique(values[~np.isnan(values)])) - 1
        if not self.settings.subset_correction or cuts < 2:
            return 0.0
        bits = (cuts + math.log2(1 - 0.5**cuts) - math.log2(cuts)) / self.here.table.n_rows
        if self.settings.criterion == "entropy":
            return bits
        node = self.group("", self.here)
        present = sum(w > 0 for w in node.counts)
        return bits * 2 * math.log(2) * node.impurity / max(1, present - 1)

    def known_cuts(self, column: int) -> int:
        """Cuts that leave enough of the known rows on both sides."""
        known = np.flatnonzero(~np.isnan(self.here.table.columns[column].values))
        alone = replace(self, here=self.here.take(known))
        asked = alone.ordered(column) if len(known) else None
        found = None if asked is None else alone.measured(asked, column)
        return 0 if found is None else int(found.valid.sum())

    def _column_p(self, column: int, found: Candidate) -> float | None:
        """The p-value that columns are compared by, as a logarithm; None where they are not."""
        if self.settings.choice != "significance":
            return None
        own = self.here.table.columns[column]
        if self.settings.categories == "chaid":
            return self._chaid_p(own.field, found, column)
        values, bins = self.binned(column)
        if bins is not None:  # the core tests the smallest value of each bin
            known = ~np.isnan(values)
            values = np.where(known, bins[0][np.where(known, values, 0.0).astype(np.int64)], np.nan)
        return self._test(self.here, values, n_categories(own.field))[2]

    def _chaid_p(self, asked: Field, found: Candidate, column: int) -> float:
        table = np.array([b.counts for b in found.branches])
        classes = int((table.sum(axis=0) > 0).sum())
        statistic = float(pearson(table))
        if not n_categories(asked):
            by_chance = _core.chi_square_log_survival(statistic, max(1.0, classes - 1.0))
            return min(0.0, by_chance + math.log(max(1, self.known_cuts(column))))
        values = self.here.table.columns[column].values
        there = len(np.unique(values[~np.isnan(values)])) + bool(
            found.n_missing and self.rule(column) in ("learn", "branch")
        )
        groups = len(found.branches)
        by_chance = _core.chi_square_log_survival(statistic, max(1.0, (groups - 1.0) * (classes - 1.0)))
        return min(0.0, by_chance + _core.chaid_log_multiplier(there, groups))


def _p(log_p: float) -> float:
    return math.exp(min(log_p, 0.0))

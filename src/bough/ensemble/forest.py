"""Grows many trees from rows that are binned once, each on a bag that the number of the tree decides."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.data.table import Table
from bough.errors import BoughError
from bough.growing.grow import prepare
from bough.growing.settings import Settings, is_count, wrong
from bough.growing.thresholds import place_thresholds
from bough.growing.weights import moderate
from bough.tree.rules import Rules
from bough.tree.tree import Tree

Floats = NDArray[np.float64]

# Whole weights up to this many a row on average are copies, each of which may be drawn.
MOST_COPIES = 10


@dataclass(frozen=True)
class Sampling:
    """What each tree is grown on. `bootstrap`: rows are drawn with replacement; "balanced": as many of every
    class. `max_samples`: how many, a number or a share. `max_columns`: columns that a tree may ask, likewise.
    `balanced`: the classes weigh the same in every bag."""

    bootstrap: bool | str = True
    max_samples: int | float | None = None
    max_columns: int | float | None = None
    balanced: bool = False
    random_cuts: bool = False

    def __post_init__(self) -> None:
        known = isinstance(self.bootstrap, bool | np.bool_) or (
            isinstance(self.bootstrap, str) and self.bootstrap == "balanced"
        )
        if not known:
            raise wrong("bootstrap", self.bootstrap, 'True, False or "balanced"')

    def bags(self, data: Data, seed: int) -> _core.Bags:
        n_columns = len(data.table.columns)
        bags = _core.Bags()
        bags.seed = seed
        bags.n_rows = data.table.n_rows
        bags.n_columns = n_columns
        bags.tickets = tickets = data.tickets()
        bags.replace = bool(self.bootstrap)
        bags.draws = _part("max_samples", self.max_samples, len(tickets))
        if self.max_columns is not None:
            drawn = _part("max_features", self.max_columns, n_columns)
            bags.columns_drawn = 0 if drawn == n_columns else drawn
        bags.balanced = self.balanced
        if self.bootstrap == "balanced":
            if data.classes is None:
                raise wrong("bootstrap", "balanced", "True or False where numbers are predicted")
            sizes = np.bincount(data.target[tickets], minlength=len(data.classes))
            smallest = int(sizes[sizes > 0].min())
            each = min(smallest, max(1, bags.draws // max(1, int((sizes > 0).sum()))))
            bags.group = data.target.astype(np.int32)
            bags.quota = [each if size else 0 for size in sizes.tolist()]
        return bags


def _part(name: str, value: Any, whole: int) -> int:
    """So many of the whole, given as a number, a share, or None for all."""
    if value is None:
        return whole
    if is_count(value):
        if 1 <= value <= whole:
            return int(value)
    elif isinstance(value, float | np.floating) and 0.0 < float(value) <= 1.0:
        return max(1, math.floor(float(value) * whole))
    raise wrong(name, value, f"a whole number from 1 to {whole}, a share in (0, 1], or None for all")


@dataclass(frozen=True)
class Data:
    """What a forest grows from: rows of weight above zero. `weights`: what the user gave each row;
    `factors`: what its class counts by."""

    table: Table
    target: NDArray[Any]
    classes: NDArray[Any] | None
    weights: Floats | None
    factors: Floats | None
    threads: int

    def without_weightless(self) -> tuple[Data, NDArray[np.bool_]]:
        """The same without rows of weight zero, and which rows stay."""
        kept = np.ones(self.table.n_rows, dtype=bool)
        for w in (self.weights, self.factors):
            if w is not None:
                kept &= w > 0
        if kept.all():
            return self, kept
        left = replace(
            self,
            table=self.table.take(kept),
            target=self.target[kept],
            weights=None if self.weights is None else self.weights[kept],
            factors=None if self.factors is None else self.factors[kept],
        )
        return left, kept

    @property
    def copies(self) -> NDArray[np.int64] | None:
        """Whole weights as numbers of equal rows, if they are meant so."""
        w = self.weights
        if w is None or w.sum() > MOST_COPIES * len(w) or (w != np.floor(w)).any():
            return None
        return w.astype(np.int64)

    def tickets(self) -> NDArray[np.uint32]:
        """The rows in an order that does not depend on how they came, copies next to each other."""
        columns = [column.values for column in self.table.columns]
        target = np.ascontiguousarray(self.target, dtype=np.float64)
        copies = self.copies
        if self.weights is not None and copies is None:  # rows that differ in nothing else; in any unit
            columns.append(np.unique(self.weights, return_inverse=True)[1].astype(np.float64))
        order: NDArray[np.uint32] = _core.order_by_content(columns, target, self.threads)
        return order if copies is None else np.repeat(order, copies[order])

    def row_weights(self) -> Floats | None:
        """What a row counts each time that it is drawn."""
        if self.weights is None or self.copies is not None:
            return self.factors
        return self.weights if self.factors is None else self.weights * self.factors


@dataclass(frozen=True)
class Grown:
    """Trees that follow the ones before; `stopped`: "", "late" or "interrupted"."""

    trees: list[Tree]
    stopped: str


class Grove:
    """The rows, binned once, and the bags drawn from them."""

    def __init__(
        self,
        data: Data,
        settings: Settings,
        sampling: Sampling,
        seed: int,
        rules: Rules,
        finish: Callable[[Tree], Tree] | None = None,
    ) -> None:
        """`finish`: what is done to each grown tree."""
        if callable(settings.criterion) and sampling.balanced:
            raise BoughError(
                'class_weight="balanced_subsample" does not go with a criterion of your own.',
                code="parameter",
                hint='Use class_weight="balanced".',
            )
        self.data = data
        self.bags = sampling.bags(data, seed)
        self.rules = rules
        self._thresholds = settings.thresholds
        self._finish = finish
        table = data.table
        # Nodes that look at a few columns sort those; surrogates need every column in order.
        few = settings.max_features is not None or sampling.random_cuts
        by_row = few and "surrogate" not in settings.missing_rules(table.fields)
        weights, settings, self._scale = moderate(data.row_weights(), settings, data.classes is None)
        prepared = prepare(
            table,
            data.target,
            data.classes,
            weights,
            replace(settings, time_limit=None),
            data.threads,
            by_row,
        )
        self._matrix, self._target, self._settings, self.threads = prepared
        self._settings.random_cuts = sampling.random_cuts
        self._lean = _core.LeanForest(self._matrix, self._target, self._settings, self.threads)

    def drawn_from(self) -> str:
        """SHA-256 of what the bags are drawn from and how: the rows in the order that their content decides,
        their weights, the rule. Where it is the same, tree number t has the same bag."""
        data, bags, order = self.data, self.bags, self.bags.tickets.astype(np.intp)
        sha = hashlib.sha256(repr((bags.draws, bags.replace, list(bags.quota))).encode())
        weights = [] if data.weights is None or data.copies is not None else [data.weights]
        for values in (*(column.values for column in data.table.columns), data.target, *weights):
            some = (values.take(order) + 0.0).astype("<f8", copy=False)  # no -0.0
            some[np.isnan(some)] = np.nan  # whatever its sign
            sha.update(some.data)
        return sha.hexdigest()

    def grow(self, first: int, count: int, seconds: float | None = None) -> Grown:
        """Trees number first, first + 1 … . Those that are not finished after so many seconds, or when
        Ctrl-C comes, are given up; of a forest without any tree the first stays as far as it has grown."""
        arrays, stopped = _core.grow_many(
            self._matrix,
            self._target,
            self._settings,
            self.bags,
            self._lean,
            first,
            count,
            seconds or 0.0,
            first == 0,
            self._packs,
            self.threads,
        )
        trees: list[Tree] = []
        try:
            for tree in arrays:
                if tree is None:
                    break
                trees.append(self._tree(tree))
        except KeyboardInterrupt:  # those that are made stay
            stopped = "interrupted"
        return Grown(trees, stopped)

    @property
    def _packs(self) -> bool:
        """Whether nothing is done to the arrays of a grown tree, so that they need not be made yet."""
        return self._thresholds == "midpoint" and self._scale == 1.0 and self._finish is None

    def _tree(self, arrays: dict[str, Any] | _core.PackedTree) -> Tree:
        if isinstance(arrays, _core.PackedTree):
            return Tree.from_packed(arrays, self.data.table.fields, self.data.classes, self.rules)
        place_thresholds(arrays, self.data.table, self._thresholds)
        arrays["weight"] = arrays["weight"] / self._scale
        tree = Tree(fields=self.data.table.fields, classes=self.data.classes, **arrays, rules=self.rules)
        return tree if self._finish is None else self._finish(tree)

"""What a rule asks of one column: an interval or categories, and what becomes of values that are missing."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bough.data.encode import UNSEEN
from bough.data.table import Field
from bough.tree.condition import SPREAD, STAY, THRESHOLD, branch_categories, threshold_text
from bough.tree.text import category_name, shown_name
from bough.tree.tree import Tree

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Numbers of values beside those of categories.
NEVER_SEEN, MISSING = int(UNSEEN), -2
UNDECIDED = -3


@dataclass(frozen=True)
class StandIn:
    """The surrogates of a node, asked for rows without a value: those that they send to this child pass."""

    tree: Tree = dataclasses.field(repr=False)
    node: int
    child: int

    def passes(self, columns: Sequence[Floats]) -> Mask:
        tree = self.tree
        way = np.full(len(columns[0]), UNDECIDED)
        for s in range(int(tree.surrogate_start[self.node]), int(tree.surrogate_start[self.node + 1])):
            found = self._ways(s, columns[tree.surrogate_feature[s]])
            way = np.where(way == UNDECIDED, found, way)
        passed: Mask = np.where(way == UNDECIDED, tree.missing_child[self.node], way) == self.child
        return passed

    def _ways(self, s: int, x: Floats) -> NDArray[np.int64]:
        tree, way = self.tree, np.full(len(x), UNDECIDED)
        if tree.surrogate_kind[s] == THRESHOLD:
            first = int(tree.surrogate_first[s])
            way[x <= tree.surrogate_threshold[s]] = first
            way[x > tree.surrogate_threshold[s]] = 1 - first
        else:
            for category, child in self._listed(s):
                way[x == category] = child
        return way

    def _listed(self, s: int) -> list[tuple[int, int]]:
        part = slice(*self.tree.surrogate_category_start[s : s + 2])
        pairs = zip(self.tree.surrogate_category[part], self.tree.surrogate_category_child[part], strict=True)
        return [(int(category), int(child)) for category, child in pairs]

    def __str__(self) -> str:
        """What the surrogates say, in the order in which they are asked."""
        tree, texts = self.tree, []
        for s in range(int(tree.surrogate_start[self.node]), int(tree.surrogate_start[self.node + 1])):
            field = tree.fields[tree.surrogate_feature[s]]
            if tree.surrogate_kind[s] == THRESHOLD:
                sign = "<=" if tree.surrogate_first[s] == self.child else ">"
                number = threshold_text(field, float(tree.surrogate_threshold[s]))
                texts.append(f"{shown_name(field.name)} {sign} {number}")
            else:
                names = [field.categories[c] for c, child in self._listed(s) if child == self.child]
                texts.append(f"{shown_name(field.name)} {_among(names)}")
        last = {self.child: "this way otherwise", STAY: "none otherwise"}
        texts.append(last.get(int(tree.missing_child[self.node]), "the other way otherwise"))
        return ", else ".join(texts)


@dataclass(frozen=True)
class Passing:
    """How a value passes: with which share of the row, if which stand-ins agree, and whether rows with such a
    value were there when the tree grew."""

    share: float = 1.0
    stand_ins: tuple[StandIn, ...] = ()
    seen: bool = True

    def __and__(self, other: Passing) -> Passing:
        both = (*self.stand_ins, *(s for s in other.stand_ins if s not in self.stand_ins))
        return Passing(self.share * other.share, both, self.seen and other.seen)

    @property
    def certain(self) -> bool:
        return self.share == 1.0 and not self.stand_ins


@dataclass(frozen=True)
class Condition:
    """Of an ordered column the values above `low` and up to `high` pass, if `known`. What else passes is in
    `passing`, by number: categories, NEVER_SEEN, MISSING."""

    column: int
    field: Field
    low: float = -math.inf
    high: float = math.inf
    known: bool = False
    passing: Mapping[int, Passing] = dataclasses.field(default_factory=dict)

    @property
    def ordered(self) -> bool:
        return self.field.kind not in ("nominal", "boolean")

    @property
    def missing(self) -> Passing | None:
        """How rows without a value pass; None: they do not."""
        return self.passing.get(MISSING)

    @property
    def categories(self) -> tuple[str, ...]:
        """Those that pass and were there when the tree grew."""
        listed = sorted(code for code, way in self.passing.items() if code >= 0 and way.seen)
        return tuple(self.field.categories[code] for code in listed)

    @property
    def exact(self) -> bool:
        """Whether it depends on its own column alone and takes rows as a whole."""
        return all(way.certain for way in self.passing.values())

    def __and__(self, other: Condition) -> Condition:
        low, high = max(self.low, other.low), min(self.high, other.high)
        both = {
            code: way & other.passing[code] for code, way in self.passing.items() if code in other.passing
        }
        return replace(
            self, low=low, high=high, known=self.known and other.known and low < high, passing=both
        )

    def shares(self, columns: Sequence[Floats]) -> Floats:
        """What part of each row passes, from the values of all columns."""
        x = columns[self.column]
        passed = np.zeros(len(x))
        if self.known:
            passed[(x > self.low) & (x <= self.high)] = 1.0
        for code, way in self.passing.items():
            rows = np.isnan(x) if code == MISSING else x == code
            for stand_in in way.stand_ins:
                rows = rows & stand_in.passes(columns)
            passed[rows] = way.share
        return passed

    def text(self, full: bool = False, named: bool = True) -> str:
        """In words. `full`: with values that the tree has a way for but never met; `named`: with the name."""
        name = shown_name(self.field.name)
        body = self._interval(name) if self.ordered else self._set(name, full, named)
        way, extra = self.missing, []
        if way is not None and (full or way.seen or not body):
            extra.append(self._missing_text(way))
        if full and not self.ordered and NEVER_SEEN in self.passing:
            extra.append("never seen")
        if not extra:
            return body or f"{name} is nothing"
        also = " or ".join(extra)
        return f"({body} or {also})" if body else f"{name} is {also}"

    def _interval(self, name: str) -> str:
        if not self.known:
            return ""
        low, high = (threshold_text(self.field, x) if math.isfinite(x) else "" for x in (self.low, self.high))
        if low and high:
            return f"{low} < {name} <= {high}"
        if not low and not high:
            return f"{name} is known"
        return f"{name} <= {high}" if high else f"{name} > {low}"

    def _set(self, name: str, full: bool, named: bool) -> str:
        codes = sorted(c for c, way in self.passing.items() if c >= 0 and (full or way.seen))
        if not codes:
            return ""
        among = _among([self.field.categories[code] for code in codes])
        return f"{name} {among}" if named else among.removeprefix("= ")

    @staticmethod
    def _missing_text(way: Passing) -> str:
        text = "missing" if way.share == 1.0 else f"missing ({way.share:.0%} of the row)"
        return text + "".join(f" where {stand_in}" for stand_in in way.stand_ins)

    def __str__(self) -> str:
        return self.text()


def _among(names: Sequence[str]) -> str:
    shown = list(map(category_name, names))
    return f"= {shown[0]}" if len(shown) == 1 else f"in {{{', '.join(shown)}}}"


def step(tree: Tree, node: int, child: int) -> Condition:
    """What leads from a node to one of its children, counted from 0; STAY: what ends at the node."""
    column = int(tree.feature[node])
    asked = tree.fields[column]
    unknown = _unknown(tree, node, child)
    seen = bool(tree.n_missing[node])
    passing = {} if unknown is None else {MISSING: replace(unknown, seen=seen)}
    if tree.kind[node] == THRESHOLD:
        t = float(tree.threshold[node])
        if child == 0:
            return Condition(column, asked, high=t, known=True, passing=passing)
        return Condition(column, asked, low=t, known=child == 1 and math.isfinite(t), passing=passing)
    other = _unlisted(tree, node, child, unknown)
    if other is not None:
        passing |= dict.fromkeys([*range(len(asked.categories)), NEVER_SEEN], replace(other, seen=False))
    for number, names in enumerate(branch_categories(tree, node)):
        for code in map(asked.categories.index, names):
            passing.pop(code, None)
            if number == child:
                passing[code] = Passing()
    return Condition(column, asked, passing=passing)


def _unknown(tree: Tree, node: int, child: int) -> Passing | None:
    """How rows without a value come to the child; None: they do not."""
    if tree.surrogate_start[node + 1] > tree.surrogate_start[node]:
        return Passing(stand_ins=(StandIn(tree, node, child),))
    goes = int(tree.missing_child[node])
    if goes == SPREAD and child >= 0:
        first = int(tree.first_child[node])
        weights = tree.weight[first : first + int(tree.n_children[node])]
        share = float(weights[child] / weights.sum())
        return Passing(share=share) if share > 0 else None
    return Passing() if goes == child else None


def _unlisted(tree: Tree, node: int, child: int, unknown: Passing | None) -> Passing | None:
    """How categories without a branch come to the child."""
    if tree.rules.unseen != "majority":
        return unknown
    first = int(tree.first_child[node])
    heaviest = int(tree.weight[first : first + int(tree.n_children[node])].argmax())
    return Passing() if heaviest == child else None


def further(above: Mapping[int, Condition], tree: Tree, node: int, child: int) -> dict[int, Condition]:
    """The conditions of a child (STAY: of what ends at the node), by column, from those of the node."""
    more = step(tree, node, child)
    column = more.column
    return {**above, column: above[column] & more if column in above else more}


def conditions_to(tree: Tree, node: int) -> tuple[Condition, ...]:
    """What leads from the root to the node, one condition for each column, in the order in which they are
    asked."""
    found: dict[int, Condition] = {}
    for above, below in pairwise(tree.path(node)):
        found = further(found, tree, above, below - int(tree.first_child[above]))
    return tuple(found.values())


__all__ = [
    "MISSING",
    "NEVER_SEEN",
    "Condition",
    "Passing",
    "StandIn",
    "conditions_to",
    "further",
    "step",
]

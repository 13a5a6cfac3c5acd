"""What every exporter reads: a model as questions in order, each with the branch it leads to, and a rest.

A test is false for a missing value and for a category that it does not list, in every language. So a node is
a list of tests and the branch for the rest: missing values, and categories that have no branch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Field
from bough.errors import BoughError
from bough.kept import kept
from bough.tree import Ensemble, Tree
from bough.tree.condition import MULTIWAY, SPREAD, STAY, THRESHOLD

AT_MOST, ABOVE, IN, KNOWN = "at most", "above", "in", "known"
GROUPED = ("nominal", "boolean")


def cannot(why: str, hint: str = "") -> BoughError:
    return BoughError(why, code="export", hint=hint or 'Formats that can: "json", "python", "c", "js".')


def unicode_text(text: str) -> str:
    """An error for half of a surrogate pair, which is no character and which few programs take."""
    if any(0xD800 <= ord(c) < 0xE000 for c in text):
        raise cannot(f"{text!r:.40} holds half a character (a lone surrogate).", "Rename it.")
    return text


def xml_text(text: str) -> str:
    """An error for characters that XML has no way to write."""
    if any((ord(c) < 32 and c not in "\t\n\r") or c in "\ufffe\uffff" for c in text):
        raise cannot(f"{text!r:.40} holds a character that XML cannot write.", "Rename it.")
    return unicode_text(text)


@dataclass(frozen=True)
class Test:
    """Of one column; `threshold` for numbers and dates, `members` (category numbers) for all others."""

    column: int
    way: str
    threshold: float = 0.0
    members: tuple[int, ...] = ()


@dataclass(frozen=True)
class Ways:
    """The first test that is true says which child; `rest`: a child, STAY or SPREAD."""

    tests: tuple[tuple[Test, int], ...]
    rest: int

    @property
    def repeats(self) -> bool:
        """Whether a child is reached in more than one way."""
        ends = [child for _, child in self.tests] + [self.rest]
        return len(set(ends)) < len(ends)


@dataclass(frozen=True, eq=False)
class PlannedTree:
    tree: Tree

    @kept
    def ways(self) -> dict[int, Ways]:
        return {int(i): _ways(self.tree, int(i)) for i in np.flatnonzero(self.tree.feature >= 0)}

    @kept
    def spreads(self) -> bool:
        return any(ways.rest == SPREAD for ways in self.ways.values())

    @kept
    def ends(self) -> dict[int, int]:
        """The nodes at which rows can end, with numbers from 0."""
        stops = [i for i, ways in self.ways.items() if ways.rest == STAY]
        leaves = np.flatnonzero(self.tree.feature < 0).tolist()
        return {node: number for number, node in enumerate(sorted([*stops, *leaves]))}

    def child(self, node: int, child: int) -> int:
        return int(self.tree.first_child[node]) + child

    def shares(self, node: int) -> list[float]:
        """The part of a spread row that each child gets."""
        first, count = int(self.tree.first_child[node]), int(self.tree.n_children[node])
        weight = self.tree.weight[first : first + count]
        return [float(w / weight.sum()) for w in weight]

    def values(self, node: int) -> list[float]:
        """What the node says: class shares, or one number."""
        tree = self.tree
        source = tree.value if tree.classes is None else tree.shares
        return [float(v) for v in source[node]]

    @kept
    def answers(self) -> list[int]:
        """The number of the class that each node answers with."""
        assert self.tree.classes is not None
        number = {label: i for i, label in enumerate(self.tree.classes.tolist())}
        return [number[label] for label in self.tree.answers.tolist()]


@dataclass(frozen=True, eq=False)
class Plan:
    """A tree or an ensemble; `combine` is "tree" for a single one."""

    model: Tree | Ensemble

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.model.fields

    @kept
    def trees(self) -> list[PlannedTree]:
        trees = self.model.trees if isinstance(self.model, Ensemble) else (self.model,)
        return [PlannedTree(tree) for tree in trees]

    @kept
    def classes(self) -> list[Any] | None:
        return None if self.model.classes is None else self.model.classes.tolist()

    @property
    def combine(self) -> str:
        return self.model.combine if isinstance(self.model, Ensemble) else "tree"

    @property
    def median(self) -> bool:
        """Whether the trees' numbers are ordered and the one in the middle of the weights is the answer."""
        return self.combine == "vote" and self.classes is None

    @property
    def link(self) -> str:
        return self.model.link if isinstance(self.model, Ensemble) else "identity"

    @property
    def weights(self) -> list[float]:
        return self.model.weights.tolist() if isinstance(self.model, Ensemble) else [1.0]

    @property
    def output(self) -> list[int]:
        return self.model.output.tolist() if isinstance(self.model, Ensemble) else [0]

    @property
    def base(self) -> list[float]:
        return self.model.base.tolist() if isinstance(self.model, Ensemble) else []

    @property
    def spreads(self) -> bool:
        return any(tree.spreads for tree in self.trees)

    @property
    def costs(self) -> tuple[tuple[float, ...], ...] | None:
        """Of mistakes, for a single tree whose answer is worked out from shares."""
        return self.model.rules.costs if isinstance(self.model, Tree) else None

    @property
    def n_outputs(self) -> int:
        if isinstance(self.model, Ensemble):
            return self.model.n_outputs
        return 1 if self.classes is None else len(self.classes)

    @property
    def total(self) -> float:
        """What the sum over trees is divided by."""
        if isinstance(self.model, Ensemble) and self.combine != "sum":
            return float(self.model.weights.sum())
        return 1.0

    def said(self, tree: int, node: int) -> list[float]:
        """What the end of a tree adds to the outputs, before the tree's weight."""
        planned = self.trees[tree]
        if self.combine == "vote" and self.classes is not None:
            return [float(k == planned.answers[node]) for k in range(len(self.classes))]
        return planned.values(node)

    def check(self, what: str, *, spread: bool = True, median: bool = True) -> None:
        """An error for what the format has no way to say."""
        if self.median and not median:
            raise cannot(f"{what} has no weighted median, which this model's number is.")
        if self.spreads and (not spread or self.combine == "vote"):
            raise cannot(
                f'{what} has no way to spread a row over several branches (missing="fractional").',
                'Fit with missing="learn", or take the format "python", "c", "js" or "sql".',
            )


def _ways(tree: Tree, node: int) -> Ways:
    column = int(tree.feature[node])
    tests = _value_tests(tree, node)
    field = tree.fields[column]
    if tree.rules.unseen == "majority" and field.kind in GROUPED:
        first, count = int(tree.first_child[node]), int(tree.n_children[node])
        tests.append((Test(column, KNOWN), int(tree.weight[first : first + count].argmax())))
    for s in range(int(tree.surrogate_start[node]), int(tree.surrogate_start[node + 1])):
        tests += _surrogate_tests(tree, s)
    rest = int(tree.missing_child[node])
    return Ways(tuple(_without_rest(tests, rest)), rest)


def _without_rest(tests: list[tuple[Test, int]], rest: int) -> list[tuple[Test, int]]:
    """Leaves out tests that lead where the rest goes, as long as no later test could take their rows."""
    kept: list[tuple[Test, int]] = []
    for i, (test, child) in enumerate(tests):
        later = tests[i + 1 :]
        apart = all(t.column == test.column and t.way != KNOWN for t, _ in later)
        if child != rest or not (apart or all(c == rest for _, c in later)):
            kept.append((test, child))
    return kept


def _value_tests(tree: Tree, node: int) -> list[tuple[Test, int]]:
    column = int(tree.feature[node])
    if tree.kind[node] == THRESHOLD:
        at_most, above = threshold_tests(tree.fields[column], column, float(tree.threshold[node]))
        return [(test, child) for child, test in enumerate((at_most, above)) if test is not None]
    if tree.kind[node] == MULTIWAY:
        return [(Test(column, IN, 0.0, (c,)), c) for c in range(len(tree.fields[column].categories))]
    part = slice(int(tree.category_start[node]), int(tree.category_start[node + 1]))
    return _groups(column, tree.category[part], tree.category_child[part])


def _groups(column: int, codes: NDArray[Any], children: NDArray[Any]) -> list[tuple[Test, int]]:
    found = sorted(set(children.tolist()))
    return [(Test(column, IN, 0.0, tuple(codes[children == c].tolist())), int(c)) for c in found]


def _surrogate_tests(tree: Tree, s: int) -> list[tuple[Test, int]]:
    column, first = int(tree.surrogate_feature[s]), int(tree.surrogate_first[s])
    if tree.surrogate_kind[s] == THRESHOLD:
        at_most, above = threshold_tests(tree.fields[column], column, float(tree.surrogate_threshold[s]))
        pairs = ((at_most, first), (above, 1 - first))
        return [(test, child) for test, child in pairs if test is not None]
    part = slice(int(tree.surrogate_category_start[s]), int(tree.surrogate_category_start[s + 1]))
    return _groups(column, tree.surrogate_category[part], tree.surrogate_category_child[part])


def threshold_tests(field: Field, column: int, threshold: float) -> tuple[Test | None, Test | None]:
    """Values up to the threshold and above; ordered categories become lists of them, dates whole numbers."""
    if field.kind == "ordinal":
        last = len(field.categories) - 1 if math.isinf(threshold) else math.floor(threshold)
        low = tuple(c for c in range(len(field.categories)) if c <= last)
        high = tuple(c for c in range(len(field.categories)) if c > last)
        return (
            Test(column, IN, 0.0, low) if low else None,
            Test(column, IN, 0.0, high) if high else None,
        )
    if math.isinf(threshold):
        return Test(column, KNOWN), None
    if field.kind == "datetime":
        threshold = float(math.floor(threshold))
    return Test(column, AT_MOST, threshold), Test(column, ABOVE, threshold)

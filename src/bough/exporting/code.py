"""Trees as nested conditions, for languages with functions: what Python, C and JavaScript share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from bough.exporting.plan import ABOVE, AT_MOST, IN, Plan, PlannedTree, Test
from bough.tree.condition import SPREAD, STAY

DEEPEST = 40  # of nested blocks; deeper nodes get a function of their own


class Language(ABC):
    """How a language spells what a tree needs."""

    indent = "    "
    # The lines that add one tree, {i}, to `out`: "sum" to one output, "mean" to each, where a row may spread
    # over its ends or comes to one of them, {said}; "median" notes its number.
    adding: ClassVar[dict[str, list[str]]]
    ends: ClassVar[str]  # what the end says to which a row comes in tree {i}

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def test(self, test: Test) -> str:
        x = f"x[{test.column}]"
        if test.way in (AT_MOST, ABOVE):
            return f"{x} {'<=' if test.way == AT_MOST else '>'} {self.number(test.threshold)}"
        return self.among(x, test) if test.way == IN else self.known(x, test)

    @abstractmethod
    def among(self, x: str, test: Test) -> str:
        """Whether it is one of the categories of the test."""

    @abstractmethod
    def known(self, x: str, test: Test) -> str:
        """Whether it is not missing."""

    @abstractmethod
    def block(self, conditions: list[tuple[str, list[str]]], rest: list[str]) -> list[str]:
        """if … else if … else …, each with its lines; without conditions: the rest alone."""

    @abstractmethod
    def function(self, name: str, body: list[str], spread: bool) -> list[str]:
        """Of the row; with `spread` also of a share and of the outputs to which it adds."""

    @abstractmethod
    def end(self, tree: int, end: int, spread: bool) -> list[str]:
        """The row ends here: return its number, or add the share of what is said here."""

    @abstractmethod
    def call(self, name: str, share: str | None) -> list[str]:
        """Go on in another function; with a share of the row, which spreads it."""

    def number(self, value: float) -> str:
        return repr(float(value))

    def sums(self) -> list[str]:
        """The lines that add up what the trees say of the row x."""
        plan, out = self.plan, []
        for i, (planned, weight, output) in enumerate(
            zip(plan.trees, plan.weights, plan.output, strict=True)
        ):
            way = "median" if plan.median else "sum" if plan.combine == "sum" else "mean"
            spread = "" if way == "median" or not planned.spreads else " spread"
            said = self.ends.format(i=i)
            out += [
                line.format(i=i, said=said, weight=repr(weight), output=output)
                for line in self.adding[way + spread]
            ]
        return self.lines(out)

    def lines(self, inner: list[str]) -> list[str]:
        return [self.indent + line for line in inner]


def tree_functions(language: Language, plan: Plan, tree: int) -> list[str]:
    """The functions of one tree, the root's last and called tree_<number>."""
    planned = plan.trees[tree]
    writer = _Writer(language, planned, tree)
    out: list[str] = []
    for node in sorted(writer.starts(), reverse=True):  # those that are called first
        body = writer.body(node, top=True)
        out += [*language.function(writer.name(node), body, planned.spreads), ""]
    return out


class _Writer:
    def __init__(self, language: Language, planned: PlannedTree, number: int) -> None:
        self.language, self.planned, self.number = language, planned, number

    def name(self, node: int) -> str:
        return f"tree_{self.number}" + (f"_{node}" if node else "")

    def is_start(self, node: int) -> bool:
        """Whether it has a function of its own: nodes that are reached in several ways, and deep ones."""
        tree = self.planned.tree
        if node == 0:
            return True
        if tree.feature[node] < 0:
            return False
        parent = int(tree.parent[node])
        ways = self.planned.ways[parent]
        again = ways.repeats or ways.rest == SPREAD
        return again or int(tree.depth[node]) % DEEPEST == 0

    def starts(self) -> list[int]:
        return [node for node in range(self.planned.tree.n_nodes) if self.is_start(node)]

    def body(self, node: int, *, top: bool = False) -> list[str]:
        planned, language = self.planned, self.language
        if not top and self.is_start(node):
            return language.call(self.name(node), "share" if planned.spreads else None)
        if node not in planned.ways:
            return language.end(self.number, planned.ends[node], planned.spreads)
        ways = planned.ways[node]
        cases = [(language.test(test), self.body(planned.child(node, to))) for test, to in ways.tests]
        if ways.rest == STAY:
            rest = language.end(self.number, planned.ends[node], planned.spreads)
        elif ways.rest == SPREAD:
            rest = self._spread(node)
        else:
            rest = self.body(planned.child(node, ways.rest))
        return language.block(cases, rest)

    def _spread(self, node: int) -> list[str]:
        planned, language = self.planned, self.language
        out: list[str] = []
        for child, share in enumerate(planned.shares(node)):
            if share == 0:
                continue
            below = planned.child(node, child)
            part = f"share * {language.number(share)}"
            if below in planned.ways:
                out += language.call(self.name(below), part)
            else:
                out += [
                    line.replace("share", part, 1)
                    for line in language.end(self.number, planned.ends[below], True)
                ]
        return out


def sanitised(name: str, used: set[str], fallback: str, reserved: frozenset[str]) -> str:
    """The name itself if it is a plain word that means nothing else, otherwise the fallback."""
    plain = name.isascii() and name.isidentifier() and not name.startswith("_") and len(name) <= 60
    chosen = name if plain and name not in reserved and name not in used else fallback
    used.add(chosen)
    return chosen


class Braces(Language):
    """Blocks as C and JavaScript have them."""

    def block(self, conditions: list[tuple[str, list[str]]], rest: list[str]) -> list[str]:
        out: list[str] = []
        for condition, inner in conditions:
            out += [f"{'} else ' if out else ''}if ({condition}) {{", *self.lines(inner)]
        return [*out, "} else {", *self.lines(rest), "}"] if out else rest

"""One rule for each end of a tree: conditions, answer, support, and how sure the answer is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.ingest import check_known, to_table
from bough.errors import BoughError, did_you_mean
from bough.explain.condition import Condition, further
from bough.explain.interval import mean_interval, wilson
from bough.explain.words import amount, answer_name, deviation, interval_text, percent
from bough.tree.condition import STAY
from bough.tree.text import significant
from bough.tree.tree import Tree

Floats = NDArray[np.float64]

EVERY = object()


@dataclass(frozen=True)
class Rule:
    """Rows that meet all conditions end in `node` and get its answer.

    `n` training rows did (`weight`: the sum of their weights; parts of rows that are spread over several
    rules count as parts). `share` is that of the answer among them, or None where answers are numbers, which
    have `sd` instead. `interval`: 95 %, of the share or of the mean. `stays`: the node asks, and the rule is
    about rows whose missing value ends their way there; they get the answer of all rows of the node, and
    share, sd and interval are those of all.
    """

    node: int
    conditions: tuple[Condition, ...]
    prediction: Any
    n: int
    weight: float
    share: float | None
    sd: float | None
    interval: tuple[float, float]
    stays: bool = False
    tree: Tree = field(repr=False, compare=False, kw_only=True)

    @property
    def divides(self) -> bool:
        """Whether rows may meet it in part."""
        return any(way.share < 1 for c in self.conditions for way in c.passing.values())

    def shares(self, data: Any) -> Floats:
        """What part of each row of any data meets the rule: 0 or 1, or between where rows are spread."""
        columns, n_rows = encoded(self.tree, data)
        return met(self.conditions, columns, n_rows)

    def mask(self, data: Any) -> NDArray[np.bool_]:
        """Which rows of any data meet the rule, at least in part."""
        found: NDArray[np.bool_] = self.shares(data) > 0
        return found

    def condition_text(self, full: bool = False) -> str:
        """The conditions; `full`: with missing and unseen values that the tree never met at that place."""
        return " and ".join(c.text(full) for c in self.conditions) or "always"

    def answer_text(self) -> str:
        """The answer with its share or deviation, support and interval."""
        count = amount(self.weight) if self.divides else f"{self.n:,}"
        rows = f"{count} row" + "s" * (count != "1")
        sure = f"95% interval {interval_text(*self.interval, numbers=self.share is None)}"
        if not self.n:
            why = "" if self.stays else ": the answer of the node above"
            return f"{answer_name(self.prediction)} (no rows{why})"
        if self.share is None:
            sd = "" if self.sd is None or self.n < 2 else f" ± {significant(self.sd, 3)}"
            return f"{answer_name(self.prediction)}{sd} ({rows}" + (
                f", {sure})" if math.isfinite(self.interval[0]) else ")"
            )
        return f"{answer_name(self.prediction)} {percent(self.share)} ({rows}, {sure})"

    def __str__(self) -> str:
        return f"{self.condition_text()} → {self.answer_text()}"


class RuleList(list[Rule]):
    """Rules that print themselves, one a line."""

    def __str__(self) -> str:
        return "\n".join(map(str, self))


def rules_of(tree: Tree, prediction: Any = EVERY, order: str = "support") -> RuleList:
    """The rules of a tree, those with most rows first (order="tree": from left to right); of one answer."""
    if order not in ("support", "tree"):
        raise BoughError(
            f"order={order!r} is not possible.{did_you_mean(str(order), ('support', 'tree'))}",
            code="parameter",
            hint="order is support or tree.",
        )
    ends = _ends(tree)
    if prediction is not EVERY:
        wanted = class_label(tree, prediction)
        ends = [end for end in ends if tree.answers[end.node] == wanted]
    rules = [_rule(tree, end) for end in ends]
    if order == "support":
        rules.sort(key=lambda rule: -rule.weight)
    return RuleList(rules)


def class_label(tree: Tree, given: Any) -> Any:
    """The class that is meant: itself, or by its text."""
    if tree.classes is None:
        raise BoughError(
            "this tree answers with numbers, so there is no class to choose rules by.",
            code="model",
            hint="Leave the class out: rules().",
        )
    labels = tree.classes.tolist()
    for known in labels:
        if type(known) is type(given) and known == given:
            return known
    for known in labels:
        if known == given or str(known) == str(given):
            return known
    raise BoughError(
        f"the tree has no class {given!r}.{did_you_mean(str(given), map(str, labels))}",
        code="parameter",
        hint="Classes: " + ", ".join(map(str, labels[:20])) + ", …" * (len(labels) > 20) + ".",
    )


def encoded(tree: Tree, data: Any) -> tuple[list[Floats], int]:
    """The columns of any data as the tree's numbers."""
    table = to_table(data, fields=tree.fields, owner="the tree", strict=tree.rules.unseen == "error")
    check_known(table, tree.rules.never_missing)
    return [column.values for column in table.columns], table.n_rows


def met(conditions: Sequence[Condition], columns: Sequence[Floats], n_rows: int) -> Floats:
    """What part of each row meets all conditions."""
    shares = np.ones(n_rows)
    for condition in conditions:
        shares *= condition.shares(columns)
    return shares


@dataclass(frozen=True)
class _End:
    """Where rows may end: a leaf, or a question at which missing values stay."""

    node: int
    conditions: tuple[Condition, ...]
    stays: bool = False


def _ends(tree: Tree) -> list[_End]:
    """From left to right."""
    ends: list[_End] = []
    stack: list[tuple[int, dict[int, Condition]]] = [(0, {})]
    while stack:
        node, asked = stack.pop()
        if tree.feature[node] < 0:
            ends.append(_End(node, tuple(asked.values())))
            continue
        if tree.missing_child[node] == STAY:
            ends.append(_End(node, tuple(further(asked, tree, node, STAY).values()), stays=True))
        first, count = int(tree.first_child[node]), int(tree.n_children[node])
        stack.extend((first + c, further(asked, tree, node, c)) for c in reversed(range(count)))
    return ends


def _rule(tree: Tree, end: _End) -> Rule:
    node = end.node
    n, weight = int(tree.n_rows[node]), float(tree.weight[node])
    answer, share, sd, interval = _answer(tree, node)
    if end.stays:
        first = int(tree.first_child[node])
        below = slice(first, first + int(tree.n_children[node]))
        n -= int(tree.n_rows[below].sum())
        weight = max(weight - float(tree.weight[below].sum()), 0.0) if n else 0.0
    return Rule(node, end.conditions, answer, n, weight, share, sd, interval, end.stays, tree=tree)


def _answer(tree: Tree, node: int) -> tuple[Any, float | None, float | None, tuple[float, float]]:
    """Of the node as a whole, which answers for rows that stay at it, too."""
    answer, weight = tree.answers[node], float(tree.weight[node])
    # Rows that count for more or less than one, and parts of rows, are rows of the average weight.
    rows = weight * float(tree.n_rows[0]) / float(tree.weight[0])
    if tree.classes is None:
        sd = deviation(tree, node)
        interval = mean_interval(float(answer), sd or 0.0, rows if sd is not None else 0.0)
        return float(answer), None, sd, interval
    place = int(np.flatnonzero(tree.classes == answer)[0])
    hits = float(tree.value[node][place]) / weight * rows if weight > 0 else 0.0
    plain = answer.item() if isinstance(answer, np.generic) else answer
    return plain, float(tree.shares[node][place]), None, wilson(hits, rows)

"""Classical CART in plain Python: the tree that R's rpart grows, with competitors and pruning sequence.

These are the rules that reproduce rpart's printed figures (tests/golden/rpart). All numbers are exact
fractions, except under `information`; where rpart's own rounding decides between exactly equal splits, the
first one is taken here.

Rows. Rows without the target, and rows without a value in any column, are left out.
Loss. Let share_k be class k's share of the case weight. A row's weight is multiplied by prior_k / share_k
  for risks and answers (the prior is the share unless given), and by prior_k x (sum of class k's costs) /
  share_k, scaled to sum 1, for improvements: costs are altered priors. The answer of a node is the class of
  least expected cost, the first of equals; the cost is its risk.
Improvement. Loss of the rows known in the column minus that of both sides: W Σ p(1-p), -W Σ p ln p, or
  squared error; not scaled by the known rows' share. Of squared error, divided by the risk of the whole
  node, missing rows included.
Cuts. Halfway between neighbouring values; "below" is x < cut. Both sides need minbucket rows (not weight),
  only rows known in the column count. The first of equal cuts wins, from the lowest; the first of equal
  columns too. Columns whose improvement is at most 1e-10 of the largest that the tree has seen so far are
  no candidates.
Sides. Left is the side with the smaller mean (classes: mean class number by altered weight); of equal ones,
  the upper one.
Categories. Two classes: in order of the first class's altered share; numbers: of the mean; equal ones by
  number; then cut as values are. More classes: all subsets in the order of the binary Gray code, in which
  the first category moves most often and the last of the declared ones stays. Categories without a row have
  no side.
Surrogates. See surrogates.py.
Missing. A row without the split's value goes by the first surrogate that knows it, then to the heavier side
  (by weight of the split's known rows; equal: it stays and no child has it). With usesurrogate 1 it stays
  if no surrogate knows it, with 0 always. It is so while growing and when answering. (rpart itself takes
  the child with more rows when answering.)
Growth. Depth first. A node is not searched with fewer than minsplit rows, at maxdepth, or if its risk is at
  most cp x root risk. Such leaves have complexity cp, others that of the split that was given up.
Complexity. (risk - risk of the subtree's leaves) / splits in the subtree, after those parts of it are
  collapsed that have a smaller one, the weaker child first. A split of complexity <= cp x root risk is
  given up. At the end, none exceeds its parent's.
Pruning. The tree at cp has the splits of complexity > cp.

The figures do not tell these apart from their alternatives: the rule of 1e-10, the side of equal means, the
order of equal categories and of subsets, rows without any value, the values of rows that a split does not
know in the cuts of its surrogates, and which of two equally weak children collapses first. They follow
rpart's own behaviour; other choices matter only where splits are exactly equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from .surrogates import LEFT, RIGHT, Column, Number, Split, find_surrogates, heavier_side


@dataclass(frozen=True)
class Control:
    minsplit: int = 20
    minbucket: int = 7
    cp: float = 0.01
    maxcompete: int = 4
    maxsurrogate: int = 5
    usesurrogate: int = 2
    maxdepth: int = 30


@dataclass(frozen=True)
class Problem:
    columns: Sequence[Column]
    target: Sequence[Any]  # class numbers from 0, or numbers; None is missing
    n_classes: int = 0  # 0: regression
    weights: Sequence[float] | None = None
    criterion: str = "gini"  # or "information"; regression has squared error only
    prior: Sequence[float] | None = None
    costs: Sequence[Sequence[float]] | None = None  # of a true class (row) answered as another
    control: Control = Control()


@dataclass(eq=False)
class Node:
    number: int  # the root is 1, the children of n are 2n and 2n + 1
    rows: list[int]
    weight: Number
    risk: Number
    answer: Number  # class number, or mean
    classes: tuple[Number, ...] = ()  # case weight of each class
    shares: tuple[Number, ...] = ()  # of each class, by prior
    complexity: Number = 0  # as a share of the root's risk
    splits: list[Split] = field(default_factory=list)  # the split, then its competitors
    surrogates: list[Split] = field(default_factory=list)
    heavier: int = 0
    children: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Group:
    """Rows taken together: their number, and class weights or the sums of w, wy, wy²."""

    rows: int
    sums: tuple[Number, ...]

    def __add__(self, other: Group) -> Group:
        return Group(self.rows + other.rows, tuple(a + b for a, b in zip(self.sums, other.sums, strict=True)))

    def __sub__(self, other: Group) -> Group:
        return Group(self.rows - other.rows, tuple(a - b for a, b in zip(self.sums, other.sums, strict=True)))


class Cart:
    def __init__(self, problem: Problem) -> None:
        self.problem, self.control = problem, problem.control
        n, self.k = len(problem.target), problem.n_classes
        self.weights = [Fraction(w) for w in problem.weights or [1] * n]
        self.rows = [
            i
            for i in range(n)
            if problem.target[i] is not None and any(c.values[i] is not None for c in problem.columns)
        ]
        self.empty = Group(0, (Fraction(0),) * (self.k or 3))
        self.largest: Number = 0  # improvement seen so far
        if self.k:
            self.set_class_weights(self.group(self.rows).sums)

    def set_class_weights(self, classes: Sequence[Number]) -> None:
        share = [w / sum(classes) for w in classes]
        prior = [Fraction(p) for p in self.problem.prior] if self.problem.prior else share
        costs = self.problem.costs or [[int(i != j) for j in range(self.k)] for i in range(self.k)]
        self.costs = [[Fraction(c) for c in row] for row in costs]
        altered = [p * sum(row) for p, row in zip(prior, self.costs, strict=True)]
        self.plain = [p / s if s else p for p, s in zip(prior, share, strict=True)]
        self.altered = [a / sum(altered) / s if s else a for a, s in zip(altered, share, strict=True)]

    def grow(self) -> Node:
        root = self.node(1, self.rows)
        self.least = Fraction(self.control.cp) * root.risk
        self.split(root)
        if root.risk:
            cap_complexity(root, root.complexity, root.risk)
        return root

    # Sums, and how good they are.

    def group(self, rows: Iterable[int]) -> Group:
        sums, n = [Fraction(0)] * (self.k or 3), 0
        for i in rows:
            w, y, n = self.weights[i], self.problem.target[i], n + 1
            if self.k:
                sums[y] += w
            else:
                y = Fraction(y)
                sums = [sums[0] + w, sums[1] + w * y, sums[2] + w * y * y]
        return Group(n, tuple(sums))

    def node(self, number: int, rows: list[int]) -> Node:
        sums = self.group(rows).sums
        if not self.k:
            w, wy, wyy = sums
            return Node(number, rows, w, wyy - wy * wy / w, wy / w)
        weights = [p * w for p, w in zip(self.plain, sums, strict=True)]
        risks = [sum(weights[j] * self.costs[j][i] for j in range(self.k)) for i in range(self.k)]
        shares = tuple(w / sum(weights) for w in weights)
        return Node(number, rows, sum(sums), min(risks), risks.index(min(risks)), sums, shares)

    def altered_weights(self, group: Group) -> list[Number]:
        return [a * w for a, w in zip(self.altered, group.sums, strict=True)]

    def mean(self, group: Group) -> Number:
        if not self.k:
            return group.sums[1] / group.sums[0]
        weights = self.altered_weights(group)
        return sum(k * w for k, w in enumerate(weights)) / sum(weights)

    def losses(self, group: Group) -> list[Number]:
        """The summands of its loss."""
        if not self.k:
            w, wy, wyy = group.sums
            return [wyy - wy * wy / w]
        weights = self.altered_weights(group)
        total = sum(weights)
        if self.problem.criterion == "information":
            return [-float(w) * math.log(w / total) for w in weights if w]
        return [w * (1 - w / total) for w in weights]

    def improvement(self, a: Group, b: Group, risk: Number) -> Number:
        terms = self.losses(a + b) + [-x for x in self.losses(a) + self.losses(b)]
        gain = math.fsum(terms) if self.problem.criterion == "information" else sum(terms)
        return gain if self.k or not gain else gain / risk

    # The best split of each column.

    def candidates(self, node: Node) -> list[Split]:
        found = []
        for j in range(len(self.problem.columns)):
            split = self.best(j, node)
            if split:
                self.largest = max(self.largest, split.improve)
                if split.improve > self.largest * 1e-10:
                    found.append(split)
        found.sort(key=lambda split: -split.improve)
        return found[: self.control.maxcompete + 1]

    def best(self, j: int, node: Node) -> Split | None:
        column = self.problem.columns[j]
        by_value: dict[Any, list[int]] = {}
        for i in node.rows:
            if column.values[i] is not None:
                by_value.setdefault(column.values[i], []).append(i)
        groups = {value: self.group(by_value[value]) for value in sorted(by_value)}
        whole = sum(groups.values(), self.empty)
        best, lower, side = 0, frozenset(), 0
        n = column.n_categories
        for parting in self.subsets(groups, n) if n else prefixes(list(groups)):
            a = sum((groups[v] for v in parting), self.empty)
            b = whole - a
            if min(a.rows, b.rows) >= self.control.minbucket:
                gain = self.improvement(a, b, node.risk)
                if gain > best:
                    best, lower, side = gain, parting, LEFT if self.mean(a) < self.mean(b) else RIGHT
        if not lower:
            return None
        if n:
            sides = ((side if c in lower else -side) if c in groups else 0 for c in range(n))
            return Split(j, best, sides=tuple(sides), count=whole.rows)
        cut = (max(lower) + min(set(groups) - lower)) / 2
        return Split(j, best, cut, side, count=whole.rows)

    def subsets(self, groups: dict[Any, Group], n_categories: int) -> Iterator[frozenset[Any]]:
        if self.k <= 2:
            sign = -1 if self.k else 1
            yield from prefixes(sorted(groups, key=lambda c: sign * self.mean(groups[c])))
            return
        movable = [c for c in groups if c != n_categories - 1]
        left: frozenset[Any] = frozenset()
        for step in range(1, 2 ** len(movable)):
            left ^= {movable[(step & -step).bit_length() - 1]}
            yield left

    # Growth.

    def split(self, node: Node) -> tuple[int, Number]:
        """Grows the node; the number of splits that it keeps, and the risk of their leaves."""
        control = self.control
        node.complexity = self.least
        few = len(node.rows) < control.minsplit
        if few or node.risk <= self.least or node.number >= 2**control.maxdepth:
            return 0, node.risk
        node.splits = self.candidates(node)
        if not node.splits:
            return 0, node.risk
        node.children = self.children(node)
        kept = [(child, *self.split(child)) for child in node.children]
        node.complexity, splits, risk = collapse(node.risk, kept)
        if node.complexity <= self.least:
            node.splits, node.surrogates, node.children = [], [], ()
            return 0, node.risk
        return splits, risk

    def send(self, row: int, splits: Sequence[Split]) -> tuple[int, int]:
        """The side of a row, and by which of the splits."""
        for n, split in enumerate(splits):
            side = split.side(self.problem.columns[split.column].values[row])
            if side:
                return side, n
        return 0, -1

    def children(self, node: Node) -> tuple[Node, Node]:
        primary = node.splits[0]
        known = {i: self.send(i, [primary])[0] for i in node.rows}
        found = find_surrogates(
            self.problem.columns, self.weights, known, primary.column, self.control.maxsurrogate
        )
        node.heavier = heavier_side(self.weights, known)
        rules = [primary, *(found if self.control.usesurrogate else [])]
        rows: dict[int, list[int]] = {LEFT: [], RIGHT: [], 0: []}
        counts = [0] * (len(found) + 1)
        for i in node.rows:
            side, rule = self.send(i, rules)
            if side:
                counts[rule] += 1
            elif self.control.usesurrogate == 2:
                side = node.heavier
            rows[side].append(i)
        node.surrogates = [replace(s, count=n) for s, n in zip(found, counts[1:], strict=True)]
        return self.node(2 * node.number, rows[LEFT]), self.node(2 * node.number + 1, rows[RIGHT])


def prefixes(values: Sequence[Any]) -> Iterator[frozenset[Any]]:
    for n in range(1, len(values)):
        yield frozenset(values[:n])


def collapse(risk: Number, kept: list[tuple[Node, int, Number]]) -> tuple[Number, int, Number]:
    """A node's complexity, and the splits and risk that remain; `kept`: each child with its subtree's."""

    def whole() -> tuple[Number, int, Number]:
        splits, leaves = 1 + kept[0][1] + kept[1][1], kept[0][2] + kept[1][2]
        return (risk - leaves) / splits, splits, leaves

    for n in sorted((1, 0), key=lambda n: kept[n][0].complexity):
        child = kept[n][0]
        if whole()[0] <= child.complexity:
            break
        kept[n] = (child, 0, child.risk)
    return whole()


def cap_complexity(node: Node, most: Number, root_risk: Number) -> None:
    capped = min(node.complexity, most)
    node.complexity = capped / root_risk
    for child in node.children:
        cap_complexity(child, capped, root_risk)


# The grown tree.


def reach(node: Node, row: Sequence[Any], usesurrogate: int = 2) -> Node:
    """The leaf that a row comes to, or the node that it stays at."""
    while node.children:
        rules = [node.splits[0], *(node.surrogates if usesurrogate else [])]
        side = next(filter(None, (rule.side(row[rule.column]) for rule in rules)), 0)
        if not side and usesurrogate == 2:
            side = node.heavier
        if not side:
            return node
        node = node.children[side == RIGHT]
    return node


def nodes(node: Node, cp: Number = -1) -> Iterator[Node]:
    """Of the tree pruned at cp, each before its children."""
    yield node
    if node.complexity > cp:
        for child in node.children:
            yield from nodes(child, cp)


def pruning_sequence(root: Node, cp: float) -> list[tuple[Number, int, Number]]:
    """cp, splits and risk (as a share of the root's) of each tree, the root alone first. `cp`: grown with."""
    steps = {n.complexity for n in nodes(root) if n.children} | {Fraction(cp)}
    table = []
    for step in sorted(steps, reverse=True):
        leaves = [n for n in nodes(root, step) if not n.children or n.complexity <= step]
        table.append((step, len(leaves) - 1, sum(n.risk for n in leaves) / root.risk))
    return table

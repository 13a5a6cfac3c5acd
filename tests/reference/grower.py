"""The plain-Python reference grower: docs/semantics.md once more, slowly and in exact arithmetic.

Weights and targets are floats, floats are dyadic rationals, so in a common unit they are integers and
every sum is exact; gini, error and squared_error losses and gains are exact rationals. Entropy is the
only criterion in floats (math.log2, math.fsum).

How close each decision was is kept in `Node.gaps`, so that a comparison with the core, which rounds, can
leave out the cases that rounding may legitimately turn (see rounding.py). All gaps of gains are divided by
loss(node). `Node.margin` is gaps["choice"]: the minimum of |gain - (G - t)| / loss(node) over the valid
candidates of all columns that part the rows differently from the best one (the same parting has the same
sums, hence the same gain in any arithmetic). Candidates that tie exactly with the best have margin 1e-12.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import add, sub
from typing import Any, NamedTuple

Number = Any  # int or Fraction; float for entropy
Value = float | int | None
# Additive statistics: (row set as a bit mask, class weights ...) or (mask, sum w, sum w*y, sum w*y*y).
Stat = tuple[int, ...]
TIE = Fraction(1, 10**12)


@dataclass(frozen=True)
class Col:
    name: str
    kind: str  # "ordered" or "nominal"
    values: Sequence[Value]  # None is missing; categories are numbers from 0
    n_categories: int = 0


@dataclass(frozen=True)
class Table:
    columns: Sequence[Col]
    target: Sequence[float]  # class numbers from 0, or numbers when n_classes is None
    n_classes: int | None = None
    weights: Sequence[float] | None = None


@dataclass(frozen=True)
class Settings:
    criterion: str = "gini"
    categories: str = "subset"
    ties: str = "column"
    zero_gain_splits: bool = False
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    max_leaf_nodes: int | None = None
    subset_correction: bool = False
    max_features: int | None = None
    seed: int = 0


@dataclass(eq=False)
class Node:
    """A leaf (column is None) or a test. An empty multiway branch has no rows and its parent's value."""

    depth: int
    rows: list[int]  # row numbers of the table as given
    value: tuple[Fraction, ...] | Fraction  # class weights, or the mean
    weight: Fraction
    loss: Number  # in the units of the table, not divided by the weight
    column: int | None = None
    kind: str | None = None  # "ordered", "subset" or "multiway"
    threshold: float | None = None
    left: frozenset[int] = frozenset()  # subset: categories present in the node, by side
    right: frozenset[int] = frozenset()
    missing_child: int | None = None
    children: list[Node] = field(default_factory=list)
    gain: Number = 0  # not divided by the weight
    gaps: dict[str, float] = field(default_factory=dict)
    key: int = 1  # of its place in the tree, for what is drawn
    columns: Sequence[int] = ()  # those that no node above has found constant; only these are drawn

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    @property
    def impurity(self) -> Number:
        return self.loss / self.weight if self.weight else 0

    @property
    def answer(self) -> int | float:
        return self.value.index(max(self.value)) if isinstance(self.value, tuple) else float(self.value)

    @property
    def margin(self) -> float:
        return self.gaps.get("choice", math.inf)

    def note(self, name: str, gap: Number, sums: bool = False) -> None:
        """Keep the smallest gap of a decision; with sums, an exact equality is kept apart as "name="."""
        name = name + "=" if sums and gap == 0 else name
        self.gaps[name] = min(self.gaps.get(name, math.inf), float(gap))


class Candidate(NamedTuple):
    column: int
    branches: tuple[Stat, ...]  # statistics of each branch, missing rows included
    missing: int | None  # branch of the missing rows; None if the node has none
    left: tuple[int, ...]  # positions in groups that go left (two-way)
    groups: tuple[float, ...]  # distinct values or present categories, ascending


class Split(NamedTuple):
    candidate: Candidate
    gain: Number  # in the units of the grower


def total(stats: Iterable[Stat], start: Stat) -> Stat:
    for stat in stats:
        start = tuple(map(add, start, stat))
    return start


def as_integers(values: Sequence[float]) -> tuple[list[int], int]:
    """The values times their common denominator, and that denominator (a power of two)."""
    exact = [Fraction(v) for v in values]
    unit = max((v.denominator for v in exact), default=1)
    return [int(v * unit) for v in exact], unit


def midpoint(a: float, b: float) -> float:
    m = (a + b) / 2
    if not math.isfinite(m):
        m = a / 2 + b / 2
    return m if a <= m < b else a


def mix(x: int) -> int:
    """SplitMix64: what the core draws by."""
    x = (x + 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def random_order(items: Sequence[int], seed: int, key: int) -> Iterator[int]:
    """One item after the other, each drawn among those that are left."""
    left, state = [*items], mix(seed) ^ mix(key)
    for i in range(len(left)):
        state = (state + 1) % 2**64
        j = i + mix(state) % (len(left) - i)
        left[i], left[j] = left[j], left[i]
        yield left[i]


class Grower:
    """One table with its settings: exact row statistics, then loss, candidates, choice and growth."""

    def __init__(self, table: Table, settings: Settings) -> None:
        self.table, self.settings, self.classes = table, settings, table.n_classes
        if (settings.criterion == "squared_error") != (self.classes is None):
            raise ValueError("squared_error is for regression, the other criteria are for classes")
        weights, self.w_unit = as_integers(table.weights or [1.0] * len(table.target))
        targets, y_unit = as_integers(table.target)
        self.y_unit = 1 if self.classes else y_unit
        self.rows = [i for i, w in enumerate(weights) if w != 0]
        if not self.rows:
            raise ValueError("no row has a weight")
        self.stats: dict[int, Stat] = {}
        for i in self.rows:
            w, y = weights[i], targets[i]
            if self.classes:
                parts = tuple(w if y == k else 0 for k in range(self.classes))
            else:
                parts = (w, w * y, w * y * y)
            self.stats[i] = (1 << i, *parts)
        self.zero: Stat = (0,) * len(self.stats[self.rows[0]])
        self.loss_unit = 1 if settings.criterion == "entropy" else self.w_unit * self.y_unit**2
        losses: dict[str, Callable[[Stat], Number]] = {
            "gini": lambda s: Fraction(sum(s[1:]) ** 2 - sum(w * w for w in s[1:]), sum(s[1:])),
            "entropy": lambda s: math.fsum(self.entropy_terms(s)),
            "error": lambda s: sum(s[1:]) - max(s[1:]),
            "squared_error": lambda s: Fraction(s[3] * s[1] - s[2] * s[2], s[1]),
        }
        self.loss = losses[settings.criterion]
        self.root_stat = total((self.stats[i] for i in self.rows), self.zero)
        self.root_weight = self.weight(self.root_stat)
        self.least_weight = Fraction(settings.min_weight_fraction_leaf) * self.root_weight
        # G / W(root) is compared in the units of the table; here is the same bound in those of the losses.
        decrease = Fraction(settings.min_impurity_decrease)
        self.least_gain = decrease * self.root_weight * self.loss_unit / self.w_unit

    def weight(self, stat: Stat) -> int:
        return sum(stat[1:]) if self.classes else stat[1]

    def entropy_terms(self, stat: Stat) -> list[float]:
        W = sum(stat[1:])
        return [(w / self.w_unit) * math.log2(W / w) for w in stat[1:] if w]

    def gain(self, stat: Stat, branches: tuple[Stat, ...]) -> Number:
        full = [b for b in branches if b[0]]
        if self.settings.criterion == "entropy":  # one rounding; a gain is never negative
            lost = [-x for b in full for x in self.entropy_terms(b)]
            return max(0.0, math.fsum(self.entropy_terms(stat) + lost))
        return self.loss(stat) - sum(self.loss(b) for b in full)

    # Candidates of a column, in their order.

    def candidates(self, column: int, rows: list[int]) -> Iterator[Candidate]:
        col = self.table.columns[column]
        by_value: dict[float, Stat] = {}
        missing = self.zero
        for i in rows:
            v = col.values[i]
            if v is None:
                missing = total([self.stats[i]], missing)
            else:
                v += 0  # -0.0 is 0.0
                by_value[v] = total([self.stats[i]], by_value.get(v, self.zero))
        groups = tuple(sorted(by_value))
        stats = [by_value[v] for v in groups]
        if col.kind == "nominal" and self.settings.categories == "multiway":
            yield from self.multiway(column, by_value, missing)
            return
        ordered = col.kind == "ordered"
        known = total(stats, self.zero)
        whole = total([missing], known)
        lefts = cuts(range(len(groups))) if ordered else self.subsets(stats, whole)
        for left in lefts:
            a = total((stats[i] for i in left), self.zero)
            b = tuple(map(sub, known, a))
            if missing[0]:
                yield Candidate(column, (total([missing], a), b), 0, left, groups)
                yield Candidate(column, (a, total([missing], b)), 1, left, groups)
            else:
                yield Candidate(column, (a, b), None, left, groups)
        if missing[0] and known[0]:
            yield Candidate(column, (known, missing), 1, tuple(range(len(groups))), groups)

    def subsets(self, stats: list[Stat], node: Stat) -> Iterator[tuple[int, ...]]:
        """The left sides of the subset splits of the present categories, by position."""
        g = len(stats)
        if self.classes is None or self.classes <= 2:
            yield from cuts(self.category_order(stats, 1))
        elif g <= 8:
            for b in range(2 ** (g - 1) - 1 if g else 0):
                yield (0, *(i + 1 for i in range(g - 1) if b >> i & 1))
        else:
            for k in range(self.classes):
                if node[1 + k]:
                    yield from cuts(self.category_order(stats, k))

    def key(self, stat: Stat, k: int) -> Fraction:
        """What categories are ordered by: the share of class k, or the mean."""
        return Fraction(stat[1 + k], self.weight(stat)) if self.classes else Fraction(stat[2], stat[1])

    def category_order(self, stats: list[Stat], k: int) -> list[int]:
        if self.classes == 1:
            return list(range(len(stats)))
        return sorted(range(len(stats)), key=lambda i: (self.key(stats[i], k), i))

    def multiway(self, column: int, by_value: dict[float, Stat], missing: Stat) -> Iterator[Candidate]:
        if len(by_value) < 2:
            return
        groups = tuple(sorted(by_value))
        branches = [by_value.get(c, self.zero) for c in range(self.table.columns[column].n_categories)]
        if not missing[0]:
            yield Candidate(column, tuple(branches), None, (), groups)
            return
        for c in groups:
            joined = tuple(total([missing], b) if i == c else b for i, b in enumerate(branches))
            yield Candidate(column, joined, int(c), (), groups)

    def valid(self, node: Node, candidate: Candidate) -> bool:
        full = [b for b in candidate.branches if b[0]]
        return len(full) > 1 and self.large_enough(node, full)

    def large_enough(self, node: Node, full: list[Stat]) -> bool:
        if min(b[0].bit_count() for b in full) < self.settings.min_samples_leaf:
            return False
        if self.least_weight == 0:
            return True
        least = min(self.weight(b) for b in full)
        node.note("fraction", abs(least - self.least_weight) / self.root_weight, sums=True)
        return least >= self.least_weight

    # Choice.

    def search(self, node: Node, stat: Stat) -> Split | None:
        s, loss = self.settings, self.loss(stat)
        if node.depth == s.max_depth or node.n_rows < max(s.min_samples_split, 2 * s.min_samples_leaf):
            return None
        if loss == 0:
            return None
        gains: dict[frozenset[int], Number] = {}  # by the parting of the rows
        worth: dict[tuple[frozenset[int], Number], Number] = {}  # by the parting and what is taken off
        found: list[tuple[Candidate, tuple[frozenset[int], Number]]] = []
        looked_at, most = 0, s.max_features or math.inf
        draws = s.max_features is not None
        for column in random_order(node.columns, s.seed, node.key) if draws else node.columns:
            if looked_at >= most and found:
                break
            if not self.varies(column, node.rows):
                node.columns = [c for c in node.columns if c != column]
                continue
            looked_at += 1
            for candidate in self.candidates(column, node.rows):
                if not self.valid(node, candidate):
                    continue
                parting = frozenset(b[0] for b in candidate.branches if b[0])
                if parting not in gains:
                    gains[parting] = self.gain(stat, candidate.branches)
                key = (parting, self.correction(stat, candidate))
                worth[key] = gains[parting] - key[1] if key[1] else gains[parting]
                found.append((candidate, key))
        if not found:
            return None
        best = max(worth, key=lambda key: worth[key])
        top, t = worth[best], loss * TIE  # top is the G of the definition
        self.note_gaps(node, loss, top, t, [gain for key, gain in worth.items() if key != best])
        gain = top + best[1] if best[1] else top
        if (gain <= t and not s.zero_gain_splits) or gain < self.least_gain:
            return None
        tied = [(candidate, gains[key[0]]) for candidate, key in found if worth[key] >= top - t]
        names = [c.name for c in self.table.columns]
        columns = {candidate.column for candidate, _ in tied}
        chosen = min(columns, key=lambda c: names[c]) if s.ties == "alphabetical" else min(columns)
        return next(Split(candidate, gain) for candidate, gain in tied if candidate.column == chosen)

    def varies(self, column: int, rows: list[int]) -> bool:
        """Whether the column has more than one value here, missing being one where a split can tell it."""
        col = self.table.columns[column]
        values = {None if (v := col.values[i]) is None else v + 0 for i in rows}
        return len(values if self.tells_missing(col) else values - {None}) > 1

    def tells_missing(self, col: Col) -> bool:
        return col.kind == "ordered" or self.settings.categories != "multiway"

    def correction(self, stat: Stat, candidate: Candidate) -> Number:
        """What is taken off the gain of a column of categories where columns are compared."""
        column, c = self.table.columns[candidate.column], len(candidate.groups)
        if not self.settings.subset_correction or column.kind == "ordered" or c < 3:
            return 0
        each = math.log2((2 ** (c - 1) - 1) / (c - 1)) / stat[0].bit_count()
        if self.settings.criterion == "entropy":
            return each * self.weight(stat) / self.w_unit
        present = sum(w > 0 for w in stat[1:]) if self.classes else 0
        return Fraction(each * 2 * math.log(2)) * self.loss(stat) / max(1, present - 1)

    def note_gaps(self, node: Node, loss: Number, top: Number, t: Number, others: list[Number]) -> None:
        node.note("loss", 1)
        if others:
            node.note("choice", min(abs(gain - (top - t)) for gain in others) / loss)
        if not self.settings.zero_gain_splits:
            node.note("split", abs(top - t) / loss)
        if self.least_gain > 0:
            node.note("decrease", abs(top - self.least_gain) / loss)

    # Growth.

    def node(self, stat: Stat, depth: int, parent: Node | None = None) -> Node:
        rows = [i for i in self.rows if stat[0] >> i & 1]
        if not rows and parent:
            return Node(depth, [], parent.value, Fraction(0), 0)
        W, loss = self.weight(stat), self.loss(stat)
        value: tuple[Fraction, ...] | Fraction
        if self.classes:
            value = tuple(Fraction(w, self.w_unit) for w in stat[1:])
            first, second = sorted([*stat[1:], 0], reverse=True)[:2]
            node_gap = Fraction(first - second, W)
        else:
            value, node_gap = Fraction(stat[2], W * self.y_unit), Fraction(1)
        exact = loss if isinstance(loss, float) else Fraction(loss, self.loss_unit)
        node = Node(depth, rows, value, Fraction(W, self.w_unit), exact)
        node.note("answer", node_gap, sums=True)
        return node

    def apply(self, node: Node, split: Split) -> list[tuple[Node, Stat]]:
        """Turn a leaf into a test; its children with their statistics."""
        c, gain = split.candidate, split.gain
        node.column = c.column
        node.gain = gain if isinstance(gain, float) else Fraction(gain, self.loss_unit)
        if self.table.columns[c.column].kind == "ordered":
            node.kind, j = "ordered", len(c.left)
            known = [float(v) for v in c.groups]
            node.threshold = midpoint(known[j - 1], known[j]) if j < len(known) else math.inf
        elif self.settings.categories == "multiway":
            node.kind = "multiway"
        else:
            node.kind = "subset"
            node.left = frozenset(int(c.groups[i]) for i in c.left)
            node.right = frozenset(map(int, c.groups)) - node.left
        node.missing_child = c.missing
        if c.missing is None:
            weights = [self.weight(b) for b in c.branches]
            node.missing_child = weights.index(max(weights))
            first, second = sorted(weights, reverse=True)[:2]
            node.note("missing", Fraction(first - second, sum(weights)), sums=True)
        node.children = [self.node(b, node.depth + 1, node) for b in c.branches]
        for number, child in enumerate(node.children):
            child.key, child.columns = mix(node.key + number), node.columns
        return list(zip(node.children, c.branches, strict=True))

    def grow(self) -> Node:
        """Best-first. Without a limit on the leaves the order of splitting does not change the tree."""
        root = self.node(self.root_stat, 0)
        root.columns = range(len(self.table.columns))
        limit = self.settings.max_leaf_nodes or math.inf
        leaves, skipped, contests = 1, False, []
        frontier: list[tuple[Node, Stat, Split]] = []  # in order of creation
        created = [(root, self.root_stat)]
        while True:
            for node, stat in created:
                split = self.search(node, stat) if node.rows else None
                if split:
                    frontier.append((node, stat, split))
            if not frontier:
                break
            at = max(range(len(frontier)), key=lambda i: (frontier[i][2].gain, -i))
            node, stat, split = frontier.pop(at)
            contests += [(node, stat, split, other) for other in frontier]
            created = []
            more = len(split.candidate.branches) - 1
            if leaves + more > limit:
                skipped = True
                continue
            leaves += more
            created = self.apply(node, split)
        if skipped:
            for contest in contests:
                self.note_frontier(*contest)
        return root

    def note_frontier(self, node: Node, stat: Stat, split: Split, rival: tuple[Node, Stat, Split]) -> None:
        """How near a rival's gain was. The same sums give the same gain in any arithmetic: no rival."""
        other, other_stat, other_split = rival
        sums = (stat[1:], [b[1:] for b in split.candidate.branches])
        if sums != (other_stat[1:], [b[1:] for b in other_split.candidate.branches]):
            gap = abs(split.gain - other_split.gain) / max(self.loss(stat), self.loss(other_stat))
            for n in (node, other):
                n.note("frontier", gap, sums=self.settings.criterion == "error")


def cuts(order: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """The left sides of the cuts of an order: its beginnings, neither empty nor all."""
    places = tuple(order)
    return (places[:j] for j in range(1, len(places)))


def grow(table: Table, settings: Settings) -> Node:
    return Grower(table, settings).grow()


def leaf_of(tree: Node, row: Sequence[Value]) -> Node:
    """The leaf of one row (values in column order, None missing, any other number an unseen category)."""
    while tree.column is not None:
        v, child = row[tree.column], tree.missing_child
        if v is not None and tree.threshold is not None:
            child = 0 if v <= tree.threshold else 1
        elif v in tree.left or v in tree.right:
            child = 0 if v in tree.left else 1
        elif v is not None and tree.kind == "multiway" and 0 <= v < len(tree.children):
            child = int(v)
        assert child is not None
        tree = tree.children[child]
    return tree


def predict_row(tree: Node, row: Sequence[Value]) -> int | float:
    return leaf_of(tree, row).answer


def number(tree: Node) -> list[Node]:
    """All nodes breadth-first; the place in the list is the number of the node."""
    nodes = [tree]
    for node in nodes:
        nodes.extend(node.children)
    return nodes

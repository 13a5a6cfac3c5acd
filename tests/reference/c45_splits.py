"""A plain-Python C4.5, part of growing: the split that a column offers, with its gain and gain ratio.

W is the weight of all rows of the node, K that of the rows known in the column. "Exceeds" is
more by SMALL (see Settings), "reaches" at least, with a slack of 1e-6.

Information. info(w_1, w_2, ...) = S log2 S - sum w log2 w, S the sum; w log2 w is 0 for w at or below
SMALL. Gain = (K/W) * (info(classes of the known rows) - sum over branches of info(its classes)) / K; in
j48 it is 0 if that without the last "/ K" is below 1e-6 in size. Split information = info(branch weights
and W - K) / W: the missing rows count as one more branch. Gain ratio = gain / split information, and 0 if
the split information times W is at most SMALL.

Numeric column. The known rows in ascending order. Each side of a cut must reach 0.1 * K / (declared
classes) but 25 at most, or `minimum` if that is larger. No cut at all with too few known rows: j48,
fewer rows than twice that (their number, whatever their weights, unless counts_rows is off); release8, K
below 2 * minimum. A cut lies between neighbouring rows a, b with a + 1e-5 < b: values that follow each
other more closely stay together. The first cut must have a gain that exceeds 0, a later one a gain that
exceeds the best before.
Then log2(number of cuts that were allowed) / W is taken off the gain (mdl_correction), which must still
exceed 0. The split information is that of the winning cut. Threshold: the largest value of the column in
the whole table (not only in the node) that does not exceed (a + b) / 2.

Nominal column, "multiway". A branch for each declared category. At least two branches must reach
`minimum`; the others may be smaller or empty. (A column used above in the tree has one such branch only
and drops out.)

Nominal column, "one_vs_rest" (J48 -B). A category against all others, both of which must reach `minimum`.
The largest gain ratio wins, not the largest gain (choice="gain", which J48 does not have: the largest
gain): a later category must exceed the best before, the first must exceed 0. Quirk: category number 0,
if allowed, is taken without that comparison. If some category was allowed but none taken, the column
still counts as one with gain 0.

Nominal column of more than two categories, "merge" (C4.5 -s; J48 has nothing like it).
1. Categories of weight <= 0.5 are left out; in the end they form one more branch, the last. The others
   are blocks, in their declared order. In the gains below K, W and the information of the known classes
   include the left out ones, and at least two blocks must reach 1 (not `minimum`), else the gain counts
   as -0.001. The worth of blocks is their ratio, and -0.001 if the gain is negative or the split
   information at most 0.001; for choice="gain" it is the gain. Before any merging, gain and worth are
   those of all categories.
2. Blocks of one class (all but less than 0.1 of their weight) are merged with later blocks of the same
   class: in order, each block takes in all later ones. Merging puts the last block in the place of the
   one that vanishes, here and in 3; a block so moved is looked at in its new place. If any merged, gain
   and worth are computed anew.
3. While there are more than two blocks: each pair (i < j, in order) is tried. If fewer than three blocks
   weigh at least `minimum`, pairs with the heaviest block (the first of equals) are barred. With g half
   the gain after step 2, a pair is preferred to the best pair before if its gain is at least g and the
   best's is below, or its worth is at least the best's (which begins at 0); and the very first pair in
   any case if choice="gain" or fewer than two blocks weigh at least `minimum`. For "gain_ratio" with two
   such blocks merging ends when no pair was preferred or the best worth is below the present one + 1e-5.
   Otherwise the best pair is merged, and so on.
4. The column offers a split if the last worth is above 0 and at least two blocks reach `minimum`. The
   blocks' order is the order of the branches.
Not imitated: once a column without any known row was met, C4.5 -s goes on with a minimum of 1 (it does
not restore the minimum after step 1 there).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from .grower import Table, midpoint

Rows = list[tuple[int, float]]  # (row of the table, weight)
Bag = list[float]  # weight of each class
GAP = 1e-5
EPSILON = 1e-3


@dataclass(frozen=True)
class Settings:
    """Which C4.5.

    With `single`, gains and informations are rounded to single precision wherever C4.5 stores them, and
    SMALL is 0, as in C4.5: then the rounding decides between columns that part the rows alike. Without it
    SMALL is 1e-6 and ties go to the first column. J48 is not in single precision.
    """

    dialect: str = "j48"  # or "release8"
    minimum: float = 2.0
    choice: str = "gain_ratio"  # or "gain"
    categories: str = "multiway"  # or "one_vs_rest", "merge"
    mdl_correction: bool = True
    counts_rows: bool = True  # j48: weights do not make up for too few known rows of a numeric column
    single: bool = False

    @property
    def small(self) -> float:
        return 0.0 if self.single else 1e-6

    def exceeds(self, a: float, b: float) -> bool:
        """For gains and estimated errors."""
        return a - b > self.small

    def stored(self, x: float) -> float:
        return float(np.float32(x)) if self.single else x


def reaches(a: float, b: float) -> bool:
    """For weights: at least, with slack for the rounding of shares."""
    return b - a < 1e-6


@dataclass(frozen=True)
class Split:
    """A test of a column: a threshold (at most, more), or groups of categories, one for each branch."""

    column: int
    gain: float
    info: float
    ratio: float
    threshold: float | None = None
    groups: tuple[frozenset[int], ...] = ()

    @property
    def branches(self) -> int:
        return len(self.groups) if self.threshold is None else 2


def log2(x: float) -> float:
    return math.log(x) / math.log(2)


class Splits:
    """The table with its settings: `offer` is the split of a column for some rows, if it offers one."""

    def __init__(self, table: Table, settings: Settings) -> None:
        if table.n_classes is None:
            raise ValueError("C4.5 is for classes")
        self.table, self.settings, self.n_classes = table, settings, table.n_classes

    def offer(self, column: int, rows: Rows) -> Split | None:
        col = self.table.columns[column]
        if col.kind == "ordered":
            return self.cut(column, rows)
        bags, missing = self.by_category(column, rows)
        if sum(map(sum, bags)) <= 0:
            return None
        if self.settings.categories == "merge" and col.n_categories > 2:
            return Merger(self, column, bags, missing).split()
        if self.settings.categories == "one_vs_rest":
            return self.one_vs_rest(column, bags, missing)
        if large(bags, self.settings.minimum) < 2:
            return None
        return self.measured(column, bags, missing, tuple(frozenset([c]) for c in range(len(bags))))

    def by_category(self, column: int, rows: Rows) -> tuple[list[Bag], float]:
        """The classes of each declared category, and the weight of the missing rows."""
        col = self.table.columns[column]
        bags = [[0.0] * self.n_classes for _ in range(col.n_categories)]
        missing = 0.0
        for i, w in rows:
            v = col.values[i]
            if v is None:
                missing += w
            else:
                bags[int(v)][int(self.table.target[i])] += w
        return bags, missing

    # Information.

    def info(self, weights: Iterable[float]) -> float:
        stored, total, terms = self.settings.stored, 0.0, 0.0
        for w in weights:
            terms = stored(terms + self.term(w))
            total = stored(total + w)
        return stored(self.term(total) - terms)

    def term(self, w: float) -> float:
        return w * log2(w) if w > self.settings.small else 0.0

    def base(self, bags: Sequence[Bag]) -> float:
        """The information of the classes of a nominal column's known rows, by unit of weight."""
        known = sum(map(sum, bags))
        terms = sum(self.term(sum(column)) for column in zip(*bags, strict=True))
        return self.settings.stored((self.term(known) - terms) / known)

    def gain(self, base: float, share: float, known: float, bags: Sequence[Bag]) -> float:
        s, after = self.settings, 0.0
        for bag in bags:
            after = s.stored(after + self.info(bag))
        gain = s.stored(share * s.stored(base - s.stored(after / known)))
        return 0.0 if s.dialect == "j48" and abs(gain * known) < s.small else gain

    def ratio(self, gain: float, bags: Sequence[Bag], missing: float) -> tuple[float, float]:
        """Split information and gain ratio."""
        weights = [missing, *map(sum, bags)]
        whole, total = self.info(weights), sum(weights)
        split_info = self.settings.stored(whole / total)
        return split_info, self.settings.stored(gain / split_info) if whole > self.settings.small else 0.0

    def measured(
        self, column: int, bags: Sequence[Bag], missing: float, groups: tuple[frozenset[int], ...]
    ) -> Split:
        known = sum(map(sum, bags))
        share = self.settings.stored(1 - self.settings.stored(missing / (known + missing)))
        gain = self.gain(self.base(bags), share, known, bags)
        return Split(column, gain, *self.ratio(gain, bags, missing), groups=groups)

    # Columns.

    def cut(self, column: int, rows: Rows) -> Split | None:
        s, values, target = self.settings, self.table.columns[column].values, self.table.target
        ordered = sorted((v, w, int(target[i])) for i, w in rows if (v := values[i]) is not None)
        missing = sum(w for i, w in rows if values[i] is None)
        low, high = [0.0] * self.n_classes, [0.0] * self.n_classes
        for _, w, k in ordered:
            high[k] += w
        known, total = sum(high), sum(high) + missing
        side = max(min(0.1 * known / self.n_classes, 25), s.minimum)
        by_number = s.dialect == "j48" and s.counts_rows
        if not (reaches(len(ordered), 2 * side) if by_number else reaches(known, 2 * s.minimum)):
            return None
        base = s.stored(self.info(high) / known)
        share = s.stored(1 - s.stored(1 - s.stored(known / total)))
        allowed, best_gain, best = 0, 0.0, None
        for (a, w, k), (b, _, _) in pairwise(ordered):
            low[k] += w
            high[k] -= w
            if a + GAP < b and reaches(sum(low), side) and reaches(sum(high), side):
                allowed += 1
                gain = self.gain(base, share, known, (low, high))
                if s.exceeds(gain, best_gain):
                    best_gain, best = gain, (midpoint(a, b), (low[:], high[:]))
        if best is None:
            return None
        if s.mdl_correction:
            best_gain = s.stored(best_gain - s.stored(log2(allowed) / total))
        if not s.exceeds(best_gain, 0):
            return None
        middle, bags = best
        threshold = max(v for v in values if v is not None and not s.exceeds(v, middle))
        return Split(column, best_gain, *self.ratio(best_gain, bags, missing), threshold=threshold)

    def one_vs_rest(self, column: int, bags: list[Bag], missing: float) -> Split | None:
        every, best = frozenset(range(len(bags))), None
        classes = [sum(c) for c in zip(*bags, strict=True)]
        allowed, best_worth = False, 0.0
        for c, bag in enumerate(bags):
            pair = [bag, [a - b for a, b in zip(classes, bag, strict=True)]]
            if large(pair, self.settings.minimum) < 2:
                continue
            allowed = True
            split = self.measured(column, pair, missing, (frozenset([c]), every - {c}))
            worth = split.gain if self.settings.choice == "gain" else split.ratio
            if c == 0 or self.settings.exceeds(worth, best_worth):
                best, best_worth = split, worth
        return best or (Split(column, 0.0, 0.0, 0.0) if allowed else None)


def large(bags: Sequence[Bag], minimum: float) -> int:
    return sum(reaches(sum(bag), minimum) for bag in bags)


class Merger:
    """Greedy merging of the categories of one column."""

    def __init__(self, splits: Splits, column: int, bags: list[Bag], missing: float) -> None:
        self.splits, self.settings, self.column, self.missing = splits, splits.settings, column, missing
        self.known = sum(map(sum, bags))
        self.base = splits.base(bags)
        stored = self.settings.stored
        self.share = stored(1 - stored(missing / (self.known + missing)))
        self.state = self.measure(bags)  # gain, worth
        present = [c for c, bag in enumerate(bags) if not reaches(0.5, sum(bag))]
        self.blocks = [(frozenset([c]), bags[c]) for c in present]
        self.absent = frozenset(range(len(bags))) - set(present)

    def measure(self, bags: Sequence[Bag], minimum: float = 1) -> tuple[float, float]:
        """Gain and worth."""
        if large(bags, minimum) < 2:
            return -EPSILON, -EPSILON
        gain = self.splits.gain(self.base, self.share, self.known, bags)
        split_info, ratio = self.splits.ratio(gain, bags, self.missing)
        if self.settings.choice == "gain":
            return gain, gain if split_info > 0 else -EPSILON
        return gain, ratio if gain >= 0 and split_info > EPSILON else -EPSILON

    def merged(self, i: int, j: int) -> list[tuple[frozenset[int], Bag]]:
        (a, x), (b, y) = self.blocks[i], self.blocks[j]
        blocks = [*self.blocks]
        blocks[i] = (a | b, [p + q for p, q in zip(x, y, strict=True)])
        blocks[j] = blocks[-1]
        return blocks[:-1]

    def bags(self) -> list[Bag]:
        return [bag for _, bag in self.blocks]

    def split(self) -> Split | None:
        self.merge_single_class()
        self.merge_pairs()
        gain, _ = self.measure(self.bags(), self.settings.minimum)
        if self.state[1] <= 0 or gain <= -EPSILON:
            return None
        split_info, ratio = self.splits.ratio(gain, self.bags(), self.missing)
        groups = [group for group, _ in self.blocks] + ([self.absent] if self.absent else [])
        return Split(self.column, gain, split_info, ratio, groups=tuple(groups))

    def merge_single_class(self) -> None:
        before, i = len(self.blocks), 0
        while i < len(self.blocks) - 1:
            bag = self.blocks[i][1]
            k = next((k for k, w in enumerate(bag) if reaches(w, 0.1)), 0)
            j = i + 1
            while reaches(bag[k], sum(bag) - 0.1) and j < len(self.blocks):
                other = self.blocks[j][1]
                if reaches(other[k], sum(other) - 0.1):
                    self.blocks = self.merged(i, j)
                else:
                    j += 1
            i += 1
        if len(self.blocks) < before:
            self.state = self.measure(self.bags())

    def merge_pairs(self) -> None:
        by_ratio = self.settings.choice == "gain_ratio"
        half, tie = self.state[0] / 2, 0.0 if self.settings.single else 1e-12
        while len(self.blocks) > 2:
            weights = [sum(bag) for bag in self.bags()]
            reasonable = large(self.bags(), self.settings.minimum)
            heaviest = next(i for i, w in enumerate(weights) if reaches(w, max(weights)))
            barred = heaviest if reasonable < 3 else None
            best, best_gain, best_worth = None, -EPSILON, 0.0
            for i, j in combinations(range(len(self.blocks)), 2):
                if barred in (i, j):
                    continue
                gain, worth = self.measure([bag for _, bag in self.merged(i, j)])
                forced = best is None and (not by_ratio or reasonable < 2)
                if best_gain < half - tie <= gain or worth >= best_worth - tie or forced:
                    best, best_gain, best_worth = (i, j), gain, worth
            if by_ratio and reasonable >= 2 and (best is None or best_worth < self.state[1] + 1e-5):
                break
            assert best is not None
            self.blocks, self.state = self.merged(*best), (best_gain, best_worth)

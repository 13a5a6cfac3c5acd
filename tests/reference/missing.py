"""The plain-Python reference grower with other rules for missing rows than "learn".

majority, stop, fractional: within a column only the known rows count, for gains and for the minimum of
each branch. Then the missing rows go to the child with the largest known weight (the first on a tie), or
stay at the node, or go to every child with its share of the known weight. A row that is divided becomes
several rows, which stand at the end of the grower's table.
branch: cuts and multiway splits have one more child, the last, for the missing rows; its loss counts, but
it needs no minimum, and one known category is enough for a multiway split. A column of ordered values
without a valid cut may still part known from missing rows, both of which need the minimum. In a subset
split "missing" is one more category, as in "learn".
If no row of the node is missing in the column: -1 for stop, -2 for fractional, otherwise the child with the
largest weight.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from . import grower
from .grower import Candidate, Node, Number, Split, Stat, Table, Value, total

STAY, SPREAD = -1, -2


@dataclass(frozen=True)
class Settings(grower.Settings):
    missing: str = "learn"


class Grower(grower.Grower):
    settings: Settings

    def __init__(self, table: Table, settings: Settings) -> None:
        own = replace(
            table,
            columns=[replace(col, values=[*col.values]) for col in table.columns],
            target=[*table.target],
        )
        super().__init__(own, settings)

    def candidates(self, column: int, rows: list[int]) -> Iterator[Candidate]:
        col, rule = self.table.columns[column], self.settings.missing
        known = [i for i in rows if col.values[i] is not None]
        subset = col.kind == "nominal" and self.settings.categories == "subset"
        if rule == "learn" or len(known) == len(rows) or (rule == "branch" and subset):
            yield from super().candidates(column, rows)
            return
        if rule != "branch":
            yield from super().candidates(column, known)
            return
        missing = total((self.stats[i] for i in rows if col.values[i] is None), self.zero)
        apart = [
            c._replace(branches=(*c.branches, missing), missing=len(c.branches))
            for c in self.of_known(column, known)
        ]
        yield from apart
        unnoted = Node(0, [], Fraction(0), Fraction(0), 0)
        if known and col.kind == "ordered" and not any(self.valid(unnoted, c) for c in apart):
            *_, last = super().candidates(column, rows)
            yield last

    def tells_missing(self, col: grower.Col) -> bool:
        rule = self.settings.missing
        return rule == "branch" or (rule == "learn" and super().tells_missing(col))

    def of_known(self, column: int, known: list[int]) -> Iterator[Candidate]:
        col = self.table.columns[column]
        if col.kind == "nominal" and len({col.values[i] for i in known}) == 1:
            stat = total((self.stats[i] for i in known), self.zero)
            only = int(col.values[known[0]] or 0)
            branches = tuple(stat if c == only else self.zero for c in range(col.n_categories))
            yield Candidate(column, branches, None, (), (only,))
        else:
            yield from super().candidates(column, known)

    def valid(self, node: Node, candidate: Candidate) -> bool:
        col, branches = self.table.columns[candidate.column], candidate.branches
        full = [b for b in branches if b[0]]
        if len(branches) > (
            2 if col.kind == "ordered" or self.settings.categories == "subset" else col.n_categories
        ):
            return len(full) > 1 and self.large_enough(node, [b for b in branches[:-1] if b[0]])
        return super().valid(node, candidate)

    def gain(self, stat: Stat, branches: tuple[Stat, ...]) -> Number:
        return super().gain(total(branches, self.zero), branches)

    def apply(self, node: Node, split: Split) -> list[tuple[Node, Stat]]:
        c, rule = split.candidate, self.settings.missing
        there = sum(b[0] for b in c.branches)
        rest = [i for i in node.rows if not there >> i & 1]
        branches, weights = list(c.branches), [self.weight(b) for b in c.branches]
        if rest and rule == "majority":
            heaviest = weights.index(max(weights))
            branches[heaviest] = total((self.stats[i] for i in rest), branches[heaviest])
            first, second = sorted(weights, reverse=True)[:2]
            node.note("missing", Fraction(first - second, sum(weights)), sums=True)
            c = c._replace(missing=heaviest)
        elif rest and rule == "fractional":
            for b, weight in enumerate(weights):
                if weight:
                    parts = [self.part(i, Fraction(weight, sum(weights))) for i in rest]
                    branches[b] = total(parts, branches[b])
        if rule in ("stop", "fractional"):
            c = c._replace(missing=STAY if rule == "stop" else SPREAD)
        return super().apply(node, split._replace(candidate=c._replace(branches=tuple(branches))))

    def part(self, row: int, share: Fraction) -> Stat:
        """A new row with a share of this one's weight."""
        new = len(self.table.target)
        for values in (*(col.values for col in self.table.columns), self.table.target):
            assert isinstance(values, list)
            values.append(values[row])
        self.rows.append(new)
        self.stats[new] = (1 << new, *(s * share for s in self.stats[row][1:]))  # type: ignore[assignment]
        return self.stats[new]


def ends_of(tree: Node, row: Sequence[Value], share: float = 1.0) -> list[tuple[Node, float]]:
    """Where a row ends, and its share in each place."""
    if tree.column is None:
        return [(tree, share)]
    v, child = row[tree.column], tree.missing_child
    if v is not None and tree.threshold is not None:
        child = 0 if v <= tree.threshold else 1
    elif v in tree.left or v in tree.right:
        child = 0 if v in tree.left else 1
    elif v is not None and tree.kind == "multiway":
        child = int(v)
    if child == STAY:
        return [(tree, share)]
    if child != SPREAD:
        assert child is not None
        return ends_of(tree.children[child], row, share)
    whole = sum(c.weight for c in tree.children)
    parts = [(c, share * float(c.weight / whole)) for c in tree.children if c.weight]
    return [end for c, part in parts for end in ends_of(c, row, part)]

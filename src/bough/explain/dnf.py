"""One formula for each class: the disjunction of the conjunctions that lead to it, as it stands or minimised.

Each column that the tree asks falls into atoms: the intervals between its thresholds, or its categories; and
one for missing and one for unseen values. A condition is a set of atoms, a conjunction a product of such
sets, and two products are disjoint if they are so in one column. So every step below is exact:

1. conjunctions of the class that differ in one column are joined where one condition says both;
2. a condition is dropped if the conjunction still meets none of another class;
3. a conjunction that the others cover is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.explain.condition import MISSING, NEVER_SEEN, Condition, Passing
from bough.explain.rules import class_label, encoded, met, rules_of
from bough.explain.words import answer_name
from bough.tree.tree import Tree

Term = tuple[Condition, ...]
Sets = dict[int, int]  # column -> set of atoms, as bits; a column that is not there has all of them

MOST_TERMS = 400  # beyond, the minimised formula would not be read, and takes long
MOST_STEPS = 20_000  # of one question whether a conjunction is covered


@dataclass(frozen=True)
class Formula:
    """True for the rows that the tree answers with `answer`. Rows that the tree spreads over several leaves
    have mixed answers; the formula is about the others and false for them."""

    answer: Any
    terms: tuple[Term, ...]
    tree: Tree = field(repr=False, compare=False, kw_only=True)

    def mask(self, data: Any) -> NDArray[np.bool_]:
        """Which rows of any data make it true."""
        columns, n_rows = encoded(self.tree, data)
        true = np.zeros(n_rows, dtype=bool)
        for term in self.terms:
            true |= met(term, columns, n_rows) == 1.0
        return true

    def text(self, named: bool = True, full: bool = False) -> str:
        """`named`: with the names of the columns before categories; `full`: with values never met."""
        name = answer_name(self.answer)
        if not self.terms:
            return f"{name} = never"
        parts = [[c.text(full, named) for c in term] for term in self.terms]
        if not all(parts):
            return f"{name} = always"
        several = len(parts) > 1
        joined = [
            f"({' and '.join(part)})" if several and len(part) > 1 else " and ".join(part) for part in parts
        ]
        return f"{name} = {' or '.join(joined)}"

    def __str__(self) -> str:
        return self.text()


def formula(tree: Tree, answer: Any, minimised: bool = True) -> Formula:
    """The formula of a class; not minimised: one conjunction for each leaf."""
    wanted = class_label(tree, answer)
    rules = rules_of(tree, order="tree")
    whole = [_whole_rows(r.conditions) for r in rules if r.prediction == wanted]
    terms = [term for term in whole if term is not None]
    if not minimised or len(rules) > MOST_TERMS:
        return Formula(wanted, tuple(terms), tree=tree)
    others = [r.conditions for r in rules if r.prediction != wanted]
    atoms = _Atoms.of([*terms, *others])
    spread = {c.column for r in rules for c in r.conditions if any(w.share < 1 for w in c.passing.values())}
    return Formula(wanted, tuple(_minimised(terms, others, atoms, spread)), tree=tree)


def _whole_rows(conditions: Term) -> Term | None:
    """Without rows that pass in part; None where nothing is left."""
    whole = []
    for c in conditions:
        kept = {code: way for code, way in c.passing.items() if way.share == 1.0}
        if not kept and not c.known:
            return None
        whole.append(replace(c, passing=kept))
    return tuple(whole)


@dataclass(frozen=True)
class _Atoms:
    """Of each column: the thresholds that part its intervals, or the number of its categories."""

    cuts: Mapping[int, tuple[float, ...]]
    categories: Mapping[int, int]

    @classmethod
    def of(cls, terms: Sequence[Term]) -> _Atoms:
        cuts: dict[int, set[float]] = {}
        categories: dict[int, int] = {}
        for c in (c for term in terms for c in term):
            if c.ordered:
                cuts.setdefault(c.column, set()).update(x for x in (c.low, c.high) if math.isfinite(x))
            else:
                categories[c.column] = len(c.field.categories)
        return cls({column: tuple(sorted(found)) for column, found in cuts.items()}, categories)

    def everything(self, column: int) -> int:
        values = self.categories[column] if column in self.categories else len(self.cuts[column])
        return (1 << (values + 2)) - 1  # the first atom is "missing"

    def of_condition(self, c: Condition, certain: bool) -> int:
        """`certain`: only what passes whatever the other columns say; else all that may pass."""
        found = 0
        for code, way in c.passing.items():
            if way.certain or not certain:
                found |= 1 << self._place(c, code)
        if c.known:
            cuts = self.cuts[c.column]
            first = 0 if math.isinf(c.low) else cuts.index(c.low) + 1
            last = len(cuts) if math.isinf(c.high) else cuts.index(c.high)
            for interval in range(first, last + 1):
                found |= 1 << (1 + interval)
        return found

    def _place(self, c: Condition, code: int) -> int:
        return 0 if code == MISSING else 1 + (len(c.field.categories) if code == NEVER_SEEN else code)

    def of_term(self, term: Term, certain: bool) -> Sets:
        return {c.column: self.of_condition(c, certain) for c in term}

    def joined(self, a: Condition, b: Condition) -> Condition | None:
        """The condition that says one or the other; None where no interval does, or rows depend on more."""
        if not (a.exact and b.exact):
            return None
        low, high, known = a.low, a.high, a.known
        if a.known and b.known:
            if a.high < b.low or b.high < a.low:
                return None
            low, high = min(a.low, b.low), max(a.high, b.high)
        elif b.known:
            low, high, known = b.low, b.high, True
        passing = dict(a.passing)
        for code, way in b.passing.items():
            passing[code] = Passing(seen=way.seen or (code in passing and passing[code].seen))
        return replace(a, low=low, high=high, known=known, passing=passing)


def _minimised(terms: list[Term], others: list[Term], atoms: _Atoms, spread: set[int]) -> list[Term]:
    """`spread`: columns whose missing values spread rows, which keeps their conditions where they are."""
    terms = _joined_terms(terms, atoms)
    against = [atoms.of_term(term, certain=False) for term in others]
    terms = _joined_terms([_without_needless(term, against, atoms, spread) for term in terms], atoms)
    kept = list(terms)
    for term in sorted(terms, key=lambda t: -len(t)):
        rest = [t for t in kept if t is not term]
        sets = [atoms.of_term(t, certain=True) for t in rest]
        if _covered(atoms.of_term(term, certain=False), sets, atoms, [MOST_STEPS]):
            kept = rest
    return kept


def _joined_terms(terms: list[Term], atoms: _Atoms) -> list[Term]:
    """Pairs that differ in one column become one, as long as there are any."""
    terms = list(terms)
    i = 0
    while i < len(terms):
        for j in range(i + 1, len(terms)):
            both = _one_of_two(terms[i], terms[j], atoms)
            if both is not None:
                terms[i] = both
                del terms[j]
                i = -1
                break
        i += 1
    return terms


def _one_of_two(a: Term, b: Term, atoms: _Atoms) -> Term | None:
    by_column = {c.column: c for c in b}
    if len(a) != len(b) or {c.column for c in a} != set(by_column):
        return None
    different = [c for c in a if c != by_column[c.column]]
    if len(different) > 1:
        return None
    if not different:
        return a
    c = different[0]
    both = atoms.joined(c, by_column[c.column])
    if both is None:
        return None
    if atoms.of_condition(both, certain=True) == atoms.everything(c.column):
        return tuple(x for x in a if x is not c)
    return tuple(both if x is c else x for x in a)


def _without_needless(term: Term, against: list[Sets], atoms: _Atoms, spread: set[int]) -> Term:
    """Drops conditions, those asked last first, while no conjunction of another class is met."""
    for c in reversed([c for c in term if c.column not in spread]):
        fewer = tuple(x for x in term if x is not c)
        sets = atoms.of_term(fewer, certain=False)
        if all(_disjoint(sets, other) for other in against):
            term = fewer
    return term


def _disjoint(a: Sets, b: Sets) -> bool:
    return any(column in b and not found & b[column] for column, found in a.items())


def _covered(cube: Sets, cover: list[Sets], atoms: _Atoms, steps: list[int]) -> bool:
    """Whether every combination of atoms of the cube lies in one of the cover; False if it takes too long."""
    steps[0] -= 1
    if steps[0] < 0:
        return False
    near = [other for other in cover if not _disjoint(cube, other)]
    if not near:
        return not all(cube.values()) if cube else False
    first = near[0]
    rest = dict(cube)
    for column, allowed in first.items():
        own = rest.get(column, atoms.everything(column))
        outside = own & ~allowed
        if outside and not _covered({**rest, column: outside}, near[1:], atoms, steps):
            return False
        rest[column] = own & allowed
    return True

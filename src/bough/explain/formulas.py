"""The formulas of a node, written out with its own counts: impurity, gain, split information, pruning."""

from __future__ import annotations

import math

from bough.explain.expressions import Fraction, Log, Name, Number, Part, Row, Sign, Square, joined, row
from bough.explain.numbers import MEASURES, Candidate, Group, NodeNumbers
from bough.explain.pruning_numbers import Cost
from bough.explain.why import unit
from bough.explain.words import amount, fixed

MOST_TERMS = 12  # of a sum that is written out


def share(part: float, whole: float) -> Fraction:
    return Fraction(amount(part), amount(whole))


def impurity(
    group: Group, criterion: str, digits: int, base: float = 2, name: str | None = None
) -> Row | None:
    """`H = −9/14·log2(9/14) − … = 0.9403`; None for what is not written out."""
    letter = MEASURES[criterion][0] if name is None else name
    if criterion == "entropy":
        value = fixed(group.impurity / math.log2(base), digits)
        return row(Name(letter), "=", *_entropy_terms(group.counts, base), "=", Number(value))
    value = fixed(group.impurity, digits)
    shares = [share(c, group.weight) for c in group.counts]
    if criterion == "gini":
        squares: list[Part] = [part for s in shares[:MOST_TERMS] for part in (Sign("−"), Square(s))]
        if len(shares) > MOST_TERMS:
            squares += [Sign("−"), Name("…")]
        return row(Name(letter), "=", Number("1"), *squares, "=", Number(value))
    if criterion == "error":
        most = share(max(group.counts), group.weight)
        return row(Name(letter), "=", Number("1"), "−", most, "=", Number(value))
    if criterion in ("squared_error", "friedman_mse") and group.mean is not None:
        mean = Number(fixed(group.mean, digits))
        squares = [Name("Σ"), Square(row(Name("y"), "−", mean))]
        return row(Name(letter), "=", Fraction("1", amount(group.weight)), "·", *squares, "=", Number(value))
    return None


def branch_entropy(counts: tuple[float, ...], base: float) -> Row:
    """The sum alone, as it stands in a table."""
    return row(*_entropy_terms(counts, base))


def _entropy_terms(counts: tuple[float, ...], base: float) -> list[Part]:
    """−p·log p − …; classes that are not there add nothing."""
    total = sum(counts)
    there = [share(c, total) for c in counts if c > 0]
    if len(there) < 2:
        return [Number("0")]
    parts: list[Part] = []
    for number, p in enumerate(there[:MOST_TERMS]):
        parts += [Sign("−" if number else "unary −"), _bracketed(p), Sign("·"), Log(base, p)]
    if len(there) > MOST_TERMS:
        parts += [Sign("−"), Name("…")]
    return parts


class _Bracketed(Fraction):
    """In text a fraction before a factor stands in brackets; in print the line is enough."""

    def text(self) -> str:
        return f"({super().text()})"


def _bracketed(p: Fraction) -> Part:
    return _Bracketed(p.above, p.below)


def gain(numbers: NodeNumbers, c: Candidate, digits: int, base: float = 2) -> Row | None:
    """`Gain(Outlook) = 0.9403 − (5/14·0.9710 + …) = 0.9403 − 0.6935 = 0.2467`."""
    if not c.possible:
        return None
    name = row(Name("Gain"), "(", Name(c.column), ")", "=")
    per = unit(numbers, base)
    value = Number(fixed(c.gain / per, digits))
    if numbers.criterion == "chi_square":
        chi = Fraction(fixed(c.statistic, digits), amount(numbers.whole.weight))
        return row(*name.parts, Fraction("χ²", "W"), "=", chi, "=", value)
    shown = c.known * (c.before - c.after)
    # C4.5's merged categories count missing rows in a way of their own.
    if not abs(shown - c.gain) <= 1e-6 * max(1.0, abs(c.before)):
        return row(*name.parts, value)
    total = sum(b.weight for b in c.branches)
    filled = [b for b in c.branches if b.weight > 0]
    terms: list[Part] = [
        row(share(b.weight, total), "·", Number(fixed(b.impurity / per, digits))) for b in filled[:MOST_TERMS]
    ]
    if len(filled) > MOST_TERMS:
        terms.append(Name("…"))
    before, after = Number(fixed(c.before / per, digits)), Number(fixed(c.after / per, digits))
    written: list[Part] = [before, Sign("−"), Sign("("), *joined(terms, "+"), Sign(")")]
    short: list[Part] = [before, Sign("−"), after]
    if c.known < 1:
        known = share(c.known * numbers.whole.weight, numbers.whole.weight)
        written = [known, Sign("×"), Sign("("), *written, Sign(")")]
        short = [known, Sign("×"), Sign("("), *short, Sign(")")]
    return row(*name.parts, *written, "=", *short, "=", value)


def split_information(c: Candidate, whole: float, digits: int) -> Row | None:
    """In bits, whatever the base of the entropies: the ratio is the same."""
    if not c.possible:
        return None
    sizes = [b.weight for b in c.branches]
    if c.known < 1:
        sizes.append(whole - sum(sizes))
    terms = _entropy_terms(tuple(sizes), 2)
    name = row(Name("SplitInfo"), "(", Name(c.column), ")", "=")
    return row(*name.parts, *terms, "=", Number(fixed(c.split_information, digits)))


def ratio(numbers: NodeNumbers, c: Candidate, digits: int) -> Row | None:
    if not c.possible or c.split_information <= 0:
        return None
    name = row(Name("GainRatio"), "(", Name(c.column), ")", "=")
    above, below = fixed(c.gain, digits), fixed(c.split_information, digits)
    if c.penalty:
        above = f"({above} − {fixed(c.penalty, digits)})"
    value = (c.gain - c.penalty) / c.split_information
    return row(*name.parts, Fraction(above, below), "=", Number(fixed(value, digits)))


def alpha(numbers: NodeNumbers, cost: Cost, digits: int) -> Row | None:
    """`α = (R(t) − R(T_t)) / (leaves − 1)`."""
    if cost.alpha is None:
        return None
    as_leaf, subtree = fixed(cost.as_leaf, digits), fixed(cost.subtree, digits)
    above = f"{as_leaf} − {subtree}"
    return row(
        Name("α"), "=", Fraction("R(t) − R(T)", "leaves − 1"), "=",
        Fraction(above, f"{numbers.pruning.leaves} − 1"), "=", Number(fixed(cost.alpha, digits)),
    )  # fmt: skip

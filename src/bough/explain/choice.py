"""Which column a node asks, and why: the choice of the core, made again from the candidates."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bough import _core
from bough.explain.candidates import Search
from bough.explain.numbers import Candidate
from bough.explain.why import SLACK
from bough.growing.grow import n_categories

TIE = 1e-12


@dataclass(frozen=True)
class Verdict:
    """The column that wins (None: none does), those that tie with it, the order of all by what is compared,
    the average gain that a ratio must reach, and why nothing is asked."""

    winner: int | None
    ties: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    average: float | None = None
    refused: str = ""


def decide(search: Search, found: Sequence[Candidate], impurity: float) -> Verdict:
    """`found` has an entry for each column of the table, in their order."""
    settings = search.settings
    margin = TIE * impurity
    if search.classes is not None:
        margin = max(margin, settings.tie_margin)
    if settings.choice == "significance":
        verdict = _significant(search, found, margin)
    elif settings.choice == "gain_ratio":
        verdict = _ratio(search, found, margin)
    else:
        verdict = _first(search, found, lambda c: c.gain - c.penalty, margin, margin)
    if verdict.winner is None:
        return verdict
    refused = _not_worth(search, found[verdict.winner], margin)
    return Verdict(None, verdict.ties, verdict.order, verdict.average, refused) if refused else verdict


def _first(
    search: Search,
    found: Sequence[Candidate],
    merit: Callable[[Candidate], float],
    tolerance: float,
    margin: float,
    average: float | None = None,
) -> Verdict:
    merits = {j: merit(c) for j, c in enumerate(found) if _counts(search, c, margin)}
    merits = {j: m for j, m in merits.items() if m > -math.inf}
    order = tuple(sorted(range(len(found)), key=lambda j: (-merits.get(j, -math.inf), -found[j].gain, j)))
    if not merits:
        return Verdict(None, (), order, average, "no column has a split that counts")
    top = max(merits.values())
    ties = tuple(j for j, m in merits.items() if m >= top - tolerance)
    return Verdict(_picked(search, ties), ties, order, average)


def _picked(search: Search, ties: Sequence[int]) -> int:
    names = search.whole.table.names
    return min(ties, key=lambda j: names[j]) if search.settings.ties == "alphabetical" else min(ties)


def _counts(search: Search, c: Candidate, margin: float) -> bool:
    s = search.settings
    must_gain = s.mdl_correction or (s.choice == "gain_ratio" and not s.zero_gain_splits)
    cut = c.kind not in ("nominal", "boolean")
    return c.possible and (not must_gain or not cut or c.gain - c.penalty > margin)


def _ratio(search: Search, found: Sequence[Candidate], margin: float) -> Verdict:
    table = search.whole.table
    merged = search.settings.categories == "merge"
    many = [
        n_categories(f) > 0 and n_categories(f) >= 0.3 * table.n_rows and not merged for f in table.fields
    ]
    in_average = [not m for m in many] if not all(many) else [True] * len(many)
    gains = [
        c.gain - c.penalty
        for c, counted in zip(found, in_average, strict=True)
        if counted and _counts(search, c, margin)
    ]
    average = sum(gains) / len(gains) if gains else math.inf
    # Gains of numbers have the unit of the impurity.
    unit = search.group("", search.here).impurity if search.n_classes == 0 else 1.0

    def ratio(c: Candidate) -> float:
        gain = c.gain - c.penalty
        if gain < average - SLACK * unit or c.split_information <= 0:
            return -math.inf
        return gain / c.split_information

    tolerance = (TIE + search.settings.tie_margin) * unit
    verdict = _first(search, found, ratio, tolerance, margin, average)
    nothing = verdict.winner is not None and ratio(found[verdict.winner]) <= tolerance
    if nothing and not search.settings.zero_gain_splits:
        return Verdict(None, verdict.ties, verdict.order, average, "no split has a gain ratio above 0")
    return verdict


def _significant(search: Search, found: Sequence[Candidate], margin: float) -> Verdict:
    s = search.settings
    tested = {j: c.column_p for j, c in enumerate(found) if c.column_p is not None and c.column_p <= 0}
    order = tuple(sorted(range(len(found)), key=lambda j: (tested.get(j, 1.0), j)))
    level = 1.0 if s.significance_level is None else s.significance_level
    left = dict(tested)
    for _ in range(2):
        if not left:
            break
        top = min(left.values())
        p = top if s.categories == "chaid" else _core.adjusted_log_p(top, float(len(tested)))
        if not (level >= 1 or p < math.log(level)):
            return Verdict(
                None, (), order, None, f"the smallest p-value, {math.exp(p):.4g}, is not below {level:g}"
            )
        ties = tuple(j for j, value in left.items() if value <= top * (1 - TIE))
        winner = _picked(search, ties)
        if found[winner].possible and (s.zero_gain_splits or found[winner].gain > margin):
            return Verdict(winner, ties, order)
        del left[winner]
    return Verdict(None, (), order, None, "no column that was tested has a split")


def _not_worth(search: Search, c: Candidate, margin: float) -> str:
    s = search.settings
    if not s.zero_gain_splits and c.gain <= margin:
        return "no split gains anything, and zero_gain_splits is off"
    if s.significance_level is not None and s.choice != "significance" and c.p_value > s.significance_level:
        return f"p = {c.p_value:.4g} of the best split is above significance_level={s.significance_level:g}"
    decrease = (c.gain + margin) * search.here.total / search.whole.total
    if s.min_impurity_decrease > 0 and decrease < s.min_impurity_decrease:
        least = f"min_impurity_decrease={s.min_impurity_decrease:g}"
        return f"the gain of all rows, {decrease:.4g}, is below {least}"
    return ""

"""Why many trees together give a row its answer: what each column adds, from the answer to nothing known."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough.data.objects import label
from bough.data.table import Table
from bough.explain.path import one_row, value_text
from bough.explain.shap import shap_values
from bough.explain.words import answer_name
from bough.tree import Ensemble
from bough.tree.text import display_width, padded, percent, shown_name

MOST_LINES = 12


@dataclass(frozen=True)
class Contribution:
    column: str
    value: str  # of the row, as text
    amount: float  # its Shapley value


@dataclass(frozen=True, repr=False)
class Contributions:
    """`base` and the amounts of all contributions, largest first, add up to `raw`. `of` tells what that is:
    the share of a class, log odds, a sum before the link, or the number itself."""

    prediction: Any
    share: float | None  # of the predicted class; None: a number
    of: str
    base: float
    raw: float
    contributions: tuple[Contribution, ...]
    shares: dict[str, float] = dataclasses.field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return dataclasses.asdict(self)

    def __repr__(self) -> str:  # what a console and a notebook show
        return str(self)

    def __str__(self) -> str:
        return _text(self)


def explain_together(ensemble: Ensemble, row: Any, owner: str = "the model") -> Contributions:
    """The row in any form that `bough.explain.path.one_row` takes."""
    return contributions_of(ensemble, ensemble.table(one_row(ensemble.fields, row), owner), owner)


def contributions_of(ensemble: Ensemble, table: Table, owner: str) -> Contributions:
    """Of the only row of a table."""
    values = shap_values(ensemble, table, owner=owner)
    raw = ensemble.raw(table)
    answer = ensemble.answers(raw)[0]
    plain = answer.item() if isinstance(answer, np.generic) else answer
    place, of = _explained(ensemble, answer)
    share, shares = None, {}
    if ensemble.classes is not None:
        found = ensemble.shares(raw)[0]
        shares = {label(c): float(s) for c, s in zip(ensemble.classes, found, strict=True)}
        share = shares[label(answer)]
    amounts = values.values[0] if values.values.ndim == 2 else values.values[0, :, place]
    base = float(np.atleast_1d(values.base_values)[place])
    parts = [
        Contribution(column.field.name, value_text(column.field, float(column.values[0])), float(amount))
        for column, amount in zip(table.columns, amounts, strict=True)
    ]
    ranked = tuple(sorted(parts, key=lambda part: -abs(part.amount)))
    return Contributions(plain, share, of, base, float(raw[0, place]), ranked, shares)


def _explained(ensemble: Ensemble, answer: Any) -> tuple[int, str]:
    """The output that is explained, and what it is."""
    if ensemble.classes is None:
        return 0, "log of the answer" if ensemble.link == "exp" else "answer"
    if ensemble.link == "logistic":
        return 0, f"log odds of {shown_name(label(ensemble.classes[1]))}"
    what = {"mean": "share of", "vote": "votes for"}.get(ensemble.combine, "sum for")
    return int(np.flatnonzero(ensemble.classes == answer)[0]), f"{what} {shown_name(label(answer))}"


def _text(told: Contributions) -> str:
    """The answer, where it starts, what each column adds, and what that comes to."""
    head = answer_name(told.prediction)
    if told.share is not None:
        head += f", {percent(told.share)}"
    shown = told.contributions[:MOST_LINES]
    rest = told.contributions[MOST_LINES:]
    digits = _digits([told.base, told.raw, *(c.amount for c in told.contributions)])
    lines = [("nothing known", f"{told.base:.{digits}f}", "")]
    lines += [
        (f"{shown_name(c.column)} = {shown_name(c.value)}", f"{c.amount:+.{digits}f}", _bar(c.amount, shown))
        for c in shown
    ]
    if rest:
        lines.append((f"{len(rest)} more columns", f"{sum(c.amount for c in rest):+.{digits}f}", ""))
    lines.append((told.of, f"{told.raw:.{digits}f}", ""))
    widths = [max(display_width(line[i]) for line in lines) for i in (0, 1)]
    out = [
        f"  {padded(text, widths[0])}  {number.rjust(widths[1])}  {bar}".rstrip()
        for text, number, bar in lines
    ]
    return "\n".join([head, *out])


def _digits(numbers: list[float]) -> int:
    """After the point, the same for all: the largest has four digits or all before its point."""
    largest = max(map(abs, numbers))
    return min(12, max(0, 3 - math.floor(math.log10(largest)))) if largest > 0 else 0


def _bar(amount: float, shown: tuple[Contribution, ...]) -> str:
    largest = max(abs(c.amount) for c in shown)
    return "▇" * round(16 * abs(amount) / largest) if largest > 0 else ""

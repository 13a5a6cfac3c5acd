"""Why a column won, in words: the figure that decided, the runner-up, ties and the rule that broke them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bough.explain.words import fixed
from bough.tree.text import shown_name

if TYPE_CHECKING:
    from bough.explain.numbers import Candidate, NodeNumbers

RULES = {
    "column": "the first of them in the table is taken",
    "alphabetical": "the first of them by name is taken",
    "random": "one of them is drawn",
}


def unit(numbers: NodeNumbers, base: float) -> float:
    """What entropies are divided by to be in this base."""
    return math.log2(base) if numbers.criterion == "entropy" else 1.0


def why_text(numbers: NodeNumbers, digits: int = 4, base: float = 2) -> str:
    winner = numbers.winner
    if winner is None:
        return "A leaf: " + "; ".join(numbers.leaf) + "."
    name = shown_name(winner.column)
    what, value = _compared(numbers, winner, digits, base)
    if numbers.ties and winner.column in numbers.ties:
        listed = [shown_name(t) for t in numbers.ties]
        together = ", ".join(listed[:-1]) + f" and {listed[-1]}"
        text = f"{together} tie: {what} {value}; {RULES[numbers.tie_rule]}: {name}."
    else:
        others = [c for c in numbers.candidates if c.possible and not c.chosen]
        than = ""
        if others:
            than = (
                f", before {_compared(numbers, others[0], digits, base)[1]} of {shown_name(others[0].column)}"
            )
        most = "smallest" if numbers.choice == "significance" else "largest"
        text = f"{name} has the {most} {what}: {value}{than}."
        if not others:
            text = f"{name} is the only column with a split: {what} {value}."
    if numbers.average is not None and math.isfinite(numbers.average):
        reached = fixed(numbers.average / unit(numbers, base), digits)
        text += f" Only columns that gain about the average, {reached}, or more are compared."
    return text


def _compared(numbers: NodeNumbers, c: Candidate, digits: int, base: float) -> tuple[str, str]:
    """What decides between columns, and its value."""
    if numbers.choice == "significance" and c.column_p is not None:
        return "p-value", f"{math.exp(c.column_p):.4g}"
    if numbers.choice == "gain_ratio":
        ratio = (c.gain - c.penalty) / c.split_information if c.split_information > 0 else 0.0
        return "gain ratio", fixed(ratio, digits)
    return "gain", fixed((c.gain - c.penalty) / unit(numbers, base), digits)

"""Why a column won, in words: the figure that decided, the runner-up, ties and the rule that broke them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bough.explain.words import fixed
from bough.tree.text import shown_name

if TYPE_CHECKING:
    from bough.explain.numbers import Candidate, NodeNumbers

SLACK = 1e-3  # C4.5's: bits per row below the average that still pass

RULES = {
    "column": "the first of them in the table is taken",
    "alphabetical": "the first of them by name is taken",
    "random": "one of them is drawn",
    "single": "the largest in single precision is taken",
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
        text = _before_others(numbers, winner, digits, base)
    if numbers.average is not None and math.isfinite(numbers.average):
        reached = fixed(numbers.average / unit(numbers, base), digits)
        text += f" Only columns that gain about the average, {reached}, or more are compared."
    return text


def _before_others(numbers: NodeNumbers, winner: Candidate, digits: int, base: float) -> str:
    """The winner and the best of the others, which may be better where something else decided."""
    name, (what, value) = shown_name(winner.column), _compared(numbers, winner, digits, base)
    others = [c for c in numbers.candidates if c.possible and not c.chosen]
    if not others:
        return f"{name} is the only column with a split: {what} {value}."
    most = "smallest" if numbers.choice == "significance" else "largest"
    rivals = [c for c in others if _takes_part(numbers, c)]
    if not rivals:
        return f"{name} has the {most} {what}: {value}."
    rival = max(rivals, key=lambda c: _merit(numbers, c))
    than = f"{_compared(numbers, rival, digits, base)[1]} of {shown_name(rival.column)}"
    own = _merit(numbers, winner)
    rounding = 1e-9 * max(abs(own), numbers.whole.impurity)
    if _merit(numbers, rival) > own + rounding or not _takes_part(numbers, winner):
        return f"{name} is asked, {what} {value}, though the {most} is {than}."
    return f"{name} has the {most} {what}: {value}, before {than}."


def _takes_part(numbers: NodeNumbers, c: Candidate) -> bool:
    """Ratios are compared among columns that gain enough."""
    return numbers.average is None or c.gain - c.penalty >= numbers.average - SLACK


def _merit(numbers: NodeNumbers, c: Candidate) -> float:
    """What decides between columns, the more the better."""
    if numbers.choice == "significance" and c.column_p is not None:
        return -c.column_p
    if numbers.choice == "gain_ratio":
        return (c.gain - c.penalty) / c.split_information if c.split_information > 0 else 0.0
    return c.gain - c.penalty


def _compared(numbers: NodeNumbers, c: Candidate, digits: int, base: float) -> tuple[str, str]:
    """What decides between columns, and its value."""
    if numbers.choice == "significance" and c.column_p is not None:
        return "p-value", f"{math.exp(c.column_p):.4g}"
    if numbers.choice == "gain_ratio":
        return "gain ratio", fixed(_merit(numbers, c), digits)
    return "gain", fixed(_merit(numbers, c) / unit(numbers, base), digits)

"""Many trees in a few lines: how many and how large, how they answer together, what they ask most."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bough.data.objects import label
from bough.tree.ensemble import Ensemble
from bough.tree.gains import gain_importance
from bough.tree.notes import BIASED, MEASURES
from bough.tree.text import (
    PROSE,
    WIDE,
    display_width,
    folded,
    padded,
    printable,
    shortened,
    shown_name,
    significant,
)

MOST_COLUMNS = 10
BAR = 30  # signs for the whole
FEWEST_SIGNS = 12  # of a name that is cut
_LINKS = {
    "identity": "the sum is the answer",
    "exp": "the answer is e to the sum",
    "softmax": "one sum for each class, made shares by softmax",
}


def ensemble_text(ensemble: Ensemble, width: int = WIDE) -> str:
    """Size, answer, how they were made, and the columns that matter most, in lines of so many signs; by gain
    where no other rows have judged them."""
    names, notes = [f.name for f in ensemble.fields], ensemble.notes
    values = list(notes.values) if notes.measure else gain_importance(ensemble).tolist()
    size, answer = f"{size_text(ensemble)}, depth {_depths(ensemble)}", together(ensemble)
    columns = column_lines(names, values, notes.measure or "gain", width)
    head = [
        part
        for line in (size, answer, *map(printable, notes.lines))
        for part in folded(line, min(width, PROSE))
    ]
    return "\n".join([*head, "", *columns])


def size_text(ensemble: Ensemble) -> str:
    n, leaves = len(ensemble), sum(tree.n_leaves for tree in ensemble)
    return f"{n:,} tree{'' if n == 1 else 's'}, {leaves:,} leaves"


def _depths(ensemble: Ensemble) -> str:
    depths = [tree.opened().max_depth for tree in ensemble.trees]
    low, high = min(depths), max(depths)
    return str(low) if low == high else f"{low} to {high}"


def together(ensemble: Ensemble) -> str:
    """How one answer is made of many."""
    if ensemble.combine == "mean":
        what = "numbers" if ensemble.classes is None else "class shares"
        return f"answer: the mean of the trees' {what}"
    if ensemble.combine == "vote":
        weighted = "" if np.ptp(ensemble.weights) == 0 else ", each with its weight"
        if ensemble.classes is None:
            return f"answer: the median of the trees' numbers{weighted}"
        return f"answer: the class with most votes{weighted}"
    start = ", ".join(significant(float(x), 4) for x in ensemble.base[:4])
    start += ", …" if len(ensemble.base) > 4 else ""
    if ensemble.link == "logistic" and ensemble.classes is not None:
        link = f"the sum is the log odds of {shown_name(label(ensemble.classes[1]))}"
    else:
        link = _LINKS[ensemble.link]
    rate = (
        significant(float(ensemble.weights[0]), 4) if np.ptp(ensemble.weights) == 0 else "its learning rate"
    )
    return f"answer: {start} plus {rate} × the leaf's value of each tree; {link}"


def decimals(values: Sequence[float], largest: float | None = None) -> list[str]:
    """Under each other, with four digits after the point, or as many as show four of the largest.

    >>> decimals([0.25, 0.0125]), decimals([5471.3, 69.7]), decimals([2.5e-06, 1e-07])
    ([' 0.2500', ' 0.0125'], ['   5471', '     70'], ['0.000002500', '0.000000100'])
    """
    top = max(map(abs, values), default=0.0) if largest is None else largest
    known = 0.0 < top < math.inf and not 0.01 <= top < 1000
    digits = max(0, 3 - math.floor(math.log10(top))) if known else 4
    texts = [f"{value:.{digits}f}" for value in values]
    width = max(map(len, texts), default=0)
    return [f"{text:>{max(7, width)}}" for text in texts]


def column_lines(names: list[str], values: list[float], measure: str, width: int = WIDE) -> list[str]:
    """The largest values with bars; a narrow terminal makes bars and names shorter. Shares are shown
    as they are, other measures by the largest."""
    head, shares = MEASURES[measure], measure == "gain"
    order = np.argsort(-np.array(values), kind="stable")[:MOST_COLUMNS].tolist()
    room = max(FEWEST_SIGNS, width - 2 - display_width(head))
    shown = [shortened(shown_name(names[i]), room) for i in order]
    wide = max(map(display_width, ["column", *shown]))
    largest = 1.0 if shares else max([values[i] for i in order], default=0.0)
    lines = [f"{padded('column', wide)}  {head}"]
    texts = [f"{values[i]:6.1%}" for i in order] if shares else decimals([values[i] for i in order])
    left = max(0, min(BAR, width - wide - 4 - max(map(len, texts), default=0)))
    for name, text, i in zip(shown, texts, order, strict=True):
        bar = "▇" * round(left * min(1.0, max(0.0, values[i]) / largest)) if largest > 0 else ""
        lines.append(f"{padded(name, wide)}  {text}  {bar}".rstrip())
    rest = len(names) - len(order)
    lines += [f"and {rest:,} more column{'' if rest == 1 else 's'}"] if rest else []
    return [*lines, *folded(BIASED, min(width, PROSE))] if shares else lines

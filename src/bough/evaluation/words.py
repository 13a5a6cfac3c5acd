"""Figures as words and columns of text."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from bough.tree.text import display_width, padded, significant


def aligned(head: Sequence[str], lines: Iterable[Sequence[str]], left: int) -> str:
    """Columns of text; the first `left` ones begin at the left, the others end at the right."""
    table = [list(head), *map(list, lines)]
    widths = [max(display_width(line[i]) for line in table) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            padded(cell, width) if i < left else " " * (width - display_width(cell)) + cell
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in table
    )


def decimal(value: float, digits: int = 4) -> str:
    """A share or a score; a dash where there is none.

    >>> decimal(0.81256), decimal(float("nan")), decimal(-0.00001)
    ('0.8126', '–', '0.0000')
    """
    if not math.isfinite(value):
        return "–"
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def quantity(value: float) -> str:
    """A number in the units of the target."""
    return significant(value, 4) if math.isfinite(value) else "–"


def percent(value: float, digits: int = 1) -> str:
    return f"{value:.{digits}%}" if math.isfinite(value) else "–"


def count_text(value: float) -> str:
    """Rows, or their weight to a tenth."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"

"""How explanations write numbers, answers and shares, so that all forms write them alike."""

from __future__ import annotations

import math
from typing import Any

from bough.data.objects import label
from bough.errors import BoughError
from bough.tree.text import percent, shown_name, significant
from bough.tree.tree import Tree

MOST_DIGITS = 30  # after the point; a float64 has no more to tell


def answer_name(answer: Any) -> str:
    """A class by its name, a number to five digits."""
    if isinstance(answer, float):
        return significant(float(answer), 5)
    return shown_name(label(answer))


def amount(x: float) -> str:
    """A number of rows or a weight: whole where it is, else to two places, small ones to two digits.

    >>> amount(5.0), amount(10.556), amount(1234.0), amount(0.00234)
    ('5', '10.56', '1234', '0.0023')
    """
    near = round(x)
    if abs(x - near) < 1e-9 * max(1.0, abs(x)):
        return str(near)
    return f"{x:.2f}" if abs(x) >= 0.1 else significant(x, 2)


def fixed(x: float, digits: int) -> str:
    """So many digits after the point, never a minus before zero; what is whole stays short.

    >>> fixed(0.246749, 4), fixed(-1e-17, 4), fixed(1.0, 4), fixed(1.5774, 2)
    ('0.2467', '0', '1', '1.58')
    """
    if not math.isfinite(x):
        return "∞" if x > 0 else "−∞" if x < 0 else "–"
    if abs(x - round(x)) < 1e-12 and abs(x) < 1e15:
        return str(round(x))
    text = f"{x:.{digits}f}"
    if float(text) == 0:
        return f"{x:.{digits}e}" if abs(x) > 1e-9 else "0"
    return text


def padded_number(x: float, digits: int) -> str:
    """As `fixed`, with all digits: for columns of a table.

    >>> padded_number(1.0, 4), padded_number(-1e-17, 4)
    ('1.0000', '0.0000')
    """
    if not math.isfinite(x):
        return fixed(x, digits)
    return f"{abs(x) if abs(x) < 0.5 * 10.0**-digits else x:.{digits}f}"


def plain_data(value: Any) -> Any:
    """What JSON can hold: infinite numbers are None, dates and the like their text."""
    if isinstance(value, dict):
        return {str(key): plain_data(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain_data(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else label(value)


def check_form(digits: int, base: float) -> None:
    """How numbers are to be written."""
    if not isinstance(digits, int) or not 0 <= digits <= MOST_DIGITS:
        raise BoughError(
            f"digits={digits!r} is not possible.",
            code="parameter",
            hint=f"digits is a whole number from 0 to {MOST_DIGITS}.",
        )
    if not isinstance(base, int | float) or not 1 < base < math.inf:
        raise BoughError(
            f"base={base!r} is not possible.", code="parameter", hint="base is 2, math.e, 10, or so."
        )


def interval_text(low: float, high: float, numbers: bool) -> str:
    """The ends of a 95 % interval: percent of a share, or numbers."""
    if numbers:
        return f"{significant(low, 4)} to {significant(high, 4)}"
    return f"{100 * low:.0f}–{100 * high:.0f}%"


def deviation(tree: Tree, node: int) -> float | None:
    """The standard deviation of the numbers in a node; None where the impurity is no variance."""
    return math.sqrt(max(float(tree.impurity[node]), 0.0)) if tree.has_variances else None


__all__ = [
    "amount",
    "answer_name",
    "check_form",
    "deviation",
    "fixed",
    "interval_text",
    "padded_number",
    "percent",
    "plain_data",
]

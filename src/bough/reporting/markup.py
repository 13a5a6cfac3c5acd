"""Pieces of HTML: elements, tables, lists; whatever is text is escaped by `safe`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from bough.tree.text import significant
from bough.view.pen import safe

_LONG = re.compile(r"-?\d+\.\d{5,}(?:e[-+]?\d+)?")


def tag(name: str, *children: str, **attributes: Any) -> str:
    """`class_` is written class, `data_rows` data-rows; children are markup, attributes are text."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{safe(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{given}>{''.join(children)}</{name}>"


def paragraph(*children: str, class_: str | None = None) -> str:
    return tag("p", *children, class_=class_)


def bold(text: str) -> str:
    return tag("b", safe(text))


def section(name: str, heading: str, *children: str) -> str:
    return tag("section", tag("h2", safe(heading)), *children, id=name, class_="part")


def table(head: Sequence[str], rows: Iterable[str], numbers: Sequence[int] = (), caption: str = "") -> str:
    """`rows` are markup from `row`; `numbers` are the columns that end at the right."""
    cells = "".join(
        tag("th", safe(text), class_="n" if i in numbers else None) for i, text in enumerate(head)
    )
    title = tag("caption", safe(caption)) if caption else ""
    inside = title + tag("thead", tag("tr", cells)) + tag("tbody", *rows)
    return tag("div", tag("table", inside), class_="scroll")


def row(cells: Sequence[str], numbers: Sequence[int] = (), **attributes: Any) -> str:
    """Cells are markup."""
    inside = "".join(tag("td", cell, class_="n" if i in numbers else None) for i, cell in enumerate(cells))
    return tag("tr", inside, **attributes)


def bullets(items: Iterable[str]) -> str:
    return tag("ul", *(tag("li", item) for item in items))


def safe_lines(text: str) -> str:
    """Lines stay lines."""
    return "\n".join(safe(line) for line in text.split("\n"))


def short_numbers(text: str) -> str:
    """Four digits of numbers with a long fraction, as pictures show them.

    >>> short_numbers("0.5 < a ≤ 23.350000381469727")
    '0.5 < a ≤ 23.35'
    """
    return _LONG.sub(lambda found: significant(float(found[0]), 4), text)

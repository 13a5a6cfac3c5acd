"""Writes SVG elements: literal colours always, names of their roles too where a page restyles them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import Any

from bough.tree.text import printable
from bough.view.colours import Theme
from bough.view.measure import width

FONTS = "Noto Sans,Segoe UI,Helvetica,Arial,Liberation Sans,DejaVu Sans,sans-serif"
SYMBOLS = "DejaVu Sans,Segoe UI Symbol,Apple Symbols,Noto Sans Symbols,Noto Sans Math,sans-serif"
SIGNS = "⚠∅"
SMALL, NORMAL = 11, 12  # px; nothing is smaller


def safe(text: str) -> str:
    """Escaped for markup; signs that XML does not know, or that steer what follows, are written out."""
    return escape(printable(text))


def _lettered(text: str, x: float, size: float, anchor: str | None) -> str:
    """The text with a font of its own for signs that text fonts lack. They have places of their own too:
    some programs set everything up to the next place in the font that has the sign."""
    pieces = [piece for piece in re.split("([⚠∅])", text) if piece]
    if len(pieces) == 1 and pieces[0] not in SIGNS:
        return safe(text)
    widths = [width(piece, size) for piece in pieces]
    at = x - sum(widths) * {"end": 1.0, "middle": 0.5}.get(anchor or "", 0.0)
    out = []
    for place, (piece, long) in enumerate(zip(pieces, widths, strict=True)):
        fonts = SYMBOLS if piece in SIGNS else None
        # What comes before a sign ends at it, whatever the font.
        before = place == 0 and len(pieces) > 1 and piece not in SIGNS
        start, side = (at + long, "end") if before else (at, "start")
        out.append(element("tspan", safe(piece), x=start, text_anchor=side, font_family=fonts))
        at += long
    return "".join(out)


def number(x: float) -> str:
    """A coordinate: two decimals are enough."""
    return f"{x:.2f}".rstrip("0").rstrip(".") if x != int(x) else str(int(x))


def element(tag: str, *children: str, **attributes: Any) -> str:
    """`class_` and `aria_label` are written class and aria-label; None is left out."""
    parts = [tag]
    for name, value in attributes.items():
        if value is None:
            continue
        shown = number(value) if isinstance(value, int | float) else safe(value)
        parts.append(f'{name.rstrip("_").replace("_", "-")}="{shown}"')
    inside = "".join(children)
    return f"<{' '.join(parts)}>{inside}</{tag}>" if inside else f"<{' '.join(parts)}/>"


@dataclass(frozen=True)
class Pen:
    theme: Theme
    live: bool  # part of a page, which restyles roles

    def _class(self, *names: str | None) -> str | None:
        return " ".join(filter(None, names)) or None if self.live else None

    def text(
        self,
        x: float,
        y: float,
        content: str,
        role: str = "ink",
        *,
        size: float = SMALL,
        bold: bool = False,
        anchor: str | None = None,
        tip: str = "",
        name: str | None = None,
    ) -> str:
        """The svg element itself sets ink and the small size."""
        return element(
            "text",
            element("title", safe(tip)) if tip else "",
            _lettered(content, x, size, anchor),
            class_=self._class(name, f"f-{role}" if role != "ink" else None),
            x=x,
            y=y,
            font_size=size if size != SMALL else None,
            font_weight="bold" if bold else None,
            text_anchor=anchor,
            fill=self.theme[role] if role != "ink" else None,
        )

    def question(self, x: float, y: float, column: str, *, tip: str = "") -> str:
        """The column in bold and a question mark after it, wherever that is in the reader's font."""
        soft = {"class_": self._class("f-soft"), "fill": self.theme["soft"]}
        mark = element("tspan", "?", dx=4, font_weight="normal", **soft)
        title = element("title", safe(tip)) if tip else ""
        return element("text", title, safe(column), mark, x=x, y=y, font_size=NORMAL, font_weight="bold")

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        role: str,
        *,
        border: str | None = None,
        radius: float | None = None,
        dashes: str | None = None,
        name: str | None = None,
    ) -> str:
        return element(
            "rect",
            class_=self._class(name, f"f-{role}", border and f"s-{border}"),
            x=x,
            y=y,
            width=width,
            height=height,
            rx=radius,
            fill=self.theme[role],
            stroke=self.theme[border] if border else None,
            stroke_dasharray=dashes,
        )

    def line(
        self, d: str, role: str, thick: float = 1, *, dashes: str | None = None, ends: str | None = None
    ) -> str:
        """`ends`: "round" makes dots of lines without length."""
        return element(
            "path",
            class_=self._class(f"s-{role}"),
            d=d,
            fill="none",
            stroke=self.theme[role],
            stroke_width=thick,
            stroke_dasharray=dashes,
            stroke_linecap=ends,
        )

    def shape(self, d: str, role: str) -> str:
        return element("path", class_=self._class(f"f-{role}"), d=d, fill=self.theme[role])

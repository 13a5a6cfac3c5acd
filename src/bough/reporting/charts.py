"""Charts of the report as inline SVG: axes, lines, points, bars; themes restyle them by role."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bough.tree.text import significant
from bough.view.colours import Theme
from bough.view.measure import width
from bough.view.pen import FONTS, SMALL, Pen, element, number, safe

WIDTH, HEIGHT = 400, 250
LEFT, RIGHT, TOP, BOTTOM = 52, 14, 12, 40


@dataclass(frozen=True)
class Axis:
    """From values to pixels; `log`: in steps of factors."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high, x = self.low, self.high, value
        if self.log:
            low, high, x = math.log(low), math.log(high), math.log(max(value, self.low))
        part = (x - low) / (high - low) if high > low else 0.5
        return self.start + part * (self.end - self.start)


def round_ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers within the range.

    >>> round_ticks(0.0, 0.41), round_ticks(2500, 6300)
    ([0.0, 0.1, 0.2, 0.3, 0.4], [3000.0, 4000.0, 5000.0, 6000.0])
    """
    if not high > low:
        return [low]
    rough = (high - low) / most
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(i * step, 12) for i in range(first, last + 1)]


class Chart:
    """A frame with two axes; what is drawn is collected in order."""

    def __init__(self, theme: Theme, x: Axis, y: Axis, wide: float = WIDTH) -> None:
        self.pen = Pen(theme, live=True)
        self.x, self.y = x, y
        self.width, self.height = wide, HEIGHT
        self.parts: list[str] = []

    def x_ticks(self, values: Sequence[float], texts: Sequence[str], name: str) -> None:
        for value, text in zip(values, texts, strict=True):
            self.parts.append(
                self.pen.text(self.x.at(value), self.height - BOTTOM + 16, text, "soft", anchor="middle")
            )
        middle = (self.x.start + self.x.end) / 2
        self.parts.append(self.pen.text(middle, self.height - 6, name, "soft", anchor="middle"))

    def y_ticks(self, values: Sequence[float], texts: Sequence[str]) -> None:
        for value, text in zip(values, texts, strict=True):
            y = self.y.at(value)
            self.parts.append(
                self.pen.line(f"M{number(self.x.start)} {number(y)}H{number(self.x.end)}", "line")
            )
            self.parts.append(self.pen.text(self.x.start - 6, y + 4, text, "soft", anchor="end"))

    def line(
        self, xs: Sequence[float], ys: Sequence[float], role: str, thick: float = 2, dashes: str | None = None
    ) -> None:
        places = [f"{number(self.x.at(x))} {number(self.y.at(y))}" for x, y in zip(xs, ys, strict=True)]
        self.parts.append(self.pen.line("M" + "L".join(places), role, thick, dashes=dashes))

    def points(self, xs: Sequence[float], ys: Sequence[float], role: str, thick: float = 6) -> None:
        """One path for all of them."""
        marks = [f"M{number(self.x.at(x))} {number(self.y.at(y))}h0" for x, y in zip(xs, ys, strict=True)]
        if marks:
            self.parts.append(self.pen.line("".join(marks), role, thick, ends="round"))

    def bars(self, xs: Sequence[float], lows: Sequence[float], highs: Sequence[float], role: str) -> None:
        """Upright intervals."""
        marks = [
            f"M{number(self.x.at(x))} {number(self.y.at(low))}V{number(self.y.at(high))}"
            for x, low, high in zip(xs, lows, highs, strict=True)
            if math.isfinite(low) and math.isfinite(high)
        ]
        if marks:
            self.parts.append(self.pen.line("".join(marks), role, 1.2))

    def ring(self, x: float, y: float, role: str) -> None:
        theme = self.pen.theme
        self.parts.append(
            element(
                "circle",
                cx=self.x.at(x),
                cy=self.y.at(y),
                r=6,
                class_=f"f-paper s-{role}",
                fill=theme["paper"],
                stroke=theme[role],
                stroke_width=2.4,
            )
        )

    def note(
        self, x: float, y: float, text: str, role: str = "ink", anchor: str | None = None, bold: bool = False
    ) -> None:
        """Text at a place in pixels."""
        self.parts.append(self.pen.text(x, y, text, role, anchor=anchor, bold=bold))

    def legend(self, right: float, y: float, text: str, role: str, dashes: str | None = None) -> None:
        """A short line in its colour before text in ink: coloured text would not be read on paper."""
        x = right - width(text) - 8
        self.parts.append(self.pen.line(f"M{number(x - 18)} {number(y - 4)}h16", role, 3, dashes=dashes))
        self.parts.append(self.pen.text(right, y, text, anchor="end"))

    def svg(self, label: str, alone: bool = False) -> str:
        """`alone`: a file of its own rather than part of a page, whose style sets the ink."""
        paper = self.pen.rect(0, 0, self.width, self.height, "paper")
        return element(
            "svg",
            element("title", safe(label)),
            *([paper] if alone else []),
            *self.parts,
            class_="chart",
            role="img",
            viewBox=f"0 0 {number(self.width)} {number(self.height)}",
            width=self.width,
            height=self.height,
            font_family=FONTS,
            font_size=SMALL,
            xmlns="http://www.w3.org/2000/svg" if alone else None,
            fill=self.pen.theme["ink"] if alone else None,
        )


def frame_axes(
    x: tuple[float, float], y: tuple[float, float], *, log: bool = False, wide: float = WIDTH
) -> tuple[Axis, Axis]:
    return Axis(*x, LEFT, wide - RIGHT, log), Axis(*y, HEIGHT - BOTTOM, TOP)


def share_chart(theme: Theme, x_name: str) -> Chart:
    """Both axes are shares from 0 to 1, in a square."""
    wide = LEFT + RIGHT + HEIGHT - TOP - BOTTOM
    chart = Chart(theme, *frame_axes((0, 1), (0, 1), wide=wide), wide)
    ticks = [0, 0.2, 0.4, 0.6, 0.8, 1]
    chart.y_ticks(ticks, [f"{t:.0%}" for t in ticks])
    chart.x_ticks(ticks, [f"{t:.0%}" for t in ticks], x_name)
    chart.line([0, 1], [0, 1], "edge", 1.2, "4 3")
    return chart


def number_ticks(low: float, high: float, most: int = 6) -> tuple[list[float], list[str]]:
    ticks = round_ticks(low, high, most)
    return ticks, [significant(t, 4) for t in ticks]


def meter(theme: Theme, parts: Sequence[tuple[float, str]], wide: float = 120, alone: bool = False) -> str:
    """A bar of shares, each with its role, on an empty ground."""
    pen = Pen(theme, live=True)
    x, drawn = 0.0, []
    for share, role in parts:
        if share > 0:
            drawn.append(pen.rect(x, 1, share * wide, 9, role))
            x += share * wide
    space = "http://www.w3.org/2000/svg" if alone else None
    return element("svg", *drawn, class_="meter", width=wide, height=11, aria_hidden="true", xmlns=space)

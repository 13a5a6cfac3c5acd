"""The edges: as thick as rows go that way, the answer beside the child, a pill where missing values go."""

from __future__ import annotations

import math

from bough.view.layout import BEND, LABEL
from bough.view.measure import width
from bough.view.pen import number
from bough.view.picture import Picture
from bough.view.words import Answer

HANDLE = 7  # radius of what folds, on the edge of a card


def thickness(picture: Picture, node: int) -> float:
    """1.25 + 7 √(n/N): the square root keeps thin branches visible."""
    tree = picture.tree
    total = float(tree.weight[0]) or 1.0
    return 1.25 + 7 * math.sqrt(max(0.0, float(tree.weight[node])) / total)


def line(picture: Picture, node: int) -> str:
    parent = int(picture.tree.parent[node])
    (x0, y0), (x1, y1) = picture.layout.at[parent], picture.layout.at[node]
    w, h = picture.size.width, picture.size.height
    if picture.direction == "LR":
        d = bend(x0 + w, y0 + h / 2, x1, y1 + h / 2)
    else:
        d = drop(x0 + w / 2, y0 + h, x1 + w / 2, y1 - LABEL)
    return picture.pen.line(d, "edge", round(thickness(picture, node), 2))


def bend(x0: float, y0: float, x1: float, y1: float) -> str:
    """Turns within a narrow strip, so that no edge crosses a label."""
    n, middle = number, x0 + BEND / 2
    return f"M{n(x0)} {n(y0)}C{n(middle)} {n(y0)} {n(middle)} {n(y1)} {n(x0 + BEND)} {n(y1)}H{n(x1)}"


def drop(x0: float, y0: float, x1: float, y1: float) -> str:
    n, middle = number, (y0 + y1) / 2
    return f"M{n(x0)} {n(y0)}C{n(x0)} {n(middle)} {n(x1)} {n(middle)} {n(x1)} {n(y1)}"


def label(picture: Picture, node: int) -> str:
    """Above the edge, its end at the card; coordinates start at the middle of the card's left side (of its
    upper side in a picture from top to bottom)."""
    said = picture.answers[node]
    if picture.direction == "TB":
        # Half of the width to either side.
        return _texts(picture, said, (picture.label_width(node) - 10) / 2, -7)
    return _texts(picture, said, -5, -round(thickness(picture, node) / 2 + 4, 1))


def _texts(picture: Picture, said: Answer, right: float, base: float) -> str:
    """Everything ends at `right`, so that a narrow font leaves its room on the other side."""
    pen, out = picture.pen, ""
    if said.missing:
        room = width(said.missing) + 10
        right -= room
        out = pen.rect(right, base - 11, room, 14, "paper", border="strong", radius=7, dashes="3 2")
        tip = said.why if picture.tips else ""
        out += pen.text(right + room / 2, base, said.missing, anchor="middle", tip=tip)
        right -= 5
    return pen.text(right, base, said.text, anchor="end", tip=said.full if picture.tips else "") + out

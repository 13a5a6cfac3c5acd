"""The card of a node: a question or an answer, in three levels of detail; coordinates start at its corner."""

from __future__ import annotations

import math

from bough.tree import Node
from bough.tree.text import percent, shown_name
from bough.view.charts import class_bar, dots, histogram, share_bar, target_histogram
from bough.view.measure import cut, width
from bough.view.pen import NORMAL, SMALL
from bough.view.picture import Picture
from bough.view.words import (
    answer_name,
    answer_number,
    answer_share,
    between,
    count,
    figure,
    hits,
    interval,
    is_few,
    part,
    size,
    spread_text,
    staying,
)

PAD = 10
STRIPE = 6
TURN = 5  # radius of corners


def card(picture: Picture, node: Node) -> str:
    """Everything inside the card."""
    draw = _compact if picture.detail == "compact" else _full
    return _frame(picture, node) + draw(picture, node)


def role_of(picture: Picture, node: Node) -> str:
    """The colour of what the node answers."""
    return "value" if node.tree.classes is None else picture.palette.role(answer_number(node))


def _frame(picture: Picture, node: Node) -> str:
    w, h, pen = picture.size.width, picture.size.height, picture.pen
    if not node.is_leaf:
        return pen.rect(0, 0, w, h, "card", border="line", radius=TURN, name="box")
    box = pen.rect(0, 0, w, h, "card", border="strong", radius=TURN, name="box")
    turn = f"a{TURN} {TURN} 0 0 0"
    outline = f"M{STRIPE} 0H{TURN}{turn}-{TURN} {TURN}v{h - 2 * TURN:g}{turn} {TURN} {TURN}h1z"
    return box + pen.shape(outline, role_of(picture, node))


def _compact(picture: Picture, node: Node) -> str:
    w, pen = picture.size.width, picture.pen
    # Room for the handle that folds, which sits on the right edge.
    right = w - (12 if pen.live and not node.is_leaf else 7)
    left = STRIPE + 5 if node.is_leaf else 7
    n = count(size(node))
    name = answer_name(node) if node.column is None else shown_name(node.column)
    name = cut(name, right - left - width(n) - 6, SMALL, bold=True)
    return "".join(
        [
            pen.text(left, 14, name, bold=True),
            pen.text(right, 14, n, "soft", anchor="end"),
            share_bar(picture, node, left, 18, right - left, 3),
        ]
    )


def _full(picture: Picture, node: Node) -> str:
    """The level of cards; with histograms there is a chart between the bar and the last line."""
    w = picture.size.width
    left = PAD + (STRIPE - 2 if node.is_leaf else 0)
    room = w - PAD - left
    tall = picture.detail == "histogram"
    out = _answer_lines(picture, node, left) if node.is_leaf else _question_lines(picture, node, left)
    tested = picture.test is not None and node.tree.classes is not None
    out.append(share_bar(picture, node, left, 23, room, 5 if tested else 8))
    if picture.test is not None and tested:
        sums, _ = picture.test.answered(node.id, answer_number(node))
        out.append(class_bar(picture, sums, left, 29, room, 3))
    if tall and not node.is_leaf:
        out.append(histogram(picture, node, left, 38, room, 32))
    elif tall and node.tree.classes is not None:
        out.append(dots(picture, node, left - 1, 37, room + 2, 46))
    elif tall:
        out.append(target_histogram(picture, node, left, 38, room, 32))
    return "".join(out)


def _question_lines(picture: Picture, node: Node, left: float) -> list[str]:
    w, h, pen = picture.size.width, picture.size.height, picture.pen
    right, room = w - PAD, w - PAD - left
    gain = f"gain {figure(node.gain)}"
    name = shown_name(node.column or "")
    shown = cut(name, room - width(gain) - width(" ?", NORMAL) - 8, NORMAL, bold=True)
    stay = staying(node)
    last = f"{picture.sign} {figure(node.impurity)}"
    if node.tree.classes is None:
        last = answer_name(node) + spread_text(node)
    return [
        pen.question(left, 16, shown, tip=node.column or ""),
        pen.text(right, 16, gain, "soft", anchor="end", tip=f"gain {node.gain!r}"),
        pen.text(left, h - 7, _rows(node, room - width(last + stay) - 8) + stay, "soft"),
        pen.text(right, h - 7, last, "soft", anchor="end", tip=f"impurity {node.impurity!r}"),
    ]


def _test_text(picture: Picture, node: Node) -> str:
    """How the answer does on rows that the tree did not grow on."""
    if picture.test is None:
        return ""
    if node.tree.classes is None:
        mean = picture.test.mean(node.id)
        return "" if math.isnan(mean) else f" · test {figure(mean)}"
    _, share = picture.test.answered(node.id, answer_number(node))
    return "" if math.isnan(share) else f" · test {percent(share)}"


def _rows(node: Node, room: float) -> str:
    long = f"n {count(size(node))} · {percent(part(node))}"
    return long if width(long) <= room else f"n {count(size(node))}"


def _answer_lines(picture: Picture, node: Node, left: float) -> list[str]:
    w, h, pen = picture.size.width, picture.size.height, picture.pen
    right, room = w - PAD, w - PAD - left
    if node.tree.classes is None:
        side = spread_text(node).strip()
        last = _rows(node, room)
        tip = repr(float(node.prediction))
    else:
        side = percent(answer_share(node))
        last = f"{count(hits(node))} of {count(size(node))} · {between(*interval(node))}"
        tip = f"{node.prediction}: {answer_share(node)!r}"
    if not node.n_rows:
        last = "no rows: as above"
    name = cut(answer_name(node), room - width(side, NORMAL, bold=True) - 8, NORMAL, bold=True)
    mark = "⚠ " if is_few(node) else ""
    last += _test_text(picture, node)
    return [
        pen.text(left, 16, name, size=NORMAL, bold=True, tip=tip),
        pen.text(right, 16, side, size=NORMAL, bold=node.tree.classes is not None, anchor="end"),
        pen.text(left, h - 7, cut(mark + last, room), "soft"),
    ]

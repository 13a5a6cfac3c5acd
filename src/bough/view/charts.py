"""The small charts in cards: class bars, box strips, dots, and histograms of the column asked."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.tree import Node
from bough.tree.condition import THRESHOLD, branch_categories
from bough.tree.text import shown_name
from bough.view.measure import cut, width
from bough.view.pen import number
from bough.view.picture import Picture
from bough.view.words import answers, figure, spread

Floats = NDArray[np.float64]

BINS = 20
MOST_BARS = 40
DOT = 6  # pixels from dot to dot


def share_bar(picture: Picture, node: Node, x: float, y: float, w: float, h: float) -> str:
    """Class weights side by side; of numbers, where the mean and its surroundings lie in the whole range."""
    if node.tree.classes is None:
        return _strip(picture, node, x, y, w, h)
    return class_bar(picture, node.value, x, y, w, h)


def class_bar(picture: Picture, weights: Floats, x: float, y: float, w: float, h: float) -> str:
    """Weights of classes side by side, in the order of their colours."""
    total = float(weights.sum())
    if not total:
        return picture.pen.rect(x, y, w, h, "line")
    out, left = [], x
    for group in picture.palette.groups:
        part = float(weights[group].sum()) / total * w
        if part > 0:
            out.append(picture.pen.rect(left, y, part, h, picture.palette.role(group[0])))
            left += part
    return "".join(out)


def _strip(picture: Picture, node: Node, x: float, y: float, w: float, h: float) -> str:
    """Whiskers to the ends, a box from quartile to quartile, the mean as a mark; without rows, the box is one
    standard deviation each way. All strips of a picture have the same axis."""
    low, high = picture.axis

    def place(value: float) -> float:
        return x + w * float(_part(value, low, high))

    mean, half = float(node.value[0]), spread(node)
    middle = y + h / 2
    out = [picture.pen.line(f"M{number(x)} {number(middle)}h{number(w)}", "line")]
    if not node.n_rows:
        return out[0]
    start, end = mean - half, mean + half
    if picture.evidence is not None:
        members = picture.evidence.members(node.id)
        values = np.asarray(picture.evidence.target(members), dtype=np.float64)
        if len(values):
            times = _times(low, high)
            lowest, start, end, highest = (np.quantile(values * times, [0, 0.25, 0.75, 1]) / times).tolist()
            whiskers = f"M{number(place(lowest))} {number(middle)}H{number(place(highest))}"
            out.append(picture.pen.line(whiskers, "strong"))
    box = place(start)
    out.append(picture.pen.rect(box, y, max(2.0, place(end) - box), h, "value"))
    mark = f"M{number(place(mean))} {number(y - 2)}v{number(h + 4)}"
    out.append(picture.pen.line(mark, "ink", 2))
    return "".join(out)


def dots(picture: Picture, node: Node, x: float, y: float, w: float, h: float) -> str:
    """One dot for each row, or for as many rows as the last line says."""
    if not node.weight:
        return ""
    across, down = int(w // DOT), int(h // (DOT + 2))
    # Weights need not be counts: rows of the average weight.
    times = float(node.tree.n_rows[0]) / float(node.tree.weight[0])
    n = node.weight * times
    each = 1 if n <= across * down else math.ceil(n / (across * (down - 2)))
    groups = picture.palette.groups
    ends = np.rint(np.cumsum([float(node.value[g].sum()) for g in groups]) * times / each).astype(int)
    out, start = [], 0
    for group, end in zip(groups, ends.tolist(), strict=True):
        # One path for all dots of a class: round caps of lines without length.
        marks = [
            f"M{x + 3 + i % across * DOT} {y + 3 + i // across * (DOT + 2)}h0" for i in range(start, end)
        ]
        if marks:
            out.append(picture.pen.line("".join(marks), picture.palette.role(group[0]), 4.6, ends="round"))
        start = end
    if each > 1:
        out.append(picture.pen.text(x, y + h - 1, f"a dot is {each:,} rows", "soft"))
    return "".join(out)


def histogram(picture: Picture, node: Node, x: float, y: float, w: float, h: float) -> str:
    """The column asked, stacked by class; a bar for missing values at the left. `h` is that of the bars, the
    names of the axis stand below."""
    evidence = picture.evidence
    if evidence is None:
        return ""
    members = evidence.members(node.id)
    values = evidence.column(node.id, members)
    gone = np.isnan(values)
    first = x
    if gone.any():
        first = x + 18
    numeric = node.tree.kind[node.id] == THRESHOLD and not (node.field and node.field.categories)
    stack = _stack(picture, evidence.target(members))
    if numeric:
        bars, names = _number_bars(values[~gone], stack[~gone], members.weight[~gone], picture)
    else:
        bars, names = _category_bars(node, values[~gone], stack[~gone], members.weight[~gone], picture)
    missing = _sums(stack[gone], members.weight[gone], picture)
    tallest = max(float(missing.sum()), float(bars.sum(axis=1).max(initial=0.0))) or 1.0
    out = []
    if gone.any():
        out.append(_bar(picture, x, y, 12, h, missing / tallest))
        out.append(picture.pen.text(x + 6, y + h + 11, "∅", "soft", anchor="middle"))
    room = x + w - first
    slot = room / max(1, len(bars))
    thick = slot if numeric else max(1.0, slot - 4)
    for place, sums in enumerate(bars):
        left = first + place * slot + (slot - thick) / 2
        out.append(_bar(picture, left, y, thick, h, sums / tallest))
    out.append(picture.pen.line(f"M{number(x)} {number(y + h)}h{number(w)}", "strong"))
    if numeric:
        out.append(_cut_mark(picture, node, values[~gone], first, y, room, h))
    else:
        out.append(_branch_marks(picture, node, names, first, y, slot, h))
    return "".join(out)


def target_histogram(picture: Picture, node: Node, x: float, y: float, w: float, h: float) -> str:
    """The numbers of a leaf, on the axis of the strip above; its ends are written below."""
    pen, (low, high) = picture.pen, picture.axis
    out = [pen.line(f"M{number(x)} {number(y + h)}h{number(w)}", "strong")]
    if picture.evidence is not None and high > low:
        members = picture.evidence.members(node.id)
        values = np.asarray(picture.evidence.target(members), dtype=np.float64)
        bars = np.bincount(_bins(values, low, high, 2 * BINS), members.weight, 2 * BINS)
        slot = w / len(bars)
        tallest = float(bars.max()) or 1.0
        out += [_bar(picture, x + i * slot, y, slot, h, np.array([b / tallest])) for i, b in enumerate(bars)]
    out.append(pen.text(x, y + h + 11, figure(low), "soft"))
    out.append(pen.text(x + w, y + h + 11, figure(high), "soft", anchor="end"))
    return "".join(out)


def _stack(picture: Picture, target: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of the colour group of each row; of numbers all 0."""
    if picture.tree.classes is None:
        return np.zeros(len(target), dtype=np.int64)
    place = np.zeros(len(picture.tree.classes), dtype=np.int64)
    for number_, group in enumerate(picture.palette.groups):
        place[group] = number_
    groups: NDArray[np.int64] = place[np.asarray(target, dtype=np.int64)]
    return groups


def _sums(stack: NDArray[np.int64], weight: Floats, picture: Picture) -> Floats:
    n_groups = max(1, len(picture.palette.groups))
    return np.bincount(stack, weight, n_groups).astype(np.float64)


def _number_bars(
    values: Floats, stack: NDArray[np.int64], weight: Floats, picture: Picture
) -> tuple[Floats, list[str]]:
    """Bars by groups."""
    low, high = _ends(values)
    place = _bins(values, low, high, BINS)
    bars = [_sums(stack[place == b], weight[place == b], picture) for b in range(BINS)]
    return np.array(bars), []


def _ends(values: Floats) -> tuple[float, float]:
    return (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)


def _part(x: Any, low: float, high: float) -> Floats:
    """Where numbers lie between two ends, from 0 to 1; one that is all there is lies in the middle."""
    x = np.asarray(x, dtype=np.float64)
    if not low < high:
        return np.where(x == low, 0.5, np.where(x < low, 0.0, 1.0))
    times = _times(low, high)
    start = low * times
    part: Floats = np.clip((x * times - start) / (high * times - start), 0.0, 1.0)
    return part


def _times(low: float, high: float) -> float:
    """What numbers are multiplied by, so that their distances are numbers too."""
    return 1.0 if math.isfinite(high - low) else 0.25


def _bins(values: Floats, low: float, high: float, count: int) -> NDArray[np.int64]:
    """The number of the bar of each value."""
    return np.minimum((_part(values, low, high) * count).astype(np.int64), count - 1)


def _shown_categories(node: Node) -> list[tuple[int, int]]:
    """Category number and branch, branch by branch; an ordered column is cut between two of them."""
    assert node.field is not None
    names = node.field.categories
    if node.tree.kind[node.id] == THRESHOLD:
        return [(number_, int(number_ > node.threshold)) for number_ in range(len(names))]
    place = {name: number_ for number_, name in enumerate(names)}
    sides = branch_categories(node.tree, node.id)
    return [(place[name], branch) for branch, side in enumerate(sides) for name in sorted(side)]


def _category_bars(
    node: Node, values: Floats, stack: NDArray[np.int64], weight: Floats, picture: Picture
) -> tuple[Floats, list[str]]:
    shown = _shown_categories(node)[:MOST_BARS]
    bars = [_sums(stack[values == c], weight[values == c], picture) for c, _ in shown]
    names = [node.field.categories[c] for c, _ in shown] if node.field else []
    return np.array(bars).reshape(len(shown), -1), names


def _bar(picture: Picture, x: float, y: float, w: float, h: float, parts: Floats) -> str:
    out, bottom = [], y + h
    for group, part in enumerate(parts.tolist()):
        if part > 0:
            role = "value" if picture.tree.classes is None else picture.group_role(group)
            out.append(picture.pen.rect(x, bottom - part * h, w, part * h, role))
            bottom -= part * h
    return "".join(out)


def _cut_mark(picture: Picture, node: Node, values: Floats, x: float, y: float, w: float, h: float) -> str:
    """The threshold as a dashed line with a wedge and its value."""
    if math.isinf(node.threshold):
        return ""
    low, high = _ends(values)
    at = x + w * float(_part(node.threshold, low, high))
    text = cut(answers(node)[0].text.removeprefix("≤ "), w - 12)
    long = width(text)
    # Right of the wedge, or left of it where there is no room.
    start = at + 6 if at + 6 + long <= x + w else at - 6 - long
    foot = y + h
    return "".join(
        [
            picture.pen.line(f"M{number(at)} {number(y - 3)}V{number(foot)}", "ink", 1.2, dashes="3 2"),
            picture.pen.shape(f"M{number(at)} {number(foot + 1)}l4 6h-8z", "ink"),
            picture.pen.text(start, foot + 11, text, "soft"),
        ]
    )


def _branch_marks(
    picture: Picture, node: Node, names: list[str], x: float, y: float, slot: float, h: float
) -> str:
    """Names below the bars where they fit, dashed lines between branches."""
    out = []
    branches = [branch for _, branch in _shown_categories(node)][: len(names)]
    for place, name in enumerate(names):
        if place and branches[place] != branches[place - 1]:
            at = number(x + place * slot)
            out.append(picture.pen.line(f"M{at} {number(y - 3)}V{number(y + h)}", "ink", 1.2, dashes="3 2"))
        text = cut(shown_name(name), slot - 1)
        if text != "…":
            middle = x + (place + 0.5) * slot
            out.append(picture.pen.text(middle, y + h + 11, text, "soft", anchor="middle", tip=name))
    return "".join(out)

"""Where everything stands: columns by depth, rows by leaf, parents in the middle of their children."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from bough.view.visible import Shown

MARGIN = 16
BEND = 34  # where edges turn, before their labels begin
LABEL = 20  # height of a label above a card, top to bottom


@dataclass(frozen=True)
class Size:
    """Of the cards of one level of detail."""

    width: float
    height: float
    gap: float  # to the next card of the same column

    @property
    def pitch(self) -> float:
        return self.height + self.gap


@dataclass(frozen=True)
class Layout:
    at: dict[int, tuple[float, float]]  # upper left corner of each card
    width: float
    height: float


def left_to_right(
    shown: Shown, size: Size, label_width: Callable[[int], float], extra: Callable[[int], float]
) -> Layout:
    """`label_width`: of the edge to a node; `extra`: what stands right of a card."""
    tree, top = shown.tree, int(shown.tree.depth[shown.root])
    rows, last = _rows(shown)
    gaps: dict[int, float] = {}
    for node in shown.nodes[1:]:
        level = int(tree.depth[node]) - top
        gaps[level] = max(gaps.get(level, 0.0), label_width(node))
    columns = [float(MARGIN)]
    for level in range(1, len(gaps) + 1):
        columns.append(columns[-1] + size.width + BEND + gaps[level])
    at = {n: (columns[int(tree.depth[n]) - top], MARGIN + rows[n] * size.pitch) for n in shown.nodes}
    right = max(at[n][0] + size.width + extra(n) for n in shown.nodes)
    return Layout(at, float(math.ceil(right + MARGIN)), last * size.pitch + size.height + 2 * MARGIN)


def top_to_bottom(
    shown: Shown, size: Size, label_width: Callable[[int], float], extra: Callable[[int], float]
) -> Layout:
    """Columns are as wide as cards and labels need; what stands right of a card there stands below it."""
    tree, top = shown.tree, int(shown.tree.depth[shown.root])
    places, last = _rows(shown)
    widest = max((label_width(n) for n in shown.nodes[1:]), default=0.0)
    pitch = max(size.width, widest) + 16
    level = size.height + BEND + LABEL + 8
    side = MARGIN + max(0.0, (widest - size.width) / 2)
    at = {n: (side + places[n] * pitch, MARGIN + (int(tree.depth[n]) - top) * level) for n in shown.nodes}
    bottom = max(y for _, y in at.values()) + size.height + (LABEL if shown.folded else 0)
    return Layout(at, float(math.ceil(side * 2 + last * pitch + size.width)), bottom + MARGIN)


def _rows(shown: Shown) -> tuple[dict[int, float], int]:
    """Each node's place among the leaves, counted from 0, and the last of these."""
    place: dict[int, float] = {}
    leaves = [node for node in shown.nodes if node not in shown.open]
    for number, node in enumerate(leaves):
        place[node] = float(number)
    for node in reversed(shown.nodes):
        children = shown.children(node)
        if children:
            place[node] = (place[children[0]] + place[children[-1]]) / 2
    return place, len(leaves) - 1

"""One picture: the tree, what of it is shown, in which detail and colours."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough.errors import BoughError, BoughTypeError, did_you_mean
from bough.explain.path import one_row
from bough.kept import kept
from bough.tree import Tree
from bough.tree.text import shown_name
from bough.view.colours import Palette, palette
from bough.view.evidence import Evidence, TrainingRows
from bough.view.layout import Layout, Size, left_to_right, top_to_bottom
from bough.view.measure import width
from bough.view.pen import NORMAL, SMALL, Pen
from bough.view.visible import LEVELS, Shown, leaves_below, level_of, visible
from bough.view.words import Answer, answer_name, answers, figure, impurity_sign, staying

# Width, height and gap; the width grows to half as much again for long names.
SIZES = {"histogram": Size(176, 104, 12), "card": Size(158, 50, 10), "compact": Size(104, 24, 6)}
DIRECTIONS = ("LR", "TB")
OPTIONS = ("detail", "direction", "theme", "positive", "node", "depth", "most", "row", "test", "tips")


@dataclass(frozen=True)
class Picture:
    tree: Tree
    shown: Shown
    detail: str
    direction: str
    palette: Palette
    pen: Pen
    evidence: Evidence | None
    test: Evidence | None  # rows that the tree did not grow on
    path: frozenset[int] | None  # the nodes of rows that are traced; the rest is faint
    tips: bool  # tooltips on everything

    @kept
    def size(self) -> Size:
        usual = SIZES[self.detail]
        room = max(map(self._needed, self.shown.nodes))
        return Size(float(round(min(1.5 * usual.width, max(usual.width, room)))), usual.height, usual.gap)

    def _needed(self, node: int) -> float:
        """The width in which nothing on the first line is cut."""
        column = self.tree.node(node).column
        name = answer_name(self.tree.node(node)) if column is None else f"{shown_name(column)} ?"
        if self.detail == "compact":
            return width(name, SMALL, bold=True) + width(f"{self.tree.n_rows[node]:,}") + 32
        right = "100%" if column is None else f"gain {figure(float(self.tree.gain[node]))}"
        if self.test is not None and column is None:
            most = f"⚠ {self.tree.n_rows[node]:,} of {self.tree.n_rows[node]:,} · 99–99% · test 100%"
            return max(width(most) + 32, width(name, NORMAL, bold=True) + width(right, NORMAL) + 32)
        stay = staying(self.tree.node(node))
        last = width(f"n {self.tree.n_rows[node]:,}{stay} {self.sign} 0.000") + 32 if stay else 0.0
        return max(last, width(name, NORMAL, bold=True) + width(right, NORMAL) + 32)

    @kept
    def layout(self) -> Layout:
        place = left_to_right if self.direction == "LR" else top_to_bottom
        return place(self.shown, self.size, self.label_width, self.extra)

    @kept
    def answers(self) -> dict[int, Answer]:
        """What leads to each visible node but the first."""
        found: dict[int, Answer] = {}
        for node in self.shown.open:
            said = answers(self.tree.node(node), short=self.detail != "card")
            found.update(zip(self.shown.children(node), said, strict=True))
        return found

    def label_width(self, node: int) -> float:
        said = self.answers[node]
        pill = width(said.missing) + 16 if said.missing else 0.0
        return width(said.text) + pill + 10

    def more(self, node: int) -> str:
        """What a folded node hides."""
        hidden = node not in self.shown.open and int(self.tree.n_children[node])
        return f"+{self.leaves[node]:,} leaves" if hidden else ""

    def extra(self, node: int) -> float:
        text = self.more(node)
        return width(text) + 18 if text else 9.0 if self.pen.live else 0.0

    @kept
    def leaves(self) -> Any:
        return leaves_below(self.tree)

    @kept
    def sign(self) -> str:
        return impurity_sign(self.tree)

    @kept
    def axis(self) -> tuple[float, float]:
        """Of all strips: the range of the target, or of what the nodes tell of it."""
        if self.evidence is not None:
            return self.evidence.target_range
        there = self.tree.n_rows > 0
        means, spread = self.tree.value[there, 0], np.zeros(int(there.sum()))
        if self.tree.has_variances:
            spread = np.sqrt(np.maximum(self.tree.impurity[there], 0.0))
        return float((means - spread).min()), float((means + spread).max())

    def group_role(self, group: int) -> str:
        return self.palette.role(self.palette.groups[group][0])

    def is_faint(self, node: int) -> bool:
        return self.path is not None and node not in self.path


def check_options(options: Iterable[str], never: tuple[str, ...] = ()) -> None:
    """A wrong name is answered with the right one."""
    known = [name for name in OPTIONS if name not in never]
    for name in options:
        if name not in known:
            raise BoughTypeError(
                f'pictures have no option "{name}" here.{did_you_mean(name, known)}',
                code="parameter",
                hint=f"Options: {', '.join(known)}.",
            )


def make_picture(
    tree: Tree,
    rows: TrainingRows | None = None,
    *,
    detail: str | None = None,
    direction: str = "LR",
    theme: str = "light",
    positive: Any = None,
    node: int = 0,
    depth: int | None = None,
    most: int | None = None,
    row: Any = None,
    test: TrainingRows | None = None,
    live: bool = False,
    tips: bool = True,
) -> Picture:
    if direction not in DIRECTIONS:
        raise BoughError(
            f"direction={direction!r} is not possible.",
            code="parameter",
            hint='direction is "LR" (left to right) or "TB" (top to bottom).',
        )
    shown = visible(tree, root=node, depth=depth, most=most)
    if direction == "TB" and shown.n_leaves > LEVELS["histogram"]:
        raise BoughError(
            f'direction="TB" is for at most {LEVELS["histogram"]} leaves, and there are {shown.n_leaves}.',
            code="parameter",
            hint='Use direction="LR", or show less: depth=2.',
        )
    colours = palette(tree, theme, positive)
    return Picture(
        tree,
        shown,
        level_of(shown, detail, with_rows=rows is not None),
        direction,
        colours,
        Pen(colours.theme, live),
        None if rows is None else Evidence(tree, rows),
        None if test is None else Evidence(tree, test),
        None if row is None else _passed(tree, row),
        tips,
    )


def _passed(tree: Tree, row: Any) -> frozenset[int]:
    _, ends, _ = tree.reach(one_row(tree.fields, row))
    return frozenset(node for end in set(ends.tolist()) for node in tree.path(end))

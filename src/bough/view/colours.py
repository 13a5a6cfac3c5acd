"""Colours: light and dark, for everything drawn, and which class has which.

Checked by test: each class colour has a contrast of at least 3 on its card.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.objects import label
from bough.errors import BoughError
from bough.tree import Tree

Theme = dict[str, str]

_TWO = {"light": ("#004C80", "#E07000"), "dark": ("#8FD0F8", "#E06C1F")}
_MORE = {
    "light": ("#0072B2", "#D55E00", "#2B1B57", "#009E73", "#CC79A7", "#7A4A1E"),
    "dark": ("#4BA3E3", "#E06C1F", "#C3B1FA", "#22B58A", "#E59CC4", "#B98A5E"),
}
MOST = 6  # colours
_NEUTRAL: dict[str, Theme] = {
    "light": {
        "paper": "#ffffff",
        "card": "#ffffff",
        "ink": "#16191d",
        "soft": "#4c5560",
        "line": "#d3d9df",
        "strong": "#5c6670",
        "edge": "#a9b3be",
        "other": "#868e96",
        "value": "#2f78b7",
    },
    "dark": {
        "paper": "#14171b",
        "card": "#1d2227",
        "ink": "#eceff2",
        "soft": "#aeb7c0",
        "line": "#414a53",
        "strong": "#8b959f",
        "edge": "#5f6b77",
        "other": "#8d969f",
        "value": "#6fb3ea",
    },
}
THEMES = tuple(_NEUTRAL)


@dataclass(frozen=True)
class Palette:
    """`slots`: the number of each class's colour; -1 is the grey of the small classes together."""

    theme: Theme
    slots: tuple[int, ...]

    def role(self, number: int) -> str:
        """The name in the theme of the colour of a class."""
        slot = self.slots[number]
        return "other" if slot < 0 else f"k{slot}"

    @property
    def groups(self) -> list[list[int]]:
        """Classes that share a colour, in the order of bars: small ones last."""
        own = [[number] for number, slot in enumerate(self.slots) if slot >= 0]
        small = [number for number, slot in enumerate(self.slots) if slot < 0]
        return [*own, small] if small else own


def theme_of(name: str, n_classes: int) -> Theme:
    if name not in THEMES:
        raise BoughError(
            f"theme={name!r} is not possible.", code="parameter", hint=f"theme is one of {', '.join(THEMES)}."
        )
    colours = _TWO[name] if n_classes <= 2 else _MORE[name]
    return _NEUTRAL[name] | {f"k{slot}": colour for slot, colour in enumerate(colours)}


def palette(tree: Tree, theme: str = "light", positive: Any = None) -> Palette:
    """Of a tree's classes."""
    return palette_of(tree.classes, tree.value[0], theme, positive)


def palette_of(
    classes: NDArray[Any] | None, sizes: NDArray[np.float64], theme: str = "light", positive: Any = None
) -> Palette:
    """Two classes: the positive one (by default the last) is orange. More than six: the five largest have
    colours."""
    n_classes = 0 if classes is None else len(classes)
    slots = list(range(n_classes))
    if positive is not None:
        labels = [] if classes is None else [label(c) for c in classes.tolist()]
        if n_classes != 2 or label(positive) not in labels:
            raise BoughError(
                f"positive={positive!r} is not one of two classes.",
                code="parameter",
                hint=f"Classes: {', '.join(labels) or 'none, the tree answers with numbers'}.",
            )
        if labels.index(label(positive)) == 0:
            slots = [1, 0]
    if n_classes > MOST:
        largest = np.argsort(-sizes, kind="stable")[: MOST - 1].tolist()
        places = {number: slot for slot, number in enumerate(sorted(largest))}
        slots = [places.get(number, -1) for number in range(n_classes)]
    return Palette(theme_of(theme, n_classes), tuple(slots))

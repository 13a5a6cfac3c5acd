"""Where matplotlib comes in: axes to draw on, or an error that says how to get it."""

from __future__ import annotations

from typing import Any

from bough.errors import BoughError

TWO = ("#004C80", "#E07000")
MORE = ("#0072B2", "#D55E00", "#2B1B57", "#009E73", "#CC79A7", "#7A4A1E")


def axes_of(ax: Any, size: tuple[float, float] = (6.0, 4.2)) -> Any:
    """The axes given, or new ones."""
    pyplot = plotting()
    if ax is not None:
        return ax
    _, made = pyplot.subplots(figsize=size, layout="constrained")
    return made


def plotting() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise BoughError(
            "plots need matplotlib.", code="extra", hint='Install it:  pip install "bough[plot]"'
        ) from None
    return pyplot


def class_colours(count: int) -> list[str]:
    """As in the pictures of trees; two classes: the second, positive one is orange."""
    palette = TWO if count <= 2 else MORE
    return [palette[i % len(palette)] for i in range(count)]

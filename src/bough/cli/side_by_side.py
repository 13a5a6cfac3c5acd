"""Two trees next to each other, where the terminal is wide enough; else one below the other."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bough.cli.model import Loaded

GAP = 4


def side_by_side(loaded: list[Loaded], *, plain: bool) -> str:
    """The models that are one tree, with their names above; nothing if there is none."""
    from bough.tree import Tree
    from bough.tree.text import box_text, display_width, padded

    blocks = [
        [one.name, *box_text(one.model, plain=plain).split("\n")]
        for one in loaded
        if isinstance(one.model, Tree)
    ]
    widths = [max(map(display_width, block)) for block in blocks]
    if sum(widths) + GAP * len(blocks) > shutil.get_terminal_size((100, 24)).columns:
        return "".join("\n".join(block) + "\n\n" for block in blocks)
    height = max(map(len, blocks), default=0)
    lines = []
    for place in range(height):
        cells = [block[place] if place < len(block) else "" for block in blocks]
        row = (" " * GAP).join(padded(cell, width) for cell, width in zip(cells, widths, strict=True))
        lines.append(row.rstrip())
    return "\n".join(lines) + "\n\n" if lines else ""

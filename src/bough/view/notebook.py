"""What a notebook shows of a tree: an image that survives an untrusted notebook, and details to unfold."""

from __future__ import annotations

import base64
import html
from typing import Any

from bough.tree import Tree
from bough.tree.text import printable
from bough.view.evidence import TrainingRows
from bough.view.lists import rules_table
from bough.view.pen import safe
from bough.view.svg import title, tree_svg

MOST_BYTES = 60_000
RULES = 30
# From the fullest picture to the smallest.
_TRIES: tuple[dict[str, Any], ...] = (
    {},
    {"detail": "card"},
    {"detail": "compact"},
    *({"detail": "compact", "most": most} for most in (48, 32, 20, 8, 2)),
)


def notebook_html(tree: Tree, rows: TrainingRows | None, parameters: dict[str, Any] | None) -> str:
    """At most 60 KB: of a large tree less is drawn. No script; an inline SVG would be taken out."""
    told = "" if parameters is None else details("Parameters", parameters_table(parameters))
    rest = details("Rules", rules_table(tree, RULES)) + told
    for options in _TRIES:
        image = _image(tree, rows, **options)
        if len((image + rest).encode()) <= MOST_BYTES:
            return image + rest
    # One question with very many answers, or very long names: the text of the notebook has them.
    return _image(tree, rows, detail="compact", depth=0) + told


def _image(tree: Tree, rows: TrainingRows | None, **options: Any) -> str:
    svg = tree_svg(tree, rows, tips=False, **options)
    data = base64.b64encode(svg.encode()).decode()
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{safe(title(tree))}">'


def details(summary: str, inside: str) -> str:
    """What is to be unfolded."""
    return f"<details><summary>{summary}</summary>{inside}</details>"


def parameters_table(parameters: dict[str, Any]) -> str:
    """Those that were changed."""
    if not parameters:
        return "<p>All as by default.</p>"
    rows = "".join(
        f"<tr><td>{safe(name)}</td><td>{safe(_shortened(repr(value)))}</td></tr>"
        for name, value in parameters.items()
    )
    return f"<table>{rows}</table>"


def _shortened(text: str) -> str:
    text = printable(text)
    return text if len(text) <= 200 else text[:199] + "…"


def framed(page: str, height: int = 640) -> str:
    """A page inside a notebook's page: its scripts run in a frame of their own."""
    return (
        f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts allow-downloads" width="100%" '
        f'height="{height}" loading="lazy"></iframe>'
    )

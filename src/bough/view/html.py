"""A tree as one page: a single file that needs no network, and no script to be read."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any

from bough.data.objects import label
from bough.tree import Tree
from bough.tree.text import printable
from bough.view.colours import theme_of
from bough.view.evidence import TrainingRows
from bough.view.lists import nested_list, rules_table
from bough.view.live import HATCHES, live_svg
from bough.view.page_data import page_data
from bough.view.pen import safe
from bough.view.picture import Picture, check_options, make_picture
from bough.view.svg import legend_names, legend_notes
from bough.view.svg import title as tree_title
from bough.view.visible import LEVELS

SCRIPTS = ("tree.js", "tools.js", "facts.js")
POINT = "Point at a box to read its rule. Click to keep it. Arrow keys move along the tree."


def tree_page(
    tree: Tree, rows: TrainingRows | None = None, *, title: str | None = None, **options: Any
) -> str:
    """The page as text. `title` is its heading; options as for `tree_svg`, left to right in both themes."""
    check_options(options, never=("direction", "theme", "tips"))
    picture = make_picture(tree, rows, live=True, **options)
    heading = printable(str(title or tree_title(tree)))
    body = (
        f'<header><h1>{safe(heading)}</h1><p class="about">{safe(_about(tree))}</p></header>'
        f"<main>{tree_section(picture)}"
        f'<details open><summary>Rules</summary><div class="scroll">{rules_table(tree)}</div></details>'
        f'<details class="list"><summary>The tree as a list</summary>{nested_list(tree)}</details>'
        "<footer>Intervals are Wilson intervals of training rows, so they are a little optimistic. "
        f"Made by bough.</footer></main>"
    )
    return page(heading, body, n_classes=len(picture.palette.slots))


def page(title: str, body: str, *, n_classes: int, more_css: str = "", more_script: str = "") -> str:
    """A whole page around sections with trees of so many classes. Only its own style and script run."""
    css, script = page_css(n_classes) + more_css, page_script() + more_script
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_digest(css)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{safe(title)}</title>\n<style>{css}</style>\n</head>\n"
        f"<body>\n{body}\n<script>{script}</script>\n</body>\n</html>\n"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _about(tree: Tree) -> str:
    used = len(set(tree.feature[tree.feature >= 0].tolist()))
    what = "numbers" if tree.classes is None else f"{len(tree.classes)} classes"
    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves:,} leaves"
    return (
        f"{tree.n_rows[0]:,} rows · {leaves} · depth {tree.max_depth} · "
        f"{used} of {len(tree.fields)} columns used · answers with {what}"
    )


def tree_section(picture: Picture) -> str:
    """The interactive tree: tools, legend, picture, rule, inspector, and the form that traces a row."""
    data = json.dumps(page_data(picture), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # A data block ends at the first </script, wherever it stands.
    data = data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    large = picture.tree.n_leaves > LEVELS["compact"]
    scrolls = " large" if picture.detail == "compact" else ""
    small_map = '<svg class="map only-js block" aria-hidden="true"></svg>' if large else ""
    return (
        f'<section class="bough" aria-label="Tree">{_tools(picture)}{_legend(picture)}'
        f'<div class="stage"><div class="frame{scrolls}">{live_svg(picture)}</div>{small_map}</div>'
        f'<p class="rule only-js block" aria-live="polite">{POINT}</p>'
        '<aside class="inspector" aria-label="Node" hidden></aside>'
        '<details class="trace only-js block"><summary>Trace a row</summary>'
        '<form><button>Trace</button><button type="reset">Clear</button></form>'
        '<output aria-live="polite"></output></details>'
        f'<script type="application/json">{data}</script></section>'
    )


def _number(name: str, most: str = "") -> str:
    return f'<input class="filter {name}" type="number" min="0"{most} placeholder="0">'


def _filters(picture: Picture) -> str:
    """Which leaves to look at: rows, class, share."""
    classes = picture.tree.classes
    out = f"<label>at least {_number('least')} rows</label>"
    if classes is None:
        return out
    names = "".join(
        f'<option value="{c}">{safe(label(name))}</option>' for c, name in enumerate(classes.tolist())
    )
    choice = f'<select class="filter class"><option value="">any</option>{names}</select>'
    share = _number("share", ' max="100"')
    return f"{out}<label>class {choice}</label><label>at least {share} %</label>"


def _tools(picture: Picture) -> str:
    buttons = [
        ("smaller", "−", "Zoom out"),
        ("whole", "100%", "Zoom to 100 %"),
        ("larger", "+", "Zoom in"),
        ("fit", "Fit", "Fit the tree into the frame"),
        ("collapse", "Collapse", "Fold everything"),
        ("expand", "Expand", "Unfold everything"),
        ("save", "Save SVG", "Save the picture"),
    ]
    shown = "".join(
        f'<button type="button" data-do="{does}" aria-label="{about}" title="{about}">{text}</button>'
        for does, text, about in buttons
    )
    return (
        '<div class="tools only-js"><input class="search" type="search" '
        'placeholder="Search column, category, class  ( / )" aria-label="Search column, category or class">'
        f'{shown}<output class="found" aria-live="polite"></output></div>'
        f'<div class="tools only-js">{_filters(picture)}'
        '<output class="kept" aria-live="polite"></output></div>'
    )


def _legend(picture: Picture) -> str:
    names = "".join(
        f'<span><svg width="11" height="11" aria-hidden="true"><rect class="f-{role}" width="11" height="11" '
        f'fill="{picture.palette.theme[role]}"/></svg>{safe(name)}</span>'
        for role, name in legend_names(picture)
    )
    notes = "".join(f'<span class="note">{safe(note)}</span>' for note in legend_notes(picture))
    return f'<div class="legend">{names}{notes}</div>'


@cache
def page_script() -> str:
    """All scripts, in their order."""
    folder = files("bough.view") / "static"
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in SCRIPTS)


@cache
def page_css(n_classes: int) -> str:
    """The style sheet, and the colours of every role: dark on dark screens, hatched on paper."""
    css = (files("bough.view") / "static" / "page.css").read_text(encoding="utf-8")
    light, dark = theme_of("light", n_classes), theme_of("dark", n_classes)
    hatches = "".join(
        f".f-k{slot}{{fill:url(#bough-h{slot})}}"
        for slot in range(1, len(HATCHES) + 1)
        if f"k{slot}" in light
    )
    return (
        f"{css}{_roles(light)}svg.tree{{fill:{light['ink']}}}"
        f"@media screen and (prefers-color-scheme:dark){{{_roles(dark)}svg.tree{{fill:{dark['ink']}}}}}"
        f"@media print{{{hatches}}}@media (forced-colors:active){{{hatches}}}"
    )


def _roles(theme: dict[str, str]) -> str:
    return "".join(
        f".f-{role}{{fill:{colour}}}.s-{role}{{stroke:{colour}}}" for role, colour in theme.items()
    )

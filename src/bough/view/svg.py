"""A tree as one SVG picture: flat (literal colours, text as text), so that every program can show it."""

from __future__ import annotations

import math
from typing import Any

from bough.data.objects import label as class_label
from bough.tree import Tree
from bough.tree.text import FEW, shown_name
from bough.view import edges
from bough.view.cards import card
from bough.view.evidence import TrainingRows
from bough.view.measure import width
from bough.view.paths import sentence
from bough.view.pen import FONTS, SMALL, element, number, safe
from bough.view.picture import Picture, check_options, make_picture
from bough.view.words import figure, is_few

FAINT = 0.22
LEGEND = 26  # height


def tree_svg(tree: Tree, rows: TrainingRows | None = None, *, legend: bool = True, **options: Any) -> str:
    """The picture as text, for a file or for a page. With the training rows, small trees get histograms.

    Options: `detail` ("histogram", "card", "compact"; by default by the number of leaves), `direction` ("LR",
    or "TB" for at most 8 leaves), `theme` ("light", "dark"), `positive` (the class that is orange, of two),
    `node` and `depth` (a part of the tree), `most` (leaves to show), `row` (whose way is dark and the rest
    faint), `test` (rows as `rows`, on which each leaf says how it does), `tips` (tooltips)."""
    check_options(options)
    return picture_svg(make_picture(tree, rows, **options), legend=legend)


def picture_svg(picture: Picture, *, legend: bool = True) -> str:
    layout, theme = picture.layout, picture.palette.theme
    top = LEGEND if legend else 0
    body = "".join(edge(picture, n) for n in _in_order(picture, picture.shown.nodes[1:]))
    body += "".join(node(picture, n) for n in picture.shown.nodes)
    w = max(layout.width, math.ceil(_legend_width(picture)) if legend else 0.0)
    h = layout.height + top
    return element(
        "svg",
        element("title", safe(title(picture.tree))),
        element("desc", safe(description(picture))),
        element("rect", width=w, height=h, fill=theme["paper"]),
        _legend(picture) if legend else "",
        element("g", body, transform=f"translate(0 {top})") if top else body,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(w)} {number(h)}",
        width=w,
        height=h,
        role="img",
        **lettering(picture),
    )


def lettering(picture: Picture) -> dict[str, Any]:
    """What all texts of a picture have in common."""
    return {"font_family": FONTS, "font_size": SMALL, "fill": picture.palette.theme["ink"]}


def title(tree: Tree) -> str:
    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves:,} leaves"
    return f"Decision tree with {leaves}, from {tree.n_rows[0]:,} rows"


def description(picture: Picture) -> str:
    """For those who cannot see it: the largest leaves in words."""
    tree = picture.tree
    largest = sorted(tree.leaves(), key=lambda leaf: -leaf.weight)[:3]
    said = " ".join(sentence(leaf) + "." for leaf in largest)
    folded = "" if picture.shown.whole else f" {picture.shown.n_leaves} leaves are shown."
    return f"{title(tree)}, depth {tree.max_depth}.{folded} {said}"


def _faded(picture: Picture, node: int) -> float | None:
    return FAINT if picture.is_faint(node) else None


def _in_order(picture: Picture, nodes: list[int]) -> list[int]:
    """A traced way comes last, on top of the faint ones."""
    return sorted(nodes, key=lambda n: not picture.is_faint(n))


def edge(picture: Picture, number_: int, **attributes: Any) -> str:
    """The line to a node and its label."""
    x, y = picture.layout.at[number_]
    if picture.direction == "LR":
        y += picture.size.height / 2
    else:
        x += picture.size.width / 2
    label = element("g", edges.label(picture, number_), transform=f"translate({number(x)} {number(y)})")
    return element("g", edges.line(picture, number_), label, opacity=_faded(picture, number_), **attributes)


def node(picture: Picture, number_: int, **attributes: Any) -> str:
    """The card of a node where it stands."""
    found = picture.tree.node(number_)
    x, y = picture.layout.at[number_]
    tip = element("title", safe(sentence(found))) if picture.tips else ""
    inside = tip + card(picture, found) + more(picture, number_)
    place = f"translate({number(x)} {number(y)})"
    return element("g", inside, transform=place, opacity=_faded(picture, number_), **attributes)


def more(picture: Picture, node: int) -> str:
    """How many leaves a folded node hides, beside or below it."""
    text, size = picture.more(node), picture.size
    if not text:
        return ""
    if picture.direction == "TB":
        return picture.pen.text(size.width / 2, size.height + 14, text, "soft", anchor="middle", name="more")
    return picture.pen.text(size.width + 12, size.height / 2 + 4, text, "soft", name="more")


def legend_names(picture: Picture) -> list[tuple[str, str]]:
    """Roles of colours and the classes that have them."""
    classes = picture.tree.classes
    if classes is None:
        return []
    out = []
    for group in picture.palette.groups:
        one = shown_name(class_label(classes.tolist()[group[0]]))
        out.append(
            (picture.palette.role(group[0]), one if len(group) == 1 else f"{len(group)} other classes")
        )
    return out


def legend_notes(picture: Picture) -> list[str]:
    notes = ["line width = rows"]
    if picture.tree.classes is None:
        low, high = map(figure, picture.axis)
        drawn = "box = mean ± sd" if picture.tree.has_variances else "stroke = value"
        drawn = drawn if picture.evidence is None else "box = quartiles"
        notes.insert(0, f"{drawn}, from {low} to {high}")
    if any(is_few(picture.tree.node(n)) for n in picture.shown.nodes) and picture.detail != "compact":
        notes.append(f"⚠ fewer than {FEW} rows")
    if any(said.missing for said in picture.answers.values()):
        notes.append("∅ missing")
    if picture.tree.note:
        notes.append(picture.tree.note)
    return notes


def _legend_width(picture: Picture) -> float:
    names = sum(width(name) + 32 for _, name in legend_names(picture))
    return 32 + names + sum(width(note) + 16 for note in legend_notes(picture))


def _legend(picture: Picture) -> str:
    out, x = [], 16.0
    for role, name in legend_names(picture):
        out.append(picture.pen.rect(x, 13, 10, 10, role))
        out.append(picture.pen.text(x + 15, 22, name))
        x += width(name) + 32
    for note in legend_notes(picture):
        out.append(picture.pen.text(x, 22, note, "soft"))
        x += width(note) + 16
    return "".join(out)

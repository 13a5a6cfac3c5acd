"""The picture inside a page: the same cards, with roles for screen readers and what its script needs."""

from __future__ import annotations

from bough.view.cards import card
from bough.view.edges import HANDLE
from bough.view.paths import sentence
from bough.view.pen import element, number
from bough.view.picture import Picture
from bough.view.svg import FAINT, edge, lettering, more, title

# Patterns over the colours, for paper and for reduced colours: lines and their turn, one for each class but
# the first. A pattern that is turned makes a PDF of half a megabyte, drawn slanting one of 18.
HATCHES = (("M0 4h8", 45), ("M4 2v4M2 4h4", None), ("M0 4h8", None), ("M0 4h8", -45), ("M4 0v8", None))


def live_svg(picture: Picture) -> str:
    """Nodes are tree items in reading order; without scripts it is a picture like any other."""
    layout = picture.layout
    lines = "".join(
        edge(picture, n, class_="edge", data_n=n, data_w=picture.label_width(n))
        for n in picture.shown.nodes[1:]
    )
    items = "".join(item(picture, n) for n in picture.shown.nodes)
    return element(
        "svg",
        _defs(picture),
        element("g", lines, class_="edges", aria_hidden="true"),
        element("g", items, class_="nodes", role="none"),
        class_="tree",
        viewBox=f"0 0 {number(layout.width)} {number(layout.height)}",
        width=layout.width,
        height=layout.height,
        role="tree",
        aria_label=title(picture.tree),
        **lettering(picture),
    )


def item(picture: Picture, number_: int) -> str:
    """A node as a tree item."""
    node, shown = picture.tree.node(number_), picture.shown
    x, y = picture.layout.at[number_]
    is_open = number_ in shown.open
    above = int(picture.tree.parent[number_])
    kind = "leaf" if node.is_leaf else "split"
    handle = "" if node.is_leaf else _handle(picture, is_open)
    return element(
        "g",
        card(picture, node) + handle + more(picture, number_),
        class_=f"node {kind}",
        data_n=number_,
        transform=f"translate({number(x)} {number(y)})",
        opacity=FAINT if picture.is_faint(number_) else None,
        role="treeitem",
        aria_level=node.depth + 1,
        aria_setsize=int(picture.tree.n_children[above]) if above >= 0 else 1,
        aria_posinset=number_ - int(picture.tree.first_child[above]) + 1 if above >= 0 else 1,
        aria_expanded=None if node.is_leaf else str(is_open).lower(),
        aria_label=sentence(node),
    )


def _handle(picture: Picture, is_open: bool) -> str:
    """What folds and unfolds, on the right edge of a card."""
    w, h = picture.size.width, picture.size.height
    theme = picture.palette.theme
    return element(
        "g",
        element("circle", r=HANDLE, fill=theme["card"], stroke=theme["edge"], class_="f-card s-edge"),
        element("path", d="M-3 0h6" if is_open else "M-3 0h6M0-3v6", stroke=theme["ink"], class_="s-ink"),
        class_="fold",
        transform=f"translate({number(w)} {number(h / 2)})",
    )


def _defs(picture: Picture) -> str:
    """Hatches, used by the style sheet where colours do not carry."""
    theme, out = picture.palette.theme, []
    for slot, (lines, turn) in enumerate(HATCHES, 1):
        if f"k{slot}" not in theme:
            break
        fill = element("rect", width=8, height=8, fill=theme[f"k{slot}"])
        marks = element("path", d=lines, stroke="#fff", stroke_width=1.6, fill="none")
        turned = f"rotate({turn})" if turn else None
        names = {"id": f"bough-h{slot}", "patternUnits": "userSpaceOnUse", "patternTransform": turned}
        out.append(element("pattern", fill, marks, width=8, height=8, **names))
    return element("defs", *out)

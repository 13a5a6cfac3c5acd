"""A tree on matplotlib's axes: left to right, leaves below each other, answers on the edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.data.objects import label
from bough.errors import BoughError
from bough.plotting.axes import axes_of, class_colours
from bough.tree import Node, Tree
from bough.tree.text import percent, shown_name, significant

MOST_LEAVES = 100
LONGEST = 24


def plot_tree(model: Any, *, ax: Any = None, max_depth: int | None = None, fontsize: float = 9) -> Any:
    """Draws a tree, or the tree of a fitted estimator; returns the axes.

    Boxes have the column asked, or the answer with its share, and the number of rows; edges have the answers,
    with the missing values that go there. `max_depth`: levels to draw; what is below becomes "…".
    """
    tree = tree_of(model)
    shown = _shown(tree, max_depth)
    height = _heights(tree, shown)
    leaves = sum(not _open(tree, node, shown) for node in shown)
    levels = int(max(tree.depth[node] for node in shown)) + 1
    ax = axes_of(ax, (max(4.0, 2.3 * levels), max(2.0, 0.55 * leaves)))
    ax.set_axis_off()
    ax.set_xlim(-0.45, levels - 0.4)
    ax.set_ylim(leaves - 0.4, -0.6)
    colours = class_colours(0 if tree.classes is None else len(tree.classes))
    for node in shown:
        _edge(ax, tree.node(node), height, fontsize)
    for node in shown:
        _box(ax, tree.node(node), height[node], _open(tree, node, shown), colours, fontsize)
    return ax


def tree_of(model: Any) -> Tree:
    found = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if not isinstance(found, Tree):
        raise BoughError(
            f"{type(model).__name__} is not a tree and has none.",
            code="model",
            hint="Give a fitted tree estimator of bough, or its tree_.",
        )
    return found


def _shown(tree: Tree, max_depth: int | None) -> list[int]:
    deepest = tree.max_depth if max_depth is None else max_depth
    shown = [node for node in range(tree.n_nodes) if tree.depth[node] <= deepest]
    leaves = sum(tree.feature[node] < 0 or tree.depth[node] == deepest for node in shown)
    if leaves > MOST_LEAVES:
        raise BoughError(
            f"{leaves} leaves are too many for a plot.",
            code="parameter",
            hint="Draw the upper levels, plot_tree(model, max_depth=4), or a page: model.to_html(path).",
        )
    return shown


def _open(tree: Tree, node: int, shown: list[int]) -> bool:
    """Whether its children are drawn."""
    return bool(tree.n_children[node]) and int(tree.first_child[node]) <= shown[-1]


def _heights(tree: Tree, shown: list[int]) -> dict[int, float]:
    """Leaves stand below each other, a node in the middle of its children."""
    height: dict[int, float] = {}
    free = 0
    stack = [(0, False)]
    while stack:
        node, done = stack.pop()
        first = int(tree.first_child[node])
        children = range(first, first + int(tree.n_children[node]))
        if not _open(tree, node, shown):
            height[node] = float(free)
            free += 1
        elif done:
            height[node] = (height[children[0]] + height[children[-1]]) / 2
        else:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(children))
    return height


def _edge(ax: Any, node: Node, height: dict[int, float], fontsize: float) -> None:
    tree = node.tree
    parent = int(tree.parent[node.id])
    if parent < 0:
        return
    x, y0, y1 = node.depth, height[parent], height[node.id]
    wide = 0.8 + 3.2 * float(np.sqrt(node.n_rows / max(1, tree.n_rows[0])))
    ways = [x - 1, x - 0.72, x - 0.58, x], [y0, y0, y1, y1]
    ax.plot(*ways, color="#a9b3be", linewidth=wide, solid_joinstyle="round", zorder=1)
    above = tree.node(parent)
    place = node.id - int(tree.first_child[parent])
    text = _cut(above.branches[place])
    if above.n_missing and above.missing_child == place and text != "missing":
        text += f"\n+ {above.n_missing:,} missing"
    ground = {"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none"}
    words = {"fontsize": fontsize - 1, "color": "#4c5560", "parse_math": False, "bbox": ground}
    ax.text(x - 0.44, y1, text, ha="center", va="center", zorder=2, linespacing=1.0, **words)


def _box(ax: Any, node: Node, y: float, is_open: bool, colours: list[str], fontsize: float) -> None:
    rows = f"{node.n_rows:,} rows"
    if node.column is not None:
        text = f"{_cut(shown_name(node.column))}?\n{rows}" + ("" if is_open else " …")
        edge = "#5c6670"
    elif node.tree.classes is None:
        text, edge = f"{significant(float(node.prediction), 4)}\n{rows}", colours[0] if colours else "#2f78b7"
    else:
        place = int(np.flatnonzero(node.tree.classes == node.prediction)[0])
        share = float(node.tree.shares[node.id][place])
        text, edge = f"{_cut(shown_name(label(node.prediction)))} {percent(share)}\n{rows}", colours[place]
    style = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": edge, "linewidth": 1.4}
    ax.text(
        node.depth,
        y,
        text,
        ha="center",
        va="center",
        fontsize=fontsize,
        bbox=style,
        zorder=2,
        parse_math=False,
    )


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"

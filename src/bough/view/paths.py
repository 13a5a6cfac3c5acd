"""The way to a node in words, and what it answers."""

from __future__ import annotations

from bough.explain.condition import conditions_to
from bough.tree import Node, Tree
from bough.tree.text import percent, shown_name
from bough.view.words import (
    answer_name,
    answer_share,
    between,
    count,
    hits,
    interval,
    rows_text,
    spread_text,
)


def conditions(tree: Tree, node: int) -> list[str]:
    """What a row must be to come to the node, one text for each column, in the order of the questions."""
    return [condition.text() for condition in conditions_to(tree, node)]


def verdict(node: Node) -> str:
    """What the node answers, with its numbers."""
    rows = rows_text(node)
    if not node.n_rows:
        return f"{answer_name(node)} (no training rows; the answer of the node above)"
    if node.tree.classes is None:
        return f"{answer_name(node)}{spread_text(node)} ({rows})"
    said = f"{answer_name(node)}, {percent(answer_share(node))}"
    return f"{said} ({count(hits(node))} of {rows}, 95% interval {between(*interval(node))})"


def sentence(node: Node) -> str:
    """One line for tooltips, screen readers and under the tree."""
    said = conditions(node.tree, node.id)
    start = f"If {' and '.join(said)}: " if said else "All rows: "
    asks = "" if node.column is None else f". Asks for {shown_name(node.column)}"
    return f"{start}{verdict(node)}{asks}"

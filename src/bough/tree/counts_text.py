"""A tree as the lectures print it: one line a node, with the counts and shares of its two classes.

Outlook = Sunny: [2+,3-] .40+ .60-
| Humidity = High: [0+,3-] .00+ 1.00-
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from bough.errors import BoughError
from bough.tree.condition import THRESHOLD, branch_categories, threshold_text

if TYPE_CHECKING:
    from bough.tree.node import Node
    from bough.tree.tree import Tree


def counts_text(tree: Tree, *, positive: Any = None) -> str:
    """`positive`: the class that is written as +; by default the last. Thresholds are written < and >=, as in
    the lectures; a value that equals a threshold goes with <."""
    if tree.classes is None or len(tree.classes) != 2:
        raise BoughError(
            'style="counts" is for trees with two classes.', code="model", hint='Use to_text(style="box").'
        )
    labels = tree.classes.tolist()
    if positive is not None and positive not in labels:
        raise BoughError(
            f"positive={positive!r} is no class of the tree.", code="parameter", hint=f"Classes: {labels}."
        )
    plus = 1 if positive is None else labels.index(positive)
    lines, stack = [], [(tree.root, "")]
    while stack:
        node, question = stack.pop()
        bars = "| " * max(0, node.depth - 1)
        lines.append(f"{bars}{question}{_numbers(node, plus)}")
        asked = [f"{text}: " for text in _questions(node)]
        stack.extend(reversed(list(zip(node.children, asked, strict=True))))
    return "\n".join(lines)


def _questions(node: Node) -> list[str]:
    if node.field is None:
        return []
    name, tree = node.field.name, node.tree
    if tree.kind[node.id] == THRESHOLD:
        if math.isinf(node.threshold):
            return [f"{name} known", f"{name} missing"]
        number = threshold_text(node.field, node.threshold)
        return [f"{name} < {number}", f"{name} >= {number}", f"{name} missing"][: len(node.children)]
    return [f"{name} = {', '.join(names) or 'missing'}" for names in branch_categories(tree, node.id)]


def _numbers(node: Node, plus: int) -> str:
    counts = [node.value[plus], node.value[1 - plus]]
    shares = [node.tree.shares[node.id][plus], node.tree.shares[node.id][1 - plus]]
    return "[{}+,{}-] {}+ {}-".format(*map(_count, counts), *map(_share, shares))


def _count(x: float) -> str:
    return str(int(x)) if x == int(x) else f"{x:.1f}"


def _share(x: float) -> str:
    return f"{x:.2f}".removeprefix("0")

"""A tree as Weka's J48 prints it: one line a branch, rows and errors of leaves in brackets, the size below.

outlook = sunny
|   humidity <= 75: yes (2.0)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bough.data.objects import label
from bough.tree.condition import THRESHOLD, branch_categories, threshold_text
from bough.tree.text import printable, significant

if TYPE_CHECKING:
    from bough.tree.node import Node
    from bough.tree.tree import Tree


def weka_text(tree: Tree) -> str:
    """Leaves show the weight of their rows and, after a stroke, that of the rows answered wrongly; of numbers
    the rows and, where the tree knows it, the standard deviation. Groups of categories are in braces, ? is
    missing."""
    lines: list[str] = []
    stack = [(tree.root, -1, "")]
    while stack:
        node, depth, question = stack.pop()
        head = "|   " * max(depth, 0) + printable(question)
        if node.is_leaf:
            lines.append(f"{head}: {_answer(node)}")
        elif question:
            lines.append(head)
        asked = zip(node.children, _questions(node), strict=True)
        stack.extend(reversed([(child, depth + 1, text) for child, text in asked]))
    size = [f"Number of Leaves  : \t{tree.n_leaves}", "", f"Size of the tree : \t{tree.n_nodes}"]
    return "\n".join([*lines, "", *size, *(["", printable(tree.note)] if tree.note else [])])


def _questions(node: Node) -> list[str]:
    if node.field is None:
        return []
    name = node.field.name
    if node.tree.kind[node.id] == THRESHOLD:
        if math.isinf(node.threshold):
            return [f"{name} != ?", f"{name} = ?"]
        number = threshold_text(node.field, node.threshold)
        return [f"{name} <= {number}", f"{name} > {number}", f"{name} = ?"][: len(node.children)]
    return [f"{name} {_listed(names)}" for names in branch_categories(node.tree, node.id)]


def _listed(names: list[str]) -> str:
    if len(names) > 1:
        return f"in {{{', '.join(names)}}}"
    return f"= {names[0]}" if names else "= ?"


def _answer(node: Node) -> str:
    if node.tree.classes is None:
        sd = f"/{significant(math.sqrt(node.impurity), 3)}" if node.tree.has_variances else ""
        return f"{significant(float(node.prediction), 5)} ({node.n_rows}{sd})"
    answered = int((node.tree.classes == node.prediction).argmax())
    wrong = node.weight - float(node.value[answered])
    errors = f"/{_decimal(wrong)}" if wrong >= 5e-3 else ""
    return f"{printable(label(node.prediction))} ({_decimal(node.weight)}{errors})"


def _decimal(x: float) -> str:
    """One digit after the point, a second where it says something."""
    return f"{x:.2f}".removesuffix("0")

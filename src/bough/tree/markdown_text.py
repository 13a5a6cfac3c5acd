"""A tree as a nested Markdown list: answers in bold, leaves with their class and counts."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from bough.data.objects import label
from bough.tree.condition import branch_labels, takes_only_missing
from bough.tree.text import percent, printable, significant

if TYPE_CHECKING:
    from bough.tree.node import Node
    from bough.tree.tree import Tree

_SIGNS = re.compile(r"([\\`*_\[\]<>|~&$])")


def escaped_markdown(text: str) -> str:
    r"""The text with every sign that Markdown or HTML could read as its own put behind a backslash.

    >>> print(escaped_markdown("a_b <b>|x|"))
    a\_b \<b\>\|x\|
    """
    return _SIGNS.sub(r"\\\1", printable(text))


def markdown_text(tree: Tree) -> str:
    """One item a node: the answer that leads there, then the next question, or the tree's answer."""
    lines: list[str] = []
    stack = [(tree.root, -1, "")]
    while stack:
        node, depth, answer = stack.pop()
        says = _answer(node) if node.is_leaf else f"{escaped_markdown(node.column or '')}? ({_rows(node)})"
        item = "  " * depth + f"- {answer}{says}"
        lines.append(item if answer else says + "\n" * (not node.is_leaf))
        asked = zip(node.children, _branches(node), strict=True)
        stack.extend(reversed([(child, depth + 1, text) for child, text in asked]))
    return "\n".join([*lines, *(["", escaped_markdown(tree.note)] if tree.note else [])])


def _branches(node: Node) -> list[str]:
    texts = []
    for number, text in enumerate(branch_labels(node.tree, node.id)):
        here = node.n_missing and number == node.missing_child
        taken = here and not takes_only_missing(node.tree, node.id, number)
        more = f", or missing ({node.n_missing:,})" if taken else ""
        texts.append(f"**{escaped_markdown(text)}{more}:** ")
    return texts


def _rows(node: Node) -> str:
    return "1 row" if node.n_rows == 1 else f"{node.n_rows:,} rows"


def _answer(node: Node) -> str:
    if node.tree.classes is None:
        spread = node.n_rows > 1 and node.tree.has_variances
        sd = f" ± {significant(math.sqrt(node.impurity), 3)}" if spread else ""
        return f"→ {significant(float(node.prediction), 5)}{sd} ({_rows(node)})"
    return f"→ {escaped_markdown(label(node.prediction))} {percent(node.share)} ({_rows(node)})"

"""A tree as text with box-drawing lines: one line a node, answers on the branches, counts at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bough.tree.condition import number_text

if TYPE_CHECKING:
    from bough.tree.node import Node
    from bough.tree.tree import Tree

FEW = 20  # rows below which a leaf is marked
LONGEST_ANSWER = 40
MOST_LINES = 1000


def box_text(tree: Tree) -> str:
    """At most MOST_LINES nodes are printed; the last line says how many are left out."""
    rows: list[tuple[str, str, str]] = []  # text so far, answer of a leaf, number of rows and marks
    stack: list[tuple[Node, str, str]] = [(tree.root, "", "")]
    while stack and len(rows) < MOST_LINES:
        node, head, indent = stack.pop()
        question = "" if node.is_leaf else f"{node.column}?"
        few = "  ⚠ few" if node.is_leaf and 0 < node.n_rows < FEW and tree.n_nodes > 1 else ""
        rows.append((head + question, _answer(node) if node.is_leaf else "", f"{node.n_rows:,}{few}"))
        stack.extend(reversed(_children(node, indent)))
    left = max((len(text) for text, answer, _ in rows if answer), default=0)
    answers = max((len(answer) for _, answer, _ in rows), default=0)
    body = max(left + 2 + answers, *(len(text) for text, _, _ in rows)) if rows else 0
    digits = max(len(count.split("  ")[0]) for _, _, count in rows)
    lines = []
    for text, answer, count in rows:
        number, *marks = count.split("  ", 1)
        line = f"{text:<{left}}  {answer}" if answer else text
        lines.append(f"{line:<{body}}  {number:>{digits}}" + "".join(f"  {mark}" for mark in marks))
    if stack:
        lines.append(f"… and {tree.n_nodes - len(rows):,} more nodes")
    return "\n".join(lines)


def _children(node: Node, indent: str) -> list[tuple[Node, str, str]]:
    children = node.children
    labels = [_shortened(label) for label in node.branches]
    if node.n_missing and labels[node.missing_child] != "missing":
        labels[node.missing_child] += f", or missing ({node.n_missing:,})"
    width = max((len(label) for label in labels), default=0)
    out = []
    for number, (child, label) in enumerate(zip(children, labels, strict=True)):
        last = number == len(children) - 1
        padded = label if child.is_leaf else f"{label:<{width}}  "
        out.append((child, f"{indent}{'└─ ' if last else '├─ '}{padded}", indent + ("   " if last else "│  ")))
    return out


def _shortened(label: str) -> str:
    if len(label) <= LONGEST_ANSWER or ", " not in label:
        return label
    names = label.split(", ")
    shown = 1
    while shown < len(names) and len(", ".join(names[: shown + 1])) <= LONGEST_ANSWER - 10:
        shown += 1
    return f"{', '.join(names[:shown])} + {len(names) - shown} more"


def _answer(node: Node) -> str:
    if node.tree.classes is None:
        return f"→ {number_text(float(f'{node.prediction:.6g}'))}"
    return f"→ {node.prediction!s} {node.share:.0%}"

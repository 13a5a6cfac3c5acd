"""A tree in the languages of other programs that draw graphs: Graphviz's DOT, and Mermaid."""

from __future__ import annotations

from collections.abc import Iterator

from bough.tree import Node, Tree
from bough.tree.text import percent, printable, shown_name
from bough.view.colours import palette
from bough.view.visible import Shown, visible
from bough.view.words import (
    Answer,
    answer_name,
    answer_number,
    answer_share,
    answers,
    deviation,
    figure,
    rows_text,
)


def tree_dot(tree: Tree, *, node: int = 0, depth: int | None = None) -> str:
    """Text for Graphviz: `dot -Tsvg`. All of the tree, or `depth` levels below `node`."""
    shown = _part(tree, node, depth)
    lines = [
        "digraph tree {",
        "  rankdir=LR;",
        '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica", fontsize=11];',
        '  edge [color="#a9b3be", fontname="Helvetica", fontsize=11];',
    ]
    colours = palette(tree)
    for number in shown.nodes:
        found = tree.node(number)
        text = "\\n".join(_quoted(line) for line in _lines(found, shown))
        role = "value" if tree.classes is None else colours.role(answer_number(found))
        rim = f', color="{colours.theme[role]}", penwidth=2' if found.is_leaf else ""
        lines.append(f'  n{number} [label="{text}"{rim}];')
    for above, below, said in _edges(shown):
        lines.append(f'  n{above} -> n{below} [label="{_quoted(_edge_text(said))}"];')
    return "\n".join([*lines, "}", ""])


def tree_mermaid(tree: Tree, *, node: int = 0, depth: int | None = None) -> str:
    """Text for Mermaid, which many Markdown pages draw by themselves."""
    shown = _part(tree, node, depth)
    lines = ["flowchart LR"]
    for number in shown.nodes:
        text = "<br>".join(_entities(line) for line in _lines(tree.node(number), shown))
        left, right = ('(["', '"])') if tree.n_children[number] == 0 else ('["', '"]')
        lines.append(f"  n{number}{left}{text}{right}")
    lines += [
        f'  n{above} -->|"{_entities(_edge_text(said))}"| n{below}' for above, below, said in _edges(shown)
    ]
    return "\n".join([*lines, ""])


def _part(tree: Tree, node: int, depth: int | None) -> Shown:
    return visible(tree, root=node, depth=tree.max_depth if depth is None else depth)


def _lines(node: Node, shown: Shown) -> list[str]:
    rows = rows_text(node)
    if node.column is not None:
        return [f"{shown_name(node.column)} ?", rows if node.id in shown.open else f"{rows} …"]
    if node.tree.classes is None:
        return [f"{answer_name(node)} ± {figure(deviation(node))}", rows]
    return [f"{answer_name(node)} {percent(answer_share(node))}", rows]


def _edges(shown: Shown) -> Iterator[tuple[int, int, Answer]]:
    for number in shown.nodes:
        children = shown.children(number)
        if children:
            for child, said in zip(children, answers(shown.tree.node(number)), strict=True):
                yield number, child, said


def _edge_text(said: Answer) -> str:
    return f"{said.text} ({said.missing})" if said.missing else said.text


def _quoted(text: str) -> str:
    """Inside a DOT string: quotes and backslashes are the only signs that mean something."""
    return printable(text).replace("\\", "\\\\").replace('"', '\\"')


def _entities(text: str) -> str:
    """Mermaid knows no backslashes; everything that could mean something is a number."""
    return "".join(c if c.isalnum() or c in " .,?%≤>±+()-_…" else f"#{ord(c)};" for c in printable(text))

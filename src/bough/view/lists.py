"""A tree without a picture: nested lists that fold, and a table of rules; both without a script."""

from __future__ import annotations

from bough.tree import Tree
from bough.tree.text import percent, shown_name
from bough.view.paths import conditions, verdict
from bough.view.pen import safe
from bough.view.words import (
    answer_name,
    answer_share,
    answers,
    between,
    count,
    deviation,
    figure,
    interval,
    rows_text,
    size,
)

MOST_ITEMS = 1000
DEEPEST = 60  # browsers stop nesting at some depth
MOST_RULES = 200


def nested_list(tree: Tree) -> str:
    """The whole tree, or as much of it as a reader will scroll through."""
    out: list[str] = ["<ul>"]
    stack: list[tuple[int, str] | str] = [(0, "")]
    items = 0
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            out.append(top)
            continue
        number, said = top
        node, items = tree.node(number), items + 1
        lead = f"<b>{safe(said)}</b> → " if said else ""
        if node.column is None:
            out.append(f"<li>{lead}{safe(verdict(node))}</li>")
            continue
        asks = f"{lead}{safe(shown_name(node.column))} ? <small>{rows_text(node)}</small>"
        if items + len(stack) > MOST_ITEMS or node.depth >= DEEPEST:
            out.append(f"<li>{asks} …</li>")
            continue
        out.append(f"<li><details open><summary>{asks}</summary><ul>")
        stack.append("</ul></details></li>")
        texts = [
            one.full + (f" (+ {node.n_missing:,} missing)" if one.missing else "") for one in answers(node)
        ]
        children = zip((child.id for child in node.children), texts, strict=True)
        stack.extend(reversed(list(children)))
    return "".join([*out, "</ul>"])


def rules_table(tree: Tree, most: int = MOST_RULES) -> str:
    """A row for each leaf with training rows, the largest first."""
    leaves = sorted((leaf for leaf in tree.leaves() if leaf.n_rows), key=lambda leaf: -leaf.weight)
    numbers = tree.classes is None
    heads = [
        "#",
        "if",
        "then",
        "± sd" if numbers else "share",
        *([] if numbers else ["95% interval"]),
        "rows",
    ]
    right = {"#", "share", "± sd", "95% interval", "rows"}
    out = ["<table><thead><tr>", *(f"<th{_right(h in right)}>{safe(h)}</th>" for h in heads), "</tr></thead>"]
    for place, leaf in enumerate(leaves[:most], 1):
        said = " and ".join(conditions(tree, leaf.id)) or "always"
        if numbers:
            middle = [figure(deviation(leaf))]
        else:
            middle = [percent(answer_share(leaf)), between(*interval(leaf))]
        cells = "".join(f'<td class="n">{safe(text)}</td>' for text in [*middle, count(size(leaf))])
        out.append(
            f'<tr><td class="n">{place}</td><td class="if">{safe(said)}</td>'
            f"<td><b>{safe(answer_name(leaf))}</b></td>{cells}</tr>"
        )
    out.append("</table>")
    if len(leaves) > most:
        out.append(f"<p>… and {len(leaves) - most:,} more rules.</p>")
    return "".join(out)


def _right(yes: bool) -> str:
    return ' class="n"' if yes else ""

"""A tree without a picture: nested lists that fold, and a table of rules; both without a script."""

from __future__ import annotations

from bough.explain.condition import conditions_to
from bough.explain.rules import Rule, rules_of
from bough.tree import Node, Tree
from bough.tree.text import percent, shown_name
from bough.view.paths import verdict
from bough.view.pen import safe
from bough.view.words import (
    answer_name,
    answer_share,
    answers,
    between,
    count,
    figure,
    interval,
    rows_text,
    spread,
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
        texts = [one.full + (f" ({one.missing})" if one.missing else "") for one in answers(node)]
        children = zip((child.id for child in node.children), texts, strict=True)
        stack.extend(reversed(list(children)))
    return "".join([*out, "</ul>"])


def rules_table(tree: Tree, most: int = MOST_RULES) -> str:
    """A row for each end of the tree that has training rows, the largest first."""
    middle_heads = ["share", "95% interval"] if tree.classes is not None else ["± sd"]
    if tree.classes is None and not tree.has_variances:
        middle_heads = []  # boosted trees: a leaf has a value of its own, not the mean of targets
    heads = ["#", "if", "then", *middle_heads, "rows"]
    right = {"#", "share", "± sd", "95% interval", "rows"}
    out = ["<table><thead><tr>", *(f"<th{_right(h in right)}>{safe(h)}</th>" for h in heads), "</tr></thead>"]
    ends = _ends(tree, most)
    for place, rule in enumerate(ends, 1):
        middle = [percent(rule.share), between(*rule.interval)] if rule.share is not None else [_sd(rule)]
        middle = middle[: len(middle_heads)]
        cells = "".join(f'<td class="n">{safe(text)}</td>' for text in [*middle, count(rule.weight)])
        out.append(
            f'<tr><td class="n">{place}</td><td class="if">{safe(rule.condition_text())}</td>'
            f"<td><b>{safe(answer_name(tree.node(rule.node)))}</b></td>{cells}</tr>"
        )
    out.append("</table>")
    if tree.n_leaves > most:
        out.append(f"<p>… and {tree.n_leaves - most:,} more rules.</p>")
    return "".join(out)


def _ends(tree: Tree, most: int) -> list[Rule]:
    """The rules with rows; of a large tree those of its largest leaves, since each takes its way to make."""
    if tree.n_leaves <= most:
        return [rule for rule in rules_of(tree) if rule.n]
    largest = sorted(tree.leaves(), key=lambda leaf: -leaf.weight)[:most]
    return [_rule(leaf) for leaf in largest]


def _rule(leaf: Node) -> Rule:
    tree, numbers = leaf.tree, leaf.tree.classes is None
    share, sd = (None, spread(leaf)) if numbers else (answer_share(leaf), None)
    sure = (0.0, 0.0) if numbers else interval(leaf)
    way = conditions_to(tree, leaf.id)
    return Rule(leaf.id, way, leaf.prediction, leaf.n_rows, leaf.weight, share, sd, sure, tree=tree)


def _sd(rule: Rule) -> str:
    return "" if rule.sd is None or rule.n < 2 else figure(rule.sd)


def _right(yes: bool) -> str:
    return ' class="n"' if yes else ""

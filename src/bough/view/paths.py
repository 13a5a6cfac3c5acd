"""The way to a node in words: conditions of a column merged, missing values mentioned."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

from bough.data.table import Field
from bough.tree import Node, Tree
from bough.tree.condition import THRESHOLD, branch_categories, threshold_text
from bough.tree.text import percent, shown_name
from bough.view.words import (
    answer_name,
    answer_share,
    between,
    count,
    deviation,
    figure,
    hits,
    interval,
    rows_text,
)


@dataclass
class _Asked:
    """What all the questions about one column leave over."""

    low: str = ""
    high: str = ""
    names: list[str] | None = None
    only: str = ""  # "missing", or "known"
    missing: bool = field(default=True)  # rows without a value came all the way
    met: bool = False  # and there were such rows


def conditions(tree: Tree, node: int) -> list[str]:
    """What a row must be to come to the node, one text for each column, in the order of the questions."""
    asked: dict[int, _Asked] = {}
    way = tree.path(node)
    for above, below in pairwise(way):
        column = int(tree.feature[above])
        _narrow(asked.setdefault(column, _Asked()), tree, above, below - int(tree.first_child[above]))
    return [_text(tree.fields[column], found) for column, found in asked.items()]


def _narrow(found: _Asked, tree: Tree, node: int, child: int) -> None:
    found.missing = found.missing and int(tree.missing_child[node]) == child
    found.met = bool(tree.n_missing[node] > 0)
    if tree.kind[node] != THRESHOLD:
        names = branch_categories(tree, node)[child]
        if not names:
            found.only = "missing"
        # Below a multiway split the same column can be asked again only by force.
        found.names = names if found.names is None else [n for n in names if n in found.names]
    elif math.isinf(tree.threshold[node]) or child == 2:
        found.only = "missing" if child else "known"
    else:
        text = shown_name(threshold_text(tree.fields[tree.feature[node]], float(tree.threshold[node])))
        if child:
            found.low = text
        else:
            found.high = text


def _text(column: Field, found: _Asked) -> str:
    name = shown_name(column.name)
    if found.only == "missing":
        return f"{name} is missing"
    if found.names is not None:
        shown = [shown_name(n) for n in sorted(found.names)]
        said = f"{name} = {shown[0]}" if len(shown) == 1 else f"{name} in {{{', '.join(shown)}}}"
    elif found.low and found.high:
        said = f"{found.low} < {name} ≤ {found.high}"
    elif found.low or found.high:
        said = f"{name} > {found.low}" if found.low else f"{name} ≤ {found.high}"
    else:
        said = f"{name} is known"
    return f"{said} (or missing)" if found.missing and found.met else said


def verdict(node: Node) -> str:
    """What the node answers, with its numbers."""
    rows = rows_text(node)
    if not node.n_rows:
        return f"{answer_name(node)} (no training rows; the answer of the node above)"
    if node.tree.classes is None:
        return f"{answer_name(node)} ± {figure(deviation(node))} ({rows})"
    said = f"{answer_name(node)}, {percent(answer_share(node))}"
    return f"{said} ({count(hits(node))} of {rows}, 95% interval {between(*interval(node))})"


def sentence(node: Node) -> str:
    """One line for tooltips, screen readers and under the tree."""
    said = conditions(node.tree, node.id)
    start = f"If {' and '.join(said)}: " if said else "All rows: "
    asks = "" if node.column is None else f". Asks for {shown_name(node.column)}"
    return f"{start}{verdict(node)}{asks}"

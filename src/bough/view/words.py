"""The words and numbers of a picture: counts, shares, intervals, the answers on edges."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bough.data.objects import label
from bough.explain.interval import wilson
from bough.explain.words import deviation
from bough.tree import Node, Tree
from bough.tree.condition import (
    SPREAD,
    STAY,
    THRESHOLD,
    branch_categories,
    branch_labels,
    takes_only_missing,
    threshold_text,
)
from bough.tree.text import FEW, category_name, percent, shown_name, significant

LONGEST_LIST = 16  # letters of categories on an edge
MOST_LISTED = 9  # categories; more are counted


def figure(x: float) -> str:
    """A number as pictures show it: three decimals below 1, otherwise four digits.

    >>> figure(0.13961), figure(0.00004), figure(-1e-17), figure(23.345), figure(0.9999)
    ('0.140', '0.00004', '0', '23.34', '1.000')
    """
    if abs(x) < 1e-12:
        return "0"
    return f"{x:.3f}" if 1e-3 <= abs(x) < 1 else significant(x, 4 if abs(x) >= 1 else 2)


def count(x: float) -> str:
    """Rows, or their weight to a tenth, below 1 to two digits.

    >>> count(1234.0), count(10.56), count(0.0234)
    ('1,234', '10.6', '0.023')
    """
    if x == round(x):
        return f"{x:,.0f}"
    return significant(x, 2) if abs(x) < 1 else f"{x:,.1f}".removesuffix(".0")


def staying(node: Node) -> str:
    """Rows whose missing value ends their way at a question."""
    if node.missing_child != STAY or not node.n_missing:
        return ""
    gone_on = sum(child.n_rows for child in node.children)  # those that surrogates know among them
    return f" · ∅{node.n_rows - gone_on:,} stay" if gone_on < node.n_rows else ""


def rows_text(node: Node) -> str:
    n = count(size(node))
    return f"{n} row" if n == "1" else f"{n} rows"


def size(node: Node) -> float:
    """Rows of the node; where rows are weighted or spread over branches, their weight."""
    return node.n_rows if node.tree.counts_rows else node.weight


def part(node: Node) -> float:
    """The node's part of all rows."""
    total = node.tree.weight[0]
    return node.weight / float(total) if total else 0.0


def is_few(node: Node) -> bool:
    """As in the text: small tables of lectures would have the mark on every leaf."""
    return node.is_leaf and 0 < node.n_rows < FEW and bool(node.tree.n_rows[0] >= 5 * FEW)


def answer_number(node: Node) -> int:
    """The number of the class that the node answers."""
    assert node.tree.classes is not None
    same: NDArray[np.bool_] = np.asarray(node.tree.classes == node.prediction)
    return int(np.flatnonzero(same)[0])


def answer_name(node: Node) -> str:
    if node.tree.classes is None:
        return significant(float(node.prediction), 4)
    return shown_name(label(node.prediction))


def answer_share(node: Node) -> float:
    return float(node.tree.shares[node.id][answer_number(node)])


def hits(node: Node) -> float:
    return float(node.value[answer_number(node)])


def interval(node: Node) -> tuple[float, float]:
    """Of the share of the answered class. Rows that count for more or less than one, and parts of rows, are
    rows of the average weight."""
    if not node.weight:
        return 0.0, 1.0
    n = node.weight * float(node.tree.n_rows[0]) / float(node.tree.weight[0])
    return wilson(hits(node) / node.weight * n, n)


def between(low: float, high: float) -> str:
    """
    >>> between(0.834, 0.893)
    '83–89%'
    """
    return f"{percent(low).removesuffix('%')}–{percent(high)}"


def spread(node: Node) -> float:
    """The standard deviation of the numbers in a node; 0 where the tree does not know it."""
    return deviation(node.tree, node.id) or 0.0


def spread_text(node: Node) -> str:
    """` ± 3.2`, or nothing: of one row, or where impurities are no variances."""
    found = deviation(node.tree, node.id) if node.n_rows > 1 else None
    return "" if found is None else f" ± {figure(found)}"


def impurity_sign(tree: Tree) -> str:
    """G for Gini, H for entropy, by what the numbers are; I where they are something else."""
    totals = tree.value.sum(axis=1, keepdims=True)
    shares = np.divide(tree.value, totals, out=np.zeros_like(tree.value), where=totals > 0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    found = {"G": 1 - (shares**2).sum(axis=1), "H": -(shares * logs).sum(axis=1)}
    there = tree.weight > 0
    for sign, numbers in found.items():
        if np.allclose(numbers[there], tree.impurity[there], atol=1e-9):
            return sign
    return "I"


@dataclass(frozen=True)
class Answer:
    """What leads from a node to one of its children."""

    text: str
    full: str  # nothing left out, raw numbers
    missing: str = ""  # the training rows without a value that go this way
    why: str = ""  # and why they do


def answers(node: Node, *, short: bool = False) -> list[Answer]:
    """One for each child; `short`: for small cards."""
    texts, full = _texts(node), _full(node)
    pills = _pills(node, short=short)
    return [Answer(*parts) for parts in zip(texts, full, *zip(*pills, strict=True), strict=True)]


def _full(node: Node) -> list[str]:
    sides = branch_categories(node.tree, node.id)
    if not sides:
        return branch_labels(node.tree, node.id)
    return [", ".join(sorted(names)) if names else "missing" for names in sides]


def _texts(node: Node) -> list[str]:
    field = node.field
    assert field is not None
    if node.tree.kind[node.id] != THRESHOLD:
        domain = len(field.categories)
        return [_listed(sorted(names), domain) for names in branch_categories(node.tree, node.id)]
    if math.isinf(node.threshold):
        return ["known", "missing"]
    if field.kind == "numeric":
        text = significant(node.threshold, 4)
    else:
        text = _cut(shown_name(threshold_text(field, node.threshold)), 24)
    return [f"≤ {text}", f"> {text}", "missing"][: len(node.children)]


def _listed(names: list[str], domain: int) -> str:
    """`A, B, D +4` where the list is long, `12 of 37` where it is very long."""
    if not names:
        return "missing"
    if len(names) > MOST_LISTED:
        return f"{len(names)} of {domain}"
    shown = list(map(category_name, names))
    whole = ", ".join(shown)
    if len(whole) <= LONGEST_LIST or len(names) == 1:
        return _cut(whole, 24)
    kept = [_cut(shown[0], LONGEST_LIST)]
    while len(", ".join([*kept, shown[len(kept)]])) <= LONGEST_LIST:
        kept.append(shown[len(kept)])
    return f"{', '.join(kept)} +{len(names) - len(kept)}"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _pills(node: Node, *, short: bool) -> list[tuple[str, str]]:
    """The pill of each edge and its explanation; a branch of its own for missing values needs none."""
    tree, n = node.tree, node.n_missing
    none = [("", "")] * len(node.children)
    if not n or node.missing_child == STAY:
        return none
    if node.missing_child == SPREAD:
        why = f"{n:,} rows without a value are spread over the branches by size"
        parts = [n * child.weight / node.weight if node.weight else 0.0 for child in node.children]
        return [(_pill(_tenths(p), short=short), why) if p else ("", "") for p in parts]
    if tree.surrogate_start[node.id] < tree.surrogate_start[node.id + 1]:
        why = f"{n:,} rows without a value go as the surrogates say: {_surrogates(node)}; otherwise this way"
        text = f"∅{n:,} by surrogate" if short else f"{n:,} missing: by surrogate"
        pill = (text, why)
    else:
        pill = (_pill(f"{n:,}", short=short), f"{n:,} rows without a value go this way")
    if takes_only_missing(tree, node.id, node.missing_child):
        return none
    return [pill if c == node.missing_child else ("", "") for c in range(len(none))]


def _tenths(x: float) -> str:
    return f"{x:,.1f}".removesuffix(".0")


def _pill(n: str, *, short: bool) -> str:
    return f"+∅{n}" if short else f"+ {n} missing"


def _surrogates(node: Node) -> str:
    tree = node.tree
    used = tree.surrogate_feature[tree.surrogate_start[node.id] : tree.surrogate_start[node.id + 1]]
    return ", ".join(shown_name(tree.fields[number].name) for number in used.tolist())

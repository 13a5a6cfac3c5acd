"""Conditions in words: what each branch of a node says, exactly as it is applied."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bough import _core
from bough.data.table import Field

if TYPE_CHECKING:
    from bough.tree.tree import Tree

MULTIWAY = int(_core.SplitKind.multiway.value)
# Instead of the child that takes missing values: they stay at the node, or are spread over its children.
STAY, SPREAD = -1, -2
THRESHOLD = int(_core.SplitKind.threshold.value)


def number_text(x: float) -> str:
    """The shortest decimal that is this very number: what is printed is what is compared."""
    if x == math.floor(x) and abs(x) < 1e15:
        return str(int(x))
    return repr(float(x))


def threshold_text(field: Field, threshold: float) -> str:
    if field.categories:
        return field.categories[math.floor(threshold)]
    if field.kind == "datetime":
        moment = str(np.datetime64(math.floor(threshold), "us"))  # of any year, unlike datetime's
        return moment.replace("T", " ").removesuffix(".000000").removesuffix(" 00:00:00")
    return number_text(threshold)


def branch_labels(tree: Tree, node: int) -> list[str]:
    """One text for each child of the node, none in a leaf; missing values are not mentioned."""
    if tree.feature[node] < 0:
        return []
    field = tree.fields[tree.feature[node]]
    if tree.kind[node] == THRESHOLD:
        if math.isinf(tree.threshold[node]):
            return ["known", "missing"]
        text = threshold_text(field, float(tree.threshold[node]))
        return [f"≤ {text}", f"> {text}", "missing"][: tree.n_children[node]]
    return [", ".join(names) if names else "missing" for names in branch_categories(tree, node)]


def takes_only_missing(tree: Tree, node: int, child: int) -> bool:
    """Whether a child of the node, counted from 0, takes missing values and nothing else."""
    if tree.kind[node] == THRESHOLD:
        return child == 2 or (child == 1 and math.isinf(tree.threshold[node]))
    return not branch_categories(tree, node)[child]


def branch_categories(tree: Tree, node: int) -> list[list[str]]:
    """The categories that lead to each child of the node; none where it does not ask for categories."""
    if tree.feature[node] < 0 or tree.kind[node] == THRESHOLD:
        return []
    names = tree.fields[tree.feature[node]].categories
    if tree.kind[node] == MULTIWAY:
        own = tree.n_children[node] - len(names)  # a branch for missing values
        return [[name] for name in names] + [[]] * own
    start, end = tree.category_start[node], tree.category_start[node + 1]
    sides: list[list[str]] = [[] for _ in range(tree.n_children[node])]
    for category, child in zip(tree.category[start:end], tree.category_child[start:end], strict=True):
        sides[child].append(names[category])
    return sides

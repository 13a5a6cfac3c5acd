"""The best pruning with at most k leaves: of all prunings of that size the one with the least training cost.

It need not be among the nested subtrees of cost-complexity pruning, which skip most sizes. Dynamic
programming: the least cost of a subtree with exactly j leaves, for all j up to k, from the bottom up. Time
grows with nodes * k at most, and memory with the sum over nodes of min(leaves below, k).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.errors import BoughError
from bough.pruning.cost_complexity import checked_risk
from bough.pruning.options import check_count
from bough.pruning.sweeps import Floats, Mask, asking, subtree_sums
from bough.tree import Tree
from bough.tree.rebuild import rebuild

LARGEST = 50_000_000  # numbers in the table of least costs: 400 MB
TIE = 1e-12  # of the root's cost: a leaf more must save more than this


def max_leaves(tree: Tree, *, max_leaves: int, measure: str = "impurity", costs: Any = None) -> Tree:
    """The pruning of least cost with at most so many leaves, and of several the one with the fewest."""
    most = check_count("max_leaves", max_leaves)
    risk = checked_risk(tree, measure, costs)
    if most >= tree.n_leaves:
        return tree
    sizes = np.minimum(subtree_sums(tree, ~asking(tree)), most)
    if sizes.sum() > LARGEST:
        raise BoughError(
            f"max_leaves={most} of this tree of depth {tree.max_depth} takes too much memory.",
            code="parameter",
            hint='Ask for fewer, or prune it by method="cost_complexity" first.',
        )
    table = _least_costs(tree, risk.as_leaf, risk.staying, most)
    return rebuild(tree, _chosen(tree, table, TIE * float(risk.as_leaf[0])))


def _least_costs(tree: Tree, as_leaf: Floats, staying: Floats, most: int) -> list[Floats]:
    """For each node the least cost of its subtree with 1, 2 … leaves; infinite where there is none."""
    table = [as_leaf[i : i + 1] for i in range(tree.n_nodes)]
    first, count = tree.first_child.tolist(), tree.n_children.tolist()
    for node in np.flatnonzero(asking(tree))[::-1].tolist():
        together = _together(table[first[node] : first[node] + count[node]], most)[-1]
        # Its place j - 1 is for j leaves; the children need one each.
        costs = np.full(min(most, count[node] - 1 + len(together)), np.inf)
        costs[0] = as_leaf[node]
        np.minimum(costs[count[node] - 1 :], together + staying[node], out=costs[count[node] - 1 :])
        table[node] = costs
    return table


def _together(children: list[Floats], most: int) -> list[Floats]:
    """The least cost of the first child, of the first two … of all: place j has j leaves more than one
    for each child."""
    sums = [children[0]]
    for number, child in enumerate(children[1:], start=2):
        before = sums[-1]
        short, long = (before, child) if len(before) < len(child) else (child, before)
        both = np.full(len(short) + len(long) - 1, np.inf)
        for extra, cost in enumerate(short.tolist()):
            part = both[extra : extra + len(long)]
            np.minimum(part, long + cost, out=part)
        sums.append(both[: max(most - number + 1, 0)])
    return sums


def _chosen(tree: Tree, table: list[Floats], tie: float) -> Mask:
    """Which nodes are leaves: from the root down, each child gets its part of the leaves."""
    leaf = np.ones(tree.n_nodes, dtype=bool)
    most = max(len(table[0]), 1)
    best = table[0].min()
    shares = [(0, int(np.argmax(table[0] <= best + tie)))]  # a node, and how many leaves more than one
    while shares:
        node, extra = shares.pop()
        if extra == 0:
            continue
        leaf[node] = False
        first, count = int(tree.first_child[node]), int(tree.n_children[node])
        children = table[first : first + count]
        sums = _together(children, most)
        extra -= count - 1
        for child in range(count - 1, 0, -1):
            mine, others = children[child], sums[child - 1]
            own = np.arange(max(0, extra - len(others) + 1), min(extra, len(mine) - 1) + 1)
            part = int(own[np.argmin(mine[own] + others[extra - own])])
            shares.append((first + child, part))
            extra -= part
        shares.append((first, extra))
    return leaf

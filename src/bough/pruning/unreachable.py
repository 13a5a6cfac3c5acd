"""Branches that no row can reach: the questions above let none of their categories pass.

C4.5 -s has a last branch for categories that no row of the node has. Where the same column was asked above,
these may be categories that went elsewhere; C4.5 leaves such a branch out of the pruned tree.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bough.pruning.sweeps import asking
from bough.tree import Tree
from bough.tree.condition import MULTIWAY, THRESHOLD
from bough.tree.rebuild import rebuild


def without_unreachable(tree: Tree) -> Tree:
    """The tree without last branches of three and more that no category can reach."""
    grouped = asking(tree) & (tree.kind != THRESHOLD) & (tree.kind != MULTIWAY)
    if not (grouped & (tree.n_children > 2)).any():
        return tree
    passing: list[dict[int, set[int]]] = [{} for _ in range(tree.n_nodes)]  # by column; others: all
    dropped = np.zeros(tree.n_nodes, dtype=bool)
    for node in np.flatnonzero(asking(tree)).tolist():  # from the root down
        column, first = int(tree.feature[node]), int(tree.first_child[node])
        listed = slice(int(tree.category_start[node]), int(tree.category_start[node + 1]))
        category, child = tree.category[listed], tree.category_child[listed]
        for branch in range(int(tree.n_children[node])):
            below = passing[node]
            if grouped[node]:
                here = set(category[child == branch].tolist())
                below = {**below, column: here & below.get(column, here)}
            passing[first + branch] = below
        last = first + int(tree.n_children[node]) - 1
        many = grouped[node] and tree.n_children[node] > 2
        dropped[node] = many and not passing[last][column] and tree.n_rows[last] == 0
    if not dropped.any():
        return tree
    owner = np.repeat(np.arange(tree.n_nodes), np.diff(tree.category_start))
    gone = dropped[owner] & (tree.category_child == tree.n_children[owner] - 1)
    counts = np.bincount(owner[~gone], minlength=tree.n_nodes)
    shorter = replace(
        tree,
        n_children=(tree.n_children - dropped).astype(tree.n_children.dtype),
        category=tree.category[~gone],
        category_child=tree.category_child[~gone],
        category_start=np.concatenate([[0], np.cumsum(counts)]).astype(tree.category_start.dtype),
    )
    return rebuild(shorter, np.zeros(tree.n_nodes, dtype=bool))

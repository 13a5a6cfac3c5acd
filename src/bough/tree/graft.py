"""Trees put together: each of some leaves of a tree becomes another tree, and all nodes get new numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.tree.rebuild import LISTS, rebuild
from bough.tree.tree import Tree


def graft(top: Tree, subtrees: Mapping[int, Tree]) -> Tree:
    """The tree in which a subtree stands, with its root, where each of these leaves stood.

    All trees have the same columns and classes; the rules are those of `top`."""
    trees = [top, *subtrees.values()]
    beginnings = np.cumsum([0] + [tree.n_nodes for tree in trees])
    instead = np.arange(beginnings[-1])
    instead[list(subtrees)] = beginnings[1:-1]
    return rebuild(_side_by_side(trees, beginnings), np.zeros(len(instead), dtype=bool), instead)


def _side_by_side(trees: Sequence[Tree], beginnings: NDArray[np.int64]) -> Tree:
    """The arrays of all trees one after another; only the first root stands in the first place."""
    starts = {start for _, start, _ in LISTS}
    joined: dict[str, Any] = {}
    for f in fields(Tree):
        kind = f.metadata.get("array")
        arrays = [getattr(tree, f.name) for tree in trees]
        if kind in starts:
            counts = np.concatenate([np.diff(array) for array in arrays])
            joined[f.name] = np.concatenate([np.zeros(1, dtype=counts.dtype), np.cumsum(counts)])
        elif kind is not None:
            joined[f.name] = np.concatenate(arrays)
    moved = [
        np.where(tree.first_child >= 0, tree.first_child + beginning, tree.first_child)
        for tree, beginning in zip(trees, beginnings[:-1], strict=True)
    ]
    joined["first_child"] = np.concatenate(moved)
    return replace(trees[0], **joined)

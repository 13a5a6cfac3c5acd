"""A tree made of another tree's nodes: some of them ask no more, some stand where their parent stood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.tree.tree import Tree

Longs = NDArray[np.int64]
Mask = NDArray[np.bool_]

# What the arrays hold in a node that does not ask.
LEAF = {
    "feature": -1,
    "kind": _core.SplitKind.leaf.value,
    "threshold": 0.0,
    "missing_child": -1,
    "n_missing": 0,
    "gain": 0.0,
}

# Lists of different lengths: who owns each, which array holds their starts, which arrays their entries.
LISTS = (
    ("node", "start", "category"),
    ("node", "surrogate_start", "surrogate"),
    ("surrogate", "surrogate_category_start", "surrogate_category"),
)


def rebuild(
    tree: Tree,
    leaf: Mask,
    instead: Longs | None = None,
    changed: Mapping[str, NDArray[Any]] | None = None,
) -> Tree:
    """The tree in which the nodes of the mask `leaf` ask nothing and what was below them is gone.

    `instead[i]` is the node that stands, with its subtree, where node i stood: i itself unless a node below
    it was raised. `changed` holds arrays that replace those of the same name; all numbers are the old ones.
    """
    places = np.arange(tree.n_nodes) if instead is None else instead
    order = _breadth_first(tree, leaf, places)
    asks = (tree.feature[order] >= 0) & ~leaf[order]
    kinds = {f.name: f.metadata["array"] for f in fields(tree) if "array" in f.metadata}
    made: dict[str, Any] = {}
    picked = {"node": order}
    for owner, start, entry in LISTS:
        for name in (name for name, kind in kinds.items() if kind == start):
            kept = asks if owner == "node" else np.ones(len(picked[owner]), dtype=bool)
            made[name], picked[entry] = _entries(getattr(tree, name), picked[owner], kept)
    for name, kind in kinds.items():
        if name not in made:
            source = (changed or {}).get(name, getattr(tree, name))
            made[name] = source[picked[kind]]
    for name, nothing in LEAF.items():
        made[name][~asks] = nothing
    made["n_children"] = np.where(asks, made["n_children"], 0).astype(tree.n_children.dtype)
    before = 1 + np.cumsum(made["n_children"]) - made["n_children"]
    made["first_child"] = np.where(asks, before, -1)
    return replace(tree, **made)


def _breadth_first(tree: Tree, leaf: Mask, instead: Longs) -> Longs:
    """The nodes that remain, by their old numbers, in their new order."""
    n_children = np.where(leaf, 0, tree.n_children).astype(np.int64)
    level, levels = instead[:1], []
    while level.size:
        levels.append(level)
        counts = n_children[level]
        level = instead[runs(tree.first_child[level], counts)]
    return np.concatenate(levels)


def runs(first: Longs, counts: Longs) -> Longs:
    """first[0], first[0] + 1 … (counts[0] numbers), first[1] … and so on, in one array."""
    ends = np.cumsum(counts)
    return np.repeat(first - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)


def _entries(start: Longs, owners: Longs, kept: Mask) -> tuple[Longs, Longs]:
    """New starts, and the old places of the entries of these owners; one that is not kept has none."""
    counts = np.where(kept, start[owners + 1] - start[owners], 0)
    return np.concatenate([np.zeros(1, dtype=start.dtype), np.cumsum(counts)]), runs(start[owners], counts)

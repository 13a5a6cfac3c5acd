"""Which nodes a picture shows, and in which detail: large trees are folded where few rows go or far down."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.errors import BoughError, did_you_mean
from bough.kept import kept
from bough.tree import Tree

# The most visible leaves of each level of detail.
LEVELS = {"histogram": 8, "card": 20, "compact": 64}
FOLD_PART = 0.02  # of all rows: nodes with less are folded in large trees
FOLD_DEPTH = 7  # levels below the top of the picture
MOST_SHOWN = 400  # visible leaves, where one question has very many answers


@dataclass(frozen=True)
class Shown:
    """The visible nodes, each before those below it; `folded` ones have more below that is not shown."""

    tree: Tree
    root: int
    open: frozenset[int]  # nodes whose children are visible
    cut: bool  # some are folded because the tree is large, not because it was asked for

    @kept
    def nodes(self) -> list[int]:
        order, stack = [], [self.root]
        while stack:
            node = stack.pop()
            order.append(node)
            stack.extend(reversed(self.children(node)))
        return order

    def children(self, node: int) -> list[int]:
        if node not in self.open:
            return []
        first = int(self.tree.first_child[node])
        return list(range(first, first + int(self.tree.n_children[node])))

    @kept
    def n_leaves(self) -> int:
        """Visible ones, folded nodes among them."""
        return sum(node not in self.open for node in self.nodes)

    @property
    def folded(self) -> list[int]:
        return [n for n in self.nodes if n not in self.open and self.tree.n_children[n]]

    @kept
    def whole(self) -> bool:
        return not self.folded


def leaves_below(tree: Tree) -> NDArray[np.int64]:
    """The number of leaves below each node, itself if it is one."""
    leaves: NDArray[np.int64] = (tree.n_children == 0).astype(np.int64)
    for node in range(tree.n_nodes - 1, 0, -1):
        leaves[tree.parent[node]] += leaves[node]
    return leaves


def check_part(tree: Tree, node: int, depth: int | None, most: int | None = None) -> None:
    if not _whole(node) or not 0 <= node < tree.n_nodes:
        raise BoughError(
            f"there is no node {node!r}.", code="parameter", hint=f"Nodes are 0 to {tree.n_nodes - 1}."
        )
    for name, given, least in (("depth", depth, 0), ("most", most, 1)):
        if given is not None and (not _whole(given) or given < least):
            raise BoughError(
                f"{name}={given!r} is not possible.", code="parameter", hint=f"{name} is {least} or more."
            )


def _whole(x: Any) -> bool:
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def visible(tree: Tree, *, root: int = 0, depth: int | None = None, most: int | None = None) -> Shown:
    """What is shown by default, below `root`. `depth`: so many levels, whatever the size. `most`: as many
    leaves as that, nodes with the most rows opened first."""
    check_part(tree, root, depth, most)
    large = depth is None and int(leaves_below(tree)[root]) > LEVELS["compact"]
    deepest = FOLD_DEPTH if large else depth
    few = FOLD_PART * float(tree.weight[root]) if large else -1.0
    limit = most if most is not None else MOST_SHOWN if large else tree.n_nodes
    opened, shown, waiting = set[int](), 1, [(0.0, root)]
    while waiting:
        _, node = heappop(waiting)
        level = int(tree.depth[node] - tree.depth[root])
        more = int(tree.n_children[node])
        stays = (deepest is not None and level >= deepest) or (node != root and tree.weight[node] < few)
        if not more or stays or shown + more - 1 > limit:
            continue
        opened.add(node)
        shown += more - 1
        first = int(tree.first_child[node])
        for child in range(first, first + more):
            # Numbers are breadth-first: without weights the upper nodes come first.
            heappush(waiting, (0.0 if most is None else -float(tree.weight[child]), child))
    return Shown(tree, root, frozenset(opened), large or most is not None)


def level_of(shown: Shown, asked: str | None, *, with_rows: bool) -> str:
    """The level asked for, or the one for this number of leaves; histograms need the training rows."""
    if asked is not None:
        if asked not in LEVELS:
            raise BoughError(
                f"detail={asked!r} is not possible.{did_you_mean(asked, LEVELS)}",
                code="parameter",
                hint=f"detail is one of {', '.join(LEVELS)}.",
            )
        return asked
    for level, most in LEVELS.items():
        if shown.n_leaves <= most and not shown.cut and (with_rows or level != "histogram"):
            return level
    return "compact"

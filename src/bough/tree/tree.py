"""The one result type: a tree in parallel arrays, whatever grew it and whatever reads it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.data.ingest import to_table
from bough.data.table import Field
from bough.errors import BoughError
from bough.tree.digest import digest
from bough.tree.node import Node
from bough.tree.text import box_text

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Ints = NDArray[np.int32]


A = TypeVar("A", bound=NDArray[Any])


def _fixed(array: A) -> A:
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """Nodes are numbered breadth-first and siblings stand next to each other: the children of node i are
    first_child[i] … first_child[i] + n_children[i] - 1. The meaning of each array is in docs/semantics.md."""

    fields: tuple[Field, ...]
    classes: NDArray[Any] | None  # None: regression
    feature: Ints = field(metadata={"array": True})  # column asked, -1 in a leaf
    kind: NDArray[np.uint8] = field(metadata={"array": True})
    threshold: Floats = field(metadata={"array": True})
    first_child: Longs = field(metadata={"array": True})
    n_children: Ints = field(metadata={"array": True})
    missing_child: Ints = field(metadata={"array": True})
    n_rows: Longs = field(metadata={"array": True})
    n_missing: Longs = field(metadata={"array": True})
    weight: Floats = field(metadata={"array": True})
    impurity: Floats = field(metadata={"array": True})
    gain: Floats = field(metadata={"array": True})
    value: Floats = field(metadata={"array": True})  # nodes x classes: weights; nodes x 1: the mean
    category_start: Longs = field(metadata={"array": True})
    category: Ints = field(metadata={"array": True})
    category_child: Ints = field(metadata={"array": True})

    def __post_init__(self) -> None:
        for name in ARRAYS:
            _fixed(getattr(self, name))
        if self.classes is not None and self.classes.flags.writeable:
            # A copy: the array may be the estimator's classes_, which its user can write to.
            object.__setattr__(self, "classes", _fixed(self.classes.copy()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @property
    def n_nodes(self) -> int:
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        return int(np.count_nonzero(self.feature < 0))

    @property
    def max_depth(self) -> int:
        return int(self.depth.max())

    @cached_property
    def parent(self) -> Longs:
        """The parent of each node, -1 for the root."""
        parents = np.repeat(np.arange(self.n_nodes), self.n_children)
        return _fixed(np.concatenate([np.array([-1]), parents]))

    @cached_property
    def depth(self) -> Longs:
        depth = np.zeros(self.n_nodes, dtype=np.int64)
        level, below = 0, np.zeros(1, dtype=np.int64)
        while below.size:
            depth[below[0] : below[-1] + 1] = level
            asking = below[self.n_children[below] > 0]
            if not asking.size:
                break
            last = asking[-1]
            below = np.arange(self.first_child[asking[0]], self.first_child[last] + self.n_children[last])
            level += 1
        return _fixed(depth)

    @cached_property
    def shares(self) -> Floats:
        """Class shares of each node; a node without rows has its parent's."""
        totals = self.value.sum(axis=1, keepdims=True)
        shares: Floats = np.divide(self.value, totals, out=np.zeros_like(self.value), where=totals > 0)
        empty = np.flatnonzero(totals[:, 0] == 0)  # leaves all of them, so their parents are not empty
        shares[empty] = shares[self.parent[empty]]
        return _fixed(shares)

    @property
    def split_gains(self) -> Floats:
        """Weight times gain of each node, up to a common factor. For numbers it is taken from the means, so
        that no square leaves the range of float64."""
        if self.classes is not None:
            return self.gain * self.weight
        means = self.value[:, 0] / (np.abs(self.value).max() or 1.0)
        between = self.weight[1:] * (means[1:] - means[self.parent[1:]]) ** 2
        gains: Floats = np.bincount(self.parent[1:], between, self.n_nodes).astype(np.float64)
        return gains

    @cached_property
    def answers(self) -> NDArray[Any]:
        """What each node answers: a class label, or a number."""
        if self.classes is None:
            answers: NDArray[Any] = self.value[:, 0]
        else:
            largest = self.value.argmax(axis=1)
            empty = np.flatnonzero(self.n_rows == 0)
            largest[empty] = largest[self.parent[empty]]
            answers = self.classes[largest]
        return _fixed(answers)

    def apply(self, data: Any, threads: int = 1, owner: str = "the tree") -> Longs:
        """The number of the leaf that each row of any data comes to; `owner` is who asks, for errors."""
        table = to_table(data, fields=self.fields, owner=owner)
        leaves: Longs = _core.leaves(
            self.feature,
            self.kind,
            self.threshold,
            self.first_child,
            self.n_children,
            self.missing_child,
            self.category_start,
            self.category,
            self.category_child,
            [column.values for column in table.columns],
            table.n_rows,
            threads,
        )
        return leaves

    def predict(self, data: Any, threads: int = 1, owner: str = "the tree") -> NDArray[Any]:
        """The answer for each row: the class with the largest weight in its leaf, or the leaf's mean."""
        answers: NDArray[Any] = self.answers[self.apply(data, threads, owner)]
        return answers

    def predict_proba(self, data: Any, threads: int = 1, owner: str = "the tree") -> Floats:
        """The class shares in the leaf of each row."""
        if self.classes is None:
            raise BoughError(
                "this tree answers with numbers, so it has no class shares.",
                code="model",
                hint="Use predict.",
            )
        shares: Floats = self.shares[self.apply(data, threads, owner)]
        return shares

    def decision_path(self, data: Any, threads: int = 1, owner: str = "the tree") -> Any:
        """A sparse matrix, rows by nodes, with a one for each node that the row passes."""
        from scipy.sparse import csr_matrix

        leaves, places = np.unique(self.apply(data, threads, owner), return_inverse=True)
        paths = [self.path(int(leaf)) for leaf in leaves]
        starts = np.cumsum([0, *map(len, paths)])
        nodes = np.array([node for path in paths for node in path])
        by_leaf = csr_matrix(
            (np.ones(len(nodes), dtype=np.int64), nodes, starts), (len(leaves), self.n_nodes)
        )
        return by_leaf[places]

    def path(self, node: int) -> list[int]:
        """The nodes from the root to this one."""
        nodes = [node]
        while nodes[-1] > 0:
            nodes.append(int(self.parent[nodes[-1]]))
        return nodes[::-1]

    def node(self, number: int) -> Node:
        if not 0 <= number < self.n_nodes:
            raise IndexError(f"node {number} of a tree with nodes 0 to {self.n_nodes - 1}")
        return Node(self, number)

    @property
    def root(self) -> Node:
        return Node(self, 0)

    def nodes(self) -> Iterator[Node]:
        """All nodes, breadth-first."""
        return (Node(self, number) for number in range(self.n_nodes))

    def leaves(self) -> Iterator[Node]:
        return (Node(self, int(number)) for number in np.flatnonzero(self.feature < 0))

    def digest(self) -> str:
        """SHA-256 of the content: equal for equal trees on any machine, frame type or thread count."""
        return digest(self)

    def __str__(self) -> str:
        return box_text(self)

    def __repr__(self) -> str:
        what = "number" if self.classes is None else f"{len(self.classes)} classes"
        return f"Tree({self.n_leaves} leaves, depth {self.max_depth}, {len(self.fields)} columns, {what})"


ARRAYS = tuple(f.name for f in fields(Tree) if f.metadata.get("array"))

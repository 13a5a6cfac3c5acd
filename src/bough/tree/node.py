"""One node of a tree, read-only: a view into the tree's arrays that knows its neighbours and its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.data.table import Field
from bough.tree.condition import branch_categories, branch_labels

if TYPE_CHECKING:
    from bough.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class Node:
    tree: Tree
    id: int

    @property
    def is_leaf(self) -> bool:
        return bool(self.tree.feature[self.id] < 0)

    @property
    def depth(self) -> int:
        return int(self.tree.depth[self.id])

    @property
    def field(self) -> Field | None:
        """The column that the node asks for; None in a leaf."""
        return None if self.is_leaf else self.tree.fields[self.tree.feature[self.id]]

    @property
    def column(self) -> str | None:
        return None if self.field is None else self.field.name

    @property
    def children(self) -> list[Node]:
        first = int(self.tree.first_child[self.id])
        return [Node(self.tree, first + c) for c in range(int(self.tree.n_children[self.id]))]

    @property
    def branches(self) -> list[str]:
        """The answer that leads to each child, as text."""
        return branch_labels(self.tree, self.id)

    @property
    def kind(self) -> str:
        """leaf, threshold, subset or multiway."""
        return _core.SplitKind(int(self.tree.kind[self.id])).name

    @property
    def categories(self) -> list[list[str]]:
        """The categories that lead to each child, of a split on categories; otherwise none."""
        return branch_categories(self.tree, self.id)

    @property
    def threshold(self) -> float:
        return float(self.tree.threshold[self.id])

    @property
    def missing_child(self) -> int:
        """Number of the child, counted from 0, that takes missing and unseen values; -1 in a leaf."""
        return int(self.tree.missing_child[self.id])

    @property
    def n_rows(self) -> int:
        return int(self.tree.n_rows[self.id])

    @property
    def n_missing(self) -> int:
        """Training rows that were missing in the column asked here."""
        return int(self.tree.n_missing[self.id])

    @property
    def weight(self) -> float:
        return float(self.tree.weight[self.id])

    @property
    def value(self) -> NDArray[np.float64]:
        """Class weights, or the mean."""
        value: NDArray[np.float64] = self.tree.value[self.id]
        return value

    @property
    def share(self) -> float:
        """The share of the class that is answered."""
        shares, classes = self.tree.shares[self.id], self.tree.classes
        if classes is None or self.tree.rules.costs is None:
            return float(shares.max())
        return float(shares[classes == self.prediction][0])

    @property
    def impurity(self) -> float:
        return float(self.tree.impurity[self.id])

    @property
    def gain(self) -> float:
        return float(self.tree.gain[self.id])

    @property
    def prediction(self) -> Any:
        return self.tree.answers[self.id]

"""The one result type: a tree in parallel arrays, whatever grew it and whatever reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, field, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.data.ingest import check_known, to_table
from bough.data.matrix import is_numeric, plain_matrix
from bough.data.table import Field
from bough.errors import BoughError, did_you_mean
from bough.kept import kept
from bough.tree.counts_text import counts_text
from bough.tree.digest import digest
from bough.tree.markdown_text import markdown_text
from bough.tree.node import Node
from bough.tree.rules import Rules, cheapest, class_shares
from bough.tree.text import box_text
from bough.tree.variances import has_variances
from bough.tree.weka_text import weka_text

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]
Ints = NDArray[np.int32]
Bytes = NDArray[np.uint8]


A = TypeVar("A", bound=NDArray[Any])


def _array(indexed: str, default: Any = MISSING) -> Any:
    """`indexed`: what the array has an entry for, so that trees can be rebuilt without naming its arrays."""
    return field(default=default, metadata={"array": indexed})


def _fixed(array: A) -> A:
    array.setflags(write=False)
    return array


def _own(classes: NDArray[Any] | None) -> NDArray[Any] | None:
    """A copy: the array may be the estimator's classes_, which its user can write to."""
    return classes if classes is None or not classes.flags.writeable else _fixed(classes.copy())


@lru_cache(maxsize=64)
def _zeros(n: int) -> Longs:
    return _fixed(np.zeros(n, dtype=np.int64))


def zeros(n: int) -> Longs:
    """One array for all trees of about a size."""
    return _zeros(1 << (n - 1).bit_length())[:n]


# Of trees without surrogates, beside surrogate_start.
_NO_SURROGATES = {
    "surrogate_feature": _fixed(np.empty(0, dtype=np.int32)),
    "surrogate_kind": _fixed(np.empty(0, dtype=np.uint8)),
    "surrogate_threshold": _fixed(np.empty(0)),
    "surrogate_first": _fixed(np.empty(0, dtype=np.int32)),
    "surrogate_agree": _fixed(np.empty(0)),
    "surrogate_adjusted": _fixed(np.empty(0)),
    "surrogate_category_start": _fixed(np.zeros(1, dtype=np.int64)),
    "surrogate_category": _fixed(np.empty(0, dtype=np.int32)),
    "surrogate_category_child": _fixed(np.empty(0, dtype=np.int32)),
}


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """Nodes are numbered breadth-first and siblings stand next to each other: the children of node i are
    first_child[i] … first_child[i] + n_children[i] - 1. The meaning of each array is in docs/semantics.md."""

    fields: tuple[Field, ...]
    classes: NDArray[Any] | None  # None: regression
    feature: Ints = _array("node")  # column asked, -1 in a leaf
    kind: Bytes = _array("node")
    threshold: Floats = _array("node")
    first_child: Longs = _array("node")
    n_children: Ints = _array("node")
    missing_child: Ints = _array("node")  # a child, STAY or SPREAD
    n_rows: Longs = _array("node")
    n_missing: Longs = _array("node")
    weight: Floats = _array("node")
    impurity: Floats = _array("node")
    gain: Floats = _array("node")
    value: Floats = _array("node")  # nodes x classes: weights; nodes x 1: the mean
    category_start: Longs = _array("start")
    category: Ints = _array("category")
    category_child: Ints = _array("category")
    surrogate_start: Longs = _array("surrogate_start", None)
    surrogate_feature: Ints = _array("surrogate", None)
    surrogate_kind: Bytes = _array("surrogate", None)
    surrogate_threshold: Floats = _array("surrogate", None)
    surrogate_first: Ints = _array("surrogate", None)  # the child that takes x <= threshold
    surrogate_agree: Floats = _array("surrogate", None)
    surrogate_adjusted: Floats = _array("surrogate", None)
    surrogate_category_start: Longs = _array("surrogate_category_start", None)
    surrogate_category: Ints = _array("surrogate_category", None)
    surrogate_category_child: Ints = _array("surrogate_category", None)
    rules: Rules = Rules()
    # Trees of forests come with their arrays packed, and have them made when one is first asked for.
    packed: ClassVar[_core.PackedTree | None] = None

    @classmethod
    def from_packed(
        cls,
        packed: _core.PackedTree,
        fields: tuple[Field, ...],
        classes: NDArray[Any] | None,
        rules: Rules,
    ) -> Self:
        tree = cls.__new__(cls)
        none = _NO_SURROGATES | {"surrogate_start": zeros(packed.n_nodes + 1)}
        tree.__dict__.update(none, fields=fields, classes=_own(classes), rules=rules, packed=packed)
        return tree

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if self.packed is None or name not in ARRAYS:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            self.__dict__.update(self._unpacked())
            return self.__dict__[name]

    def _unpacked(self) -> dict[str, Any]:
        assert self.packed is not None
        arrays = self.packed.arrays()
        return {name: _fixed(arrays[name]) for name in ARRAYS}

    def opened(self) -> Tree:
        """The same with its arrays at hand; those of a packed tree go with what is returned."""
        if self.packed is None or "feature" in self.__dict__:
            return self
        return Tree(fields=self.fields, classes=self.classes, **self._unpacked(), rules=self.rules)

    def __post_init__(self) -> None:
        # Small trees are many, so every step over the 25 arrays counts.
        own = self.__dict__
        if self.surrogate_start is None:
            own.update(_NO_SURROGATES, surrogate_start=zeros(len(self.feature) + 1))
        for name in ARRAYS:
            own[name].setflags(write=False)
        own["classes"] = _own(self.classes)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def __getstate__(self) -> dict[str, Any]:
        tree = self.opened()
        return {f.name: getattr(tree, f.name) for f in fields(tree)}

    @property
    def note(self) -> str:
        """What is to be known of the values of its leaves, below every picture."""
        return ""

    @property
    def n_nodes(self) -> int:
        return len(self.feature) if self.packed is None else self.packed.n_nodes

    @property
    def n_leaves(self) -> int:
        if self.packed is not None:
            return (self.packed.n_nodes + 1) // 2
        return int(np.count_nonzero(self.feature < 0))

    @property
    def max_depth(self) -> int:
        return int(self.depth.max())

    @kept
    def parent(self) -> Longs:
        """The parent of each node, -1 for the root."""
        parents = np.repeat(np.arange(self.n_nodes), self.n_children)
        return _fixed(np.concatenate([np.array([-1]), parents]))

    @kept
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

    @kept
    def counts_rows(self) -> bool:
        """Whether weights are just counts of rows."""
        return bool((self.weight == self.n_rows).all())

    @kept
    def has_variances(self) -> bool:
        """Whether the impurities are variances; pictures ask for every node."""
        return has_variances(self)

    @kept
    def shares(self) -> Floats:
        """Class shares of each node, as the rules estimate them; a node without rows has its parent's."""
        shares = class_shares(self.value, self.rules)
        empty = np.flatnonzero(self.weight == 0)  # leaves all of them, so their parents are not empty
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

    @kept
    def answers(self) -> NDArray[Any]:
        """What each node answers: a class label, or a number."""
        if self.classes is None:
            answers: NDArray[Any] = self.value[:, 0]
        else:
            # Weights, not shares, where they decide the same: sums of shares round.
            weighed = self.rules.costs is None and self.rules.estimate != "m"
            best = cheapest(self.value if weighed else self.shares, self.rules.costs)
            empty = np.flatnonzero(self.n_rows == 0)
            best[empty] = best[self.parent[empty]]
            answers = self.classes[best]
        return _fixed(answers)

    @kept
    def walker(self) -> _core.Walker:
        """The tree as the core walks it."""
        arrays = {name: getattr(self, name) for name in ARRAYS}
        sizes = [len(f.categories) if f.kind in ("nominal", "boolean") else 0 for f in self.fields]
        return _core.Walker(arrays, sizes, self.rules.unseen == "majority")

    def _columns(self, data: Any, owner: str) -> tuple[list[Floats], int]:
        table = to_table(data, fields=self.fields, owner=owner, strict=self.rules.unseen == "error")
        check_known(table, self.rules.never_missing)
        return [column.values for column in table.columns], table.n_rows

    @property
    def spreads(self) -> bool:
        """Whether a row may end in several nodes."""
        return self.packed is None and bool(self.walker.spreads)

    def reach(self, data: Any, threads: int = 1, owner: str = "the tree") -> tuple[Longs, Longs, Floats]:
        """Where rows end: row numbers, nodes, and the row's share in that node. A row that is spread over
        several children ends in several nodes; one that a missing value stops ends where it is."""
        if self.walker.spreads:
            columns, n_rows = self._columns(data, owner)
            rows, nodes, shares = self.walker.ends(columns, n_rows, threads)
            return rows, nodes, shares
        leaves = self._leaves(data, threads, owner)
        return np.arange(len(leaves)), leaves, np.ones(len(leaves))

    @kept
    def _reads_matrix(self) -> bool:
        return is_numeric(self.fields) and not self.rules.never_missing

    def _leaves(self, data: Any, threads: int, owner: str) -> Longs:
        """Where each row ends, in a tree that spreads none."""
        if self._reads_matrix:
            matrix = plain_matrix(data, self.fields)
            found: Longs | None = None if matrix is None else self.walker.leaves_of_matrix(matrix, threads)
            if found is not None:
                return found
        columns, n_rows = self._columns(data, owner)
        leaves: Longs = self.walker.leaves(columns, n_rows, threads)
        return leaves

    def apply(self, data: Any, threads: int = 1, owner: str = "the tree") -> Longs:
        """The number of the leaf that each row of any data comes to; of several, the one with the largest
        share of the row. `owner` is who asks, for errors."""
        if not self.walker.spreads:
            return self._leaves(data, threads, owner)
        rows, nodes, shares = self.reach(data, threads, owner)
        order = np.lexsort((nodes, -shares, rows))
        first = np.ones(len(rows), dtype=bool)
        first[1:] = rows[order][1:] != rows[order][:-1]
        largest: Longs = nodes[order][first]
        return largest

    def predict(self, data: Any, threads: int = 1, owner: str = "the tree") -> NDArray[Any]:
        """The answer for each row: the class with the largest weight in its leaf (with costs: the cheapest),
        or the leaf's mean."""
        if self.walker.spreads:
            if self.classes is None:
                return self._mixed(self.value, data, threads, owner)[:, 0]
            shares = self.predict_proba(data, threads, owner)
            chosen: NDArray[Any] = self.classes[cheapest(shares, self.rules.costs, mixed=True)]
            return chosen
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
        return self._mixed(self.shares, data, threads, owner)

    def _mixed(self, values: Floats, data: Any, threads: int, owner: str) -> Floats:
        """The values of the nodes where each row ends, by its shares in them."""
        if not self.walker.spreads:
            plain: Floats = values[self._leaves(data, threads, owner)]
            return plain
        rows, nodes, shares = self.reach(data, threads, owner)
        starts = np.flatnonzero(np.diff(rows, prepend=-1))
        mixed: Floats = np.add.reduceat(values[nodes] * shares[:, None], starts, axis=0)
        return mixed

    def decision_path(self, data: Any, threads: int = 1, owner: str = "the tree") -> Any:
        """A sparse matrix, rows by nodes, with a one for each node that the row passes."""
        from scipy.sparse import csr_matrix

        rows, nodes, _ = self.reach(data, threads, owner)
        ends, places = np.unique(nodes, return_inverse=True)
        paths = [self.path(int(end)) for end in ends]
        starts = np.cumsum([0, *map(len, paths)])
        passed = np.array([node for path in paths for node in path])
        by_end = csr_matrix((np.ones(len(passed), dtype=np.int64), passed, starts), (len(ends), self.n_nodes))
        by_row = csr_matrix((np.ones(len(rows), dtype=np.int64), (rows, places)), (rows[-1] + 1, len(ends)))
        passes = by_row @ by_end
        passes.sort_indices()
        passes.data[:] = 1  # nodes above several ends of a row
        return passes

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
        return digest(self.opened())

    def to_text(self, style: str = "box", **options: Any) -> str:
        """The tree as text: "box" with lines, "counts" as the lectures print two classes, "weka" as J48 has
        it, or "markdown"."""
        if style not in TEXTS:
            raise BoughError(
                f"style={style!r} is not possible.{did_you_mean(style, TEXTS)}",
                code="parameter",
                hint="style is one of " + ", ".join(TEXTS) + ".",
            )
        return TEXTS[style](self, **options)

    def __str__(self) -> str:
        return box_text(self)

    def __repr__(self) -> str:
        what = "number" if self.classes is None else f"{len(self.classes)} classes"
        return f"Tree({self.n_leaves} leaves, depth {self.max_depth}, {len(self.fields)} columns, {what})"


TEXTS: dict[str, Callable[..., str]] = {
    "box": box_text,
    "counts": counts_text,
    "weka": weka_text,
    "markdown": markdown_text,
}
ARRAYS = tuple(f.name for f in fields(Tree) if f.metadata.get("array"))

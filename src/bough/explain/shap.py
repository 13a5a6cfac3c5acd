"""Shapley values of each answer, exact, for every kind of split: the tree is walked once for a block of rows.

For a row, the value of a set of columns is what the tree answers if it is told only these: a node that asks
for a known column sends the row its way, any other node sends it down all branches by the weight of their
training rows (or, with a background table, the way of a background row). A leaf is thus reached with a
product over the columns k of its path, o_k where the column is known and z_k where it is not, and the Shapley
value of column j is

    sum over leaves of  value * (o_j - z_j) * integral over t in [0, 1] of the product over k != j of
    t * o_k + (1 - t) * z_k,

because the integral of t^s (1 - t)^(d - 1 - s) is the weight of the sets of s columns. The product is a
polynomial, so that Gauss's rule with half as many points as columns is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.ingest import check_known, to_table
from bough.data.table import Table
from bough.errors import BoughError
from bough.pruning.routes import Router
from bough.tree import Ensemble, Tree
from bough.tree.condition import SPREAD, STAY, THRESHOLD

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

BLOCK = 1024  # rows: what is kept for a node then fits the cache
TINY = 1e-300  # in place of a factor of zero, under which everything is zero anyway


@dataclass(frozen=True)
class ShapValues:
    """`values`: rows by columns (by outputs, for classes): what each column adds to the answer. Together with
    `base_values`, the answer where nothing is known, they add up to `outputs`."""

    values: Floats
    base_values: Any
    feature_names: tuple[str, ...]

    @property
    def outputs(self) -> Floats:
        sums: Floats = self.values.sum(axis=1) + self.base_values
        return sums


def shap_values(
    model: Tree | Ensemble, data: Any, background: Any = None, owner: str = "the model"
) -> ShapValues:
    """What is explained: class shares or the mean of a tree and of averaged trees, shares of votes, and of
    summed trees the raw output, before the link."""
    table = _table(model, data, owner)
    others = None if background is None else _table(model, background, owner)
    if isinstance(model, Ensemble) and model.combine == "sum":
        classes, base = None, model.base.copy()
    else:
        classes = model.classes
        base = np.zeros(1 if classes is None else len(classes))
    values = np.zeros((len(base), len(model.fields), table.n_rows))
    for tree, node_values, outputs in _parts(model):
        # Shares add up to one, so that the last class follows from the others.
        free = outputs[:-1] if classes is not None and len(outputs) > 1 else outputs
        told = node_values[:, : len(free)]
        base[free] += _tree_values(tree, told, table, others, values, free)
    if classes is not None and len(base) > 1:
        values[-1] = -values[:-1].sum(axis=0)
        base[-1] = 1.0 - base[:-1].sum()
    by_row = values.transpose(2, 1, 0)
    names = tuple(field.name for field in model.fields)
    if len(base) == 1 and classes is None:
        return ShapValues(np.ascontiguousarray(by_row[:, :, 0]), float(base[0]), names)
    return ShapValues(np.ascontiguousarray(by_row), base, names)


def _table(model: Tree | Ensemble, data: Any, owner: str) -> Table:
    if isinstance(model, Ensemble):
        return model.table(data, owner)
    table = to_table(data, fields=model.fields, owner=owner, strict=model.rules.unseen == "error")
    check_known(table, model.rules.never_missing)
    return table


def _parts(model: Tree | Ensemble) -> Iterator[tuple[Tree, Floats, Longs]]:
    """The trees, what their nodes add to the outputs, and to which."""
    if isinstance(model, Tree):
        values = model.value if model.classes is None else model.shares
        yield model, values, np.arange(values.shape[1])
        return
    whole = 1.0 if model.combine == "sum" else model.weights.sum()
    for tree, weight, output in zip(model.trees, model.weights, model.output, strict=True):
        if model.combine == "vote" and (tree.classes is None or tree.spreads):
            what = "a weighted median" if tree.classes is None else "the vote of a row spread over leaves"
            raise BoughError(
                f"{what} is not a sum over trees, so it has no exact Shapley values.",
                code="model",
                hint="Explain its trees one by one: bough.explain.shap.shap_values(model.ensemble_[0], X).",
            )
        values = weight / whole * model.node_values(tree)
        yield tree, values, np.array([output]) if model.combine == "sum" else np.arange(values.shape[1])


def _tree_values(
    tree: Tree, node_values: Floats, table: Table, others: Table | None, into: Floats, outputs: Longs
) -> Floats:
    """Adds the tree's part to `into`, outputs by columns by rows; returns its answer to nothing known."""
    points = _quadrature(tree)
    known = Ways(tree, table)
    if others is None:
        covers = _covers(tree)
        for start in range(0, table.n_rows, BLOCK):
            rows = slice(start, min(start + BLOCK, table.n_rows))
            _Walk(tree, node_values, known, rows, covers, points).run(into[:, :, rows], outputs)
        return _expected(tree, node_values, covers)
    base = np.zeros(node_values.shape[1])
    unknown = Ways(tree, others)
    part = np.zeros((len(outputs), *into.shape[1:]))
    for row in range(others.n_rows):
        covers = _ways_of_row(tree, unknown, row)
        base += _expected(tree, node_values, covers)
        for start in range(0, table.n_rows, BLOCK):
            rows = slice(start, min(start + BLOCK, table.n_rows))
            _Walk(tree, node_values, known, rows, covers, points).run(
                part[:, :, rows], np.arange(len(outputs))
            )
    into[outputs] += part / others.n_rows
    return base / others.n_rows


def _quadrature(tree: Tree) -> tuple[Floats, Floats]:
    """Points and weights on [0, 1] that are exact for the columns of any one path."""
    # Breadth-first numbers: parents come first. Sets of columns as the bits of whole numbers of any size.
    asked = [0] * tree.n_nodes
    most = 1
    for node in range(1, tree.n_nodes):
        parent = int(tree.parent[node])
        asked[node] = asked[parent] | (1 << int(tree.feature[parent]))
        most = max(most, asked[node].bit_count())
    points, weights = np.polynomial.legendre.leggauss((most + 1) // 2)
    return (points + 1.0) / 2.0, weights / 2.0


def _covers(tree: Tree) -> Floats:
    """The share of its parent's training weight that each node has; what stays at a node belongs to none."""
    cover = np.ones(tree.n_nodes)
    cover[1:] = tree.weight[1:]
    below = np.bincount(tree.parent[1:], tree.weight[1:], tree.n_nodes)
    stays = tree.missing_child == STAY
    whole = np.where(stays, np.maximum(tree.weight, below), below)
    cover[1:] /= whole[tree.parent[1:]]
    return cover


def _expected(tree: Tree, node_values: Floats, cover: Floats) -> Floats:
    """The mean of the values where rows end that are sent down by these shares."""
    reach = np.ones(tree.n_nodes)
    for node in range(1, tree.n_nodes):
        reach[node] = reach[tree.parent[node]] * cover[node]
    gone = np.bincount(tree.parent[1:], reach[1:], tree.n_nodes)
    ends = np.where((tree.feature < 0) | (tree.missing_child == STAY), reach - gone, 0.0)
    expected: Floats = ends @ node_values
    return expected


class Ways:
    """Where rows go from each node: a share for each child."""

    def __init__(self, tree: Tree, table: Table) -> None:
        self.tree = tree
        self.columns = [column.values for column in table.columns]
        self.holes = [bool(np.isnan(values).any()) for values in self.columns]
        self.router = Router(tree, table)
        self.rows = np.arange(table.n_rows)

    def shares(self, node: int, rows: slice) -> Floats:
        """Children by rows; what is left to 1 stays at the node."""
        tree = self.tree
        column = int(tree.feature[node])
        count = int(tree.n_children[node])
        if tree.kind[node] == THRESHOLD and not self.holes[column] and count == 2:
            right = self.columns[column][rows] > tree.threshold[node]
            return np.stack([~right, right]).astype(np.float64)
        numbers = self.rows[rows]
        _, way = self.router.answers(np.full(len(numbers), node), numbers)
        shares: Floats = (way == np.arange(count)[:, None]).astype(np.float64)
        spread = way == SPREAD
        if spread.any():
            first = int(tree.first_child[node])
            weight = tree.weight[first : first + count]
            shares[:, spread] = (weight / weight.sum())[:, None]
        return shares


def _ways_of_row(tree: Tree, ways: Ways, row: int) -> Floats:
    cover = np.ones(tree.n_nodes)
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        first, count = int(tree.first_child[node]), int(tree.n_children[node])
        cover[first : first + count] = ways.shares(node, slice(row, row + 1))[:, 0]
    return cover


@dataclass
class _Edge:
    """The last answer on a column on the way down: shares of known and unknown, factor, and its part."""

    known: Floats
    unknown: float
    factor: Floats
    part: Floats


@dataclass
class _Frame:
    """A node on the way: factors of its path, branches not yet taken, sums of the leaves below it so far; the
    answer that led here, and the one on the same column before it."""

    node: int
    path: Floats
    branches: list[tuple[Floats, float, int]]
    total: Floats
    edge: _Edge | None
    before: _Edge | None


class _Walk:
    """One tree and one block of rows: down with the factors of the path, up with the sums of its leaves."""

    def __init__(
        self,
        tree: Tree,
        values: Floats,
        ways: Ways,
        rows: slice,
        cover: Floats,
        points: tuple[Floats, Floats],
    ) -> None:
        self.tree, self.values, self.ways, self.rows, self.cover = tree, values, ways, rows, cover
        self.t, self.w = points[0][:, None], points[1][:, None]
        self.edges: dict[int, _Edge] = {}

    def run(self, into: Floats, outputs: Longs) -> None:
        """An explicit stack: a tree may be deeper than Python's own."""
        if self.tree.feature[0] < 0:
            return
        self.into, self.outputs = into, outputs
        n_rows = self.rows.stop - self.rows.start
        stack = [self._frame(0, np.ones((len(self.t), n_rows)), None, None)]
        while stack:
            frame = stack[-1]
            if not frame.branches:
                stack.pop()
                if stack and frame.edge is not None:
                    stack[-1].total += frame.total
                    self._leave(int(self.tree.feature[stack[-1].node]), frame.edge, frame.before, frame.total)
                continue
            known, unknown, child = frame.branches.pop()
            if unknown == 0.0 and not known.any():
                continue
            column = int(self.tree.feature[frame.node])
            before = self.edges.get(column)
            edge, path = self._enter(before, known, unknown, frame.path)
            if child == frame.node or self.tree.feature[child] < 0:
                ends = self.values[child][:, None, None] * path
                frame.total += ends
                self._leave(column, edge, before, ends)
            else:
                self.edges[column] = edge
                stack.append(self._frame(child, path, edge, before))

    def _frame(self, node: int, path: Floats, edge: _Edge | None, before: _Edge | None) -> _Frame:
        total = np.zeros((len(self.outputs), *path.shape))
        return _Frame(node, path, self._branches(node), total, edge, before)

    def _branches(self, node: int) -> list[tuple[Floats, float, int]]:
        """Shares of the rows and of the unknown, and the node that answers or asks next."""
        tree = self.tree
        first, count = int(tree.first_child[node]), int(tree.n_children[node])
        known = self.ways.shares(node, self.rows)
        unknown = self.cover[first : first + count]
        branches = [(known[c], float(unknown[c]), first + c) for c in range(count)]
        if tree.missing_child[node] == STAY:
            left = max(0.0, 1.0 - float(unknown.sum()))
            branches.append((1.0 - known.sum(axis=0), left, node))
        return branches

    def _enter(
        self, before: _Edge | None, known: Floats, unknown: float, path: Floats
    ) -> tuple[_Edge, Floats]:
        if before is not None:
            known, unknown, path = known * before.known, unknown * before.unknown, path / before.factor
        factor = self.t * known
        factor += (1.0 - self.t) * unknown
        if unknown < TINY:
            np.maximum(factor, TINY, out=factor)
            below = path * np.where(known > 0, factor, 0.0)
        else:
            below = path * factor
        part = self.w * (known - unknown)
        part /= factor
        return _Edge(known, unknown, factor, part), below

    def _leave(self, column: int, edge: _Edge, before: _Edge | None, total: Floats) -> None:
        """The leaves below an answer on a column: for that column this answer counts, not the one before."""
        part = edge.part if before is None else edge.part - before.part
        added = np.einsum("qr,kqr->kr", part, total)
        for place, output in enumerate(self.outputs):
            self.into[output, column] += added[place]
        if before is not None:
            self.edges[column] = before
        else:
            self.edges.pop(column, None)

"""What rows share a leaf: how close rows are to each other, and the training rows behind a prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.ensemble.forest import Data
from bough.errors import BoughError
from bough.tree import Ensemble

Floats = NDArray[np.float64]

BLOCK = 2048  # rows that are looked at together
MOST_PAIRS = 200_000_000  # 1.6 GB
TIE = 1e-12  # sums of shares round


def leaf_matrix(ensemble: Ensemble, data: Any, threads: int, owner: str) -> Any:
    """A sparse matrix, rows by the nodes of all trees, with the row's share in each node where it ends."""
    from scipy.sparse import csr_matrix, hstack

    table = ensemble.table(data, owner)
    if not any(tree.spreads for tree in ensemble):
        starts = np.cumsum([0, *(tree.n_nodes for tree in ensemble)])
        ends = ensemble.apply(table, threads, owner) + starts[:-1]
        rows = np.arange(table.n_rows + 1) * len(ensemble)
        return csr_matrix((np.ones(ends.size), ends.ravel(), rows), (table.n_rows, int(starts[-1])))
    parts = []
    for tree in ensemble:
        rows, nodes, shares = tree.reach(table, threads, owner)
        parts.append(csr_matrix((shares, (rows, nodes)), (table.n_rows, tree.n_nodes)))
    return hstack(parts, format="csr")


def answering(ensemble: Ensemble, ends: Any) -> Any:
    """The same matrix with the training rows in mind that answer: a node that has stopped the row, or a leaf
    that no training row came to, gives way to where the rows of the node have ended, by their weights."""
    from scipy.sparse import csr_matrix, diags_array

    starts = np.cumsum([0, *(tree.n_nodes for tree in ensemble)])
    parent = np.concatenate([tree.parent + start for tree, start in zip(ensemble, starts, strict=False)])
    parent[starts[:-1]] = -1
    weight = np.concatenate([tree.weight for tree in ensemble])
    empty = weight == 0
    special = empty | np.concatenate([tree.first_child >= 0 for tree in ensemble])
    nodes = np.unique(ends.indices[special[ends.indices]])
    if not nodes.size:
        return ends
    source = np.where(empty[nodes], parent[nodes], nodes)
    asked = np.zeros(len(weight), dtype=bool)
    asked[source] = True
    below = parent >= 0
    ended = weight - np.bincount(parent[below], weight[below], len(weight))
    at = end = np.flatnonzero(ended > 0)
    above, under = [], []
    while at.size:  # from where rows have ended up to the roots
        above.append(at[asked[at]])
        under.append(end[asked[at]])
        end, at = end[parent[at] >= 0], parent[at][parent[at] >= 0]
    first, last = np.concatenate(above), np.concatenate(under)
    shape = (len(weight), len(weight))
    parts = csr_matrix((ended[last] / weight[first], (first, last)), shape)
    instead = csr_matrix((np.ones(len(nodes)), (nodes, source)), shape) @ parts
    kept = np.ones(len(weight))
    kept[nodes] = 0.0
    return (ends @ (diags_array(kept) + instead)).tocsr()


def proximity(ensemble: Ensemble, data: Any, others: Any, threads: int, owner: str) -> Floats:
    """Of each row and each of the others, the share of the trees in which they come to the same leaf."""
    own = leaf_matrix(ensemble, data, threads, owner)
    cells = own.shape[0] * (own.shape[0] if others is None else ensemble.table(others, owner).n_rows)
    if cells > MOST_PAIRS:
        raise BoughError(
            f"{cells:,} pairs of rows are too many for one matrix.",
            code="parameter",
            hint="Ask for some of the rows at a time: proximity(part, others).",
        )
    other = own if others is None else leaf_matrix(ensemble, others, threads, owner)
    together: Floats = (own @ other.T).toarray() / len(ensemble)
    return together


@dataclass(frozen=True)
class LeafSamples:
    """The training rows of every leaf: a sparse matrix, nodes of all trees by rows in ascending order of
    the target, with the row's share of the leaf's weight."""

    shares: Any
    target: Floats  # ascending

    @staticmethod
    def of(ensemble: Ensemble, data: Data, bags: _core.Bags) -> LeafSamples:
        from scipy.sparse import diags_array

        ends = leaf_matrix(ensemble, data.table, data.threads, "the model").tocoo()
        weights = data.row_weights()
        seen = np.column_stack([bags.counts(t) for t in range(len(ensemble))]).astype(np.float64)
        if weights is not None:
            seen *= weights[:, None]
        tree_of = np.repeat(np.arange(len(ensemble)), [tree.n_nodes for tree in ensemble])
        ends.data = ends.data * seen[ends.row, tree_of[ends.col]]
        ends.eliminate_zeros()
        order = np.argsort(data.target, kind="stable")
        by_node = ends.tocsc()[order].T.tocsr()
        totals = np.asarray(by_node.sum(axis=1)).ravel()
        scale = np.divide(1.0, totals, out=np.zeros(len(totals)), where=totals > 0)
        shares = (diags_array(scale) @ by_node).tocsr()
        return LeafSamples(shares, data.target[order].astype(np.float64))

    def quantiles(self, ensemble: Ensemble, data: Any, levels: Floats, threads: int, owner: str) -> Floats:
        """Rows by levels: the smallest target at which the rows' shares in the leaves reach the level."""
        ends = answering(ensemble, leaf_matrix(ensemble, data, threads, owner))
        out = np.empty((ends.shape[0], len(levels)))
        for first in range(0, ends.shape[0], BLOCK):
            mixed = (ends[first : first + BLOCK] @ self.shares).tocsr()
            mixed.sort_indices()
            for i in range(mixed.shape[0]):
                part = slice(mixed.indptr[i], mixed.indptr[i + 1])
                reached = np.cumsum(mixed.data[part])
                places = np.searchsorted(reached, levels * reached[-1] * (1 - TIE))
                out[first + i] = self.target[mixed.indices[part][places]]
        return out

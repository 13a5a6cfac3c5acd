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
        ends = leaf_matrix(ensemble, data, threads, owner)
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

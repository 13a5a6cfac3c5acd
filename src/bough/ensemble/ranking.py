"""Ranking: queries, the NDCG of an order, and LambdaMART's derivatives, which boosting follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.data.table import Table
from bough.data.target import number_target, weights
from bough.ensemble.losses import Loss
from bough.errors import BoughError
from bough.growing.settings import is_count, wrong

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

GIVE_QUERIES = "Give group=[rows of the first query, rows of the second, …], or qid=, the query of each row."
MOST_RELEVANT = 62.0  # 2 ** 62 - 1 is still counted exactly enough


@dataclass(frozen=True)
class Queries:
    """Which rows belong together: `order` puts them query by query, `start` is where each begins."""

    order: Longs
    start: Longs

    @classmethod
    def of(cls, n_rows: int, group: Any = None, qid: Any = None) -> Queries:
        """`group`: the number of rows of each query, in their order; `qid`: the query of each row. With
        neither, there is one query."""
        if group is not None and qid is not None:
            raise _wrong("both group and qid are given.")
        if qid is not None:
            numbers = np.asarray(qid)
            if numbers.shape != (n_rows,):
                raise _wrong(f"qid has the shape {numbers.shape}, X has {n_rows} rows.")
            try:
                if numbers.dtype.kind in "fmM" and np.isnan(numbers).any():
                    raise TypeError(qid)
                _, codes = np.unique(numbers, return_inverse=True)
            except TypeError:
                raise _wrong("qid has missing values, or values of several kinds.") from None
            sizes, order = np.bincount(codes), np.argsort(codes, kind="stable")
        else:
            try:
                given = np.array([n_rows]) if group is None else np.asarray(group)
            except ValueError:
                given = np.empty(0)
            # Each by itself, too: the sum of sizes beyond 2^63 may come out right.
            sizes_fit = (
                given.ndim == 1 and given.dtype.kind in "iu" and ((given > 0) & (given <= n_rows)).all()
            )
            if not sizes_fit or given.sum() != n_rows:
                raise _wrong(f"group is no list of sizes whose sum is the number of rows, {n_rows}.")
            sizes, order = given.astype(np.int64), np.arange(n_rows)
        return cls(order.astype(np.int64), np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    def arranged(self, table: Table, target: Floats, threads: int) -> Queries:
        """Rows of a query in an order that their content decides. Those of equal score have this order, which
        must neither depend on how they came nor tell anything of how relevant they are."""
        columns = [column.values for column in table.columns]
        key = np.empty(len(self.order), dtype=np.int64)
        key[_core.order_by_content(columns, np.ascontiguousarray(target), threads)] = np.arange(len(key))
        return Queries(np.lexsort((key, self.number)).astype(np.int64), self.start)

    def row_weights(self, given: Any) -> Floats | None:
        """Weights of rows, given for each row or for each query; None: all 1."""
        if given is None:
            return None
        n_rows, sizes = len(self.order), np.diff(self.start)
        shape = np.asarray(given).shape
        count = shape[0] if len(shape) == 1 else -1
        if count not in (n_rows, len(sizes)):
            raise BoughError(
                f"sample_weight has the shape {shape}; there are {n_rows} rows and {len(sizes)} queries.",
                code="parameter",
                hint="Give one number for each row, or one for each query: in the order of group, or of "
                "ascending qid.",
            )
        if count == n_rows:
            return weights(given, n_rows)
        each = weights(given, count, "query")
        if each is None:
            return None
        by_row = np.empty(n_rows)
        by_row[self.order] = np.repeat(each, sizes)
        return by_row

    def weights_of(self, w: Floats) -> Floats:
        """What each query counts: the mean of its rows."""
        means: Floats = np.add.reduceat(w[self.order], self.start[:-1]) / np.diff(self.start)
        return means

    def take(self, rows: NDArray[np.bool_]) -> Queries:
        """Those of the rows that the mask keeps; queries that lose all rows are gone."""
        place = np.cumsum(rows) - 1
        kept = rows[self.order]
        before = np.concatenate([[0], np.cumsum(kept)])
        return Queries(
            place[self.order[kept]].astype(np.int64), np.unique(before[self.start]).astype(np.int64)
        )

    @property
    def number(self) -> Longs:
        """The query of each row, rows in the order of the table."""
        numbers = np.empty(len(self.order), dtype=np.int64)
        numbers[self.order] = np.repeat(np.arange(len(self.start) - 1), np.diff(self.start))
        return numbers


def gains(y: Floats) -> Floats:
    """What a row of this relevance is worth in the first place: 2^y - 1."""
    bad = ~((y >= 0) & (y <= MOST_RELEVANT))
    if bad.any():
        row = int(bad.argmax())
        raise BoughError(
            f"the relevance y is {y[row]:g} in row {row}.",
            code="target",
            hint=f"Relevances are numbers from 0 to {MOST_RELEVANT:g}: 0 for rows that do not matter, 1, 2 … "
            "for better ones. Negative values in data cannot be ranked by.",
        )
    worth: Floats = np.exp2(y) - 1.0
    return worth


def check_relevant(worth: Floats, w: Floats | None = None) -> None:
    """An error unless some query that counts, by `w` of its rows, has a relevant row."""
    if not (worth if w is None else worth[w > 0]).any():
        which = "" if w is None else " of the queries with a weight"
        raise BoughError(
            f"the relevance y is 0 in every row{which}, so there is no order to judge.",
            code="target",
            hint="y is 0 for rows that do not matter, 1, 2 … for better ones.",
        )


def ndcg(
    y: Any,
    scores: Any,
    *,
    k: int | None = None,
    group: Any = None,
    qid: Any = None,
    sample_weight: Any = None,
) -> float:
    """The mean over queries of the discounted gain of the rows in the order of their scores, of the best
    order's; only the first k places count (None: all). Rows of equal score share their places evenly. A query
    without a relevant row does not count; there must be another. `sample_weight`: what each query counts, or
    each of its rows.

    >>> ndcg([0, 2, 1], [0.1, 0.9, 0.5])
    1.0
    """
    if k is not None and (not is_count(k) or k < 1):
        raise wrong("k", k, "a whole number from 1 up, or None")
    raw = np.asarray(scores, dtype=np.float64)
    if raw.ndim != 1 or not np.isfinite(raw).all():
        raise BoughError(
            "the scores are not one finite number for each row.", code="parameter", hint="Give predict(X)."
        )
    values = number_target(y, len(raw), "ndcg")
    queries = Queries.of(len(values), group, qid)
    worth, w = gains(values), queries.row_weights(sample_weight)
    check_relevant(worth, None if w is None else queries.weights_of(w)[queries.number])
    return _ndcg(worth, raw, queries, k, w)


def _ndcg(worth: Floats, raw: Floats, queries: Queries, k: int | None, w: Floats | None) -> float:
    found = query_ndcg(worth, raw, queries, k)
    count = np.ones(len(found)) if w is None else queries.weights_of(w)
    there = ~np.isnan(found) & (count > 0)
    return float(np.average(found[there], weights=count[there])) if there.any() else 1.0


def query_ndcg(worth: Floats, raw: Floats, queries: Queries, k: int | None) -> Floats:
    """Of each query; NaN of one without a relevant row."""
    reached, most = _discounted(worth, raw, queries, k), best_sums(worth, queries, k)
    shares: Floats = np.divide(reached, most, out=np.full(len(most), np.nan), where=most > 0)
    return shares


def best_sums(worth: Floats, queries: Queries, k: int | None = None) -> Floats:
    """The largest sum of discounted gains of each query."""
    return _discounted(worth, worth, queries, k)


def _discounted(worth: Floats, raw: Floats, queries: Queries, k: int | None) -> Floats:
    number = queries.number
    order = np.lexsort((-raw, number))
    place = np.arange(len(raw)) - np.repeat(queries.start[:-1], np.diff(queries.start))
    discount = np.where(place < (len(raw) if k is None else k), 1.0 / np.log2(place + 2.0), 0.0)
    # Rows of one score share their places: the order that they came in must not count as an answer.
    ranked = raw[order]
    first = np.flatnonzero((place == 0) | (ranked != np.roll(ranked, 1)))
    size = np.diff(np.append(first, len(raw)))
    discount = np.repeat(np.add.reduceat(discount, first) / size, size)
    sums: Floats = np.add.reduceat(worth[order] * discount, queries.start[:-1])
    return sums


class LambdaRank(Loss):
    """Pairs of rows of a query, each counted by the NDCG that its exchange changes; the mean is 1 - NDCG."""

    def __init__(self, queries: Queries, k: int | None, threads: int = 1) -> None:
        self.queries, self.k, self.threads = queries, k, threads

    def initial(self, y: Any, w: Floats | None) -> Floats:
        return np.zeros(1)

    def derivatives(self, y: Any, raw: Floats, gradient: Floats, hessian: Floats) -> None:
        order = self.queries.order
        worth = gains(y)
        g, h = np.empty(len(y)), np.empty(len(y))
        top = len(y) if self.k is None else min(self.k, len(y))
        most = best_sums(worth, self.queries)
        _core.lambdas(worth[order], raw[0][order], self.queries.start, most, top, g, h, self.threads)
        gradient[0, order] = g
        hessian[0, order] = h

    def mean(self, y: Any, raw: Floats, w: Floats | None) -> float:
        return 1.0 - _ndcg(gains(y), raw[0], self.queries, self.k, w)


def _wrong(what: str) -> BoughError:
    return BoughError(what, code="parameter", hint=GIVE_QUERIES)

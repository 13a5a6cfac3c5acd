"""Boosting for the order of rows within queries, behind the scikit-learn API: GradientBoostingRanker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from bough.data.encode import by_name
from bough.data.ingest import to_table
from bough.data.stages import profiled
from bough.data.table import Table
from bough.data.target import number_target
from bough.ensemble.forest import MOST_COPIES
from bough.ensemble.ranking import GIVE_QUERIES, LambdaRank, Queries, gains, ndcg
from bough.errors import BoughError, warn_caller
from bough.estimators.base import _random_state
from bough.estimators.boosting import BoostingEstimator, check_both, of_validation, part
from bough.estimators.elsewhere import own_arguments
from bough.estimators.importances import given_rows
from bough.growing import thread_count
from bough.growing.early import HeldOut
from bough.growing.settings import is_count, wrong

if TYPE_CHECKING:
    from bough.explain.importance import Importance

Floats = NDArray[np.float64]


class GradientBoostingRanker(BoostingEstimator):
    """Boosted trees whose answers order the rows of a query (LambdaMART); y is how relevant a row is."""

    predicts = "queries"
    ndcg_at: Any

    @own_arguments
    @profiled("fit")
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        group: Any = None,
        qid: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        group_val: Any = None,
        qid_val: Any = None,
        sample_weight_val: Any = None,
    ) -> GradientBoostingRanker:
        """`group`: the number of rows of each query, in their order; or `qid`: the query of each row. With
        neither, all rows are one query, and a warning says so; group=[len(y)] says that it is meant.
        `sample_weight`: one for each row, or for each query in the order of group, or of ascending qid;
        docs/boosting.md has their meaning. Rows of weight 0 are left out.

        `X_val`, `y_val`: other rows, to watch and (with early_stopping) to stop by; their queries are
        `group_val` or `qid_val`, as group and qid, and their weights `sample_weight_val`."""
        if self.ndcg_at is not None and (not is_count(self.ndcg_at) or self.ndcg_at < 1):
            raise wrong("ndcg_at", self.ndcg_at, "a whole number from 1 up, or None")
        self._check()
        self._check_target(y)
        owner = type(self).__name__
        table = by_name(to_table(X, owner=owner))
        target = number_target(y, table.n_rows, owner)
        gains(target)
        rows, queries = weighted(table, target, self._queries(table.n_rows, group, qid), sample_weight)
        of_them = {"group_val": group_val, "qid_val": qid_val, "sample_weight_val": sample_weight_val}
        check_both(X_val, y_val, **of_them)
        held_out, held_out_queries = None, queries
        if X_val is not None:
            with of_validation():
                other = to_table(X_val, fields=table.fields, owner=owner)
                target = number_target(y_val, other.n_rows, owner)
                gains(target)
                if (group is not None or qid is not None) and group_val is None and qid_val is None:
                    raise BoughError(
                        "their queries are not given.", code="parameter", hint="Give group_val= or qid_val=."
                    )
                held_out, held_out_queries = weighted(
                    other, target, Queries.of(other.n_rows, group_val, qid_val), sample_weight_val
                )
        elif self.early_stopping:
            chosen = self._held_out(queries)
            held_out, held_out_queries = part(rows, chosen), queries.take(chosen)
            rows, queries = part(rows, ~chosen), queries.take(~chosen)
        threads = thread_count(self.n_jobs)
        losses = (
            LambdaRank(queries.arranged(rows.table, rows.target, threads), self.ndcg_at, threads),
            LambdaRank(held_out_queries, self.ndcg_at, threads),
        )
        self._boost(X, rows, None, losses, held_out, X_val is not None)
        return self

    def _queries(self, n_rows: int, group: Any, qid: Any) -> Queries:
        """One query of all rows is hardly ever meant."""
        if group is None and qid is None:
            warn_caller(
                f"neither group nor qid is given: all {n_rows:,} rows are taken as one query. {GIVE_QUERIES} "
                f"If one query is meant: group=[{n_rows}]."
            )
        return Queries.of(n_rows, group, qid)

    def _held_out(self, queries: Queries) -> NDArray[np.bool_]:
        """The rows of a share of the queries."""
        count = len(queries.start) - 1
        drawn = round(self.validation_fraction * count)
        if not 0 < drawn < count:
            raise wrong(
                "early_stopping", True, f"False with {count} queries, unless X_val and y_val are given"
            )
        random = _random_state(0 if self.random_state is None else self.random_state)
        chosen: NDArray[np.bool_] = np.isin(queries.number, random.permutation(count)[:drawn])
        return chosen

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, group: Any = None, qid: Any = None
    ) -> float:
        """The mean NDCG of the queries, of the first `ndcg_at` places; `bough.evaluate` tells more."""
        scores = self.predict(X)
        self._queries(len(scores), group, qid)
        return ndcg(y, scores, k=self.ndcg_at, group=group, qid=qid, sample_weight=sample_weight)

    def importances(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        group: Any = None,
        qid: Any = None,
        method: str | None = None,
        groups: Any = None,
        folds: int = 5,
        repeats: int = 5,
        random_state: Any = 0,
    ) -> Importance:
        """How much each column matters: what the mean NDCG of the queries of X loses where the column's
        values change places among its rows, which should not be those of fit. `group` or `qid`: the queries,
        as in fit. method="gain": the shares in all gains on the training rows, which prefer columns of many
        values; it needs no rows."""
        from bough.explain.importance import permutation_importance

        if (X is None and y is None) or method not in (None, "permutation"):
            given: dict[str, Any] = {"method": method, "groups": groups, "folds": folds, "repeats": repeats}
            return super().importances(X, y, sample_weight, **given, random_state=random_state)
        if groups is not None:
            raise wrong("groups", groups, "not for rankers, whose queries are group or qid")
        if not is_count(repeats) or repeats < 1:
            raise wrong("repeats", repeats, "a whole number from 1 up")
        check_is_fitted(self)
        rows = given_rows(self, self.ensemble_, X, y, None)
        self._queries(rows.table.n_rows, group, qid)

        def score(table: Table) -> float:
            told = {"group": group, "qid": qid, "sample_weight": sample_weight}
            return ndcg(rows.target, self.ensemble_.predict(table), k=self.ndcg_at, **told)

        return permutation_importance(
            self.ensemble_, rows, repeats, check_random_state(random_state), score=score
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        return tags


def weighted(table: Table, target: Floats, queries: Queries, given: Any) -> tuple[HeldOut, Queries]:
    """The rows that have a weight, and their queries. Whole weights that differ within a query are copies of
    rows, which take more places of it."""
    w = queries.row_weights(given)
    rows = HeldOut(table, target, w)
    if w is None:
        return rows, queries
    number = queries.number
    alike = (w == queries.weights_of(w)[number]).all()
    if not alike and (w == np.floor(w)).all() and w.sum() <= MOST_COPIES * len(w):
        copies = np.repeat(np.arange(len(w)), w.astype(np.int64))
        rows = part(HeldOut(table, target), copies)
        return rows, Queries.of(len(copies), qid=number[copies])
    return (rows, queries) if w.all() else (part(rows, w > 0), queries.take(w > 0))

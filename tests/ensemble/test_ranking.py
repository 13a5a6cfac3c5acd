"""Ranking: NDCG as scikit-learn has it, LambdaMART's pairs by hand, and that it orders well."""

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from bough import BoughError, GradientBoostingRanker, GradientBoostingRegressor
from bough.data.ingest import to_table
from bough.ensemble.ranking import LambdaRank, Queries, best_sums, gains, ndcg


def queries_of(n_queries, seed=0):
    """Relevances 0 to 4; how high a query's are as a whole no column tells, only the order within it."""
    rng = np.random.default_rng(seed)
    size = rng.integers(8, 30, size=n_queries)
    qid = np.repeat(np.arange(n_queries), size)
    X = rng.normal(size=(len(qid), 8))
    level = rng.normal(scale=2.0, size=n_queries)[qid]
    worth = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(scale=0.5, size=len(qid))
    return X, np.clip(np.floor(worth + 1.0 + level), 0, 4), qid, size


@pytest.mark.parametrize("k", [None, 1, 3, 10])
def test_ndcg_is_that_of_scikit_learn(k):
    rng = np.random.default_rng(1)
    y, scores = rng.integers(0, 5, size=(20, 12)), rng.normal(size=(20, 12))
    expected = ndcg_score(2.0**y - 1, scores, k=k)
    assert ndcg(y.ravel(), scores.ravel(), k=k, group=[12] * 20) == pytest.approx(expected, rel=1e-12)
    mixed = rng.permutation(240)
    qid = np.repeat(np.arange(20), 12)[mixed]
    assert ndcg(y.ravel()[mixed], scores.ravel()[mixed], k=k, qid=qid) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("k", [None, 1, 3, 10])
def test_rows_of_equal_score_share_their_places(k):
    rng = np.random.default_rng(1)
    y, scores = rng.integers(0, 5, size=(20, 12)), rng.integers(0, 3, size=(20, 12))
    expected = ndcg_score(2.0**y - 1, scores, k=k)
    assert ndcg(y.ravel(), scores.ravel(), k=k, group=[12] * 20) == pytest.approx(expected, rel=1e-12)
    assert ndcg([2, 1, 0], [0, 0, 0]) == ndcg([0, 1, 2], [0, 0, 0]) < 1


def test_rows_that_come_in_their_best_order_stop_nothing_early():
    X, y, qid, _ = queries_of(60)
    best = np.lexsort((-y, qid))
    settings = {"early_stopping": True, "validation_fraction": 0.3, "random_state": 0}
    model = GradientBoostingRanker(n_estimators=60, **settings).fit(X[best], y[best], qid=qid[best])
    assert model.n_estimators_ > 1
    assert model.validation_loss_[0] > model.validation_loss_.min() + 0.05


def test_queries_without_a_relevant_row_do_not_count():
    assert ndcg([0, 0, 1, 0], [1.0, 2.0, 2.0, 1.0], group=[2, 2]) == 1.0


@pytest.mark.parametrize("k", [2, None])
def test_lambdas_pair_by_pair(k):
    rng = np.random.default_rng(2)
    y, raw = rng.integers(0, 3, size=11).astype(float), rng.normal(size=11)
    queries = Queries.of(11, group=[6, 5])
    expected_g, expected_h = np.zeros(11), np.zeros(11)
    most = best_sums(gains(y), queries)
    for q, rows in enumerate((range(6), range(6, 11))):
        place = {row: i for i, row in enumerate(sorted(rows, key=lambda r: -raw[r]))}
        for a in rows:
            for b in rows:
                if y[a] <= y[b] or (k is not None and min(place[a], place[b]) >= k):
                    continue
                discount = abs(1 / np.log2(place[a] + 2) - 1 / np.log2(place[b] + 2))
                change = (2 ** y[a] - 2 ** y[b]) * discount / most[q]
                wrong = 1 / (1 + np.exp(raw[a] - raw[b]))
                expected_g[a] -= wrong * change
                expected_g[b] += wrong * change
                expected_h[[a, b]] += wrong * (1 - wrong) * change
    for threads in (1, 2):
        g, h = np.empty((1, 11)), np.empty((1, 11))
        LambdaRank(queries, k, threads).derivatives(y, raw[None], g, h)
        assert g[0] == pytest.approx(expected_g, abs=1e-12)
        assert h[0] == pytest.approx(expected_h, abs=1e-12)


def test_lambdamart_orders_better_than_regression():
    X, y, qid, size = queries_of(300)
    X_new, y_new, qid_new, _ = queries_of(200, seed=1)
    given = {"n_estimators": 60, "max_leaf_nodes": 15}
    ranker = GradientBoostingRanker(**given, ndcg_at=10).fit(X, y, qid=qid)
    pointwise = GradientBoostingRegressor(**given).fit(X, y)
    lambdamart = ranker.score(X_new, y_new, qid=qid_new)
    assert lambdamart == ndcg(y_new, ranker.predict(X_new), k=10, qid=qid_new)
    assert lambdamart > ndcg(y_new, pointwise.predict(X_new), k=10, qid=qid_new) + 0.005
    assert (
        ranker.digest()
        == GradientBoostingRanker(**given, ndcg_at=10, n_jobs=2).fit(X, y, group=size).digest()
    )


def test_early_stopping_by_whole_queries():
    X, y, qid, _ = queries_of(80)
    given = {"n_estimators": 200, "early_stopping": True, "n_iter_no_change": 5, "validation_fraction": 0.25}
    model = GradientBoostingRanker(**given, learning_rate=0.3).fit(X, y, qid=qid)
    assert model.n_estimators_ < 200
    assert model.n_estimators_ == model.validation_loss_.argmin()
    X_val, y_val, qid_val, _ = queries_of(40, seed=4)
    other = GradientBoostingRanker(**given).fit(X, y, qid=qid, X_val=X_val, y_val=y_val, qid_val=qid_val)
    best = other.validation_loss_.min()
    assert 1 - other.score(X_val, y_val, qid=qid_val) == pytest.approx(best, abs=1e-12)


def test_what_cannot_be_ranked():
    X, y, qid, size = queries_of(5)
    with pytest.raises(BoughError, match="both group and qid"):
        GradientBoostingRanker().fit(X, y, group=size, qid=qid)
    with pytest.raises(BoughError, match="sum is the number of rows"):
        GradientBoostingRanker().fit(X, y, group=[3, 4])
    far = np.array([2**63 - 1, 2**63 - 1, len(y) + 2], dtype=np.uint64)  # in 64 bits their sum is right
    with pytest.raises(BoughError, match="sum is the number of rows"):
        GradientBoostingRanker().fit(X, y, group=far)
    with pytest.raises(BoughError, match="qid has the shape"):
        GradientBoostingRanker().fit(X, y, qid=qid[1:])
    with pytest.raises(BoughError, match="relevance y is -1 in row 2"):
        GradientBoostingRanker().fit(X, np.where(np.arange(len(y)) == 2, -1.0, y), qid=qid)
    with pytest.raises(BoughError, match="qid has missing values"):
        GradientBoostingRanker().fit(X, y, qid=[None, "a"] + ["b"] * (len(y) - 2))
    with pytest.raises(BoughError, match="qid has missing values"):
        GradientBoostingRanker().fit(X, y, qid=np.where(np.arange(len(y)) < 3, np.nan, qid))
    with pytest.raises(BoughError, match="sum is the number of rows"):
        GradientBoostingRanker().fit(X, y, group=[[1, 2], [3]])
    with pytest.raises(BoughError, match="ndcg_at"):
        GradientBoostingRanker(ndcg_at=0).fit(X, y)
    with pytest.raises(BoughError, match="False with 5 queries"):
        GradientBoostingRanker(early_stopping=True, validation_fraction=0.01).fit(X, y, qid=qid)
    with pytest.raises(BoughError, match="their queries are not given") as error:
        GradientBoostingRanker().fit(X, y, qid=qid, X_val=X, y_val=y)
    assert "group_val" in error.value.hint
    with pytest.raises(BoughError, match="qid_val is given without"):
        GradientBoostingRanker().fit(X, y, qid=qid, qid_val=qid)


def test_one_query_of_all_rows_is_told_unless_it_is_meant():
    X, y, _, _ = queries_of(5)
    model = GradientBoostingRanker(n_estimators=3)
    with pytest.warns(UserWarning, match=f"all {len(y)} rows are taken as one query") as told:
        model.fit(X, y)
    assert told[0].filename == __file__
    with pytest.warns(UserWarning, match="neither group nor qid"):
        found = model.score(X, y)
    assert model.score(X, y, group=[len(y)]) == found
    assert GradientBoostingRanker(n_estimators=3).fit(X, y, group=[len(y)]).digest() == model.digest()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"y": [0, 1], "scores": [1, 2, 3]}, "inconsistent numbers"),
        ({"y": [0, 1], "scores": [1, np.nan]}, "one finite number"),
        ({"y": None, "scores": [1, 2]}, "y is None"),
        ({"y": [0, 1], "scores": [1, 2], "k": 0}, "k=0"),
    ],
)
def test_what_has_no_ndcg(given, message):
    with pytest.raises(BoughError, match=message):
        ndcg(**given)


def test_the_order_of_rows_does_not_matter():
    X, y, qid, _ = queries_of(40)
    X = np.round(X)  # many rows of equal score, in every round
    expected = GradientBoostingRanker(n_estimators=15, min_samples_leaf=5).fit(X, y, qid=qid)
    for seed in range(3):
        mixed = np.random.default_rng(seed).permutation(len(y))
        model = GradientBoostingRanker(n_estimators=15, min_samples_leaf=5)
        model.fit(X[mixed], y[mixed], qid=qid[mixed])
        # The last bit of a leaf is that of a sum in the order of the rows.
        for tree, other in zip(model.ensemble_, expected.ensemble_, strict=True):
            assert tree.feature.tolist() == other.feature.tolist()
            assert tree.threshold.tolist() == other.threshold.tolist()
            assert tree.value == pytest.approx(other.value, abs=1e-12)


def test_rows_of_equal_score_are_not_ordered_by_relevance():
    X, y, qid, _ = queries_of(60)
    queries = Queries.of(len(y), qid=qid)
    table = to_table(X)
    order = queries.arranged(table, y, 1).order
    assert (qid[order] == qid).all()
    places = np.arange(len(y)) - queries.start[:-1][qid]
    assert abs(np.corrcoef(y[order], places)[0, 1]) < 0.1


PLAIN = {"n_estimators": 10, "min_samples_leaf": 1, "min_sum_hessian": 0.0}


def test_a_query_of_weight_two_is_a_query_twice():
    X, y, qid, size = queries_of(12)
    weight = np.array([1, 2, 0, 1, 3, 1, 1, 2, 1, 0, 1, 1])
    by_query = GradientBoostingRanker(**PLAIN).fit(X, y, weight, group=size)
    by_row = GradientBoostingRanker(**PLAIN).fit(X, y, weight[qid], qid=qid)
    assert by_query.digest() == by_row.digest()
    copies = [(q, c) for q in range(12) for c in range(weight[q])]
    rows = np.concatenate([np.flatnonzero(qid == q) for q, _ in copies])
    sizes = [size[q] for q, _ in copies]
    repeated = GradientBoostingRanker(**PLAIN).fit(X[rows], y[rows], group=sizes)
    assert by_query.predict(X) == pytest.approx(repeated.predict(X), abs=1e-9)
    # Rows that weigh more, even without whole numbers, and shares of a whole.
    halves = GradientBoostingRanker(**PLAIN).fit(X, y, weight[qid] * 0.5, qid=qid)
    assert halves.predict(X).shape == y.shape
    expected = ndcg(y[rows], by_query.predict(X[rows]), k=30, group=sizes)
    assert by_query.score(X, y, weight, group=size) == pytest.approx(expected, abs=1e-12)


def test_weights_that_differ_within_a_query():
    X, y, qid, _ = queries_of(12)
    weight = np.random.default_rng(0).integers(0, 3, size=len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    whole = GradientBoostingRanker(**PLAIN).fit(X, y, weight, qid=qid)
    repeated = GradientBoostingRanker(**PLAIN).fit(X[copies], y[copies], qid=qid[copies])
    assert whole.digest() == repeated.digest()
    shares = np.where(X[:, 3] > 0, 0.25, 1.5)
    queries = Queries.of(len(y), qid=qid)
    g, h = np.empty((1, len(y))), np.empty((1, len(y)))
    LambdaRank(queries.arranged(to_table(X), y, 1), 30).derivatives(y, np.zeros((1, len(y))), g, h)
    model = GradientBoostingRanker(**PLAIN | {"n_estimators": 1, "l2_regularization": 0.0})
    tree = model.fit(X, y, shares, qid=qid).ensemble_[0]
    root = -(shares * g[0]).sum() / (shares * h[0]).sum()
    assert tree.value[0, 0] == pytest.approx(root, abs=1e-6)


def test_weights_that_are_not_possible():
    X, y, qid, size = queries_of(5)
    with pytest.raises(BoughError, match=rf"{len(y)} rows and 5 queries") as error:
        GradientBoostingRanker().fit(X, y, [1.0, 2.0], qid=qid)
    assert "one for each query" in error.value.hint
    for bad in (np.full(5, -1.0), np.zeros(5), np.full(len(y), np.nan), ["a"] * 5):
        with pytest.raises(BoughError, match=r"sample[_ ]weight"):
            GradientBoostingRanker().fit(X, y, bad, group=size)
    with pytest.raises(BoughError, match="query 1 has the weight -1") as error:
        GradientBoostingRanker().fit(X, y, [1, -1, 1, 1, 1], group=size)
    assert "row" not in error.value.hint
    with pytest.raises(BoughError, match="X_val and y_val: sample_weight"):
        GradientBoostingRanker().fit(
            X, y, group=size, X_val=X, y_val=y, group_val=size, sample_weight_val=[1.0]
        )


def test_weights_of_held_out_queries():
    X, y, qid, size = queries_of(40)
    weight = np.random.default_rng(3).uniform(0.0, 2.0, size=40)
    model = GradientBoostingRanker(n_estimators=5)
    model.fit(X, y, group=size, X_val=X, y_val=y, qid_val=qid, sample_weight_val=weight)
    expected = 1 - model.score(X, y, weight, group=size)
    assert model.validation_loss_[-1] == pytest.approx(expected, abs=1e-12)
    assert expected != pytest.approx(1 - model.score(X, y, group=size), abs=1e-6)


def test_weights_of_one_for_each_query_change_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 3)), rng.integers(0, 4, 120)
    plain = GradientBoostingRanker(n_estimators=4).fit(X, y, group=[10] * 12)
    again = GradientBoostingRanker(n_estimators=4).fit(X, y, np.ones(12), group=[10] * 12)
    assert plain.digest() == again.digest()
    assert plain.score(X, y, np.ones(12), group=[10] * 12) == plain.score(X, y, group=[10] * 12)

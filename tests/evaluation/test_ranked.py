"""Tests of bough.evaluate and bough.compare on rankers: scikit-learn's NDCG, queries in folds, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.metrics import ndcg_score
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bough
from bough.evaluation.result import RankEvaluation

# Several figures are those of the very rows fitted on.
pytestmark = pytest.mark.filterwarnings("ignore:.* was fitted on these very rows")

SIZE, COUNT = 12, 40
QID = np.repeat(np.arange(COUNT), SIZE)
RANKER = bough.GradientBoostingRanker(n_estimators=15, min_samples_leaf=5)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(SIZE * COUNT, 4))
    return X, np.clip(np.round(X[:, 0] + rng.normal(scale=0.7, size=len(X)) + 1), 0, 4)


def sklearn_ndcg(y, scores, k=None):
    return ndcg_score(2 ** y.reshape(-1, SIZE) - 1, scores.reshape(-1, SIZE), k=k)


def test_figures_are_those_of_scikit_learn(rows):
    X, y = rows
    model = bough.GradientBoostingRanker(n_estimators=15).fit(X, y, qid=QID)
    found = bough.evaluate(model, X, y, qid=QID, cv=None, bootstrap=50)
    assert isinstance(found, RankEvaluation)
    assert list(found) == ["ndcg", "ndcg_at_1", "ndcg_at_5", "ndcg_at_10"]
    for name, k in (("ndcg", None), ("ndcg_at_1", 1), ("ndcg_at_5", 5), ("ndcg_at_10", 10)):
        assert float(found[name]) == pytest.approx(sklearn_ndcg(y, model.predict(X), k), abs=1e-12)
        assert found[name].baseline == pytest.approx(sklearn_ndcg(y, np.zeros(len(y)), k), abs=1e-12)
        assert found[name].low <= float(found[name]) <= found[name].high
    assert found.by_query.shape == (COUNT,)
    assert found.by_query.mean() == pytest.approx(float(found["ndcg"]), abs=1e-12)
    assert found.to_dict()["queries"] == COUNT
    assert "480 rows of 40 queries; baseline: any order" in str(found)
    by_size = bough.evaluate(model, X, y, group=[SIZE] * COUNT, cv=None, bootstrap=50)
    assert by_size.to_dict() == found.to_dict()


def test_folds_keep_queries_whole(rows):
    X, y = rows
    found = bough.evaluate(RANKER, X, y, qid=QID, cv=GroupKFold(4), bootstrap=0)
    scores = np.empty(len(y))
    for kept, left in GroupKFold(4).split(X, y, QID):
        scores[left] = (
            bough.GradientBoostingRanker(**RANKER.get_params())
            .fit(X[kept], y[kept], qid=QID[kept])
            .predict(X[left])
        )
    assert float(found["ndcg"]) == pytest.approx(sklearn_ndcg(y, scores), abs=1e-12)
    shuffled = np.random.default_rng(1).permutation(len(y))
    other = bough.evaluate(RANKER, X[shuffled], y[shuffled], qid=QID[shuffled], cv=4, bootstrap=0)
    for fold in range(4):
        inside = other.answers.fold == fold
        assert not set(other.answers.queries[inside]) & set(other.answers.queries[~inside])
    with pytest.raises(bough.BoughError, match="cuts queries apart") as error:
        bough.evaluate(RANKER, X, y, qid=QID, cv=KFold(7))
    assert "GroupKFold" in error.value.hint
    first, rest = np.flatnonzero(QID < 5), np.flatnonzero(QID >= 5)
    for folds in ([(rest[3:], first)], [(rest, first[:-2])]):  # no query is on both sides
        with pytest.raises(bough.BoughError, match="cuts queries apart: 1 lack rows in a fold"):
            bough.evaluate(RANKER, X, y, qid=QID, cv=folds)
    bough.evaluate(RANKER, X, y, qid=QID, cv=[(rest[rest >= 80 * 3], first)], bootstrap=0)


def test_queries_count_by_their_weight(rows):
    X, y = rows
    model = bough.GradientBoostingRanker(n_estimators=5).fit(X, y, qid=QID)
    weight = np.arange(COUNT, dtype=float)
    given = {"qid": QID, "cv": None, "bootstrap": 0}
    plain = bough.evaluate(model, X, y, **given)
    by_query = bough.evaluate(model, X, y, **given, sample_weight=weight)
    assert float(by_query["ndcg"]) == pytest.approx(np.average(plain.by_query, weights=weight), abs=1e-12)
    by_row = bough.evaluate(model, X, y, **given, sample_weight=weight[QID])
    assert by_row.to_dict() == by_query.to_dict()


def test_a_query_without_a_relevant_row_does_not_count(rows):
    X, y = rows
    model = bough.GradientBoostingRanker(n_estimators=5).fit(X, y, qid=QID)
    few = np.where(QID == 3, 0.0, y)
    found = bough.evaluate(model, X, few, qid=QID, cv=None, bootstrap=20)
    assert np.flatnonzero(np.isnan(found.by_query)).tolist() == [3]
    assert float(found["ndcg"]) == pytest.approx(np.nanmean(found.by_query), abs=1e-12)
    with pytest.raises(bough.BoughError, match="no order to judge"):
        bough.evaluate(model, X, y * 0, qid=QID)
    with pytest.raises(bough.BoughError, match="no order to judge"):
        model.score(X, y * 0, qid=QID)
    with pytest.raises(bough.BoughError, match="of the queries with a weight, so there is no order"):
        model.score(X, np.where(QID == 3, y, 0), (QID != 3).astype(float), qid=QID)
    assert 0 < model.score(X, np.where(QID == 3, y, 0), (QID == 3).astype(float), qid=QID) <= 1


def test_folds_without_a_relevant_row_have_no_part_in_the_standard_error(rows):
    X, y = rows
    few = np.where(QID < 10, 0, y)
    folds = [(np.flatnonzero(k != QID // 10), np.flatnonzero(k == QID // 10)) for k in range(4)]
    found = bough.evaluate(RANKER, X, few, qid=QID, cv=folds, bootstrap=0)
    scores = [found.by_query[k * 10 : k * 10 + 10].mean() for k in range(1, 4)]
    assert found.standard_error == pytest.approx(np.std(scores, ddof=1) / np.sqrt(3), abs=1e-12)


def test_rankers_and_regressors_side_by_side(rows):
    X, y = rows
    models = {
        "ranker": RANKER,
        "regressor": make_pipeline(StandardScaler(), bough.DecisionTreeRegressor(max_depth=3)),
        "constant": DummyRegressor(),
    }
    found = bough.compare(models, X, y, qid=QID, cv=4, bootstrap=100)
    assert "480 rows of 40 queries; baseline: any order" in found.note
    constant = found.evaluations["constant"]
    assert float(constant["ndcg"]) == pytest.approx(constant["ndcg"].baseline, abs=1e-12)
    worse = found.difference("constant", "ndcg")
    assert worse.clear
    assert not worse.better
    assert abs(found.difference("regressor", "ndcg").value) < 0.1
    assert "NDCG@5" in str(found)


def test_without_queries_nothing_is_judged(rows):
    X, y = rows
    for ask in (bough.evaluate, lambda m, *data: bough.compare([m, m], *data)):
        with pytest.raises(bough.BoughError, match="no queries are given") as error:
            ask(RANKER, X, y)
        assert "qid=" in error.value.hint
    with pytest.raises(bough.BoughError, match="Leave groups out"):
        bough.evaluate(RANKER, X, y, qid=QID, groups=QID)
    with pytest.raises(bough.BoughError, match="answers with classes"):
        bough.evaluate(bough.DecisionTreeClassifier(), X, y, qid=QID)
    with pytest.raises(bough.BoughError, match="qid has the shape"):
        bough.evaluate(RANKER, X, y, qid=QID[1:])

"""Rankers in select, learning_curve and complexity_curve: whole queries, NDCG, or a clear refusal."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import bough
from bough import BoughError, GradientBoostingRanker, GradientBoostingRegressor

RANDOM = np.random.default_rng(3)
QID = RANDOM.permutation(np.repeat(np.arange(30), 8))  # the rows of a query are not together
X = pd.DataFrame({"a": RANDOM.normal(size=240), "b": RANDOM.normal(size=240)})
Y = np.clip(np.round(X["a"] + RANDOM.normal(size=240) * 0.3 + 1), 0, 3).to_numpy()
RANKER = GradientBoostingRanker(n_estimators=5, min_samples_leaf=5)
ASKED = {
    "select": lambda **more: bough.select(RANKER, X, Y, {"max_depth": [1, 3]}, cv=3, **more),
    "learning_curve": lambda **more: bough.learning_curve(RANKER, X, Y, cv=3, **more),
    "complexity_curve": lambda **more: bough.complexity_curve(
        RANKER, X, Y, parameter="n_estimators", values=[1, 4], cv=3, **more
    ),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_a_ranker_without_queries_is_refused(ask):
    with pytest.raises(BoughError, match=r"(?s)GradientBoostingRanker orders the rows .*qid") as caught:
        ask()
    assert caught.value.code == "parameter"
    with pytest.raises(BoughError, match="X has 240 rows"):
        ask(qid=QID[1:])


def test_group_says_the_same_as_qid():
    order = np.argsort(QID, kind="stable")
    by_qid = ASKED["select"](qid=QID)
    found = bough.select(RANKER, X.iloc[order], Y[order], {"max_depth": [1, 3]}, cv=3, group=[8] * 30)
    assert [one.mean for one in found.candidates] == pytest.approx([one.mean for one in by_qid.candidates])


def test_select_scores_as_evaluate_does():
    folds = [(fit, left) for fit, left in GroupKFold(3).split(X, Y, QID)]
    found = bough.select(RANKER, X, Y, {"max_depth": [1, 3]}, cv=folds, qid=QID)
    for one in found.candidates:
        model = GradientBoostingRanker(n_estimators=5, min_samples_leaf=5, **one.params)
        parts = []
        for fit, left in folds:
            copy = model.fit(X.iloc[fit], Y[fit], qid=QID[fit])
            parts.append(bough.evaluate(copy, X.iloc[left], Y[left], cv=None, qid=QID[left])["ndcg"].value)
        assert one.scores == pytest.approx(tuple(parts))
    assert "NDCG" in str(found)
    best = GradientBoostingRanker(n_estimators=5, min_samples_leaf=5, **found.best.params)
    assert found.best_estimator_.digest() == best.fit(X, Y, qid=QID).digest()


def test_several_kinds_are_compared_and_pipelines_work():
    piped = make_pipeline(FunctionTransformer(), RANKER)
    found = bough.select(
        {"ranker": RANKER, "number": GradientBoostingRegressor(n_estimators=5), "pipe": piped},
        X, Y, cv=3, qid=QID,
    )  # fmt: skip
    scores = {one.name: one.mean for one in found.candidates}
    assert scores["ranker"] == scores["pipe"]
    assert all(0.5 < score <= 1 for score in scores.values())


def test_curves():
    found = bough.learning_curve(RANKER, X, Y, sizes=[0.25, 1.0], cv=3, qid=QID)
    assert found["queries"] == [5, 20]
    assert all(0 <= error < 0.6 for error in found["held_out_error"] + found["training_error"])
    assert bough.learning_curve(RANKER, X, Y, sizes=[5, 20], cv=3, qid=QID) == found
    curve = bough.complexity_curve(RANKER, X, Y, parameter="n_estimators", values=[1, 40], cv=3, qid=QID)
    assert curve["n_estimators"] == [1, 40]
    assert curve["training_error"][1] < curve["training_error"][0]
    chosen = bough.select(RANKER, X, Y, {"n_estimators": [1, 40]}, cv=3, qid=QID)
    assert curve["held_out_error"] == pytest.approx([1 - one.mean for one in chosen.candidates])


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"scoring": "r2"}, "scoring='r2' is not possible where queries are given"),
        ({"cv": list(KFold(3).split(X))}, "cv cuts queries apart"),
        ({"cv": 1}, "cv=1 is not possible"),
        ({"rule": "1-se"}, "compares numbers of leaves"),
        ({"group": [8] * 30}, "group"),
    ],
    ids=["scoring", "halves", "one fold", "leaves", "both"],
)
def test_what_select_refuses(more, says):
    with pytest.raises(BoughError, match=says):
        bough.select(RANKER, X, Y, {"max_depth": [1, 3]}, **({"cv": 3, "qid": QID} | more))


def test_what_else_is_refused():
    with pytest.raises(BoughError, match="answers with classes"):
        bough.select(bough.DecisionTreeClassifier(), X, Y, cv=3, qid=QID)
    with pytest.raises(BoughError, match="is 0 in every row"):
        bough.select(RANKER, X, np.zeros(240), cv=3, qid=QID)
    for sizes in ([0.0], [21], ["x"], [1.5], [True]):
        with pytest.raises(BoughError, match="sizes="):
            bough.learning_curve(RANKER, X, Y, sizes=sizes, cv=3, qid=QID)
    with pytest.raises(BoughError, match='no parameter "max_dept"'):
        bough.select(RANKER, X, Y, {"max_dept": [1]}, cv=3, qid=QID)

"""The report of a ranker: NDCG on whole queries left out, as `evaluate` tells it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bough
from bough import GradientBoostingRanker
from reporting.parsed import Report

RANDOM = np.random.default_rng(5)
QID = RANDOM.permutation(np.repeat(np.arange(30), 8))
X = {"good": RANDOM.normal(size=240), "noise": RANDOM.normal(size=240)}
NEW = {name: values + 0.1 for name, values in X.items()}
Y = np.clip(np.round(X["good"] + RANDOM.normal(size=240) * 0.2 + 1), 0, 3)
RANKER = GradientBoostingRanker(n_estimators=15, min_samples_leaf=5, random_state=0)


@pytest.fixture(scope="module")
def text() -> str:
    model = GradientBoostingRanker(**RANKER.get_params()).fit(X, Y, qid=QID)
    return bough.report(model, X, Y, qid=QID, cv=5, test=(NEW, Y, QID))


def test_figures_are_those_of_evaluate(text: str) -> None:
    found = bough.evaluate(RANKER, X, Y, qid=QID, cv=5)
    page = Report(text)
    told = {row.attributes["data-figure"]: float(row.attributes["data-value"])
            for row in page.rows["quality"] if "data-figure" in row.attributes}  # fmt: skip
    assert told == {name: figure.value for name, figure in found.figures.items()}
    spread = {float(row.attributes["data-quantile"]): float(row.cells[1])
              for row in page.rows["quality"] if "data-quantile" in row.attributes}  # fmt: skip
    assert spread == {q: round(float(np.quantile(found.by_query, q)), 3) for q in (0, 0.25, 0.5, 1)}
    assert page.tiles["ndcg"].startswith(f"{found['ndcg'].value:.3f} ± ")
    assert "30 queries." in page.texts["quality"]


def test_the_parts(text: str) -> None:
    page = Report(text)
    assert 'id="rows"' not in text
    assert "#rows" not in text
    lines = [row for row in page.rows["columns"] if "data-column" in row.attributes]
    columns = {row.attributes["data-column"]: row.cells for row in lines}
    assert list(columns) == ["good", "noise"]
    assert float(columns["good"][3].split(" ± ")[0]) > 0.1
    assert "how much the NDCG falls" in page.texts["columns"]
    assert "any order would have" in page.texts["summary"]
    assert ".fit(X, y, qid=qid)" in page.texts["reproduce"]
    assert "Hardly better" not in page.texts["check"]


def test_noise_is_no_better_than_any_order() -> None:
    y = RANDOM.integers(0, 3, 240)
    model = GradientBoostingRanker(**RANKER.get_params()).fit(X, y, qid=QID)
    assert "reaches that of any order" in Report(bough.report(model, X, y, qid=QID, cv=5)).texts["check"]


def test_groups_weights_and_too_few_queries() -> None:
    order = np.argsort(QID, kind="stable")
    sorted_x = {name: values[order] for name, values in X.items()}
    weights = np.ones(30)
    weights[3] = 0
    model = GradientBoostingRanker(**RANKER.get_params())
    model.fit(sorted_x, Y[order], weights, group=[8] * 30)
    page = Report(bough.report(model, sorted_x, Y[order], sample_weight=weights, group=[8] * 30, cv=3))
    assert "29 queries." in page.texts["quality"]
    one = model.fit(X, Y, group=[240])
    assert "training rows" in Report(bough.report(one, X, Y, group=[240])).texts["check"]


@pytest.mark.parametrize(
    "test", [(NEW, Y), (NEW,), (NEW, Y, QID, QID), NEW], ids=["two", "one", "four", "dict"]
)
def test_the_queries_of_test_rows_are_asked_for(test: Any) -> None:
    model = GradientBoostingRanker(n_estimators=2).fit(X, Y, qid=QID)
    with pytest.raises(bough.BoughError, match=r"test=\(X, y, qid\)"):
        bough.report(model, X, Y, qid=QID, test=test)
    other = bough.DecisionTreeRegressor(max_depth=1).fit(X, Y)
    if len(test) != 2 or test is NEW:
        with pytest.raises(bough.BoughError, match=r"test=\(X, y\)"):
            bough.report(other, X, Y, test=test)

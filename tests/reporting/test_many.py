"""Tests of the report of many trees: its numbers are the model's, its names are only text."""

from __future__ import annotations

import dataclasses
import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bough
from bough.data.examples import load
from bough.evaluation.answers import Answers
from bough.evaluation.trees_curve import beginning, rounds
from bough.reporting.rows_part import chosen_rows, costs_said
from bough.reporting.shap_summary import shap_summary
from reporting.parsed import Report
from reporting.test_report import HOSTILE, mass

PARTS = ["summary", "check", "parameters", "quality", "columns", "rows", "tree", "missing", "reproduce"]
CASES: dict[str, tuple[Any, Any]] = {
    "forest": (
        bough.RandomForestClassifier(n_estimators=30, oob_score=True, min_samples_leaf=5, random_state=0),
        lambda: load("titanic"),
    ),
    "boosting of classes": (
        bough.GradientBoostingClassifier(n_estimators=12, max_leaf_nodes=6, random_state=0),
        lambda: load("penguins"),
    ),
    "boosting of numbers": (
        bough.GradientBoostingRegressor(early_stopping=True, max_leaf_nodes=6, random_state=0),
        mass,
    ),
    "adaboost": (bough.AdaBoostClassifier(n_estimators=12), lambda: load("titanic")),
    "median": (bough.AdaBoostRegressor(n_estimators=5), mass),
}


@pytest.fixture(scope="module", params=list(CASES))
def made(request: pytest.FixtureRequest) -> tuple[Any, Any, Any, Report, str]:
    model, data = CASES[request.param]
    X, y = data()
    model.fit(X, y)
    text = bough.report(model, X, y, source="some.csv", target="aim", cv=3, tree=2)
    return model, X, y, Report(text), text


def test_all_parts_are_there(made: Any) -> None:
    model, *_, page, text = made
    assert re.findall(r'<section id="([a-z]+)"', text) == PARTS
    links = [given["href"] for tag, given in page.tags if tag == "a"]
    assert links == [f"#{name}" for name in PARTS]
    assert re.search(rf"<h1>aim: .*{len(model)} .*trees", text)
    assert f"Tree 2 of {len(model)}" in page.texts["tree"]
    assert "tree=2" in page.texts["reproduce"]
    assert model.digest() in page.texts["reproduce"]
    for name, value in model._changed().items():
        assert [name, repr(value)] in [row.cells for row in page.rows["parameters"]]


def test_figures_are_those_of_evaluate(made: Any) -> None:
    model, X, y, page, _ = made
    found = bough.evaluate(model, X, y, cv=3)
    shown = {
        row.attributes["data-figure"]: float(row.attributes["data-value"])
        for row in page.body("quality", "data-figure")
    }
    assert shown
    for name, value in shown.items():
        assert value == found[name].value
    first = "rmse" if "rmse" in found else "accuracy"
    assert first in page.tiles
    assert f"{len(model)} trees" in page.tiles["trees"]


def test_the_recorded_curve_is_the_attribute(made: Any) -> None:
    model, *_, page, _ = made
    drawn = [given["data-curve"] for _, given in page.tags if "data-curve" in given]
    points = [[float(x) for x in point.split()] for point in drawn[0].split(";")] if drawn else []
    if hasattr(model, "oob_curve_"):
        assert points == model.oob_curve_.tolist()
    elif hasattr(model, "estimator_errors_"):
        assert [y for _, y in points] == model.estimator_errors_.tolist()
    elif len(model.validation_loss_):
        assert [y for _, y in points] == model.validation_loss_.tolist()
    else:
        assert len(points) == 1 + model.n_estimators_
        assert [y for _, y in points] == model._late_losses().tolist()


def test_shares_and_shapley_values_of_the_columns(made: Any) -> None:
    model, X, y, page, _ = made
    shares = dict(zip(X, model.feature_importances_, strict=True))
    for row in page.body("columns", "data-share"):
        share = shares[row.attributes["data-column"]]
        assert float(row.attributes["data-share"]) == pytest.approx(share, abs=1e-6)
    rows = page.body("columns", "data-shap")
    if model.ensemble_.combine == "vote" and model.ensemble_.classes is None:
        assert not rows
        assert "no exact Shapley values" in page.texts["columns"]
        return
    n = len(y)
    chosen = np.sort(np.random.default_rng(0).permutation(n)[:300])
    values = model.shap_values({name: [column[i] for i in chosen] for name, column in X.items()}).values
    means = np.abs(values).mean(axis=0) if values.ndim == 2 else np.abs(values).mean(axis=(0, 2))
    shown = {row.attributes["data-shap"]: float(row.attributes["data-value"]) for row in rows}
    assert shown == pytest.approx(dict(zip(X, means, strict=True)), rel=1e-12)
    assert list(shown) == sorted(shown, key=lambda name: -shown[name])


def test_columns_stand_in_the_order_that_rows_left_out_give(made: Any) -> None:
    *_, page, _ = made
    rows = page.body("columns", "data-share")
    lost = [float(row.cells[3].split(" ")[0].replace(",", "").replace("−", "-")) for row in rows]
    assert lost == sorted(lost, reverse=True)
    assert "columns of many values are favoured" in page.texts["columns"]


@pytest.mark.parametrize("rows_for_folds", [True, False])
def test_noise_of_many_values_is_not_what_matters(rows_for_folds: bool) -> None:
    rng = np.random.default_rng(0)
    signal = rng.integers(0, 2, 600)
    X: dict[str, Any] = {"noise": [f"id{k}" for k in rng.integers(0, 300, 600)], "signal": signal.tolist()}
    y = rng.random(600) < 0.2 + 0.6 * signal
    if not rows_for_folds:
        X, y = {name: [*values[:6], values[-1]] for name, values in X.items()}, np.array([True] * 6 + [False])
    model = bough.RandomForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    page = Report(bough.report(model, X, y, cv=3))
    assert "columns of many values are favoured" in page.texts["columns"]
    if rows_for_folds:
        assert model.importances(method="gain").ranking[0][0] == "noise"
        assert page.body("columns", "data-share")[0].attributes["data-column"] == "signal"
        assert "On rows left out signal matters most." in page.texts["summary"]
    else:
        assert "matter" not in page.texts["summary"]


def test_there_is_a_dot_for_each_row(made: Any) -> None:
    *_, y, page, text = made
    strips = re.search(r"a dot for each of (\d+) rows</title>(.*?)</svg>", text, re.DOTALL)
    if "no exact Shapley values" in page.texts["columns"]:
        assert strips is None
        return
    assert int(strips[1]) == min(300, len(y))
    columns = len(page.body("columns", "data-shap"))
    assert strips[2].count("h0") == int(strips[1]) * min(10, columns) + 4  # and the legend


def test_empty_cells(made: Any) -> None:
    _, X, _, page, _ = made
    empty = {name: sum(value is None for value in values) for name, values in X.items()}
    shown = {
        row.attributes["data-column"]: int(row.attributes["data-empty"])
        for row in page.body("missing", "data-empty")
    }
    assert shown == {name: n for name, n in empty.items() if n}


def test_beginnings_are_what_staged_answers_are() -> None:
    X, y = load("penguins")
    model = bough.GradientBoostingClassifier(n_estimators=6, max_leaf_nodes=4, random_state=0).fit(X, y)
    assert rounds(model.ensemble_) == 6
    for count, answers in enumerate(model.staged_predict(X), 1):
        assert beginning(model.ensemble_, count).predict(X).tolist() == answers.tolist()


def test_no_shapley_values_of_too_many_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    from bough.reporting import shap_summary as module

    monkeypatch.setattr(module, "MOST_NODES", 10)
    X, y = load("titanic")
    model = bough.RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    assert shap_summary(model.ensemble_, None) is None  # type: ignore[arg-type]


def test_hostile_names_are_only_text() -> None:
    rng = np.random.default_rng(0)
    X: dict[str, Any] = {name: rng.random(90) for name in HOSTILE}
    X["kind"] = [HOSTILE[i % len(HOSTILE)] for i in range(90)]
    y = [HOSTILE[1] if value > 0.5 else HOSTILE[0] for value in X[HOSTILE[2]]]
    for model in (
        bough.RandomForestClassifier(n_estimators=5, oob_score=False, random_state=0),
        bough.GradientBoostingClassifier(n_estimators=4, random_state=0),
    ):
        text = bough.report(model.fit(X, y), X, y, title=HOSTILE[0], target=HOSTILE[1], cv=2)
        page = Report(text)
        assert not [given for _, given in page.tags if any(name.startswith("on") for name in given)]
        scripts = [given for tag, given in page.tags if tag == "script"]
        assert len(scripts) == 2  # the data of the tree, and the page's own
        assert "\u202e" not in text
        assert html.escape(HOSTILE[1]) in text


def test_what_has_no_report(tmp_path: Path) -> None:
    X, y = load("titanic")
    with pytest.raises(bough.BoughError, match="Fit it first"):
        bough.report(bough.RandomForestClassifier(), X, y)
    model = bough.RandomForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    for wrong in (3, -1, "first"):
        with pytest.raises(bough.BoughError, match="from 0 to 2"):
            bough.report(model, X, y, tree=wrong)  # type: ignore[arg-type]
    ranks = np.arange(40) % 3
    ranker = bough.GradientBoostingRanker(n_estimators=2).fit(
        np.arange(80.0).reshape(40, 2), ranks, group=[20, 20]
    )
    with pytest.raises(bough.BoughError, match="ranks no rows"):
        bough.report(bough.GradientBoostingRegressor().fit([[1], [2]] * 30, [1, 2] * 30), [[1]], [1], qid=[1])
    with pytest.raises(bough.BoughError, match="no queries are given"):
        bough.report(ranker, np.arange(80.0).reshape(40, 2), ranks)


def test_some_rows_are_explained_by_what_each_column_adds(made: Any) -> None:
    model, X, y, page, text = made
    if isinstance(model, bough.AdaBoostRegressor):
        assert "Not explained: " in page.texts["rows"]
        return
    part = text[text.index('<section id="rows"') : text.index('<section id="tree"')]
    boxes = part.split('<div class="box">')[1:]
    assert len(boxes) == 3
    for one in boxes:
        number = int(re.search(r": row ([\d,]+)</h3>", one)[1].replace(",", ""))
        told = model.explain({name: values[number] for name, values in X.items()})
        base, raw = (float(re.search(rf'data-{name}="([^"]+)"', one)[1]) for name in ("base", "raw"))
        amounts = [float(value) for value in re.findall(r'data-amount="([^"]+)"', one)]
        assert (base, raw) == (told.base, told.raw)
        assert base + sum(amounts) == pytest.approx(raw, abs=1e-9)
        assert amounts[0] == told.contributions[0].amount
        truth = str(y[number]) if isinstance(y[number], str) else f"{y[number]:.4g}"
        assert f"True: <b>{truth}</b>" in one
        assert "Not seen: " in one


def test_the_rows_are_those_that_they_are_said_to_be() -> None:
    """By the definition, row by row, on answers in the order of folds."""
    shares = np.array([[0.9, 0.1], [0.45, 0.55], [0.2, 0.8], [0.05, 0.95], [0.05, 0.95]])
    rows, truth = np.array([4, 2, 0, 3, 1]), np.array([1, 1, 0, 1, 1])
    ones = np.ones(5)
    given = shares.argmax(axis=1)
    answers = Answers(rows, np.zeros(5), truth, given, np.array(["a", "b"]), shares, shares[:, 1], ones, 2)
    found = {title: int(rows[place]) for title, place in chosen_rows(answers).items()}
    assert found == {"Most wrong": 4, "Least certain": 2, "Most certain, and right": 1}
    costly = dataclasses.replace(answers, given=np.array([1, 1, 1, 1, 0]))  # as costs would have it
    found = {title: int(rows[place]) for title, place in chosen_rows(costly).items()}
    assert found == {"Most wrong": 0, "Least certain": 1, "Most certain, and right": 3}
    assert "Costs decide" in costs_said(costly)
    assert not costs_said(answers)
    none = dataclasses.replace(answers, given=1 - truth)
    assert set(chosen_rows(none)) == {"Most wrong", "Least certain"}  # no answer is right
    numbers = Answers(
        rows, np.zeros(5), np.arange(5.0), np.array([0.0, 1, 2, 9, -1]), None, None, None, ones, 2
    )
    found = {title: int(rows[place]) for title, place in chosen_rows(numbers).items()}
    assert found == {"Most wrong": 3, "The lowest answer": 1}  # the highest answer is the most wrong

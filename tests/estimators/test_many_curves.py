"""How many trees have learned, as notebooks, texts and loaded models show it."""

from __future__ import annotations

import base64
from html import escape
from typing import Any

import numpy as np
import pytest
from estimators.shown import CASES, Page, mass
from sklearn.base import clone

import bough
from bough.data.examples import load
from bough.ensemble.learning import learning_of
from bough.tree.notes import BIASED


def test_the_notebook_shows_curve_importances_and_parameters(made: Any) -> None:
    model, _ = made
    text = model._repr_html_()
    assert len(text.encode()) <= 60_000
    page = Page(text)
    assert {tag for tag, _ in page.tags}.isdisjoint({"script", "svg", "iframe", "style"})
    rows = {
        given["data-column"]: float(given["data-value"]) for _, given in page.tags if "data-column" in given
    }
    watched = getattr(model, "verbose", 0)  # then no folds are fitted, which would be told of
    found = model.importances(method="gain" if watched else None)
    assert list(rows.items()) == found.ranking[:10]
    images = [given["src"] for tag, given in page.tags if tag == "img" and given["alt"]]
    assert len(images) == (learning_of(model, model._late_losses()) is not None)
    for image in images:
        svg = base64.b64decode(image.split(",")[1]).decode()
        assert svg.startswith("<svg")
        assert "<path" in svg
    for name, value in model._changed().items():
        assert f"<td>{name}</td><td>{escape(repr(value))}</td>" in text
    assert model._repr_mimebundle_() == {"text/plain": repr(model), "text/html": text}


def test_curves_are_what_fit_recorded(made: Any) -> None:
    model, _ = made
    found = learning_of(model)
    if hasattr(model, "oob_curve_"):
        assert np.column_stack([found.lines[0].x, found.lines[0].y]).tolist() == model.oob_curve_.tolist()
        shown = (
            f"{model.oob_score_:.1%}" if model.ensemble_.classes is not None else f"{model.oob_score_:.3f}"
        )
        assert shown in found.text
    elif hasattr(model, "estimator_errors_"):
        assert found.lines[0].y.tolist() == model.estimator_errors_.tolist()
    elif len(getattr(model, "train_loss_", ())):
        lines = {line.name: line for line in found.lines}
        assert lines["training rows"].y.tolist() == model.train_loss_.tolist()
        assert lines["training rows"].x.tolist() == list(range(len(model.train_loss_)))
        if len(model.validation_loss_):
            assert lines["rows held out"].y.tolist() == model.validation_loss_.tolist()
            assert found.best == model.n_estimators_ == int(model.validation_loss_.argmin())
    else:
        assert found is None


@pytest.mark.parametrize("name", ["boosting of classes", "exponents"])
def test_a_curve_that_fit_has_not_recorded_is_what_it_would_have_been(name: str) -> None:
    model, data = CASES[name]
    X, y = mass() if data == "mass" else load(data)
    model = clone(model).fit(X, y)
    assert not len(model.train_loss_)
    watched = clone(model).set_params(callback=lambda state: None).fit(X, y)
    assert model._late_losses() == pytest.approx(watched.train_loss_, rel=1e-12)
    assert not len(watched._late_losses())
    text = model._repr_html_()
    assert learning_of(watched).text in text
    own = bough.GradientBoostingRegressor(
        loss=lambda y, raw: (raw - y, np.ones(len(y))), n_estimators=2, min_samples_leaf=1
    )
    own.fit([[0.0], [1.0]], [0.0, 1.0])
    assert not len(own._late_losses())


def test_a_loaded_model_shows_the_same_curve(tmp_path: Any) -> None:
    X, y = load("titanic")
    model = bough.RandomForestClassifier(n_estimators=40, oob_score=True, random_state=0).fit(X, y)
    model.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough")
    assert learning_of(again).text == learning_of(model).text
    assert "share of the gain" in again._repr_html_()  # its out-of-bag rows are not in the file
    assert escape(BIASED) in again._repr_html_()

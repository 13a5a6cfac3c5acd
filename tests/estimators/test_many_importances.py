"""Which columns the views of many trees put first: by rows that were not fitted on, or with a warning."""

from __future__ import annotations

import json
import pickle
import re
from html import escape
from typing import Any

import numpy as np
import pytest
from estimators.shown import NOISY, many_values, mass, unfolded
from sklearn.base import clone

import bough
from bough.tree.notes import BIASED


@pytest.mark.parametrize("name", NOISY)
def test_noise_of_many_values_is_first_nowhere_or_said_to_be_favoured(name: str, tmp_path: Any) -> None:
    X, y = many_values()
    model = clone(NOISY[name]).fit(X, y)
    assert model.importances(method="gain").ranking[0][0] == "noise"
    assert re.findall('data-column="([a-z]+)"', model._repr_html_()) == ["signal", "noise"]
    assert escape(BIASED) not in model._repr_html_()
    text = str(model.ensemble_)  # it has no rows
    assert re.findall("^(signal|noise) ", text, re.MULTILINE) == ["noise", "signal"]
    assert unfolded(text).endswith(BIASED)
    model.save(tmp_path / "m.bough")
    again = bough.load(tmp_path / "m.bough")
    for shown in (again._repr_html_(), pickle.loads(pickle.dumps(model))._repr_html_()):
        assert re.findall('data-column="([a-z]+)"', shown) == ["noise", "signal"]
        assert escape(BIASED) in shown


def test_what_rows_have_said_stays_with_the_trees(tmp_path: Any) -> None:
    from bough.estimators.many import keep_importances

    X, y = many_values()
    model = clone(NOISY["forest"]).fit(X, y)
    expected, digest, before = model.importances(), model.digest(), model._repr_html_()
    keep_importances(model)
    model.save(tmp_path / "m.bough")
    loaded, copied = bough.load(tmp_path / "m.bough"), pickle.loads(pickle.dumps(model))
    loaded.save(tmp_path / "again.bough")
    assert (tmp_path / "again.bough").read_bytes() == (tmp_path / "m.bough").read_bytes()
    for again in (loaded, copied, bough.from_json(model.to_json())):
        assert again.ensemble_.notes.values == tuple(expected.values.tolist())
        assert again.digest() == digest
        assert again._repr_html_() == before
        assert re.findall("^(signal|noise) ", str(again.ensemble_), re.MULTILINE) == ["signal", "noise"]
    assert clone(NOISY["forest"]).fit(X, y).ensemble_.notes.measure == ""


def test_a_view_fits_no_folds_that_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = many_values()
    model = clone(NOISY["adaboost"]).fit(X, y)
    monkeypatch.setattr("bough.estimators.many.MOST_REFITTED", 2 * 1000 * 10 - 1)
    assert escape(BIASED) in model._repr_html_()


def test_a_view_draws_nothing_and_calls_nothing_of_the_user() -> None:
    X, y = many_values()
    called = []

    def loss(target: Any, raw: Any) -> Any:
        called.append(len(target))
        return raw - target, np.ones_like(raw)

    numbers = (np.asarray(y) == y[0]).astype(float)
    model = bough.GradientBoostingRegressor(loss=loss, n_estimators=3).fit(X, numbers)
    fitted = len(called)
    assert escape(BIASED) in model._repr_html_()
    assert len(called) == fitted
    for drawn in (
        bough.GradientBoostingRegressor(n_estimators=3, subsample=0.5),
        bough.ExtraTreesClassifier(n_estimators=3),
    ):
        model = drawn.fit(X, numbers)
        before = np.random.get_state()[1].copy()
        assert model._repr_html_() == model._repr_html_()
        assert np.array_equal(np.random.get_state()[1], before)


def test_the_largest_numbers_have_a_bar() -> None:
    X, y = many_values()
    found = json.loads(clone(NOISY["forest"]).fit(X, y).to_json())
    found["notes"] = {"lines": [], "measure": "permutation", "values": [1e308, 1.7e308]}
    assert len(str(bough.from_json(json.dumps(found)).ensemble_)) < 2000


def test_a_notebook_shows_digits_of_small_importances() -> None:
    X, y = mass()
    model = bough.RandomForestRegressor(n_estimators=10, random_state=0).fit(X, [v * 1e-6 for v in y])
    page = model._repr_html_()
    largest = max(model.importances().values)
    assert largest < 1e-4
    shown = [cell for cell in re.findall(r"<td[^>]*>([^<]*)</td></tr>", page) if cell.strip("0.-")]
    assert float(shown[0]) == pytest.approx(largest, rel=1e-3)

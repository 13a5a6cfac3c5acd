"""Explanations of the answers of many trees: they add up, and are read in any form."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from estimators.shown import mass, row_of

import bough
from bough import BoughError
from bough.data.examples import load


def test_contributions_add_up_to_the_raw_answer(made: Any) -> None:
    model, X = made
    for number in (0, 100, 200):
        row = row_of(X, number)
        told = model.explain(row)
        one = {name: [value] for name, value in row.items()}
        assert told.prediction == model.predict(one)[0]
        raw = model.ensemble_.raw(one)[0]
        place = 0 if len(raw) == 1 else list(model.classes_).index(told.prediction)
        assert told.raw == pytest.approx(raw[place], abs=1e-12)
        assert told.base + sum(part.amount for part in told.contributions) == pytest.approx(
            told.raw, rel=1e-9, abs=1e-9
        )
        amounts = {part.column: part.amount for part in told.contributions}
        values = model.shap_values(one).values[0]
        expected = values if values.ndim == 1 else values[:, place]
        assert [amounts[name] for name in X] == pytest.approx(expected.tolist(), abs=1e-12)
        if told.share is not None:
            shares = model.predict_proba(one)[0]
            assert list(told.shares.values()) == pytest.approx(shares.tolist())
            assert told.share == told.shares[str(told.prediction)]
        assert json.loads(json.dumps(told.to_dict()))["raw"] == told.raw


def test_the_text_of_an_explanation(made: Any) -> None:
    model, X = made
    told = model.explain(row_of(X, 5))
    lines = str(told).splitlines()
    assert lines[0].startswith(str(told.prediction) if told.share is not None else "")
    assert "nothing known" in lines[1]
    assert lines[-1].strip().startswith(told.of)
    assert len(lines) == 3 + len(told.contributions)
    shown = [float(re.search(r"  ([-+]?[\d.]+)(?:  ▇*)?$", line)[1]) for line in lines[1:]]
    assert sum(shown[:-1]) == pytest.approx(shown[-1], rel=1e-2, abs=0.01)


def test_values_are_named_as_the_row_has_them() -> None:
    X, y = load("titanic")
    model = bough.RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    told = model.explain({"sex": "male", "age": 22.0, "deck": "Z"})
    values = {part.column: part.value for part in told.contributions}
    assert values["sex"] == "male"
    assert values["age"] == "22"
    assert values["fare"] == "missing"
    assert values["deck"] == "never seen"
    with pytest.raises(BoughError, match=r'no column "Sex".*"sex"'):
        model.explain({"Sex": "male"})
    with pytest.raises(BoughError, match="one row, not 891"):
        model.explain(np.zeros((891, 8)))


def test_a_median_has_no_contributions() -> None:
    X, y = mass()
    model = bough.AdaBoostRegressor(n_estimators=5).fit(X, y)
    with pytest.raises(BoughError, match="weighted median is not a sum"):
        model.explain(row_of(X, 0))


def test_a_console_shows_explanations_and_importances_as_they_are_printed() -> None:
    X, y = load("titanic")
    model = bough.RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    average = bough.WeightedAverageClassifier(
        [("a", model), ("b", bough.DecisionTreeClassifier(max_depth=2))]
    )
    row = {name: values[0] for name, values in X.items()}
    tree = bough.DecisionTreeClassifier(max_depth=2).fit(X, y)
    for shown in (
        model.explain(row),
        model.importances(),
        tree.explain(row),
        average.fit(X, y).explain(row),
    ):
        assert repr(shown) == str(shown)
        assert "\n" in repr(shown)

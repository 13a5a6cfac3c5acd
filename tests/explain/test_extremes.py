"""Numbers, dates and names at the ends of what there is: texts stay true, and nothing breaks."""

from __future__ import annotations

import numpy as np
import pytest

import bough
from bough.errors import BoughError


def named_missing(**settings: object) -> bough.DecisionTreeClassifier:
    """A category that is called as no value is."""
    column = ["missing"] * 10 + ["b"] * 10 + [None] * 4
    return bough.DecisionTreeClassifier(**settings).fit({"c": column}, ["p"] * 10 + ["q"] * 10 + ["p"] * 4)


def test_a_category_called_missing_is_not_taken_for_none() -> None:
    model = named_missing()
    assert str(model.rules()[0]).startswith('(c = "missing" or missing)')
    step = model.explain({"c": None}).steps[0]
    assert (step.text, step.note) == ("c is missing", 'missing goes with "missing"')
    assert model.explain({"c": "missing"}).steps[0].text == 'c = "missing"'
    assert model.tree_.to_text("markdown").count("or missing (4)") == 1


def test_dates_of_any_year() -> None:
    days = np.array(["-0100-01-01", "2020-01-01", "20000-01-01", "21000-01-01"], dtype="datetime64[us]")
    model = bough.DecisionTreeClassifier(thresholds="below").fit({"d": days}, [0, 1, 0, 0])
    found = {rule.condition_text() for rule in model.rules()}
    assert found == {"d <= -100-01-01", "-100-01-01 < d <= 2020-01-01", "d > 2020-01-01"}
    exact = np.array(["2020-01-01T01:02:03.5", "20000-01-01T00:00"], dtype="datetime64[us]")
    model = bough.DecisionTreeClassifier(thresholds="below").fit({"d": exact}, [0, 1])
    assert model.rules(0)[0].condition_text() == "d <= 2020-01-01 01:02:03.500000"


def test_known_against_missing_in_the_text_of_lectures() -> None:
    model = bough.DecisionTreeClassifier().fit({"a": [1.0, 2.0, None, None]}, ["no", "no", "yes", "yes"])
    lines = model.tree_.to_text("counts").splitlines()
    assert lines[1:] == ["a known: [0+,2-] .00+ 1.00-", "a missing: [2+,0-] 1.00+ .00-"]


def test_an_interval_that_says_nothing_is_not_told() -> None:
    counts = bough.DecisionTreeRegressor(criterion="poisson", max_depth=1)
    text = str(counts.fit({"a": [1.0, 2, 3, 4, 5, 6]}, [0, 1, 1, 5, 6, 9]).rules())
    assert "inf" not in text
    assert "(3 rows)" in text


def test_squares_beyond_float64() -> None:
    model = bough.DecisionTreeRegressor().fit({"a": [1.0, 2, 3, 4]}, [1e200, -1e200, 3, 4])
    assert model.rules()[0].sd is None
    assert model.explain({"a": 1}).prediction == 1e200
    with pytest.raises(BoughError, match="too large for float64"):
        model.explain_split(0)


def test_thresholds_far_apart_are_compared() -> None:
    model = bough.DecisionTreeClassifier().fit({"a": [-1.6e308, -1.5e308, 1.5e308, 1.6e308]}, [0, 1, 1, 2])
    found = bough.explain.explain_row(model.tree_, {"a": -1.6e308}).nearest  # without the training rows
    assert found is not None
    assert found.prediction == 1

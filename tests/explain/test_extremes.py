"""Numbers, dates and names at the ends of what there is: texts stay true, and nothing breaks."""

from __future__ import annotations

import json

import numpy as np
import pytest

import bough
from bough.data.examples import load
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


def test_explanations_are_json() -> None:
    days = np.array(["2020-01-01", "2020-01-02", "2021-01-01", "2022-01-01"], dtype="datetime64[D]")
    told = bough.DecisionTreeClassifier().fit({"d": days}, [0, 0, 1, 1]).explain({"d": days[0]})
    found = json.loads(json.dumps(told.to_dict(), allow_nan=False))
    assert found["nearest"]["changes"][0]["value"].startswith("2020-07-02")
    one = bough.DecisionTreeRegressor().fit({"a": [1.0, 2.0]}, [3.0, 4.0])
    found = json.loads(json.dumps(one.explain({"a": 1}).to_dict(), allow_nan=False))
    assert found["interval"] == [None, None]
    assert json.dumps(one.explain_split(0).to_dict(), allow_nan=False)


def test_weighted_rows_are_parts_of_their_weight() -> None:
    weights = [3.0, 2.0, 1.0, 1.0]
    model = bough.DecisionTreeClassifier(max_depth=1).fit({"a": [1.0, 1, 2, 2]}, [0, 0, 1, 1], weights)
    told = model.explain({"a": 1})
    assert (told.n, told.weight, told.hits) == (2, 5.0, 5.0)
    assert str(told).startswith("0, 100% (5 of 5 rows,")


def test_categories_never_seen_are_told_where_they_go_to_the_majority() -> None:
    column = ["a"] * 6 + ["b"] * 4 + [None] * 2
    model = bough.DecisionTreeClassifier(unseen="majority").fit({"c": column}, [0] * 6 + [1] * 6)
    texts = {rule.prediction: rule.condition_text(full=True) for rule in model.rules()}
    assert texts == {0: "(c = a or never seen)", 1: "(c = b or missing)"}
    assert model.predict({"c": ["z"]})[0] == 0


def test_rows_need_both_columns_and_target() -> None:
    columns, target = load("tennis")
    model = bough.ID3Classifier().fit(columns, target)
    with pytest.raises(BoughError, match="both X and y"):
        model.explain_split(0, columns)
    with pytest.raises(BoughError, match="both X and y"):
        model.lesson(y=target)


@pytest.mark.parametrize("form", [{"digits": -1}, {"digits": "a"}, {"base": 1}, {"base": -2}, {"base": "e"}])
def test_forms_that_are_not_possible(form: dict[str, object]) -> None:
    model = bough.ID3Classifier().fit(*load("tennis"))
    numbers = model.explain_split(0)
    for write in (numbers.to_text, numbers.to_latex, numbers.to_html, numbers.to_markdown, model.lesson):
        with pytest.raises(BoughError, match="is not possible"):
            write(**form)

"""What an average is given: wrong constructors and members say what is wrong, where and what to do."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.svm import LinearSVC

import bough
from bough import BoughError, DecisionTreeClassifier, WeightedAverageClassifier, WeightedAverageRegressor

TREE = DecisionTreeClassifier(max_depth=2)
X = np.random.default_rng(0).normal(size=(40, 2))
Y = (X[:, 0] > 0).astype(int)

CONSTRUCTORS = {
    "nothing": ((), {}, "is given no models to average", "list of names and models"),
    "a wrong name": (([("a", TREE)],), {"learned": 1}, 'no parameter "learned". Did you mean "learn"', ""),
    "nearly": ((), {"estimator": [("a", TREE)]}, 'no parameter "estimator". Did you mean "estimators"', ""),
    "two by place": (
        ([("a", TREE)], "score"),
        {},
        "all but the estimators by name, .*'score'",
        "learn='score'",
    ),
    "twice": (([("a", TREE)],), {"estimators": [("a", TREE)]}, "given the estimators twice", "list"),
}


@pytest.mark.parametrize("kind", [WeightedAverageClassifier, WeightedAverageRegressor])
@pytest.mark.parametrize(("given", "named", "says", "hint"), CONSTRUCTORS.values(), ids=CONSTRUCTORS)
def test_constructors(kind, given, named, says, hint):
    with pytest.raises(BoughError, match=says) as caught:
        kind(*given, **named)
    assert isinstance(caught.value, TypeError)
    assert caught.value.code == "parameter"
    assert kind.__name__ in caught.value.message
    assert hint in caught.value.hint


MEMBERS = {
    "None": (None, "estimators is None, which is no list"),
    "a number": (5, "estimators is 5, which is no list"),
    "a text": ("abc", "estimators is 'abc', which is no list"),
    "a dict": ({"a": TREE}, r"estimators is \{'a': .*, which is no list"),
    "a set": ({("a", TREE)}, "which is no list"),
    "none": ([], "estimators is empty"),
    "models": ([TREE, TREE], r"estimators\[0\], a DecisionTreeClassifier, has no name"),
    "three of a kind": ([("b", TREE), ("a", TREE, 1)], r"estimators\[1\] is \('a', .* no pair"),
    "a list in a list": ([[("a", TREE)]], r"estimators\[0\] is .* no pair"),
    "a name that is a number": ([(1, TREE)], r"the name of estimators\[0\] is 1, which is no text"),
    "a class": ([("a", DecisionTreeClassifier)], r'(?s)"a" is a class.*DecisionTreeClassifier\(\)'),
    "drop": ([("a", TREE), ("b", "drop")], "(?s)\"b\" is 'drop', which is no model.*leave it out"),
    "no model": ([("a", None)], '"a" is None, which is no model'),
    "a function": ([("a", len)], '"a" is <built-in function len>, which is no model'),
    "names twice": ([("a", TREE), ("a", TREE)], '2 of the estimators are named "a"'),
    "a parameter": ([("cv", TREE)], 'the name "cv" is that of a parameter of WeightedAverageClassifier'),
    "two lines": ([("a__b", TREE)], 'the name "a__b" holds "__"'),
    "a regressor": ([("a", bough.DecisionTreeRegressor())], '"a", a DecisionTreeRegressor, is no classifier'),
    "a ranker": ([("a", bough.GradientBoostingRanker())], '"a", a GradientBoostingRanker, is no classifier'),
    "no shares": ([("a", LinearSVC())], "(?s)gives no class shares.*CalibratedClassifierCV"),
}


@pytest.mark.parametrize(("estimators", "says"), MEMBERS.values(), ids=MEMBERS)
def test_members(estimators, says):
    with pytest.raises(BoughError, match=says) as caught:
        WeightedAverageClassifier(estimators).fit(X, Y)
    assert caught.value.code == "parameter"
    assert caught.value.hint
    with pytest.raises(BoughError, match=says):
        bough.evaluate(WeightedAverageClassifier(estimators), X, Y, cv=2)


@pytest.mark.parametrize(("estimators", "says"), MEMBERS.values(), ids=MEMBERS)
def test_what_is_asked_before_a_fit(estimators, says):
    """Parameters, copies, views and tags of an average that cannot be fitted."""
    model = clone(WeightedAverageClassifier(estimators))
    assert model.get_params()["learn"] == "least_squares"
    assert repr(model)
    assert model._repr_html_()
    assert is_classifier(model)
    for ask in (model.predict, model.predict_proba, model.explain):
        with pytest.raises(NotFittedError):
            ask(X)
    assert model.set_params(estimators=[("a", TREE)]).fit(X, Y).score(X, Y) > 0.9


@pytest.mark.parametrize("name", ["a", "a__max_depth"])
def test_a_member_cannot_be_set_where_there_is_none(name):
    for estimators in (None, [TREE], {"a": TREE}, [("a", None)]):
        with pytest.raises(BoughError):
            WeightedAverageClassifier(estimators).set_params(**{name: TREE})
    assert WeightedAverageClassifier(None).set_params(cv=3).cv == 3


def test_the_rows_of_the_fit_are_known():
    model = WeightedAverageClassifier([("a", TREE), ("b", DecisionTreeClassifier())], cv=2).fit(X, Y)
    with pytest.warns(UserWarning, match="was fitted on these very rows"):
        bough.evaluate(model, X, Y, cv=None)


def test_a_row_of_an_average_of_averages():
    inner = WeightedAverageClassifier([("a", TREE), ("b", DecisionTreeClassifier())], cv=2)
    model = WeightedAverageClassifier([("inner", inner), ("c", TREE)], cv=2).fit({"u": X[:, 0]}, Y)
    assert [one.name for one in model.explain({"u": 1.0}).members] == ["inner", "c"]
    with pytest.raises(BoughError, match='no column "v"'):
        model.explain({"v": 1.0})

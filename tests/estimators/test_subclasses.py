"""Classes that a user makes from ours: their constructors, copies and files."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import bough

X = np.random.default_rng(0).normal(size=(60, 2))
CLASSES, NUMBERS = np.where(X[:, 0] > 0, "yes", "no"), X[:, 0] * 3
KINDS = [
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "C45Classifier",
    "RandomForestClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "AdaBoostClassifier",
    "AdaBoostRegressor",
]


def plain(kind: Any) -> Any:
    return type("Plain", (kind,), {"extra": 3})


def own_constructor(kind: Any) -> Any:
    class Own(kind):
        def __init__(self, *, extra=3, random_state=None):
            super().__init__(random_state=random_state)
            self.extra = extra

    return Own


@pytest.mark.parametrize("make", [plain, own_constructor])
@pytest.mark.parametrize("name", KINDS)
def test_a_class_of_ones_own(name, make, tmp_path):
    kind = getattr(bough, name)
    y = CLASSES if name.endswith("Classifier") else NUMBERS
    model = make(kind)(random_state=5)
    assert model.extra == 3
    assert ("extra" in model.get_params()) == (make is own_constructor)
    model = clone(model).fit(X, y)
    expected = kind(random_state=5).fit(X, y).predict(X)
    np.testing.assert_array_equal(model.predict(X), expected)
    np.testing.assert_array_equal(copy.deepcopy(model).predict(X), expected)
    assert str(model)
    with pytest.warns(UserWarning, match=rf"is a class of your own: the file holds a {name}"):
        model.save(tmp_path / "m.bough")
    loaded = bough.load(tmp_path / "m.bough")
    assert type(loaded) is kind
    assert loaded.random_state == 5
    np.testing.assert_array_equal(loaded.predict(X), expected)


class Kept(bough.GradientBoostingRegressor):
    def __init__(self, *, extra=3):
        super().__init__(n_estimators=3)
        self.extra = extra


def test_a_pickle_keeps_all_of_it():
    model = Kept(extra=7).fit(X, NUMBERS)
    back = pickle.loads(pickle.dumps(model))
    assert (type(back), back.extra) == (Kept, 7)
    np.testing.assert_array_equal(back.predict(X), model.predict(X))


def few_parameters(name):
    """Whose constructor has neither random_state nor class_weight nor classes."""
    kind = getattr(bough, name)

    class Few(kind):
        def __init__(self, size=3):
            weigh = {"class_weight": "balanced"} if name == "DecisionTreeClassifier" else {}
            limit = "max_depth" if name.startswith("Decision") else "n_estimators"
            super().__init__(**{limit: size}, **weigh)
            self.size = size

    return Few


@pytest.mark.parametrize("name", [name for name in KINDS if name != "C45Classifier"])
def test_a_class_of_few_parameters_says_which_columns_matter(name):
    y = CLASSES if name.endswith("Classifier") else NUMBERS
    found = few_parameters(name)(3).fit(X, y).importances()
    same = {"class_weight": "balanced"} if name == "DecisionTreeClassifier" else {}
    limit = "max_depth" if name.startswith("Decision") else "n_estimators"
    due = getattr(bough, name)(**{limit: 3}, **same).fit(X, y).importances()
    if "Forest" not in name and "Extra" not in name:  # whose bags are drawn anew
        np.testing.assert_array_equal(found.values, due.values)
    assert found.values[0] > found.values[1]


def test_a_class_of_few_parameters_is_boosted_and_pruned():
    few = few_parameters("DecisionTreeClassifier")
    kind, y = bough.DecisionTreeClassifier, np.where(X[:, 0] * X[:, 1] > 0, "yes", "no")
    ours = kind(max_depth=2, class_weight="balanced")
    one, two = (bough.AdaBoostClassifier(estimator=e, n_estimators=4).fit(X, y) for e in (few(2), ours))
    assert one.digest() == two.digest()
    number = bough.AdaBoostRegressor(estimator=few_parameters("DecisionTreeRegressor")(2), n_estimators=4)
    assert len(number.fit(X, NUMBERS).ensemble_) > 1
    found = few(2).cost_complexity_pruning_path(X, y)
    np.testing.assert_array_equal(found.ccp_alphas, ours.cost_complexity_pruning_path(X, y).ccp_alphas)


def test_an_average_of_a_class_of_ones_own(tmp_path):
    class Mine(bough.WeightedAverageRegressor):
        pass

    model = Mine([("a", bough.DecisionTreeRegressor()), ("b", bough.DecisionTreeRegressor(max_depth=1))])
    model.fit(X, NUMBERS)
    with pytest.warns(UserWarning, match="the file holds a WeightedAverageRegressor"):
        model.save(tmp_path / "m.bough")
    np.testing.assert_array_equal(bough.load(tmp_path / "m.bough").predict(X), model.predict(X))

"""Forests and boosting as estimators: files, and exports that are verified."""

import pickle

import every_model
import numpy as np
import pytest
from sklearn.base import clone

import bough

DATA = every_model.frame(200, seed=11)
NEW = every_model.frame(100, seed=12, holes=0.3)
CLASSES, NUMBERS = every_model.targets(DATA)
KINDS = [
    ("RandomForestClassifier", {"n_estimators": 7}),
    ("RandomForestRegressor", {"n_estimators": 7}),
    ("ExtraTreesClassifier", {"n_estimators": 5}),
    ("BaggingTreesRegressor", {"n_estimators": 4}),
    ("AdaBoostClassifier", {"n_estimators": 6}),
    ("AdaBoostRegressor", {"n_estimators": 6}),
    ("GradientBoostingClassifier", {"n_estimators": 6}),
    ("GradientBoostingRegressor", {"n_estimators": 6}),
]


def fitted(name, settings):
    y = NUMBERS if name.endswith("Regressor") else CLASSES
    return getattr(bough, name)(random_state=0, **settings).fit(DATA, y)


@pytest.mark.parametrize(
    ("name", "settings"), KINDS, ids=lambda given: given if isinstance(given, str) else ""
)
def test_estimators_of_ensembles_come_back(name, settings, tmp_path):
    model = fitted(name, settings)
    model.save(tmp_path / "m.bough")
    back = bough.load(tmp_path / "m.bough")
    assert type(back) is type(model)
    assert back.get_params() == model.get_params()
    assert back.digest() == model.digest()
    assert back.predict(NEW).tolist() == model.predict(NEW).tolist()
    if hasattr(model, "classes_"):
        assert back.predict_proba(NEW).tobytes() == model.predict_proba(NEW).tobytes()
    assert np.allclose(back.feature_importances_, model.feature_importances_, rtol=1e-6, atol=1e-9)
    back.save(tmp_path / "again.bough")
    assert (tmp_path / "again.bough").read_bytes() == (tmp_path / "m.bough").read_bytes()
    assert bough.from_json(model.to_json()).digest() == model.digest()


@pytest.mark.parametrize(
    ("name", "settings"), KINDS, ids=lambda given: given if isinstance(given, str) else ""
)
def test_estimators_of_ensembles_are_exported(name, settings):
    model = fitted(name, settings)
    formats = ("python", "json") if name == "AdaBoostRegressor" else ("sql", "python", "onnx", "json")
    for to in formats:
        assert bough.export(model, to, verify=NEW).verified, to


def test_a_ranker_comes_back(tmp_path):
    rank = np.clip(np.round(NUMBERS), 0, 4)
    model = bough.GradientBoostingRanker(n_estimators=6).fit(DATA, rank, group=[20] * 10)
    model.save(tmp_path / "m.bough")
    back = bough.load(tmp_path / "m.bough")
    assert type(back) is bough.GradientBoostingRanker
    assert back.get_params() == model.get_params()
    assert back.digest() == model.digest() == bough.from_json(model.to_json()).digest()
    assert back.predict(NEW).tobytes() == model.predict(NEW).tobytes()
    assert back.score(DATA, rank, group=[20] * 10) == model.score(DATA, rank, group=[20] * 10)


@pytest.mark.parametrize("seed", [0, None])
@pytest.mark.parametrize("name", ["RandomForestClassifier", "ExtraTreesClassifier", "BaggingTreesClassifier"])
def test_a_loaded_forest_goes_on_as_the_one_that_was_saved(name, seed, tmp_path):
    model = getattr(bough, name)(n_estimators=3, random_state=seed, warm_start=True).fit(DATA, CLASSES)
    model.save(tmp_path / "m.bough")
    more = [
        m.set_params(n_estimators=6).fit(DATA, CLASSES) for m in (model, bough.load(tmp_path / "m.bough"))
    ]
    assert more[0].digest() == more[1].digest()


def test_a_loaded_forest_says_that_it_has_no_training_rows(tmp_path):
    model = fitted("RandomForestRegressor", {"n_estimators": 3})
    model.predict_quantiles(NEW)
    model.save(tmp_path / "m.bough")
    with pytest.raises(bough.BoughError, match="training rows are not at hand"):
        bough.load(tmp_path / "m.bough").predict_quantiles(NEW)


def _own_loss(y, raw):
    return raw - y, np.ones(len(y))


def _own_criterion(sums):
    return sums[:, 2] - sums[:, 1] ** 2 / np.maximum(sums[:, 0], 1e-300)


@pytest.mark.parametrize(
    ("model", "parameter"),
    [
        (bough.GradientBoostingRegressor(n_estimators=4, loss=_own_loss), "loss"),
        (bough.DecisionTreeRegressor(max_depth=2, criterion=_own_criterion), "criterion"),
        (
            bough.AdaBoostRegressor(estimator=bough.DecisionTreeRegressor(max_depth=1), n_estimators=3),
            "estimator",
        ),
    ],
)
def test_what_a_file_cannot_hold_is_named_and_asked_for_again(tmp_path, model, parameter):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(size=60)
    model.fit(X, y)
    model.save(tmp_path / "m.bough")
    for back in (bough.load(tmp_path / "m.bough"), bough.from_json(model.to_json())):
        assert (back.predict(X) == model.predict(X)).all()
        assert "not in the file" in repr(back)
        name = "DecisionTreeRegressor" if parameter == "estimator" else f"_own_{parameter}"
        assert name in repr(getattr(back, parameter))
        again = pickle.loads(pickle.dumps(back))
        assert repr(again) == repr(back)
        with pytest.raises(bough.BoughError, match=parameter) as error:
            clone(back).fit(X, y)
        assert error.value.hint == f"Give it again before fit: model.set_params({parameter}=…)."
        assert (back.predict(X) == model.predict(X)).all()
        back.save(tmp_path / "again.bough")
        assert (tmp_path / "again.bough").read_bytes() == (tmp_path / "m.bough").read_bytes()
        fitted = back.set_params(**{parameter: getattr(model, parameter)}).fit(X, y)
        assert fitted.digest() == model.digest()

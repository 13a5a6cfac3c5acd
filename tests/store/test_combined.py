"""Weighted averages of models of bough: one file, the same answers."""

import every_model
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold

import bough
from bough.store import read

DATA = every_model.frame(160, seed=21)
NEW = every_model.frame(80, seed=22, holes=0.3)
CLASSES, NUMBERS = every_model.targets(DATA)


def averaged():
    tree = bough.DecisionTreeClassifier(min_samples_leaf=5)
    return bough.WeightedAverageClassifier([("tree", tree), ("c45", bough.C45Classifier())]).fit(
        DATA, CLASSES
    )


def test_an_average_comes_back(tmp_path):
    model = averaged()
    model.save(tmp_path / "m.bough")
    back = bough.load(tmp_path / "m.bough")
    assert type(back) is bough.WeightedAverageClassifier
    assert back.predict_proba(NEW).tobytes() == model.predict_proba(NEW).tobytes()
    assert back.predict(NEW).tolist() == model.predict(NEW).tolist()
    assert (back.classes_ == model.classes_).all()
    assert [name for name, _ in back.estimators] == ["tree", "c45"]
    assert type(back.named_estimators_["c45"]) is bough.C45Classifier
    back.fit(DATA, CLASSES)
    assert back.predict(NEW).tolist() == model.predict(NEW).tolist()
    bough.load(tmp_path / "m.bough").save(tmp_path / "again.bough")
    assert (tmp_path / "again.bough").read_bytes() == (tmp_path / "m.bough").read_bytes()


def test_an_average_of_numbers(tmp_path):
    pairs = [("a", bough.DecisionTreeRegressor(max_depth=3)), ("b", bough.CARTRegressor())]
    model = bough.WeightedAverageRegressor(pairs).fit(DATA, NUMBERS)
    model.save(tmp_path / "m.bough")
    assert bough.load(tmp_path / "m.bough").predict(NEW).tobytes() == model.predict(NEW).tobytes()


def test_a_splitter_is_asked_for_again(tmp_path):
    pairs = [("a", bough.DecisionTreeRegressor(max_depth=3)), ("b", bough.CARTRegressor())]
    splitter = KFold(3, shuffle=True, random_state=0)
    model = bough.WeightedAverageRegressor(pairs, cv=splitter).fit(DATA, NUMBERS)
    model.save(tmp_path / "m.bough")
    back = bough.load(tmp_path / "m.bough")
    assert back.predict(NEW).tobytes() == model.predict(NEW).tobytes()
    assert "KFold, not in the file" in repr(back.cv)
    with pytest.raises(bough.BoughError, match=r"cv was .*KFold") as told:
        back.fit(DATA, NUMBERS)
    assert "set_params(cv=…)" in told.value.hint
    back.save(tmp_path / "again.bough")
    assert (tmp_path / "again.bough").read_bytes() == (tmp_path / "m.bough").read_bytes()
    assert back.set_params(cv=splitter).fit(DATA, NUMBERS).digest() == model.digest()


def test_others_models_are_not_saved(tmp_path):
    X = DATA[["age"]].fillna(0).to_numpy()
    model = bough.WeightedAverageRegressor([("line", LinearRegression())]).fit(X, NUMBERS)
    with pytest.raises(bough.BoughError, match="a LinearRegression, is not of bough"):
        model.save(tmp_path / "m.bough")
    assert not list(tmp_path.iterdir())


def test_one_model_is_not_read_from_several(tmp_path):
    averaged().save(tmp_path / "m.bough")
    with pytest.raises(bough.BoughError, match="several models"):
        read(tmp_path / "m.bough")


def test_changed_bundles_are_refused(tmp_path):
    from bough.estimators.saving import _file
    from bough.store.bundle import dumps_bundle, loads_bundle

    parts, told = loads_bundle(memoryview(_file(averaged())))
    whole = [bytes(part) for part in parts]
    changes = [
        {"class": "VotingClassifier"},
        {"class": "WeightedAverageRegressor"},
        {"names": ["tree"]},
        {"names": ["tree", "tree"]},
        {"names": ["tree", {}]},
        {"names": 5},
        {"classes": 5},
        {"parameters": []},
        {"weights": None},
        {"weights": [1, 2]},
        {"classes": None},
        {"classes": {"array": ["<i8", [1], [3]]}, "class": "x"},
    ]
    for change in changes:
        (tmp_path / "m.bough").write_bytes(dumps_bundle(whole, told | change))
        with pytest.raises(bough.BoughError) as error:
            bough.load(tmp_path / "m.bough")
        assert error.value.code in ("model", "file")
    for broken in ([whole[0], whole[1][:-1]], [b"x"], []):
        (tmp_path / "m.bough").write_bytes(dumps_bundle(broken, told))
        with pytest.raises(bough.BoughError):
            bough.load(tmp_path / "m.bough")

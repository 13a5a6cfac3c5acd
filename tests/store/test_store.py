"""Model files: the same model comes back, in the same bytes, in few of them, and without scikit-learn."""

import io
import itertools
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import every_model
import joblib
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import bough
from bough.store import from_json, read, save, to_json
from bough.store.model import dumps, loads
from bough.store.pack import pack
from bough.store.plain import from_plain, or_text, to_plain
from bough.tree.tree import ARRAYS

ESTIMATORS = every_model.estimators()
ENSEMBLES = every_model.ensembles()
DATA = every_model.frame(200, seed=5, holes=0.25)
WHOLE = every_model.frame(200, seed=5, holes=0.0)


def answers(model, name=""):
    data = WHOLE if name == "error" else DATA
    return model.predict_proba(data) if getattr(model, "classes_", None) is not None else model.predict(data)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_estimator_comes_back_whole(name, tmp_path):
    model = ESTIMATORS[name]
    model.save(tmp_path / "m.bough")
    for back in (bough.load(tmp_path / "m.bough"), bough.from_json(model.to_json())):
        assert type(back) is type(model)
        assert back.get_params() == model.get_params()
        assert back.digest() == model.digest()
        assert answers(back, name).tobytes() == answers(model, name).tobytes()
        assert back.n_features_in_ == model.n_features_in_
        assert (back.feature_names_in_ == model.feature_names_in_).all()
        assert (back.feature_importances_ == model.feature_importances_).all()
        for array in ARRAYS:
            a, b = getattr(model.tree_, array), getattr(back.tree_, array)
            assert a.dtype == b.dtype
            assert a.tobytes() == b.tobytes(), array
    if model.pruning_choice_ is not None:
        assert str(bough.load(tmp_path / "m.bough").pruning_choice_) == str(model.pruning_choice_)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_equal_models_are_equal_bytes(name, tmp_path):
    model = ESTIMATORS[name]
    model.save(tmp_path / "a.bough")
    bough.load(tmp_path / "a.bough").save(tmp_path / "b.bough")
    assert (tmp_path / "a.bough").read_bytes() == (tmp_path / "b.bough").read_bytes()
    assert bough.load(tmp_path / "a.bough").to_json() == model.to_json()


@pytest.mark.parametrize("name", ENSEMBLES)
def test_an_ensemble_comes_back(name):
    model = ENSEMBLES[name]
    data = dumps(model)
    for back in (loads(memoryview(data))[0], from_json(to_json(model))):
        assert back.digest() == model.digest()
        assert back.predict(DATA).tolist() == model.predict(DATA).tolist()
        gains = [tree.split_gains for tree in back]
        for found, tree in zip(gains, model, strict=True):
            assert np.allclose(found, tree.split_gains, rtol=1e-6, atol=1e-9)
    assert dumps(loads(memoryview(data))[0]) == data


def forest(y, leaf, n_trees=12, n_rows=3000):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 12))
    X[rng.random(X.shape) < 0.02] = np.nan
    target = y(np.nan_to_num(X[:, 0] + X[:, 1] ** 2) + rng.normal(size=n_rows))
    of = bough.DecisionTreeRegressor if target.dtype.kind == "f" else bough.DecisionTreeClassifier
    trees = []
    for i in range(n_trees):
        drawn = np.bincount(rng.integers(0, n_rows, n_rows), minlength=n_rows).astype(float)
        trees.append(of(max_features=4, min_samples_leaf=leaf, random_state=i).fit(X, target, drawn).tree_)
    return every_model.joined(trees, "mean")


@pytest.mark.parametrize("leaf", [1, 5])
@pytest.mark.parametrize(
    "y", [lambda z: (z > 1).astype(int), lambda z: np.digitize(z, [0, 1, 2]), lambda z: z]
)
def test_a_numeric_forest_takes_at_most_16_bytes_a_node(y, leaf):
    model = forest(y, leaf)
    assert len(dumps(model)) <= 16 * sum(tree.n_nodes for tree in model)


def test_what_follows_from_the_rest_is_not_stored():
    arrays, loss = pack(ENSEMBLES["forest"].trees, exact=False)
    assert loss == "gini"
    assert not {"first_child", "weight", "impurity", "gain"} & {name.split(".")[0] for name in arrays}


def test_the_file_can_be_read_by_safetensors_rules(tmp_path):
    """The layout, read by hand: length, JSON, arrays without gaps; all values of the metadata are texts."""
    data = dumps(ESTIMATORS["subset"].tree_)
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    assert all(isinstance(v, str) for v in header.pop("__metadata__").values())
    places = sorted(tuple(entry["data_offsets"]) for entry in header.values())
    assert places[0][0] == 0
    assert all(a[1] == b[0] for a, b in itertools.pairwise(places))
    assert 8 + length + places[-1][1] == len(data)


def test_the_header_tells_what_the_model_is(tmp_path):
    model = ESTIMATORS["surrogate"]
    model.save(tmp_path / "m.bough")
    data = (tmp_path / "m.bough").read_bytes()
    length = int.from_bytes(data[:8], "little")
    head = json.loads(json.loads(data[8 : 8 + length])["__metadata__"]["model"])
    kinds = ["numeric", "numeric", "nominal", "boolean", "ordinal", "datetime"]
    assert [f["kind"] for f in head["fields"]] == kinds
    assert head["fields"][4]["categories"] == every_model.SIZES
    assert head["about"]["class"] == "CARTClassifier"
    assert head["about"]["parameters"]["min_samples_split"] == 10
    assert len(head["about"]["data"]) == 64
    assert head["library"] == bough.__version__


def test_read_does_without_scikit_learn(tmp_path):
    ESTIMATORS["subset"].save(tmp_path / "m.bough")
    code = (
        "import sys, bough.store; m = bough.store.read(sys.argv[1]);"
        "row = {'age': 30, 'income': 1, 'city': 'Rome', 'member': True, 'size': 'huge', 'joined': None};"
        "print(m.predict([row])[0]);"
        "assert not {'sklearn', 'pandas', 'duckdb'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "m.bough")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in ("low", "mid", "high")


def test_functions_leave_their_name_and_random_states_nothing(tmp_path):
    model = bough.DecisionTreeClassifier(
        criterion=lambda w: w.sum(axis=-1) - w.max(axis=-1), random_state=np.random.RandomState(3)
    ).fit([[1.0], [2.0], [3.0]], [0, 1, 1])
    model.save(tmp_path / "m.bough")
    back = bough.load(tmp_path / "m.bough")
    assert back.digest() == model.digest()
    assert "lambda" in repr(back.criterion)
    assert back.random_state is None


@pytest.mark.parametrize(
    "labels",
    [
        np.array([True, False, True]),
        np.array([3, -1, 3], dtype=np.int8),
        np.array([1.0, 2.0, 1.0]),
        np.array(["é\ud800", "b", "b"], dtype=object),
        np.array([b"\xff", b"b", b"b"]),
        np.array([2**70, 1, 1], dtype=object),
    ],
)
def test_labels_of_any_type_keep_it(labels, tmp_path):
    model = bough.DecisionTreeClassifier().fit([[1.0], [2.0], [3.0]], labels)
    model.save(tmp_path / "m.bough")
    for back in (bough.load(tmp_path / "m.bough"), bough.from_json(model.to_json())):
        assert back.classes_.dtype == model.classes_.dtype
        assert back.classes_.tolist() == model.classes_.tolist()
        assert back.predict([[1.0]]).tolist() == model.predict([[1.0]]).tolist()


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        1,
        1.5,
        "x",
        [1, (2, {"a": (1,), 3: None})],
        float("inf"),
        b"\x00",
        np.arange(3, dtype="u2"),
    ],
)
def test_plain_values_come_back(value):
    back = from_plain(json.loads(json.dumps(to_plain(value))))
    assert type(back) is type(value)
    assert np.array_equal(back, value) if isinstance(value, np.ndarray) else back == value


def test_what_cannot_be_held_leaves_no_address():
    assert or_text(print) == {"text": "builtins.print"}
    assert "0x" not in json.dumps(or_text(object()))


@pytest.mark.parametrize("name", ["subset", "fractional", "surrogate", "numbers"])
def test_pickle_joblib_and_skops(name, tmp_path):
    model = ESTIMATORS[name]
    assert answers(pickle.loads(pickle.dumps(model))).tobytes() == answers(model).tobytes()
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    assert answers(joblib.load(file)).tobytes() == answers(model).tobytes()


def test_skops(tmp_path):
    skops = pytest.importorskip("skops.io", reason="skops is not installed")
    model = ESTIMATORS["subset"]
    skops.dump(model, tmp_path / "m.skops")
    trusted = skops.get_untrusted_types(file=tmp_path / "m.skops")
    assert answers(skops.load(tmp_path / "m.skops", trusted=trusted)).tobytes() == answers(model).tobytes()


def test_links_modes_and_old_content(tmp_path):
    """The file behind a link is replaced, with the rights that it had."""
    real = tmp_path / "real.bough"
    real.write_bytes(b"old")
    real.chmod(0o600)
    (tmp_path / "link.bough").symlink_to(real)
    save(ESTIMATORS["leaf"].tree_, tmp_path / "link.bough")
    assert (tmp_path / "link.bough").is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert read(real).n_nodes == 3


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_what_fails_while_saving_leaves_the_old_file(step, tmp_path, monkeypatch):
    path = tmp_path / "m.bough"
    save(ESTIMATORS["leaf"].tree_, path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space"):
        save(ESTIMATORS["subset"].tree_, path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.bough"]


def test_a_killed_save_leaves_the_old_file(tmp_path):
    path = tmp_path / "m.bough"
    save(ESTIMATORS["leaf"].tree_, path)
    before = path.read_bytes()
    code = (
        "import os, signal, sys; from bough.store.files import write_atomically;"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL);"
        "write_atomically(sys.argv[1], b'x' * 1000)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert done.returncode == -9
    assert path.read_bytes() == before


def test_a_folder_or_no_folder_is_an_error(tmp_path):
    with pytest.raises(bough.BoughError, match="is a folder"):
        ESTIMATORS["leaf"].save(tmp_path)
    with pytest.raises(bough.BoughError, match="no folder"):
        ESTIMATORS["leaf"].save(tmp_path / "a" / "b.bough")
    with pytest.raises(bough.BoughError, match="does not exist"):
        bough.load(tmp_path / "no.bough")
    Path(tmp_path / "empty.bough").touch()
    with pytest.raises(bough.BoughError, match="is empty"):
        bough.load(tmp_path / "empty.bough")


@pytest.mark.parametrize(
    ("name", "what"), [("", "is empty"), ("a\0b", "NUL"), ("~no such user/m.bough", "no such home folder")]
)
def test_a_name_that_no_file_can_have_is_an_error(name, what):
    for call in (ESTIMATORS["leaf"].save, bough.load):
        with pytest.raises(bough.BoughError, match=what) as caught:
            call(name)
        assert caught.value.code == "file"


def test_a_device_is_no_model_file():
    with pytest.raises(bough.BoughError, match="device or a pipe"):
        bough.load("/dev/null")


def test_an_estimator_without_a_fit_is_not_exported():
    for kind in (bough.DecisionTreeClassifier, bough.RandomForestRegressor, bough.GradientBoostingRanker):
        with pytest.raises(NotFittedError):
            bough.export(kind(), "json")


def test_trees_that_ask_other_columns_are_not_saved(tmp_path):
    one = bough.DecisionTreeClassifier().fit({"a": [1, 2]}, [0, 1]).tree_
    other = bough.DecisionTreeClassifier().fit({"b": [1, 2]}, [0, 1]).tree_
    with pytest.raises(bough.BoughError, match="different columns"):
        save(every_model.joined([one, other], "mean"), tmp_path / "m.bough")
    other = bough.DecisionTreeClassifier().fit({"a": [1, 2]}, [0, 2]).tree_
    with pytest.raises(bough.BoughError, match="other classes"):
        save(every_model.joined([one, other], "mean"), tmp_path / "m.bough")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [None, 7, b"m.bough", ["m.bough"]])
def test_what_is_no_name_of_a_file(name):
    model = bough.DecisionTreeClassifier().fit([[1], [2]], [0, 1])
    for use in (model.save, bough.load):
        with pytest.raises(bough.BoughError, match="is no name of a file") as caught:
            use(name)
        assert isinstance(caught.value, TypeError)
    if not isinstance(name, bytes):
        with pytest.raises(bough.BoughError, match="a model cannot be read from"):
            bough.from_json(name)

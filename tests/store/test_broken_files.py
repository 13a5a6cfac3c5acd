"""Changed files: an error that says so, never a crash, a wrong answer or anything run."""

import hashlib
import json

import every_model
import numpy as np
import pytest

import bough
from bough import BoughError
from bough.store import from_json, to_json
from bough.store.model import dumps, loads

MODELS = every_model.estimators() | every_model.ensembles()
DATA = every_model.frame(60, seed=5, holes=0.3)
ABOUT = {"class": "DecisionTreeClassifier", "parameters": {}, "learned": {}, "data": None}


def whole(name):
    model = MODELS[name]
    return dumps(getattr(model, "tree_", model))


def parts(data):
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + length]), bytearray(data[8 + length :])


def joined(header, body):
    """A file with a right checksum, made by hand."""
    header["__metadata__"]["sha256"] = "0" * 64
    text = json.dumps(header, separators=(",", ":")).encode()
    start = len(text).to_bytes(8, "little") + text
    sha = hashlib.sha256(start + bytes(body)).hexdigest()
    return start.replace(b'"sha256":"' + b"0" * 64, f'"sha256":"{sha}'.encode()) + bytes(body)


def read(data):
    return loads(memoryview(bytes(data)))[0]


@pytest.mark.parametrize("name", ["subset", "fractional", "surrogate", "softmax"])
def test_every_changed_byte_is_noticed(name):
    data = whole(name)
    rng = np.random.default_rng(0)
    for place in {0, 1, 7, 8, len(data) - 1, *rng.integers(0, len(data), 300).tolist()}:
        changed = bytearray(data)
        changed[place] ^= int(rng.integers(1, 256))
        with pytest.raises(BoughError) as error:
            read(changed)
        assert error.value.code == "file"


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 100, -1, -8])
def test_a_truncated_file_is_noticed(size):
    data = whole("subset")
    with pytest.raises(BoughError, match="not a whole model file") as error:
        read(data[:size])
    assert error.value.code == "file"


def test_other_files_are_told_apart(tmp_path):
    for content in (b"PK\x03\x04 some archive", b'{"a": 1}      ', b"a,b\n1,2\n3,4\n", b"\x00" * 100):
        (tmp_path / "other").write_bytes(content)
        with pytest.raises(BoughError) as error:
            bough.load(tmp_path / "other")
        assert error.value.code == "file"


def answers_or_refuses(data):
    """A changed model may still be a model; then it must answer for every row."""
    try:
        model = read(data)
    except BoughError as error:
        if error.code not in ("file", "model"):
            raise
        return False
    try:
        answers = model.predict(DATA)
    except BoughError as error:
        if error.code not in ("column", "missing-column"):  # a renamed one, or rules such as unseen="error"
            raise
        return True
    assert len(answers) == len(DATA)
    if model.classes is not None:
        assert set(answers) <= set(model.classes)
        shares = model.predict_proba(DATA)
        assert not np.isnan(shares).any()
    return True


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(
    "name", ["subset", "multiway", "branch", "fractional", "surrogate", "numbers", "forest"]
)
def test_changed_arrays_with_a_right_checksum(name):
    header, body = parts(whole(name))
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(150):
        changed = bytearray(body)
        for _ in range(int(rng.integers(1, 4))):
            changed[int(rng.integers(len(changed)))] = int(rng.choice([0, 1, 2, 127, 128, 254, 255]))
        refused += not answers_or_refuses(joined(dict(header), changed))
    assert refused > 20


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("name", ["surrogate", "fractional", "softmax"])
def test_changed_headers_with_a_right_checksum(name):
    """Every value of the header and of the model's description in turn becomes another."""
    header, body = parts(whole(name))
    others = [None, True, -1, 3, 10**30, 1.5, "x", [], {}, [[1]], {"array": 1}, {"tuple": [1]}]
    inner = json.loads(header["__metadata__"]["model"])
    refused = tried = 0
    for place in [*places(header), *[("model", *p) for p in places(inner)]]:
        for other in others:
            changed = json.loads(json.dumps(header))
            if place[0] == "model":
                described = json.loads(json.dumps(inner))
                put(described, place[1:], other)
                changed["__metadata__"]["model"] = json.dumps(described)
            else:
                put(changed, place, other)
            if not isinstance(changed.get("__metadata__"), dict):
                continue
            tried += 1
            refused += not answers_or_refuses(joined(changed, body))
    assert refused > 0.8 * tried


def places(value, path=()):
    found = [path] if path else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += places(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value[:3]):
            found += places(inner, (*path, i))
    return found


def put(value, place, other):
    for key in place[:-1]:
        value = value[key]
    value[place[-1]] = other


@pytest.mark.parametrize("name", ["surrogate", "branch", "softmax"])
def test_changed_json(name):
    model = MODELS[name]
    text = to_json(getattr(model, "tree_", model))
    found = json.loads(text)
    for tree in found["trees"]:
        tree["nodes"] = tree["nodes"][:]
    rng = np.random.default_rng(2)
    all_places = places(found)
    refused = 0
    for number in rng.choice(len(all_places), 60):
        for other in (None, -1, 2**40, "x", [], True):
            changed = json.loads(text)
            put(changed, all_places[number], other)
            try:
                back = from_json(json.dumps(changed))
                assert len(back.predict(DATA)) == len(DATA)
            except BoughError:
                refused += 1
    assert refused > 150


@pytest.mark.parametrize(
    "text",
    ["", "[]", "nonsense", '{"format": "bough 1"}', '{"format": "other 1"}', "[" * 5000, '{"a":1,"a":2}'],
)
def test_json_that_is_no_model(text):
    with pytest.raises(BoughError) as error:
        bough.from_json(text)
    assert error.value.code == "file"


def test_a_newer_format_says_so():
    header, body = parts(whole("subset"))
    header["__metadata__"]["bough"] = "2"
    with pytest.raises(BoughError, match="format 2") as error:
        read(joined(header, body))
    assert "pip install" in error.value.hint
    found = json.loads(to_json(MODELS["subset"].tree_)) | {"format": "bough 7"}
    with pytest.raises(BoughError, match="format 7"):
        from_json(json.dumps(found))


@pytest.mark.parametrize("changes", [{"dtype": "F16"}, {"shape": [3]}, {"data_offsets": [0, 1]}, {"more": 1}])
def test_entries_that_do_not_fit(changes):
    header, body = parts(whole("subset"))
    header["feature"] |= changes
    with pytest.raises(BoughError):
        read(joined(header, body))


def test_overlapping_arrays_and_gaps():
    header, body = parts(whole("subset"))
    header["kind"] = header["feature"] | {}
    with pytest.raises(BoughError, match="overlap"):
        read(joined(header, body))
    header, body = parts(whole("subset"))
    with pytest.raises(BoughError, match="bytes of data"):
        read(joined(header, body + b"more"))
    header["strange"] = {"dtype": "U8", "shape": [4], "data_offsets": [len(body), len(body) + 4]}
    with pytest.raises(BoughError, match="no model has"):
        read(joined(header, body + b"more"))


@pytest.mark.parametrize("name", ["os.system", "__import__", "Pipeline", "TreeClassifier", "", None, 3])
def test_only_classes_of_the_list_come_back(name, tmp_path):
    from bough.store import save

    save(MODELS["subset"].tree_, tmp_path / "m.bough", ABOUT | {"class": name})
    with pytest.raises(BoughError, match="does not have"):
        bough.load(tmp_path / "m.bough")


@pytest.mark.parametrize(
    "changes",
    [
        {"parameters": {"no_such": 1}},
        {"parameters": 3},
        {"learned": {"predict": 1}},
        {"learned": {"__class__": 1}},
        {"learned": {"pruning_choice_": {"Choice": {"dict": [["alpha", 1]]}}}},
        {"class": "DecisionTreeRegressor"},
    ],
)
def test_what_does_not_belong_to_the_class(changes, tmp_path):
    from bough.store import save

    save(MODELS["subset"].tree_, tmp_path / "m.bough", ABOUT | changes)
    with pytest.raises(BoughError) as error:
        bough.load(tmp_path / "m.bough")
    assert error.value.code == "model"


@pytest.mark.parametrize(
    ("notes", "message"),
    [
        ({"measure": "gain", "values": [0.5, 0.5]}, "not about its columns"),
        ({"measure": "unbiased", "values": ["1", 2.0]}, "not about its columns"),
        ({"measure": "unbiased", "values": "12"}, "not about its columns"),
        ({"measure": "unbiased", "values": [1.0]}, "not about its columns"),
        ({"values": [1.0, 2.0]}, "not about its columns"),
        ({"lines": "one"}, "no lines of text"),
        ({"lines": ["one", 2]}, "no lines of text"),
    ],
)
def test_notes_that_are_none_are_refused(notes, message):
    X = np.random.default_rng(1).normal(size=(30, 2))
    model = bough.RandomForestClassifier(n_estimators=2, random_state=0).fit(X, X[:, 0] > 0)
    found = json.loads(model.to_json())
    found["notes"] = {"lines": [], "measure": "", "values": []} | notes
    with pytest.raises(BoughError, match=message):
        bough.from_json(json.dumps(found))

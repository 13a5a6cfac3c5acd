"""What the loader refuses is tried by something with just that fault, so that no branch is left out."""

import json
import os
import threading
from dataclasses import replace

import every_model
import numpy as np
import pytest
from store.test_broken_files import joined, parts, read

from bough import BoughError, DecisionTreeClassifier, DecisionTreeRegressor, RandomForestClassifier
from bough.data.table import Field
from bough.store import from_json, to_json
from bough.store.bundle import dumps_bundle, loads_bundle
from bough.store.check import check_classes, check_fields, check_rules, check_tree
from bough.store.container import read_json
from bough.store.files import write_atomically
from bough.store.model import dumps
from bough.store.narrow import get, put, same
from bough.store.pack import pack, unpack
from bough.store.plain import NotPlain, from_plain, to_plain
from bough.store.shape import Shape
from bough.store.statistics import floats_between
from bough.tree.condition import SPREAD
from bough.tree.rules import Rules

Y = ["a", "a", "b", "b"] * 3
LETTERS = {"c": ["u", "u", "v", "w"] * 3}
CUT = DecisionTreeClassifier().fit({"x": [1, 2, 3, 4] * 3}, Y).tree_
GROUPS = DecisionTreeClassifier().fit(LETTERS, Y).tree_
WAYS = DecisionTreeClassifier(categories="multiway").fit(LETTERS, Y).tree_
ENSEMBLES = every_model.ensembles()


def having(tree, name, place, value):
    """The tree with another value in one of its arrays."""
    changed = getattr(tree, name).copy()
    changed[place] = value
    return replace(tree, **{name: changed})


def listed():
    """A leaf that has a list of categories."""
    end = int(GROUPS.category_start[-1])
    return replace(
        GROUPS,
        category_start=np.array([0, end, end + 1, end + 1]),
        category=np.append(GROUPS.category, 0).astype(np.int32),
        category_child=np.append(GROUPS.category_child, 0).astype(np.int32),
    )


FAULTS = {
    "a leaf has children": having(CUT, "n_children", 1, 2),
    "not numbered breadth-first": having(CUT, "first_child", 0, 2),
    "a node has no value": having(CUT, "value", (0, 0), np.nan),
    "a negative weight": having(CUT, "value", (1, 0), -1.0),
    "fewer rows than none": having(CUT, "n_missing", 0, -1),
    "a node has no weight": having(CUT, "weight", 1, -1.0),
    "gain is not a number": having(CUT, "gain", 0, np.nan),
    "the root has no rows": having(CUT, "n_rows", 0, 0),
    "a node asks for a column that there is not": having(CUT, "feature", 0, 9),
    "does not fit its kind": having(CUT, "kind", 0, 2),
    "more branches than categories": replace(WAYS, fields=(Field("c", "nominal", ("u",)),)),
    "a leaf sends missing values on": having(CUT, "missing_child", 1, 0),
    "categories that it does not ask for": listed(),
    "lists of categories do not fit": having(GROUPS, "category_start", 0, 1),
    "a category that there is not": having(GROUPS, "category", 0, 9),
    "its rules for answers": replace(CUT, rules=Rules(costs=((0.0, -1.0), (1.0, 0.0)))),
    "branches without weight": having(having(CUT, "missing_child", 0, SPREAD), "weight", slice(1, 3), 0.0),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_tree_with_one_fault(fault):
    check_tree(CUT)
    with pytest.raises(BoughError, match=fault):
        check_tree(FAULTS[fault])


def test_a_node_without_rows_has_no_children():
    tree = DecisionTreeClassifier().fit({"x": [1, 2, 3, 4]}, ["a", "b", "c", "d"]).tree_
    inner = int(np.flatnonzero(tree.feature[1:] >= 0)[0]) + 1
    with pytest.raises(BoughError, match="without rows has children"):
        check_tree(having(tree, "n_rows", inner, 0))


def test_only_moments_have_a_time_zone():
    moments = Field("when", "datetime", zoned=True)
    check_fields((moments, Field("x", "numeric")))
    for wrong in (replace(moments, kind="numeric"), replace(moments, zoned="UTC")):
        with pytest.raises(BoughError, match='"when" has a time zone'):
            check_fields((wrong,))


def test_classes_and_rules():
    for classes, fault in (
        (np.array([]), "no classes"),
        (np.array([None, 1]), "no label"),
        (np.array([1, 1]), "twice"),
    ):
        with pytest.raises(BoughError, match=fault):
            check_classes(classes)
    for rules in (Rules(m=0.0), Rules(estimate="no"), Rules(never_missing=("z",)), Rules(costs=((1.0,),))):
        with pytest.raises(BoughError, match="rules for answers"):
            check_rules(rules, CUT.fields, 2)
    with pytest.raises(BoughError, match="cannot be written"):
        dumps(replace(CUT, classes=np.array([lambda: 1, "b"], dtype=object)))


@pytest.mark.parametrize(
    "text", ['{"a": NaN}', "[1]", '{"a":' * 70 + "1" + "}" * 70, '{"a": 1, "a": 1}', "{"]
)
def test_headers(text):
    with pytest.raises(BoughError, match="its header is not"):
        read_json(text)


def test_several_trees_where_there_should_be_one():
    forest = ENSEMBLES["forest"]
    header, body = parts(dumps(forest))
    described = json.loads(header["__metadata__"]["model"]) | {"kind": "tree"}
    header["__metadata__"]["model"] = json.dumps(described)
    with pytest.raises(BoughError, match="several trees"):
        read(joined(*without(header, body, "weights", "output", "base")))
    with pytest.raises(BoughError, match="several trees"):
        from_json(json.dumps(json.loads(to_json(forest)) | {"kind": "tree"}))


def without(header, body, *names):
    """The file without some of its arrays: their bytes go with them, and those behind move up."""
    header = {n: dict(e) for n, e in header.items()}
    for name in names:
        start, stop = header.pop(name)["data_offsets"]
        body = body[:start] + body[stop:]
        for entry in header.values():
            if entry.get("data_offsets", [0])[0] >= stop:
                entry["data_offsets"] = [place - (stop - start) for place in entry["data_offsets"]]
    return header, body


@pytest.mark.parametrize("name", ENSEMBLES)
def test_every_array_is_needed(name):
    """Without it the model is refused, or it is one that follows from the others."""
    header, body = parts(dumps(ENSEMBLES[name]))
    refused = []
    for missing in [n for n in header if n != "__metadata__"]:
        try:
            read(joined(*without(header, body, missing)))
        except BoughError as error:
            refused.append((missing, error.code))
    assert {code for _, code in refused} <= {"file", "model"}
    assert {"feature", "nodes"} <= {array for array, _ in refused}


def test_arrays_that_do_not_fit():
    good = {"n": np.array([1, 2], np.uint8)}
    assert get(good, "n", np.int32, (2,)).tolist() == [1, 2]
    for arrays, dtype, fault in (
        ({"n": np.array([1.0, 2.0])}, np.int32, "has the type float64"),
        ({"n": np.array([1, 2], np.uint64)}, np.int64, "has the type uint64"),
        ({"n": np.array([True, False])}, np.float64, "has the type bool"),
        ({"n": np.array([1, 2**40])}, np.int32, "too large"),
        ({"n": np.array([1])}, np.int32, "has the shape"),
        (good | {"n.values": np.array([1.0])}, np.float64, "beyond its values"),
    ):
        with pytest.raises(BoughError, match=fault):
            get(arrays, "n", dtype, (2,))
    assert not same(np.zeros(2), np.zeros(3))
    with pytest.raises(OverflowError):
        put({}, "n", np.array([2**63 + 1], np.uint64))


@pytest.mark.parametrize(
    ("sizes", "children", "fault"),
    [
        ([3], [2, 0], "do not fit together"),
        ([3], [2, -1, 1], "less than no children"),
        ([3], [1, 0, 0], "more or fewer"),
        ([3], [0, 2, 0], "before its parent"),
    ],
)
def test_shapes(sizes, children, fault):
    with pytest.raises(BoughError, match=fault):
        Shape(np.array(sizes), np.array(children))


def test_a_shape_of_one_leaf_has_no_heaviest_child():
    assert Shape(np.array([1]), np.array([0])).heaviest_child(np.ones(1)).tolist() == [-1]


def test_lists_that_count_less_than_nothing():
    arrays, loss = pack([GROUPS], exact=True)
    for count in (-1, 1 << 41):
        wrong = arrays | {"category_start": np.full(GROUPS.n_nodes, count)}
        with pytest.raises(BoughError, match="less than nothing"):
            unpack(wrong, GROUPS.fields, 2, loss)
    for missing in ("feature", "category", "category_child"):
        with pytest.raises(BoughError, match=r"it has no|do not fit"):
            unpack({n: a for n, a in arrays.items() if n != missing}, GROUPS.fields, 2, loss)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "error"])
def test_every_loss_comes_back(criterion):
    X = np.random.default_rng(0).normal(size=(200, 2))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    forest = RandomForestClassifier(n_estimators=2, criterion=criterion, max_depth=4).fit(X, y).ensemble_
    back = read(dumps(forest))
    for one, other in zip(back.trees, forest.trees, strict=True):
        np.testing.assert_allclose(one.impurity, other.impurity, atol=1e-6)
    assert (back.predict(X) == forest.predict(X)).all()


def test_means_that_are_far_from_those_of_the_leaves():
    assert floats_between(np.array([1.0, np.inf]), np.ones(2)) is None
    assert floats_between(np.array([1.0]), np.array([-0.0])) is None
    assert floats_between(np.array([1.0]), np.array([-1.0])) is None
    tree = DecisionTreeRegressor(max_depth=2).fit([[1], [2], [3]], [1.0, 2.0, 9.0]).tree_
    assert read(dumps(having(tree, "value", 0, np.float64(-7.0)))).value[0, 0] == -7.0


def test_values_that_are_not_plain():
    assert to_plain(np.float32(1.5)) == 1.5
    for value in (np.array([object()]), np.array(["2020-01-01"], "M8[s]")):
        with pytest.raises(NotPlain):
            to_plain(value)
    for wrong in (["M8[s]", [1], [1]], ["<i8", [1], 3], ["<i8", [1], [1.5]], ["<f8", [2], [1.0]]):
        with pytest.raises(BoughError, match="where a value is expected"):
            from_plain({"array": wrong})


def test_bundles():
    data = dumps_bundle([dumps(CUT)], {"class": "x"})
    header, body = parts(data)
    described = json.loads(header["__metadata__"]["model"])
    for change, fault in (({"about": 3}, "what its models are"), ({}, "do not fit together")):
        changed = json.loads(json.dumps(header))
        changed["__metadata__"]["model"] = json.dumps(described | change)
        if not change:
            changed["part.000007"] = changed.pop("part.000000")
        with pytest.raises(BoughError, match=fault):
            loads_bundle(memoryview(joined(changed, body)))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_stays_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_atomically(tmp_path / "pipe", b"all of it")
    reader.join()
    assert got == [b"all of it"]
    assert (tmp_path / "pipe").is_fifo()


@pytest.mark.parametrize("about", [5, "x", [], [["class", "x"]], None])
def test_what_is_said_of_a_model_is_an_object(about):
    header, body = parts(dumps(CUT))
    head = json.loads(header["__metadata__"]["model"]) | {"about": about}
    header["__metadata__"]["model"] = json.dumps(head)
    with pytest.raises(BoughError, match="what it says of its model is no object"):
        read(joined(header, body))
    with pytest.raises(BoughError, match="what it says of its model is no object"):
        from_json(json.dumps(json.loads(to_json(CUT)) | {"about": about}))


def test_names_that_no_file_can_have(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.symlink("other", "loop")
    os.symlink("loop", "other")
    for name, what in (("loop", "leads back to itself"), ("\ud800", "half of a pair of characters")):
        with pytest.raises(BoughError, match=what):
            write_atomically(name, b"x")
    assert os.path.islink("loop")

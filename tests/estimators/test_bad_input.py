"""Bad input: tables, targets and weights are taken as documented, or refused with an error that helps."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from estimators.refusing import BOTH, INF, NAN, refused
from scipy import sparse

from bough import BoughError, DecisionTreeClassifier, DecisionTreeRegressor

# ---- X at fit -------------------------------------------------------------------------------------------

FIT = {
    "no rows": (lambda: np.empty((0, 3)), r"0 sample\(s\)", "empty"),
    "no rows, frame": (lambda: pd.DataFrame({"a": []}), r"0 sample\(s\)", "empty"),
    "no rows, list": (lambda: [], r"0 sample\(s\)", "empty"),
    "no columns": (lambda: np.empty((2, 0)), r"0 feature\(s\)", "empty"),
    "no columns, frame": (lambda: pd.DataFrame(index=range(2)), r"0 feature\(s\)", "empty"),
    "no columns, dict": (lambda: {}, r"0 (sample|feature)\(s\)", "empty"),
    "inf": (lambda: {"a": [1.0, INF]}, 'column "a", row 1: the value is inf', "column"),
    "-inf": (lambda: {"a": [1.0, 2.0], "b": [-INF, 1.0]}, 'column "b", row 0: the value is -inf', "column"),
    "inf, array": (
        lambda: np.array([[1.0, 2.0], [3.0, INF]]),
        'column "x1", row 1: the value is inf',
        "column",
    ),
    "inf and NaN": (
        lambda: np.array([[NAN, 2.0], [3.0, INF]]),
        'column "x1", row 1: the value is inf',
        "column",
    ),
    "inf, pandas": (lambda: pd.DataFrame({"a": [1.0, INF]}), 'column "a", row 1: the value is inf', "column"),
    "inf, polars": (
        lambda: pl.DataFrame({"a": [INF, None]}),
        'column "a", row 0: the value is inf',
        "column",
    ),
    "inf, float32": (
        lambda: np.array([[1.0], [INF]], np.float32),
        'column "x0", row 1: the value is inf',
        "column",
    ),
    "2^53 + 1": (lambda: {"a": [2**53 + 1, 1]}, 'column "a", row 0: the integer 9007199254740993', "column"),
    "2^53 + 1, array": (
        lambda: np.array([[1], [2**53 + 1]]),
        'column "x0", row 1: the integer 9007',
        "column",
    ),
    "2^64 - 1": (
        lambda: np.array([[1], [2**64 - 1]], np.uint64),
        'column "x0", row 1: the integer 1844',
        "column",
    ),
    "10^400": (lambda: {"a": [1, 10**400]}, 'column "a", row 1: the integer of about', "column"),
    "mixed": (lambda: {"a": [1, "b"]}, 'column "a" mixes numbers .row 0: 1. and text .row 1', "column"),
    "mixed dates": (
        lambda: {"a": [dt.date(2020, 1, 1), 5]},
        'column "a" mixes dates .row 0.* numbers',
        "column",
    ),
    "mixed, array": (lambda: np.array([[1], ["b"]], object), 'column "x0" mixes', "column"),
    "nested": (lambda: {"a": [[1], [2]]}, 'column "a", row 0: cannot use a list', "column"),
    "objects": (lambda: {"a": [1, object()]}, 'column "a", row 1: cannot use a object', "column"),
    "nested, polars": (lambda: pl.DataFrame({"a": [[1], [2]]}), 'column "a" holds nested values', "column"),
    "complex": (lambda: np.array([[1j], [2]]), 'Complex data not supported: column "x0"', "column"),
    "complex, list": (lambda: {"a": [1j, 2]}, 'Complex data not supported: column "a"', "column"),
    "1-D": (lambda: np.arange(2.0), "Expected 2D array, got 1D array", "shape"),
    "1-D, list": (lambda: [1, 2], "Expected 2D array, got 1D array", "shape"),
    "1-D, series": (lambda: pd.Series([1, 2]), "Expected 2D array, got 1D array", "shape"),
    "0-D": (lambda: np.array(5.0), "Expected 2D array, got scalar array", "shape"),
    "3-D": (lambda: np.zeros((2, 2, 2)), "Found array with dim 3", "shape"),
    "sparse": (lambda: sparse.csr_matrix(np.eye(2)), "Sparse data was passed", "type"),
    "sparse array": (lambda: sparse.coo_array(np.eye(2)), "Sparse data was passed", "type"),
    "twice": (
        lambda: pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]),
        'two columns are named "a"',
        "column",
    ),
    "twice, arrow": (
        lambda: pa.table([[1, 2], [3, 4]], names=["b", "b"]),
        'two columns are named "b"',
        "column",
    ),
    "names of two kinds": (lambda: pd.DataFrame({"a": [1, 2], 5: [1, 2]}), "5 is of the type int", "column"),
    "names not text": (lambda: {1: [1, 2]}, "1 is of the type int", "column"),
    "columns of two lengths": (lambda: {"a": [1, 2], "b": [1]}, '"a" has 2 values, "b" has 1', "shape"),
    "rows of two lengths": (lambda: [[1, 2], [3]], "row 1 has 1 values, row 0 has 2", "shape"),
    "rows of two kinds": (lambda: [{"a": 1}, [2]], "row 1 is a list", "shape"),
    "one value for a column": (lambda: {"a": 5, "b": 6}, 'column "a" is a single int', "type"),
    "None": (lambda: None, "cannot read a table from a NoneType", "type"),
    "text": (lambda: "ab", "cannot read a table from a str", "type"),
    "set": (lambda: {1, 2}, "cannot read a table from a set", "type"),
    "generator": (lambda: (row for row in [[1], [2]]), "cannot read a table from a generator", "type"),
    "lazy": (lambda: pl.DataFrame({"a": [1, 2]}).lazy(), "lazy query", "type"),
    "bytes not utf-8": (
        lambda: {"a": [b"ok", b"\xff\xfe"]},
        r'column "a", row 1: .* is not text in utf-8',
        "column",
    ),
}


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("case", FIT)
def test_a_bad_table_is_refused_at_fit(kind, case):
    make, text, code = FIT[case]
    refused(lambda: kind().fit(make(), [0, 1]), text, code)


# ---- X at predict ----------------------------------------------------------------------------------------

KNOWN = {
    "age": [1.0, 2.0, 3.0, 4.0],
    "town": ["A", "B", "C", "D"],
    "day": [dt.date(2020, 1, d) for d in (1, 2, 3, 4)],
}
DAY = dt.date(2020, 1, 2)
PREDICT = {
    "text for numbers": (
        {"age": ["old"], "town": ["A"], "day": [DAY]},
        'column "age", row 0: the value is "old"',
        "column",
    ),
    "number as text": (
        {"age": [1, "2"], "town": ["A", "A"], "day": [DAY, DAY]},
        'column "age" mixes',
        "column",
    ),
    "date for numbers": (
        {"age": [DAY], "town": ["A"], "day": [DAY]},
        'column "age", row 0: the value is 2020',
        "column",
    ),
    "number for dates": (
        {"age": [1], "town": ["A"], "day": [7]},
        'column "day", row 0: the value is 7',
        "column",
    ),
    "text for dates": (
        {"age": [1], "town": ["A"], "day": ["2020"]},
        'column "day", row 0: the value is "2020"',
        "column",
    ),
    "date for categories": ({"age": [1], "town": [DAY], "day": [DAY]}, 'column "town", row 0', "column"),
    "missing column": ({"age": [1], "day": [DAY]}, 'the model needs "town"', "missing-column"),
    "renamed column": (
        {"Age": [1], "town": ["A"], "day": [DAY]},
        '(?s)needs "age".*Closest: "Age"',
        "missing-column",
    ),
    "two missing": (
        {"town": ["A"]},
        'the model needs "age", "day", the data does not have them',
        "missing-column",
    ),
    "inf": (
        {"age": [1, INF], "town": ["A", "B"], "day": [DAY, DAY]},
        'column "age", row 1: the value is inf',
        "column",
    ),
    "no rows": ({"age": [], "town": [], "day": []}, r"0 sample\(s\)", "empty"),
    "array too narrow": (np.array([[1.0, 2.0]]), "X has 2 features, but .* is expecting 3 features", "shape"),
    "array too wide": (np.ones((1, 4)), "X has 4 features, but .* is expecting 3 features", "shape"),
    "1-D": (np.ones(3), "Expected 2D array, got 1D array", "shape"),
    "sparse": (sparse.csr_matrix(np.ones((1, 3))), "Sparse data was passed", "type"),
    "twice": (
        pd.DataFrame([[1, 1, "A", DAY]], columns=["age", "age", "town", "day"]),
        'two columns are named "age"',
        "column",
    ),
    "big integer": (
        {"age": [2**53 + 1], "town": ["A"], "day": [DAY]},
        'column "age", row 0: the integer',
        "column",
    ),
    "complex": (
        {"age": [1j], "town": ["A"], "day": [DAY]},
        'Complex data not supported: column "age"',
        "column",
    ),
}


@pytest.mark.parametrize("call", ["predict", "apply", "decision_path", "score"])
@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("case", PREDICT)
def test_a_bad_table_is_refused_at_predict(kind, case, call):
    data, text, code = PREDICT[case]
    model = kind().fit(KNOWN, [0, 1, 0, 1])
    arguments = (data, [0]) if call == "score" else (data,)
    refused(lambda: getattr(model, call)(*arguments), text, code)


def test_columns_in_another_order_and_more_columns_are_fine():
    model = DecisionTreeClassifier().fit(KNOWN, [0, 1, 1, 0])
    expected = model.predict(KNOWN).tolist()
    assert expected == [0, 1, 1, 0]
    assert model.predict(dict(reversed(KNOWN.items()))).tolist() == expected
    assert model.predict({"extra": [9] * 4, **KNOWN, "more": ["x"] * 4}).tolist() == expected
    assert model.predict(pl.DataFrame(KNOWN).select("town", "day", "age")).tolist() == expected


def test_a_category_never_seen_goes_where_missing_goes():
    model = DecisionTreeClassifier().fit({"town": ["A", "B", "B", None]}, ["x", "y", "y", "y"])
    assert model.predict({"town": ["A", "B", "Q", None, "a", "A "]}).tolist() == [
        "x",
        "y",
        "y",
        "y",
        "y",
        "y",
    ]
    many = DecisionTreeClassifier(categories="multiway").fit({"town": ["A", "B", "B"]}, ["x", "y", "y"])
    assert many.predict({"town": ["A", "Q", None]}).tolist() == ["x", "y", "y"]


def test_numbers_for_text_categories_are_categories_of_that_name():
    model = DecisionTreeClassifier().fit({"code": ["1", "2", "3"]}, ["x", "y", "y"])
    assert model.predict({"code": [1, 2.0, 9]}).tolist() == ["x", "y", "y"]
    assert model.predict(np.array([[1], [2]])).tolist() == ["x", "y"]


def test_a_missing_column_of_a_model_without_names_asks_for_an_array():
    model = DecisionTreeClassifier().fit([[1, 2], [3, 4]], [0, 1])
    refused(lambda: model.predict({"a": [1], "b": [2]}), 'needs "x0", "x1"', "missing-column")


# ---- y ---------------------------------------------------------------------------------------------------

TARGETS = {
    "None": (None, "requires y to be passed", "target", BOTH),
    "too short": ([1, 2], r"X and y have inconsistent numbers of samples: \[3, 2\]", "target", BOTH),
    "too long": ([1, 2, 3, 4], r"inconsistent numbers of samples: \[3, 4\]", "target", BOTH),
    "empty": ([], r"inconsistent numbers of samples: \[3, 0\]", "target", BOTH),
    "NaN": ([1.0, NAN, 2.0], "y contains NaN: row 1 has a missing value", "target", BOTH),
    "None within": ([1, 2, None], "y contains NaN: row 2 has a missing value", "target", BOTH),
    "NaN among texts": (["a", "b", NAN], "y contains NaN: row 2", "target", BOTH[:1]),
    "None among texts": (["a", None, "b"], "y contains NaN: row 1", "target", BOTH[:1]),
    "NaN, series": (pd.Series([1.0, NAN, 2.0]), "y contains NaN: row 1", "target", BOTH),
    "null, polars": (pl.Series(["a", None, "b"]), "y contains NaN: row 1", "target", BOTH[:1]),
    "all missing": ([None, None, None], "y contains NaN: row 0", "target", BOTH),
    "inf": ([1.0, 2.0, INF], "y contains infinity: row 2", "target", BOTH),
    "-inf": (np.array([-INF, 2.0, 1.0]), "y contains infinity: row 0", "target", BOTH),
    "two columns": (
        [[1, 2], [3, 4], [5, 6]],
        r"y should be a 1d array, got an array of shape \(3, 2\)",
        "target",
        BOTH,
    ),
    "two columns, frame": (
        pd.DataFrame({"a": [1, 2, 3], "b": 1}),
        r"y should be a 1d array.*\(3, 2\)",
        "target",
        BOTH,
    ),
    "ragged": ([[1, 2], [3], [4]], "y", "target", BOTH),
    "a scalar": (5, "y should be a 1d array", "target", BOTH),
    "a set": ({1, 2, 3}, "y", "target", BOTH),
    "complex": (np.array([1j, 2, 3]), "Complex data not supported: column .y.", "column", BOTH),
    "mixed": (["a", 1, 2], 'column "y" mixes text .row 0: .a.. and numbers .row 1: 1.', "column", BOTH),
    "fractions": ([0.5, 1.5, 1.0], "Unknown label type: continuous. y is 0.5 in row 0", "target", BOTH[:1]),
    "dates": ([DAY, DAY, DAY], "Unknown label type: the target y holds dates", "target", BOTH[:1]),
    "texts as numbers": (["a", "b", "c"], "the target y is 'a' in row 0", "target", BOTH[1:]),
    "numbers as texts": (["1", "2", "3"], "the target y is '1' in row 0", "target", BOTH[1:]),
    "dates as numbers": ([DAY, DAY, DAY], "the target y is a date in row 0", "target", BOTH[1:]),
}


@pytest.mark.parametrize("case", TARGETS)
def test_a_bad_target_is_refused(case):
    y, text, code, kinds = TARGETS[case]
    for kind in kinds:
        refused(lambda kind=kind: kind().fit([[1], [2], [3]], y), text, code)


LABELS = {
    "integers with gaps": [-7, 10**12, 3],
    "integers beyond 2^53": [2**60, 2**60 + 1, 2**60 + 2],
    "integers beyond 2^63": [2**70, 2**70 + 1, 0],
    "whole floats": [1.0, 2.0, 5.0],
    "booleans": [True, False, False],
    "texts": ["b", "a", "ü"],
    "texts that differ in case and spaces": ["a", "A", "a "],
    "an empty text": ["", "x", " "],
    "bytes": [b"b", b"a", b"c"],
    "numpy integers": np.array([3, 200, 9], dtype=np.uint8),
    "negative int8": np.array([-128, 127, 0], dtype=np.int8),
    "numpy texts": np.array(["b", "aaaa", "c"]),
    "numpy objects": np.array(["b", "a", "c"], dtype=object),
    "numpy booleans": np.array([True, False, True]),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels_of_any_kind_come_back_as_they_were(case):
    y = LABELS[case]
    values = y.tolist() if isinstance(y, np.ndarray) else y
    model = DecisionTreeClassifier().fit([[1], [2], [3]], y)
    assert model.classes_.tolist() == sorted(set(values))
    answers = model.predict([[1], [2], [3]])
    assert answers.tolist() == values
    assert type(answers.tolist()[0]) is type(values[0])
    assert model.predict_proba([[1], [2], [3]]).sum() == 3


def test_categorical_labels_and_unused_categories():
    y = pd.Series(pd.Categorical(["low", "high", "low"], categories=["low", "high", "never"]))
    model = DecisionTreeClassifier().fit([[1], [2], [3]], y)
    assert set(model.classes_) == {"low", "high"}
    assert model.predict([[1], [2], [3]]).tolist() == ["low", "high", "low"]


@pytest.mark.parametrize("label", ["only", 5, True])
def test_one_class_makes_a_leaf(label):
    model = DecisionTreeClassifier().fit({"a": [1, 2, 3]}, [label] * 3)
    assert model.get_n_leaves() == 1
    assert model.predict({"a": [9, None]}).tolist() == [label, label]
    assert model.predict_proba({"a": [1]}).tolist() == [[1.0]]
    assert model.feature_importances_.tolist() == [0.0]


def test_a_constant_number_makes_a_leaf():
    model = DecisionTreeRegressor().fit({"a": [1, 2, 3]}, [0.1, 0.1, 0.1])
    assert model.get_n_leaves() == 1
    assert model.predict({"a": [9, None]}).tolist() == [0.1, 0.1]


@pytest.mark.parametrize("kind", BOTH)
def test_one_row_makes_a_leaf(kind):
    model = kind().fit({"a": [1], "b": ["x"]}, [4])
    assert model.get_n_leaves() == 1
    assert model.predict({"a": [2], "b": ["y"]}).tolist() == [4]


def test_more_classes_than_are_possible_are_refused():
    n = 70_000
    model = DecisionTreeClassifier()
    refused(
        lambda: model.fit(np.arange(n).reshape(-1, 1), np.arange(n)),
        "y has 70000 different classes",
        "target",
    )


# ---- weights ---------------------------------------------------------------------------------------------

WEIGHTS = {
    "negative": ([1, -1, 1], "Negative values in sample_weight: row 1 has the weight -1", "weights"),
    "NaN": ([1, 1, NAN], "sample_weight contains NaN: row 2", "weights"),
    "None": ([1, None, 1], "sample_weight contains NaN: row 1", "weights"),
    "inf": ([INF, 1, 1], "sample_weight contains infinity: row 0", "weights"),
    "all zero": ([0, 0, 0], "all sample weights are zero", "weights"),
    "too short": ([1, 1], r"X and sample_weight have inconsistent numbers of samples: \[3, 2\]", "weights"),
    "too long": ([1] * 4, r"X and sample_weight have inconsistent numbers of samples: \[3, 4\]", "weights"),
    "two-dimensional": ([[1], [1], [1]], "Sample weights must be 1D array", "weights"),
    "texts": (["a", "b", "c"], "sample weights are not all numbers", "weights"),
    "numbers as texts": (["1", "2", "3"], "sample weights are not all numbers", "weights"),
    "numbers as objects that are texts": (
        np.array(["1", "2", "3"], dtype=object),
        "sample weights are not all numbers",
        "weights",
    ),
    "complex": (np.array([1j, 1, 1]), "sample weights are not all numbers", "weights"),
    "sum too large": ([1e308, 1e308, 1e308], "weight", "weights"),
}


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("case", WEIGHTS)
def test_bad_weights_are_refused(kind, case):
    w, text, code = WEIGHTS[case]
    refused(lambda: kind().fit([[1], [2], [3]], [0, 1, 0], sample_weight=w), text, code)


@pytest.mark.parametrize(
    "w", [np.array([1, 2, 0]), [1.0, 2.0, 0.0], pd.Series([1, 2, 0]), pl.Series([1, 2, 0]), [True, 2, False]]
)
def test_weights_of_any_form_are_taken(w):
    model = DecisionTreeRegressor(max_depth=0).fit([[1], [2], [3]], [0.0, 3.0, 99.0], sample_weight=w)
    assert model.predict([[0]]).tolist() == [2.0]
    assert model.tree_.root.n_rows == 2
    assert model.tree_.root.weight == 3.0


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e12, 1e300])
def test_weights_of_any_size_are_taken(scale):
    w = np.array([1, 2, 1]) * scale
    model = DecisionTreeClassifier(max_depth=0).fit([[1], [2], [3]], ["a", "b", "b"], sample_weight=w)
    np.testing.assert_allclose(model.predict_proba([[0]]), [[0.25, 0.75]], rtol=1e-12)
    mean = DecisionTreeRegressor(max_depth=0).fit([[1], [2], [3]], [0.0, 4.0, 4.0], sample_weight=w)
    np.testing.assert_allclose(mean.predict([[0]]), [3.0], rtol=1e-12)


def test_a_picture_for_a_folder_that_is_not_there(tmp_path):
    model = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    for write in (model.to_svg, model.to_html):
        with pytest.raises(BoughError, match="there is no folder"):
            write(tmp_path / "nowhere" / "x")

"""What cannot be a table: each error message, names that clash or are none."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from data.tables import column

from bough.data.ingest import to_table
from bough.data.sources import column_names
from bough.errors import BoughError, BoughTypeError


class TestNames:
    def test_pandas_without_text_names(self) -> None:
        frame = pd.DataFrame([[1, "a"], [2, "b"]])
        assert column_names(frame) is None
        assert to_table(frame).names == ("x0", "x1")
        assert to_table(frame, fields=to_table(frame).fields).n_rows == 2

    def test_mixed(self) -> None:
        frame = pd.DataFrame([[1, 2]], columns=["a", 1])
        message = "only supported if all input features have string names"
        with pytest.raises(BoughTypeError, match=message) as caught:
            to_table(frame)
        assert "X.columns = X.columns.astype(str)" in caught.value.hint
        for data in ({"a": [1], 1: [2]}, [{"a": 1, 1: 2}]):
            with pytest.raises(BoughTypeError, match=message):
                to_table(data)

    def test_duplicates(self) -> None:
        pandas = pd.DataFrame([[1, 2]], columns=["a", "a"])
        arrow = pa.table([[1], [2]], names=["a", "a"])
        for data in (pandas, arrow):
            with pytest.raises(BoughError, match='two columns are named "a"'):
                to_table(data)
        with pytest.raises(BoughError, match='two columns are named "b"'):
            to_table(np.eye(2), names=["b", "b"])

    def test_given_names_are_counted(self) -> None:
        for data in (np.eye(2), [[1, 2]]):
            with pytest.raises(BoughError, match="3 names were given for 2 columns"):
                to_table(data, names=["a", "b", "c"])

    def test_column_names(self) -> None:
        assert column_names(np.eye(2)) is None
        assert column_names([[1]]) is None
        for data in (
            pd.DataFrame({"a": [1]}),
            pl.DataFrame({"a": [1]}),
            pa.table({"a": [1]}),
            {"a": [1]},
            [{"a": 1}],
        ):
            assert column_names(data) == ["a"]
        assert column_names(to_table({"a": [1]})) == ["a"]
        assert column_names(np.zeros(1, dtype=[("a", "f8")])) == ["a"]


class TestErrors:
    @pytest.mark.parametrize("value", [np.inf, -np.inf])
    def test_infinity(self, value: float) -> None:
        matrix = np.zeros((3, 2))
        matrix[0, 0] = np.nan
        matrix[2, 1] = value
        for data in (
            matrix,
            matrix.tolist(),
            pd.DataFrame(matrix),
            matrix.astype("f4"),
            matrix.astype(object),
        ):
            with pytest.raises(
                BoughError, match=r'column "x1", row 2: the value is -?inf \(infinity\)'
            ) as caught:
                to_table(data)
            assert caught.value.code == "column"
            with pytest.raises(BoughError, match="infinity"):
                to_table(data, fields=to_table(np.zeros((1, 2))).fields)

    def test_large_finite_numbers_are_fine(self) -> None:
        assert to_table(np.full((3, 1), 1.7e308)).n_rows == 3

    def test_mixture(self) -> None:
        with pytest.raises(
            BoughError, match=r'column "age" mixes text \(row 1: .old.\) and numbers \(row 2: 3\)'
        ) as e:
            column([None, "old", 3], "age")
        assert e.value.code == "column"
        assert "text with str(), or numbers with None" in e.value.hint
        with pytest.raises(BoughError, match=r"mixes dates .* and numbers"):
            column([dt.date(2020, 1, 1), 3])

    def test_strange_values(self) -> None:
        with pytest.raises(BoughTypeError, match=r"argument must be .* string.* number"):
            to_table(np.array([[1.0], [{"foo": "bar"}]], dtype=object))
        with pytest.raises(BoughTypeError, match=r'column "x0", row 1: cannot use a dict: \{.foo.: .bar.\}'):
            to_table(np.array([[1.0], [{"foo": "bar"}]], dtype=object))
        with pytest.raises(BoughTypeError, match=r'column "c" has the type .*which a table cannot hold'):
            column(np.zeros(2, dtype=[("a", "f8")]))
        with pytest.raises(BoughError, match=r'column "c" has 2 dimensions \(shape \(2, 2\)\)'):
            column(np.eye(2))
        with pytest.raises(BoughError, match=r'column "c", row 1: b.*xff.* is not text in utf-8'):
            column([b"a", b"\xff"])

    @pytest.mark.parametrize("data", [np.array([[1j]]), [[1j]], {"x0": [1, 1j]}, pd.DataFrame({"x0": [1j]})])
    def test_complex(self, data: Any) -> None:
        with pytest.raises(BoughError, match='Complex data not supported: column "x0"'):
            to_table(data)

    def test_empty(self) -> None:
        rows = r"Found array with 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required\."
        for none in (
            np.empty((0, 3)),
            pd.DataFrame({"a": [], "b": [], "c": []}),
            np.empty((0, 3), dtype=object),
        ):
            with pytest.raises(BoughError, match=rows):
                to_table(none)
        for data in (np.empty((10, 0)), pd.DataFrame(index=range(10)), [[]] * 10):
            with pytest.raises(
                BoughError, match=r"0 feature\(s\) \(shape=\(10, 0\)\) while a minimum of 1 is required\."
            ):
                to_table(data)
        for nothing in ([], {}):
            with pytest.raises(BoughError, match=r"0 sample\(s\) \(shape=\(0, 0\)\)"):
                to_table(nothing)

    def test_dimensions(self) -> None:
        for data in (
            np.ones(3),
            [1, 2, 3],
            ["ab", "cd"],
            pd.Series([1]),
            pl.Series([1]),
            pa.chunked_array([[1]]),
        ):
            with pytest.raises(
                BoughError, match=r"(?s)Expected 2D array, got 1D array instead.*Reshape your data"
            ):
                to_table(data)
        with pytest.raises(BoughError, match="got scalar array instead"):
            to_table(np.array(3.0))
        with pytest.raises(
            BoughError, match=r"Found array with dim 3\. DecisionTreeClassifier expected <= 2\."
        ):
            to_table(np.ones((2, 2, 2)), owner="DecisionTreeClassifier")
        with pytest.raises(BoughError, match=r"Found array with dim 3"):
            to_table([[[1], [2]], [[1], [2]]])

    @pytest.mark.parametrize(
        "make", [scipy.sparse.csr_matrix, scipy.sparse.coo_array, scipy.sparse.dok_array]
    )
    def test_sparse(self, make: Any) -> None:
        with pytest.raises(BoughTypeError, match=r"(?s)Sparse data was passed.*\.toarray\(\)"):
            to_table(make(np.eye(2)))

    def test_lazy(self) -> None:
        with pytest.raises(BoughTypeError, match=r"(?s)lazy query \(LazyFrame\).*X\.collect\(\)"):
            to_table(pl.LazyFrame({"a": [1]}))

    def test_rows_of_different_form(self) -> None:
        with pytest.raises(BoughError, match=r"row 1 has 1 values, row 0 has 2\."):
            to_table([[1, 2], [3]])
        with pytest.raises(BoughError, match=r"row 1 is a int, the rows before are lists\."):
            to_table([[1, 2], 3])
        with pytest.raises(BoughError, match=r"row 1 is a list, the rows before are dicts\."):
            to_table([{"a": 1}, [2]])

    def test_columns_of_different_length(self) -> None:
        with pytest.raises(BoughError, match='different lengths: "a" has 2 values, "b" has 1'):
            to_table({"a": [1, 2], "b": [1]})
        with pytest.raises(BoughTypeError, match=r"(?s)column .a. is a single int.*write \[\{\.\.\.\}\]"):
            to_table({"a": 1})

    @pytest.mark.parametrize("data", [3, "abc", None, object()])
    def test_no_table_at_all(self, data: Any) -> None:
        with pytest.raises(BoughTypeError, match=f"cannot read a table from a {type(data).__name__}"):
            to_table(data)


FAR = (
    np.array(["2024-01-01", "300000-01-01"], dtype="datetime64[D]"),
    np.array([1, 2**60], dtype="datetime64[s]"),
    np.array([1, 2**62], dtype="timedelta64[s]"),
    np.array([0, 2**40], dtype="datetime64[Y]"),
    [np.datetime64("2024-01-01"), np.datetime64("300000-01-01")],
    [np.timedelta64(1, "s"), np.timedelta64(2**62, "s")],
)


@pytest.mark.parametrize("values", FAR, ids=str)
def test_dates_that_numpy_would_change(values: Any) -> None:
    with pytest.raises(BoughError, match=r'column "d", row 1: .* is beyond 292,000 years') as caught:
        to_table({"d": values})
    assert caught.value.code == "column"


def test_parts_of_a_microsecond_are_not_too_far() -> None:
    moments = [np.datetime64("2024-01-01T00:00:00.123456789"), None]
    expected = [np.datetime64("2024-01-01T00:00:00.123456").astype(np.int64), np.nan]
    for values in (moments, np.array(moments, dtype="datetime64[ns]")):
        np.testing.assert_array_equal(column(values)[2], expected)


def test_a_nan_that_signals_is_missing() -> None:
    for other in (Decimal(1), 1.0):
        np.testing.assert_array_equal(column([Decimal("sNaN"), other])[2], [np.nan, 1.0])
    np.testing.assert_array_equal(column([Decimal("sNaN"), "a"])[2], [np.nan, 0])


def test_large_integers_of_a_masked_matrix() -> None:
    mask = [[False, False], [False, True]]
    with pytest.raises(BoughError, match='column "x0", row 0: the integer 9007199254740993'):
        to_table(np.ma.array([[2**53 + 1, 1], [3, 4]], mask=mask))
    table = to_table(np.ma.array([[2**53, 1], [3, 2**53 + 1]], mask=mask))
    np.testing.assert_array_equal(table.columns[1].values, [1, np.nan])


@pytest.mark.parametrize("inner", [[1.0], (1.0,), [[2.0], 3.0]])
def test_a_list_in_a_cell(inner: Any) -> None:
    with pytest.raises(BoughTypeError, match=r"row 0 holds a (list|tuple) among its values") as caught:
        to_table([[inner, 2.0, 3.0]])
    assert "Each cell" in caught.value.hint


def test_a_set_has_no_order_of_columns() -> None:
    with pytest.raises(BoughError, match="row 0 is a set, not a list"):
        to_table([{4.0, 3.0, 2.0}])
    with pytest.raises(BoughError, match="row 1 is a frozenset, the rows before are lists"):
        to_table([[1.0, 2.0], frozenset({3.0, 4.0})])

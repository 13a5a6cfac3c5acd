"""Targets and weights: the labels' own type, numpy's order, and each error message."""

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bough.data.target import class_codes, number_target, weights
from bough.errors import BoughError, BoughTypeError


def codes(y: Any) -> tuple[list[int], np.ndarray[Any, Any]]:
    found, classes = class_codes(y, len(y), "Tree")
    assert found.dtype == np.int32
    return found.tolist(), classes


class TestClasses:
    @given(
        st.one_of(
            st.lists(st.integers(-5, 5), min_size=1),
            st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1),
            st.lists(st.booleans(), min_size=1),
            st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=3), min_size=1),
        )
    )
    def test_like_numpy_unique(self, y: list[Any]) -> None:
        expected, inverse = np.unique(np.array(y), return_inverse=True)
        for given_as in (y, tuple(y), np.array(y), np.array(y).reshape(-1, 1)):
            found, classes = codes(given_as)
            assert found == inverse.tolist()
            assert classes.tolist() == expected.tolist()
            assert classes.dtype == expected.dtype

    @pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u8", "f4", "f8", "?", "U3", "S3"])
    def test_label_types_stay(self, dtype: str) -> None:
        y = np.array([1, 0, 1], dtype=dtype)
        found, classes = codes(y)
        assert found == [1, 0, 1]
        assert classes.dtype == y.dtype

    @pytest.mark.parametrize(
        "y",
        [
            np.array(["b", "a", "b"], dtype=object),
            pd.Series(["b", "a", "b"]),
            pd.Series(["b", "a", "b"], dtype="string"),
            pd.Series(["b", "a", "b"], dtype=object, index=[5, 5, 1]),
            pd.Categorical(["b", "a", "b"], categories=["b", "z", "a"], ordered=True),
            pd.Series(pd.Categorical(["b", "a", "b"])),
            pd.DataFrame({"y": ["b", "a", "b"]}),
            pd.Index(["b", "a", "b"]),
            pl.Series(["b", "a", "b"]),
            pl.Series(["b", "a", "b"], dtype=pl.Categorical),
            pl.Series(["b", "a", "b"], dtype=pl.Enum(["b", "a"])),
            pa.array(["b", "a", "b"]),
            pa.chunked_array([["b", "a"], ["b"]]),
            pa.array(["b", "a", "b"]).dictionary_encode(),
        ],
        ids=lambda y: type(y).__module__.partition(".")[0] + "." + type(y).__name__,
    )
    def test_text_of_frames(self, y: Any) -> None:
        found, classes = codes(y)
        assert found == [1, 0, 1]
        assert classes.tolist() == ["a", "b"]
        assert classes.dtype == object

    @pytest.mark.parametrize(
        "y",
        [
            pd.Series([7, 3, 7]),
            pd.Series([7, 3, 7], dtype="Int64"),
            pd.Categorical([7, 3, 7]),
            pl.Series([7, 3, 7]),
            pa.array([7, 3, 7]),
            np.array([7, 3, 7], dtype=object),
            np.ma.array([7, 3, 7]),
        ],
        ids=lambda y: type(y).__module__.partition(".")[0] + "." + type(y).__name__,
    )
    def test_integers_of_frames(self, y: Any) -> None:
        found, classes = codes(y)
        assert found == [1, 0, 1]
        assert classes.tolist() == [3, 7]
        assert classes.dtype == np.int64

    def test_integers_of_any_size(self) -> None:
        found, classes = codes([2**70, -1, 2**63, 2**63 + 1])
        assert found == [3, 0, 1, 2]
        assert classes.tolist() == [-1, 2**63, 2**63 + 1, 2**70]

    def test_bytes_and_nullable_booleans(self) -> None:
        assert codes([b"x", b"a"])[1].tolist() == [b"a", b"x"]
        assert codes(pd.Series([True, False], dtype="boolean"))[1].dtype == bool

    @pytest.mark.parametrize(
        "y", [np.array([0.0, np.nan]), [1, None], ["a", None], pd.Series(["a", None]), pl.Series([1, None]),
              pa.array(["a", None]).dictionary_encode(), np.ma.array([1, 2], mask=[False, True]),
              pd.Series([1, None], dtype="Int64"), pd.Categorical(["a", None])], ids=str)  # fmt: skip
    def test_missing(self, y: Any) -> None:
        with pytest.raises(BoughError, match="Input y contains NaN: row 1 has a missing value") as caught:
            class_codes(y, 2, "Tree")
        assert caught.value.code == "target"

    def test_infinity(self) -> None:
        with pytest.raises(BoughError, match="Input y contains infinity: row 0"):
            class_codes([np.inf, 1.0], 2, "Tree")

    def test_continuous(self) -> None:
        for y in ([1.0, 2.5], np.array([1.0, 2.5], dtype="f4"), pl.Series([1.0, 2.5])):
            message = r"Unknown label type: continuous\. y is 2\.5 in row 1, Tree expects classes\."
            with pytest.raises(BoughError, match=message) as caught:
                class_codes(y, 2, "Tree")
            assert "regressor" in caught.value.hint

    def test_wrong_types(self) -> None:
        with pytest.raises(
            BoughError, match=r'column "y" mixes text \(row 0: .a.\) and numbers \(row 1: 1\)'
        ):
            class_codes(["a", 1], 2, "Tree")
        with pytest.raises(BoughTypeError, match="Unknown label type: the target y holds dates"):
            class_codes([dt.date(2020, 1, 1)], 1, "Tree")
        with pytest.raises(BoughTypeError, match=r"Unknown label type: the target y holds datetime64"):
            class_codes(np.array(["2020"], dtype="M8[D]"), 1, "Tree")


class TestNumbers:
    @pytest.mark.parametrize(
        "y",
        [
            [1, 2.5],
            (1, Decimal("2.5")),
            np.array([[1.0], [2.5]]),
            np.array([1, 2.5], dtype="f4"),
            np.array([1, 2.5], dtype=object),
            pd.Series([1, 2.5]),
            pd.Series([1, 2.5], dtype="Float64"),
            pd.DataFrame({"y": [1, 2.5]}),
            pl.Series([1.0, 2.5]),
            pl.Series([Decimal("1"), Decimal("2.5")]),
            pa.array([1, 2.5]),
        ],
        ids=str,
    )
    def test_numbers(self, y: Any) -> None:
        found = number_target(y, 2)
        assert found.dtype == np.float64
        assert found.flags.c_contiguous
        assert found.tolist() == [1.0, 2.5]

    def test_booleans_and_integers(self) -> None:
        assert number_target([True, False], 2).tolist() == [1.0, 0.0]
        assert number_target(np.array([3, 4]), 2).tolist() == [3.0, 4.0]
        assert number_target(np.arange(6.0)[::3], 2).flags.c_contiguous

    def test_text(self) -> None:
        with pytest.raises(BoughError, match=r"the target y is 'a' in row 0, Tree needs numbers\.") as caught:
            number_target(["a", "b"], 2, "Tree")
        assert "classifier" in caught.value.hint
        with pytest.raises(BoughError, match="the target y is a date in row 0"):
            number_target([dt.date(2020, 1, 1)], 1)

    @pytest.mark.parametrize(
        "y", [[1, None], np.array([1, np.nan]), pd.Series([1, None]), pl.Series([1, None])]
    )
    def test_missing(self, y: Any) -> None:
        with pytest.raises(BoughError, match="Input y contains NaN: row 1"):
            number_target(y, 2)

    def test_infinity(self) -> None:
        with pytest.raises(BoughError, match="Input y contains infinity: row 1 has an infinite number"):
            number_target([1.0, -np.inf], 2)


@pytest.mark.parametrize(
    "read", [lambda y, n: class_codes(y, n, "Tree"), lambda y, n: number_target(y, n, "Tree")]
)
class TestBoth:
    def test_none(self, read: Any) -> None:
        with pytest.raises(BoughError, match="Tree requires y to be passed, but the target y is None"):
            read(None, 3)

    def test_length(self, read: Any) -> None:
        for y in ([1, 2], np.array([1, 2]), pl.Series([1, 2]), []):
            with pytest.raises(BoughError, match=rf"inconsistent numbers of samples: \[3, {len(y)}\]"):
                read(y, 3)

    @pytest.mark.parametrize(
        "y",
        [np.ones((3, 2)), [[1, 2]] * 3, pd.DataFrame({"a": [1] * 3, "b": [1] * 3})],
        ids=str,
    )
    def test_shape(self, read: Any, y: Any) -> None:
        with pytest.raises(BoughError, match="y should be a 1d array") as caught:
            read(y, 3)
        assert caught.value.hint == "Fit one model for each column of y."

    def test_complex(self, read: Any) -> None:
        for y in (np.array([1j, 2]), [1j, 2j]):
            with pytest.raises(BoughError, match="Complex data not supported"):
                read(y, 2)

    def test_column_vectors(self, read: Any) -> None:
        for y in (np.array([[1], [0]]), [[1], [0]], pl.DataFrame({"y": [1, 0]})):
            found = read(y, 2)
            assert (found[0] if isinstance(found, tuple) else found).tolist() == [1, 0]


class TestWeights:
    def test_unit_weights_are_none(self) -> None:
        for unit in (None, 1, 1.0, [1, 1], np.ones(2), pd.Series([1, 1]), pl.Series([1, 1])):
            assert weights(unit, 2) is None

    @pytest.mark.parametrize("given_as", [list, np.array, pd.Series, pl.Series, pa.array])
    def test_weights(self, given_as: Any) -> None:
        found = weights(given_as([0.0, 2.5]), 2)
        assert found is not None
        assert found.dtype == np.float64
        assert found.tolist() == [0.0, 2.5]

    def test_scalar_and_no_view_of_the_users_array(self) -> None:
        found = weights(3, 2)
        assert found is not None
        assert found.tolist() == [3.0, 3.0]
        mine = np.array([1.0, 2.0])
        found = weights(mine, 2)
        assert found is not None
        assert not np.shares_memory(found, mine)

    @pytest.mark.parametrize(
        ("bad", "message"),
        [
            ([1, -2], "Negative values in sample_weight: row 1 has the weight -2.0"),
            ([np.nan, 1], "Input sample_weight contains NaN: row 0"),
            ([1, None], "Input sample_weight contains NaN: row 1"),
            ([1, np.inf], "Input sample_weight contains infinity: row 1"),
            (np.ma.array([1, 2], mask=[False, True]), "Input sample_weight contains NaN: row 1"),
            (np.array([1, "x"], dtype=object), "the sample weights are not all numbers"),
            ([0, 0], "Sample weights must contain at least one non-zero number"),
            (0, "all sample weights are zero"),
            ([1, 1, 1], r"X and sample_weight have inconsistent numbers of samples: \[2, 3\]"),
            (np.ones((2, 2)), "Sample weights must be 1D array or scalar, got 2D array"),
            (["a", "b"], "the sample weights are not all numbers"),
            (np.array([1j, 2]), "the sample weights are not all numbers"),
        ],
    )
    def test_errors(self, bad: Any, message: str) -> None:
        with pytest.raises(BoughError, match=message) as caught:
            weights(bad, 2)
        assert caught.value.code == "weights"
        assert caught.value.hint

"""Any data to a table: the same from every kind of frame, schemas at predict, each error message."""

import datetime as dt
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from data.tables import COLUMNS, NAN, column, equal_tables, same
from hypothesis import given
from hypothesis import strategies as st

from bough.data.ingest import to_table
from bough.data.table import Field
from bough.errors import BoughError, BoughTypeError

DAY = 86_400_000_000.0
ROWS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]


def as_object_array() -> np.ndarray[Any, Any]:
    array = np.empty((4, len(COLUMNS)), dtype=object)
    for i, values in enumerate(COLUMNS.values()):
        array[:, i] = values
    return array


@pytest.mark.parametrize(
    "data",
    [
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS).convert_dtypes(),
        pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
        pd.DataFrame(COLUMNS, dtype=object),
        pd.DataFrame(COLUMNS, index=[7, 7, 3, 1]),
        pl.DataFrame(COLUMNS),
        pa.table(COLUMNS),
        pa.RecordBatch.from_pydict(COLUMNS),
        pa.concat_tables([pa.table(COLUMNS).slice(0, 1), pa.table(COLUMNS).slice(1)]),
        ROWS,
        {name: pl.Series(values) for name, values in COLUMNS.items()},
        {name: pa.array(values) for name, values in COLUMNS.items()},
        {name: pd.Series(values) for name, values in COLUMNS.items()},
    ],
    ids=lambda data: type(data).__module__.partition(".")[0] + "." + type(data).__name__,
)
def test_every_frame_gives_the_same_table(data: Any) -> None:
    table = to_table(COLUMNS)
    assert [field.kind for field in table.fields] == [
        *("numeric", "numeric", "nominal", "nominal", "boolean", "datetime", "numeric")
    ]
    assert table.fields[2].categories == ("female", "male")
    assert table.fields[3].categories == ("", "a b", "b", "é")
    equal_tables(to_table(data), table)
    equal_tables(to_table(data, fields=table.fields), table)


def test_without_names_the_same_values_at_the_same_places() -> None:
    table = to_table(COLUMNS)
    for data in (as_object_array(), as_object_array().tolist(), [tuple(row) for row in as_object_array()]):
        found = to_table(data, names=list(COLUMNS))
        equal_tables(found, table)
        assert to_table(data).names == tuple(f"x{i}" for i in range(len(COLUMNS)))
        equal_tables(to_table(data, fields=table.fields), table)


class TestMatrices:
    @pytest.mark.parametrize("order", ["C", "F"])
    def test_float64_is_not_copied(self, order: Any) -> None:
        matrix = np.asarray(np.arange(12.0).reshape(4, 3), order=order)
        table = to_table(matrix)
        for i, found in enumerate(table.columns):
            assert np.shares_memory(found.values, matrix)
            same(found.values.tolist(), matrix[:, i].tolist())
        assert matrix.flags.writeable

    @pytest.mark.parametrize("dtype", ["f4", "f2", "i1", "u2", "i8", ">f8", ">i4", "longdouble"])
    def test_other_numbers_become_float64(self, dtype: str) -> None:
        table = to_table(np.array([[1, 2], [3, 4]], dtype=dtype))
        assert table.columns[1].values.dtype == np.float64
        assert table.columns[1].values.tolist() == [2.0, 4.0]

    def test_booleans(self) -> None:
        table = to_table(np.array([[True, False], [False, False]]))
        assert table.fields[0] == Field("x0", "boolean", ("False", "True"))
        assert table.columns[0].values.tolist() == [1.0, 0.0]

    def test_strings_and_bytes(self) -> None:
        for array in (np.array([["b", "1"], ["a", "2"]]), np.array([[b"b", b"1"], [b"a", b"2"]])):
            assert to_table(array).fields[0] == Field("x0", "nominal", ("a", "b"))
            assert to_table(array).fields[1].categories == ("1", "2")

    def test_one_dimensional_in_a_dict(self) -> None:
        assert column(np.array([True, False]))[0] == "boolean"

    def test_unaligned(self) -> None:
        packed = np.zeros(2, dtype=[("a", "i1"), ("x", "f8", (3,))])
        packed["x"] = [[1, 2, 3], [4, 5, 6]]
        assert to_table(packed["x"]).columns[2].values.tolist() == [3.0, 6.0]
        assert to_table(packed["x"]).columns[2].values.flags.aligned

    def test_masked(self) -> None:
        masked = np.ma.array([[1, 2], [3, 4]], mask=[[False, True], [False, False]])
        same(to_table(masked).columns[1].values.tolist(), [NAN, 4.0])
        assert column(np.ma.array([1, 2]))[2] == [1.0, 2.0]
        times = np.ma.array([["2020-01-01"], ["2020-01-02"]], dtype="M8[ns]", mask=[[True], [False]])
        same(to_table(times).columns[0].values.tolist(), [NAN, 18263 * DAY])

    def test_structured_also_unaligned(self) -> None:
        array = np.array([(1, 2.5, "a"), (3, 4.5, "b")], dtype=[("n", "i1"), ("x", "f8"), ("s", "U1")])
        table = to_table(array)
        assert table.names == ("n", "x", "s")
        assert table.columns[1].values.tolist() == [2.5, 4.5]
        assert all(found.values.flags.aligned for found in table.columns)

    def test_subclasses_memory_maps_and_array_likes(self, tmp_path: Any) -> None:
        class ArrayLike:
            def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
                return np.array([[1.0, 2.0]])

        np.save(tmp_path / "x.npy", np.array([[1.0, 2.0]]))
        for data in (np.load(tmp_path / "x.npy", mmap_mode="r"), ArrayLike(), [np.array([1.0, 2.0])]):
            assert to_table(data).columns[1].values.tolist() == [2.0]
            assert to_table(data).columns[1].values.ndim == 1

    def test_datetimes(self) -> None:
        for unit in ("D", "s", "ns"):
            table = to_table(np.array([["1970-01-02"], ["NaT"]], dtype=f"M8[{unit}]"))
            assert table.fields[0].kind == "datetime"
            same(table.columns[0].values.tolist(), [DAY, NAN])


class TestObjects:
    @pytest.mark.parametrize("missing", [None, NAN, np.nan, pd.NA, pd.NaT, np.float32("nan"), Decimal("nan")])
    def test_missing_in_text(self, missing: Any) -> None:
        kind, categories, values = column(["b", missing, "a"])
        assert (kind, categories) == ("nominal", ("a", "b"))
        same(values, [1.0, NAN, 0.0])

    @pytest.mark.parametrize("missing", [None, NAN, pd.NA, pd.NaT])
    def test_missing_elsewhere(self, missing: Any) -> None:
        same(column([1, missing])[2], [1.0, NAN])
        same(column([True, missing])[2], [1.0, NAN])
        assert column([True, missing])[0] == "boolean"
        same(column([dt.date(1970, 1, 2), missing])[2], [DAY, NAN])
        same(column([dt.timedelta(seconds=2), missing])[2], [2.0, NAN])
        assert column([missing, missing])[0] == "numeric"

    def test_numbers_of_all_types(self) -> None:
        kind, _, values = column([1, 2.5, Decimal("0.5"), Fraction(1, 4), np.int8(3), np.float32(0.5), True])
        assert kind == "numeric"
        assert values == [1.0, 2.5, 0.5, 0.25, 3.0, 0.5, 1.0]
        assert column([np.True_, False])[0] == "boolean"

    def test_text_of_all_types(self) -> None:
        assert column(["a", b"b", np.str_("c"), bytearray(b"a")]) == (
            "nominal",
            ("a", "b", "c"),
            [0, 1, 2, 0],
        )

    def test_dates_times_and_zones(self) -> None:
        berlin = dt.datetime(1970, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1)))
        values = [berlin, dt.datetime(1970, 1, 2), dt.date(1970, 1, 3), np.datetime64("1970-01-04")]
        assert column([*values, pd.Timestamp("1970-01-05")])[2] == [0.0, DAY, 2 * DAY, 3 * DAY, 4 * DAY]
        assert column([dt.time(1, 0, 0, 500_000), np.timedelta64(3, "s"), pd.Timedelta("1s")])[2] == [
            3600.5,
            3,
            1,
        ]

    def test_list_of_dicts_with_missing_keys(self) -> None:
        table = to_table([{"a": 1}, {"b": "x"}, {"a": 3, "b": None}])
        assert table.names == ("a", "b")
        same(table.columns[0].values.tolist(), [1.0, NAN, 3.0])

    @given(st.lists(st.one_of(st.none(), st.text(max_size=3)), min_size=1, max_size=20))
    def test_text_decodes_to_itself(self, values: list[str | None]) -> None:
        kind, categories, codes = column(values)
        assert list(categories) == sorted({v for v in values if v is not None})
        assert kind == ("nominal" if categories else "numeric")
        assert [None if np.isnan(c) else categories[int(c)] for c in codes] == values

    @given(st.lists(st.one_of(st.none(), st.floats(allow_infinity=False)), min_size=1, max_size=20))
    def test_floats_stay(self, values: list[float | None]) -> None:
        same(column(values)[2], [NAN if v is None else v for v in values])
        same(column(pl.Series(values, dtype=pl.Float64))[2], [NAN if v is None else v for v in values])

    @given(st.lists(st.integers(-(2**70), 2**70), min_size=1, max_size=5))
    def test_integers_are_exact_or_refused(self, values: list[int]) -> None:
        if all(int(float(v)) == v for v in values):
            assert column(values)[2] == values
        else:
            with pytest.raises(BoughError, match="too large to be kept exactly"):
                column(values)


BIG = 2**60 + 1


class TestLargeIntegers:
    @pytest.mark.parametrize(
        "values",
        [
            [3, BIG],
            [None, BIG],
            np.array([3, BIG]),
            np.array([3, BIG], dtype="u8"),
            np.array([3, BIG], dtype=object),
            pd.array([None, BIG], dtype="Int64"),
            pd.Series([None, BIG], dtype=pd.ArrowDtype(pa.int64())),
            pl.Series([None, BIG]),
            pl.Series([3, BIG], dtype=pl.Int128),
            pa.array([None, BIG]),
        ],
        ids=str,
    )
    def test_refused(self, values: Any) -> None:
        with pytest.raises(
            BoughError, match=rf'column "id", row 1: the integer {BIG} is too large'
        ) as caught:
            column(values, "id")
        assert caught.value.code == "column"
        assert 'Drop "id"' in caught.value.hint

    def test_matrix_names_the_column(self) -> None:
        with pytest.raises(BoughError, match=rf'column "x1", row 1: the integer {BIG}'):
            to_table(np.array([[1, 2], [3, BIG]]))

    @pytest.mark.parametrize("edge", [2**63 - 1, -(2**63) + 1, 2**64 - 1, 10**400])
    def test_edges(self, edge: int) -> None:
        with pytest.raises(BoughError, match="too large"):
            column([edge])
        if edge < 2**64:
            with pytest.raises(BoughError, match="too large"):
                column(np.array([edge]))

    def test_large_but_exact(self) -> None:
        assert column([2**60, -(2**63)])[2] == [2.0**60, -(2.0**63)]
        assert column(np.array([2**60, -(2**63)]))[2] == [2.0**60, -(2.0**63)]
        assert column(np.array([2**63], dtype="u8"))[2] == [2.0**63]
        same(column(pl.Series([2**60, None]))[2], [2.0**60, NAN])


class TestCategories:
    def test_pandas(self) -> None:
        values = ["b", None, "a"]
        plain = pd.Categorical(values, categories=["b", "z", "a"])
        kind, categories, codes = column(plain)
        assert (kind, categories) == ("nominal", ("b", "z", "a"))
        same(codes, [0.0, NAN, 2.0])
        assert column(pd.Categorical(values, categories=["b", "z", "a"], ordered=True))[0] == "ordinal"
        assert column(pd.Categorical([2, 1, 2]))[1] == ("1", "2")
        assert column(pd.Categorical([2.0, 1.5]))[1] == ("1.5", "2")

    def test_polars(self) -> None:
        enum = pl.Series(["b", None, "a"], dtype=pl.Enum(["b", "z", "a"]))
        kind, categories, codes = column(enum)
        assert (kind, categories) == ("nominal", ("b", "z", "a"))
        same(codes, [0.0, NAN, 2.0])
        kind, categories, codes = column(pl.Series(["b", None, "a"], dtype=pl.Categorical))
        assert (kind, categories) == ("nominal", ("a", "b"))
        same(codes, [1.0, NAN, 0.0])

    @pytest.mark.parametrize("ordered", [False, True])
    def test_arrow_also_in_chunks(self, ordered: bool) -> None:
        def chunk(codes: list[int | None], levels: list[str]) -> Any:
            return pa.DictionaryArray.from_arrays(
                pa.array(codes, pa.int32()), pa.array(levels), ordered=ordered
            )

        one = chunk([0, None, 1], ["b", "a"])
        for data in (pa.table({"c": one}), pa.table({"c": pa.chunked_array([one[:1], one[1:]])}), {"c": one}):
            found = to_table(data).columns[0]
            assert found.field == Field("c", "ordinal" if ordered else "nominal", ("b", "a"))
            same(found.values.tolist(), [0.0, NAN, 1.0])
        if not ordered:
            two = to_table(pa.table({"c": pa.chunked_array([one, chunk([0, None], ["c"])])})).columns[0]
            assert two.field.categories == ("b", "a", "c")
            same(two.values.tolist(), [0.0, NAN, 1.0, 2.0, NAN])

    def test_arrow_inside_pandas_and_null_in_the_dictionary(self) -> None:
        kind = pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))
        same(column(pd.Series(["b", None, "a"], dtype=kind))[2], [0.0, NAN, 1.0])
        levels = pa.array(["b", None, "a"])
        kind2, categories, codes = column(pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), levels))
        assert (kind2, categories) == ("nominal", ("b", "a"))
        same(codes, [0.0, NAN, 1.0])

    def test_two_categories_of_one_name(self) -> None:
        with pytest.raises(
            BoughError, match=r'column "c" has two categories that read "1": .*1.* and .*1.*'
        ) as e:
            column(pd.Categorical([1, "1"]))
        assert e.value.code == "column"


class TestFrameTypes:
    def test_zones_are_utc(self) -> None:
        when = dt.datetime(2020, 1, 1, tzinfo=dt.UTC)
        shifted = when.astimezone(dt.timezone(dt.timedelta(hours=5)))
        expected = [when.timestamp() * 1e6]
        for values in ([shifted], pd.Series([shifted]), pa.array([shifted]), pl.Series([shifted])):
            assert column(values)[0] == "datetime"
            assert column(values)[2] == expected
        berlin = pd.Series([when]).dt.tz_convert("Europe/Berlin")
        assert column(berlin)[2] == expected
        assert column(pl.from_pandas(berlin))[2] == expected

    def test_decimals_nulls_dates_half(self) -> None:
        assert column(pl.Series([Decimal("1.5"), None]))[0] == "numeric"
        same(column(pa.array([Decimal("1.5"), None]))[2], [1.5, NAN])
        for empty in (pl.Series([None, None]), pa.nulls(2), pd.Series([None, None]), [None, None]):
            assert column(empty)[0] == "numeric"
            same(column(empty)[2], [NAN, NAN])
        for dates in (pl.Series([dt.date(1970, 1, 2), None]), pa.array([dt.date(1970, 1, 2), None])):
            assert column(dates)[0] == "datetime"
            same(column(dates)[2], [DAY, NAN])
        same(column(pa.array([np.float16(1.5), None], pa.float16()))[2], [1.5, NAN])

    @pytest.mark.parametrize("kind", ["object", "str", "string", "string[python]", "string[pyarrow]"])
    def test_pandas_strings(self, kind: str) -> None:
        found = column(pd.Series(["b", None, "a", ""], dtype=kind))
        assert found[:2] == ("nominal", ("", "a", "b"))
        same(found[2], [2.0, NAN, 1.0, 0.0])

    @pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary()])
    def test_arrow_strings(self, kind: Any) -> None:
        same(column(pa.array(["b", None, "a"]).cast(kind))[2], [1.0, NAN, 0.0])

    @pytest.mark.parametrize(
        "values", [pl.Series([[1], [2]]), pl.Series([{"a": 1}, {"a": 2}]), pa.array([[1], [2]]), [[1], [2]]]
    )
    def test_nested(self, values: Any) -> None:
        with pytest.raises(
            BoughTypeError, match=r'column "c"(, row 0: cannot use a list| holds nested values)'
        ):
            column(values)

    def test_no_frame_library_is_imported(self) -> None:
        code = (
            "import sys; from bough.data.ingest import to_table; to_table([[1, 'a'], [2, 'b']]);"
            "heavy = {'pandas', 'polars', 'pyarrow', 'duckdb', 'sklearn', 'scipy'};"
            "print(sorted(heavy & set(sys.modules)))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]"

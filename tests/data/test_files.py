"""Files to a table: formats, what is missing, and messages that name the file and the line."""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

from bough.data.files import read_file
from bough.data.ingest import to_table
from bough.data.rows import open_rows
from bough.data.table import Field
from bough.errors import BoughError

NAN = float("nan")
TEXT = 'x,y,day,ok,answer\n1,a,2020-01-01,true,yes\n2.5,,,false,no\n,"b, c",2021-01-01,,\n'


def write(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_csv(tmp_path: Path) -> None:
    table = read_file(write(tmp_path / "a.csv", TEXT))
    assert table.n_rows == 3
    assert table.fields == (
        Field("x", "numeric"),
        Field("y", "nominal", ("a", "b, c")),
        Field("day", "datetime"),
        Field("ok", "boolean", ("False", "True")),
        Field("answer", "nominal", ("no", "yes")),
    )
    np.testing.assert_array_equal(table.columns[0].values, [1.0, 2.5, NAN])
    np.testing.assert_array_equal(table.columns[1].values, [0.0, NAN, 1.0])
    np.testing.assert_array_equal(table.columns[3].values, [1.0, 0.0, NAN])


def test_the_same_table_from_every_format(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"x": [1.0, 2.5, None], "n": [1, None, 3], "y": ["a", None, "b"], "ok": [True, None, False]}
    )
    frame.write_csv(tmp_path / "a.csv")
    frame.write_csv(tmp_path / "a.tsv", separator="\t")
    frame.write_csv(tmp_path / "semicolon.csv", separator=";")
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_json(tmp_path / "a.json")
    frame.write_ndjson(tmp_path / "a.jsonl")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress((tmp_path / "a.csv").read_bytes()))
    (tmp_path / "bom.CSV").write_bytes(
        b"\xef\xbb\xbf" + (tmp_path / "a.csv").read_bytes().replace(b"\n", b"\r\n")
    )
    (tmp_path / "we[i]rd*.csv").write_bytes((tmp_path / "a.csv").read_bytes())
    expected = to_table(frame)
    for path in sorted(tmp_path.iterdir()):
        table = read_file(str(path))
        assert table.fields == expected.fields, path
        for left, right in zip(table.columns, expected.columns, strict=True):
            np.testing.assert_array_equal(left.values, right.values)


@pytest.mark.parametrize(
    ("cells", "kind", "categories"),
    [
        (["yes", "no"], "nominal", ("no", "yes")),
        (["t", "f"], "nominal", ("f", "t")),
        (["True", "False"], "boolean", ("False", "True")),
        (["true", ""], "boolean", ("False", "True")),
        (["true", "True"], "nominal", ("True", "true")),
        (["08:30", "09:00"], "numeric", ()),
        (["1", "x"], "nominal", ("1", "x")),
        (["#1", "#2"], "nominal", ("#1", "#2")),
        (['"a\nb"', "c"], "nominal", ("a\nb", "c")),
    ],
)
def test_kinds(tmp_path: Path, cells: list[str], kind: str, categories: Any) -> None:
    field = read_file(write(tmp_path / "k.csv", "v,w\n" + "".join(f"{cell},1\n" for cell in cells))).fields[0]
    assert (field.kind, field.categories) == (kind, categories)


def test_a_text_far_down_makes_the_column_text(tmp_path: Path) -> None:
    table = read_file(write(tmp_path / "long.csv", "x,y\n" + "1,2\n" * 30_000 + "z,4\n"))
    assert table.fields[0].categories == ("1", "z")


def test_names_are_those_of_the_file(tmp_path: Path) -> None:
    assert read_file(write(tmp_path / "c.csv", "Age,age,\n1,2,3\n")).names == ("Age", "age", "column2")
    with pytest.raises(BoughError, match='two columns are named "x"'):
        read_file(write(tmp_path / "d.csv", "x,x\n1,2\n"))


def test_demo() -> None:
    assert read_file("demo:tennis").n_rows == 14
    with pytest.raises(BoughError, match='Did you mean "tennis"'):
        read_file("demo:tenis")


def test_titanic() -> None:
    table = read_file(str(Path(__file__).parents[2] / "src/bough/data/tables/titanic.csv"))
    assert table.n_rows == 891


def test_not_found(tmp_path: Path) -> None:
    write(tmp_path / "visits.csv", TEXT)
    with pytest.raises(BoughError, match=r'no file .*visit\.csv\. Did you mean "visits\.csv"\?') as caught:
        read_file(str(tmp_path / "visit.csv"))
    assert caught.value.code == "file"
    assert caught.value.hint == "Files there: visits.csv"
    with pytest.raises(BoughError, match=r"no folder .*nowhere, so no file x\.csv"):
        read_file(str(tmp_path / "nowhere" / "x.csv"))
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(BoughError, match=r"folder\.csv is a folder"):
        read_file(str(tmp_path / "folder.csv"))
    with pytest.raises(BoughError, match=r"is a folder"):
        read_file(str(tmp_path))
    with pytest.raises(
        BoughError, match=r'cannot tell the format of x\.docx from its ending "\.docx"'
    ) as caught:
        read_file("x.docx")
    assert ".parquet" in caught.value.hint
    with pytest.raises(BoughError, match=r"(?s)x\.xlsx is a spreadsheet.* as CSV"):
        read_file("x.xlsx")


@pytest.mark.parametrize("before", [0, 30, 40_000])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3,4,5", r"has 3 values, the header has 2\."),
        ("3", r"has 1 values, the header has 2\."),
        ('3,"4', r"has a quote that is not closed\."),
    ],
)
def test_malformed_csv_names_the_line(tmp_path: Path, before: int, line: str, message: str) -> None:
    path = write(tmp_path / "bad.csv", "x,y\n" + "1,2\n" * before + line + "\n" + "1,2\n" * 5)
    with pytest.raises(BoughError, match=rf"bad\.csv line {before + 2} {message}") as caught:
        read_file(path)
    assert caught.value.code == "csv"
    assert line in caught.value.hint


def test_header_shorter_than_all_lines(tmp_path: Path) -> None:
    with pytest.raises(BoughError, match=r"bad\.csv line 2 has 3 values, the header has 2\."):
        read_file(write(tmp_path / "bad.csv", "x,y\n1,2,3\n1,2,3\n"))
    with pytest.raises(BoughError, match=r"bad\.csv line 1 is empty"):
        read_file(write(tmp_path / "bad.csv", "\nx,y\n1,2\n"))


def test_broken_files(tmp_path: Path) -> None:
    with pytest.raises(BoughError, match=r"e\.csv is empty \(0 bytes\)"):
        read_file(write(tmp_path / "e.csv", ""))
    with pytest.raises(BoughError, match=r"h\.csv has no rows, only the columns x, y\."):
        read_file(write(tmp_path / "h.csv", "x,y\n"))
    with pytest.raises(BoughError, match=r"b\.json cannot be read as json: Malformed JSON"):
        read_file(write(tmp_path / "b.json", '[{"x":1,'))
    with pytest.raises(BoughError, match=r"b\.parquet cannot be read as parquet: No magic bytes"):
        read_file(write(tmp_path / "b.parquet", "x" * 50))
    with pytest.raises(BoughError, match=r"b\.csv\.gz cannot be read as csv"):
        read_file(write(tmp_path / "b.csv.gz", "x,y\n1,2\n"))
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(TEXT.encode())[:-20])
    with pytest.raises(BoughError, match=r"cut\.csv\.gz cannot be read as csv"):
        read_file(str(tmp_path / "cut.csv.gz"))


@pytest.mark.parametrize("before", [0, 40_000])
@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-32"])
def test_other_encodings(tmp_path: Path, before: int, encoding: str) -> None:
    (tmp_path / "other.csv").write_bytes(("x,y\n" + "1,2\n" * before + "1,é€\n").encode(encoding))
    with open_rows(tmp_path / "other.csv") as rows:
        assert rows.notes == [f"other.csv was read as {encoding}, because it is not utf-8."]
        assert "é€" in rows.table().fields[1].categories


def test_binary_files_are_not_text(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_bytes(bytes(range(256)) * 50)
    with pytest.raises(BoughError, match=r"b\.csv is not text\."):
        read_file(str(tmp_path / "b.csv"))
    (tmp_path / "h.csv").write_bytes(b"x,y\n1,\x81\n")
    with pytest.raises(BoughError, match=r"(?s)h\.csv is not text in utf-8, nor in cp1252.*iconv"):
        read_file(str(tmp_path / "h.csv"))


def test_lines_of_any_length(tmp_path: Path) -> None:
    with pytest.raises(BoughError, match=r"the first line of l\.csv is longer than a million characters"):
        read_file(write(tmp_path / "l.csv", "x" * 3_000_000))
    long = "x,y\n1," + "z" * 3_000_000 + "\n2,b\n"
    assert read_file(write(tmp_path / "m.csv", long)).n_rows == 2
    with pytest.raises(BoughError, match=r"n\.csv.* is longer than 16 million bytes"):
        read_file(write(tmp_path / "n.csv", "x,y\n1," + "z" * 20_000_000 + "\n2,b\n"))


@pytest.mark.parametrize(
    ("late", "kind"),
    [("1.5", "numeric"), ("x", "nominal"), ("2020-01-01 12:30:00", "nominal"), ("2020-01-01", "nominal")],
)
def test_lines_after_the_sample_count_as_much(tmp_path: Path, late: str, kind: str) -> None:
    column = read_file(write(tmp_path / "l.csv", "x,y\n" + "1,2\n" * 30_000 + f"{late},4\n")).columns[0]
    assert column.field.kind == kind
    if late == "1.5":
        assert column.values[-1] == 1.5


def test_a_column_that_begins_empty_and_a_late_hour(tmp_path: Path) -> None:
    text = "x,day,y\n" + ",2020-01-01,2\n" * 30_000 + "7,2020-01-01 12:00:00,4\n"
    table = read_file(write(tmp_path / "l.csv", text))
    assert [field.kind for field in table.fields] == ["numeric", "datetime", "numeric"]
    assert table.columns[0].values[-1] == 7
    assert np.diff(table.columns[1].values[-2:]) == 12 * 3600 * 1e6


def test_large_whole_numbers_are_refused_rather_than_changed(tmp_path: Path) -> None:
    path = write(tmp_path / "i.csv", f"x,y\n{2**53 + 1},1\n5,2\n")
    with pytest.raises(BoughError, match="too large to be kept exactly"):
        read_file(path)
    with open_rows(Path(path), texts=["x"]) as rows:
        assert rows.table().fields[0].categories == ("5", str(2**53 + 1))


def test_a_single_column(tmp_path: Path) -> None:
    assert read_file(write(tmp_path / "one.csv", "x\n" + "1\n2\n" * 20)).names == ("x",)


def test_the_header_repeated_is_an_error_and_can_be_skipped(tmp_path: Path) -> None:
    path = Path(write(tmp_path / "r.csv", "x,y\n" + ("1,a\n" * 5 + "x,y\n") * 3))
    with pytest.raises(BoughError, match="has the names of its columns again on 3 lines"):
        read_file(str(path))
    with open_rows(path, bad_lines="skip") as rows:
        assert rows.notes == ["3 bad lines of r.csv were skipped."]
        assert [field.kind for field in rows.table().fields] == ["numeric", "nominal"]
        assert rows.n_rows == 15


def test_bad_lines_are_counted_and_can_be_skipped(tmp_path: Path) -> None:
    path = Path(write(tmp_path / "b.csv", "x,y\n1,2\n1,2,3\n4,5\n6\n7,8\n"))
    with pytest.raises(BoughError) as caught:
        read_file(str(path))
    assert caught.value.hint == "  3: 1,2,3\nSkip such lines with --bad-lines skip (2 found)."
    with open_rows(path, bad_lines="skip") as rows:
        np.testing.assert_array_equal(rows.table().columns[0].values, [1, 4, 7])


@pytest.mark.parametrize("bad_lines", ["error", "skip"])
@pytest.mark.parametrize("ends", [["\r\n", "\n"], ["\r\n", "\n", "\r"]])
def test_lines_that_end_in_several_ways(tmp_path: Path, ends: list[str], bad_lines: str) -> None:
    lines = ["x,y"] + [f"{i},{'ab'[i % 2]}" for i in range(60)]
    text = "".join(line + ends[i % len(ends)] for i, line in enumerate(lines))
    (tmp_path / "m.csv").write_bytes(text.encode())
    with open_rows(tmp_path / "m.csv", bad_lines=bad_lines) as rows:
        np.testing.assert_array_equal(rows.table().columns[0].values, range(60))
        assert rows.table().fields[1].categories == ("a", "b")


def test_skipping_bad_lines_does_not_help_where_all_of_the_file_is_bad(tmp_path: Path) -> None:
    path = Path(write(tmp_path / "q.csv", "x,y\n" + "1,2\n" * 30 + '3,"4\n' + "1,2\n" * 30))
    with (
        pytest.raises(BoughError, match=r"q\.csv line 32 has a quote that is not closed"),
        open_rows(path, bad_lines="skip"),
    ):
        pass


@pytest.mark.parametrize("before", [5, 30_000])
@pytest.mark.parametrize("day", ["2024-01-05", "2024-01-05 12:00:00"])
@pytest.mark.parametrize("word", ["infinity", "-infinity", "epoch"])
def test_words_for_dates_are_no_dates(tmp_path: Path, word: str, day: str, before: int) -> None:
    """duckdb makes 1900-01-01 of them, or what it means by the word, depending on where it meets them."""
    path = write(tmp_path / "d.csv", "x,day\n" + f"1,{day}\n" * before + f"2,{word}\n")
    said, column = "", None
    try:
        column = read_file(path).columns[1]
    except BoughError as error:
        said = error.message
    what = (f'"{word}" is no date.', "the date is infinite.")
    assert column is not None or said in [f'column "day", row {before}: {text}' for text in what]
    if column is not None and column.field.kind == "datetime":
        assert (word, column.values[-1]) == ("epoch", 0)


def test_the_first_day_of_1900_is_a_date(tmp_path: Path) -> None:
    for zone in ("", " 00:00:00 UTC"):
        path = write(tmp_path / "d.csv", "x,day\n" + f"1,1900-01-01{zone}\n2,1900-01-02{zone}\n" * 5)
        assert read_file(path).columns[1].values[0] == np.datetime64("1900-01-01", "us").astype(np.int64)


def test_infinite_dates_are_refused(tmp_path: Path) -> None:
    days = "select '2024-01-01'::timestamp as d union all select 'infinity'::timestamp"
    duckdb.sql(f"copy ({days}) to '{tmp_path}/d.parquet'")
    with pytest.raises(BoughError, match='column "d", row 1: the date is infinite'):
        read_file(str(tmp_path / "d.parquet"))


def test_sqlite_and_queries(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with closing(sqlite3.connect(path)) as base:
        base.execute("create table t (x integer, r real, y text, d date, m)")
        cells = [
            (1, 0.5, "a", "2020-01-01", 1),
            (None, None, None, None, "z"),
            (3, 2, "b", "2021-01-01", 2.5),
        ]
        base.executemany("insert into t values (?, ?, ?, ?, ?)", cells)
        base.commit()
        table = read_file(str(path))
        assert [f.kind for f in table.fields] == ["numeric", "numeric", "nominal", "datetime", "nominal"]
        np.testing.assert_array_equal(table.columns[0].values, [1, NAN, 3])
        assert table.fields[4].categories == ("1", "2.5", "z")
        base.execute("create table u (a)")
        base.commit()
    with pytest.raises(BoughError, match=r"(?s)has 2 tables: t, u\..*--sql"):
        read_file(str(path))
    with open_rows(path, sql="select x, y from t where y is not null") as rows:
        assert (rows.names, rows.n_rows) == (["x", "y"], 2)
    csv = Path(write(tmp_path / "q.csv", TEXT))
    with open_rows(csv, sql="select y, x * 2 as twice from data where x > 1") as rows:
        assert rows.table().names == ("y", "twice")
        np.testing.assert_array_equal(rows.table().columns[1].values, [5.0])
    with pytest.raises(BoughError, match="the query fails"), open_rows(csv, sql="select nothing from data"):
        pass
    (tmp_path / "no.db").write_bytes(b"no data base" * 100)
    with pytest.raises(BoughError, match=r"no\.db: file is not a database"):
        read_file(str(tmp_path / "no.db"))


def small_database(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as base:
        base.execute("create table data (x integer, y text)")
        base.executemany("insert into data values (?, ?)", [(1, "a"), (2, "b"), (3, "b")])
        base.commit()
    return path


@pytest.mark.parametrize("end", [";", " ; ", " -- all rows", ""])
@pytest.mark.parametrize("name", ["s.db", "q.csv"])
def test_how_a_query_may_end(tmp_path: Path, name: str, end: str) -> None:
    path = small_database(tmp_path / name) if name == "s.db" else Path(write(tmp_path / name, "x\n1\n2\n3\n"))
    with open_rows(path, sql=f"select x from data where x > 1{end}") as rows:
        assert rows.n_rows == 2


@pytest.mark.parametrize("query", ["", "-- nothing", "pragma version"])
def test_a_query_without_rows_of_any_kind(tmp_path: Path, query: str) -> None:
    path = small_database(tmp_path / "s.db")
    with pytest.raises(BoughError, match=r"s\.db: the query gives no rows\."), open_rows(path, sql=query):
        pass


def test_a_locked_database_is_no_other_file(tmp_path: Path) -> None:
    path = small_database(tmp_path / "s.db")
    with closing(sqlite3.connect(path, isolation_level=None)) as base:
        base.execute("begin exclusive")
        with pytest.raises(BoughError, match=r"(?s)database is locked\.\nAnother program writes to it"):
            read_file(str(path))


def test_a_database_with_signs_in_its_name(tmp_path: Path) -> None:
    """A file name is no address: %41 is not A."""
    with pytest.raises(BoughError, match="no file"):
        read_file(str(tmp_path / "a%41?#é.db"))
    assert read_file(str(small_database(tmp_path / "a%41?#é.db"))).n_rows == 3


def test_parts_of_a_file_have_the_kinds_of_the_whole(tmp_path: Path) -> None:
    path = Path(write(tmp_path / "p.csv", "x,y\n" + "".join(f"{i},{'abc'[i % 3]}\n" for i in range(1000))))
    with open_rows(path, stream=True) as rows:
        parts = [rows.table(start=start, stop=start + 300) for start in range(0, 1000, 300)]
    whole = read_file(str(path))
    assert {part.fields for part in parts} == {whole.fields}
    for i, column in enumerate(whole.columns):
        np.testing.assert_array_equal(np.concatenate([p.columns[i].values for p in parts]), column.values)


def test_arrow_files(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": [1, None, 3], "y": ["a", None, "b"]})
    frame.write_ipc(tmp_path / "a.feather")
    frame.write_ipc_stream(tmp_path / "b.arrow")
    for name in ("a.feather", "b.arrow"):
        table = read_file(str(tmp_path / name))
        np.testing.assert_array_equal(table.columns[0].values, [1, NAN, 3])
        assert table.fields[1].categories == ("a", "b")
    (tmp_path / "c.arrow").write_bytes(b"ARROW1" + bytes(100))
    with pytest.raises(BoughError, match=r"c\.arrow cannot be read as arrow"):
        read_file(str(tmp_path / "c.arrow"))

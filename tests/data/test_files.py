"""Files to a table: formats, what is missing, and messages that name the file and the line."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from bough.data.files import read_file
from bough.data.ingest import to_table
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
    with pytest.raises(
        BoughError, match=r'cannot tell the format of x\.xlsx from its ending "\.xlsx"'
    ) as caught:
        read_file("x.xlsx")
    assert ".parquet" in caught.value.hint


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
def test_other_encodings(tmp_path: Path, before: int) -> None:
    (tmp_path / "latin.csv").write_bytes(("x,y\n" + "1,2\n" * before + "1,é\n").encode("latin-1"))
    with pytest.raises(BoughError, match=r"(?s)latin\.csv.* is not text in utf-8.*iconv"):
        read_file(str(tmp_path / "latin.csv"))

"""Tests of `bough predict` and of model files on the command line: equal answers, formats, streams."""

from __future__ import annotations

import csv
import gzip
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from commands import good, run

import bough
from bough.cli import scoring
from bough.data.examples import load
from bough.data.files import read_file
from bough.data.objects import label

BOUGH = str(Path(sys.executable).with_name("bough"))
TITANIC = Path(bough.__file__).parent / "data/tables/titanic.csv"


def answers(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def model(own_folder: Path) -> Path:
    good("fit", TITANIC, "-t", "survived", "-q", "--no-report", "--choose", "none", "--max-leaves", "12")
    return Path("titanic.bough")


def test_the_answers_are_those_of_the_model(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "PART", 100)  # several parts, the last one short
    found = answers(good("predict", model, TITANIC))
    tree = bough.load(model).tree_
    table = read_file(str(TITANIC))
    assert [row["prediction"] for row in found] == tree.predict(table).tolist()
    shares = tree.predict_proba(table)
    assert [float(row["p_died"]) for row in found] == shares[:, 0].tolist()
    assert [float(row["p_survived"]) for row in found] == shares[:, 1].tolist()
    assert [int(row["leaf"]) for row in found] == tree.apply(table).tolist()


def test_what_is_written_and_what_is_said(model: Path) -> None:
    result = run("predict", model, TITANIC, "-o", "scored.csv")
    assert result.stdout == "891 rows → scored.csv   (prediction, p_died, p_survived, leaf)\n"
    assert "177 rows had a missing age" in result.stderr
    assert "688 a missing deck" in result.stderr
    assert "(routed as learned)" in result.stderr
    assert run("predict", model, TITANIC, "-o", "s.csv", "-q").output == ""
    plain = good("predict", model, TITANIC, "-o", "s.csv", "--plain")
    assert plain.isascii()
    for flags, columns in (
        (["--proba"], ["prediction", "p_died", "p_survived"]),
        (["--leaf"], ["prediction", "leaf"]),
        (["--rule", "--leaf"], ["prediction", "leaf", "rule"]),
    ):
        assert list(answers(good("predict", model, TITANIC, *flags))[0]) == columns


def test_rules_lead_to_the_leaf(model: Path) -> None:
    rows = answers(good("predict", model, TITANIC, "--rule", "--leaf"))
    texts = {row["leaf"]: row["rule"] for row in rows}
    assert len(set(texts.values())) == len(texts)
    assert all("sex = " in text for text in texts.values())


@pytest.mark.parametrize("name", ["o.tsv", "o.csv.gz", "o.jsonl", "o.parquet"])
def test_formats_of_the_output(model: Path, name: str) -> None:
    good("predict", model, TITANIC, "-o", name)
    expected = answers(good("predict", model, TITANIC))
    if name.endswith("jsonl"):
        found: list[Any] = [json.loads(line) for line in Path(name).read_text().splitlines()]
    elif name.endswith("parquet"):
        found = pl.read_parquet(name).to_dicts()
    else:
        packed = gzip.decompress(Path(name).read_bytes()) if name.endswith("gz") else Path(name).read_bytes()
        found = list(csv.DictReader(io.StringIO(packed.decode()), delimiter="\t" if "tsv" in name else ","))
    assert [row["prediction"] for row in found] == [row["prediction"] for row in expected]
    assert np.allclose([float(row["p_died"]) for row in found], [float(row["p_died"]) for row in expected])


def labelled(labels: list[Any]) -> list[Any]:
    """A model that answers with the labels in turn, and its rows."""
    y = [labels[row * len(labels) // 40] for row in range(40)]
    bough.DecisionTreeClassifier().fit({"v": list(range(40))}, y).save("labels.bough")
    Path("v.csv").write_text("v\n" + "".join(f"{i}\n" for i in range(40)))
    return y


@pytest.mark.parametrize(
    "labels",
    [
        ["1e5", "2e5"],
        ["true", "false"],
        ["2024-01-01", "2025-02-02"],
        ["", "a"],
        ["007", "x"],
        ["inf", "nan"],
        ['q"x', "a\nb,c"],
        [1, 2**60],
        [True, False],
        [0.0, 1.0],
    ],
    ids=str,
)
def test_labels_in_parquet_are_those_of_the_model(labels: list[Any]) -> None:
    y = labelled(labels)
    good("predict", "labels.bough", "v.csv", "-o", "p.parquet")
    found = pl.read_parquet("p.parquet")
    assert found["prediction"].to_list() == y
    assert found.columns == ["prediction", *(f"p_{label(c)}" for c in np.unique(y)), "leaf"]
    assert found["leaf"].dtype == pl.Int64


def test_parquet_is_not_packed_twice(model: Path) -> None:
    result = run("predict", model, TITANIC, "-o", "p.parquet.gz")
    assert result.exit_code == 2
    assert (
        result.stderr == "error[parameter]: p.parquet.gz: a Parquet file is packed already.\n-o p.parquet\n"
    )
    assert not [path for path in Path().iterdir() if path.suffix in (".gz", ".part")]


def test_labels_that_parquet_cannot_tell_apart() -> None:
    labelled(["a", "A"])
    result = run("predict", "labels.bough", "v.csv", "-o", "p.parquet")
    assert result.exit_code == 2
    assert result.stderr.startswith('error[file]: the columns "p_A" and "p_a" differ in case only')
    good("predict", "labels.bough", "v.csv", "-o", "p.csv")


@pytest.mark.parametrize("out", ["p.csv", "p.parquet", "-", "p.jsonl"])
def test_a_label_that_is_no_text(out: str) -> None:
    labelled(["a", "b\ud800"])
    result = run("predict", "labels.bough", "v.csv", "-o", out)
    assert result.exit_code == (0 if out == "p.jsonl" else 2)
    assert "unexpected" not in result.stderr
    if out != "p.jsonl":
        assert result.stderr.startswith(r"error[file]: the answers hold '\ud800', half of a letter")
        assert not Path(out).exists()


def test_json_is_one_object(model: Path) -> None:
    whole = json.loads(good("predict", model, TITANIC, "--json"))
    assert (whole["rows"], whole["missing"]["deck"], len(whole["predictions"])) == (891, 688, 891)
    assert set(whole["predictions"][0]) == {"prediction", "p_died", "p_survived", "leaf"}
    whole = json.loads(good("predict", model, TITANIC, "--json", "-o", "s.csv"))
    assert whole["out"] == "s.csv"
    assert "predictions" not in whole


def test_stdin_and_stdout(model: Path) -> None:
    text = TITANIC.read_text()
    assert good("predict", model, "-", stdin=text) == good("predict", model, TITANIC)
    assert good("predict", model, "-", "-o", "-", stdin=text) == good("predict", model, TITANIC)
    assert good("predict", model, "demo:titanic") == good("predict", model, TITANIC)
    line = f"{BOUGH} fit - -t survived -o - --no-report --choose none < {TITANIC} > m.bough"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "sex?" in done.stderr
    assert bough.load("m.bough").tree_.n_leaves > 10


def test_numbers_and_texts_that_are_numbers() -> None:
    rows = "".join(
        f"{'01' if i % 2 else '1'},{i % 9 if i % 5 else 'NA'},{i % 9 + (i % 2) * 50}\n" for i in range(300)
    )
    Path("z.csv").write_text("zip,n,y\n" + rows)
    good("fit", "z.csv", "-t", "y", "-q", "--types", "zip=category,n=number", "--no-report", "--task", "reg")
    tree = bough.load("z.bough").tree_
    assert {field.name: field.kind for field in tree.fields} == {"zip": "nominal", "n": "numeric"}
    assert tree.fields[0].categories == ("01", "1")
    found = answers(good("predict", "z.bough", "z.csv"))
    assert list(found[0]) == ["prediction", "leaf"]
    means = [float(row["prediction"]) for row in found]
    assert min(means[1::2]) > max(means[::2])


def test_a_query_and_other_files(model: Path) -> None:
    import sqlite3

    frame = pl.read_csv(TITANIC)
    frame.write_parquet("t.parquet")
    with sqlite3.connect("t.db") as base:
        base.execute("create table passengers (" + ", ".join(frame.columns) + ")")
        marks = ", ".join("?" * len(frame.columns))
        base.executemany(f"insert into passengers values ({marks})", frame.rows())
    base.close()
    expected = good("predict", model, TITANIC)
    assert good("predict", model, "t.parquet") == expected
    assert good("predict", model, "t.db") == expected
    women = good("predict", model, TITANIC, "--sql", "select * from data where sex = 'female'")
    assert len(women.splitlines()) == 315
    assert len(good("predict", model, "t.db", "--sql", "select * from passengers limit 5").splitlines()) == 6


def test_readable_models_and_models_from_python() -> None:
    good("fit", TITANIC, "-t", "survived", "-q", "-o", "m.json", "--no-report")
    assert json.loads(Path("m.json").read_text())["about"]["fit"]["target"] == "survived"
    first = good("predict", "m.json", TITANIC)
    x, y = load("titanic")
    bough.DecisionTreeClassifier(max_leaf_nodes=7).fit(x, y).save("p.bough")
    assert good("predict", "p.bough", TITANIC) == first


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process is read from /proc")
def test_memory_does_not_grow_with_the_file(model: Path) -> None:
    """A file of 267,300 rows, three hundred times the short one."""
    text = TITANIC.read_text().splitlines(keepends=True)
    Path("long.csv").write_text(text[0] + "".join(text[1:]) * 300)
    # Not ru_maxrss, which begins with that of the process that started this one.
    code = (
        "import re, sys; from bough.cli.main import cli\n"
        "try: cli(['predict', 'titanic.bough', sys.argv[1], '-o', 'o.csv', '-q'])\n"
        "except SystemExit: print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])"
    )
    peaks = []
    for name in (str(TITANIC), "long.csv"):
        done = subprocess.run([sys.executable, "-c", code, name], capture_output=True, text=True, check=True)
        peaks.append(int(done.stdout) / 1024)
    assert Path("o.csv").read_text().count("\n") == 267_301
    assert peaks[1] < min(400, peaks[0] + 200)

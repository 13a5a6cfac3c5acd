"""Tests of `bough export`: formats, streams, files, exit codes."""

import json
import subprocess
import sys

import every_model
import pytest
from click.testing import CliRunner

from bough.cli.export import NAMES
from bough.cli.main import cli
from bough.estimators.exports import ALL


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "m.bough"
    every_model.estimators()["subset"].save(path)
    return str(path)


def run(*args):
    return CliRunner().invoke(cli, ["export", *args], prog_name="bough")


def test_the_formats_are_those_of_the_library():
    assert set(NAMES) == {f.name for f in ALL}


def test_the_result_is_on_stdout_and_words_are_on_stderr(model):
    done = run(model, "--to", "sql")
    assert done.exit_code == 0
    assert done.stdout.startswith("SELECT *,\n  CASE WHEN")
    assert done.stdout.endswith("FROM {table}\n")
    assert done.stderr == "verified by duckdb: 2,000 made rows equal\n"
    assert run(model, "--to", "sql", "-q").stderr == ""


def test_a_file_and_rows_to_verify(model, tmp_path):
    every_model.frame(30, seed=2).to_csv(tmp_path / "new.csv", index=False)
    done = run(model, "-o", str(tmp_path / "m.py"), "--verify", str(tmp_path / "new.csv"))
    assert done.exit_code == 0, done.stderr
    assert done.stdout == ""
    assert "30 rows of the data equal" in done.stderr
    code = "import m, sys; print(m.predict({'age': 30, 'income': 1e4, 'city': 'Rome'}))"
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() in ("low", "mid", "high")


def test_json(model, tmp_path):
    found = json.loads(run(model, "--to", "js", "--json").stdout)
    assert found["verified"] is True
    assert "export function predict" in found["content"]
    found = json.loads(run(model, "--to", "onnx", "--json", "-o", str(tmp_path / "m.onnx")).stdout)
    assert found["content"] is None
    assert (tmp_path / "m.onnx").stat().st_size > 1000


def test_a_readable_model_and_bytes_on_stdout(model, tmp_path):
    assert run(model, "--to", "json", "-o", str(tmp_path / "m.json")).exit_code == 0
    done = run(str(tmp_path / "m.json"), "--to", "xlsx")
    assert done.exit_code == 0
    assert done.stdout_bytes.startswith(b"PK")


def test_mistakes(model, tmp_path):
    assert run(model).exit_code == 2
    assert "--to" in run(model).stderr
    assert run(model, "--to", "sql", "--dialect", "postgre").exit_code == 2
    assert 'Did you mean "postgres"' in run(model, "--to", "sql", "--dialect", "postgre").stderr
    done = run(str(tmp_path / "no.bough"), "--to", "sql")
    assert done.exit_code == 2
    assert "no.bough" in done.stderr
    (tmp_path / "cut.bough").write_bytes(b"\x10\0\0\0\0\0\0\0{}")
    assert "not a whole model file" in run(str(tmp_path / "cut.bough"), "--to", "sql").stderr
    both = run(model, "--to", "sql", "--verify", "x.csv", "--no-verify")
    assert both.exit_code == 2


def test_a_difference_is_exit_code_4_and_nothing_is_written(model, tmp_path, monkeypatch):
    from bough.exporting import python

    monkeypatch.setattr(python.Python, "number", lambda self, value: repr(value + 1))
    done = run(model, "-o", str(tmp_path / "m.py"))
    assert done.exit_code == 4
    assert done.stderr.startswith("error[verify]: the Python module differs from the model on ")
    assert not (tmp_path / "m.py").exists()

"""No HOME, odd locales, names not in UTF-8, read-only folders: works or a clear error, 0 tracebacks."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CSV = "größe,ıiIİ,y\n" + "1.5,a,yes\n2.5,b,no\n3.5,a,yes\n4.5,b,no\n" * 6  # 24 rows
PLACES = {
    "no HOME": {"HOME": None, "USERPROFILE": None},
    "a HOME that does not exist": {"HOME": "/nonexistent/home"},
    "C locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "POSIX, ASCII output": {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii"},
    "Turkish": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    "German": {"LC_ALL": "de_DE.UTF-8", "LC_NUMERIC": "de_DE.UTF-8"},
    "a terminal of one column": {"COLUMNS": "1"},
    "a terminal unknown to all": {"TERM": "no-such", "COLUMNS": "x"},
}


def bough(arguments, folder, environment):
    full = {k: v for k, v in {**os.environ, **environment}.items() if v is not None}
    done = subprocess.run(
        [sys.executable, "-m", "bough.cli.main", *arguments],
        cwd=folder, env=full, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr
    assert b"unexpected error" not in done.stderr, done.stderr[-500:]
    return done


@pytest.mark.parametrize("name", PLACES)
def test_fit_and_predict_work_anywhere(name, tmp_path):
    (tmp_path / "d.csv").write_text(CSV, encoding="utf-8")
    done = bough(["fit", "d.csv", "-t", "y", "--choose", "none", "-o", "m.bough"], tmp_path, PLACES[name])
    assert done.returncode == 0, done.stderr
    done = bough(["predict", "m.bough", "d.csv", "-o", "answers.csv"], tmp_path, PLACES[name])
    assert done.returncode == 0, done.stderr
    assert (
        sum(line.startswith(("yes,1.0", "no,")) for line in (tmp_path / "answers.csv").read_text().split())
        == 25
    )


def test_a_file_name_that_is_not_utf_8(tmp_path):
    name = os.fsencode(tmp_path) + b"/t\xe9l\xff.csv"
    with open(name, "wb") as file:
        file.write(CSV.encode())
    done = bough(["fit", name, "-t", "y", "--choose", "none", "-o", "m.bough"], tmp_path, {})
    assert done.returncode in (0, 2), done.stderr
    if done.returncode == 0:
        assert (tmp_path / "m.bough").stat().st_size > 0
    else:
        assert b"error[" in done.stderr


def test_a_model_name_that_is_not_utf_8(tmp_path):
    import bough as library

    model = library.DecisionTreeClassifier().fit([[1], [2]], [0, 1])
    path = os.fsdecode(os.fsencode(tmp_path) + b"/m\xff.bough")
    model.save(path)
    assert library.load(path).digest() == model.digest()


def test_a_folder_that_takes_no_files(tmp_path):
    (tmp_path / "d.csv").write_text(CSV, encoding="utf-8")
    for out in ("/proc/m.bough", "no/such/folder/m.bough", "."):
        done = bough(["fit", "d.csv", "-t", "y", "--choose", "none", "-o", out], tmp_path, {})
        assert done.returncode in (2, 3), (out, done.stderr)
        assert b"error[file]" in done.stderr

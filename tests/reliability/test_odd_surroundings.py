"""No HOME, odd locales, names not in UTF-8, folders that take no files: works or a clear error."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from running import apart, program

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
        cwd=folder, env=full, capture_output=True, timeout=600, check=False,
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
    lines = (tmp_path / "answers.csv").read_text(encoding="utf-8").splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == ["yes", "no"] * 12


@pytest.mark.parametrize("name", ["de_DE", "tr_TR"])
def test_a_locale_that_is_really_set(name, tmp_path):
    """Decimal commas and the Turkish i, as a program sets them that uses the library."""
    made = ["localedef", "-i", name, "-f", "UTF-8", str(tmp_path / f"{name}.UTF-8")]
    try:
        subprocess.run(made, check=True, capture_output=True, timeout=300)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("localedef or its sources are not installed")
    code = f"""
        import locale, sys
        locale.setlocale(locale.LC_ALL, "{name}.UTF-8")
        assert locale.localeconv()["decimal_point"] == ","
        import numpy as np, bough
        X, y = {{"iI": np.array([1.5, 2.5, 3.25, 4.5] * 5), "ıİ": ["a", "b", "İ", "i"] * 5}}, ["j", "n"] * 10
        for make in (bough.DecisionTreeClassifier, bough.GradientBoostingClassifier):
            model = make().fit(X, y)
            model.save(sys.argv[1])
            print(model.digest(), bough.load(sys.argv[1]).predict(X).tolist())
        tree = bough.DecisionTreeClassifier().fit(X, y)
        print(tree, tree.to_html(), tree.rules(), bough.export(tree, "c"), bough.export(tree, "sql"))
    """
    path = tmp_path / "m.bough"
    plain = program(code.replace("locale.setlocale", "#").replace("assert", "#"), path)
    assert program(code, path, LOCPATH=str(tmp_path)) == plain


@pytest.mark.parametrize("folder", [b"", b"f\xfe/"])
def test_a_file_name_that_is_not_utf_8(folder, tmp_path):
    os.makedirs(os.fsencode(tmp_path) + b"/" + folder, exist_ok=True)
    for ending, text in ((b"csv", CSV), (b"tsv", CSV.replace(",", "\t"))):
        name = os.fsencode(tmp_path) + b"/" + folder + b"t\xe9l\xff." + ending
        with open(name, "wb") as file:
            file.write(text.encode())
        done = bough(
            ["fit", name, "-t", "y", "--choose", "none", "-o", folder + b"m\xff.bough"], tmp_path, {}
        )
        assert done.returncode == 0, done.stderr
        for out in (b"\xff[1].csv", b"\xff[1].parquet"):
            done = bough(["predict", folder + b"m\xff.bough", name, "-o", folder + out], tmp_path, {})
            if folder and b"parquet" in out:
                assert done.stderr.startswith(b"error[file]: the name of the folder"), done.stderr
            else:
                assert done.returncode == 0, done.stderr
                assert os.path.getsize(os.fsencode(tmp_path) + b"/" + folder + out) > 100
    with open(name, "wb") as file:
        file.write(b"a,y\n1,2,3\n")
    done = bough(["fit", name, "-t", "y"], tmp_path, {})
    assert done.stderr.decode().startswith("error[csv]: t�l�.tsv line"), done.stderr


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
        assert done.returncode == 2, (out, done.stderr)
        assert done.stderr.startswith((b"error[file]", b"error[parameter]")), done.stderr


def test_a_folder_that_is_read_only(tmp_path):
    """A file system that is mounted so: root too may not write."""
    code = """
        import bough
        model = bough.DecisionTreeClassifier().fit([[1], [2]], [0, 1])
        written = (model.save, lambda p: bough.export(model, "json", p), lambda p: model.save(p + "/m.bough"))
        for write in written:
            try:
                write("m.bough")
            except (OSError, bough.BoughError) as error:
                print(type(error).__name__)
    """
    out = apart('mount -t tmpfs -o ro none "$PWD" && cd "$PWD"', code, tmp_path)
    assert out.split() == ["OSError", "OSError", "BoughError"]


def test_no_fonts(tmp_path):
    """A picture without words would be a silent wrong answer; what needs no fonts works."""
    code = """
        import bough
        model = bough.DecisionTreeClassifier().fit([[1], [2]], [0, 1])
        try:
            model.to_png()
        except bough.BoughError as error:
            print(str(error).splitlines()[0])
        print(len(model.to_svg()) > 1000, len(model.to_html()) > 1000)
    """
    hide = 'for d in /usr/share/fonts /usr/local/share/fonts "$HOME"/.fonts "$HOME"/.local/share/fonts; do'
    out = apart(f'{hide} [ ! -d "$d" ] || mount -t tmpfs none "$d"; done', code, tmp_path).splitlines()
    assert out == ["this machine has no font, so that a PNG picture would have no words.", "True True"]


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_streams_that_the_shell_has_closed(closed, tmp_path):
    (tmp_path / "d.csv").write_text(CSV, encoding="utf-8")
    program = f"{sys.executable} -m bough.cli.main"
    words = "fit d.csv -t y --choose none --no-report -o m.bough", "predict m.bough d.csv -o a.csv"
    for verb in (*words, "show m.bough", "explain m.bough d.csv --row 1"):
        told = f"{program} {verb} {closed}"
        done = subprocess.run(told, shell=True, cwd=tmp_path, capture_output=True, timeout=600, check=False)
        assert done.returncode == 0, (verb, done.stderr)
        assert b"Traceback" not in done.stderr
    assert len((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()) == 25


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_stderr_that_is_full(tmp_path):
    """What is done is done, and the exit code still tells."""
    (tmp_path / "d.csv").write_text(CSV, encoding="utf-8")
    fit = "fit d.csv -t y --choose none --no-report -o m.bough"
    for words, code in ((fit, 0), ("predict m.bough d.csv -o a.csv", 0), ("fit none.csv -t y", 2)):
        told = f"{sys.executable} -m bough.cli.main {words} 2>/dev/full"
        done = subprocess.run(told, shell=True, cwd=tmp_path, capture_output=True, timeout=600, check=False)
        assert done.returncode == code, words
    assert len((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()) == 25

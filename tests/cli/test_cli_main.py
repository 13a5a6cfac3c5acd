"""Tests of bough.cli.main: verbs, help without heavy imports, what errors look like, exit codes, pipes."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import tempfile
import termios
import time
from importlib.metadata import version
from pathlib import Path
from typing import IO

import pytest
from click.testing import CliRunner, Result

import bough
from bough.cli import demo as demo_verb
from bough.cli.main import VERBS, cli, main
from bough.data.examples import EXAMPLES
from bough.errors import BoughError

BOUGH = Path(sys.executable).with_name("bough")


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, args, prog_name="bough")


def shell(line: str) -> subprocess.CompletedProcess[str]:
    path = f"{BOUGH.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path},
    )


def test_help_lists_every_verb() -> None:
    for args in ([], ["--help"], ["-h"]):
        result = run(*args)
        assert result.exit_code == 0
        assert all(f"  {verb} " in result.stdout for verb in VERBS)


def test_every_verb_has_help() -> None:
    for verb in VERBS:
        result = run(verb, "--help")
        assert result.exit_code == 0
        assert f"Usage: bough {verb}" in result.stdout


def test_version() -> None:
    assert run("--version").stdout == f"bough {version('bough')}\n"
    assert bough.__version__ == version("bough")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from bough.cli.main import cli; cli(['--help'], standalone_mode=False);"
        "heavy = {'numpy', 'sklearn', 'duckdb', 'narwhals', 'bough._core', 'bough.tree'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "[]"


def test_public_names_come_when_touched() -> None:
    code = (
        "import sys, bough; assert 'numpy' not in sys.modules;"
        "assert all(getattr(bough, n).__name__ == n for n in bough.__all__);"
        "assert set(bough.__all__) <= set(dir(bough)); print(hasattr(bough, 'Forest'))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "False\n"


def test_one_tree_imports_nothing_that_it_does_not_need() -> None:
    code = (
        "import sys, bough; bough.DecisionTreeClassifier().fit([[0], [1]], ['no', 'yes']).predict([[0]]);"
        "heavy = ['bough.view', 'bough.evaluation', 'bough.explain', 'bough.estimators.many'];"
        "heavy += ['sklearn.metrics', 'sklearn.model_selection'];"
        "print([module for module in heavy if module in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "[]\n"


def test_estimators_come_when_touched() -> None:
    code = (
        "import bough.estimators as e; assert set(e.__all__) <= set(dir(e));"
        "assert all(getattr(e, n).__name__ == n for n in e.__all__); print(hasattr(e, 'Forest'))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "False\n"


def test_unknown_verb_and_option_are_answered_with_the_right_one() -> None:
    result = run("fti")
    assert (result.exit_code, result.stdout) == (2, "")
    assert 'Did you mean "fit"?' in result.stderr
    result = run("fit", "demo:tennis", "--max-leafs", "3")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--max-leaves" in result.stderr
    assert run("--wrong").exit_code == 2


def test_demo_lists_the_tables() -> None:
    result = run("demo")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert [line.split()[0] for line in lines[1:]] == [f"demo:{name}" for name in EXAMPLES]
    titanic = next(line for line in lines if line.startswith("demo:titanic"))
    assert titanic.split()[:4] == ["demo:titanic", "891", "9", "survived"]


@pytest.mark.parametrize(
    ("raised", "code", "message"),
    [
        (BoughError("bad row.", code="csv", hint="Fix it."), 3, "error[csv]: bad row.\nFix it.\n"),
        (BoughError("bad wish.", code="parameter"), 2, "error[parameter]: bad wish.\n"),
        (BoughError("2 rows differ.", code="verify"), 4, "error[verify]: 2 rows differ.\n"),
        (PermissionError(13, "Permission denied", "x.csv"), 2, "error[file]: Permission denied: x.csv\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (
            ZeroDivisionError("division by zero"),
            1,
            "unexpected error: ZeroDivisionError: division by zero\n"
            "this is a bug in bough; the details are in {log}\n",
        ),
        (BoughError("\x1b[2J\ngone", code="csv"), 3, "error[csv]: \\x1b[2J\ngone\n"),
    ],
)
def test_errors_are_text_on_stderr_and_a_code(
    monkeypatch: pytest.MonkeyPatch, raised: BaseException, code: int, message: str
) -> None:
    def fail(_: str) -> None:
        raise raised

    monkeypatch.setattr(demo_verb, "demo_table", fail)
    monkeypatch.setattr(tempfile, "tempdir", str(Path.cwd()))
    result = run("demo")
    logs = list(Path.cwd().glob("bough-*.log"))
    assert len(logs) == (code == 1)
    if logs:
        assert "ZeroDivisionError: division by zero" in logs[0].read_text()
        message = message.format(log=logs[0])
    assert (result.exit_code, result.stdout, result.stderr) == (code, "", message)
    for args in (["--debug", "demo"], ["demo", "--debug"]):
        result = run(*args)
        assert result.exit_code == code
        assert result.stderr.startswith("Traceback")
        assert result.stderr.endswith(message) or code == 1


def test_a_closed_pipe_is_no_error() -> None:
    for line in ("(sleep 0.3; bough --help) | true", "bough fit demo:titanic | head -1", "bough demo | true"):
        result = shell(line)
        assert result.returncode == 0, line
        assert "Traceback" not in result.stderr
        assert "rror" not in result.stderr


def test_the_console_script_separates_stdout_and_stderr() -> None:
    result = shell("bough fit demo:titanic -t Survived")
    assert (result.returncode, result.stdout) == (3, "")
    assert result.stderr.splitlines() == [
        'error[column]: no column "Survived" in demo:titanic. Did you mean "survived"?',
        "columns: survived, pclass, sex, age, sibsp, parch, fare, embarked, … (9)",
    ]


def _unread(pipe: IO[bytes]) -> int:
    """Bytes that were written and that nobody has read yet."""
    found = bytearray(4)
    fcntl.ioctl(pipe.fileno(), termios.FIONREAD, found)
    return int.from_bytes(found, sys.byteorder)


def test_ctrl_c_is_130() -> None:
    process = subprocess.Popen(
        [BOUGH, "fit", "-", "-t", "y"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(b"x,y\n")
    process.stdin.flush()
    while _unread(process.stdin):  # until it waits for the rest of its input
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=600)  # before its input ends, which would be another reason to stop
    out, err = process.communicate(timeout=600)
    assert (process.returncode, out, err.strip()) == (130, b"", b"interrupted")


def test_letters_that_the_terminal_lacks_are_escapes() -> None:
    result = shell("PYTHONIOENCODING=ascii bough fit demo:titanic")
    assert result.returncode == 0
    assert result.stdout.isascii()
    assert "|-- male    deck?" in result.stdout


def test_main_is_the_entry_point(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["bough", "--version"])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0
    assert capsys.readouterr().out.startswith("bough ")

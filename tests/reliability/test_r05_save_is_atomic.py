"""R5: kill -9 at any moment (40 here, 1,000 by `make soak`) or a full disk: the old or the new file, whole.

What fails at each step of a save, and one kill in it, are in tests/store/test_store.py."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from running import apart, program

import bough

FOLDER = str(Path(__file__).parent)
SMALL = bough.DecisionTreeClassifier().fit([[1], [2]], [0, 1])


def faults(what, count, timeout=900):
    code = (
        f"import sys; sys.path.insert(0, {FOLDER!r}); import faults; print(dict(faults.{what}({count}, 0)))"
    )
    return ast.literal_eval(program(code, timeout=timeout))


def test_kills_leave_a_whole_file():
    seen = faults("kill", 40)
    assert not set(seen) - {"large", "small", "killed while writing"}
    assert seen["large"] + seen["small"] == 40
    assert seen["killed while writing"] > 0


LIMITED = """
    import resource, signal, sys
    import numpy as np, bough
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4)); y = rng.integers(0, 2, 3000)
    model = bough.RandomForestClassifier(n_estimators=10).fit(X, y)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    for size in (1, 100, 5000, 20000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
        for save in (model.save, lambda path: bough.export(model, "json", path, verify=False)):
            try:
                save(sys.argv[1])
                print("saved")
            except OSError as error:
                print(error.strerror.replace(" ", "-"))
"""


def test_a_limit_of_the_file_size_leaves_the_old_file(tmp_path):
    path = tmp_path / "m.bough"
    SMALL.save(path)
    before = path.read_bytes()
    assert program(LIMITED, path).split() == ["File-too-large"] * 8
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.bough"]


FULL = """
    import numpy as np, bough, os
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 4)); y = rng.integers(0, 2, 3000)
    large = bough.RandomForestClassifier(n_estimators=10, random_state=0).fit(X, y)
    small = bough.DecisionTreeClassifier(max_depth=2).fit(X, y)
    small.save("m.bough")
    before = open("m.bough", "rb").read()
    for name, write in {
        "save": lambda: large.save("m.bough"),
        "export": lambda: bough.export(large, "json", "m.bough", verify=False),
        "code": lambda: bough.export(large, "c", "m.c", verify=False),
    }.items():
        try:
            write()
            print(name, "wrote")
        except OSError as error:
            print(name, error.strerror.replace(" ", "-"))
    print("same", open("m.bough", "rb").read() == before, sorted(os.listdir()))
    print(bough.load("m.bough").digest() == small.digest())
"""


def test_a_file_system_that_is_full_leaves_the_old_file(tmp_path):
    """A real one, of 32 kB."""
    out = apart('mount -t tmpfs -o size=32k none "$PWD" && cd "$PWD"', FULL, tmp_path).splitlines()
    full = "No-space-left-on-device"
    assert out == [f"save {full}", f"export {full}", f"code {full}", "same True ['m.bough']", "True"]


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no /dev/full")
def test_a_full_device_is_an_error_and_stays_a_device():
    for save in (SMALL.save, lambda path: bough.export(SMALL, "json", path)):
        with pytest.raises(OSError, match="No space left"):
            save("/dev/full")
    assert Path("/dev/full").is_char_device()


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [("fit", "demo:tennis"), ("--help",)])
def test_the_command_line_into_a_full_disk_says_so(arguments, tmp_path):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "bough.cli.main", *arguments],
            stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path, timeout=600, check=False,
        )  # fmt: skip
    assert done.returncode in (1, 2)
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_may_not_be_written(tmp_path):
    """Root may write anywhere, so what the system would say is said by a folder that does not take files."""
    with pytest.raises(OSError):  # noqa: PT011  which one differs between systems
        SMALL.save("/proc/m.bough")

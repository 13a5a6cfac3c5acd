"""Bad input on the command line: files, targets, model files, full disks, Ctrl-C; texts and exit codes."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bough.cli.main import cli
from bough.store import files as store_files

BOUGH = str(Path(sys.executable).with_name("bough"))
ROWS = "x,k,y\n" + "".join(f"{i % 40},{'ab'[i % 2]},{'hi' if i % 40 > 20 else 'lo'}\n" for i in range(200))


def bough(*args: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, args)), prog_name="bough")


def fails(code: int, start: str, *args: object) -> str:
    result = bough(*args)
    assert (result.exit_code, result.stdout) == (code, ""), result.stdout + result.stderr
    assert result.stderr.startswith(start), result.stderr
    assert len(result.stderr.splitlines()) <= 4
    assert "Traceback" not in result.stderr
    return result.stderr


@pytest.fixture
def data(own_folder: Path) -> Path:
    Path("d.csv").write_text(ROWS)
    return Path("d.csv")


@pytest.fixture
def model(data: Path) -> Path:
    assert bough("fit", data, "-t", "y", "-q", "--no-report").exit_code == 0
    return Path("d.bough")


@pytest.mark.parametrize(
    ("content", "code", "start"),
    [
        (b"", 3, "error[csv]: f.csv is empty (0 bytes)."),
        (b"x,y\n", 3, "error[csv]: f.csv has no rows, only the columns x, y."),
        (bytes(range(256)) * 20, 3, "error[csv]: f.csv is not text."),
        (b"x,y\n1,2\n1,2,3\n", 3, "error[csv]: f.csv line 3 has 3 values, the header has 2.\n  3: 1,2,3\n"),
        (b'x,y\n1,2\n1,"2\n3,4\n', 3, "error[csv]: f.csv line 3 has a quote that is not closed."),
        (b"x" * 2_000_000, 3, "error[csv]: the first line of f.csv is longer than a million characters."),
        (
            b"x,y\n1," + b"z" * 20_000_000 + b"\n",
            3,
            "error[csv]: f.csv line 2 is longer than 16 million bytes.",
        ),
        (b"x,x\n1,2\n3,4\n", 3, 'error[column]: two columns are named "x".'),
        (b"x,y\n1,a\nx,y\n2,b\n", 3, "error[csv]: f.csv has the names of its columns again on 1 line."),
    ],
)
def test_files_that_cannot_be_used(content: bytes, code: int, start: str) -> None:
    Path("f.csv").write_bytes(content)
    fails(code, start, "fit", "f.csv", "-t", "y")
    assert not Path("f.bough").exists()


def test_truncated_files() -> None:
    Path("c.csv.gz").write_bytes(gzip.compress(ROWS.encode())[:-30])
    fails(3, "error[csv]: c.csv.gz cannot be read as csv", "fit", "c.csv.gz", "-t", "y")
    Path("p.parquet").write_bytes(b"PAR1" + bytes(40))
    fails(3, "error[parquet]: p.parquet cannot be read as parquet", "fit", "p.parquet", "-t", "y")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(data: Path) -> None:
    data.chmod(0)
    assert "ermission" in fails(2, "error[file]", "fit", data, "-t", "y")


def test_bad_lines_can_be_skipped() -> None:
    Path("b.csv").write_text(ROWS + "1,2,3,4\n5\n")
    assert "--bad-lines skip (2 found)." in fails(3, "error[csv]", "fit", "b.csv", "-t", "y")
    result = bough("fit", "b.csv", "-t", "y", "--bad-lines", "skip", "--no-report")
    assert result.exit_code == 0
    assert "2 bad lines of b.csv were skipped." in result.stdout


def test_columns_and_targets(data: Path) -> None:
    text = fails(3, 'error[column]: no column "Y" in d.csv. Did you mean "y"?', "fit", data, "-t", "Y")
    assert text.splitlines()[1] == "columns: x, k, y (3)"
    Path("r.csv").write_text("x,fare\n" + "".join(f"{i},{i / 8}\n" for i in range(248)))
    text = fails(3, "error[target]", "fit", "r.csv", "-t", "fare", "--task", "class")
    assert text.splitlines() == [
        'error[target]: "fare" has 248 different numbers, so this is not a class.',
        "Predict the number:  --task reg",
        "or make groups:      --bins fare=4",
    ]
    Path("i.csv").write_text("x,who\n" + "".join(f"{i},person {i}\n" for i in range(99)))
    fails(3, 'error[target]: "who" has 99 different texts on 99 rows', "fit", "i.csv", "-t", "who")


def test_a_leak_is_warned_about() -> None:
    rows = [f"t{i},{'hi' if i % 3 else 'lo'},{i % 7},{'p' if i % 3 else 'q'}" for i in range(200)]
    Path("l.csv").write_text("ticket_id,boat,x,y\n" + "\n".join(rows) + "\n")
    result = bough("fit", "l.csv", "-t", "y", "--no-report")
    assert result.exit_code == 0
    assert "! ticket_id: 200 different texts on 200 rows" in result.stderr
    assert "! boat: " in result.stderr
    assert "--drop boat" in result.stderr


@pytest.mark.parametrize(
    ("args", "start"),
    [
        (["--types", "x=numbr"], 'error[parameter]: "x" cannot be taken as "numbr". Did you mean "number"?'),
        (["--types", "xx=number"], None),
        (["--cost", "fx=5"], "error[parameter]: --cost fx=5 is not possible here."),
        (["--cost", "fn=-1"], "error[parameter]: --cost fn=-1 is not possible."),
        (["--positive", "high"], 'error[parameter]: no class "high" in "y". Did you mean "hi"?'),
        (["--bins", "x=4"], 'error[parameter]: --bins is for the target "y", not for "x".'),
        (
            ["--test", "d.csv", "--holdout", "0.2"],
            "error[parameter]: --test and --holdout exclude each other.",
        ),
        (["-o", "m.txt"], "error[parameter]: a model file ends in .bough, or in .json"),
        (["--algo", "id3", "--task", "reg", "-t", "x"], "error[parameter]: --algo id3 is for classes"),
        (["--model", "forest", "--algo", "c45"], "error[parameter]: --algo is for one tree"),
        (["--model", "forest", "--rule", "best"], "error[parameter]: --rule is for one tree"),
        (["--trees", 5], "error[parameter]: --trees 5 is for many trees, and one tree is asked for."),
        (["--trees", 5, "--algo", "c45"], "error[parameter]: --trees 5 is for many trees"),
        (["--model", "boost", "--missing", "category"], "error[parameter]: --missing category is not for"),
        (["--config", "no.toml"], "error[file]: no file no.toml."),
        (["-o", "nowhere/m.bough"], "error[file]: there is no folder"),
    ],
)
def test_wrong_wishes(data: Path, args: list[str], start: str | None) -> None:
    result = bough("fit", data, "-t", "y", "--no-report", *args)
    assert result.exit_code == (2 if start else 3)
    assert result.stderr.startswith(start or 'error[column]: no column "xx" in d.csv.'), result.stderr
    assert not Path("d.bough").exists()


def test_model_files_that_are_not_whole(model: Path, data: Path) -> None:
    whole = model.read_bytes()
    for name, content, words in (
        ("cut.bough", whole[:-9], "is not a whole model file"),
        ("changed.bough", whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:], "checksum does not fit"),
        ("header.bough", whole.replace(b'"threshold', b'"thresholx', 1), "is not a whole model file"),
        ("later.bough", whole.replace(b'"bough":"1"', b'"bough":"9"', 1), "is not a whole model file"),
        ("other.bough", b"PK" + whole, "is not a"),
        ("empty.bough", b"", "is empty (0 bytes)"),
        ("json.json", b'{\n "format": "bough 1",\n "kind": "tree"}', "is not a whole model file"),
    ):
        Path(name).write_bytes(content)
        assert words in fails(2, "error[file]: ", "predict", name, data)
    fails(2, "error[file]: no file nothing.bough.", "predict", "nothing.bough", data)
    text = fails(2, "error[file]: d.csv is a table (csv), and a model is needed here.", "predict", data, data)
    assert text.splitlines()[1] == "Make one:  bough fit d.csv -t COL"


def test_a_model_file_of_a_later_version(model: Path, data: Path) -> None:
    assert bough("fit", data, "-t", "y", "-q", "-o", "m.json", "--no-report").exit_code == 0
    Path("m.json").write_text(Path("m.json").read_text().replace('"bough 1"', '"bough 7"', 1))
    text = fails(2, "error[file]: ", "predict", "m.json", data)
    assert "format" in text
    assert "pip install --upgrade bough" in text


def test_columns_that_the_model_needs(model: Path) -> None:
    Path("new.csv").write_text("x_value,k\n" + "".join(f"{i},a\n" for i in range(9)))
    text = fails(3, "error[missing-column]", "predict", model, "new.csv")
    assert text.splitlines() == [
        'error[missing-column]: the model needs "x", new.csv does not have it.',
        'Closest: "x_value".  --rename x_value=x   or   --set x=  to treat it as missing everywhere',
    ]
    result = bough("predict", model, "new.csv", "--rename", "x_value=x")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 10
    assert bough("predict", model, "new.csv", "--set", "x=39").stdout.splitlines()[1].startswith("hi,")
    Path("short.csv").write_text("x\n" + "".join(f"{i}\n" for i in range(9)))
    text = fails(3, "error[missing-column]", "predict", model, "short.csv")
    assert text.splitlines()[1] == "Try  --set k=  to treat it as missing everywhere"
    assert (
        "9 rows had a missing x (routed as learned)"
        in bough("predict", model, "new.csv", "--set", "x=").stderr
    )
    fails(3, 'error[column]: the model has no column "z".', "predict", model, "new.csv", "--set", "z=1")
    fails(2, 'error[parameter]: "x" cannot be "a"', "predict", model, "new.csv", "--set", "x=a")


def test_categories_not_seen(data: Path) -> None:
    Path("k.csv").write_text("k,y\n" + "".join(f"{'abc'[i % 3]},{'pqq'[i % 3]}\n" for i in range(120)))
    assert bough("fit", "k.csv", "-t", "y", "-q", "--no-report").exit_code == 0
    Path("n.csv").write_text("k\na\nT\nT\nb\nT\nU\n")
    text = fails(3, "error[category]", "predict", "k.bough", "n.csv", "--on-unseen", "error")
    assert text.splitlines() == [
        'error[category]: 3 rows have k "T", not seen in training (--on-unseen error). 1 more is new.',
        "Seen: a, b, c.  Route them instead:  --on-unseen route",
    ]
    result = bough("predict", "k.bough", "n.csv", "--on-unseen", "na")
    assert [line.split(",")[0] for line in result.stdout.splitlines()[1:]] == ["p", "", "", "q", "", ""]
    result = bough("predict", "k.bough", "n.csv")
    assert '3 rows have a category not seen in training: k "T" (treated as missing)' in result.stderr
    assert '1 row has a category not seen in training: k "U" (treated as missing)' in result.stderr


def test_a_full_disk_leaves_the_old_file(model: Path, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = model.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device", str(model))

    monkeypatch.setattr(store_files.os, "fsync", full)
    result = bough("fit", data, "-t", "y", "--max-leaves", "2", "--no-report")
    assert result.exit_code == 2
    assert "error[file]: No space left on device" in result.stderr
    assert "as it was" in result.stderr
    assert model.read_bytes() == before
    assert [p.name for p in Path().iterdir() if p.name.endswith(".part")] == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_device_stays_a_device(model: Path, data: Path) -> None:
    result = subprocess.run(
        [BOUGH, "predict", model, data, "-o", "/dev/full"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert "No space left on device" in result.stderr
    assert Path("/dev/full").is_char_device()
    done = subprocess.run(
        f"{BOUGH} predict {model} {data} > /dev/full", shell=True, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "No space left on device" in done.stderr


def test_killed_while_saving(model: Path, data: Path) -> None:
    before = model.read_bytes()
    code = (
        "import os, signal, bough.store.files as f;"
        "f.os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL);"
        "from bough.cli.main import cli;"
        "cli(['fit', 'd.csv', '-t', 'y', '--max-leaves', '2', '--no-report', '--choose', 'none'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL
    assert model.read_bytes() == before


def test_ctrl_c_keeps_the_best_so_far(data: Path) -> None:
    code = (
        "import bough.cli.fitted as f; whole = f.grow_folds; n = [0]\n"
        "def stopped(*a):\n"
        "    n[0] += 1\n"
        "    if n[0] > LIMIT: raise KeyboardInterrupt\n"
        "    return whole(*a)\n"
        "f.grow_folds = stopped\n"
        "from bough.cli.main import cli; cli(['fit', 'd.csv', '-t', 'y', '--no-report'])"
    )
    for limit, words in (("4", "chosen by 4 of 10 folds, interrupted"), ("1", "not scored: interrupted")):
        Path("d.bough").unlink(missing_ok=True)
        run = [sys.executable, "-c", code.replace("LIMIT", limit)]
        done = subprocess.run(run, capture_output=True, text=True, check=False)
        assert done.returncode == 130, done.stderr
        assert words in done.stdout
        assert done.stderr.splitlines()[-1] == "interrupted; this is the best so far"
        assert bough("predict", "d.bough", data).exit_code == 0


def test_a_real_ctrl_c_while_folds_grow() -> None:
    rows = "".join(
        f"{i * 7919 % 9973},{i * 31 % 997},{i * 17 % 13},{'ab'[i * i % 7 % 2]}\n" for i in range(60_000)
    )
    Path("big.csv").write_text("x,z,w,y\n" + rows)
    command = [BOUGH, "fit", "big.csv", "-t", "y", "-v", "--no-report", "--folds", "500"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("read big.csv")
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 130, err
    assert "interrupted" in err
    assert "Traceback" not in err


def test_closed_pipes(model: Path, data: Path) -> None:
    for line in (
        f"{BOUGH} predict {model} {data} | head -1",
        f"{BOUGH} doctor | true",
        f"{BOUGH} demo --json | true",
    ):
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert "rror" not in done.stderr

"""Model files in every verb, the configuration file, completion, help, and what fits in a narrow terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from commands import good, run

import bough
from bough.cli.common import pairs
from bough.cli.main import EXITS, VERBS, load_verb
from bough.cli.progress import progress
from bough.data.examples import load

BOUGH = str(Path(sys.executable).with_name("bough"))
TITANIC = Path(bough.__file__).parent / "data/tables/titanic.csv"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two trees of the same table."""
    folder = tmp_path_factory.mktemp("models")
    for name, leaves in (("large", 7), ("small", 3)):
        good(
            *("fit", TITANIC, "-t", "survived", "-q", "--no-report", "--choose", "none"),
            *("--max-leaves", leaves, "-o", folder / f"{name}.bough"),
        )
    return folder


def test_every_verb_of_the_list_is_there() -> None:
    wanted = "fit show report explain predict eval teach lectures export compare check demo doctor completion"
    assert set(wanted.split()) <= set(VERBS)
    for verb in VERBS:
        flags = {flag for param in load_verb(verb).params for flag in param.opts}
        assert {"--config", "--no-color", "--debug"} <= flags, verb


def test_show_is_the_tree_that_was_saved(models: Path) -> None:
    text = good("show", models / "large.bough")
    assert text == str(bough.load(models / "large.bough").tree_) + "\n"
    part = good("show", models / "large.bough", "--depth", 1, "--numbers")
    assert part.splitlines()[4] == "node  asks or answers  rows  impurity     gain"
    assert "   0  sex?              891     0.473   0.1396" in part
    assert good("show", models / "large.bough", "--format", "svg").startswith("<svg")
    whole = good("show", models / "large.bough", "--json")
    assert json.loads(whole)["about"]["fit"]["target"] == "survived"
    assert bough.from_json(whole).digest() == bough.load(models / "large.bough").digest()


def test_explain_a_row_of_a_table_or_of_values(models: Path) -> None:
    model = models / "large.bough"
    text = good("explain", model, "--set", "sex=male", "--set", "age=", "--set", "deck=")
    assert text.splitlines()[0] == "died, 88% (402 of 457 rows, 95% interval 85–91%)"
    assert text == good("explain", model, TITANIC, "--row", 5).replace("age = 27", "age is missing")
    assert json.loads(good("explain", model, TITANIC, "--row", 5, "--json"))
    for args, code, words in (
        (["--row", 3], 2, "of which table is row 3?"),
        ([TITANIC, "--row", 10_000], 2, "rows are counted from 0 to 890"),
        (["--set", "sx=male"], 2, 'Did you mean "sex"?'),
        (["--set", "age=old"], 2, '"age" cannot be "old"'),
        ([], 2, "which row?"),
    ):
        result = run("explain", model, *args)
        assert (result.exit_code, result.stdout) == (code, "")
        assert words in result.stderr


def test_eval_knows_the_target(models: Path) -> None:
    found = json.loads(good("eval", models / "large.bough", TITANIC, "--json"))
    tree = bough.load(models / "large.bough").tree_
    x, y = load("titanic")
    assert found["target"] == "survived"
    assert found["figures"]["accuracy"]["value"] == pytest.approx((tree.predict(x) == np.array(y)).mean())
    failed = run("eval", models / "large.bough", TITANIC, "--min-accuracy", 0.99)
    assert failed.exit_code == 4
    assert "less than 0.99" in failed.stderr
    assert run("eval", models / "large.bough").exit_code == 2


def test_two_models_side_by_side(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("compare", models / "large.bough", models / "small.bough", "--data", TITANIC)
    monkeypatch.setenv("COLUMNS", "160")
    wide = good(*words)
    assert wide.splitlines()[0].split() == ["large.bough", "small.bough"]
    assert "all on the same rows, so the intervals are paired" in wide
    monkeypatch.setenv("COLUMNS", "60")
    assert good(*words).splitlines()[0] == "large.bough"
    assert run("compare", models / "large.bough").exit_code == 2
    assert run("compare", TITANIC, models / "small.bough").exit_code == 2


def test_models_of_different_targets_are_not_compared(models: Path) -> None:
    good("fit", TITANIC, "-t", "fare", "-q", "--no-report", "--choose", "none", "--max-leaves", 3)
    result = run("compare", models / "small.bough", "titanic.bough", "--data", TITANIC)
    assert result.exit_code == 2
    assert 'different targets: small.bough "survived", titanic.bough "fare".' in result.stderr


def test_flags_of_many_trees_are_for_those_among_the_compared() -> None:
    words = ("compare", TITANIC, "-t", "survived", "--max-leaves", 3, "--folds", 2, "--json")
    few = ("--trees", 2, "--rule", "best", "--missing", "category", "--against", "boost", "--against", "cart")
    told = json.loads(good(*words, *few))
    assert list(told["models"]) == ["tree", "boost", "cart"]
    # Two rounds answer "died" for every row, so that the precision has no value.
    assert {d["value"] is None for d in told["differences"] if d["figure"] == "precision"} == {False, True}
    assert run(*words, "--trees", 2).exit_code == 2


def test_a_report_of_a_model_and_its_rows(models: Path) -> None:
    good("report", models / "small.bough", TITANIC, "-o", "r.html", "-q")
    assert "<html" in Path("r.html").read_text(encoding="utf-8")
    result = run("report", models / "small.bough")
    assert result.exit_code == 2
    assert "Name a table after it:  small.bough titanic.csv" in result.stderr


def test_export_of_a_model_and_of_a_table(models: Path) -> None:
    text = good("export", models / "small.bough", "--to", "sql", "--verify", TITANIC)
    assert "CASE WHEN sex = 'female'" in text
    assert "Outlook = Overcast" in good("export", "demo:tennis", "--to", "rules")


def test_fit_saves_a_model_and_a_report_in_this_folder() -> None:
    result = run("fit", TITANIC, "-t", "survived", "--max-leaves", 4, "--folds", 2)
    assert result.exit_code == 0
    assert "saved  titanic.bough   titanic.report.html\n" in result.stderr
    assert sorted(p.name for p in Path().iterdir()) == ["titanic.bough", "titanic.report.html"]
    assert str(bough.load("titanic.bough").tree_) in result.stdout


def test_demo_tables_and_stdin_leave_nothing_behind() -> None:
    assert "saved" not in run("fit", "demo:tennis").stderr
    assert run("fit", "-", "-t", "y", stdin="x,y\n" + "1,a\n2,b\n" * 30).exit_code == 0
    assert list(Path().iterdir()) == []


def test_flags_from_a_file_and_flags_that_win() -> None:
    Path("c.toml").write_text('target = "survived"\nmax-leaves = 3\ndrop = ["deck", "fare"]\nplain = true\n')
    words = ("fit", TITANIC, "--config", "c.toml", "--no-report", "--choose", "none", "--json")
    found = json.loads(good(*words))
    assert (found["leaves"], found["target"]) == (3, "survived")
    assert "deck" not in found["columns"]
    assert json.loads(good(*words, "--max-leaves", 2))["leaves"] == 2


def test_flags_are_saved_and_read_again() -> None:
    words = ("fit", TITANIC, "--no-report", "--choose", "none", "--json")
    first = json.loads(
        good(*words, "-t", "survived", "--max-leaves", 4, "--drop", "deck,age", "--save-config")
    )
    assert Path("bough.toml").read_text() == (
        'target = "survived"\ndrop = ["deck,age"]\nmax-leaves = 4\nchoose = "none"\nreport = false\n'
        "json = true\n"
    )
    assert json.loads(good("fit", TITANIC, "--config", "bough.toml"))["digest"] == first["digest"]
    good(*words, "-t", "survived", "--save-config", "--config", "other.toml")
    assert Path("other.toml").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("max-leafs = 3\n", 'has the key "max-leafs", which is no flag. Did you mean "max-leaves"?'),
        ("max-leaves = \n", "is not TOML"),
        ("max-leaves = [1]\n", '"max-leaves" in the configuration takes one value.'),
    ],
)
def test_wrong_configurations(text: str, words: str) -> None:
    Path("c.toml").write_text(text)
    result = run("fit", "demo:tennis", "--config", "c.toml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr


def test_a_wrong_value_in_a_configuration_is_wrong_usage() -> None:
    Path("c.toml").write_text('max-leaves = "many"\n')
    assert run("fit", "demo:tennis", "--config", "c.toml").exit_code == 2
    # A key of another verb is left alone: one file may serve several.
    Path("d.toml").write_text("min-accuracy = 0.5\n")
    assert run("fit", "demo:tennis", "--config", "d.toml").exit_code == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str) -> None:
    assert "_BOUGH_COMPLETE" in good("completion", shell)
    words = {"bash": "bough pre", "zsh": "bough pre", "fish": "bough pre"}[shell]
    env = {**os.environ, "_BOUGH_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": "1"}
    env["COMP_CWORD"] = "pre" if shell == "fish" else "1"
    done = subprocess.run([BOUGH], capture_output=True, text=True, env=env, check=False)
    assert "predict" in done.stdout


def test_flags_are_completed_too() -> None:
    env = {
        **os.environ,
        "_BOUGH_COMPLETE": "bash_complete",
        "COMP_WORDS": "bough fit x --max-",
        "COMP_CWORD": "3",
    }
    done = subprocess.run([BOUGH], capture_output=True, text=True, env=env, check=False)
    assert {"plain,--max-leaves", "plain,--max-depth"} <= set(done.stdout.split())


def test_doctor() -> None:
    found = json.loads(good("doctor", "--json"))
    assert found["healthy"] is True
    assert found["needed"]["duckdb"]["version"]
    assert good("doctor", "--plain").isascii()


def test_colours_only_on_a_terminal_and_only_if_wanted() -> None:
    def error(*args: str, **env: str) -> str:
        import pty

        main, end = pty.openpty()
        done = subprocess.Popen([BOUGH, "fit", "no.csv", *args], stderr=end, env={**os.environ, **env})
        done.wait(timeout=120)
        os.close(end)
        text = os.read(main, 1000).decode()
        os.close(main)
        return text

    os.environ.pop("NO_COLOR", None)
    assert "\x1b[" in error()
    assert "\x1b[" not in error("--no-color")
    assert "\x1b[" not in error(NO_COLOR="1")


def test_a_bar_is_shown_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with progress("work", 10, "rows") as tell:
        tell(5, "")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress("work", 10, "rows") as tell:
        tell(5, "halfway")
    shown = capsys.readouterr().err
    assert "work" in shown


def test_pairs() -> None:
    assert pairs("--x", ("a=1,b=2", "c=3,4")) == {"a": "1", "b": "2", "c": "3,4"}


def test_every_family_of_errors_has_a_code() -> None:
    assert EXITS["verify"] == EXITS["check"] == 4
    assert EXITS["parameter"] == EXITS["config"] == EXITS["file"] == 2


def test_long_names_in_a_narrow_terminal(tmp_path: Path) -> None:
    """Names are cut in the table of columns, lines of explain are folded."""
    names = ["the_pressure_of_the_left_pump_in_bar", "the_pressure_of_the_right_pump_in_bar"]
    rows = [f"{i % 7},{i % 5},{'good' if i % 7 + i % 5 > 5 else 'bad'}" for i in range(120)]
    (tmp_path / "t.csv").write_text("\n".join([",".join([*names, "y"]), *rows]), encoding="utf-8")
    fit = [BOUGH, "fit", "t.csv", "-t", "y", "--no-report", "--choose", "none", "--model"]
    explain = [BOUGH, "explain", "m.bough", "t.csv", "--row", "3"]
    table = in_terminal([*fit, "forest", "--trees", "3", "-o", "m.bough"], tmp_path)
    added = in_terminal(explain, tmp_path)
    in_terminal([*fit, "tree", "-o", "m.bough"], tmp_path)
    for told in (table, added, in_terminal(explain, tmp_path)):
        assert "pump" in told
        assert max(map(len, told.splitlines())) <= 50, told


def in_terminal(words: list[str], folder: Path) -> str:
    """What a command writes to a terminal 50 wide; words on stderr go elsewhere."""
    pty = pytest.importorskip("pty", reason="no terminals here")
    ours, its = pty.openpty()
    env = os.environ | {"COLUMNS": "50", "LINES": "30"}
    done = subprocess.run(words, cwd=folder, env=env, stdout=its, stderr=subprocess.PIPE, check=False)
    os.close(its)
    assert done.returncode == 0, done.stderr
    text = b""
    try:
        while part := os.read(ours, 65536):
            text += part
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    return text.decode()


@pytest.mark.parametrize("many", ["forest", "boost"])
def test_many_trees(many: str) -> None:
    words = ("fit", TITANIC, "-t", "survived", "--model", many, "--trees", 20)
    text = good(*words)
    assert ("gain on rows not grown on" if many == "forest" else "lost if shuffled") in text
    assert "20 trees" in text
    assert "scores from rows held out from a copy of it (a quarter)" in text
    rows = good("predict", "titanic.bough", TITANIC).splitlines()
    assert rows[0] == "prediction,p_died,p_survived"
    assert len(rows) == 892
    assert run("show", "titanic.bough", "-o", "tree.svg").exit_code == 3
    assert run("predict", "titanic.bough", TITANIC, "--leaf").exit_code == 2
    assert json.loads(good(*words, "--json", "--choose", "none"))["trees"] == 20


@pytest.mark.parametrize("algo", ["id3", "c45", "cart", "chaid", "ctree"])
def test_classical_programs(algo: str) -> None:
    result = run("fit", "demo:titanic", "--algo", algo, "--folds", 3)
    assert result.exit_code == 0, result.stderr
    assert f"grown as {algo} does; scores from 3-fold cross-validation" in result.stdout


def test_costs_move_the_answers() -> None:
    plain = json.loads(good("fit", "demo:titanic", "--json", "--max-leaves", 8))
    costly = json.loads(good("fit", "demo:titanic", "--json", "--max-leaves", 8, "--cost", "fn=10,fp=1"))
    died, survived = (
        [n for n in found["nodes"] if "column" not in n and n["answer"] == "survived"]
        for found in (plain, costly)
    )
    assert sum(n["rows"] for n in survived) > sum(n["rows"] for n in died)
    assert costly["scores"]["cost"] > 0
    other = json.loads(
        good("fit", "demo:titanic", "--json", "--max-leaves", 8, "--cost", "fn=10,fp=1", "--positive", "died")
    )
    assert other["digest"] != costly["digest"]


def test_groups_bins_holdout_and_test_files() -> None:
    found = json.loads(
        good("fit", "demo:titanic", "-t", "fare", "--bins", "fare=4", "--json", "--holdout", 0.25)
    )
    assert [name[:2] for name in found["classes"]] == ["1:", "2:", "3:", "4:"]
    assert found["rows"] == 668
    assert found["test"]["figures"]["accuracy"]["value"] > 0.3
    text = good("fit", TITANIC, "-t", "survived", "--test", TITANIC, "--no-report", "--choose", "holdout")
    assert "on 891 rows kept apart: accuracy " in text
    text = good("fit", "demo:titanic", "--group", "pclass", "--max-leaves", 4)
    assert "scores from 3-fold cross-validation" in text
    assert "--choose none" in good("fit", "demo:titanic", "--choose", "none")


def test_missing_cells_as_asked() -> None:
    result = run("fit", "demo:titanic", "--missing", "error")
    assert result.exit_code == 3
    assert "a value is missing" in result.stderr
    assert "missing" in good("fit", "demo:titanic", "--missing", "category", "--max-leaves", 8)


@pytest.mark.parametrize(
    "words",
    [
        "--help",
        "fit --help",
        "fit demo:titanic",
        "predict --help",
        "show demo:penguins",
        "check demo:titanic",
        "explain demo:titanic --row 1",
        "eval demo:tennis",
        "doctor",
        "demo",
        "compare demo:penguins --folds 3",
        "teach demo:tennis --step 1",
        "completion bash",
        "export demo:tennis --to rules",
    ],
)
def test_a_pipe_gets_plain_lines(words: str) -> None:
    result = run(*words.split())
    assert result.exit_code == 0, result.stderr
    assert "\x1b" not in result.output

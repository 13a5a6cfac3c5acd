"""Tests of the verbs eval, compare, report and check, and of fit --report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from commands import good

import bough
from bough.cli.main import cli
from bough.data.examples import load


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words))


def test_eval_prints_what_evaluate_finds() -> None:
    done = run("eval", "demo:titanic", "--max-leaves", "7")
    assert done.exit_code == 0
    X, y = load("titanic")
    found = bough.evaluate(bough.DecisionTreeClassifier(max_leaf_nodes=7), X, y)
    for line in found.lines():
        assert line[1] in done.stdout
    assert "demo:titanic: survived, 7 leaves" in done.stdout


def test_eval_as_json_with_wishes() -> None:
    done = run(
        "eval", "demo:titanic", "--json", "--cost", "fn=5,fp=1", "--recall", "0.8", "--positive", "died"
    )
    found = json.loads(done.stdout)
    assert found["positive"] == "died"
    assert found["figures"]["cost"]["value"] > 0
    assert found["thresholds"][1]["recall"] >= 0.8
    assert found["folds"] == 10


@pytest.mark.parametrize(("least", "code"), [("0.75", 0), ("0.9", 4)])
def test_the_least_accuracy_decides_the_exit_code(least: str, code: int) -> None:
    done = run("eval", "demo:titanic", "--min-accuracy", least)
    assert done.exit_code == code
    assert "accuracy" in done.stdout
    assert ("error[verify]: the accuracy is 0.81" in done.stderr) == (code == 4)


def test_eval_of_numbers_groups_and_a_test_file(tmp_path: Path) -> None:
    done = run("eval", "demo:penguins", "-t", "body_mass_g", "--drop-missing-target", "--plain")
    assert done.exit_code == 0
    assert done.stdout.isascii()
    assert "RMSE" in done.stdout
    assert run("eval", "demo:titanic", "--group", "pclass").exit_code == 0
    assert "pclass" not in run("eval", "demo:titanic", "--group", "pclass", "--json").stdout
    lines = ["x,y", *(f"{i},{'a' if i < 30 else 'b'}" for i in range(60))]
    (tmp_path / "train.csv").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "test.csv").write_text("x,y\n1,a\n50,b\n55,a\n10,a\n", encoding="utf-8")
    judged = run(
        "eval", str(tmp_path / "train.csv"), "-t", "y", "--test", str(tmp_path / "test.csv"), "--json"
    )
    assert json.loads(judged.stdout)["figures"]["accuracy"]["value"] == 0.75


def test_wrong_wishes_are_told() -> None:
    assert "error[parameter]" in run("eval", "demo:titanic", "--cost", "miss=5").stderr
    number = run("eval", "demo:titanic", "-t", "fare", "--min-accuracy", "0.5")
    assert number.exit_code == 2
    assert "about classes" in number.stderr


def test_compare() -> None:
    done = run("compare", "demo:tennis", "--against", "id3")
    assert done.exit_code == 0
    assert "less tree" in done.stdout
    found = json.loads(run("compare", "demo:penguins", "--against", "c45", "--json").stdout)
    assert list(found["models"]) == ["tree", "c45"]
    assert {d["figure"] for d in found["differences"]} >= {"accuracy", "auc"}
    numbers = run("compare", "demo:titanic", "-t", "fare", "--against", "c45")
    assert numbers.exit_code == 2
    assert "--algo c45 is for classes" in numbers.stderr


def test_report_writes_a_file_that_says_how_it_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("report", "demo:titanic", "--max-leaves", "7", "--title", "Who <survived>?")
    assert done.exit_code == 0
    assert done.stdout.startswith("titanic.report.html  7 leaves,")
    text = (tmp_path / "titanic.report.html").read_text(encoding="utf-8")
    assert "bough report demo:titanic --max-leaves 7" in text
    assert "<h1>Who &lt;survived&gt;?</h1>" in text
    assert len(text.encode()) <= 150_000
    assert run("report", "demo:tennis", "-o", "-").stdout.startswith("<!doctype html>")


def test_fit_writes_a_report_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("fit", "demo:tennis", "--report")
    assert "saved  tennis.report.html" in done.stderr
    assert "bough fit demo:tennis --report" in (tmp_path / "tennis.report.html").read_text(encoding="utf-8")
    assert "report" not in run("fit", "demo:tennis").stderr
    lines = ["x,y", *(f"{i},{'a' if i < 30 else 'b'}" for i in range(60))]
    (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    assert "saved  t.bough   t.report.html" in run("fit", "t.csv", "-t", "y").stderr
    judged = run("eval", "t.bough", "--test", "t.csv", "-t", "y", "--json")
    assert json.loads(judged.stdout)["figures"]["accuracy"]["value"] == 1.0
    assert run("eval", "t.bough", "-t", "y").exit_code == 2


def test_check_lists_columns_and_findings(tmp_path: Path) -> None:
    done = run("check", "demo:titanic")
    assert done.exit_code == 0
    assert "deck: 77% of its cells are empty." in done.stdout
    lines = [
        "id,code,x,y",
        *(f"{i},{'p' if i % 2 else 'q'},{i % 7},{'a' if i % 2 else 'b'}" for i in range(80)),
    ]
    (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    strict = run("check", str(tmp_path / "t.csv"), "-t", "y", "--strict", "--plain")
    assert strict.exit_code == 4
    assert "! id: 80 different whole numbers" in strict.stdout
    assert "! code: it alone predicts" in strict.stdout
    assert run("check", str(tmp_path / "t.csv"), "-t", "y", "--strict", "--drop", "id,code").exit_code == 0
    columns = json.loads(run("check", str(tmp_path / "t.csv"), "--json").stdout)
    assert [c["name"] for c in columns["columns"]] == ["id", "code", "x", "y"]
    assert [f["code"] for f in columns["findings"]] == ["id"]
    assert "nothing looks wrong" in run("check", "demo:tennis").stdout


def test_fit_warns_of_a_leak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["code,x,y", *(f"{'p' if i % 2 else 'q'},{i % 7},{'a' if i % 2 else 'b'}" for i in range(80))]
    (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    done = run("fit", str(tmp_path / "t.csv"), "-t", "y")
    assert "! code: it alone predicts the target almost perfectly" in done.stderr
    assert "--drop code" in done.stderr


TITANIC = Path(bough.__file__).parent / "data/tables/titanic.csv"


def done(*words: object) -> Result:
    result = run(*map(str, words))
    assert result.exit_code == 0, result.stderr
    return result


@pytest.mark.parametrize("kind", ["tree", "forest", "boost"])
def test_figures_of_the_training_rows_are_said_to_mislead(kind: str, tmp_path: Path) -> None:
    lines = TITANIC.read_text(encoding="utf-8").splitlines(keepends=True)
    train, again, new = (tmp_path / name for name in ("train.csv", "again.csv", "new.csv"))
    train.write_text("".join(lines[:600]))
    again.write_text("".join(lines[:600]))
    new.write_text("".join(lines[:1] + lines[600:]))
    file = tmp_path / "m.bough"
    size = [] if kind == "tree" else ["--trees", 5]
    done(
        "fit", train, "-t", "survived", "--model", kind, *size, "--choose", "none", "--no-report", "-o", file
    )
    copy = tmp_path / "copy.bough"
    copy.write_bytes(file.read_bytes())
    part = tmp_path / "part" / "train.csv"
    part.parent.mkdir()
    part.write_text("".join(lines[:300]))
    for rows, said in (
        (train, "these very rows"),
        (again, "these very rows"),
        (part, "the same name"),
        (new, ""),
    ):
        for words in (("eval", file, rows), ("compare", file, copy, "--data", rows)):
            told = json.loads(done(*words, "--json").stdout)["warnings"]
            assert len(told) == (0 if not said else 1 if words[0] == "eval" else 2)
            text = done(*words).stdout.replace("\n  ", " ")  # as it was before it was cut
            assert all(said in warning and warning in text for warning in told)
            assert ("the figures flatter it" in text) == bool(said)


@pytest.mark.parametrize("verb", ["fit", "eval", "report"])
def test_the_training_rows_are_no_test(verb: str, tmp_path: Path) -> None:
    table, other = tmp_path / "a.csv", tmp_path / "b.csv"
    table.write_text("x,y\n" + "1,a\n2,b\n3,b\n" * 20)
    other.write_text("x,y\n" + "2,b\n1,a\n3,b\n" * 20)
    words = [verb, table, "-t", "y", *([] if verb == "eval" else ["-o", tmp_path / "m.bough"])]
    said = "a.csv is no test: the model was fitted on these very rows: the figures flatter it."
    found = done(*words, "--test", table)
    assert said in " ".join((found.stdout + found.stderr).split())
    found = done(*words, "--test", other)
    assert "is no test" not in found.stdout + found.stderr


def test_rows_of_other_classes_or_columns_were_not_seen(tmp_path: Path) -> None:
    table, other = tmp_path / "a.csv", tmp_path / "b.csv"
    table.write_text("x,y\n" + "1,a\n2,b\n" * 20)
    other.write_text("x,y,more\n" + "1,a,0\n2,b,0\n" * 20)
    file = tmp_path / "m.bough"
    done("fit", table, "-t", "y", "--no-report", "-o", file)
    assert "these very rows" in done("eval", file, other).stdout  # by the columns that the model has
    other.write_text("x,y\n" + "2,a\n1,b\n" * 20)
    assert "fitted on" not in done("eval", file, other).stdout


def test_a_model_fitted_with_weights_knows_its_rows(tmp_path: Path) -> None:
    lines = "\n".join(f"{i},{1 + i % 3},{'yes' if i % 10 < 4 else 'no'}" for i in range(60))
    (tmp_path / "a.csv").write_text(f"x,w,y\n{lines}\n")
    (tmp_path / "b.csv").write_text(f"x,w,y\n{lines}\n")  # another name
    words = ["-t", "y", "--weights", "w", "-o", tmp_path / "m.bough", "--no-report"]
    good("fit", tmp_path / "a.csv", *words)
    for weights in ([], ["--weights", "w"]):
        text = good("eval", tmp_path / "m.bough", tmp_path / "b.csv", *weights)
        assert "was fitted on these very rows" in text

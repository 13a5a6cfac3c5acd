"""The verbs teach, lectures and explain: what they print, their forms, and how they fail."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bough.cli.main import cli
from bough.explain import lectures


def run(*words: str, typed: str | None = None) -> Result:
    return CliRunner().invoke(cli, list(words), input=typed)


STEP = """\
Step 1 of 3 — root, 14 rows (9 Yes, 5 No)
H = −(9/14)·log2(9/14) − (5/14)·log2(5/14) = 0.9403

column       gain    split info  ratio   branches (Yes/No → H)
Outlook      0.2467  1.5774      0.1564  Sunny 2/3 → 0.9710 · Overcast 4/0 → 0 · Rain 3/2 → 0.9710   ← chosen
Humidity     0.1518  1.0000      0.1518  High 3/4 → 0.9852 · Normal 6/1 → 0.5917
Wind         0.0481  0.9852      0.0488  Weak 6/2 → 0.8113 · Strong 3/3 → 1
Temperature  0.0292  1.5567      0.0188  Hot 2/2 → 1 · Mild 4/2 → 0.9183 · Cool 3/1 → 0.8113

Gain(Outlook) = 0.9403 − (5/14·0.9710 + 4/14·0 + 5/14·0.9710) = 0.9403 − 0.6935 = 0.2467
"""


def test_the_first_step_of_tennis() -> None:
    result = run("teach", "demo:tennis", "-t", "play", "--algo", "id3", "--step", "1")
    assert result.exit_code == 0
    assert result.stdout.startswith(STEP)


def test_the_whole_lesson_ends_with_leaves_and_tree() -> None:
    text = run("teach", "demo:tennis").stdout
    assert [line for line in text.splitlines() if line.startswith("Step")] == [
        "Step 1 of 3 — root, 14 rows (9 Yes, 5 No)",
        "Step 2 of 3 — Outlook = Sunny, 5 rows (2 Yes, 3 No)",
        "Step 3 of 3 — Outlook = Rain, 5 rows (3 Yes, 2 No)",
    ]
    assert "Outlook = Overcast → Yes: all rows have one class" in text
    assert text.rstrip().endswith("└─ Strong  → No  100%   2")


@pytest.mark.parametrize("algo", ["id3", "c45", "cart", "chaid"])
def test_every_algorithm_has_its_figures(algo: str) -> None:
    result = run("teach", "demo:iris7" if algo == "cart" else "demo:restaurant", "--algo", algo, "--all")
    assert result.exit_code == 0, result.output
    wanted = {"id3": "gain: 0.5409", "c45": "gain ratio: 0.3707", "cart": "G = 1", "chaid": "p-value"}
    assert wanted[algo] in result.stdout
    if algo == "cart":
        assert "all cuts of Sepal Length: 5" in result.stdout


def test_forms_and_files(tmp_path: Path) -> None:
    assert r"\frac{9}{14}" in run("teach", "demo:tennis", "--latex").stdout
    assert "| **Outlook** | 0.2467 |" in run("teach", "demo:tennis", "--markdown", "--step", "1").stdout
    rows = list(csv.reader(io.StringIO(run("teach", "demo:tennis", "--csv").stdout)))
    assert {len(row) for row in rows} == {len(rows[0])}
    page = tmp_path / "tennis.html"
    result = run("teach", "demo:tennis", "--html", "--quiz", "-o", str(page))
    assert (result.exit_code, result.stdout) == (0, "")
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert 'id="quiz" checked' in text


def test_digits_and_base() -> None:
    assert "H = −(9/14)·ln(9/14) − (5/14)·ln(5/14) = 0.651757" in (
        run("teach", "demo:tennis", "--digits", "6", "--log-base", "e", "--step", "1").stdout
    )


def test_plain_is_ascii_and_still_arithmetic() -> None:
    text = run("teach", "demo:tennis", "--plain", "--step", "1").stdout
    assert text.isascii()
    assert "\\" not in text
    assert "H = -(9/14)*log2(9/14) - (5/14)*log2(5/14) = 0.9403" in text
    assert "High 3/4 -> 0.9852 | Normal 6/1 -> 0.5917" in text


def test_the_quiz_in_the_terminal() -> None:
    typed = "0.94\n0.1518\n0.5\n0.0292\n\nOutlook\n"
    result = run("teach", "demo:tennis", "--step", "1", "--quiz", typed=typed)
    assert result.exit_code == 0
    assert "0.2467" not in result.stdout.split("Gain(Outlook)")[0]
    assert "it is 0.2467" in result.stdout
    assert result.stdout.rstrip().endswith("4 of 6 right")
    stopped = run("teach", "demo:tennis", "--step", "1", "--quiz", typed="0.94\n")
    assert stopped.stdout.rstrip().endswith("1 of 1 right")


def test_numbers_are_taught_by_cart() -> None:
    result = run("teach", "demo:titanic", "-t", "fare", "--max-depth", "1", "--step", "1")
    assert "CART" not in result.stdout
    assert "V = 1/891·Σ" in result.stdout
    wrong = run("teach", "demo:titanic", "-t", "fare", "--algo", "id3")
    assert wrong.exit_code == 2
    assert "--algo id3 is for classes" in wrong.output


def test_what_cannot_be_taught() -> None:
    assert run("teach", "demo:tennis", "--step", "9").exit_code == 2
    assert "the lesson has 3" in run("teach", "demo:tennis", "--step", "9").output
    assert run("teach", "demo:nothing").exit_code == 2


def test_all_figures_of_the_lectures() -> None:
    result = run("lectures")
    assert result.exit_code == 0
    for number in range(1, 27):
        assert f"W{number}  " in result.stdout
    assert "170 figures, 170 reached" in result.stdout
    assert "Slips in the lectures" in result.stdout
    told = json.loads(run("lectures", "--json").stdout)
    assert len(told["figures"]) == 170
    assert len(told["slips"]["USC"]) == 4


def test_a_figure_that_is_not_reached_fails_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = lectures.Work("W1", "Restaurant", "USC", (lectures.Figure("H", "1.000000", 0.9),))
    monkeypatch.setattr(lectures, "works", lambda: (wrong,))
    result = run("lectures")
    assert result.exit_code == 4
    assert "NOT REACHED" in result.stdout
    assert "error[verify]: 1 figures are not reached: W1 (H)." in result.output


def test_figures_are_compared_to_their_printed_digits() -> None:
    assert lectures.Figure("x", "0.918296", 0.9182958340544896).reached
    assert not lectures.Figure("x", "0.918295", 0.9182958340544896).reached
    assert lectures.Figure("x", "0.000000", -1e-17).reached
    assert not lectures.Figure("x", "5", 5.4).reached


def test_explain_a_row() -> None:
    result = run("explain", "demo:titanic", "--set", "sex=male", "--set", "age=", "--max-leaves", "6")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "died, 88% (402 of 457 rows, 95% interval 85–91%)"
    assert lines[-1] == "nearest other answer: age <= 3.5 → survived 64% (14 rows)"
    told = json.loads(run("explain", "demo:titanic", "--row", "0", "--max-leaves", "3", "--json").stdout)
    assert told["prediction"] == "died"
    assert told["steps"][0]["text"] == "sex = male"
    assert told["nearest"]["changes"][0]["column"] == "sex"
    plain = run("explain", "demo:titanic", "--row", "0", "--max-leaves", "3", "--plain").stdout
    assert plain.isascii()
    assert "95% interval 78-84%" in plain


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "which row?"),
        (["--set", "sexx=male"], 'no column "sexx". Did you mean "sex"?'),
        (["--set", "sex"], "is not of the form COL=VALUE"),
        (["--set", "age=old"], '"age" cannot be "old": the model was fitted on numbers here.'),
        (["--row", "891"], "rows are counted from 0 to 890"),
    ],
)
def test_explain_says_what_is_wrong(words: list[str], said: str) -> None:
    result = run("explain", "demo:titanic", *words)
    assert result.exit_code == 2
    assert said in result.output


def test_rows_without_a_target_can_be_left_out_as_the_error_says(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,yes\n2,no\n3,\n", encoding="utf-8")
    refused = run("teach", str(path), "-t", "y")
    assert refused.exit_code == 3
    assert "--drop-missing-target" in refused.stderr
    done = run("teach", str(path), "-t", "y", "--drop-missing-target")
    assert done.exit_code == 0
    assert "root, 2 rows (1 no, 1 yes)" in done.stdout

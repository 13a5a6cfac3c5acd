"""Columns that are not what they seem: warnings, and --drop of what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from bough.cli.main import cli
from bough.data.files import read_file


def run(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli, ["fit", *map(str, words)])
    return done.exit_code, done.stdout, done.stderr


def write(path: Path, header: str, rows: list[str]) -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_a_column_of_names_is_warned_about(tmp_path: Path) -> None:
    rows = [f"Person {i},{i % 7},{'ab'[i % 2]}" for i in range(200)]
    code, _, warned = run(write(tmp_path / "n.csv", "name,x,t", rows), "-t", "t")
    assert code == 0
    assert "! name: 200 different texts on 200 rows, like names." in warned
    assert "--drop name" in warned


def test_numbers_that_became_text_are_warned_about(tmp_path: Path) -> None:
    rows = [f"{'NA' if i % 10 == 0 else i / 4},{'ab'[i % 2]}" for i in range(200)]
    _, _, warned = run(write(tmp_path / "na.csv", "age,t", rows), "-t", "t")
    assert '! age: taken as text because of "NA" (20 rows);' in warned
    assert " --types age=number\n" in warned
    assert "--drop" not in warned
    comma = [f'"{i},5";{"ab"[i % 2]}' for i in range(100)]
    _, _, warned = run(write(tmp_path / "de.csv", "preis;t", comma), "-t", "t")
    assert "! preis: taken as text, but 100 of its 100 different texts look like numbers." in warned
    assert "Write decimals with a point, and nothing between thousands." in warned
    assert "Try:" not in warned


@pytest.mark.parametrize("signs", [("1.{:03d},94", ";"), ("-1.{:03d}.000", ";"), ("1,{:03d}.94", "\t")])
def test_numbers_with_signs_between_thousands_are_not_called_names(
    tmp_path: Path, signs: tuple[str, str]
) -> None:
    rows = [f"{signs[0].format(i)}{signs[1]}{'ab'[i % 2]}" for i in range(100)]
    _, _, warned = run(write(tmp_path / "de.csv", f"preis{signs[1]}t", rows), "-t", "t")
    assert "! preis: taken as text, but 100 of its 100 different texts look like numbers." in warned
    assert "nothing between thousands" in warned
    assert "--drop" not in warned


def test_codes_and_columns_asked_for_as_categories_are_not_warned_about(tmp_path: Path) -> None:
    rows = [f"{i % 30 + 100},0{i % 30 + 100},{'ab'[i % 2]}" for i in range(300)]
    path = write(tmp_path / "z.csv", "zone,zip,t", [*rows, "101,102,a"])
    code, _, warned = run(path, "-t", "t", "--types", "zone=category", "--max-leaves", "3")
    assert code == 0
    assert "look like numbers" not in warned


def test_ordinary_texts_are_not_warned_about() -> None:
    code, _, warned = run("demo:penguins")
    assert code == 0
    assert "!" not in warned


@pytest.mark.parametrize("drop", [["--drop", "id"], ["--drop", "z,id"]])
def test_a_column_that_cannot_be_read_can_be_dropped(tmp_path: Path, drop: list[str]) -> None:
    rows = [f"{2**53 + 2 * i + 1},{i % 5},{i % 3},{'ab'[i % 2]}" for i in range(60)]
    path = write(tmp_path / "id.csv", "id,x,z,t", rows)
    code, _, error = run(path, "-t", "t")
    assert code == 3
    assert 'column "id"' in error
    code, text, _ = run(path, "-t", "t", *drop)
    assert code == 0
    assert "60 rows" in text


def test_a_dropped_duplicate_is_no_problem(tmp_path: Path) -> None:
    path = write(tmp_path / "d.csv", "a,b,b,t", [f"{i},1,2,{'xy'[i % 2]}" for i in range(60)])
    assert run(path, "-t", "t")[0] == 3
    assert run(path, "-t", "t", "--drop", "b")[0] == 0


def test_dates_that_could_be_misread_stay_text(tmp_path: Path) -> None:
    path = write(tmp_path / "d.csv", "us,iso,t", ["02/01/2015,2015-02-01,a", "03/01/2015,2015-03-01,b"])
    kinds = {field.name: field.kind for field in read_file(str(path)).fields}
    assert kinds == {"us": "nominal", "iso": "datetime", "t": "nominal"}


def test_types_that_would_empty_a_column_are_refused(tmp_path: Path) -> None:
    comma = [f"1.{i:03d},5;{'ab'[i % 2]}" for i in range(60)]
    path = write(tmp_path / "de.csv", "preis;t", comma)
    code, text, error = run(path, "-t", "t", "--types", "preis=number")
    assert (code, text) == (3, "")
    assert '"preis" cannot be taken as a number: 60 of its 60 cells are none, such as "1.000,5".' in error
    assert "Write decimals with a point" in error
    few = write(tmp_path / "few.csv", "n,t", [f"{i if i % 3 else 'NA'},{'ab'[i % 2]}" for i in range(60)])
    code, said, _ = run(few, "-t", "t", "--types", "n=number")
    assert code == 0
    assert '"n": 20 cells are no number ("NA") and count as empty.' in said


def test_the_cell_that_is_no_date_is_named(tmp_path: Path) -> None:
    rows = [f"{'soon' if i == 9 else f'2020-01-{i + 1:02d}'},{'ab'[i % 2]}" for i in range(30)]
    code, _, error = run(write(tmp_path / "d.csv", "day,t", rows), "-t", "t", "--types", "day=date")
    assert code == 3
    assert '"day" cannot be taken as a date: "soon" is not of the form' in error


def test_commands_to_copy_quote_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "my table.csv", "n,t", [f"{i},{'ab'[i > 30]}" for i in range(60)])
    code, _, said = run("my table.csv", "-t", "t", "--no-report")
    assert code == 0
    assert "bough show 'my table.bough' --open" in said
    assert "bough predict 'my table.bough' NEW.csv" in said


@pytest.mark.parametrize("text", ["NaT", "now", "today", "300000-01-01", "2024-01-01T00:00:00+02:00"])
def test_what_numpy_takes_for_a_date_beside_dates(tmp_path: Path, text: str) -> None:
    rows = [f"{'x' if i % 2 else text},{'ab'[i % 2]}" for i in range(40)]
    code, _, error = run(write(tmp_path / "w.csv", "day,t", rows), "-t", "t", "--types", "day=date")
    assert (code, error.splitlines()[0][:44]) == (
        3,
        'error[column]: "day" cannot be taken as a date: "'[:44],
    )
    days = [f"2024-01-{1 + i % 28:02d},{'ab'[i % 2]}" for i in range(40)]
    path, model = write(tmp_path / "d.csv", "day,t", days), tmp_path / "d.bough"
    assert run(path, "-t", "t", "--no-report", "-o", model)[0] == 0
    done = CliRunner().invoke(cli, ["predict", str(model), str(path), "--set", f"day={text}"])
    assert done.exit_code == 2
    assert CliRunner().invoke(cli, ["predict", str(model), str(path), "--set", "day="]).exit_code == 0
    assert f'"day" cannot be "{text}": the model was fitted on dates here.' in done.stderr

"""R13: names and categories are data in HTML, SVG, DOT, SQL, C, CSV, terminal: 0 executed, 0 broken out.

Exports: tests/exporting/test_hostile.py. Pages in a browser, SVG, graphs: tests/view/test_browser.py,
test_svg.py, test_page.py. Reports: tests/reporting/test_report.py. Here: the terminal and the table of
answers."""

from __future__ import annotations

import csv

import pandas as pd
import pytest
from click.testing import CliRunner

from bough.cli.main import cli

NAMES = ["a\x1b[31mred", "b\x1b]0;title\x07", "c\rover", "d\x9b2J", "e\u202eright", "=1+1"]


@pytest.fixture
def file(tmp_path):
    rows = [(name, i % 7, f"{'yes' if i % 2 else 'no'}\x1b[1m") for i, name in enumerate(NAMES * 8)]
    pd.DataFrame(rows, columns=["to\x1b[31mwn", "n", "y"]).to_csv(tmp_path / "d.csv", index=False)
    return tmp_path / "d.csv"


def test_nothing_reaches_the_terminal_as_a_command(file, tmp_path):
    model = tmp_path / "m.bough"
    calls = [
        ["fit", str(file), "-t", "y", "--choose", "none", "-o", str(model)],
        ["show", str(model)],
        ["predict", str(model), str(file), "-o", str(tmp_path / "a.csv")],
        ["fit", str(file), "-t", "to\x1b[31mw"],
    ]
    for arguments in calls:
        result = CliRunner().invoke(cli, arguments, prog_name="bough")
        assert result.exit_code in (0, 2, 3), result.stderr
        shown = result.stdout + result.stderr
        assert not set(shown) & set("\x1b\x07\r\x9b"), (arguments[0], shown)


def test_answers_in_a_csv_file_stay_in_their_cells(file, tmp_path):
    model, out = tmp_path / "m.bough", tmp_path / "a.csv"
    CliRunner().invoke(cli, ["fit", str(file), "-t", "y", "--choose", "none", "-o", str(model)])
    assert CliRunner().invoke(cli, ["predict", str(model), str(file), "-o", str(out)]).exit_code == 0
    with out.open(newline="", encoding="utf-8") as opened:
        rows = list(csv.reader(opened))
    assert len(rows) == 49
    assert len({len(row) for row in rows}) == 1
    assert {row[0] for row in rows[1:]} <= {"yes\x1b[1m", "no\x1b[1m"}

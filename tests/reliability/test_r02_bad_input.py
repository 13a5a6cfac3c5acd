"""R2: 80 bad inputs x tree, forest, boosting, AdaBoost, command line x fit, predict: 0 silent, 0 crash,
0 unclear. What single trees say in detail is in tests/estimators/test_bad_input.py."""

from __future__ import annotations

import bad_input_runs as runs
import pytest
from bad_inputs import CASES

BY_NAME = {case.name: case for case in CASES}


def test_the_table_has_80_rows_of_different_names():
    assert len(BY_NAME) == len(CASES) >= 80


@pytest.mark.parametrize("family", runs.FAMILIES)
@pytest.mark.parametrize("name", [case.name for case in CASES if case.table or not case.file])
def test_an_estimator_does_what_the_table_says(name, family):
    case = BY_NAME[name]
    for verb in ("fit", "predict"):
        for of in case.of:
            assert runs.run(case, family, verb, of) == case.expected(family, verb), (verb, of)


@pytest.mark.parametrize("name", [case.name for case in CASES if not case.no_file])
def test_the_command_line_does_what_the_table_says(name, tmp_path):
    case = BY_NAME[name]
    for verb in ("fit", "predict"):
        folder = tmp_path / verb
        folder.mkdir()
        assert runs.run_command(case, verb, folder) == case.expected(runs.COMMAND_LINE, verb), verb


def test_the_page_shows_this_table():
    """`python tests/reliability/bad_input_runs.py` writes it."""
    assert runs.page() == runs.PAGE.read_text(encoding="utf-8")

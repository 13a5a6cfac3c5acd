"""The console blocks of docs/evaluation.md are the real output."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from bough.cli.main import cli

PAGE = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["eval demo:titanic", "check demo:titanic"])
def test_a_block_is_the_output(command: str) -> None:
    shown = PAGE.split(f"$ bough {command}\n")[1].split("```")[0]
    assert CliRunner().invoke(cli, command.split()).stdout == shown

"""The command line as a test calls it: words in, a result or the text of a good end out."""

from __future__ import annotations

from click.testing import CliRunner, Result

from bough.cli.main import cli


def run(*words: object, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, list(map(str, words)), prog_name="bough", input=stdin)


def good(*words: object, stdin: str | None = None) -> str:
    result = run(*words, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return result.stdout

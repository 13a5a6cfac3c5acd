"""Tests of `bough show`: every format, files and stdout, parts of a tree, wrong usage."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bough.cli import show as module
from bough.cli.main import cli

SVG = "{http://www.w3.org/2000/svg}"


def show(*args: object) -> Result:
    return CliRunner().invoke(cli, ["show", *map(str, args)], prog_name="bough")


def good(*args: object) -> str:
    result = show(*args)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_text_is_the_tree_of_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # fit saves its model
    fit = CliRunner().invoke(cli, ["fit", "demo:titanic", "-q"], prog_name="bough").stdout
    assert good("demo:titanic") == fit
    assert good("demo:titanic", "--format", "md").startswith("sex? (891 rows)\n\n- **male:** deck?")
    assert "`-- > 23.35" in good("demo:titanic", "--plain")


def test_parts_of_the_tree() -> None:
    assert good("demo:titanic", "--depth", 1).splitlines()[1:] == [
        "├─ male    → died     81%  577",
        "└─ female  → survived 74%  314",
    ]
    assert good("demo:titanic", "--node", 2).startswith("pclass?")
    svg = ET.fromstring(good("demo:titanic", "--depth", 1, "--format", "svg"))
    assert sum(g.find(f"{SVG}title") is not None for g in svg.iter(f"{SVG}g")) == 3


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("t.svg", b"<svg "),
        ("t.html", b"<!doctype html>"),
        ("t.dot", b"digraph"),
        ("t.mmd", b"flowchart LR"),
        ("t.txt", b"sex?"),
        ("t.MD", b"sex? (891 rows)"),
        ("t.png", b"\x89PNG"),
    ],
)
def test_the_name_of_a_file_says_its_format(tmp_path: Path, name: str, start: bytes) -> None:
    if name.endswith("png"):
        pytest.importorskip("resvg_py", reason="the extra bough[png] is not installed")
    assert good("demo:titanic", "-o", tmp_path / name) == ""
    assert (tmp_path / name).read_bytes().startswith(start)


def test_pictures_of_the_rows_that_were_read() -> None:
    svg = good("demo:titanic", "--format", "svg", "-o", "-")
    assert "∅" in svg
    assert "891" in svg
    wide = ET.fromstring(good("demo:titanic", "--format", "svg", "--direction", "TB", "--max-leaves", 4))
    assert float(wide.get("width", 0)) > float(wide.get("height", 0))
    dark = good("demo:titanic", "--format", "svg", "--theme", "dark", "--positive", "died")
    assert "#14171b" in dark
    page = good("demo:titanic", "--format", "html")
    assert "<h1>survived: a tree from demo:titanic</h1>" in page


def test_the_page_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    good("demo:tennis", "--open")
    assert len(opened) == 1
    path = Path(re.sub("^file://", "", opened[0]))
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    path.unlink()
    path.parent.rmdir()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["-o", "tree.pdf"], 'what is "tree.pdf" to be?'),
        (["--format", "svg", "--node", "99"], "there is no node 99"),
        (["--node", "99"], "there is no node 99"),
        (["--format", "svg", "--positive", "drowned"], 'no class "drowned"'),
        (["--open", "--format", "svg"], "--open shows a page"),
    ],
)
def test_wrong_usage(args: list[str], message: str) -> None:
    result = show("demo:titanic", *args)
    assert result.exit_code == 2
    assert message in result.stderr


def test_help_has_the_options_of_growth() -> None:
    text = good("--help")
    for option in ("--target", "--max-leaves", "--drop", "--format", "--detail"):
        assert option in text
    assert set(module.FORMATS) == {"text", "md", "svg", "png", "dot", "mermaid", "html", "json"}

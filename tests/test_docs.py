"""README and docs say what is: their Python runs, their output is real, their links lead somewhere."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted(ROOT.glob("docs/*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_print_what_the_page_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some write files
    failed, _ = doctest.testfile(str(page), module_relative=False)
    assert failed == 0


def test_the_first_screen_is_the_real_output() -> None:
    command = [sys.executable, "-m", "bough.cli.main", "fit", "demo:titanic", "--target", "survived"]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", check=True, env=UTF8
    )
    shown = README.split("$ bough fit demo:titanic --target survived\n")[1].split("```")[0]
    assert sorted(done.stdout.split("\n")) == sorted(shown.split("\n"))


UTF8 = {"PYTHONUTF8": "1", "PYTHONIOENCODING": "utf-8"}


def test_the_python_blocks_run(tmp_path: Path) -> None:
    program = "\n".join(block.split("```")[0] for block in README.split("```python\n")[1:])
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        env=UTF8,
    )
    assert done.returncode == 0, done.stderr
    assert "sex?" in done.stdout
    made = {"tree.svg", "tree.html", "report.html", "model.bough"}
    assert {path.name for path in tmp_path.iterdir()} == made


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES], ids=lambda p: p.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target

"""Every example runs in its small size, writes its picture, and measures what it claims."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason="the examples draw with matplotlib")

FOLDER = Path(__file__).parent.parent / "examples"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "common")

# Of what each example prints: a claim that could fail.
CLAIMS = {
    "bias_variance": lambda f: (
        f["bagged trees: variance"] < 0.5 * f["full tree: variance"]
        and f["full tree: bias²"] < f["stump: bias²"]
    ),
    "noise": lambda f: (
        f["pruned tree (C4.5), 20 % wrong labels"] > f["full tree, 20 % wrong labels"] + 0.05
        and f["random forest, 20 % wrong labels"] > f["full tree, 20 % wrong labels"]
    ),
    "parity_and_majority": lambda f: (
        f["leaves of parity, 7 bits"] == 2**7
        and f["parity, 7 bits: tree"] < 0.5 < f["majority, 7 bits: tree"]
    ),
    "neighbours_and_lines": lambda f: (
        f["boxes: tree (≥ 5 rows a leaf)"] > f["boxes: logistic regression"] + 0.1
        and f["a slanted line: logistic regression"] > f["a slanted line: tree (≥ 5 rows a leaf)"]
    ),
    "breast_cancer_roc": lambda f: f["random forest: area"] > f["C4.5: area"] > 0.85,
    "csection": lambda f: (
        [f["found"], f["false alarms"], f["missed"], f["rightly natural"]] == [51, 11, 116, 822]
        and abs(f["area on the same births"] - 0.848) < 0.001
    ),
    "body_parts": lambda f: f["right among new pixels"] > 0.6,
    "auto_pilot": lambda f: (
        f["state variables"] == 20
        and f["trees: waypoints reached"] >= 0.75 * f["pilot: waypoints reached"] > 0
        and f["trees: lowest height (m)"] > 100
    ),
    "ranking": lambda f: (
        f["NDCG@10: LambdaMART"] > f["NDCG@10: the best column"] > f["NDCG@10: chance"] + 0.1
    ),
}


def test_every_example_has_a_claim_and_a_line_in_the_readme() -> None:
    assert sorted(CLAIMS) == SCRIPTS
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert sorted(name.removesuffix(".py") for name in re.findall(r"\]\((\w+\.py)\)", text)) == SCRIPTS


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    made = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    assert made is not None
    assert made.loader is not None
    module = importlib.util.module_from_spec(made)
    monkeypatch.setitem(sys.modules, made.name, module)
    made.loader.exec_module(module)
    picture = tmp_path / "picture.png"
    found = module.example(True, picture)
    assert CLAIMS[name](found), found
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture.stat().st_size > 20_000

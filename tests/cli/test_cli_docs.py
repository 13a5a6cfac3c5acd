"""docs/command-line.md shows what the commands print: every console block is run again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import bough
from bough.data.examples import load

PAGE = Path(__file__).parents[2] / "docs/command-line.md"


NEW = """\
name,pclass,sex,age,sibsp,parch,fare,embarked,deck
Anna,1,female,30,0,0,80,S,B
Bert,3,male,,0,0,7.25,S,
Carl,3,male,2,1,1,15,Q,T
"""


def fill(folder: Path) -> None:
    table = Path(bough.__file__).parent / "data/tables/titanic.csv"
    (folder / "titanic.csv").write_bytes(table.read_bytes())
    (folder / "new.csv").write_text(NEW)
    (folder / "other.csv").write_text(NEW.replace(",age,", ",Age_years,"))
    (folder / "visits.csv").write_text("id,outcome\n" + "1,no\n2,yes\n" * 20 + "3,no,maybe\n4,yes\n")
    model = bough.DecisionTreeClassifier(max_leaf_nodes=3)
    model.fit(*load("titanic")).save(folder / "small.bough")


def test_every_command_of_the_page_prints_what_it_says(own_folder: Path) -> None:
    fill(own_folder)
    bin_folder = str(Path(sys.executable).parent)
    env = {
        **os.environ,
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "PYTHONUTF8": "1",
    }
    blocks = re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.M)[1:]]
    assert len(parts) > 12
    for part in parts:
        command, _, shown = part.partition("\n")
        done = subprocess.run(
            ["bash", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            env=env,
            check=False,
        )
        # Of two programs in a pipe, either may write first.
        assert sorted(done.stdout.rstrip("\n").split("\n")) == sorted(shown.rstrip("\n").split("\n")), command

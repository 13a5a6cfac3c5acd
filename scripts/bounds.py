"""The packages that pyproject.toml names, one a line: `oldest` are its lower bounds, `newest` may be any."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

# These run the tests, the product does not need them: their newest will do.
RUNNERS = ("pytest", "pytest-cov", "pytest-xdist", "hypothesis")


def named(which: str) -> list[str]:
    """>>> "numpy==2.0" in named("oldest"), "numpy>=2.0" in named("newest")
    (True, True)"""
    found = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    project = found["project"]
    wanted = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        wanted += extra
    wanted += found["dependency-groups"]["test"] + found["build-system"]["requires"] + ["cmake", "ninja"]
    if which == "newest":
        return sorted(set(wanted))
    return sorted({w if w.split(">=")[0] in RUNNERS else w.replace(">=", "==") for w in wanted})


if __name__ == "__main__":
    print(*named(sys.argv[1]), sep="\n")

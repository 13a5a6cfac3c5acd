"""Writes docs/licences.md: the packages that bough needs and what they need, with the licence each declares.

Run it in an environment where all of them are installed: .venv/bin/python scripts/licences.py"""

from __future__ import annotations

import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAD = """# Licences

bough is under the BSD 3-Clause licence (`LICENSE`). It copies no code of others. The compiled core contains
nanobind (BSD 3-Clause), with the table tsl::robin_map (MIT). What is installed with bough, or with one of its
extras, as the packages declare it (written by `scripts/licences.py`):

| package | needed for | licence |
|---|---|---|
"""


def bare(requirement: str) -> str:
    """The name of what is required.

    >>> bare("scikit-learn>=1.6"), bare("tzdata; sys_platform == 'win32'")
    ('scikit-learn', 'tzdata')"""
    return re.split(r"[\s<>=!~;\[(]", requirement, maxsplit=1)[0]


def needed(name: str, seen: set[str]) -> set[str]:
    """The package and everything below it that is installed; extras are not."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return seen  # of another system
    if key in seen:
        return seen
    seen.add(key)
    for line in found.requires or ():
        if "extra ==" not in line:
            needed(bare(line), seen)
    return seen


def licence(name: str) -> str:
    """In one line: the expression, else the classifiers, else the first line of the text or of its file."""
    about = metadata.metadata(name)
    classes = [
        line.split(" :: ")[-1] for line in about.get_all("Classifier") or () if line.startswith("License ::")
    ]
    text = (about.get("License") or _file(name)).strip().splitlines()
    return about.get("License-Expression") or ", ".join(classes) or (text[0] if text else "not declared")


def _file(name: str) -> str:
    found = [path for path in metadata.files(name) or () if path.name.startswith(("LICENSE", "LICENCE"))]
    text = found[0].read_text(encoding="utf-8") if found else ""
    return "MIT, by its text" if "Permission is hereby granted, free of charge" in text else text


def table() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"always": project["dependencies"], **project["optional-dependencies"]}
    uses: dict[str, list[str]] = {}
    for group, requirements in groups.items():
        seen: set[str] = set()
        for requirement in requirements:
            needed(bare(requirement), seen)
        for name in seen:
            uses.setdefault(name, []).append(group)
    rows = []
    for name in sorted(uses):
        where = "bough" if "always" in uses[name] else ", ".join(f"`bough[{group}]`" for group in uses[name])
        rows.append(f"| {metadata.metadata(name)['Name']} | {where} | {licence(name)} |")
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    out = ROOT / "docs" / "licences.md"
    if sys.argv[1:] == ["--check"]:
        sys.exit(out.read_text(encoding="utf-8") != table())
    out.write_text(table(), encoding="utf-8")

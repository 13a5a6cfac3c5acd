"""Reads the golden tables and figures: CSV with a schema, Weka's figures, files and results of C4.5.

A table is a `Golden`: columns by name as lists (numbers, category names, None where missing) with the
declared categories, the target apart. `Golden.frame` is what a bough estimator takes; `Golden.table` is
what the plain references take. Files of C4.5 itself are not part of the project: see `outside`.
"""

from __future__ import annotations

import csv
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from reference.grower import Col, Table

HERE = Path(__file__).parent
TABLES: tuple[str, ...] = tuple(json.loads((HERE / "data" / "schema.json").read_text("utf-8")))
Cell = float | str | None


@dataclass(frozen=True)
class Golden:
    name: str
    columns: dict[str, list[Cell]]  # without the target
    categories: dict[str, list[str]]  # of the nominal columns, in declared order
    target_name: str
    target: list[str]
    classes: list[str]  # in declared order

    @property
    def frame(self) -> pd.DataFrame:
        """The columns as floats and ordered-as-declared pandas categories, missing as NaN."""
        return pd.DataFrame(
            {
                name: pd.Categorical(values, categories=self.categories[name])
                if name in self.categories
                else pd.Series(values, dtype="float64")
                for name, values in self.columns.items()
            }
        )

    @property
    def table(self) -> Table:
        """The columns with numbered categories, for the references."""
        columns = []
        for name, values in self.columns.items():
            if name in self.categories:
                number = {c: i for i, c in enumerate(self.categories[name])}
                coded = [None if v is None else number[str(v)] for v in values]
                columns.append(Col(name, "nominal", coded, len(number)))
            else:
                columns.append(Col(name, "ordered", [None if v is None else float(v) for v in values]))
        return Table(tuple(columns), [self.classes.index(t) for t in self.target], len(self.classes))


def load(name: str) -> Golden:
    """A table of tests/golden/data; an empty cell is missing."""
    schema = json.loads((HERE / "data" / "schema.json").read_text("utf-8"))[name]
    with (HERE / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = list(csv.reader(file))
    kinds, target = schema["columns"], schema["target"]
    columns: dict[str, list[Cell]] = {}
    for j, column in enumerate(header):
        as_number = kinds[column] == "numeric"
        columns[column] = [(float(r[j]) if as_number else r[j]) if r[j] else None for r in rows]
    labels = [str(v) for v in columns.pop(target)]
    categories = {c: kind for c, kind in kinds.items() if kind != "numeric" and c != target}
    return Golden(name, columns, categories, target, labels, kinds[target])


@dataclass(frozen=True)
class Figures:
    """What Weka printed for one table and one configuration."""

    options: str
    classes: list[str]
    size: int | None
    leaves: int | None
    train_accuracy: float
    train_predictions: list[list[float]]  # class distribution of every training row, in file order


def weka(table: str, config: str) -> Figures:
    """The figures in tests/golden/j48, such as weka("iris", "J48_default")."""
    stored = json.loads((HERE / "j48" / f"{table}__{config}.json").read_text("utf-8"))
    return Figures(
        stored["options"],
        stored["classes"],
        stored.get("size"),
        stored.get("leaves"),
        stored["train_accuracy"],
        [stored["distributions"][k] for k in stored["row_distribution"]],
    )


def folds(table: str) -> list[int]:
    """The fold number of each row, for ten-fold comparisons."""
    return [int(line) for line in (HERE / "folds" / f"{table}.csv").read_text("utf-8").split()[1:]]


def outside(*parts: str) -> Path:
    """A file of the golden folder that stays out of the project; without that folder the test is skipped."""
    root = os.environ.get("BOUGH_GOLDEN")
    if not root:
        pytest.skip("BOUGH_GOLDEN does not name the folder with the files of C4.5 release 8")
    return Path(root, *parts)


def load_c45(stem: Path, cases: str = ".data") -> Golden:
    """A table from stem.names and stem.data (or .test).

    In both files `|` starts a comment, names end at a comma, at a line end, or at a full stop before
    white space; in .names the classes come first, then `attribute: continuous` or `attribute: value,
    value`. `?` is missing.
    """
    names = fields(stem.with_name(stem.name + ".names"), colon=True)
    classes = names.pop(0)
    kinds = {name: values for name, *values in names}
    rows = fields(stem.with_name(stem.name + cases))
    columns: dict[str, list[Cell]] = {}
    for j, (name, values) in enumerate(kinds.items()):
        numeric = values == ["continuous"]
        columns[name] = [None if r[j] == "?" else float(r[j]) if numeric else r[j] for r in rows]
    categories = {name: values for name, values in kinds.items() if values != ["continuous"]}
    return Golden(stem.name, columns, categories, "class", [r[-1] for r in rows], classes)


def fields(path: Path, colon: bool = False) -> list[list[str]]:
    """The lines of a C4.5 file that hold something, as lists of names."""
    lines = []
    for raw in path.read_text("latin-1").splitlines():
        text = re.sub(r"\.\s*$", "", raw.split("|")[0].rstrip())
        if text:
            parts = re.split("[:,]" if colon else ",", text)
            lines.append([" ".join(part.split()) for part in parts if part.strip()])
    return lines


def printed(path: Path) -> list[dict[str, Any]]:
    """The result lines of a C4.5 run, training data first; the estimate in percent as printed."""
    pattern = r"^\s*(\d+)\s+(\d+)\(.*?%\)\s+(\d+)\s+(\d+)\(.*?%\)\s+\(\s*([\d.]+)%\)\s+<<$"
    names = ("size", "errors", "pruned_size", "pruned_errors")
    found = []
    for match in re.finditer(pattern, path.read_text("latin-1"), re.MULTILINE):
        *counts, estimate = match.groups()
        found.append({**dict(zip(names, map(int, counts), strict=True)), "estimate": estimate})
    return found

"""The list of formats: what writes each, and what runs it to see that it answers as the model does."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough.exporting import c, javascript, onnx, pmml, pmml_run, python, spreadsheet, sql, sql_run
from bough.exporting.fuzz import Fuzz
from bough.exporting.plan import Plan
from bough.exporting.sql_words import DIALECTS
from bough.exporting.verify import Said
from bough.store import from_json, to_json

Content = str | bytes
Run = Callable[[Any, Plan, Fuzz], Said]


@dataclass(frozen=True)
class Format:
    name: str
    what: str  # as messages call it
    ending: str
    write: Callable[..., Content]
    runner: Callable[
        [str], tuple[Run | None, str]
    ]  # of a dialect: what runs it, and its name or what is lacking
    dialects: tuple[str, ...] = ()


def no_runner(why: str) -> Callable[[str], tuple[Run | None, str]]:
    return lambda dialect: (None, why)


def _when(
    present: Callable[[], bool], run: Run, by: str, lacking: str
) -> Callable[[str], tuple[Run | None, str]]:
    return lambda dialect: (run, by) if present() else (None, lacking)


def _program(name: str) -> Callable[[], bool]:
    return lambda: shutil.which(name) is not None


def _package(name: str) -> Callable[[], bool]:
    return lambda: importlib.util.find_spec(name) is not None


def _sql_runner(dialect: str) -> tuple[Run | None, str]:
    if dialect not in sql_run.RUNNERS:
        return None, f"no {dialect} server at hand"
    return lambda text, plan, rows: sql_run.run(text, plan, rows, dialect), dialect


def _write_json(plan: Plan, about: dict[str, Any] | None = None) -> str:
    return to_json(plan.model, about)


def answers_of(plan: Plan, rows: Fuzz) -> Said:
    """What bough itself answers with a model."""
    answers = plan.model.predict(rows.table)
    if plan.classes is None:
        return Said(answers)
    number = {label: i for i, label in enumerate(plan.classes)}
    shares = plan.model.predict_proba(rows.table)
    return Said(np.array([number[label] for label in answers.tolist()]), shares)


def _run_json(text: str, plan: Plan, rows: Fuzz) -> Said:
    return answers_of(Plan(from_json(text)), rows)


FORMATS = (
    Format("sql", "SQL query", ".sql", sql.write, _sql_runner, tuple(DIALECTS)),
    Format("python", "Python module", ".py", python.write, _when(lambda: True, python.run, "Python", "")),
    Format("c", "C header", ".h", c.write, _when(_program("cc"), c.run, "cc", "no C compiler (cc)")),
    Format(
        "js",
        "JavaScript module",
        ".mjs",
        javascript.write,
        _when(_program("node"), javascript.run, "node", "no node"),
    ),
    Format(
        "onnx",
        "ONNX file",
        ".onnx",
        onnx.write,
        _when(_package("onnxruntime"), onnx.run, "onnxruntime", "no onnxruntime"),
    ),
    Format(
        "pmml",
        "PMML file",
        ".pmml",
        pmml.write,
        _when(pmml_run.present, pmml_run.run, "jpmml-evaluator", "no jpmml-evaluator (with jpype and Java)"),
    ),
    Format("json", "JSON text", ".json", _write_json, _when(lambda: True, _run_json, "bough", "")),
    Format("xlsx", "spreadsheet", ".xlsx", spreadsheet.write, no_runner("no spreadsheet program")),
)

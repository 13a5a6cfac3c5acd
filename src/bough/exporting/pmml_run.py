"""Runs an exported PMML document with jpmml-evaluator, where that package, jpype and Java are at hand."""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bough.exporting.fuzz import Fuzz
from bough.exporting.plan import Plan
from bough.exporting.verify import Said


def present() -> bool:
    packages = all(importlib.util.find_spec(name) for name in ("jpmml_evaluator", "jpype", "pandas"))
    return packages and (shutil.which("java") is not None or "JAVA_HOME" in os.environ)


@cache
def _backend() -> Any:
    from jpmml_evaluator.jpype import JPypeBackend

    return JPypeBackend()  # starts Java, once for the process


def run(text: str, plan: Plan, rows: Fuzz) -> Said:
    import pandas as pd
    from jpmml_evaluator import make_evaluator

    given: dict[str, list[Any]] = {}
    for i, field in enumerate(plan.fields):
        values = rows.values(i)
        if field.kind == "boolean":
            values = [None if v is None else str(v) for v in values]
        elif not field.categories:
            values = [None if v is None else float(v) for v in values]
        given[field.name] = values
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.pmml")
        path.write_text(text, encoding="utf-8")
        evaluator = make_evaluator(str(path), backend=_backend()).verify()
    found = evaluator.evaluateAll(pd.DataFrame(given, dtype=object))
    if plan.classes is None:
        return Said(found.iloc[:, 0].to_numpy(dtype=np.float64))
    number = {str(label): k for k, label in enumerate(plan.classes)}
    shares = found[[f"probability_{k}" for k in range(len(plan.classes))]].to_numpy(dtype=np.float64)
    return Said(np.array([number[str(label)] for label in found.iloc[:, 0]]), shares)

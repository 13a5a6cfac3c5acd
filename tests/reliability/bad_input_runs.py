"""Runs one cell of the table of bad inputs, and writes the table as Markdown.

`python tests/reliability/bad_input_runs.py` writes it into docs/reliability.md."""

from __future__ import annotations

import contextlib
import re
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from click.testing import CliRunner
from sklearn.exceptions import NotFittedError

sys.path.insert(0, str(Path(__file__).parent))

from bad_inputs import CASES, WORKS, Case, classes, good, numbers

import bough
from bough.cli.main import cli

FAMILIES = {
    "single tree": ("DecisionTree", {}),
    "forest": ("RandomForest", {"n_estimators": 4}),
    "boosting": ("GradientBoosting", {"n_estimators": 4}),
    "AdaBoost": ("AdaBoost", {"n_estimators": 4}),
}
COMMAND_LINE = "command line"
COLUMNS = (*FAMILIES, COMMAND_LINE)
PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- bad inputs: begin -->", "<!-- bad inputs: end -->"


def applies(case: Case, family: str) -> bool:
    """Whether the cell can be tried: files hold no Python objects, and estimators read no files."""
    only_file = case.file is not None and case.table is None
    return not case.no_file if family == COMMAND_LINE else not only_file


def estimator(case: Case, family: str, of: str) -> Any:
    stem, few = FAMILIES[family]
    suffix = "Classifier" if of == "classes" else "Regressor"
    given = case.boosting if family == "boosting" and case.boosting is not None else case.parameters
    if family == "AdaBoost":  # what it does not have itself is the tree's
        of_trees = {k: v for k, v in given.items() if k not in ("random_state", "n_jobs")}
        of_trees = {k: v for k, v in of_trees.items() if k in bough.DecisionTreeClassifier().get_params()}
        given = {k: v for k, v in given.items() if k not in of_trees}
        if of_trees:
            given["estimator"] = getattr(bough, f"DecisionTree{suffix}")(**of_trees)
    return getattr(bough, stem + suffix)(**few, **given)


def table(case: Case) -> Any:
    return good() if case.table is None else case.table(good())


def target(case: Case, of: str) -> Any:
    made: Any = (case.classes or classes)() if of == "classes" else (case.numbers or numbers)()
    return made[:n] if (n := {"no rows": 0, "one row": 1}.get(case.name)) is not None else made


@cache
def good_model(family: str, of: str) -> Any:
    return estimator(Case(""), family, of).fit(good(), classes() if of == "classes" else numbers())


def run(case: Case, family: str, verb: str, of: str) -> str:
    """ "works", the code of a clear error, or what is wrong with the answer."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _fit(case, family, of) if verb == "fit" else _predict(case, family, of)
    except NotFittedError:
        return "unfitted"
    except bough.BoughError as error:
        return clear(error, case)


def _fit(case: Case, family: str, of: str) -> str:
    model = estimator(case, family, of)
    weighing = {} if case.weights is None else {"sample_weight": case.weights()}
    model.fit(table(case), target(case, of), **weighing)
    return WORKS


def _predict(case: Case, family: str, of: str) -> str:
    if case.about == "table":
        return answered(good_model(family, of), table(case))
    try:
        model = estimator(case, family, of)
    except bough.BoughError:  # a wrong name: there is no model to ask
        return "unfitted"
    weighing = {} if case.weights is None else {"sample_weight": case.weights()}
    with contextlib.suppress(bough.BoughError):  # that is the cell of fit; here: what the model does then
        model.fit(good(), target(case, of), **weighing)
    return answered(model, good())


def answered(model: Any, asked: Any) -> str:
    answers = np.asarray(model.predict(asked))
    rows = len(asked["age"]) if isinstance(asked, dict) else len(asked)
    if len(answers) != rows:
        return f"{len(answers)} answers for {rows} rows"
    if hasattr(model, "classes_"):
        shares = model.predict_proba(asked)
        fine = np.isin(answers, model.classes_).all() and np.allclose(shares.sum(axis=1), 1.0)
        return WORKS if fine else f"answers that are no classes: {answers[:3]}"
    return WORKS if np.isfinite(answers).all() else f"answers that are no numbers: {answers[:3]}"


def clear(error: bough.BoughError, case: Case) -> str:
    """The code, if the error says what is wrong, where, and what to do."""
    if not error.hint:
        return f"no hint: {error}"
    if len(str(error)) > 2_000 or len(str(error).splitlines()) > 6:
        return f"too long: {str(error)[:100]}"
    if case.says and not re.search(case.says, str(error)):
        return f"does not name {case.says}: {error}"
    return error.code


# ---- the command line ------------------------------------------------------------------------------------


def called(arguments: list[str]) -> str:
    """ "works", the code of an error with the exit code that belongs to it, or what is wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = CliRunner().invoke(cli, arguments, prog_name="bough")
    text = result.stderr
    if result.exit_code == 0:
        return WORKS
    if result.exit_code == 2 and "Usage:" in text and "Error:" in text:
        return "usage"
    code = re.search(r"^error\[([a-z-]+)\]: .+\n.", text, re.MULTILINE)  # and a second line: what to do
    if code is None or result.exit_code not in (2, 3) or "Traceback" in text:
        return f"exit {result.exit_code}: {text[-300:]}"
    return code[1]


def written(case: Case, folder: Path) -> Path:
    """The file that holds the fault, with the target in the column y and weights in w."""
    path = folder / "data.csv"
    if case.file is not None:
        path.write_bytes(case.file())
        return path
    of = case.of[0]
    data = table(case)
    frame = data if isinstance(data, pd.DataFrame) else pd.DataFrame(data)
    y = target(case, of)
    frame = frame.assign(y=[None] * len(frame) if y is None else list(y)[: len(frame)])
    if case.weights is not None:
        frame["w"] = case.weights()
    frame.to_csv(path, index=False)
    return path


def run_command(case: Case, verb: str, folder: Path) -> str:
    data, model = written(case, folder), folder / "model.bough"
    more = [*case.flags, *(["--weights", "w"] if case.weights is not None else [])]
    fit = ["fit", str(data), "-t", "y", "-o", str(model), "--choose", "none", "--no-report", *more]
    if verb == "fit":
        return called(fit)
    if case.about == "table":
        plain = folder / "good.csv"
        pd.DataFrame(good()).assign(y=classes()).to_csv(plain, index=False)
        fit[1] = str(plain)
    done = called(fit)
    if done != WORKS:  # there is no model to ask
        found = called(["predict", str(model), str(data)])
        return "unfitted" if found == "file" else found
    return called(["predict", str(model), str(data), "-o", str(folder / "answers.csv")])


# ---- the page --------------------------------------------------------------------------------------------


def shown(case: Case, family: str, verb: str) -> str:
    if not applies(case, family):
        return "–"
    expected = case.expected(family, verb)
    return {WORKS: WORKS, "unfitted": "error: not fitted"}.get(expected, f"error[{expected}]")


def markdown() -> str:
    lines = ["| input | " + " | ".join(f"{name}: fit / predict" for name in COLUMNS) + " |"]
    lines.append("|---" * (len(COLUMNS) + 1) + "|")
    for case in CASES:
        cells = []
        for family in COLUMNS:
            both = [shown(case, family, verb) for verb in ("fit", "predict")]
            cells.append(both[0] if both[0] == both[1] else " / ".join(both))
        lines.append(f"| {case.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def page() -> str:
    """The page with the table of now."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    return f"{before}{BEGIN}\n{markdown()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

"""`bough.export`: estimators, trees and ensembles in other languages; drawings and rules as texts too."""

from __future__ import annotations

import csv
import io
import os
from typing import Any

import numpy as np

from bough.errors import BoughError
from bough.estimators.saving import about, model_of
from bough.explain import Rule, rules_of
from bough.exporting import FORMATS, Export, Format
from bough.exporting import export as export_model
from bough.exporting.formats import no_runner
from bough.exporting.fuzz import Fuzz
from bough.exporting.plan import Plan
from bough.exporting.verify import Said
from bough.tree import Tree
from bough.tree.rules import cheapest
from bough.view import png_of, tree_dot, tree_mermaid, tree_svg

RULES = ("text", "markdown", "csv")
DRAWING = no_runner("a drawing does not run")


def _tree(plan: Plan, what: str) -> Tree:
    if not isinstance(plan.model, Tree):
        raise BoughError(
            f"{what} are made of a single tree, the model has {len(plan.trees)}.",
            code="export",
            hint="Give one of them: model.ensemble_[0].",
        )
    return plan.model


def _rules(plan: Plan, dialect: str = "text") -> str:
    rules = rules_of(_tree(plan, "rules"), order="tree")
    if dialect == "text":
        return "".join(f"{rule}\n" for rule in rules)
    head = ["rule", "prediction", "rows", "share", "low", "high"]
    rows = [head, *(_cells(rule) for rule in rules)]
    if dialect == "csv":
        file = io.StringIO()
        csv.writer(file, lineterminator="\n").writerows([[_inert(cell) for cell in row] for row in rows])
        return file.getvalue()
    lines = ["| " + " | ".join(_markdown(cell) for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]]) + "\n"


def _cells(rule: Rule) -> list[str]:
    share = rule.share if rule.share is not None else rule.sd
    low, high = rule.interval
    numbers = ["" if x is None else f"{x:.6g}" for x in (share, low, high)]
    return [rule.condition_text(full=True), str(rule.prediction), f"{rule.n}", *numbers]


def _inert(cell: str) -> str:
    """Spreadsheets take a cell that begins so for a formula."""
    return (
        f"'{cell}"
        if cell.startswith(("=", "+", "@", "\t")) or (cell.startswith("-") and not _is_number(cell))
        else cell
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _markdown(cell: str) -> str:
    escaped = "".join(f"\\{c}" if c in "\\|*_`<>[]#" else c for c in cell)
    return " ".join(escaped.split())


def _run_rules(text: str, plan: Plan, rows: Fuzz) -> Said:
    """The rules that the text was made of, each asked for every row."""
    tree = _tree(plan, "rules")
    values = tree.value if tree.classes is None else tree.shares
    total = np.zeros((rows.table.n_rows, values.shape[1]))
    chosen = np.zeros(rows.table.n_rows)
    for rule in rules_of(tree, order="tree"):
        part = rule.shares(rows.table)
        total += part[:, None] * values[rule.node]
        if tree.classes is not None:
            chosen[part == 1] = plan.trees[0].answers[rule.node]
    if tree.classes is None:
        return Said(total[:, 0])
    answers = cheapest(total, tree.rules.costs, mixed=True) if plan.spreads else chosen.astype(np.int64)
    return Said(answers, total)


ALL = (
    *FORMATS,
    Format("svg", "picture", ".svg", lambda plan: tree_svg(_tree(plan, "drawings")), DRAWING),
    Format("png", "picture", ".png", lambda plan: png_of(tree_svg(_tree(plan, "drawings"))), DRAWING),
    Format("dot", "DOT text", ".dot", lambda plan: tree_dot(_tree(plan, "drawings")), DRAWING),
    Format("mermaid", "Mermaid text", ".mmd", lambda plan: tree_mermaid(_tree(plan, "drawings")), DRAWING),
    Format("rules", "list of rules", ".txt", _rules, lambda dialect: (_run_rules, "asking each rule"), RULES),
)


def export(
    model: Any,
    to: str,
    path: str | os.PathLike[str] | None = None,
    *,
    dialect: str | None = None,
    verify: Any = True,
) -> Export:
    """The model as sql, python, c, js, onnx, pmml, json, xlsx, svg, png, dot, mermaid or rules.

    What was made is run on rows around every threshold and every gap of the model, and on the rows given
    as `verify`; if one is answered differently, nothing is written and the error says which. Where there is
    nothing to run it, the result says so (`verified`, `report`). `dialect`: of sql (duckdb, postgres, sqlite,
    mysql, bigquery, snowflake) and of rules (text, markdown, csv)."""
    inner = model_of(model)
    more = {"about": about(model)} if to == "json" and inner is not model else {}
    return export_model(inner, to, path, dialect=dialect, verify=verify, formats=ALL, **more)

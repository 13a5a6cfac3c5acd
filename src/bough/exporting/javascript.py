"""Export to JavaScript: one ES module, `predict(row)` and `predictProba(row)`."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bough.exporting.code import Braces, tree_functions
from bough.exporting.fuzz import Fuzz
from bough.exporting.plan import Plan, Test, cannot
from bough.exporting.verify import Said

EXACT = 2**53
_VALUES = """
const missing = (value) => value === null || value === undefined || Number.isNaN(value);
const number = (value) => (missing(value) || value === "" ? NaN : Number(value));
const text = (value) => {
  if (missing(value)) return null;
  if (value === true) return "True";
  return value === false ? "False" : String(value);
};
const boolean = (value) => {
  if (missing(value)) return null;
  return value === "True" || value === "False" ? value : value ? "True" : "False";
};
/** Microseconds since 1970 UTC, of a Date or of such a number. */
const moment = (value) => (value instanceof Date ? value.getTime() * 1000 : number(value));

/** The values in the order of COLUMNS, from an object by name or from an array in that order. */
function values(row) {
  const own = (name) => (Object.prototype.hasOwnProperty.call(row, name) ? row[name] : null);
  const given = Array.isArray(row) ? row : COLUMNS.map(own);
  return READ.map((read, i) => read(given[i]));
}

function add(out, said, share) {
  for (let k = 0; k < said.length; k++) out[k] += share * said[k];
}
"""
_READERS = {"numeric": "number", "datetime": "moment", "boolean": "boolean"}


class JavaScript(Braces):
    indent = "  "

    ends = "VALUES[{i}][tree_{i}(x)]"
    adding: ClassVar = {
        "median": ["out.push([{said}[0], {weight}]);"],
        "sum": ["out[{output}] += {weight} * {said}[0];"],
        "sum spread": [
            "const one{i} = [0];",
            "tree_{i}(x, 1, one{i});",
            "out[{output}] += {weight} * one{i}[0];",
        ],
        "mean": ["add(out, {said}, {weight});"],
        "mean spread": ["tree_{i}(x, {weight}, out);"],
    }

    def among(self, x: str, test: Test) -> str:
        names = [json.dumps(self.plan.fields[test.column].categories[c]) for c in test.members]
        return f"{x} === {names[0]}" if len(names) == 1 else f"[{', '.join(names)}].includes({x})"

    def known(self, x: str, test: Test) -> str:
        return f"{x} !== null" if self.plan.fields[test.column].categories else f"!Number.isNaN({x})"

    def function(self, name: str, body: list[str], spread: bool) -> list[str]:
        return [f"function {name}(x{', share, out' if spread else ''}) {{", *self.lines(body), "}"]

    def end(self, tree: int, end: int, spread: bool) -> list[str]:
        return [f"add(out, VALUES[{tree}][{end}], share);" if spread else f"return {end};"]

    def call(self, name: str, share: str | None) -> list[str]:
        return [f"return {name}(x);" if share is None else f"{name}(x, {share}, out);"]


def write(plan: Plan) -> str:
    plan.check("JavaScript")
    language = JavaScript(plan)
    out = [
        "// A model of bough: predict(row), where row is an object by column name or an array in their order."
    ]
    out.append(f"export const COLUMNS = {json.dumps([f.name for f in plan.fields])};")
    if plan.classes is not None:
        out.append(f"export const CLASSES = {_labels(plan.classes)};")
    out.append("// What each end of each tree says" + (": shares of the classes." if plan.classes else "."))
    said = [[plan.said(i, node) for node in planned.ends] for i, planned in enumerate(plan.trees)]
    out += ["const VALUES = [", *(f"  {json.dumps(ends)}," for ends in said), "];"]
    readers = [_READERS.get(f.kind, "text") for f in plan.fields]
    out += [*_VALUES.split("\n"), f"const READ = [{', '.join(readers)}];", ""]
    for i in range(len(plan.trees)):
        out += tree_functions(language, plan, i)
    return (
        "\n".join([*out, *_raw(plan), *(_numbers(plan) if plan.classes is None else _classes(plan))]) + "\n"
    )


def _labels(labels: list[Any]) -> str:
    for label in labels:
        if not isinstance(label, str | bool | int | float) or (isinstance(label, int) and abs(label) > EXACT):
            raise cannot(f"a class is {label!r:.40}, which has no spelling in JavaScript.")
    return json.dumps(labels)


def _raw(plan: Plan) -> list[str]:
    start = plan.base if plan.combine == "sum" else [0.0] * plan.n_outputs
    out = f"  const out = {[] if plan.median else start};"
    lines = ["function raw(row) {", "  const x = values(row);", out, *JavaScript(plan).sums()]
    divided = plan.combine in ("mean", "vote") and not plan.median
    lines.append(f"  return {f'out.map((value) => value / {plan.total!r})' if divided else 'out'};")
    return [*lines, "}", ""]


def _numbers(plan: Plan) -> list[str]:
    lines = ["export function predict(row) {"]
    if plan.median:
        lines += ["  const answers = raw(row).sort((a, b) => a[0] - b[0]);"]
        lines += [
            "  const total = answers.reduce((sum, answer) => sum + answer[1], 0);",
            "  let reached = 0;",
        ]
        lines += ["  for (const [answer, weight] of answers) {", "    reached += weight;"]
        lines += ["    if (reached >= 0.5 * total) return answer;", "  }"]
    elif plan.link == "exp":
        lines += ["  return Math.exp(raw(row)[0]);"]
    else:
        lines += ["  return raw(row)[0];"]
    return [*lines, "}"]


def _classes(plan: Plan) -> list[str]:
    lines = ["/** The shares of the CLASSES. */", "export function predictProba(row) {"]
    if plan.link == "logistic":
        lines += ["  const second = 1 / (1 + Math.exp(-raw(row)[0]));", "  return [1 - second, second];"]
    elif plan.link == "softmax":
        lines += ["  const sums = raw(row);", "  const most = Math.max(...sums);"]
        lines += ["  const powers = sums.map((value) => Math.exp(value - most));"]
        lines += ["  const total = powers.reduce((sum, power) => sum + power, 0);"]
        lines += ["  return powers.map((power) => power / total);"]
    else:
        lines += ["  return raw(row);"]
    lines += ["}", "", "export function predict(row) {"]
    if plan.combine == "tree" and not plan.spreads:
        answers = [plan.trees[0].answers[node] for node in plan.trees[0].ends]
        return [*lines, f"  return CLASSES[{answers!r}[tree_0(values(row))]];", "}"]
    lines += ["  const shares = predictProba(row);"]
    if plan.costs is not None:
        lines += [f"  const costs = {[list(row) for row in plan.costs]!r};"]
        lines += ["  const sum = (j) => shares.reduce((total, share, i) => total + share * costs[i][j], 0);"]
        lines += ["  const expected = shares.map((_, j) => sum(j));"]
        lines += ["  const limit = Math.min(...expected) * (1 + 1e-12);"]
        return [*lines, "  return CLASSES[expected.findIndex((cost) => cost <= limit)];", "}"]
    return [*lines, "  return CLASSES[shares.indexOf(Math.max(...shares))];", "}"]


_DRIVER = """
import { readFileSync } from "node:fs";
import * as model from "./model.mjs";
const rows = JSON.parse(readFileSync(0, "utf8"));
const all = (f) => (f ? rows.map((row) => f(row)) : null);
process.stdout.write(JSON.stringify([all(model.predict), all(model.predictProba)]));
"""


def run(text: str, plan: Plan, rows: Fuzz) -> Said:
    """Lets node import the module."""
    columns = [rows.values(i) for i in range(len(plan.fields))]
    given = json.dumps([list(row) for row in zip(*columns, strict=True)])
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.mjs").write_text(text, encoding="utf-8")
        Path(folder, "driver.mjs").write_text(_DRIVER, encoding="utf-8")
        command = ["node", str(Path(folder, "driver.mjs"))]
        done = subprocess.run(command, input=given.encode(), capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode("utf-8", "replace")[-2000:])
    answers, shares = json.loads(done.stdout)
    if plan.classes is None:
        return Said(np.array([np.inf if a is None else a for a in answers], dtype=np.float64))
    number = {label: i for i, label in enumerate(plan.classes)}
    return Said(np.array([number[answer] for answer in answers]), np.array(shares, dtype=np.float64))

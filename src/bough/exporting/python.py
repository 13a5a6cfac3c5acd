"""Export to Python: one module without dependencies, `predict(row)` and `predict_proba(row)`."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from bough.exporting.code import Language, tree_functions
from bough.exporting.fuzz import Fuzz
from bough.exporting.plan import Plan, Test, cannot
from bough.exporting.verify import Said

_HELPERS = {
    "_missing": """
def _missing(value):
    return value is None or value != value
""",
    "_number": """
def _number(value):
    return float("nan") if _missing(value) else float(value)
""",
    "_text": """
def _text(value):
    if _missing(value):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)
""",
    "_boolean": """
def _boolean(value):
    if _missing(value):
        return None
    return value if value in ("True", "False") else "True" if value else "False"
""",
    "_moment": '''
def _moment(value):
    """Microseconds since 1970 UTC, of a datetime, a date, or such a number."""
    if _missing(value):
        return float("nan")
    if hasattr(value, "toordinal"):
        days = value.toordinal() - 719163
        offset = value.utcoffset() if hasattr(value, "utcoffset") else None
        seconds = 0 if not hasattr(value, "hour") else value.hour * 3600 + value.minute * 60 + value.second
        if offset is not None:
            seconds -= offset.days * 86400 + offset.seconds
        return (days * 86400 + seconds) * 1000000 + getattr(value, "microsecond", 0)
    return value
''',
    "_row": '''
def _row(row):
    """The values in the order of COLUMNS, from a dict by name or from a list in that order."""
    values = [row.get(name) for name in COLUMNS] if hasattr(row, "get") else list(row)
    return [read(value) for read, value in zip(_READ, values)]
''',
}
_READERS = {"numeric": "_number", "datetime": "_moment", "boolean": "_boolean"}


class Python(Language):
    ends = "VALUES[{i}][tree_{i}(x)]"
    adding: ClassVar = {
        "median": ["out.append(({said}[0], {i}, {weight}))"],
        "sum": ["out[{output}] += {weight} * {said}[0]"],
        "sum spread": ["one = [0.0]", "tree_{i}(x, 1.0, one)", "out[{output}] += {weight} * one[0]"],
        "mean": ["_add(out, {said}, {weight})"],
        "mean spread": ["tree_{i}(x, {weight}, out)"],
    }

    def among(self, x: str, test: Test) -> str:
        names = [ascii(self.plan.fields[test.column].categories[c]) for c in test.members]
        return f"{x} == {names[0]}" if len(names) == 1 else f"{x} in ({', '.join(names)})"

    def known(self, x: str, test: Test) -> str:
        return f"{x} is not None" if self.plan.fields[test.column].categories else f"{x} == {x}"

    def block(self, conditions: list[tuple[str, list[str]]], rest: list[str]) -> list[str]:
        out: list[str] = []
        for condition, inner in conditions:
            out += [f"{'el' if out else ''}if {condition}:", *self.lines(inner)]
        return [*out, "else:", *self.lines(rest)] if out else rest

    def function(self, name: str, body: list[str], spread: bool) -> list[str]:
        return ["", f"def {name}(x, share, out):" if spread else f"def {name}(x):", *self.lines(body)]

    def end(self, tree: int, end: int, spread: bool) -> list[str]:
        return [f"_add(out, VALUES[{tree}][{end}], share)" if spread else f"return {end}"]

    def call(self, name: str, share: str | None) -> list[str]:
        return [f"return {name}(x)" if share is None else f"{name}(x, {share}, out)"]


def write(plan: Plan) -> str:
    plan.check("Python")
    language = Python(plan)
    out = [
        '"""A model of bough: predict(row), where row is a dict by column name or a list in their order."""',
        "",
    ]
    out.append(f"COLUMNS = {[f.name for f in plan.fields]!a}")
    readers = [_READERS.get(f.kind, "_text") for f in plan.fields]
    if plan.classes is not None:
        out.append(f"CLASSES = {_literal(plan.classes)}")
    out += ["# What each end of each tree says" + (": shares of the classes." if plan.classes else ".")]
    out.append("VALUES = [")
    for i, planned in enumerate(plan.trees):
        out.append(f"    {[tuple(plan.said(i, node)) for node in planned.ends]!r},")
    out.append("]")
    for name in ("_missing", *sorted(set(readers)), "_row"):
        out += [*_HELPERS[name].split("\n")]
    out += ["", f"_READ = [{', '.join(readers)}]", ""]
    for i in range(len(plan.trees)):
        out += tree_functions(language, plan, i)
    return "\n".join([*out, *_combined(plan)]) + "\n"


def _literal(labels: list[Any]) -> str:
    for label in labels:
        if not isinstance(label, str | bool | int | float | bytes):
            raise cannot(f"a class is {label!r:.40}, which has no spelling in Python.")
    return ascii(labels)


def _combined(plan: Plan) -> list[str]:
    """`predict_proba` and `predict`, from what the trees say."""
    lines = ["", "def _add(out, values, share):"]
    lines += ["    for k, value in enumerate(values):", "        out[k] += share * value", "", ""]
    start = plan.base if plan.combine == "sum" else [0.0] * plan.n_outputs
    lines += ["def _raw(row):", "    x = _row(row)", f"    out = {[] if plan.median else start!r}"]
    lines += Python(plan).sums()
    if plan.combine in ("mean", "vote") and not plan.median:
        lines.append(f"    return [value / {plan.total!r} for value in out]")
    else:
        lines.append("    return out")
    return [*lines, "", "", *(_numbers(plan) if plan.classes is None else _classes(plan))]


def _numbers(plan: Plan) -> list[str]:
    lines = ["def predict(row):"]
    if plan.median:
        lines += ["    answers = sorted(_raw(row))", "    total = 0.0", "    for _, _, weight in answers:"]
        lines += ["        total += weight", "    reached = 0.0", "    for answer, _, weight in answers:"]
        lines += [
            "        reached += weight",
            "        if reached >= 0.5 * total:",
            "            return answer",
        ]
    elif plan.link == "exp":
        lines += ["    from math import exp, inf", "", "    raw = _raw(row)[0]"]
        lines += ["    return exp(raw) if raw < 709.78 else inf"]
    else:
        lines += ["    return _raw(row)[0]"]
    return lines


def _classes(plan: Plan) -> list[str]:
    lines = ["def predict_proba(row):", '    """The shares of the CLASSES."""']
    if plan.link == "logistic":
        lines += ["    from math import exp", "", "    raw = _raw(row)[0]"]
        lines += [
            "    second = 1.0 / (1.0 + exp(-raw)) if raw > -709.0 else 0.0",
            "    return [1.0 - second, second]",
        ]
    elif plan.link == "softmax":
        lines += ["    from math import exp", "", "    raw = _raw(row)", "    most = max(raw)"]
        lines += ["    powers = [exp(value - most) for value in raw]", "    total = sum(powers)"]
        lines += ["    return [power / total for power in powers]"]
    else:
        lines += ["    return _raw(row)"]
    lines += ["", "", "def predict(row):"]
    if plan.combine == "tree" and not plan.spreads:
        answers = [plan.trees[0].answers[node] for node in plan.trees[0].ends]
        return [*lines, f"    return CLASSES[{answers!r}[tree_0(_row(row))]]"]
    if plan.costs is not None:
        lines += [f"    costs = {[list(row) for row in plan.costs]!r}", "    shares = predict_proba(row)"]
        lines += ["    each = range(len(CLASSES))"]
        lines += ["    expected = [sum(shares[i] * costs[i][j] for i in each) for j in each]"]
        lines += ["    limit = min(expected) * (1 + 1e-12)"]
        return [*lines, "    return CLASSES[[cost <= limit for cost in expected].index(True)]"]
    lines += ["    shares = predict_proba(row)"]
    return [*lines, "    return CLASSES[shares.index(max(shares))]"]


def run(text: str, plan: Plan, rows: Fuzz) -> Said:
    """Executes the text in an empty namespace."""
    space: dict[str, Any] = {}
    exec(compile(text, "<export>", "exec"), space)
    columns = [rows.values(i) for i in range(len(plan.fields))]
    listed = [list(row) for row in zip(*columns, strict=True)]
    if plan.classes is None:
        return Said(np.array([space["predict"](row) for row in listed], dtype=np.float64))
    number = {label: i for i, label in enumerate(plan.classes)}
    answers = np.array([number[space["predict"](row)] for row in listed])
    return Said(answers, np.array([space["predict_proba"](row) for row in listed], dtype=np.float64))

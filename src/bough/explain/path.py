"""The way of one row through a tree: what it was asked, what it answered, and how sure its answer is."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Field, Table
from bough.errors import BoughError
from bough.explain.condition import Condition, step
from bough.explain.nearest import Nearest, nearest
from bough.explain.rules import Rule, encoded, rules_of
from bough.explain.words import amount, answer_name, interval_text, percent, plain_data
from bough.tree.condition import SPREAD, STAY, branch_labels, takes_only_missing, threshold_text
from bough.tree.rules import cheapest
from bough.tree.text import category_name, display_width, padded, shown_name, significant
from bough.tree.tree import Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """One question: the node that asks, what the row says, and the node that it comes to.

    `share` is that of the class that the node there would answer (`prediction`), None of numbers. `note`
    tells where a missing or unseen value went. `branch`: the number of the child, -1 where the row stays.
    """

    node: int
    column: str
    value: str
    text: str
    branch: int
    to: int
    n: int
    prediction: Any
    share: float | None
    missing: bool = False
    note: str = ""


@dataclass(frozen=True)
class Part:
    """Where a part of a spread row ends."""

    node: int
    share: float
    rule: str


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a row gets its answer. `interval`: 95 %, of the share or the mean, from the training rows of the
    leaf: `n` rows of this `weight`, `hits` of it with the answer. `parts`: of a row that is spread
    over several leaves; `steps` then end where it parts, and n is the number of rows there. `nearest`: the
    smallest change that gets another answer."""

    prediction: Any
    share: float | None
    sd: float | None
    n: int
    weight: float
    hits: float | None
    interval: tuple[float, float]
    leaf: int
    steps: tuple[Step, ...]
    nearest: Nearest | None
    parts: tuple[Part, ...] = ()
    shares: dict[str, float] = dataclasses.field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        found: dict[str, Any] = plain_data(dataclasses.asdict(self))
        return found

    def __repr__(self) -> str:  # what a console and a notebook show
        return str(self)

    def __str__(self) -> str:
        return explanation_text(self)


def explain_row(tree: Tree, row: Any, scales: dict[str, float] | None = None) -> Explanation:
    """The way of one row: a dict of values by column (those that are not there are missing), a frame or table
    of one row, or a list of values. `scales`: what a change of each number is measured in."""
    data = one_row(tree.fields, row)
    columns, _ = encoded(tree, data)
    rules = rules_of(tree, order="tree")
    _, nodes, parts = tree.reach(data)
    by_node = {rule.node: rule for rule in rules}
    ends = [(by_node[node], float(share)) for node, share in zip(nodes.tolist(), parts, strict=True)]
    steps = _steps(tree, columns)
    values = {f.name: value_text(f, float(c[0])) for f, c in zip(tree.fields, columns, strict=True)}
    steps = [dataclasses.replace(s, value=values[s.column]) for s in steps]
    other = nearest(tree, rules, columns, scales or {})
    if len(ends) == 1:
        return _of_rule(tree, ends[0][0], tuple(steps), other)
    return _of_parts(tree, ends, tuple(steps), other)


def one_row(fields: Sequence[Field], row: Any) -> Any:
    """A row in any form as a table of one row; columns that a dict does not name are missing."""
    if isinstance(row, Table):
        if row.n_rows != 1:
            raise not_one_row(row.n_rows)
        return row
    if isinstance(row, dict):
        known = {field.name for field in fields}
        for name in row:
            if name not in known:
                from bough.errors import did_you_mean

                raise BoughError(
                    f'the model has no column "{name}".{did_you_mean(str(name), known)}',
                    code="column",
                    hint="columns: " + ", ".join(sorted(known)[:8]) + ", …" * (len(known) > 8),
                )
        one = {
            name: value[0] if isinstance(value, list | tuple | np.ndarray) and len(value) == 1 else value
            for name, value in row.items()
        }
        return {field.name: [one.get(field.name)] for field in fields}
    if hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:  # a pandas row
        return one_row(fields, row.to_dict())
    if isinstance(row, list | tuple) and row and isinstance(row[0], list | tuple | dict):  # a list of rows
        if len(row) != 1:
            raise not_one_row(len(row))
        return one_row(fields, row[0])
    if isinstance(row, list | tuple) or getattr(row, "ndim", 0) == 1:
        values = list(row)
        if len(values) != len(fields):
            raise BoughError(
                f"the row has {len(values)} values, the model {len(fields)} columns.",
                code="shape",
                hint="Give one value for each column, or a dict by name.",
            )
        return {f.name: [v] for f, v in zip(fields, values, strict=True)}
    count = getattr(row, "shape", (1,))[0]
    if count != 1:
        raise not_one_row(count)
    return row


def not_one_row(count: int) -> BoughError:
    return BoughError(
        f"explain takes one row, not {count}.", code="shape", hint="Take one: X.iloc[[17]], X[17:18]."
    )


def _steps(tree: Tree, columns: list[Floats]) -> list[Step]:
    """From the root to where the row ends, stays, or is spread."""
    steps, node = [], 0
    while tree.feature[node] >= 0:
        column = int(tree.feature[node])
        first, count = int(tree.first_child[node]), int(tree.n_children[node])
        passed = [float(step(tree, node, c).shares(columns)[0]) for c in range(count)]
        whole = [c for c in range(count) if passed[c] == 1.0]
        unknown = bool(np.isnan(columns[column][0]))
        if not whole:
            steps.append(_stopped(tree, node, unknown, "spread" if any(passed) else "stays"))
            break
        steps.append(_taken(tree, node, whole[0], columns, unknown))
        node = first + whole[0]
    return steps


def _taken(tree: Tree, node: int, child: int, columns: list[Floats], unknown: bool) -> Step:
    field = tree.fields[tree.feature[node]]
    to = int(tree.first_child[node]) + child
    label = branch_labels(tree, node)[child]
    condition = step(tree, node, child)
    x = float(columns[condition.column][0])
    listed = not unknown and _listed(condition, x)
    name, note = shown_name(field.name), ""
    if unknown:
        text = f"{name} is missing"
    elif field.kind in ("nominal", "boolean"):
        value = value_text(field, x)
        text = f"{name} = {category_name(value) if x >= 0 else value}"
    else:
        text = f"{name} {shown_name(label)}"
    if not listed and not takes_only_missing(tree, node, child):
        what = "missing goes" if unknown else "has no branch here and goes"
        way = condition.missing
        by = " as its surrogates say" if way is not None and way.stand_ins else ""
        note = f'{what} with "{shown_name(label)}"{by}'
    return Step(node, field.name, "", text, child, to, *_at(tree, to), missing=unknown, note=note)


def _listed(condition: Condition, x: float) -> bool:
    if condition.ordered:
        return True
    way = condition.passing.get(int(x))
    return way is not None and way.seen


def _stopped(tree: Tree, node: int, unknown: bool, how: str) -> Step:
    field = tree.fields[tree.feature[node]]
    text = f"{shown_name(field.name)} is {'missing' if unknown else 'without a branch here'}"
    note = "the row stays here" if how == "stays" else "the row is spread over all branches"
    return Step(
        node,
        field.name,
        "",
        text,
        STAY if how == "stays" else SPREAD,
        node,
        *_at(tree, node),
        missing=unknown,
        note=note,
    )


def _at(tree: Tree, node: int) -> tuple[int, Any, float | None]:
    answer = tree.answers[node]
    plain = answer.item() if isinstance(answer, np.generic) else answer
    if tree.classes is None:
        return int(tree.n_rows[node]), float(plain), None
    place = int(np.flatnonzero(tree.classes == answer)[0])
    return int(tree.n_rows[node]), plain, float(tree.shares[node][place])


def _of_rule(tree: Tree, rule: Rule, steps: tuple[Step, ...], other: Nearest | None) -> Explanation:
    hits = None
    shares = {}
    if tree.classes is not None:
        place = int(np.flatnonzero(tree.classes == rule.prediction)[0])
        hits = float(tree.value[rule.node][place])
        shares = {str(c): float(s) for c, s in zip(tree.classes, tree.shares[rule.node], strict=True)}
    n, weight = int(tree.n_rows[rule.node]), float(tree.weight[rule.node])
    answer = (rule.prediction, rule.share, rule.sd)
    return Explanation(*answer, n, weight, hits, rule.interval, rule.node, steps, other, (), shares)


def _of_parts(
    tree: Tree, ends: list[tuple[Rule, float]], steps: tuple[Step, ...], other: Nearest | None
) -> Explanation:
    """A row that is spread: the answer is the mean of its ends, weighted by the parts."""
    weights = np.array([share for _, share in ends])
    nodes = [rule.node for rule, _ in ends]
    parts = tuple(Part(rule.node, share, str(rule)) for rule, share in ends)
    parted = steps[-1].node if steps else 0
    n, weight = int(tree.n_rows[parted]), float(tree.weight[parted])
    if tree.classes is None:
        mean = float(weights @ tree.value[nodes, 0])
        unsure = (math.nan, math.nan)
        return Explanation(mean, None, None, n, weight, None, unsure, parted, steps, other, parts)
    mixed = weights @ tree.shares[nodes]
    place = int(cheapest(mixed[None], tree.rules.costs, mixed=True)[0])
    answer = tree.classes[place]
    plain = answer.item() if isinstance(answer, np.generic) else answer
    low = float(weights @ np.array([_interval_of(tree, rule, place)[0] for rule, _ in ends]))
    high = float(weights @ np.array([_interval_of(tree, rule, place)[1] for rule, _ in ends]))
    shares = {str(c): float(s) for c, s in zip(tree.classes, mixed, strict=True)}
    return Explanation(
        plain, float(mixed[place]), None, n, weight, None, (low, high), parted, steps, other, parts, shares
    )


def _interval_of(tree: Tree, rule: Rule, place: int) -> tuple[float, float]:
    """Of the share of any class in the leaf of a rule."""
    from bough.explain.interval import wilson

    rows = rule.weight * float(tree.n_rows[0]) / float(tree.weight[0])
    total = float(tree.value[rule.node].sum())
    return wilson(float(tree.value[rule.node][place]) / total * rows if total else 0.0, rows)


def value_text(field: Field, x: float) -> str:
    """A value of a row in the words of its column."""
    if math.isnan(x):
        return "missing"
    if field.kind in ("nominal", "boolean"):
        return field.categories[int(x)] if x >= 0 else "never seen"
    return threshold_text(field, x)


def explanation_text(e: Explanation) -> str:
    """The answer, one line for each question, and the nearest other answer."""
    lines = [_headline(e)]
    texts = [s.text for s in e.steps]
    counts = [f"{s.n:,} row{'' if s.n == 1 else 's'}" for s in e.steps]
    answers = [_short(s.prediction, s.share) for s in e.steps]
    widths = [max(map(display_width, cells), default=0) for cells in (texts, counts, answers)]
    for text, count, answer, s in zip(texts, counts, answers, e.steps, strict=True):
        cells = [padded(text, widths[0]), " " * (widths[1] - len(count)) + count, padded(answer, widths[2])]
        lines.append("  " + "  ".join([*cells, " " + s.note]).rstrip())
    for part in e.parts:
        lines.append(f"  {percent(part.share):>4} of the row: {part.rule}")
    if e.nearest is not None:
        lines.append(f"nearest other answer: {e.nearest}")
    return "\n".join(lines)


def _headline(e: Explanation) -> str:
    rows = f"{e.n:,} row{'' if e.n == 1 else 's'}"
    sure = f"95% interval {interval_text(*e.interval, numbers=e.share is None)}"
    if e.share is None:
        sd = "" if e.sd is None or e.n < 2 else f" ± {significant(e.sd, 3)}"
        told = f", {sure}" if math.isfinite(e.interval[0]) else ""
        return f"{answer_name(e.prediction)}{sd} ({rows}{told})"
    # Rows that count for more or less than one: parts and whole are weights.
    rows = rows if abs(e.weight - e.n) < 1e-9 * e.n else f"{amount(e.weight)} rows"
    of = f"{amount(e.hits)} of {rows}, " if e.hits is not None and not e.parts else ""
    return f"{answer_name(e.prediction)}, {percent(e.share)} ({of}{sure})"


def _short(answer: Any, share: float | None) -> str:
    return answer_name(answer) if share is None else f"{answer_name(answer)} {percent(share)}"

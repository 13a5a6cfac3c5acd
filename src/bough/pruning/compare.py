"""All methods on one tree, in one table: size, and how well each answers the rows it has seen and has not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from bough.errors import BoughError, did_you_mean
from bough.pruning.evidence import Evidence
from bough.pruning.methods import METHODS
from bough.tree import Tree


@dataclass(frozen=True)
class Line:
    """One tree; a score is the share of right answers, or for numbers that of the variance explained."""

    method: str
    leaves: int
    depth: int
    training: float
    held_out: float | None


@dataclass(frozen=True)
class Comparison:
    lines: tuple[Line, ...]
    score: str  # accuracy or R²
    trees: Mapping[str, Tree]

    def as_dict(self) -> dict[str, list[Any]]:
        """Columns, for a frame of any kind."""
        rows = [asdict(line) for line in self.lines]
        return {name: [row[name] for row in rows] for name in rows[0]}

    def __str__(self) -> str:
        wide = max(len(line.method) for line in self.lines)
        text = [f"{'':{wide}}  leaves  depth  {'training':>9}  {'held-out':>9}   ({self.score})"]
        for line in self.lines:
            held_out = "-" if line.held_out is None else f"{line.held_out:.4f}"
            size = f"{line.method:{wide}}  {line.leaves:6d}  {line.depth:5d}"
            text.append(f"{size}  {line.training:9.4f}  {held_out:>9}")
        return "\n".join(text)


def compare(
    tree: Tree,
    data: Any,
    target: Any,
    weights: Any = None,
    *,
    held_out: tuple[Any, ...] | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Comparison:
    """Every method that can prune this tree, one after the other.

    `data`, `target` and `weights` are the training rows; `held_out` is (data, target) or
    (data, target, weights) of others, without which reduced-error pruning is left out. `options` gives a
    method other options: {"max_leaves": {"max_leaves": 12}}.
    """
    training = Evidence.of(tree, data, target, weights)
    others = None if held_out is None else Evidence.of(tree, *held_out)
    chosen = dict(options or {})
    for name in chosen:
        if name not in METHODS:
            raise BoughError(
                f'there is no method "{name}".{did_you_mean(name, METHODS)}',
                code="parameter",
                hint="Methods: " + ", ".join(METHODS) + ".",
            )
    trees = {"unpruned": tree}
    for method in METHODS.values():
        rows = {"none": None, "training": training, "held-out": others}[method.rows]
        if (tree.classes is None and not method.numbers) or (method.rows_needed and rows is None):
            continue
        given = chosen.get(method.name, method.shown_with)
        trees[method.name] = method.function(tree, *([] if rows is None else [rows]), **given)
    lines = tuple(
        Line(name, t.n_leaves, t.max_depth, score(t, training), None if others is None else score(t, others))
        for name, t in trees.items()
    )
    return Comparison(lines, "R²" if tree.classes is None else "accuracy", trees)


def score(tree: Tree, rows: Evidence) -> float:
    """As scikit-learn's score: accuracy, or 1 - squared errors / squares around the mean."""
    answers = tree.predict(rows.table)
    if tree.classes is not None:
        return float(np.average(answers == tree.classes[rows.target], weights=rows.weights))
    mean = np.average(rows.target, weights=rows.weights)
    around = np.average((rows.target - mean) ** 2, weights=rows.weights)
    missed = float(np.average((rows.target - answers) ** 2, weights=rows.weights))
    return 1.0 - missed / float(around) if around > 0 else float(missed == 0)

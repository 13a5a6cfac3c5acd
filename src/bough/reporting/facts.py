"""Everything that a report tells, gathered once: figures, curves, findings, where it all came from."""

from __future__ import annotations

import datetime
import hashlib
import platform
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.objects import label
from bough.data.table import Table
from bough.errors import BoughError
from bough.evaluation.answers import Target, as_it_is, baseline, held_out, known_classes, target_of
from bough.evaluation.checks import Finding, check_table
from bough.evaluation.folds import Folds, as_rows, folds_of
from bough.evaluation.importance import Importance, shuffled_importance
from bough.evaluation.judge import Wish, judged
from bough.evaluation.result import ClassEvaluation, Evaluation
from bough.evaluation.size_curve import SizeCurve, size_curve
from bough.evaluation.stability import Stability, stability
from bough.explain.rules import Rule, rules_of
from bough.tree import Tree
from bough.view.colours import Palette, palette

Floats = NDArray[np.float64]

LARGE = 1_000_000  # cells; above, a quarter of the bootstrap samples are grown


@dataclass(frozen=True)
class Asked:
    """What the caller says of the report; texts are shown as they are given."""

    title: str
    source: str
    target: str
    command: str
    positive: Any
    costs: Any
    cv: Any
    groups: Any
    samples: int
    seed: int
    test: tuple[Any, Any] | None


@dataclass(frozen=True)
class Problem:
    """The data as the tree's own columns; `weights` None: all 1."""

    table: Table
    y: NDArray[Any]
    classes: NDArray[Any] | None
    weights: Floats | None
    labels: NDArray[Any]

    # What pictures call it.
    @property
    def target(self) -> NDArray[Any]:
        return self.y


@dataclass(frozen=True)
class Facts:
    model: Any
    asked: Asked
    problem: Problem
    evaluation: Evaluation
    test: Evaluation | None
    sizes: SizeCurve | None
    importance: Importance | None
    stability: Stability
    findings: list[Finding]
    started: float

    @property
    def tree(self) -> Tree:
        tree: Tree = self.model.tree_
        return tree

    @property
    def classes(self) -> ClassEvaluation | None:
        """The evaluation of a tree that answers with a class."""
        return self.evaluation if isinstance(self.evaluation, ClassEvaluation) else None

    @property
    def cross_validated(self) -> bool:
        return self.evaluation.answers.n_folds > 0

    @cached_property
    def rules(self) -> list[Rule]:
        return rules_of(self.tree)

    @cached_property
    def palette(self) -> Palette:
        two = self.tree.classes is not None and len(self.tree.classes) == 2
        return palette(self.tree, "light", self.asked.positive if two else None)

    @cached_property
    def used(self) -> list[str]:
        """Columns that the tree asks, in the order of its nodes."""
        asked = self.tree.feature[self.tree.feature >= 0].tolist()
        return list(dict.fromkeys(self.tree.fields[number].name for number in asked))

    @cached_property
    def empty_cells(self) -> dict[str, int]:
        return {c.field.name: int(np.isnan(c.values).sum()) for c in self.problem.table.columns}

    @property
    def today(self) -> str:
        return datetime.date.today().isoformat()

    @cached_property
    def data_hash(self) -> str:
        """SHA-256 of the columns and the target, the same for every kind of frame or file."""
        sha = hashlib.sha256()
        for column in self.problem.table.columns:
            words = (column.field.name, column.field.kind, *column.field.categories)
            sha.update("\0".join(words).encode("utf-8", "surrogatepass"))
            sha.update(np.ascontiguousarray(column.values + 0.0, dtype="<f8").tobytes())
        labels = self.problem.labels.tolist()
        sha.update("\0".join(map(label, labels)).encode("utf-8", "surrogatepass"))
        return sha.hexdigest()

    @property
    def versions(self) -> list[str]:
        import sklearn

        import bough

        return [
            f"bough {bough.__version__}",
            f"Python {platform.python_version()}",
            f"numpy {np.__version__}",
            f"scikit-learn {sklearn.__version__}",
            f"{platform.system()} {platform.machine()}",
        ]

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started


def gather(model: Any, table: Table, y: Any, weights: Floats | None, asked: Asked) -> Facts:
    """Fits copies of the model in folds and samples; the model itself stays as it is."""
    started = time.perf_counter()
    target = known_classes(model, target_of(model, y, table.n_rows))
    problem = Problem(table, target.values, target.classes, weights, target.labels)
    w = np.ones(table.n_rows) if weights is None else weights
    wish = Wish(positive=asked.positive, costs=asked.costs, seed=asked.seed)
    rows = as_rows(table)
    folds = _folds(target, asked)
    if folds:
        answers, models = held_out(model, rows, target, w, folds)
        importance = shuffled_importance(models, table, target.labels, w, folds, asked.seed)
        sizes = size_curve(model, problem, folds)
    else:
        answers, importance, sizes = as_it_is(model, rows, target, w), None, None
    return Facts(
        model,
        asked,
        problem,
        judged(answers, baseline(answers, target, w, folds), wish),
        None if asked.test is None else _tested(model, asked.test, wish),
        sizes,
        importance,
        stability(model, table, target.labels, w, _samples(table, asked.samples), asked.seed),
        check_table(table, target.values, target.classes, weights),
        started,
    )


def _folds(target: Target, asked: Asked) -> Folds:
    """None where the rows are too few: then the report says so."""
    try:
        return folds_of(
            asked.cv, target.values, classes=target.classes is not None, seed=asked.seed, groups=asked.groups
        )
    except BoughError as error:
        if error.code != "target":
            raise
        return []


def _samples(table: Table, wanted: int) -> int:
    return wanted if table.n_rows * len(table.columns) <= LARGE else max(1, wanted // 4)


def _tested(model: Any, test: tuple[Any, Any], wish: Wish) -> Evaluation:
    from bough.evaluation.judge import evaluate

    X, y = test
    found: Evaluation = evaluate(
        model, X, y, cv=None, positive=wish.positive, costs=wish.costs, random_state=wish.seed
    )
    return found

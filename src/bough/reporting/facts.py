"""Everything that a report tells, gathered once: figures, curves, findings, where it all came from."""

from __future__ import annotations

import datetime
import hashlib
import platform
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bough.data.objects import label
from bough.data.table import Field, Table
from bough.errors import BoughError
from bough.evaluation.answers import Target, as_it_is, held_out, known_classes, target_of
from bough.evaluation.checks import Finding, check_table
from bough.evaluation.folds import Folds, as_rows
from bough.evaluation.importance import Importance, shuffled_importance
from bough.evaluation.judge import Wish, folds_for, judged
from bough.evaluation.result import ClassEvaluation, Evaluation
from bough.evaluation.size_curve import SizeCurve, size_curve
from bough.evaluation.stability import Stability, stability
from bough.evaluation.trees_curve import trees_curve
from bough.explain.rules import Rule, rules_of
from bough.kept import kept
from bough.reporting.shap_summary import ShapSummary, shap_summary
from bough.tree import Ensemble, Tree
from bough.view.colours import Palette, palette, palette_of

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
    test: tuple[Any, ...] | None
    tree: int = 0  # the one of many that is drawn
    queries: NDArray[np.int64] | None = None  # of each row, where a ranker puts them in order


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
class Facts(ABC):
    """What is told of one tree and of many."""

    model: Any
    asked: Asked
    problem: Problem
    evaluation: Evaluation
    test: Evaluation | None
    sizes: SizeCurve | None
    importance: Importance | None
    findings: list[Finding]
    started: float

    noun: ClassVar[str]  # what the model is called

    @property
    @abstractmethod
    def learned(self) -> Tree | Ensemble: ...

    @property
    @abstractmethod
    def trees(self) -> Sequence[Tree]: ...

    @property
    @abstractmethod
    def heading(self) -> str: ...

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.learned.fields

    @property
    def classes(self) -> ClassEvaluation | None:
        """The evaluation of a model that answers with a class."""
        return self.evaluation if isinstance(self.evaluation, ClassEvaluation) else None

    @property
    def ranks(self) -> bool:
        return self.asked.queries is not None

    @property
    def cross_validated(self) -> bool:
        return self.evaluation.answers.n_folds > 0

    @property
    @abstractmethod
    def palette(self) -> Palette: ...

    @property
    def positive(self) -> Any:
        """Of two classes the one that was named."""
        classes = self.learned.classes
        return self.asked.positive if classes is not None and len(classes) == 2 else None

    @kept
    def used(self) -> list[str]:
        """Columns that are asked, in the order of the nodes."""
        asked = (int(number) for tree in self.trees for number in tree.feature[tree.feature >= 0])
        return list(dict.fromkeys(self.fields[number].name for number in dict.fromkeys(asked)))

    @kept
    def ranking(self) -> list[int]:
        """Numbers of the columns: by what rows left out lose without them; where these are not known, or
        equal, by gain."""
        gain = np.asarray(self.model.feature_importances_, dtype=np.float64)
        first = gain if self.importance is None else self.importance.loss
        places: list[int] = np.lexsort((np.arange(len(gain)), -gain, -first)).tolist()
        return places

    @kept
    def empty_cells(self) -> dict[str, int]:
        return {c.field.name: int(np.isnan(c.values).sum()) for c in self.problem.table.columns}

    @property
    def today(self) -> str:
        return datetime.date.today().isoformat()

    @kept
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


@dataclass(frozen=True)
class TreeFacts(Facts):
    stability: Stability

    noun = "tree"

    @property
    def tree(self) -> Tree:
        tree: Tree = self.model.tree_
        return tree

    @property
    def learned(self) -> Tree:
        return self.tree

    @property
    def trees(self) -> Sequence[Tree]:
        return [self.tree]

    @property
    def heading(self) -> str:
        leaves = "1 leaf" if self.tree.n_leaves == 1 else f"{self.tree.n_leaves:,} leaves"
        return f"a tree with {leaves}"

    @kept
    def palette(self) -> Palette:
        return palette(self.tree, "light", self.positive)

    @kept
    def rules(self) -> list[Rule]:
        return rules_of(self.tree)


@dataclass(frozen=True)
class ManyFacts(Facts):
    """Of a forest or of boosted trees; `drawn`: the number of the tree that is drawn."""

    drawn: int
    shap: ShapSummary | None

    noun = "model"

    @property
    def learned(self) -> Ensemble:
        ensemble: Ensemble = self.model.ensemble_
        return ensemble

    @property
    def trees(self) -> Sequence[Tree]:
        return self.learned.trees

    @kept
    def palette(self) -> Palette:
        classes, labels = self.learned.classes, self.problem.labels
        sizes = [float((labels == c).sum()) for c in (() if classes is None else classes)]
        return palette_of(classes, np.array(sizes), "light", self.positive)

    @property
    def heading(self) -> str:
        n = f"{len(self.trees):,}"
        named = {"mean": f"a forest of {n} trees", "sum": f"{n} boosted trees"}
        return named.get(self.learned.combine, f"{n} trees that vote")


def gather(model: Any, table: Table, y: Any, weights: Floats | None, asked: Asked) -> TreeFacts | ManyFacts:
    """Fits copies of the model in folds and samples; the model itself stays as it is."""
    started = time.perf_counter()
    target = known_classes(model, target_of(model, y, table.n_rows, asked.queries))
    problem = Problem(table, target.values, target.classes, weights, target.labels)
    w = np.ones(table.n_rows) if weights is None else weights
    wish = Wish(positive=asked.positive, costs=asked.costs, seed=asked.seed)
    rows = as_rows(table)
    folds = _folds(target, asked)
    if folds:
        answers, models = held_out(model, rows, target, w, folds)
        importance = shuffled_importance(models, table, target.labels, w, folds, asked.seed, asked.queries)
        one, sizes = hasattr(model, "tree_"), None
        if asked.queries is None:
            sizes = size_curve(model, problem, folds) if one else trees_curve(model, models, problem, folds)
    else:
        answers, importance, sizes = as_it_is(model, rows, target, w), None, None
    common = (
        model,
        asked,
        problem,
        judged(answers, wish),
        None if asked.test is None else _tested(model, asked.test, wish),
        sizes,
        importance,
        check_table(table, target.values, target.classes, weights),
        started,
    )
    if hasattr(model, "ensemble_"):
        return ManyFacts(*common, asked.tree, shap_summary(model.ensemble_, problem, asked.positive))
    samples = _samples(table, asked.samples)
    return TreeFacts(*common, stability(model, table, target.labels, w, samples, asked.seed))


def _folds(target: Target, asked: Asked) -> Folds:
    """None where the rows are too few: then the report says so."""
    try:
        return folds_for(target, asked.cv, asked.seed, asked.groups)
    except BoughError as error:
        if error.code != "target":
            raise
        return []


def _samples(table: Table, wanted: int) -> int:
    return wanted if table.n_rows * len(table.columns) <= LARGE else max(1, wanted // 4)


def _tested(model: Any, test: tuple[Any, ...], wish: Wish) -> Evaluation:
    from bough.evaluation.judge import evaluate

    X, y, *queries = test
    qid = queries[0] if queries else None
    found: Evaluation = evaluate(
        model, X, y, cv=None, qid=qid, positive=wish.positive, costs=wish.costs, random_state=wish.seed
    )
    return found

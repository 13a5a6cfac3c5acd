"""What an evaluation says: figures with intervals and a baseline, as data, text and HTML."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.objects import label
from bough.errors import BoughError, did_you_mean
from bough.evaluation.answers import Answers
from bough.evaluation.class_figures import class_scores, one_against_rest
from bough.evaluation.curves import (
    Calibration,
    PrecisionRecall,
    Roc,
    Threshold,
    calibration_of,
    choose_threshold,
    precision_recall_of,
    roc_of,
)
from bough.evaluation.figures import IN_UNITS, NAMES, Figure
from bough.evaluation.words import aligned, count_text, decimal, percent, quantity
from bough.kept import kept
from bough.tree.text import shown_name

Floats = NDArray[np.float64]

MOST_CLASSES = 12  # shown in tables; the data has all


@dataclass(frozen=True, repr=False)
class Evaluation(Mapping[str, Figure]):
    """Figures by name. `how` the rows came about, `baseline` what stands beside, `standard_error` of
    the first figure over the folds, `level` of the intervals, `answers` the judged rows."""

    figures: dict[str, Figure]
    how: str
    baseline: str
    standard_error: float
    level: float
    answers: Answers

    def __getitem__(self, name: str) -> Figure:
        if name not in self.figures:
            raise BoughError(
                f'there is no figure "{name}".{did_you_mean(name, self.figures)}',
                code="parameter",
                hint="figures: " + ", ".join(self.figures),
            )
        return self.figures[name]

    def __contains__(self, name: object) -> bool:
        return name in self.figures

    def __iter__(self) -> Iterator[str]:
        return iter(self.figures)

    def __len__(self) -> int:
        return len(self.figures)

    @property
    def n_rows(self) -> int:
        return len(self.answers.truth)

    def lines(self) -> list[list[str]]:
        """Name, value, interval, baseline of each figure, as text; recall is shown once."""
        lines = []
        for name, figure in self.figures.items():
            if name == "recall" and "sensitivity" in self.figures:
                continue
            write = quantity if name in IN_UNITS else decimal
            interval = f"{write(figure.low)} – {write(figure.high)}" if math.isfinite(figure.low) else "–"
            lines.append([NAMES[name], write(figure.value), interval, write(figure.baseline)])
        return lines

    @property
    def head(self) -> list[str]:
        return ["", "value", f"{self.level:.0%} interval", "baseline"]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, lists and texts, fit for JSON."""
        return {
            "how": self.how,
            "rows": self.n_rows,
            "folds": self.answers.n_folds,
            "baseline": self.baseline,
            "level": self.level,
            "standard_error": self.standard_error if math.isfinite(self.standard_error) else None,
            "figures": {name: figure.as_dict() for name, figure in self.figures.items()},
        }

    def to_html(self) -> str:
        """The same as tables, without scripts or styles of their own."""
        from bough.evaluation.html import evaluation_html

        return evaluation_html(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        first = next(iter(self.figures.values()))
        return f"{type(self).__name__}({first.name} {first.value:.4g}, {self.how}, {self.n_rows} rows)"

    def __str__(self) -> str:
        return "\n\n".join([self.title, aligned(self.head, self.lines(), left=1), *self.more()])

    @property
    def title(self) -> str:
        return f"{self.how}, {self.judged}; baseline: {self.baseline}"

    @property
    def judged(self) -> str:
        """How many rows, in words."""
        return f"{self.n_rows:,} rows"

    def more(self) -> list[str]:
        """Further blocks of the text."""
        return []


@dataclass(frozen=True, repr=False)
class NumberEvaluation(Evaluation):
    """Of a model that answers with a number: rmse, mae, r2."""

    @property
    def residuals(self) -> Floats:
        """Truth less answer, in the order of `answers.rows`."""
        found: Floats = self.answers.truth - self.answers.given
        return found

    def more(self) -> list[str]:
        parts = np.quantile(self.residuals, [0, 0.25, 0.5, 0.75, 1])
        return [
            "residuals: "
            + ", ".join(
                f"{name} {quantity(float(x))}"
                for name, x in zip(
                    ("smallest", "quarter", "median", "three quarters", "largest"), parts, strict=True
                )
            )
        ]


@dataclass(frozen=True, repr=False)
class RankEvaluation(Evaluation):
    """Of a model that orders the rows of queries: ndcg, of all places and of the first ones. `by_query` has
    the NDCG of each judged query, NaN of one without a relevant row."""

    by_query: Floats

    @property
    def judged(self) -> str:
        return (
            f"{self.n_rows:,} rows of {len(self.by_query):,} quer{'y' if len(self.by_query) == 1 else 'ies'}"
        )

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"queries": len(self.by_query)}


@dataclass(frozen=True, repr=False)
class ClassEvaluation(Evaluation):
    """Of a model that answers with a class. `positive` is the number of the class that the rates are about;
    None for more than two classes: then precision, recall, F1 and AUC are means over the classes, each
    against the rest. `confusion` has the actual classes down and the answers across."""

    positive: int | None
    confusion: Floats
    bins: int = 10

    @property
    def classes(self) -> NDArray[Any]:
        assert self.answers.classes is not None
        return self.answers.classes

    @kept
    def class_names(self) -> list[str]:
        return [shown_name(label(value)) for value in self.classes]

    @property
    def title(self) -> str:
        about = "" if self.positive is None else f"; positive class: {self.class_names[self.positive]}"
        return super().title + about

    @kept
    def by_class(self) -> dict[str, dict[str, float]]:
        """Each class against the rest."""
        return {name: one_against_rest(self.confusion, k) for k, name in enumerate(self.class_names)}

    def roc(self, positive: Any = None) -> Roc:
        """False and true positive rate at each threshold, over all judged rows together."""
        mask, scores = self._ranked(positive)
        found = roc_of(mask, scores, self.answers.weights)
        if found is None:
            raise self._one_class()
        return found

    def precision_recall(self, positive: Any = None) -> PrecisionRecall:
        mask, scores = self._ranked(positive)
        found = precision_recall_of(mask, scores, self.answers.weights)
        if found is None:
            raise self._one_class()
        return found

    def calibration(self, positive: Any = None) -> Calibration:
        """How often what is predicted with a share comes true, in bins of equal width."""
        k = self._class(positive)
        if self.answers.shares is None:
            raise self._no_shares()
        shares = self.answers.shares[:, k]
        return calibration_of(self.answers.truth == k, shares, self.answers.weights, self.bins, self.level)

    def threshold(
        self,
        *,
        costs: Any = None,
        recall: float | None = None,
        precision: float | None = None,
        positive: Any = None,
    ) -> Threshold:
        """The share from which on a row should be called positive: with the least cost (`costs={"fn": 5,
        "fp": 1}`), the best precision at a recall, or the best recall at a precision."""
        mask, scores = self._ranked(positive)
        pair = None if costs is None else (float(costs.get("fn", 1.0)), float(costs.get("fp", 1.0)))
        return choose_threshold(mask, scores, self.answers.weights, pair, recall, precision)

    def to_dict(self) -> dict[str, Any]:
        whole = super().to_dict()
        whole["classes"] = self.classes.tolist()
        whole["positive"] = None if self.positive is None else self.classes.tolist()[self.positive]
        whole["confusion"] = self.confusion.tolist()
        whole["by_class"] = {
            name: {key: x if math.isfinite(x) else None for key, x in rates.items()}
            for name, rates in self.by_class.items()
        }
        if self.positive is not None and self.answers.shares is not None:
            found = self.calibration()
            whole["calibration"] = {
                name: getattr(found, name).tolist() for name in ("predicted", "observed", "rows")
            }
        return whole

    def confusion_lines(self) -> tuple[list[str], list[list[str]]]:
        """A head and a line for each actual class, with the share of its rows that were answered right."""
        names = self.class_names
        head = ["actual", *(f"→ {name}" for name in names), "right"]
        lines = []
        for k, name in enumerate(names):
            row = self.confusion[k]
            right = percent(row[k] / row.sum()) if row.sum() else "–"
            lines.append([name, *map(count_text, row.tolist()), right])
        return head, lines

    def class_lines(self) -> tuple[list[str], list[list[str]]]:
        keys = ("sensitivity", "specificity", "precision", "f1")
        lines = [[name, *(decimal(rates[key]) for key in keys)] for name, rates in self.by_class.items()]
        return ["class against the rest", *(NAMES[key] for key in keys)], lines

    def more(self) -> list[str]:
        blocks = []
        if len(self.classes) <= MOST_CLASSES:
            head, lines = self.confusion_lines()
            blocks.append(aligned(head, lines, left=1))
        if self.positive is None:
            head, lines = self.class_lines()
            blocks.append(aligned(head, lines[:MOST_CLASSES], left=1))
        elif self.answers.shares is not None:
            found = self.calibration()
            cells = zip(found.predicted, found.observed, found.rows, strict=True)
            lines = [[decimal(p, 3), decimal(o, 3), count_text(n)] for p, o, n in cells]
            blocks.append(aligned(["calibration: predicted", "came true", "rows"], lines, left=0))
        return blocks

    def _class(self, positive: Any) -> int:
        if positive is None:
            if self.positive is None:
                raise BoughError(
                    f"there are {len(self.classes)} classes.",
                    code="parameter",
                    hint=f"Say which one it is about: positive={self.classes.tolist()[0]!r}",
                )
            return self.positive
        return class_number(self.classes, positive)

    def _ranked(self, positive: Any) -> tuple[NDArray[np.bool_], Floats]:
        k = self._class(positive)
        scores = class_scores(self.answers, k)
        if not scores:
            raise self._no_shares()
        return self.answers.truth == k, scores[k]

    def _no_shares(self) -> BoughError:
        return BoughError(
            "the model gives no class shares, so there is nothing to rank rows by.",
            code="model",
            hint="Use a model with predict_proba.",
        )

    def _one_class(self) -> BoughError:
        return BoughError(
            "the judged rows are all of one class.", code="target", hint="Judge by rows of both classes."
        )


def class_number(classes: NDArray[Any], wanted: Any) -> int:
    """The place of a class, given as it is or by its name."""
    values: list[Any] = classes.tolist()
    if wanted in values:
        return values.index(wanted)
    names = [label(value) for value in values]
    if label(wanted) in names:
        return names.index(label(wanted))
    raise BoughError(
        f'there is no class "{label(wanted)}".{did_you_mean(label(wanted), names)}',
        code="parameter",
        hint="classes: " + ", ".join(names),
    )

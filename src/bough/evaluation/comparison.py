"""Several models on the same folds: their figures, and the differences with paired intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.errors import BoughError
from bough.evaluation.answers import (
    Answers,
    as_it_is,
    held_out,
    known_classes,
    target_of,
    warn_of_own_rows,
)
from bough.evaluation.class_figures import bootstrap as class_bootstrap
from bough.evaluation.class_figures import cost_matrix
from bough.evaluation.figures import IN_UNITS, NAMES, SMALLER_IS_BETTER
from bough.evaluation.folds import Folds, indexable, row_count
from bough.evaluation.intervals import percentiles
from bough.evaluation.judge import Wish, folds_for, judged, row_weights
from bough.evaluation.number_figures import number_bootstrap
from bough.evaluation.rank_figures import PLACES, query_numbers, rank_bootstrap
from bough.evaluation.result import ClassEvaluation, Evaluation
from bough.evaluation.words import aligned, decimal, quantity

SHOWN = ("accuracy", "auc", "brier", "cost", "rmse", "mae", "r2", *PLACES)


@dataclass(frozen=True)
class Difference:
    """A figure of a model less that of the first model, on the same rows."""

    model: str
    figure: str
    value: float
    low: float
    high: float

    @property
    def clear(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0 or self.high < 0

    @property
    def better(self) -> bool:
        return self.clear and (self.value < 0) == (self.figure in SMALLER_IS_BETTER)


@dataclass(frozen=True, repr=False)
class Comparison:
    """An evaluation for each model, and each figure's differences from the first model."""

    evaluations: dict[str, Evaluation]
    differences: tuple[Difference, ...]

    @property
    def first(self) -> str:
        return next(iter(self.evaluations))

    def difference(self, model: str, figure: str) -> Difference:
        for found in self.differences:
            if (found.model, found.figure) == (model, figure):
                return found
        raise BoughError(
            f'there is no difference of "{figure}" between "{model}" and "{self.first}".',
            code="parameter",
            hint="models: " + ", ".join(list(self.evaluations)[1:]),
        )

    @property
    def _shown(self) -> list[str]:
        return [name for name in SHOWN if name in self.evaluations[self.first]]

    def lines(self) -> tuple[list[str], list[list[str]]]:
        """A line of figures for each model."""
        lines = []
        for model, evaluation in self.evaluations.items():
            figures = [
                _writer(name)(evaluation[name].value) if name in evaluation else "–" for name in self._shown
            ]
            lines.append([model, *figures])
        return ["model", *(NAMES[name] for name in self._shown)], lines

    def difference_lines(self) -> tuple[list[str], list[list[str]]]:
        """A line for each other model and figure: the difference, its interval, * if it is clear."""
        lines = []
        for found in self.differences:
            if found.figure in self._shown:
                value, low, high = (
                    _signed(x, _writer(found.figure)) for x in (found.value, found.low, found.high)
                )
                mark = "*" if found.clear else ""
                lines.append([found.model, NAMES[found.figure], value, f"{low} … {high}", mark])
        level = self.evaluations[self.first].level
        return [f"less {self.first}", "", "difference", f"{level:.0%} interval", ""], lines

    @property
    def note(self) -> str:
        evaluation = self.evaluations[self.first]
        return (
            f"{evaluation.how}, {evaluation.judged}; baseline: {evaluation.baseline}\n"
            "all on the same rows, so the intervals are paired; * leaves 0 out"
        )

    def to_dict(self) -> dict[str, Any]:
        return {
            "models": {name: evaluation.to_dict() for name, evaluation in self.evaluations.items()},
            "differences": [
                {
                    "model": d.model,
                    "from": self.first,
                    "figure": d.figure,
                    "value": d.value if np.isfinite(d.value) else None,
                    "low": d.low if np.isfinite(d.low) else None,
                    "high": d.high if np.isfinite(d.high) else None,
                }
                for d in self.differences
            ],
        }

    def to_html(self) -> str:
        from bough.evaluation.html import comparison_html

        return comparison_html(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        return f"Comparison({', '.join(self.evaluations)})"

    def __str__(self) -> str:
        figures, apart = aligned(*self.lines(), left=1), aligned(*self.difference_lines(), left=2)
        return f"{figures}\n\n{apart}\n\n{self.note}"


def _writer(figure: str) -> Callable[[float], str]:
    return quantity if figure in IN_UNITS else decimal


def _signed(value: float, write: Callable[[float], str]) -> str:
    return ("+" if value > 0 else "−" if value < 0 else "") + write(abs(value))


def compare(
    models: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    sample_weight: Any = None,
    groups: Any = None,
    group: Any = None,
    qid: Any = None,
    positive: Any = None,
    costs: Any = None,
    level: float = 0.95,
    bootstrap: int = 500,
    random_state: int = 0,
) -> Comparison:
    """Evaluates models on the same folds, and their differences from the first on the same samples of rows.

    `models` is a dict by name or a list; the other parameters are those of `evaluate`. The interval of a
    difference is about the judged rows: how much would it change with other rows of the same kind.
    """
    named = _named(models)
    wish = Wish(positive, None, costs, 10, level, bootstrap, random_state)
    rows = indexable(X)
    n_rows = row_count(rows)
    queries = query_numbers(n_rows, group, qid, groups)
    targets = {name: target_of(model, y, n_rows, queries) for name, model in named.items()}
    if len({target.classes is None for target in targets.values()}) > 1:
        raise BoughError(
            "some of the models answer with classes and some with numbers.",
            code="parameter",
            hint="Compare models that answer the same question.",
        )
    target = next(iter(targets.values()))
    w = row_weights(sample_weight, target, group, qid)
    folds: Folds = []
    if cv is None:
        for model in named.values():
            target = known_classes(model, target)
    else:
        folds = folds_for(target, cv, random_state, groups)
    answers = {
        name: as_it_is(model, rows, target, w) if cv is None else held_out(model, rows, target, w, folds)[0]
        for name, model in named.items()
    }
    if cv is None:
        warn_of_own_rows(named, rows, y, sample_weight)
    evaluations = {name: judged(found, wish) for name, found in answers.items()}
    return Comparison(evaluations, tuple(_differences(evaluations, wish)))


def _named(models: Any) -> dict[str, Any]:
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    else:
        kinds = [type(model).__name__ for model in models]
        named = {
            kind if kinds.count(kind) == 1 else f"{kind} {i + 1}": model
            for i, (kind, model) in enumerate(zip(kinds, models, strict=True))
        }
    if len(named) < 2:
        raise BoughError(
            f"{len(named)} models are too few to compare.", code="parameter", hint="Give two or more."
        )
    return named


def _differences(evaluations: dict[str, Evaluation], wish: Wish) -> list[Difference]:
    samples = {name: _samples(evaluation, wish) for name, evaluation in evaluations.items()}
    first, *others = evaluations
    found = []
    for name in others:
        for figure in evaluations[name]:
            if figure not in evaluations[first]:
                continue
            apart = evaluations[name][figure].value - evaluations[first][figure].value
            low = high = float("nan")
            if figure in samples[name] and figure in samples[first]:
                low, high = percentiles(samples[name][figure] - samples[first][figure], wish.level)
            found.append(Difference(name, figure, apart, low, high))
    return found


def _samples(evaluation: Evaluation, wish: Wish) -> dict[str, NDArray[np.float64]]:
    answers: Answers = evaluation.answers
    if answers.queries is not None:
        return rank_bootstrap(answers, wish.sampling)
    if not isinstance(evaluation, ClassEvaluation):
        return number_bootstrap(answers, wish.sampling)
    costs = cost_matrix(wish.costs, evaluation.classes, evaluation.positive)
    return class_bootstrap(answers, evaluation.positive, wish.sampling, costs)

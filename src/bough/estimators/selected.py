"""What select and the curves find: candidates, the chosen one, errors by what was varied; as tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from bough.evaluation.words import aligned

MOST_SHOWN = 20


@dataclass(frozen=True)
class Candidate:
    """One estimator with one choice of parameters, and what cross-validation says of it."""

    name: str
    params: dict[str, Any]
    scores: tuple[float, ...]  # of each fold
    mean: float
    error: float  # standard error of the mean
    leaves: float  # mean over the folds; NaN: the estimator has none
    seconds: float  # to fit, mean over the folds


@dataclass(frozen=True, repr=False)
class Selection:
    """The candidates in the order of the grid, the chosen one, and it fitted on all rows."""

    candidates: tuple[Candidate, ...]
    best: Candidate
    best_estimator_: Any
    rule: str
    scoring: str

    def __str__(self) -> str:
        several = len({c.name for c in self.candidates}) > 1
        names = list(dict.fromkeys(name for c in self.candidates for name in c.params))
        sized = any(not math.isnan(c.leaves) for c in self.candidates)
        head = ["", *["model"] * several, *names, self.scoring, "±", *["leaves"] * sized]
        lines = [
            [
                "→" if c is self.best else "",
                *[c.name] * several,
                *(_text(c.params[name]) if name in c.params else "" for name in names),
                f"{c.mean:.4f}",
                f"{c.error:.4f}",
                *["" if math.isnan(c.leaves) else f"{c.leaves:.1f}"] * sized,
            ]
            for c in self._shown()
        ]
        folds = len(self.best.scores)
        hidden = len(self.candidates) - len(lines)
        meaning = {
            "best": "the highest mean",
            "1-se": "the fewest leaves within one standard error of the highest mean",
        }
        last = f"{folds}-fold cross-validation; → {meaning[self.rule]}"
        more = [f"… and {hidden} more"] if hidden else []
        return "\n".join([aligned(head, lines, left=1 + several), *more, last])

    def __repr__(self) -> str:
        return f"Selection({len(self.candidates)} candidates, chosen: {self.best.name} {self.best.params})"

    def _shown(self) -> list[Candidate]:
        """The best first, and the chosen one in any case."""
        ranked = sorted(self.candidates, key=lambda c: -c.mean)
        shown = ranked[:MOST_SHOWN]
        return shown if any(c is self.best for c in shown) else [*shown[:-1], self.best]


class Curve(dict[str, list[Any]]):
    """Lists by name: what was varied, training_error, training_standard_error, held_out_error,
    held_out_standard_error. Printed as a table."""

    def __str__(self) -> str:
        rows = zip(*self.values(), strict=True)
        cells = [[_text(x), *(f"{number:.4f}" for number in numbers)] for x, *numbers in rows]
        return aligned([next(iter(self)), "training error", "±", "held-out error", "±"], cells, left=0)


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)

"""Whether an export answers as the model does; it is not handed over if it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Table
from bough.errors import BoughError
from bough.exporting.plan import Plan

Floats = NDArray[np.float64]
DOUBLE = 1e-12  # relative: sums of shares in another order


@dataclass(frozen=True)
class Said:
    """What an export answered: class numbers or numbers, and class shares where it tells them."""

    answers: NDArray[Any]
    shares: Floats | None = None


def differences(
    plan: Plan, table: Table, said: Said, width: float = DOUBLE
) -> tuple[NDArray[np.intp], list[str]]:
    """The rows that are answered differently, and for each column of the comparison a text of the first."""
    if plan.classes is None:
        expected = plan.model.predict(table)
        wrong = ~_close(said.answers.astype(np.float64), expected, width)
        rows = np.flatnonzero(wrong)
        return rows, [f"{said.answers[r]:.6g} vs {expected[r]:.6g}" for r in rows[:1]]
    shares = plan.model.predict_proba(table)
    number = {label: i for i, label in enumerate(plan.classes)}
    answers = np.array([number[label] for label in plan.model.predict(table).tolist()])
    wrong = said.answers != answers
    if plan.spreads or plan.combine != "tree":
        # Where two classes are equal but for rounding, the order of adding decides.
        wrong &= ~_undecided(plan, shares)
    if said.shares is not None:
        wrong |= ~_close(said.shares, shares, width).all(axis=1)
    rows = np.flatnonzero(wrong)
    texts = []
    for r in rows[:1]:
        found = plan.classes[int(said.answers[r])] if 0 <= said.answers[r] < len(plan.classes) else None
        told = "" if said.shares is None else f" {said.shares[r].max():.6g}"
        texts.append(f"{found!r}{told} vs {plan.classes[answers[r]]!r} {shares[r].max():.6g}")
    return rows, texts


def _close(found: NDArray[Any], expected: NDArray[Any], width: float) -> NDArray[np.bool_]:
    scale = np.maximum(
        np.abs(expected), np.abs(expected).max(axis=-1, keepdims=True) if expected.ndim > 1 else 0
    )
    with np.errstate(invalid="ignore"):
        near = np.abs(found - expected) <= width * np.maximum(scale, 1e-300)
    same: NDArray[np.bool_] = near | (found == expected) | (np.isnan(found) & np.isnan(expected))
    return same


def _undecided(plan: Plan, shares: Floats) -> NDArray[np.bool_]:
    scores = shares if plan.costs is None else -(shares @ np.array(plan.costs))
    if scores.shape[1] < 2:
        return np.zeros(len(scores), dtype=bool)
    best = np.sort(scores, axis=1)
    close: NDArray[np.bool_] = best[:, -1] - best[:, -2] <= 1e-9 * np.abs(best[:, -1])
    return close


def refuse(what: str, plan: Plan, table: Table, said: Said, width: float, rows_of: str) -> None:
    """An error if any row differs."""
    wrong, texts = differences(plan, table, said, width)
    if wrong.size:
        raise BoughError(
            f"the {what} differs from the model on {wrong.size:,} of {table.n_rows:,} {rows_of} "
            f"(first: row {wrong[0]}, {texts[0]}). Nothing was written.",
            code="verify",
            hint="This is a fault of the exporter; please report it with the model file.",
        )

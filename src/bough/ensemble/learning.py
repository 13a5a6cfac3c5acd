"""How a model of many trees got better with every tree, as its fit has recorded it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.tree.text import significant

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    name: str
    x: Floats
    y: Floats


@dataclass(frozen=True)
class Learning:
    """`lines`: what was recorded against the number of trees or rounds; the first is drawn full. `best`: the
    place on it that the model was chosen by."""

    what: str
    x_name: str
    lines: tuple[Line, ...]
    best: int
    text: str


def learning_of(model: Any, late: Floats | None = None) -> Learning | None:
    """The out-of-bag curve, the losses, or the trees' own errors; None where fit has recorded nothing.
    `late`: losses that were worked out afterwards."""
    for found in (_out_of_bag(model), _losses(model, late), _errors(model)):
        if found is not None:
            return found
    return None


def _out_of_bag(model: Any) -> Learning | None:
    curve = np.asarray(getattr(model, "oob_curve_", ()))
    if not len(curve):
        return None
    classes = model.ensemble_.classes is not None
    name = "accuracy" if classes else "R²"
    low, high = model.oob_interval_
    trees = f"{int(curve[-1, 0]):,} trees"
    if classes:
        value = f"{model.oob_score_:.1%} ({100 * low:.1f}–{100 * high:.1f})"
    else:
        value = f"{significant(model.oob_score_, 3)} ({significant(low, 3)}–{significant(high, 3)})"
    line = Line("out of bag", curve[:, 0], curve[:, 1])
    text = f"out-of-bag {name} {value} with {trees}"
    return Learning(f"Out-of-bag {name}", "trees", (line,), len(curve) - 1, text)


def _losses(model: Any, late: Floats | None) -> Learning | None:
    training = np.asarray(getattr(model, "train_loss_", ()), dtype=np.float64)
    training = late if late is not None and len(late) else training
    left_out = np.asarray(getattr(model, "validation_loss_", ()), dtype=np.float64)
    if not len(training):
        return None
    given = getattr(model, "loss", "1 − NDCG")  # a ranker has the one only
    loss = "own loss" if callable(given) else str(given).replace("_", " ")
    kept = min(int(model.n_estimators_), len(training) - 1)
    lines = [Line("training rows", np.arange(len(training), dtype=np.float64), training)]
    text = f"training {loss} {significant(training[kept], 4)} after {kept:,} rounds, on the rows fitted on"
    if len(left_out):
        lines.insert(0, Line("rows held out", np.arange(len(left_out), dtype=np.float64), left_out))
        ran = len(left_out) - 1
        value = significant(float(left_out[min(kept, ran)]), 4)
        more = f", the least of {ran:,}" if ran > kept else ""
        text = f"held-out {loss} {value} after {kept:,} rounds{more}"
    return Learning(f"Mean {loss}", "rounds", tuple(lines), kept, text)


def _errors(model: Any) -> Learning | None:
    errors = np.asarray(getattr(model, "estimator_errors_", ()), dtype=np.float64)
    if not len(errors):
        return None
    line = Line("by weight", np.arange(1, len(errors) + 1, dtype=np.float64), errors)
    text = f"weighted errors of the trees from {errors.min():.1%} to {errors.max():.1%}"
    return Learning("Error of each tree on its weighted rows", "tree", (line,), len(errors) - 1, text)

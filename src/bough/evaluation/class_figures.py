"""Figures of a model that answers with a class: by scikit-learn's metrics, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics

from bough.data.target import effective_rows
from bough.errors import BoughError
from bough.evaluation.answers import Answers
from bough.evaluation.figures import Figure
from bough.evaluation.intervals import percentiles, resampled, wilson
from bough.evaluation.ranks import aucs, average_precisions

Floats = NDArray[np.float64]

RATES = ("accuracy", "error", "sensitivity", "recall", "specificity", "false_positive_rate", "precision")


@dataclass(frozen=True)
class Sampling:
    """How intervals are made."""

    level: float
    times: int
    seed: int


def confusion(answers: Answers) -> Floats:
    """Weights of rows: actual classes down, answers across."""
    assert answers.classes is not None
    count = len(answers.classes)
    cells = answers.truth.astype(np.int64) * count + answers.given.astype(np.int64)
    sums: Floats = np.bincount(cells, answers.weights, count * count).astype(np.float64)
    return sums.reshape(count, count)


def class_values(answers: Answers, positive: int | None, costs: Floats | None) -> dict[str, float]:
    """`positive`: the class that the rates are about; None: the mean over the classes, each against the rest.
    `costs`: of answering column j where row k is the truth."""
    given = (answers.truth, answers.given)
    w = answers.weights
    accuracy = float(metrics.accuracy_score(*given, sample_weight=w))
    found = {"accuracy": accuracy, "error": 1.0 - accuracy}
    matrix = confusion(answers)
    if positive is None:
        found |= _averaged(answers)
    else:
        found |= one_against_rest(matrix, positive)
    found |= _ranked(answers, positive)
    losses = _losses(answers, costs)
    return found | {name: float(np.average(loss, weights=w)) for name, loss in losses.items()}


def one_against_rest(matrix: Floats, positive: int) -> dict[str, float]:
    """Rates of one class from the confusion matrix; NaN where nothing is counted.

    >>> rates = one_against_rest(np.array([[51.0, 116.0], [11.0, 822.0]]), 0)
    >>> round(rates["precision"], 6), round(rates["f1"], 6)
    (0.822581, 0.445415)
    """
    hit = matrix[positive, positive]
    actual, called, total = matrix[positive].sum(), matrix[:, positive].sum(), matrix.sum()
    negative = total - actual
    false_alarm = called - hit
    recall = _share(hit, actual)
    return {
        "sensitivity": recall,
        "recall": recall,
        "specificity": _share(negative - false_alarm, negative),
        "false_positive_rate": _share(false_alarm, negative),
        "precision": _share(hit, called),
        "f1": _share(2 * hit, actual + called),
    }


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else math.nan


def _averaged(answers: Answers) -> dict[str, float]:
    """The mean over the classes that occur; scikit-learn's macro average."""
    labels = np.unique(answers.truth)
    precision, recall, f1, _ = metrics.precision_recall_fscore_support(
        answers.truth,
        answers.given,
        labels=labels,
        average="macro",
        sample_weight=answers.weights,
        zero_division=0.0,
    )
    return {"precision": float(precision), "recall": float(recall), "f1": float(f1)}


def _ranked(answers: Answers, positive: int | None) -> dict[str, float]:
    """Shares of different trees do not rank rows against each other, so there is one figure for each fold and
    the mean of these; folds that lack a class do not count."""
    scores = class_scores(answers, positive)
    if not scores:
        return {}
    found: dict[str, list[float]] = {"auc": [], "average_precision": []}
    for rows in _fold_masks(answers):
        y, w = answers.truth[rows], answers.weights[rows]
        if any(len(np.unique(y == k)) < 2 for k in scores):
            continue
        for name, function in (
            ("auc", metrics.roc_auc_score),
            ("average_precision", metrics.average_precision_score),
        ):
            each = [function(y == k, score[rows], sample_weight=w) for k, score in scores.items()]
            found[name].append(float(np.mean(each)))
    return {name: float(np.mean(values)) for name, values in found.items() if values}


def class_scores(answers: Answers, positive: int | None) -> dict[int, Floats]:
    """What ranks the rows for each class of interest; none where the model gives nothing to rank by."""
    if answers.scores is not None and positive is not None:
        return {positive: answers.scores if positive == 1 else _turned(answers)}
    if answers.shares is None:
        return {}
    wanted = [positive] if positive is not None else np.unique(answers.truth).tolist()
    return {k: answers.shares[:, k] for k in wanted}


def _turned(answers: Answers) -> Floats:
    assert answers.scores is not None
    return -answers.scores if answers.shares is None else answers.shares[:, 0]


def _fold_masks(answers: Answers) -> list[NDArray[np.bool_]]:
    return [answers.fold == fold for fold in np.unique(answers.fold)]


def _losses(answers: Answers, costs: Floats | None) -> dict[str, Floats]:
    """What each row loses."""
    found: dict[str, Floats] = {}
    if answers.shares is not None:
        truth = np.eye(answers.shares.shape[1])[answers.truth]
        squares = np.square(answers.shares - truth).sum(axis=1)
        found["brier"] = squares / 2 if truth.shape[1] == 2 else squares
        least = np.finfo(np.float64).eps
        clipped = np.clip(answers.shares, least, 1 - least)
        own = (clipped / clipped.sum(axis=1, keepdims=True))[np.arange(len(truth)), answers.truth]
        found["log_loss"] = -np.log(own)
    if costs is not None:
        found["cost"] = costs[answers.truth, answers.given]
    return found


def class_figures(
    answers: Answers, base: Answers, positive: int | None, sampling: Sampling, costs: Floats | None
) -> dict[str, Figure]:
    values, other = class_values(answers, positive, costs), class_values(base, positive, costs)
    samples = bootstrap(answers, positive, sampling, costs)
    found = {}
    for name, value in values.items():
        # A mean over classes is not a share of rows.
        if name in ("accuracy", "error") or (positive is not None and name in RATES):
            low, high = wilson(value, effective_rows(_counted_in(answers, name, positive)), sampling.level)
            how = "Wilson"
        else:
            low, high = percentiles(samples.get(name, np.empty(0)), sampling.level)
            how = "bootstrap"
        found[name] = Figure(name, value, low, high, other.get(name, math.nan), how)
    return found


def _counted_in(answers: Answers, name: str, positive: int | None) -> Floats:
    """The weights of the rows that a rate is a share of."""
    if name in ("accuracy", "error"):
        return answers.weights
    inside = answers.truth == positive
    if name == "precision":
        inside = answers.given == positive
    elif name in ("specificity", "false_positive_rate"):
        inside = ~inside
    counted: Floats = answers.weights[inside]
    return counted


def bootstrap(
    answers: Answers, positive: int | None, sampling: Sampling, costs: Floats | None
) -> dict[str, Floats]:
    """Each figure in each sample of rows; the same rows are drawn for every model with the same seed."""
    losses = _losses(answers, costs)
    scores = class_scores(answers, positive)
    wanted = [positive] if positive is not None else np.unique(answers.truth).tolist()
    found: dict[str, list[Floats]] = {}
    for weights in resampled(answers.weights, sampling.times, sampling.seed):
        block = _rates(answers, weights, wanted)
        total = weights.sum(axis=1)
        block |= {name: weights @ loss / total for name, loss in losses.items()}
        for name, function in (("auc", aucs), ("average_precision", average_precisions)):
            each = [
                np.mean(
                    [
                        function(weights[:, rows], answers.truth[rows] == k, s[rows])
                        for k, s in scores.items()
                    ],
                    axis=0,
                )
                for rows in _fold_masks(answers)
                if scores
            ]
            if each:
                block[name] = _mean_known(np.array(each))
        for name, values in block.items():
            found.setdefault(name, []).append(values)
    return {name: np.concatenate(values) for name, values in found.items()}


def _mean_known(values: Floats) -> Floats:
    """Over folds; NaN where no fold has the figure."""
    known = np.isfinite(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    mean: Floats = np.divide(total, count, out=np.full(len(total), np.nan), where=count > 0)
    return mean


def _rates(answers: Answers, weights: Floats, wanted: list[int]) -> dict[str, Floats]:
    right = answers.truth == answers.given
    accuracy = weights @ right / weights.sum(axis=1)
    found: dict[str, list[Floats]] = {"precision": [], "recall": [], "f1": [], "specificity": []}
    total = weights.sum(axis=1)
    for k in wanted:
        actual, called = answers.truth == k, answers.given == k
        hit, truly, said = weights @ (actual & called), weights @ actual, weights @ called
        with np.errstate(invalid="ignore", divide="ignore"):
            found["precision"].append(np.where(said > 0, hit / said, 0.0))
            found["recall"].append(hit / truly)
            found["f1"].append(2 * hit / (truly + said))
            found["specificity"].append(1 - (said - hit) / (total - truly))
    means = {name: _mean_known(np.array(values)) for name, values in found.items()}
    same = {"sensitivity": means["recall"], "false_positive_rate": 1 - means["specificity"]}
    return {"accuracy": accuracy, "error": 1 - accuracy} | means | same


def cost_matrix(costs: Any, classes: NDArray[Any], positive: int | None) -> Floats | None:
    """From {"fn": 5, "fp": 1}, or from a matrix with the actual classes down."""
    if costs is None:
        return None
    n = len(classes)
    if isinstance(costs, Mapping):
        if positive is None or set(costs) - {"fn", "fp"} or not costs:
            raise BoughError(
                f"costs={dict(costs)!r} is not possible.",
                code="parameter",
                hint='For two classes: {"fn": 5, "fp": 1}. For more: a matrix, actual classes down.',
            )
        given: Any = [[0.0] * 2, [0.0] * 2]
        given[positive][1 - positive] = costs.get("fn", 1.0)
        given[1 - positive][positive] = costs.get("fp", 1.0)
    else:
        given = costs
    try:
        matrix = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        matrix = np.empty(0)
    if matrix.shape != (n, n) or not np.isfinite(matrix).all() or (matrix < 0).any():
        raise BoughError(
            f"the costs are not a {n} × {n} matrix of numbers from 0 up.",
            code="parameter",
            hint="Actual classes down, answers across, in the order " + ", ".join(map(str, classes)) + ".",
        )
    return matrix

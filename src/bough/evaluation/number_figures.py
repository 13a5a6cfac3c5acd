"""Figures of a model that answers with a number: by scikit-learn's metrics, with intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics

from bough.evaluation.answers import Answers
from bough.evaluation.class_figures import Sampling
from bough.evaluation.figures import Figure
from bough.evaluation.intervals import percentiles, resampled

Floats = NDArray[np.float64]


def number_values(answers: Answers) -> dict[str, float]:
    given = (answers.truth, answers.given)
    w = answers.weights
    found = {
        "rmse": float(metrics.root_mean_squared_error(*given, sample_weight=w)),
        "mae": float(metrics.mean_absolute_error(*given, sample_weight=w)),
    }
    # One row has no spread to be explained.
    return found | (
        {"r2": float(metrics.r2_score(*given, sample_weight=w))} if len(answers.truth) > 1 else {}
    )


def number_figures(answers: Answers, base: Answers, sampling: Sampling) -> dict[str, Figure]:
    values, other = number_values(answers), number_values(base)
    samples = number_bootstrap(answers, sampling)
    return {
        name: Figure(
            name, value, *percentiles(samples[name], sampling.level), other.get(name, math.nan), "bootstrap"
        )
        for name, value in values.items()
    }


def number_bootstrap(answers: Answers, sampling: Sampling) -> dict[str, Floats]:
    """Each figure in each sample of rows; the same rows are drawn for every model with the same seed."""
    residuals = answers.truth - answers.given
    centred = answers.truth - np.average(answers.truth, weights=answers.weights)
    squares = np.column_stack([residuals**2, np.abs(residuals), centred, centred**2])
    found: dict[str, list[Floats]] = {"rmse": [], "mae": [], "r2": []}
    for weights in resampled(answers.weights, sampling.times, sampling.seed):
        lost, absolute, mean, spread = (weights @ squares / weights.sum(axis=1, keepdims=True)).T
        around = spread - mean**2
        found["rmse"].append(np.sqrt(lost))
        found["mae"].append(absolute)
        known = around > 0
        ratio = np.divide(lost, around, out=np.full(len(lost), np.nan), where=known)
        found["r2"].append(1 - ratio)
    return {name: np.concatenate([np.empty(0), *values]) for name, values in found.items()}

"""What a classifier is asked to learn: rows, classes, and what each row counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.ingest import to_table
from bough.data.table import Table
from bough.data.target import class_codes, weights
from bough.estimators.weighting import (
    checked_product,
    class_weights,
    cost_matrix,
    cost_weights,
    prior_weights,
)
from bough.growing.settings import CLASS_CRITERIA, check_criterion, check_name, is_finite_number, wrong
from bough.tree.rules import ESTIMATES

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ClassProblem:
    """`given`: the weights of the user; `by_class`: what each class counts; `weights`: both together.
    `altered`: what the growth counts each class by, beyond them. `answers`: how a tree is to answer."""

    table: Table
    codes: NDArray[np.int32]
    classes: NDArray[Any]
    given: Floats | None
    by_class: Floats | None
    weights: Floats | None
    altered: Floats | None
    answers: dict[str, Any]


def class_problem(model: Any, X: Any, y: Any, sample_weight: Any, class_weight: Any) -> ClassProblem:
    """`model` has the parameters that concern classes."""
    check_criterion(model.criterion, CLASS_CRITERIA)
    check_name("probabilities", model.probabilities, ESTIMATES)
    if not is_finite_number(model.m) or model.m <= 0:
        raise wrong("m", model.m, "a number above 0")
    if model.monotonic_cst is not None and model.probabilities != "raw":
        raise wrong("probabilities", model.probabilities, '"raw" with monotonic_cst')
    model._check_target(y)
    owner = type(model).__name__
    table = to_table(X, owner=owner)
    codes, classes = class_codes(y, table.n_rows, owner, model.classes)
    given = weights(sample_weight, table.n_rows)
    by_class, w = class_weighted(model, class_weight, codes, classes, given)
    costs = None if model.costs is None else cost_matrix(model.costs, len(classes))
    answers = {"estimate": model.probabilities, "m": float(model.m), "costs": costs}
    altered = None if costs is None else cost_weights(costs)
    return ClassProblem(table, codes, classes, given, by_class, w, altered, answers)


def class_weighted(
    model: Any, class_weight: Any, codes: NDArray[np.int32], classes: NDArray[Any], given: Floats | None
) -> tuple[Floats | None, Floats | None]:
    """What each class counts, by class weights and priors, and the row weights with it; None: all 1."""
    by_class, w = None, given
    if class_weight is not None:
        by_class = class_weights(class_weight, codes, classes, w)
        w = checked_product(w, by_class, codes)
    if model.priors is not None:
        of_priors = prior_weights(model.priors, codes, classes, w)
        by_class = of_priors if by_class is None else by_class * of_priors
        w = checked_product(w, of_priors, codes)
    return by_class, w

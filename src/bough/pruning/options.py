"""The options of the methods: what is allowed, and the error that says so."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.errors import BoughError
from bough.growing.settings import is_count, is_finite_number, wrong
from bough.tree import Tree

MEASURES = ("impurity", "error")


def check_number(name: str, value: Any, lowest: float, highest: float | None, allowed: str) -> float:
    if (
        not is_finite_number(value)
        or not lowest <= float(value)
        or (highest is not None and float(value) > highest)
    ):
        raise wrong(name, value, allowed)
    return float(value)


def check_count(name: str, value: Any) -> int:
    if not is_count(value) or value < 1:
        raise wrong(name, value, "a whole number from 1 up")
    return int(value)


def check_switch(name: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise wrong(name, value, "True or False")
    return bool(value)


def check_classes(tree: Tree, what: str) -> None:
    if tree.classes is None:
        raise BoughError(
            f"{what} is for trees that answer with classes, this one answers with numbers.",
            code="parameter",
            hint='For numbers: method="cost_complexity", "reduced_error", "mdl" or "significance".',
        )


def cost_matrix(tree: Tree, costs: Any) -> NDArray[np.float64] | None:
    """The costs as a matrix, row: the class that is true, column: the class that is answered; those of the
    tree itself if none are given."""
    costs = tree.rules.costs if costs is None else costs
    if costs is None:
        return None
    check_classes(tree, "a cost matrix")
    classes = 0 if tree.classes is None else len(tree.classes)
    try:
        matrix = np.asarray(costs, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        matrix = np.empty(0)
    if matrix.shape != (classes, classes) or not (np.isfinite(matrix) & (matrix >= 0)).all():
        raise BoughError(
            f"the costs are not {classes} rows of {classes} numbers from 0 up.",
            code="parameter",
            hint="costs[i][j] is what it costs to answer class j where class i is true, classes as in "
            "tree.classes.",
        )
    return matrix

"""What a row of each class counts: class weights, prior shares, and costs of mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.errors import BoughError
from bough.growing.settings import is_finite_number

Floats = NDArray[np.float64]
Costs = tuple[tuple[float, ...], ...]


def class_weights(weight: Any, codes: NDArray[np.int32], classes: NDArray[Any], w: Floats | None) -> Floats:
    """The weight of each class; "balanced" counts a row of weight 2 like two rows."""
    if isinstance(weight, dict):
        return _by_class("class_weight", weight, classes, 1.0)
    if isinstance(weight, str) and weight == "balanced":
        share = np.bincount(codes, w, minlength=len(classes))
        there = share > 0
        even: Floats = np.divide(share.sum(), there.sum() * share, out=np.zeros(len(share)), where=there)
        return even
    raise BoughError(
        f"class_weight={weight!r} is not possible.",
        code="parameter",
        hint='class_weight is a dict of weights by class, "balanced" or None.',
    )


def prior_weights(priors: Any, codes: NDArray[np.int32], classes: NDArray[Any], w: Floats | None) -> Floats:
    """The weight of each class that brings the classes to these shares."""
    if not isinstance(priors, dict):
        raise BoughError(
            f"priors={priors!r} is not possible.",
            code="parameter",
            hint="priors is a dict of shares by class.",
        )
    shares = _by_class("priors", priors, classes, 0.0)
    absent = [label for label in classes.tolist() if label not in priors]
    if absent:
        raise BoughError(
            f"priors gives the class {absent[0]!r} no share.",
            code="parameter",
            hint="Give every class a share; 0 leaves its rows out.",
        )
    if not shares.sum() > 0:
        raise BoughError(
            "priors gives no class of y a share above 0.",
            code="parameter",
            hint="Shares are compared: 2 and 1.",
        )
    total = np.bincount(codes, w, minlength=len(classes)).astype(np.float64)
    there = total > 0
    shares = shares * there / (shares * there).sum()
    by_class: Floats = np.divide(shares * total.sum(), total, out=np.zeros(len(total)), where=there)
    return by_class


def cost_matrix(costs: Any, n_classes: int) -> Costs:
    """Costs as a matrix of numbers from 0 up, zero on the diagonal."""
    try:
        matrix = np.array(costs, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        matrix = np.empty(0)
    good = matrix.shape == (n_classes, n_classes) and bool(np.isfinite(matrix).all() and (matrix >= 0).all())
    if not good or np.diag(matrix).any() or not matrix.any():
        raise BoughError(
            f"costs={costs!r} is not possible.",
            code="parameter",
            hint=f"costs is a matrix of {n_classes} x {n_classes} numbers from 0 up, rows the true class, "
            "columns the answer, 0 on the diagonal.",
        )
    return tuple(tuple(map(float, row)) for row in matrix)


def cost_weights(costs: Costs) -> Floats:
    """CART's altered priors: while the tree grows, a class counts as much as its mistakes cost in all."""
    sums = np.array(costs).sum(axis=1)
    if not (sums > 0).all():
        raise BoughError(
            f"costs has a class (row {int((sums <= 0).argmax())}) whose mistakes cost nothing.",
            code="parameter",
            hint="Give each class at least one mistake that costs something, or leave its rows out.",
        )
    weights: Floats = sums / sums.max()
    return weights


def checked_product(w: Floats | None, by_class: Floats, codes: NDArray[np.int32]) -> Floats:
    """Row weights times class weights."""
    with np.errstate(over="ignore"):
        product: Floats = by_class[codes] if w is None else w * by_class[codes]
    if not product.any():
        raise BoughError(
            "class_weight and sample_weight together leave no row with a weight above 0.",
            code="parameter",
            hint="Give at least one class of y a class_weight above 0.",
        )
    if np.isinf(product).any():
        raise BoughError(
            f"class_weight times sample_weight is too large in row {int(np.isinf(product).argmax())}.",
            code="parameter",
            hint="Divide all weights by the same number: only their ratios matter.",
        )
    return product


def _by_class(name: str, given: dict[Any, Any], classes: NDArray[Any], other: float) -> Floats:
    known = dict.fromkeys(classes.tolist())
    strange = [label for label in given if label not in known]
    if strange:
        raise BoughError(
            f"{name} names the class {strange[0]!r}, which is not in y.",
            code="parameter",
            hint="classes: " + ", ".join(map(str, classes)),
        )
    for label, value in given.items():
        if not is_finite_number(value) or value < 0:
            raise BoughError(
                f"{name} gives the class {label!r} the weight {value!r}.",
                code="parameter",
                hint="Give each class a number of 0 or more; 0 leaves its rows out.",
            )
    return np.array([float(given.get(label, other)) for label in known])

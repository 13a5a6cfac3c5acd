"""Fits that go on from the trees that are there: with the same columns, classes and loss, or not at all."""

from __future__ import annotations

from typing import Any

import numpy as np

from bough.data.table import Field
from bough.ensemble.losses import Loss
from bough.errors import BoughError
from bough.growing.settings import wrong
from bough.tree import Ensemble

# The parameter that a loss has.
OF_LOSS = {"quantile": "quantile", "huber": "huber_delta", "tweedie": "tweedie_power"}


def loss_name(model: Any) -> str:
    """What boosting makes small, with its parameter; losses of one's own are told apart by their names."""
    if model.predicts == "queries":
        return f"LambdaRank (ndcg_at={model.ndcg_at})"
    if callable(model.loss):
        return f"the function {getattr(model.loss, '__qualname__', type(model.loss).__name__)}"
    name = OF_LOSS.get(model.loss)
    return str(model.loss) + (f" ({name}={getattr(model, name)})" if name else "")


def check_boosting_goes_on(
    model: Any, fields: tuple[Field, ...], loss: Loss, classes: Any, init: Any
) -> None:
    """An error unless the rounds to come and those that are there belong to one model. Another learning rate
    is no fault: every tree keeps its own."""
    old: Ensemble = model.ensemble_
    check_goes_on(old, fields, classes)
    before, now = getattr(model, "fitted_loss_", loss_name(model)), loss_name(model)  # older files have none
    if before != now or old.link != loss.link:
        raise BoughError(
            f"warm_start goes on with the same loss: the {model.n_estimators_} rounds that are there make "
            f"{before} small, the next ones would {now}; their sum would be the answer of neither.",
            code="parameter",
            hint="Fit with warm_start=False, or set the loss and its parameters as they were.",
        )
    if init is not None and not np.array_equal(init, old.base):
        raise BoughError(
            f"init={model.init!r} is not possible: warm_start goes on from sums that began at "
            f"{old.base.tolist()}.",
            code="parameter",
            hint="Leave init as it was, or fit with warm_start=False.",
        )
    if model.n_estimators < model.n_estimators_:
        there = f"at least {model.n_estimators_}, the rounds that are there"
        raise wrong("n_estimators", model.n_estimators, there)


def check_goes_on(old: Ensemble, fields: tuple[Field, ...], classes: Any) -> None:
    """An error unless a warm start has the columns and classes of the trees that are there."""
    other = _other_columns(old.fields, fields)
    known = [] if old.classes is None else old.classes.tolist()
    given = [] if classes is None else list(np.asarray(classes).tolist())
    if not other and known != given:
        new = [label for label in given if label not in known]
        gone = [label for label in known if label not in given]
        other = f"y has the class {new[0]!r}, which is new." if new else "the classes have another order."
        other = other if new or not gone else f"no row of y has the class {gone[0]!r}."
    if other:
        raise BoughError(
            f"warm_start goes on with the same columns and classes: {other}",
            code="parameter",
            hint="Fit with warm_start=False.",
        )


def _other_columns(old: tuple[Field, ...], new: tuple[Field, ...]) -> str:
    names = [[field.name for field in fields] for fields in (old, new)]
    for column in names[0]:
        if column not in names[1]:
            return f'X has no column "{column}".'
    for column in names[1]:
        if column not in names[0]:
            return f'X has the column "{column}", which is new.'
    if names[0] != names[1]:
        return "the columns of X have another order."
    for before, now in zip(old, new, strict=True):
        if before.kind != now.kind:
            return f'the column "{now.name}" was {before.kind} and is {now.kind} now.'
        if before != now:
            return f'the column "{now.name}" has other categories.'
    return ""

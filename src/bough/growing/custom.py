"""A criterion of the user's own: a loss of leaves as a function of their sums, in Python or compiled."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.errors import BoughError


def set_criterion(target: _core.Target, criterion: Callable[..., Any]) -> bool:
    """Makes the core ask `criterion`; returns whether it is compiled, so that threads may call it.

    A Python function takes an array, one row for each leaf, and returns the loss of each. The columns are
    the class weights, or weight, sum and sum of squares of the target. A numba cfunc of the type
    float64(CPointer(float64), int64) takes the sums of one leaf and their number.
    """
    address = getattr(criterion, "address", None)
    if isinstance(address, int):
        _core.set_compiled_loss(target, address)
        return True
    if not takes(criterion, 1):
        raise BoughError(
            f"the criterion {criterion!r} cannot be called with one argument.",
            code="parameter",
            hint="It takes an array, one row for each leaf, and returns the loss of each.",
        )
    _core.set_loss(target, _filled(criterion))
    return False


def takes(function: Callable[..., Any], count: int) -> bool:
    """Whether it can be called with so many arguments, where Python knows."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:  # some that are written in C do not tell
        return True
    return True


def _filled(criterion: Callable[..., Any]) -> Callable[[NDArray[Any], NDArray[Any]], None]:
    def fill(sums: NDArray[np.float64], losses: NDArray[np.float64]) -> None:
        given = criterion(sums.copy())
        try:
            found = np.asarray(given, dtype=np.float64)
        except (TypeError, ValueError):
            found = np.empty(0)
        if found.shape != losses.shape or not np.isfinite(found).all():
            what = f"an array of shape {found.shape}" if found.shape != losses.shape else "NaN or infinity"
            raise BoughError(
                f"the criterion gave {what} for {len(losses)} leaves.",
                code="parameter",
                hint="Return one finite number, the loss, for each row of the array that it is given.",
            )
        losses[:] = found

    return fill

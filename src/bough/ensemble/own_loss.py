"""A loss of the user's own, in Python, as boosting asks the built-in ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.ensemble.losses import Loss, exact_mean
from bough.errors import BoughError
from bough.growing.custom import takes

Floats = NDArray[np.float64]


class Own(Loss):
    """A user's loss: `function(y, raw)` gives the first and the second derivative for each row, both shaped
    like raw, which is one number for each row, or rows by classes. `function.loss(y, raw)`, if it is there,
    is the loss of each row."""

    def __init__(self, function: Callable[..., Any], n_outputs: int, link: str) -> None:
        if not takes(function, 2):
            raise BoughError(
                f"the loss of your own, {function!r}, cannot be called with two arguments.",
                code="loss",
                hint="It is called with y and raw and returns (gradient, hessian).",
            )
        self.function, self.n_outputs = function, n_outputs
        self.link = link  # type: ignore[misc]  # by who asks, not by the class

    def _asked(self, function: Callable[..., Any], y: Any, raw: Floats) -> Any:
        """The function may write into what it is given, so it gets copies."""
        return function(y.copy(), (raw[0] if self.n_outputs == 1 else raw.T).copy())

    def _given(self, values: Any, what: str, shape: tuple[int, ...]) -> Floats:
        try:
            array = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            array = np.empty(0)
        if array.shape != shape:
            raise BoughError(
                f"the loss of your own gives a {what} of shape {array.shape}, not {shape}.",
                code="loss",
                hint="Gradient and hessian are shaped like raw; function.loss has one number for each row.",
            )
        return array

    def derivatives(self, y: Any, raw: Floats, gradient: Floats, hessian: Floats) -> None:
        """As they are given; where the second is 0 for all rows, each counts 1, as for absolute error."""
        self._derivatives(y, raw, gradient, hessian)
        hessian[~hessian.any(axis=1)] = 1.0

    def _derivatives(self, y: Any, raw: Floats, gradient: Floats, hessian: Floats) -> None:
        given = self._asked(self.function, y, raw)
        if not isinstance(given, tuple) or len(given) != 2:
            raise BoughError(
                "the loss of your own does not return two arrays.",
                code="loss",
                hint="It is called with y and raw and returns (gradient, hessian).",
            )
        shape = (len(y),) if self.n_outputs == 1 else (len(y), self.n_outputs)
        gradient[:] = self._given(given[0], "gradient", shape).T
        hessian[:] = self._given(given[1], "hessian", shape).T

    def initial(self, y: Any, w: Floats | None) -> Floats:
        """Newton's steps from 0."""
        raw, steps = np.zeros((self.n_outputs, len(y))), np.zeros(self.n_outputs)
        gradient, hessian = np.empty_like(raw), np.empty_like(raw)
        for _ in range(50):
            self._derivatives(y, raw + steps[:, None], gradient, hessian)
            slope, curve = (np.array([exact_mean(k, w) for k in d]) for d in (gradient, hessian))
            step = np.divide(slope, curve, out=np.zeros_like(slope), where=curve > 0)
            steps = steps - step
            if np.abs(step).max() <= 1e-12 * (1.0 + np.abs(steps).max()):
                break
        return steps

    def rows(self, y: Any, raw: Floats) -> Floats:
        rows = getattr(self.function, "loss", None)
        if rows is None:
            raise BoughError(
                "a loss of your own has no value to show or to stop by.",
                code="loss",
                hint="Give it one: function.loss = lambda y, raw: …, the loss of each row.",
            )
        return self._given(self._asked(rows, y, raw), "value", (len(y),))

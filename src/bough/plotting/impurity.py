"""Impurity of two classes against the share of one: entropy, Gini and error rate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bough import information
from bough.errors import BoughError, did_you_mean
from bough.plotting.axes import MORE, axes_of

MEASURES = {
    "entropy": (information.entropy, "entropy H(p)"),
    "gini": (information.gini, "Gini"),
    "error": (information.error_rate, "error rate"),
}


def plot_impurity(measures: Sequence[str] = tuple(MEASURES), *, scaled: bool = False, ax: Any = None) -> Any:
    """Curves of impurity against p; `measures=["entropy"]` is H(p) alone; `scaled`: all reach 1 at
    p = 1/2. Returns the axes."""
    wanted = [measures] if isinstance(measures, str) else list(measures)
    for name in wanted:
        if name not in MEASURES:
            raise BoughError(
                f"measures={measures!r} is not possible.{did_you_mean(name, MEASURES)}",
                code="parameter",
                hint="measures are among " + ", ".join(MEASURES) + ".",
            )
    ax = axes_of(ax)
    p = np.linspace(0, 1, 201)
    pairs = np.column_stack([p, 1 - p])
    for number, name in enumerate(wanted):
        function, text = MEASURES[name]
        values = np.array([float(np.asarray(function(pair))) for pair in pairs])
        ax.plot(p, values / values.max() if scaled else values, color=MORE[number], label=text)
    ax.set_xlabel("share p of one class")
    ax.set_ylabel("impurity" + (", scaled" if scaled else ""))
    ax.legend()
    return ax

"""Where the time of a fit or a prediction goes: with BOUGH_PROFILE=1 in the environment each writes one line
to stderr."""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

from bough import _core

F = TypeVar("F", bound=Callable[..., Any])

ON = os.environ.get("BOUGH_PROFILE", "0") not in ("", "0", "off")
_core.profile(ON)
_open: list[str] = []  # what is being timed; a prediction within a fit is part of it


def profiled(what: str) -> Callable[[F], F]:
    """A decorator: `what` ("fit", "prediction") took so long, with these shares. Nothing if nobody asked."""

    def wrap(function: F) -> F:
        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            if _open:
                return function(*args, **kwargs)
            _open.append(what)
            _core.spent()
            start = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                _open.pop()
                print(line(what, time.perf_counter() - start, _core.spent()), file=sys.stderr, flush=True)

        return timed if ON else function  # type: ignore[return-value]  # called as F is

    return wrap


def ingesting(function: F) -> F:
    """A decorator: this is the way from the user's data to a table."""

    @functools.wraps(function)
    def timed(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            _core.spend(time.perf_counter() - start)

    return timed if ON else function  # type: ignore[return-value]  # called as F is


def line(what: str, seconds: float, spent: dict[str, float]) -> str:
    """Shares of the time of all threads; what no stage has counted comes last.

    >>> line("fit", 2.0, {"ingest": 0.1, "binning": 0.5, "bags": 0.0, "histograms": 1.0})
    'bough: fit 2 s: ingest 5 %, binning 25 %, histograms 50 %, other 20 %'
    """
    whole = max(seconds, sum(spent.values()), 1e-12)
    rest = "prediction" if what == "prediction" else "other"
    shares = {**spent, rest: whole - sum(spent.values())}
    told = ", ".join(f"{stage} {100 * s / whole:.0f} %" for stage, s in shares.items() if s > 0)
    return f"bough: {what} {seconds:.3g} s: {told}"

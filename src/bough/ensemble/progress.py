"""How far a long fit is: handed to a callback, or written as one line that is overwritten."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np

from bough.growing.custom import takes
from bough.growing.settings import is_count, wrong


@dataclass(frozen=True)
class Progress:
    """After a round: how many of how many, seconds so far, and the mean loss of the rows that were fitted
    and of those held out, where these are."""

    done: int
    of: int
    seconds: float
    loss: float
    validation_loss: float | None = None

    def __str__(self) -> str:
        held_out = "" if self.validation_loss is None else f", held out {self.validation_loss:.5g}"
        return f"round {self.done} of {self.of}, loss {self.loss:.5g}{held_out}, {self.seconds:.1f} s"


@dataclass(frozen=True)
class TreeProgress:
    """So many of the trees are there; `score`: out of bag, None where it is not asked for."""

    done: int
    of: int
    seconds: float
    score: float | None = None

    def __str__(self) -> str:
        text = f"{self.done} of {self.of} trees, {self.seconds:.1f} s"
        return text if self.score is None else f"{text}, out-of-bag score {self.score:.4f}"


Watch = Callable[[Any], Any]  # of one of these; what is true stops


class Line:
    """Writes the progress to one line of a terminal; into a pipe, every tenth of the way."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.width = 0
        self.shown = 0

    def __call__(self, progress: Progress | TreeProgress) -> None:
        last = progress.done == progress.of
        if self.stream.isatty():
            text = str(progress)
            print("\r" + text.ljust(self.width), end="\n" if last else "", file=self.stream, flush=True)
            self.width = len(text)
        elif last or progress.done * 10 // progress.of > self.shown:
            self.shown = progress.done * 10 // progress.of
            print(progress, file=self.stream, flush=True)


def watching(verbose: Any, callback: Any) -> Watch | None:
    """One function for both; true if it says stop."""
    if callback is not None and not callable(callback):
        raise wrong("callback", callback, "a function of the progress, or None")
    if callback is not None and not takes(callback, 1):
        raise wrong("callback", callback, "a function of one argument, the progress")
    if not (isinstance(verbose, bool | np.bool_) or (is_count(verbose) and verbose >= 0)):
        raise wrong("verbose", verbose, "True, False or a whole number from 0 up")
    if not verbose:
        found: Watch | None = callback
        return found
    line = Line()

    def both(progress: Progress | TreeProgress) -> Any:
        line(progress)
        return callback is not None and callback(progress)

    return both

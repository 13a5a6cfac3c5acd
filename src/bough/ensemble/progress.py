"""How far a long fit has come: what a callback is told, and one line on stderr."""

from __future__ import annotations

import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """So many of the trees are there; `score`: out of bag or on held-out rows, None where it is not asked."""

    n_trees: int
    wanted: int
    seconds: float
    score: float | None = None

    def __str__(self) -> str:
        text = f"{self.n_trees} of {self.wanted} trees, {self.seconds:.1f} s"
        return text if self.score is None else f"{text}, score {self.score:.4f}"


class Line:
    """One line that is written over and over; where stderr is no terminal, the last state alone."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._width = 0
        self._last = ""

    def show(self, progress: Progress) -> None:
        self._last = f"{self._owner}: {progress}"
        if sys.stderr.isatty():
            sys.stderr.write("\r" + self._last.ljust(self._width))
            sys.stderr.flush()
            self._width = len(self._last)

    def end(self) -> None:
        sys.stderr.write("\n" if sys.stderr.isatty() else self._last + "\n")

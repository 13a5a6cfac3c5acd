"""Lets a forest grow tree after tree until there are enough, the time is up, or the score is flat."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bough.ensemble.forest import Grove
from bough.ensemble.out_of_bag import OutOfBag, Score
from bough.ensemble.progress import Line, Progress
from bough.tree import Tree

EVERY = 10  # trees after which the out-of-bag score is looked at
SECONDS = 0.5  # between two reports, about


@dataclass(frozen=True)
class Limits:
    """When to stop before all trees are there. `flat`: so many trees that raised the out-of-bag score by no
    more than `tol`."""

    seconds: float | None = None
    flat: int | None = None
    tol: float = 0.0


@dataclass
class Run:
    """Trees, and the out-of-bag score after so many of them."""

    trees: list[Tree]
    curve: list[tuple[int, Score]] = field(default_factory=list)
    stopped: str = ""  # "late", "interrupted", "flat", "callback"


def run(
    grove: Grove,
    wanted: int,
    before: tuple[Tree, ...],
    unseen: OutOfBag | None,
    limits: Limits,
    report: Callable[[Progress], Any] | None,
    line: Line | None,
) -> Run:
    """`before`: trees that are there already. A callback that returns True ends the growth. Ctrl-C ends it
    too, once there is a tree; before that it is raised."""
    state = Run(list(before))
    if unseen is not None:
        for first in range(0, len(before), 64):
            unseen.add(list(before[first : first + 64]), first)
    start = time.monotonic()
    try:
        _grow(state, grove, wanted, unseen, limits, report, line, start)
    except KeyboardInterrupt:
        state.stopped = "interrupted"
    if line is not None:
        line.end()
    if state.stopped == "interrupted" and not state.trees:
        raise KeyboardInterrupt
    return state


def _grow(
    state: Run,
    grove: Grove,
    wanted: int,
    unseen: OutOfBag | None,
    limits: Limits,
    report: Callable[[Progress], Any] | None,
    line: Line | None,
    start: float,
) -> None:
    count = grove.threads
    while len(state.trees) < wanted and not state.stopped:
        first = len(state.trees)
        if unseen is not None:
            count = EVERY - first % EVERY  # the same whatever the threads and the time
        left = None if limits.seconds is None else limits.seconds - (time.monotonic() - start)
        if left is not None and left <= 0 and first > 0:
            state.stopped = "late"
            return
        begun = time.monotonic()
        grown = grove.grow(first, min(count, wanted - first), left if left is None else max(left, 1e-9))
        state.trees += grown.trees
        state.stopped = grown.stopped
        if unseen is not None and grown.trees:
            unseen.add(grown.trees, first)
            state.curve.append((len(state.trees), unseen.score()))
            if not state.stopped and is_flat(state.curve, limits):
                state.stopped = "flat"
        now = time.monotonic()
        each = (now - begun) / max(1, len(grown.trees))
        count = max(1, min(round(SECONDS / max(each, 1e-6) / grove.threads), 1000)) * grove.threads
        told = Progress(
            len(state.trees), wanted, now - start, state.curve[-1][1].value if state.curve else None
        )
        if line is not None:
            line.show(told)
        if report is not None and report(told) is True and not state.stopped:
            state.stopped = "callback"


def is_flat(curve: list[tuple[int, Score]], limits: Limits) -> bool:
    """Whether the last `flat` trees brought no score above the best before them by more than `tol`.

    >>> points = [(10, .90), (20, .93), (30, .931), (40, .9305)]
    >>> curve = [(n, Score(value, 0, 1, 9)) for n, value in points]
    >>> [is_flat(curve, Limits(flat=flat, tol=0.005)) for flat in (10, 20, 30, 40)]
    [True, True, False, False]
    """
    if limits.flat is None or not curve or curve[-1][0] <= limits.flat:
        return False
    old = [s.value for n, s in curve if n <= curve[-1][0] - limits.flat]
    new = [s.value for n, s in curve if n > curve[-1][0] - limits.flat]
    return bool(old) and max(new) <= max(old) + limits.tol

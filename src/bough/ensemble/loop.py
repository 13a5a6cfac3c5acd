"""Lets a forest grow tree after tree until there are enough, the time is up, or the score is flat."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bough.ensemble.forest import Grove
from bough.ensemble.out_of_bag import OutOfBag, Score
from bough.ensemble.progress import TreeProgress
from bough.tree import Tree

EVERY = 10  # trees after which the out-of-bag score is looked at
SECONDS = 0.5  # between two reports, about
MOST = 1000  # trees of a thread in one go: memory is made for all of them before the first grows


@dataclass(frozen=True)
class Stop:
    """When to stop before all trees are there. `flat`: so many trees that raised the out-of-bag score by no
    more than `tol`."""

    seconds: float | None = None
    flat: int | None = None
    tol: float = 0.0


@dataclass
class Run:
    """Trees, the out-of-bag score after so many of them, and what ended the growth before its time: "late",
    "interrupted", "flat" or "callback"."""

    trees: list[Tree]
    curve: list[tuple[int, Score]] = field(default_factory=list)
    stopped: str = ""


def run(
    grove: Grove,
    wanted: int,
    before: tuple[Tree, ...],
    unseen: OutOfBag | None,
    stop: Stop,
    watch: Callable[[Any], Any] | None,
) -> Run:
    """`before`: trees that are there already. Where `watch` returns something true, the growth ends. Ctrl-C
    ends it too, once there is a tree; before that it is raised."""
    state = Run(list(before))
    start = time.monotonic()
    # In one go where nobody asks in between: threads wait for each other at the end of each.
    alone = unseen is None and watch is None
    count = (MOST if alone else 1) * grove.threads
    try:
        for first in range(0, len(before) if unseen else 0, EVERY):
            _look(state, unseen, list(before[first : first + EVERY]), first)
        while len(state.trees) < wanted and not state.stopped:
            first = len(state.trees)
            if unseen is not None:
                count = EVERY - first % EVERY  # the same whatever the threads and the time
            left = None if stop.seconds is None else max(stop.seconds - (time.monotonic() - start), 1e-9)
            begun = time.monotonic()
            grown = grove.grow(first, min(count, wanted - first), left)
            state.trees += grown.trees
            state.stopped = grown.stopped
            _look(state, unseen, grown.trees, first)
            if not state.stopped and is_flat(state.curve, stop):
                state.stopped = "flat"
            now = time.monotonic()
            each = (now - begun) / max(1, len(grown.trees))
            if not alone:
                count = max(1, min(round(SECONDS / max(each, 1e-6) / grove.threads), MOST)) * grove.threads
            score = state.curve[-1][1].value if state.curve else None
            if watch is not None and watch(TreeProgress(len(state.trees), wanted, now - start, score)):
                state.stopped = state.stopped or "callback"
    except KeyboardInterrupt:
        state.stopped = "interrupted"
    if state.stopped == "interrupted" and not state.trees:
        raise KeyboardInterrupt
    return state


def _look(state: Run, unseen: OutOfBag | None, trees: list[Tree], first: int) -> None:
    """What these trees say of the rows that they have not seen."""
    if unseen is not None and trees:
        unseen.add(trees, first)
        state.curve.append((first + len(trees), unseen.score()))


def is_flat(curve: list[tuple[int, Score]], stop: Stop) -> bool:
    """Whether the last `flat` trees brought no score above the best before them by more than `tol`.

    >>> points = [(10, .90), (20, .93), (30, .931), (40, .9305)]
    >>> curve = [(n, Score(value, 0, 1, 9)) for n, value in points]
    >>> [is_flat(curve, Stop(flat=flat, tol=0.005)) for flat in (10, 20, 30, 40)]
    [True, True, False, False]
    """
    if stop.flat is None or not curve:
        return False
    since = curve[-1][0] - stop.flat
    old = [score.value for n, score in curve if n <= since]
    new = [score.value for n, score in curve if n > since]
    return bool(old) and max(new) <= max(old) + stop.tol

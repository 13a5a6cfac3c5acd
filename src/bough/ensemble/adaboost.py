"""AdaBoost: trees one after the other, each grown on rows that count more where the ones before it erred."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.table import Table
from bough.ensemble.progress import TreeProgress, Watch
from bough.tree import Ensemble, Tree
from bough.tree.ensemble import weighted_median

Floats = NDArray[np.float64]
Learner = Callable[[Floats, int], Tree]  # row weights and a seed to a tree

SAMPLING = ("weights", "resample")
ROUNDING = 1e-12  # an error this close to chance is chance
SMALLEST = float(np.finfo(np.float64).eps)
LOSSES = ("linear", "square", "exponential")


@dataclass(frozen=True)
class Rounds:
    """How the rounds go. `sampling`: "weights" grows trees on all rows by their weights; "resample" draws as
    many rows as there are, with replacement, the likelier the more they weigh. `watch`: told of each tree;
    what is true stops."""

    count: int
    rate: float
    sampling: str
    random: np.random.RandomState
    watch: Watch | None = None


@dataclass(frozen=True)
class Boosted:
    """Trees, what each weighs in the vote, the share of weight that each erred on, why they are no more."""

    trees: list[Tree]
    weights: Floats
    errors: Floats
    stop: str

    def ensemble(self) -> Ensemble:
        first = self.trees[0]
        return Ensemble(
            trees=tuple(self.trees),
            fields=first.fields,
            classes=first.classes,
            combine="vote",
            weights=self.weights,
            output=np.zeros(len(self.trees), dtype=np.int32),
            base=np.zeros(0),
        )


ALL = "all rounds"
INTERRUPTED = "interrupted"
CALLBACK = "callback"
PERFECT = "a tree without error"
CHANCE = "a tree no better than chance"


def boost_classes(
    learn: Learner, table: Table, codes: NDArray[Any], n_classes: int, weights: Floats, rounds: Rounds
) -> Boosted:
    """SAMME (Zhu, Zou, Rosset and Hastie 2009); with two classes it is Freund and Schapire's AdaBoost."""
    chance = 1.0 - 1.0 / max(n_classes, 2)

    def judge(tree: Tree, w: Floats) -> tuple[float, float, Floats | None]:
        answers = tree.classes
        assert answers is not None
        wrong = tree.predict(table) != answers[codes]
        error = float(np.average(wrong, weights=w))
        if error <= 0 or error >= chance - ROUNDING:
            return error, 0.0, None
        vote = rounds.rate * (np.log((1 - error) / error) + np.log(n_classes - 1))
        with np.errstate(over="ignore"):
            return error, vote, w * np.exp(vote * wrong)

    return _boost(learn, weights, rounds, judge)


def boost_numbers(
    learn: Learner, table: Table, target: Floats, weights: Floats, rounds: Rounds, loss: str
) -> Boosted:
    """AdaBoost.R2 (Drucker 1997): errors are compared with the largest one of the round."""

    def judge(tree: Tree, w: Floats) -> tuple[float, float, Floats | None]:
        answers = tree.predict(table)
        with np.errstate(over="ignore"):
            off = np.abs(answers - target)
        if not np.isfinite(off).all():  # only their ratios count, so halves will do
            off = np.abs(answers / 2 - target / 2)
        largest = off.max()
        off = off / largest if largest > 0 else off
        if loss == "square":
            off = off**2
        elif loss == "exponential":
            off = 1.0 - np.exp(-off)
        error = float((w * off).sum())
        if error <= 0 or error >= 0.5 - ROUNDING:
            return error, 0.0, None
        beta = error / (1.0 - error)
        return error, rounds.rate * np.log(1.0 / beta), w * beta ** ((1.0 - off) * rounds.rate)

    return _boost(learn, weights, rounds, judge)


def _boost(
    learn: Learner,
    weights: Floats,
    rounds: Rounds,
    judge: Callable[[Tree, Floats], tuple[float, float, Floats | None]],
) -> Boosted:
    """All weights are above 0. `judge` tells a tree's error, its vote, and the next weights; no weights: the
    boosting ends here. The first tree is always kept: there is no better model. Ctrl-C keeps the trees that
    are there; before the first it is raised."""
    kept: list[tuple[Tree, float, float]] = []  # with votes and errors
    whole = weights.sum()
    began = time.monotonic()

    def grow() -> str:
        w = weights / whole
        for _ in range(rounds.count):
            seed = int(rounds.random.randint(2**31 - 1))
            # The trees see the weight of the table, for their least weight of a leaf.
            tree = learn(_drawn(w, rounds) * whole, seed)
            error, vote, following = judge(tree, w)
            if following is None and error > 0 and kept:
                return CHANCE
            kept.append((tree, vote if following is not None else 1.0, error))
            if following is None:
                return PERFECT if error <= 0 else CHANCE
            total = following.sum()
            if not np.isfinite(total) or total <= 0:
                return ALL
            # A weight never becomes zero, which would leave the row out for good.
            w = np.maximum(following / total, SMALLEST)
            done = TreeProgress(len(kept), rounds.count, time.monotonic() - began)
            if rounds.watch is not None and rounds.watch(done) and len(kept) < rounds.count:
                return CALLBACK
        return ALL

    try:
        stop = grow()
    except KeyboardInterrupt:
        if not kept:
            raise
        stop = INTERRUPTED
    trees, votes, errors = zip(*kept, strict=True)
    return Boosted(list(trees), np.array(votes), np.array(errors), stop)


def _drawn(w: Floats, rounds: Rounds) -> Floats:
    if rounds.sampling == "weights":
        return w
    drawn = rounds.random.choice(len(w), size=len(w), replace=True, p=w)
    # A row drawn three times grows the tree as one row of weight three does.
    return np.bincount(drawn, minlength=len(w)) / len(w)


def stages(ensemble: Ensemble, data: Any, threads: int, owner: str) -> Iterator[NDArray[Any]]:
    """What the first tree says, the first two, …: shares of the votes, or the weighted medians."""
    table = ensemble.table(data, owner)
    if ensemble.classes is not None:
        total = np.zeros((table.n_rows, len(ensemble.classes)))
        for number, tree in enumerate(ensemble):
            total += ensemble.weights[number] * (
                tree.predict(table, threads, owner)[:, None] == ensemble.classes
            )
            yield total / ensemble.weights[: number + 1].sum()
        return
    answers = np.column_stack([tree.predict(table, threads, owner) for tree in ensemble])
    for count in range(1, len(ensemble) + 1):
        yield weighted_median(answers[:, :count], ensemble.weights[:count])

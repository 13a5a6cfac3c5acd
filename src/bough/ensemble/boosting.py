"""Boosting: each round grows trees on the derivatives of the loss where the trees before have come to."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough import _core
from bough.data.table import Table
from bough.ensemble.boosting_settings import BoostingSettings
from bough.ensemble.losses import Loss, exact_mean
from bough.ensemble.own_loss import Own
from bough.ensemble.progress import Progress, Watch
from bough.errors import BoughError
from bough.growing.constraints import directions
from bough.growing.early import HeldOut
from bough.growing.grow import n_categories
from bough.tree.ensemble import Ensemble
from bough.tree.tree import Tree, zeros

Floats = NDArray[np.float64]

NONE = np.empty((0, 0))
ALL_ROWS = np.empty(0, dtype=np.uint32)


@dataclass(frozen=True)
class Stopping:
    """Held-out rows, and after how many rounds without a loss lower by `tol` to stop (None: never)."""

    held_out: HeldOut
    held_out_loss: Loss  # of a ranker: with the queries of these rows
    patience: int | None
    tol: float = 0.0


@dataclass(frozen=True)
class Boosted:
    """The trees of the best round and before; the mean losses after 0, 1, 2 … rounds, where asked for."""

    ensemble: Ensemble
    losses: Floats
    validation_losses: Floats
    stopped: str  # what ended it before its time: "interrupted", "late", or nothing of these


def boost(
    table: Table,
    target: NDArray[Any],
    weights: Floats | None,
    classes: NDArray[Any] | None,
    loss: Loss,
    settings: BoostingSettings,
    *,
    threads: int = 1,
    init: Floats | None = None,
    stopping: Stopping | None = None,
    start: Ensemble | None = None,
    watch: Watch | None = None,
    seconds: float | None = None,
) -> Boosted:
    """`init` is where the sums begin (None: at the best constant), `start` the model to go on from; rows have
    weights above 0. A round that is interrupted is left out; the rounds before it stay. After `seconds` no
    round begins, but for the very first."""
    late = math.inf if seconds is None else time.monotonic() + seconds
    run = _Run(table, target, weights, loss, settings, threads, start, init)
    judge = _Judge(run, stopping, watch, settings.n_estimators)
    stopped = ""
    try:
        judge.look()
        while run.rounds < settings.n_estimators and not judge.stop:
            if run.rounds and time.monotonic() > late:
                stopped = "late"
                break
            run.grow_round()
            judge.look()
    except KeyboardInterrupt:
        judge.cut()
        if run.rounds == 0:
            raise
        stopped = "interrupted"
    kept = judge.best if stopping is not None and stopping.patience is not None else run.rounds
    if kept == run.rounds:
        run.check_answers()
    return Boosted(
        run.ensemble(max(kept, 1), classes),
        np.array(judge.losses),
        np.array(judge.held_out_losses),
        stopped,
    )


class _Run:
    """The state between rounds: sums of trees for each row, and the trees."""

    def __init__(
        self,
        table: Table,
        target: NDArray[Any],
        weights: Floats | None,
        loss: Loss,
        settings: BoostingSettings,
        threads: int,
        start: Ensemble | None,
        init: Floats | None,
    ) -> None:
        self.table, self.target, self.weights = table, target, weights
        self.fields = table.fields
        self.loss, self.settings, self.threads = loss, settings, threads
        self.monotone = self._directions()
        loss.threads = threads
        with np.errstate(over="ignore", invalid="ignore"):
            best = loss.initial(target, weights)
        self.base = best if init is None else init
        if not np.isfinite(self.base).all():
            if isinstance(loss, Own):
                raise BoughError(
                    "the loss of your own has no finite best constant to begin with.",
                    code="loss",
                    hint="Are its derivatives finite for raw = 0 and y as given? If so, give init=.",
                )
            raise BoughError(
                "the target y has no finite best constant to begin with: its numbers are too large.",
                code="target",
                hint="Divide y by a number, or give init=.",
            )
        self.trees: list[Tree] = []
        self.rates: list[float] = []
        self.watched: list[tuple[_core.BinnedMatrix, Floats]] = []
        self.booster = _core.Booster(
            [column.values for column in table.columns],
            [n_categories(field) for field in table.fields],
            table.n_rows,
            settings.max_bins,
            settings.for_core(
                table.fields, table.n_rows, 1.0 if weights is None else exact_mean(weights, None)
            ),
            threads,
        )
        self.raw = np.repeat(self.base[:, None], table.n_rows, axis=1)
        if start is not None:
            self.base = start.base
            self.trees, self.rates = list(start.trees), start.weights.tolist()
            self.raw = np.ascontiguousarray(start.raw(table, threads).T)
        # Of the last round; None: not made yet, or not needed.
        self.gradient: Floats | None = None
        self.hessian: Floats | None = None
        self.sums: Floats | None = None

    def _directions(self) -> NDArray[np.int32]:
        """Of the columns. Sums of trees that rise for each of several classes make no shares that rise."""
        given, classes = self.settings.monotonic_cst, self.loss.n_outputs
        found = np.array(directions(given, self.fields), dtype=np.int32)
        if found.any() and classes > 1:
            raise BoughError(
                f"monotonic_cst={given!r} is not possible in boosting with {classes} classes.",
                code="parameter",
                hint="Trees and forests of bough keep to it with any number of classes, boosting with two.",
            )
        return found

    @property
    def rounds(self) -> int:
        return len(self.trees) // len(self.base)

    def watch(self, table: Table) -> Floats:
        """Sums of trees for other rows, kept up to date."""
        rows = self.booster.encode([column.values for column in table.columns], table.n_rows, self.threads)
        raw = np.repeat(self.base[:, None], table.n_rows, axis=1)
        if self.trees:
            raw = np.ascontiguousarray(self.ensemble(self.rounds, None).raw(table, self.threads).T)
        self.watched.append((rows, raw))
        return raw

    def grow_round(self) -> None:
        """One tree for each output, all from the same derivatives."""
        random = np.random.default_rng([self.settings.seed, self.rounds])
        rows, columns = self._drawn(random)
        grown = self._grow(rows, columns, [int(random.integers(2**62)) for _ in self.base])
        values = [arrays["value"][:, 0] for arrays in grown]
        self.booster.add(values, self.settings.learning_rate, self.raw, self.threads)
        for other, raw in self.watched:
            self.booster.add_to(other, values, self.settings.learning_rate, raw, self.threads)
        self.trees += [Tree(fields=self.fields, classes=None, **arrays) for arrays in grown]
        self.rates += [float(self.settings.learning_rate)] * len(grown)

    def _drawn(self, random: np.random.Generator) -> tuple[NDArray[np.uint32], list[int]]:
        rows, columns = ALL_ROWS, list(range(len(self.table.columns)))
        if self.settings.subsample < 1:
            drawn = random.random(self.table.n_rows) < self.settings.subsample
            rows = np.flatnonzero(drawn).astype(np.uint32)
            if not len(rows):
                rows = random.integers(self.table.n_rows, size=1, dtype=np.uint32)
        count = self.settings.drawn(self.settings.colsample_bytree, len(columns))
        if count < len(columns):
            columns = sorted(random.choice(len(columns), count, replace=False).tolist())
        return rows, columns

    def _grow(self, rows: NDArray[np.uint32], columns: list[int], seeds: list[int]) -> list[dict[str, Any]]:
        """The arrays of a tree for each seed."""
        given = rows, columns, seeds, self.threads
        w = NONE.ravel() if self.weights is None else self.weights
        slopes = None
        try:
            if self.loss.log_loss:
                self.sums = self.loss.sums(self.raw, self.sums)
                grown = self.booster.grow_log_loss(self.target, self.sums, w, *given)
            else:
                first, second = slopes = self._derivatives()
                grown = self.booster.grow(first, second, w, *given)
        except ValueError:
            raise self._bad(*(slopes or self._derivatives())) from None
        grown = [compact(arrays) for arrays in grown]
        for arrays in grown:
            if self.loss.own_leaves:
                with np.errstate(over="ignore", invalid="ignore"):  # `check_answers` tells
                    self._own_leaves(arrays)
        return grown

    def _own_leaves(self, arrays: dict[str, Any]) -> None:
        """The loss's own best value for each leaf; nodes above have the mean of those below."""
        nodes, starts, rows = self.booster.leaves()
        residual = (self.target - self.raw[0])[rows]
        w = None if self.weights is None else self.weights[rows]
        value, weight, first = arrays["value"], arrays["weight"], arrays["first_child"]
        for node, begin, end in zip(nodes, starts[:-1], starts[1:], strict=True):
            value[node] = self.loss.leaf(residual[begin:end], None if w is None else w[begin:end])
        fill_above(value, weight, first)
        if self.monotone.any():
            keep_apart(value, first, arrays["feature"], self.monotone)
            fill_above(value, weight, first)

    def _derivatives(self) -> tuple[Floats, Floats]:
        """Both, by weight; no second one where all are 1."""
        if self.gradient is None or self.hessian is None:
            self.gradient, self.hessian = np.empty_like(self.raw), np.empty_like(self.raw)
        with np.errstate(over="ignore", invalid="ignore"):
            self.loss.derivatives(self.target, self.raw, self.gradient, self.hessian)
            if self.weights is not None:
                self.gradient *= self.weights
                if not self.loss.unit_hessian:
                    self.hessian *= self.weights
        if self.loss.unit_hessian:
            return self.gradient, NONE if self.weights is None else self.weights[None]
        return self.gradient, self.hessian

    def _bad(self, gradient: Floats, hessian: Floats) -> BoughError:
        bad = ~np.isfinite(gradient)
        if hessian.size:
            bad |= ~np.isfinite(hessian) | (hessian < 0)
        k, row = np.unravel_index(bad.argmax(), bad.shape)
        g, h = gradient[k, row], hessian[k, row] if hessian.size else 1.0
        large = "numbers are too large: " if np.isinf(g) else ""
        return BoughError(
            f"round {self.rounds + 1}: {large}row {row} has the gradient {g:g} and the hessian {h:g}.",
            code="loss",
            hint="Gradients must be finite and hessians 0 or more. A lower learning_rate may help, or a "
            "smaller y.",
        )

    def check_answers(self) -> None:
        """An error if a row is answered with infinity after the last round."""
        exp = self.loss.link == "exp"
        with np.errstate(over="ignore"):
            # Of the outermost alone, because an array of all would be the peak of memory.
            top = self.raw.max()
            fine = np.isfinite(np.exp(top)) if exp else np.isfinite(top) and np.isfinite(self.raw.min())
            if not fine:
                bad = ~np.isfinite(np.exp(self.raw) if exp else self.raw).all(axis=0)
        if not fine:
            row = int(bad.argmax())
            raise BoughError(
                f"numbers are too large: after {self.rounds} rounds the sum of the trees is "
                f"{self.raw[:, row].max():g} for row {row}.",
                code="loss",
                hint="A lower learning_rate may help, or a smaller y.",
            )

    def ensemble(self, rounds: int, classes: NDArray[Any] | None) -> Ensemble:
        k = len(self.base)
        return Ensemble(
            tuple(self.trees[: rounds * k]),
            self.fields,
            classes,
            "sum",
            np.array(self.rates[: rounds * k]),
            np.tile(np.arange(k, dtype=np.int32), rounds),
            self.base,
            self.loss.link,
        )


def compact(arrays: dict[str, Any]) -> dict[str, Any]:
    """The arrays of a tree from the core in as little memory as they need: each of its own takes 600 bytes
    more than a copy, and 0 in every node is one array for all trees. 200 trees of 63 leaves took 6 MB."""
    kept = {}
    for name, values in arrays.items():
        if name in ("n_missing", "category_start") and not values.any():
            kept[name] = zeros(len(values))
        elif name not in ("below", "above") and not name.startswith("surrogate"):
            kept[name] = values.copy()
    return kept


def fill_above(value: Floats, weight: Floats, first: NDArray[Any]) -> None:
    """Nodes that are split have the mean of what is below; children come after their parents."""
    for node in np.flatnonzero(first >= 0)[::-1]:
        below = slice(first[node], first[node] + 2)
        value[node] = weight[below] @ value[below] / weight[below].sum()


def keep_apart(value: Floats, first: NDArray[Any], feature: NDArray[Any], monotone: NDArray[Any]) -> None:
    """Leaves on the two sides of a split of a monotone column stay on their sides of the middle between the
    means of both, all the way down."""
    bounds = np.full((len(value), 2), [-np.inf, np.inf])
    for node in range(len(value)):
        low, high = bounds[node]
        if first[node] < 0:
            value[node] = np.clip(value[node], low, high)
            continue
        left, right = first[node], first[node] + 1
        bounds[left] = bounds[right] = low, high
        if direction := monotone[feature[node]]:
            middle = np.clip(0.5 * (value[left, 0] + value[right, 0]), low, high)
            lower, upper = (left, right) if direction > 0 else (right, left)
            bounds[lower, 1] = bounds[upper, 0] = middle


class _Judge:
    """Looks at the losses after each round, where somebody wants to know, and says when to stop."""

    def __init__(self, run: _Run, stopping: Stopping | None, watch: Watch | None, of: int) -> None:
        self.run, self.stopping, self.watch, self.of = run, stopping, watch, of
        self.began = time.monotonic()
        self.losses: list[float] = []
        self.held_out_losses: list[float] = []
        if stopping is not None or watch is not None:
            self.losses += self._before(run.table, run.target, run.weights, run.loss)
        if stopping is not None:
            rows = stopping.held_out
            self.held_out_losses += self._before(
                rows.table, rows.target, rows.weights, stopping.held_out_loss
            )
        self.lowest, self.best, self.stop = math.inf, run.rounds, False
        self.raw = None if stopping is None else run.watch(stopping.held_out.table)

    def _before(self, table: Table, target: NDArray[Any], w: Floats | None, loss: Loss) -> list[float]:
        """The losses of these rows before each round that was there at the start."""
        rounds = self.run.rounds
        if not rounds:
            return []
        before = self.run.ensemble(rounds, None)
        return list(islice(staged_losses(before, table, target, w, loss, self.run.threads), rounds))

    def look(self) -> None:
        if self.stopping is None and self.watch is None:
            return
        run = self.run
        self.losses.append(run.loss.mean(run.target, run.raw, run.weights))
        held_out = None
        if self.stopping is not None and self.raw is not None:
            rows = self.stopping.held_out
            held_out = self.stopping.held_out_loss.mean(rows.target, self.raw, rows.weights)
            self.held_out_losses.append(held_out)
            if held_out < self.lowest - self.stopping.tol:
                self.lowest, self.best = held_out, run.rounds
            patience = self.stopping.patience
            self.stop = patience is not None and run.rounds - self.best >= patience
        if self.watch is not None and run.rounds:
            seconds = time.monotonic() - self.began
            progress = Progress(run.rounds, self.of, seconds, self.losses[-1], held_out)
            self.stop |= bool(self.watch(progress))

    def cut(self) -> None:
        """After an interruption: trees, rates and losses of the rounds that have all of them."""
        run, records = self.run, [record for record in (self.losses, self.held_out_losses) if record]
        k = len(run.base)
        rounds = min([len(run.trees) // k, len(run.rates) // k, *(len(record) - 1 for record in records)])
        del run.trees[rounds * k :], run.rates[rounds * k :]
        for record in records:
            del record[rounds + 1 :]
        self.best = min(self.best, rounds)


def staged(ensemble: Ensemble, data: Any, threads: int = 1, owner: str = "the model") -> Iterator[Floats]:
    """Raw outputs, rows by outputs, after 1, 2, 3 … rounds."""
    table = ensemble.table(data, owner)
    total = np.repeat(ensemble.base[None, :], table.n_rows, axis=0)
    last = len(ensemble.base) - 1
    for tree, weight, output in zip(ensemble.trees, ensemble.weights, ensemble.output, strict=True):
        total[:, output] += weight * tree.predict(table, threads, owner)
        if output == last:
            yield total.copy()


def staged_losses(
    ensemble: Ensemble, table: Table, target: NDArray[Any], w: Floats | None, loss: Loss, threads: int = 1
) -> Iterator[float]:
    """Mean losses of rows after 0, 1, 2 … rounds."""
    first = np.repeat(ensemble.base[None, :], table.n_rows, axis=0)
    for raw in chain([first], staged(ensemble, table, threads)):
        yield loss.mean(target, np.ascontiguousarray(raw.T), w)

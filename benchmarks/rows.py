"""A line of the table: two sides, their ratio, the limit it is held to, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from benchmarks.run import Series

OURS = "bough"
TOO_BUSY = 1.25  # processors at work for each thread that was allowed


@dataclass(frozen=True)
class Options:
    repeats: int
    quick: bool
    threads: tuple[int, ...] = (1, 2)
    peers: tuple[str, ...] | None = None  # None: all
    data: tuple[str, ...] | None = None  # of the comparisons of fits and quality; None: all
    enough: float = 20.0  # seconds that a side of a comparison may take before it is not repeated


@dataclass
class Row:
    """One line of the table; `problems` mark it and fail the run, `notes` only say more."""

    task: str
    what: str
    peer: str
    ours_s: float | None = None
    peer_s: float | None = None
    value: float | None = None  # the ratio, or seconds where `unit` says so
    unit: str = "ratio"
    measured: str = "s"  # what the two sides are in: seconds, or MB
    cpu: float | None = None  # the ratio of processor times
    limit: float | None = None
    quality: str = ""
    spread: float | None = None
    judged: bool = True  # at the full size; a small size shows its figures and is not held to them
    absent: bool = False  # the peer is not installed
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    series: dict[str, Series] = field(default_factory=dict)

    def judge(self) -> Row:
        """Marks a missed limit."""
        if self.judged and self.limit is not None and self.value is not None and self.value > self.limit:
            self.problems.append("misses its limit")
        return self


@dataclass(frozen=True)
class Task:
    name: str
    run: Callable[[str, Options], list[Row]]
    libraries: tuple[str, ...] = (OURS, "scikit-learn")  # distributions whose versions the header names
    by_default: bool = True  # part of a run that names no task


@dataclass(frozen=True)
class Margin:
    """How much worse than the peer's our model may be on the test rows and still count as equally good."""

    metric: str
    amount: float
    relative: bool = False

    def holds(self, ours: float, peer: float) -> bool:
        return self.worse(ours, peer) <= self.amount * (abs(peer) if self.relative else 1.0)

    def worse(self, ours: float, peer: float) -> float:
        return ours - peer if self.metric in ("rmse", "log_loss", "deviance") else peer - ours


def compared(row: Row, series: Mapping[str, Series], ours: str, peer: str, threads: int = 0) -> Row:
    """Fills a row with the minimum of each side, of as many runs as both have, and their ratio, and holds it
    to its limit. Given a number of threads, it notes who used more."""
    row.series = {name: series[name] for name in (ours, peer)}
    row.problems += failures(row.series)
    if not row.problems:
        fewer = min(len(found.runs) for found in row.series.values())
        row.series = series = {name: found.first(fewer) for name, found in row.series.items()}
        row.ours_s, row.peer_s = series[ours].best, series[peer].best
        row.value, row.spread = row.ours_s / row.peer_s, max(series[ours].spread, series[peer].spread)
        if series[peer].least_cpu > 0 and row.measured == "s":
            row.cpu = series[ours].least_cpu / series[peer].least_cpu
        row.problems += unsteady(series[ours])
        if threads:
            row.notes += [
                f"{name} kept {found.busy:.1f} processors busy"
                for name, found in row.series.items()
                if found.busy > TOO_BUSY * threads
            ]
    return row.judge()


def absent(task: str, what: str, peer: str) -> Row:
    return Row(task, what, peer, absent=True)


def failures(series: Mapping[str, Series]) -> list[str]:
    return [f"{name} failed: {found.error}" for name, found in series.items() if found.error is not None]


def unsteady(ours: Series) -> list[str]:
    """The core that grew our trees is the same in every repeat, or the figures mean nothing."""
    return ["the core was rebuilt during the run"] if len(ours.cores) > 1 else []


def told(margin: Margin, row: Row, series: Mapping[str, Series], peer: str) -> Row:
    """Adds the quality of both sides; ours must be as good as the margin says."""
    ours, other = series[OURS].quality, series[peer].quality
    if row.value is None or ours is None or other is None:
        return row
    row.quality = f"{margin.metric} {ours:.4f} / {other:.4f}"
    if not margin.holds(ours, other):
        (row.problems if row.judged else row.notes).append("ours is of lower quality")
    if not margin.holds(other, ours):
        row.notes.append("the peer is of lower quality")
    return row

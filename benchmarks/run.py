"""The runner: fresh processes with pinned threads, contenders in turn, every figure kept."""

from __future__ import annotations

import json
import math
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

ROOT = Path(__file__).resolve().parent.parent
TIME_LIMIT = 1800.0
FIRST_SEED = 100
THREAD_SETTINGS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "POLARS_MAX_THREADS",
    "LOKY_MAX_CPU_COUNT",
)


class RunFailed(Exception):
    """A measurement that gave no figure; the text is fit to print."""


@dataclass(frozen=True)
class Run:
    """One measurement."""

    seconds: float
    cpu: float
    quality: float | None = None
    log_loss: float | None = None
    digest: str | None = None
    core: str | None = None


class Probe(Protocol):
    """Something that can be measured once, in a process of its own."""

    def once(self, repeat: int) -> Run: ...


@dataclass
class Series:
    """All runs of one contender; `error` where one failed, and then no figure counts."""

    runs: list[Run] = field(default_factory=list)
    error: str | None = None

    def first(self, n: int) -> Series:
        """The first runs alone, for a side that was not run more often."""
        return Series(self.runs[:n], self.error)

    @property
    def best(self) -> float:
        return min(run.seconds for run in self.runs)

    @property
    def spread(self) -> float:
        return max(run.seconds for run in self.runs) / self.best

    @property
    def least_cpu(self) -> float:
        return min(run.cpu for run in self.runs)

    @property
    def busy(self) -> float:
        """Processors at work, on average, in the fastest run."""
        fastest = min(self.runs, key=lambda run: run.seconds)
        return fastest.cpu / fastest.seconds

    @property
    def quality(self) -> float | None:
        """The mean over the repeats, whose seeds differ: ties of equal splits are luck."""
        known = [run.quality for run in self.runs if run.quality is not None]
        return sum(known) / len(known) if known else None

    @property
    def digests(self) -> set[str]:
        return {run.digest for run in self.runs if run.digest is not None}

    @property
    def cores(self) -> set[str]:
        return {run.core for run in self.runs if run.core is not None}


def start(argv: list[str], threads: int) -> tuple[str, float, float]:
    """Runs a command to its end: its output, wall seconds, processor seconds."""
    environment = os.environ | dict.fromkeys(THREAD_SETTINGS, str(threads)) | {"PYTHONHASHSEED": "0"}
    # Installed libraries are compiled beforehand. With this set, a working copy would be compiled by each
    # process: 0.06 s of a first fit.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    clock = time.perf_counter()
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, cwd=ROOT, env=environment, timeout=TIME_LIMIT, check=False
        )
    except subprocess.TimeoutExpired:
        raise RunFailed(f"no answer in {TIME_LIMIT:.0f} s") from None
    except OSError as e:
        raise RunFailed(f"did not start: {e.strerror}") from None
    wall = time.perf_counter() - clock
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or [""])[-1]
        raise RunFailed(f"exit code {done.returncode}: {without_paths(last)}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, wall, cpu


def without_paths(line: str) -> str:
    return re.sub(r"(?:/[\w.+-]+){2,}/?", "(path)", line).replace("|", "/")[:160]


@dataclass(frozen=True)
class Command:
    """A whole command, measured from outside: what a user waits for."""

    argv: tuple[str, ...]

    def once(self, repeat: int) -> Run:
        del repeat
        _, wall, cpu = start(list(self.argv), 1)
        return Run(wall, cpu)


@dataclass(frozen=True)
class InWorker:
    """A probe of worker.py, measured inside its own process."""

    probe: str
    given: Mapping[str, Any]
    threads: int = 1
    seeded: bool = False  # the repeat's number becomes the estimator's random_state
    fresh_data: bool = False  # and decides the data

    def once(self, repeat: int) -> Run:
        given = dict(self.given)
        if self.seeded:
            given["params"] = given["params"] | {"random_state": repeat}
        if self.fresh_data:
            given["data"] = given["data"] | {"seed": FIRST_SEED + repeat}
        out, _, _ = start(
            [sys.executable, "-m", "benchmarks.worker", self.probe, json.dumps(given)], self.threads
        )
        return Run(**json.loads(out.splitlines()[-1]))


def measure(
    contenders: Mapping[str, Probe],
    repeats: int,
    enough: float = math.inf,
    once: Collection[str] = (),
) -> dict[str, Series]:
    """All contenders in turn, `repeats` rounds, every second round backwards. One that has taken `enough`
    seconds, its data and set-up included, is not run again: a long run evens out its own noise. Nor are
    those in `once`."""
    found = {name: Series() for name in contenders}
    taken = dict.fromkeys(contenders, 0.0)
    for repeat in range(repeats):
        names = list(contenders) if repeat % 2 == 0 else list(contenders)[::-1]
        for name in names:
            done = taken[name] >= max(enough, 1e-9) or (repeat > 0 and name in once)
            if found[name].error is not None or done:
                continue
            clock = time.monotonic()
            try:
                run = contenders[name].once(repeat)
            except RunFailed as e:
                found[name].error = str(e)
                continue
            taken[name] += time.monotonic() - clock
            found[name].runs.append(run)
            print(f"    {name}: {run.seconds:.4g}", file=sys.stderr, flush=True)
    return found

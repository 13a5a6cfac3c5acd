"""Stops saves and fits at random moments: the long form of R5 and R7, `make soak`.

python tests/reliability/faults.py [kill|interrupt|processes|memory] [how many] [seed]"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from slower import SLOWER

import bough
from bough.estimators.saving import about, model_of
from bough.store.files import write_atomically
from bough.store.model import dumps

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3000, 6))
Y = (X[:, 0] + X[:, 1] * X[:, 2] + RNG.normal(0, 0.5, 3000) > 0).astype(int)
MODELS: dict[str, Callable[..., Any]] = {
    "tree": bough.DecisionTreeClassifier,
    "forest": lambda **more: bough.RandomForestClassifier(n_estimators=12, random_state=0, **more),
    "boosting": lambda **more: bough.GradientBoostingClassifier(n_estimators=15, **more),
    "AdaBoost": lambda **more: bough.AdaBoostClassifier(n_estimators=20, **more),
}
KEEP = ("forest", "boosting", "AdaBoost")  # what they have when they are stopped


def kill(count: int, seed: int) -> Counter[str]:
    """A child writes two models in turns over one file until it is killed; the file must be one of them."""
    random.seed(seed)
    made = {
        "small": bough.RandomForestClassifier(n_estimators=5, random_state=0).fit(X, Y),
        "large": bough.RandomForestClassifier(n_estimators=30, random_state=1).fit(X, Y),
    }
    # Packed once: most of a save is packing, and kills should come while the file is written.
    contents = {dumps(model_of(model), about(model)): name for name, model in made.items()}
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.bough"
        made["small"].save(path)
        for _ in range(count):
            begun, tell = os.pipe()
            child = os.fork()
            if child == 0:
                os.write(tell, b"!")
                while True:
                    for content in contents:
                        write_atomically(path, content)
            os.read(begun, 1)
            time.sleep(random.uniform(0.0, 0.03))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(begun)
            os.close(tell)
            seen[contents.get(path.read_bytes(), "partial")] += 1
            for left in Path(folder).glob(".*.part"):
                seen["killed while writing"] += 1
                left.unlink()
    return seen


def interrupt(count: int, seed: int) -> Counter[str]:
    """Ctrl-C at a random moment of a fit: a KeyboardInterrupt within a second and the model as it was, or
    (forests, boosting, AdaBoost) one of the trees so far, with a warning; a fit afterwards gives what it
    always did."""
    random.seed(seed)
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    warnings.simplefilter("ignore")
    seen: Counter[str] = Counter()
    for name, make in MODELS.items():
        began = time.perf_counter()
        expected = make(n_jobs=2).fit(X, Y).digest()
        whole = time.perf_counter() - began
        model = make(n_jobs=2).fit(X[:200], Y[:200])
        before = model.digest()
        for _ in range(count):
            when = whole * random.uniform(0.05, 0.9)
            began = time.perf_counter()
            try:
                signal.setitimer(signal.ITIMER_REAL, when)
                model.fit(X, Y)
                signal.setitimer(signal.ITIMER_REAL, 0)
                what = "finished" if model.digest() == expected else "kept trees"
                if what == "kept trees" and name not in KEEP:
                    what = f"{name}: another model"
            except KeyboardInterrupt:
                late = time.perf_counter() - began - when
                what = "stopped" if late < SLOWER else "stopped late"
                after = model.digest()
                if after == expected:  # it came when the fit was done
                    what = "finished"
                elif after != before:
                    what = f"{name}: half a model"
            seen[what] += 1
            if what in ("finished", "kept trees"):
                model = make(n_jobs=2).fit(X[:200], Y[:200])
        signal.setitimer(signal.ITIMER_REAL, 0)
        seen["fits again" if make(n_jobs=2).fit(X, Y).digest() == expected else f"{name}: differs after"] += 1
    return seen


def processes(count: int, seed: int) -> Counter[str]:
    """Forks, while other threads fit and predict, of children that fit; none hangs or differs."""
    import threading

    random.seed(seed)
    names = list(MODELS)
    fitted = {name: make(n_jobs=2).fit(X, Y) for name, make in MODELS.items()}
    expected = {name: model.digest() for name, model in fitted.items()}
    seen: Counter[str] = Counter()
    stop = threading.Event()

    def busy(name: str) -> None:
        while not stop.is_set():
            fitted[name].predict(X)
            if MODELS[name](n_jobs=2).fit(X, Y).digest() != expected[name]:
                seen[f"{name}: differs in a thread"] += 1

    threads = [threading.Thread(target=busy, args=(name,), daemon=True) for name in names[:2]]
    for thread in threads:
        thread.start()
    for number in range(count):
        name = names[number % len(names)]
        child = os.fork()
        if child == 0:
            same = MODELS[name](n_jobs=random.choice([1, 2, 4])).fit(X, Y).digest() == expected[name]
            os._exit(0 if same else 3)
        seen[_ended(child, 60)] += 1
    stop.set()
    for thread in threads:
        thread.join(60 * SLOWER)
    return seen


def memory(count: int, seed: int) -> Counter[str]:
    """Children that fit, answer, save, load and draw with little more memory than they have: done or a
    MemoryError, never a crash, and nothing half-written."""
    import resource

    random.seed(seed)
    names = list(MODELS)
    large = np.tile(X, (20, 1)), np.tile(Y, 20)
    for make in MODELS.values():
        make(n_jobs=1).fit(X[:100], Y[:100]).predict(X)  # everything is imported
    seen: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.bough"
        for number in range(count):
            name, more = names[number % len(names)], int(2 ** random.uniform(17, 29))
            child = os.fork()
            if child == 0:
                own = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
                resource.setrlimit(resource.RLIMIT_AS, (own + more, resource.RLIM_INFINITY))
                os._exit(_with_little_memory(MODELS[name], large, path))
            what = _ended(child, 300)
            seen[
                {"same": "done", "status 1024": "MemoryError"}.get(what, f"{name}, {more} bytes: {what}")
            ] += 1
            if path.exists():
                bough.load(path)
                path.unlink()
            left = [file.name for file in Path(folder).iterdir()]
            if left:
                seen[f"left behind: {left}"] += 1
    return seen


def _with_little_memory(make: Callable[..., Any], rows: tuple[Any, Any], path: Path) -> int:
    try:
        model = make(n_jobs=random.choice([1, 2])).fit(*rows)
        model.predict(rows[0])
        model.save(path)
        bough.load(path).predict(rows[0][:100])
        return 0
    except MemoryError:
        return 4
    except BaseException as error:
        os.write(2, f"{type(error).__name__}: {error}\n"[:300].encode())
        return 5


def _ended(child: int, seconds: float) -> str:
    limit = time.monotonic() + seconds * SLOWER
    while time.monotonic() < limit:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "same" if status == 0 else f"status {status}"
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hang"


FINE = {
    "kill": {"large", "small", "killed while writing"},
    "interrupt": {"stopped", "finished", "kept trees", "fits again"},
    "processes": {"same"},
    "memory": {"done", "MemoryError"},
}
RUNS = {"kill": kill, "interrupt": interrupt, "processes": processes, "memory": memory}

if __name__ == "__main__":
    what = sys.argv[1]
    found = RUNS[what](int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
    print(what, dict(found))
    sys.exit(bool(set(found) - FINE[what]))

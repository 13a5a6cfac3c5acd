"""Changes model files at random and loads them: the long form of R3 and R4, `make fuzz`.

python tests/reliability/mutate.py [how many] [seed]"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import sys
import time
import tracemalloc
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import every_model

import bough
from bough.store.model import dumps, loads

MEGABYTES = 1 << 20
BATCH = 2000  # files of one child process
HANG = 10.0  # seconds of the processor; a file that loads takes a hundredth of one
# Arrays, because most of the time of an answer to a frame of 40 rows would be that of the frame.
ROWS = {name: column.to_numpy() for name, column in every_model.frame(40, seed=5, holes=0.3).items()}


@cache
def files() -> dict[str, bytes]:
    """A file of every kind of model."""
    made = every_model.estimators() | every_model.ensembles()
    return {name: dumps(getattr(model, "tree_", model)) for name, model in made.items()}


def changed(data: bytes, rng: np.random.Generator) -> bytes:
    """Bytes flipped, set, cut out, doubled or moved; or the file cut off."""
    out = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        place = int(rng.integers(len(out))) if rng.random() < 0.7 else int(rng.integers(min(len(out), 600)))
        length = int(rng.integers(1, 40))
        way = int(rng.integers(6))
        if way == 0:
            out[place] ^= 1 << int(rng.integers(8))
        elif way == 1:
            out[place] = int(rng.choice([0, 1, 127, 128, 255, 34, 44, 57, 125]))
        elif way == 2:
            del out[place : place + length]
        elif way == 3:
            out[place:place] = out[place : place + length]
        elif way == 4:
            other = int(rng.integers(len(out)))
            out[place : place + length] = out[other : other + length]
        else:
            del out[max(1, place) :]
        if not out:
            out = bytearray(b"\0")
    return bytes(out)


def repaired(data: bytes, original: bytes, rng: np.random.Generator) -> bytes:
    """A change of the arrays or of a number of the header, with a checksum that is right."""
    length = int.from_bytes(original[:8], "little")
    header, body = json.loads(original[8 : 8 + length]), bytearray(original[8 + length :])
    if rng.random() < 0.7:
        for _ in range(int(rng.integers(1, 4))):
            body[int(rng.integers(len(body)))] = int(rng.choice([0, 1, 2, 127, 128, 254, 255]))
    else:
        name = str(rng.choice([k for k in header if k != "__metadata__"]))
        entry = header[name]
        way = int(rng.integers(3))
        if way == 0:
            entry["shape"] = [int(rng.choice([0, 1, 2**31, 2**40, 2**62]))] * len(entry["shape"])
        elif way == 1:
            entry["data_offsets"] = [int(rng.integers(0, len(body))), int(rng.choice([0, len(body), 2**62]))]
        else:
            entry["dtype"] = str(rng.choice(["F64", "I32", "U8", "BOOL", "I64", "F16", "X"]))
    header["__metadata__"]["sha256"] = "0" * 64
    text = json.dumps(header, separators=(",", ":")).encode()
    start = len(text).to_bytes(8, "little") + text
    sha = hashlib.sha256(start + bytes(body)).hexdigest()
    return start.replace(b'"sha256":"' + b"0" * 64, f'"sha256":"{sha}'.encode()) + bytes(body)


def mutations(count: int, seed: int) -> Iterator[tuple[str, bool, bytes, bytes]]:
    """Name, whether the checksum is right, the changed file, the file."""
    rng = np.random.default_rng(seed)
    originals = list(files().items())
    for number in range(count):
        name, original = originals[number % len(originals)]
        right = bool(rng.random() < 0.5)
        yield (
            name,
            right,
            (repaired if right else lambda d, _, r: changed(d, r))(original, original, rng),
            original,
        )


def tried(data: bytes) -> str:
    """What happens: "refused", "loads"; anything else is a failure."""
    try:
        model = loads(memoryview(data))[0]
    except bough.BoughError as error:
        return "refused" if error.code in ("file", "model") else f"wrong code {error.code}: {error}"
    except MemoryError:
        return "memory"
    try:
        if len(model.predict(ROWS)) != 40:
            return "too few answers"
    except bough.BoughError as error:
        if error.code not in ("column", "missing-column"):
            return f"wrong code {error.code}: {error}"
    return "loads"


def run(count: int, seed: int, traced: bool = True) -> tuple[Counter[str], float, float]:
    """How often what happened, the longest processor time, and the most memory beyond 4 x the file.

    Memory is followed only if it is asked for: that makes everything three times as slow."""
    seen: Counter[str] = Counter()
    slowest = most = 0.0
    if traced:
        tracemalloc.start()
    warnings.simplefilter("ignore", RuntimeWarning)  # sums that overflow in a model that was changed
    for name, right, data, original in mutations(count, seed):
        signal.setitimer(signal.ITIMER_PROF, HANG)  # its signal ends the process, also inside the core
        if traced:
            tracemalloc.reset_peak()
        before, began = tracemalloc.get_traced_memory()[0], time.process_time()
        what = tried(data)
        slowest = max(slowest, time.process_time() - began)
        most = max(most, tracemalloc.get_traced_memory()[1] - before - 4 * len(data))
        if what == "loads" and not right and data != original:
            what = f"{name}: loads although it was changed"
        seen[what if right or what != "refused" else "refused, checksum wrong"] += 1
    signal.setitimer(signal.ITIMER_PROF, 0)
    tracemalloc.stop()
    return seen, slowest, most / MEGABYTES


def batches(count: int, seed: int) -> tuple[Counter[str], float]:
    """The same in child processes that may take 64 MB more than they have: a crash, a hang or a file that
    takes more costs one batch, of which the seed is told."""
    seen: Counter[str] = Counter()
    slowest = 0.0
    files()
    for number, start in enumerate(range(0, count, BATCH)):
        own, size = seed * 1_000_003 + number, min(BATCH, count - start)
        here, there = os.pipe()
        child = os.fork()
        if child == 0:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            most = pages * resource.getpagesize() + 64 * MEGABYTES
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
            found, slow, _ = run(size, own, traced=False)
            os.write(there, json.dumps([found, slow]).encode())
            os._exit(0)
        os.close(there)
        with open(here, "rb") as answer:
            text = answer.read()
        status = os.waitpid(child, 0)[1]
        if status:
            seen[f"seed {own}: status {status}"] += size
            continue
        found, slow = json.loads(text)
        seen.update(found)
        slowest = max(slowest, slow)
        if number % 10 == 9:
            print(f"{start + size:,}: {dict(seen)}", flush=True)
    return seen, slowest


if __name__ == "__main__":
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    found, seconds = batches(many, first)
    print(sum(found.values()), dict(found), f"slowest {seconds:.3f} s of the processor")
    sys.exit(bool(set(found) - {"refused", "refused, checksum wrong", "loads"}))

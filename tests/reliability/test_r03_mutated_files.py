"""R3: 2,000 mutated model files (`make fuzz`: millions): 0 crashes, 0 hangs, at most 64 MB + 4 x file.

Files changed by hand are in tests/store/test_broken_files.py."""

from __future__ import annotations

import ast
from pathlib import Path

from running import program

CODE = """
    import sys
    sys.path[:0] = [{folder!r}]
    import mutate
    print(mutate.run({count}, {seed}))
"""


def test_mutated_files_are_refused_or_answer():
    """In a process of its own, so that a crash is seen as one."""
    out = program(CODE.format(folder=str(Path(__file__).parent), count=2000, seed=1), timeout=300).replace(
        "Counter", ""
    )
    seen, slowest, megabytes = ast.literal_eval(out)
    assert set(seen) <= {"refused", "refused, checksum wrong", "loads"}, seen
    assert sum(seen.values()) == 2000
    assert seen["refused"] > 200
    assert seen["loads"] > 50
    assert megabytes < 64
    # A hang, not a measurement: under load a file may wait for its turn.
    assert slowest < 10

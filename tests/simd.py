"""The same program in processes with each level of wider instructions."""

import os
import subprocess
import sys


def told_by_each_level(code: str) -> set[str]:
    """What it prints, once if it is the same."""
    command = [sys.executable, "-c", code]
    levels = ({**os.environ, "BOUGH_SIMD": level} for level in ("off", "avx2", "on"))
    ran = (subprocess.run(command, env=env, capture_output=True, text=True, check=True) for env in levels)
    found = {one.stdout for one in ran}
    assert all(found)  # a program that says nothing compares nothing
    return found

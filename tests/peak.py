"""The peak of memory of a fit, in a process of its own."""

import subprocess
import sys
import textwrap

MEASURED = """
import gc, re
from pathlib import Path
import numpy as np
import bough
status = lambda name: int(re.search(name + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024
{prepare}
gc.collect()
Path("/proc/self/clear_refs").write_text("5")  # forgets the peak so far
before = status("VmRSS")
{fit}
print(status("VmHWM") - before)
"""


def peak_over(prepare: str, fit: str) -> float:
    """MB that the process took for `fit` at the most, over what it held after `prepare`."""
    code = MEASURED.format(prepare=textwrap.dedent(prepare), fit=fit)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)

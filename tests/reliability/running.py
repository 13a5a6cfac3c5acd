"""What several promises need: programs in processes of their own, and tables drawn at random."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pandas as pd
import pytest
from slower import SLOWER

import bough

MODELS = {
    "tree": lambda **more: bough.DecisionTreeClassifier(min_samples_leaf=2, **more),
    "forest": lambda **more: bough.RandomForestClassifier(n_estimators=6, **more),
    "extra trees": lambda **more: bough.ExtraTreesClassifier(n_estimators=6, **more),
    "boosting": lambda **more: bough.GradientBoostingClassifier(n_estimators=5, min_samples_leaf=5, **more),
    "AdaBoost": lambda **more: bough.AdaBoostClassifier(n_estimators=5, **more),
}


def program(code: str, *arguments: Any, timeout: float = 600, **environment: str) -> str:
    """What Python code prints in a process of its own; a crash or a hang is a failure."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout * SLOWER,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stderr[-2000:]}"
    return done.stdout


def apart(mounts: str, code: str, folder: Any) -> str:
    """As `program`, in a folder and after commands that change what is mounted, for this process alone."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this system lets nobody mount anything")
    done = subprocess.run(
        [
            "unshare",
            "-rm",
            "sh",
            "-ec",
            f'{mounts}; exec "$0" -c "$1"',
            sys.executable,
            textwrap.dedent(code),
        ],
        capture_output=True,
        text=True,
        timeout=600 * SLOWER,
        check=False,
        cwd=folder,
    )
    assert done.returncode == 0, f"exit {done.returncode}\n{done.stderr[-2000:]}"
    return done.stdout


def drawn(seed: int, rows: int | None = None) -> tuple[pd.DataFrame, np.ndarray]:
    """A small table of all kinds of columns with ties and holes, and classes that partly follow."""
    rng = np.random.default_rng(seed)
    n = rows or int(rng.integers(20, 120))
    columns: dict[str, Any] = {}
    for i in range(int(rng.integers(2, 6))):
        kind = rng.integers(5)
        if kind == 0:
            values: Any = rng.normal(size=n)
        elif kind == 1:
            values = rng.integers(0, 6, n).astype(float)
        elif kind == 2:
            values = rng.choice([-0.0, 0.0, 5e-324, 1e-300, 1e300], n)
        elif kind == 3:
            values = pd.Series(rng.choice(["a", "b", "c", "dd"], n), dtype=object)
        else:
            values = pd.Series(rng.random(n) < 0.5, dtype=object)
        column = pd.Series(values)
        column[rng.random(n) < 0.1] = None
        columns[f"c{i}"] = column
    columns["last"] = rng.normal(size=n)
    y = np.digitize(columns["last"] + rng.normal(0, 0.5, n), [-0.5, 0.6])
    return pd.DataFrame(columns), y

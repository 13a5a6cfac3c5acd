"""How many threads to use."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from bough import _core
from bough.errors import BoughError

# Each thread has working memory of its own, and the core starts no more than this.
MOST_THREADS = 256


def thread_count(n_jobs: Any) -> int:
    """As in scikit-learn: None is 1, -1 is all cores, -2 all but one."""
    if n_jobs is None:
        return 1
    if type(n_jobs) is int and n_jobs > 0:  # the whole check takes 0.6 us, which one row feels
        return n_jobs if n_jobs < MOST_THREADS else MOST_THREADS
    if not isinstance(n_jobs, numbers.Integral) or isinstance(n_jobs, bool | np.bool_) or n_jobs == 0:
        raise BoughError(
            f"n_jobs={n_jobs!r} is not possible.",
            code="parameter",
            hint="n_jobs is a whole number, -1 for all cores.",
        )
    count = int(n_jobs)
    return min(count, MOST_THREADS) if count > 0 else max(1, _core.available_cores() + 1 + count)

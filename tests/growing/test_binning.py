"""Columns whose values are hard to sort in equal slices: every distinct value is found, and in its place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from bough import _core
from bough.data.table import Column, Field, Table
from bough.growing import Settings, grow

N = 60_000
LARGEST, SMALLEST = np.finfo(float).max, 5e-324
Floats = NDArray[np.float64]


def spike(rng: np.random.Generator, at: float) -> Floats:
    return np.where(rng.random(N) < 0.9, at, at + rng.normal(size=N) * 10.0 ** rng.integers(-12, 2, N))


COLUMNS: dict[str, Callable[[np.random.Generator], Floats]] = {
    "normal": lambda rng: rng.normal(size=N),
    "descending": lambda rng: -np.arange(float(N)),
    "few ties": lambda rng: np.round(rng.normal(size=N), 4),
    "many ties": lambda rng: np.round(rng.normal(size=N), 1),
    "skewed": lambda rng: rng.lognormal(sigma=5, size=N),
    "an outlier": lambda rng: np.append(rng.normal(size=N - 1), 1e300),
    "every power": lambda rng: rng.choice([-1, 1], N) * 2.0 ** rng.integers(-1074, 1024, N),
    "any bits": lambda rng: np.nan_to_num(
        rng.integers(0, 2**64, N, np.uint64).view(float), posinf=1, neginf=2
    ),
    "a range that overflows": lambda rng: rng.uniform(-1, 1, N) * LARGEST,
    "subnormal": lambda rng: rng.integers(-N, N, N) * SMALLEST,
    "neighbours": lambda rng: 1 + rng.integers(0, N, N) * 2.0**-52,
    "neighbours and others": lambda rng: np.append(
        1 + rng.integers(0, N, N - 2) * 2.0**-52, [-LARGEST, LARGEST]
    ),
    "zeros of both signs": lambda rng: np.where(
        rng.random(N) < 0.9, rng.choice([0.0, -0.0], N), spike(rng, 0)
    ),
    "a spike": lambda rng: spike(rng, 1.0),
}


@pytest.mark.parametrize(("rows", "missing"), [(N, 0.0), (N, 0.2), (5_000, 0.1)])
@pytest.mark.parametrize("name", COLUMNS)
def test_a_full_tree_cuts_between_all_distinct_values(name: str, rows: int, missing: float) -> None:
    rng = np.random.default_rng(5)
    x = COLUMNS[name](rng)[-rows:]
    x[rng.random(rows) < missing] = np.nan
    known = ~np.isnan(x)
    distinct, rank = np.unique(x[known], return_inverse=True)
    both = np.column_stack([x, x])  # strided, as a row-major matrix has them
    assert _core.BinnedMatrix([both[:, 0], x], [0, 0], rows, 0, 1).n_bins() == [len(distinct)] * 2
    y = np.zeros(rows)
    y[known] = rank
    table = Table((Column(Field("x", "numeric"), x),), rows)
    tree = grow(table, y, None, None, Settings(criterion="squared_error"))
    cuts = np.sort(tree.threshold[tree.feature >= 0])
    assert len(cuts) == len(distinct) - 1
    assert (distinct[:-1] <= cuts).all()
    assert (cuts < distinct[1:]).all()
    np.testing.assert_array_equal(np.ravel(tree.value[tree.apply(table)]), y)

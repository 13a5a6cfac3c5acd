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


def packed(x: Floats, most: int) -> NDArray[np.int64]:
    """The bin of each row, 0 if it is missing; its rows are nearest in number to the share of the rest."""
    known = ~np.isnan(x)
    distinct, rank, counts = np.unique(x[known], return_inverse=True, return_counts=True)
    bins, bin_of = np.zeros(len(x), dtype=int), np.arange(1, len(distinct) + 1)
    if len(distinct) > most:
        rest, now, inside = int(counts.sum()), 1, 0
        for v, count in enumerate(counts.tolist()):
            if inside and now < most and inside + count / 2 > (rest + inside) / (most - now + 1):
                now, inside = now + 1, 0
            bin_of[v] = now
            inside, rest = inside + count, rest - count
    bins[known] = bin_of[rank]
    return bins


@pytest.mark.parametrize(
    ("rows", "missing", "most"), [(N, 0.0, 255), (N, 0.2, 40), (5_000, 0.1, 255), (1_500, 0.0, 7)]
)
@pytest.mark.parametrize("name", COLUMNS)
def test_values_are_packed_into_bins_of_about_equal_numbers_of_rows(
    name: str, rows: int, missing: float, most: int
) -> None:
    rng = np.random.default_rng(6)
    x = COLUMNS[name](rng)[-rows:]
    x[rng.random(rows) < missing] = np.nan
    bins = packed(x, most)
    settings = _core.BoostSettings()
    settings.max_leaves, settings.min_rows, settings.min_hessian = 0, 1, 0.0
    both = np.column_stack([x, x])
    booster = _core.Booster([both[:, 0]], [0], rows, most, settings, 1)
    given = (np.empty((0, 0)), np.empty(0), np.empty(0, np.uint32), [0], [0], 1)
    (tree,) = booster.grow(-bins[None].astype(float), *given)
    raw = np.zeros((1, rows))
    booster.add([tree["value"][:, 0]], 1.0, raw, 1)
    assert raw[0] == pytest.approx(bins)
    cuts = np.sort(tree["threshold"][np.isfinite(tree["threshold"]) & (tree["feature"] >= 0)])
    last = [x[bins == b].max() for b in range(1, bins.max())]
    first = [x[bins == b].min() for b in range(2, bins.max() + 1)]
    assert len(cuts) == bins.max() - 1
    assert (last <= cuts).all()
    assert (cuts < first).all()


def first_rows(n: int, first: float, rest: float) -> Floats:
    return np.append(np.full(n, first), np.full(N - n, rest))


FEW: dict[str, Callable[[np.random.Generator], Floats]] = {
    "0 and 1": lambda rng: rng.integers(0, 2, N).astype(float),
    "the larger one first": lambda rng: first_rows(1, 7.5, -3.0),
    "the second one last": lambda rng: first_rows(N - 1, 7.5, -3.0),
    "one for each part": lambda rng: first_rows(N // 2, 2.0, 1.0),
    "another two for each part": lambda rng: first_rows(N // 2, 2.0, 1.0) + rng.integers(0, 2, N) / 4,
    "one": lambda rng: np.full(N, -2.0),
    "a third one last": lambda rng: np.append(rng.integers(0, 2, N - 1).astype(float), 0.5),
    "zeros of both signs": lambda rng: rng.choice([0.0, -0.0, 1.0], N),
    "a zero of each sign for each part": lambda rng: first_rows(N // 2, -0.0, 0.0),
    "negative zeros": lambda rng: rng.choice([-0.0, -1.0], N),
    "a missing one last": lambda rng: np.append(rng.integers(0, 2, N - 1).astype(float), np.nan),
    "a missing one first": lambda rng: np.append(np.nan, rng.integers(0, 2, N - 1).astype(float)),
    "a value or none": lambda rng: rng.choice([1.0, np.nan], N),
}


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_columns_of_few_values_keep_each_of_them(threads: int) -> None:
    X = np.column_stack([make(np.random.default_rng(2)) for make in FEW.values()])
    distinct = [np.unique(x[~np.isnan(x)]) for x in X.T]
    for columns in (list(X.T), [x.copy() for x in X.T]):
        matrix = _core.BinnedMatrix(columns, [0] * len(columns), N, 0, threads)
        assert matrix.n_bins() == [len(values) for values in distinct]
    for name, x, values in zip(FEW, X.T, distinct, strict=True):
        y = np.where(np.isnan(x), -5.0, np.searchsorted(values, np.nan_to_num(x)))
        table = Table((Column(Field("x", "numeric"), x),), N)
        tree = grow(table, y, None, None, Settings(criterion="squared_error"), threads)
        np.testing.assert_array_equal(np.ravel(tree.value[tree.apply(table)]), y, err_msg=name)

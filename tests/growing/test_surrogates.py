"""The core's surrogates of a split against the plain-Python search, on random small nodes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference.surrogates import LEFT, RIGHT, Column, Split, find_surrogates

from bough import DecisionTreeClassifier, _core

SIDES = np.array([LEFT, RIGHT, 0])
BATCH = 50


def random_column(rng: np.random.Generator, name: str, ways: np.ndarray) -> Column:
    """Noise, or a noisy copy of the ways, so that agreement is common."""
    n = len(ways)
    n_categories = int(rng.choice([0, 0, 2, 3, 7, 300]))
    values = rng.integers(0, n_categories or rng.choice([2, 5, 40]), n).astype(float)
    if rng.random() < 0.7:
        copied = rng.random(n) < rng.choice([0.5, 0.9, 1.0])
        values[copied] = ways[copied] % 2 if rng.random() < 0.5 else 1 - ways[copied] % 2
    if not n_categories:
        values = values * 0.5 - 3
    missing = rng.random(n) < rng.choice([0, 0, 0.3, 1], p=[0.4, 0.2, 0.3, 0.1])
    kind = int if n_categories else float
    known = [None if gone else kind(v) for v, gone in zip(values, missing, strict=True)]
    return Column(name, known, n_categories)


def matrix_and_target(
    columns: list[Column], weights: list[float], record_bins: int
) -> tuple[_core.BinnedMatrix, _core.Target]:
    values = [np.array([math.nan if v is None else v for v in c.values], dtype=float) for c in columns]
    n = len(weights)
    matrix = _core.BinnedMatrix(values, [c.n_categories for c in columns], n, 0, 1, record_bins)
    not_one = np.array(weights, dtype=float) if set(weights) != {1} else np.empty(0)
    return matrix, _core.class_target((np.arange(n) % 3).astype(np.int32), 3, not_one)


def same(core: tuple[object, ...], plain: Split) -> None:
    column, kind, threshold, first, agree, adjusted, categories = core
    assert column == plain.column
    assert (agree, adjusted) == (float(plain.improve), pytest.approx(float(plain.adjusted), rel=1e-15))
    if plain.sides:
        assert kind == _core.SplitKind.subset
        assert dict(categories) == {c: int(s == RIGHT) for c, s in enumerate(plain.sides) if s}
    else:
        assert kind == _core.SplitKind.threshold
        assert (threshold, first) == (plain.cut, int(plain.below == RIGHT))


def check(seed: int, n: int, n_columns: int, record_bins: int) -> int:
    rng = np.random.default_rng(seed)
    ways = rng.choice(3, n, p=[0.5, 0.5, 0] if rng.random() < 0.4 else [0.5, 0.3, 0.2])
    columns = [random_column(rng, f"c{j}", ways) for j in range(n_columns)]
    weights = rng.choice([1, 2, 0.5, 3.25], n).tolist() if rng.random() < 0.5 else [1] * n
    node = rng.random(n) < rng.choice([0.5, 1.0])
    skip, most = int(rng.integers(n_columns)), int(rng.choice([0, 1, 2, 5]))
    as_rpart = bool(rng.random() < 0.5)
    sides = {i: int(SIDES[ways[i]]) for i in np.flatnonzero(node).tolist()}
    plain = find_surrogates(columns, weights, sides, skip, most, as_rpart)
    core, sent = _core.surrogates(
        *matrix_and_target(columns, weights, record_bins),
        ways.astype(np.uint8),
        node.astype(np.uint8),
        [j for j in range(n_columns) if j != skip],
        most,
        as_rpart,
    )
    assert len(core) == len(plain)
    for mine, other in zip(core, plain, strict=True):
        same(mine, other)
    for i in range(n):
        way = next(filter(None, (s.side(columns[s.column].values[i]) for s in plain)), 0)
        assert sent[i] == ({LEFT: 0, RIGHT: 1, 0: -1}[way] if node[i] else -1)
    return len(plain)


@pytest.mark.parametrize("record_bins", [255, 0])
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**40), n=st.integers(1, 60), n_columns=st.integers(1, 8))
def test_core_finds_what_the_reference_finds(record_bins: int, seed: int, n: int, n_columns: int) -> None:
    """Ordered columns as codes and as sorted entries; many categories sorted in small nodes, else counted."""
    found = [check(seed + i, 1 + (n + 3 * i) % 60, n_columns, record_bins) for i in range(BATCH)]
    assert n_columns == 1 or any(found)


def test_chunks_of_many_columns() -> None:
    assert check(1, 2000, 60, 255) + check(2, 2000, 60, 255) + check(3, 2000, 60, 0) > 0


@pytest.mark.parametrize("jobs", [2, 3, 8])
def test_threads_that_share_the_columns_find_the_same(jobs: int) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20_000, 1)) + 0.5 * rng.normal(size=(20_000, 7))  # each says much of the others
    X[:, 6] = np.round(X[:, 6])
    y = X[:, :4].sum(axis=1) + rng.normal(size=20_000) > 0
    X[rng.random(X.shape) < 0.2] = np.nan
    grown = {
        n_jobs: DecisionTreeClassifier(missing="surrogate", max_depth=4, n_jobs=n_jobs).fit(X, y)
        for n_jobs in (1, jobs)
    }
    assert grown[1].digest() == grown[jobs].digest()
    assert len(grown[1].tree_.surrogate_feature) > 0

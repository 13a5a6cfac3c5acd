"""C4.5's merging of categories in the core against the plain one, on random class weights."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reference.c45_splits import Merger, Settings, Splits
from reference.grower import Col, Table

from bough import _core

CASES = 4_000
BATCH = 50


def build(seed: int, n: int, classes: int) -> tuple[list[list[int]], int, float, Settings]:
    """Class weights of each category in steps, those of missing rows, the step, and settings."""
    rng = Random(seed)
    unit = rng.choice((1.0, 1.0, 0.125, 2.0**-40))
    top = rng.choice((2, 4, 9, 30))
    step = round(1 / unit) if rng.random() < 0.5 else 1
    fine = unit < 0.1 and rng.random() < 0.5

    def weight() -> int:
        return int(rng.random() * top / unit) if fine else rng.randint(0, top) * step

    alike = rng.choice((0.0, 0.3, 0.8))  # categories of one class
    table = []
    for _ in range(n):
        only = rng.randrange(classes) if rng.random() < alike else None
        table.append([weight() if only in (None, k) else 0 for k in range(classes)])
    return (
        table,
        rng.choice((0, 0, 1)) * weight(),
        unit,
        Settings(
            minimum=rng.choice((1.0, 2.0, 2.0, 5.0)),
            choice=rng.choice(("gain_ratio", "gain_ratio", "gain")),
            categories="merge",
        ),
    )


def check(seed: int, n: int, classes: int) -> None:
    steps, missing, unit, settings = build(seed, n, classes)
    if not any(map(any, steps)):
        return
    splits = Splits(Table([Col("c", "nominal", [], n)], [], classes), settings)
    plain = Merger(splits, 0, [[w * unit for w in bag] for bag in steps], missing * unit).split()
    branch, n_branches, has_rest, gain, info = _core.c45_merge(
        np.array(steps), missing, unit, settings.minimum, settings.choice == "gain_ratio"
    )
    if plain is None:
        assert n_branches == 0
        return
    there = [c for c, bag in enumerate(steps) if any(bag)]
    groups: list[set[int]] = [set() for _ in range(n_branches)]
    for c, b in zip(there, branch, strict=True):
        groups[b].add(c)
    if has_rest:
        groups[-1] |= set(range(n)) - set(there)
    assert tuple(map(frozenset, groups)) == plain.groups
    weight = missing + sum(map(sum, steps))
    assert gain / weight == pytest.approx(plain.gain, rel=1e-9, abs=1e-12)
    assert info == pytest.approx(plain.info, rel=1e-9)


@settings(
    max_examples=CASES // BATCH, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(st.integers(0, 2**40), st.integers(1, 14), st.integers(1, 4))
def test_random_tables_are_merged_alike(seed: int, n: int, classes: int) -> None:
    for i in range(BATCH):
        check(seed + i, 1 + (n + i) % 14, 1 + (classes + i) % 4)


def test_many_categories_are_put_together_by_their_classes_before_pairs_are_tried() -> None:
    # 500 categories of 40 rows whose second class rises from 0 to 39.
    ones = np.arange(500) * 40 // 500
    branch, n_branches, has_rest, _, _ = _core.c45_merge(np.stack([40 - ones, ones], axis=1))
    assert not has_rest
    assert 2 <= n_branches <= 100
    places = [np.flatnonzero(branch == b) for b in range(n_branches)]
    assert all(len(p) == p[-1] - p[0] + 1 for p in places)  # nothing in between went elsewhere

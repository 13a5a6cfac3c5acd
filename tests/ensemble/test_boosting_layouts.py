"""Columns that share a byte, and any number of threads, give the tree of the plain way."""

import numpy as np
import pytest

from bough import _core


def indicators(codes, n):
    return [(codes == k).astype(float) for k in range(n)]


def grow(columns, gradient, hessian, share=True, threads=1, rows=None, asked=None, interactions=None):
    settings = _core.BoostSettings()
    settings.max_leaves, settings.min_rows, settings.share_bytes = 40, 3, share
    settings.interactions = interactions or []
    n = len(gradient)
    booster = _core.Booster([c for c, _ in columns], [k for _, k in columns], n, 255, settings, threads)
    tree = booster.grow(
        gradient,
        hessian,
        np.empty(0),
        np.empty(0, np.uint32) if rows is None else rows,
        list(range(len(columns))) if asked is None else asked,
        0,
        threads,
    )
    sums = np.zeros(n)
    booster.add(tree["value"][:, 0], 0.1, sums, threads)
    return {**tree, "sums": sums}


def same(one, other):
    return all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


def mixed_table(rng, n):
    """Indicators of two categories, one with holes, one with three values; sparse numbers; a constant; plain
    numbers; two categories of few and of many levels."""
    colour, shape = rng.integers(0, 40, size=n), rng.integers(0, 5, size=n)
    columns = [*indicators(colour, 40), *indicators(shape, 4), rng.normal(size=n)]
    columns[2][rng.random(n) < 0.01] = np.nan
    columns[5] = np.where(colour == 5, rng.integers(1, 3, size=n), 0).astype(float)
    columns += [
        np.where(colour == 41, 1.0, 0.0),
        np.where(rng.random(n) < 0.1, rng.normal(size=n).round(1), 0.0),
    ]
    numbers = [(column, 0) for column in columns]
    gradient = rng.normal(size=n) + (colour % 3) * 0.5 - (shape == 2) + columns[44] * (colour == 7)
    return [*numbers, (rng.integers(12, size=n).astype(float), 12), (colour * 10.0, 400)], gradient


@pytest.mark.parametrize("seed", range(6))
def test_shared_bytes_change_nothing(seed):
    rng = np.random.default_rng(seed)
    n = [1, 70, 3000][seed % 3]
    columns, gradient = mixed_table(rng, n)
    hessian = np.empty(0) if seed < 3 else rng.uniform(0.1, 1.0, size=n)
    given = {}
    if seed % 2:
        given["rows"] = np.sort(rng.choice(n, size=(n + 1) // 2, replace=False)).astype(np.uint32)
        given["asked"] = sorted(rng.choice(len(columns), size=30, replace=False).tolist())
    if seed == 2:
        given["interactions"] = [[0, 1, 2, 44], list(range(10, 46))]
    plain = grow(columns, gradient, hessian, share=False, **given)
    assert n < 3000 or len(plain["feature"]) > 20
    assert same(plain, grow(columns, gradient, hessian, **given))


@pytest.mark.parametrize("unit", [True, False])
def test_threads_change_nothing(unit):
    rng = np.random.default_rng(9)
    n = 70_000  # beyond the sizes from which rows are moved and summed by several threads
    columns, gradient = mixed_table(rng, n)
    hessian = np.empty(0) if unit else rng.uniform(0.1, 1.0, size=n)
    one = grow(columns, gradient, hessian)
    assert len(one["feature"]) == 79
    for threads in (2, 3):
        assert same(one, grow(columns, gradient, hessian, threads=threads))


def test_mixed_sums_larger_than_those_of_the_rows():
    # Nearly all of the gradient is in one category, most of the hessian in the others.
    n, few, gains = 1023, 59, []
    codes, gradient, hessian = np.zeros(n), np.full(n, 1e-12 - 1.0), np.full(n, 0.5 / (n - few))
    codes[-few:], gradient[-few:], hessian[-few:] = 1 + np.arange(few), -0.9, 0.5 / few
    for l1 in (0.0, 1e-300):  # with it, sides are scored one by one
        settings = _core.BoostSettings()
        settings.max_leaves, settings.min_rows, settings.min_category_rows, settings.l1 = 2, 1, 1, l1
        settings.category_smoothing = 300.0
        booster = _core.Booster([codes], [few + 1], n, 255, settings, 1)
        tree = booster.grow(gradient, hessian, np.empty(0), np.empty(0, np.uint32), [0], 0, 1)
        gains.append(tree["gain"][0])
    assert gains[0] == pytest.approx(gains[1])

"""Shared bytes, sums of 8 bytes, many rows and any number of threads give the tree of the plain way."""

import numpy as np
import pytest

from bough import GradientBoostingClassifier, _core


def indicators(codes, n):
    return [(codes == k).astype(float) for k in range(n)]


def grow_round(columns, gradient, hessian, share=True, threads=1, rows=None, asked=None, **more):
    """A tree for each line of the derivatives; what it adds to the rows, and to the same rows encoded."""
    settings = _core.BoostSettings()
    settings.max_leaves, settings.min_rows, settings.share_bytes = 40, 3, share
    settings.interactions = more.get("interactions", [])
    for name in more.keys() - {"interactions"}:
        setattr(settings, name, more[name])
    trees, n = gradient.shape
    values = [c for c, _ in columns]
    booster = _core.Booster(values, [k for _, k in columns], n, 255, settings, threads)
    grown = booster.grow(
        gradient,
        hessian,
        np.empty(0),
        np.empty(0, np.uint32) if rows is None else rows,
        list(range(len(columns))) if asked is None else asked,
        [0] * trees,
        threads,
    )
    sums, others = np.zeros((trees, n)), np.zeros((trees, n))
    added = ([tree["value"][:, 0] for tree in grown], 0.1)
    booster.add(*added, sums, threads)
    booster.add_to(booster.encode(values, n, threads), *added, others, threads)
    return [{**tree, "sums": s, "others": o} for tree, s, o in zip(grown, sums, others, strict=True)]


def grow(columns, gradient, hessian, **given):
    return grow_round(columns, gradient[None], hessian[None], **given)[0]


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


def test_shared_bytes_of_a_table_beyond_the_second_cache_change_nothing():
    """From 2 MB of records on, every byte stands a second time, row after row."""
    rng, n = np.random.default_rng(77), 90_000
    columns, gradient = mixed_table(rng, n)
    columns += [(rng.integers(200, size=n).astype(float), 0) for _ in range(24)]
    gradient += 0.3 * (columns[-1][0] < 50) - 0.2 * (columns[-5][0] > 150)
    hessian = rng.uniform(0.1, 1.0, size=n)
    plain = grow(columns, gradient, hessian, share=False)
    assert len(set(plain["feature"])) > 8
    for threads in (1, 3):
        assert same(plain, grow(columns, gradient, hessian, threads=threads))


@pytest.mark.parametrize("part", [False, True])
def test_columns_of_few_values_in_one_byte_change_nothing(part):
    """From 32,768 rows on; by all columns and by some, which may leave one of a byte alone."""
    rng, n = np.random.default_rng(41), 40_000
    few = [rng.integers(k, size=n).astype(float) for k in (3, 3, 3, 3, 2, 2, 15, 16, 5, 7, 3)]
    few[1][rng.random(n) < 0.2] = np.nan
    level = rng.integers(4, size=n).astype(float)
    columns = [(c, 0) for c in few] + [(level, 4), *((rng.normal(size=n), 0) for _ in range(20))]
    parts = [
        2 * (few[0] == 1),
        np.nan_to_num(few[1]),
        few[4] * few[5],
        few[6] > 9,
        0.5 * few[8],
        level == 2,
        few[7] > 3,
    ]
    gradient = rng.normal(size=n) + np.sum([0.8 * p for k, p in enumerate(parts)], axis=0)
    given = {}
    if part:
        given["rows"] = np.sort(rng.choice(n, size=n // 2, replace=False)).astype(np.uint32)
        given["asked"] = [0, 1, 3, 4, 6, 7, 8, 11, *range(12, 32)]
    for hessian in (np.empty(0), rng.uniform(0.1, 1.0, size=n)):
        plain = grow(columns, gradient, hessian, share=False, **given)
        assert {0, 1, 6, 8, 11} <= set(plain["feature"])
        for threads in (1, 2, 3):
            assert same(plain, grow(columns, gradient, hessian, threads=threads, **given))


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


@pytest.mark.parametrize("part", [False, True])
@pytest.mark.parametrize("n", [2000, 70_000])  # rows by leaf, and leaves by row
def test_trees_of_a_round_are_those_that_grow_alone(n, part):
    rng = np.random.default_rng(n)
    columns, first = mixed_table(rng, n)
    gradient = np.stack([first, *rng.normal(size=(4, n)) * 0.3 + first * [[1], [0.5], [-1], [-2]]])
    hessian = rng.uniform(0.1, 1.0, size=(5, n))
    rows = rng.permutation(n)[: n // 2].astype(np.uint32) if part else None
    alone = [grow(columns, g, h, rows=rows) for g, h in zip(gradient, hessian, strict=True)]
    assert len({tree["gain"][0] for tree in alone}) == 5
    for threads in (1, 2, 3, 4, 8):  # one, none, two of three and one of four left over; more than trees
        together = grow_round(columns, gradient, hessian, rows=rows, threads=threads)
        assert all(same(*both) for both in zip(alone, together, strict=True))
    assert all(np.array_equal(tree["sums"], tree["others"]) for tree in alone)


@pytest.mark.parametrize("leaves", [*range(2, 14), 0])
def test_leaves_divided_ahead_of_their_turn_change_nothing(leaves):
    # The fewer leaves, the more of them never come to it; 0: level by level, where all do.
    rng = np.random.default_rng(leaves)
    X = rng.normal(size=(40_000, 12))
    X[rng.random(X.shape) < 0.02] = np.nan
    gradient = np.nan_to_num(X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) * X[:, 3]) + rng.normal(size=40_000)
    hessian = rng.uniform(0.1, 1.0, size=40_000)
    columns = [(X[:, j].copy(), 0) for j in range(12)]
    given = {"max_leaves": leaves, "max_depth": 6, "node_columns": 3 * (leaves == 13)}
    given["interactions"] = [[0, 1, 2], [2, 3, 4, 5]] if leaves == 12 else []
    one = grow(columns, gradient, hessian, **given)
    assert len(one["feature"]) == 2 * leaves - 1 or (leaves == 0 and len(one["feature"]) > 100)
    for threads in (2, 3, 4):
        assert same(one, grow(columns, gradient, hessian, threads=threads, **given))


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
        given = (np.empty(0), np.empty(0, np.uint32), [0], [0], 1)
        (tree,) = booster.grow(gradient[None], hessian[None], *given)
        gains.append(tree["gain"][0])
    assert gains[0] == pytest.approx(gains[1])


def whole_table(rng, n):
    """The mixed table with derivatives that 11 and 10 bits hold exactly."""
    columns, gradient = mixed_table(rng, n)
    gradient = np.clip((gradient * 400).round(), -2000, 2000)
    return columns, gradient, rng.integers(1, 1000, size=n).astype(float)


WIDE = 1 << 40


@pytest.mark.parametrize(
    "n", [2000, 70_000]
)  # one word for all rows, and words that are emptied several times
def test_narrow_sums_of_whole_numbers_are_the_wide_ones(n):
    columns, gradient, hessian = whole_table(np.random.default_rng(n), n)
    some = np.arange(0, n, 3, dtype=np.uint32)
    asked = [*range(0, 40, 2), 44, 46, 47, 48]
    for given in ({}, {"rows": some, "asked": asked}, {"share": False}):
        wide = grow(columns, gradient, hessian, narrow_from=WIDE, **given)
        assert len(wide["feature"]) == 79
        for threads in (1, 2, 3):
            narrow = grow(columns, gradient, hessian, narrow_from=1, threads=threads, **given)
            for name in ("gain", "impurity"):  # of categories: their mixed averages are rounded to the unit
                assert narrow.pop(name) == pytest.approx(wide[name], rel=1e-4)
            assert same(narrow, wide)


def test_narrow_sums_do_not_know_the_order_of_the_rows():
    rng = np.random.default_rng(5)
    columns, gradient = mixed_table(rng, 3000)
    hessian = rng.uniform(0.1, 1.0, size=3000)
    one = grow(columns, gradient, hessian, narrow_from=1)
    other_order = rng.permutation(3000)
    moved = [(column[other_order], k) for column, k in columns]
    other = grow(moved, gradient[other_order], hessian[other_order], narrow_from=1)
    for name in ("feature", "threshold", "n_rows", "first_child", "gain"):
        assert np.array_equal(one[name], other[name])
    assert other["value"] == pytest.approx(one["value"])
    assert not same(one, grow(columns, gradient, hessian, narrow_from=WIDE))  # they are rounded


@pytest.mark.parametrize("what", ["gradient", "hessian"])
def test_numbers_of_very_different_size_stay_wide(what):
    rng = np.random.default_rng(6)
    columns, gradient = mixed_table(rng, 3000)
    given = {"gradient": gradient, "hessian": rng.uniform(0.1, 1.0, size=3000)}
    given[what][7] = 1e5
    wide = grow(columns, **given, narrow_from=WIDE)
    assert same(wide, grow(columns, **given, narrow_from=1))


def test_many_gradients_below_half_a_unit_still_count():
    # Rows of the last value are large and sum to 0; the others are all less than a quarter of 1/2048.
    rng = np.random.default_rng(7)
    n = 30_000
    x = np.repeat([0.0, 1.0, 2.0], n // 3)
    gradient = np.where(x == 0, 1.0, -1.0) * rng.uniform(0.05, 0.25, size=n) / 2048
    gradient[x == 2] = np.outer(rng.uniform(0.5, 1.0, size=n // 6), [1.0, -1.0]).ravel()
    tree = grow([(x, 0)], gradient, np.full(n, 0.5), narrow_from=1)
    assert tree["n_rows"].tolist() == [n, n // 3, 2 * n // 3, n // 3, n // 3]
    wide = grow([(x, 0)], gradient, np.full(n, 0.5), narrow_from=WIDE)
    assert tree["gain"] == pytest.approx(wide["gain"], rel=0.1)


@pytest.mark.parametrize("part", [False, True])
@pytest.mark.parametrize("n", [2000, 80_000])  # leaf by leaf, and by row; with a second copy of the codes
def test_leaves_have_their_rows_and_sums(n, part):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 28))
    gradient, hessian = X[:, 3] * X[:, 4] + rng.normal(size=n), rng.uniform(0.1, 1.0, size=n)
    weight = rng.uniform(1.0, 2.0, size=n)
    settings = _core.BoostSettings()
    booster = _core.Booster([X[:, j].copy() for j in range(28)], [0] * 28, n, 255, settings, 2)
    rows = rng.permutation(n)[: n // 2].astype(np.uint32) if part else np.empty(0, np.uint32)
    (tree,) = booster.grow(gradient[None], hessian[None], weight, rows, list(range(28)), [0], 2)
    place = np.zeros(n, dtype=int)
    for _ in range(int(settings.max_leaves)):
        feature, first = tree["feature"][place], tree["first_child"][place]
        right = X[np.arange(n), np.maximum(feature, 0)] > tree["threshold"][place]
        place = np.where(feature < 0, place, first + right)
    taken = rows if part else np.arange(n)
    size = len(tree["feature"])
    sums = [np.bincount(place[taken], v[taken], minlength=size) for v in (gradient, hessian, weight)]
    leaf = tree["feature"] < 0
    assert tree["n_rows"][leaf].tolist() == np.bincount(place[taken], minlength=size)[leaf].tolist()
    assert tree["value"][leaf, 0] == pytest.approx(-sums[0][leaf] / sums[1][leaf])
    assert tree["weight"][leaf] == pytest.approx(sums[2][leaf])
    raw = np.ones((1, n))
    booster.add([tree["value"][:, 0]], 0.1, raw, 2)
    assert np.array_equal(raw[0], 1.0 + 0.1 * tree["value"][place, 0])


def test_where_columns_of_two_values_stand_makes_no_difference():
    rng = np.random.default_rng(4)
    columns = {"a": rng.normal(size=400), "two": rng.integers(0, 2, 400), "b": rng.integers(0, 9, 400)}
    y = columns["a"] + 2 * columns["two"] * (columns["b"] > 4) + rng.normal(size=400) > 1
    first = GradientBoostingClassifier(n_estimators=5).fit(columns, y)
    again = {name: columns[name] for name in ("two", "b", "a")}
    assert first.digest() == GradientBoostingClassifier(n_estimators=5).fit(again, y).digest()
    assert first.score(columns, y) > 0.8


def test_more_rows_than_the_short_sums_count():
    n = 1 << 22  # gradient and rows no longer fit one word, and there are no hessians
    x = np.arange(n) % 3
    tree = grow([(x.astype(float), 0)], np.array([1.0, -1.0, 0.5])[x], np.empty(0))
    leaf = tree["feature"] < 0
    assert np.sort(tree["value"][leaf, 0]).tolist() == [-1.0, -0.5, 1.0]


@pytest.mark.parametrize("n", [1000, 70_000])
def test_small_numbers_beside_huge_ones_of_another_leaf(n):
    x, gradient = (np.arange(n) >= n // 2).astype(float), np.full(n, 0.003)
    gradient[: n // 2] = 1e30
    for hessian in (np.empty(0), np.ones(n)):
        tree = grow([(x, 0)], gradient, hessian, min_hessian=0.0)
        assert tree["value"][-1, 0] == pytest.approx(-0.003)

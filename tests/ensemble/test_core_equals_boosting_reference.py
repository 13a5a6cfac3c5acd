"""The core's boosted trees against the plain ones of tests/reference/boosting.py, on random tables."""

import numpy as np
import pytest
from reference import boosting as reference

from bough import _core


def random_table(rng, n):
    columns = []
    for _ in range(rng.integers(2, 5)):
        kind = rng.integers(3)
        categories = int(rng.integers(2, 40)) if kind == 2 else 0
        values = rng.integers(categories or [6, 60][kind], size=n).astype(float)
        values[rng.uniform(size=n) < rng.choice([0.0, 0.2])] = np.nan
        columns.append((values, categories))
    return columns


def core_tree(columns, gradient, hessian, rules, threads=1, max_bins=255, symmetric=False):
    settings = _core.BoostSettings()
    settings.max_leaves = rules.max_leaves or 0
    settings.max_depth = rules.max_depth or 0
    settings.symmetric = symmetric
    settings.min_rows, settings.min_hessian = rules.min_rows, rules.min_hessian
    settings.l1, settings.l2, settings.monotone = rules.l1, rules.l2, rules.monotone
    settings.category_smoothing, settings.min_category_rows = rules.smoothing, rules.min_category_rows
    n = len(gradient)
    booster = _core.Booster([c for c, _ in columns], [k for _, k in columns], n, max_bins, settings, threads)
    rows = np.empty(0, np.uint32)
    asked = list(range(len(columns)))
    (tree,) = booster.grow(gradient[None], hessian[None], np.empty(0), rows, asked, [0], threads)
    return tree, booster


def leaves_of(node):
    if node["column"] is None:
        return [node]
    return leaves_of(node["left"]) + leaves_of(node["right"])


def columns_asked(node):
    return (
        []
        if node["column"] is None
        else [node["column"], *columns_asked(node["left"]), *columns_asked(node["right"])]
    )


@pytest.mark.parametrize("seed", range(60))
def test_same_splits_and_values(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 160))
    columns = random_table(rng, n)
    gradient = rng.normal(size=n)
    unit = seed % 3 == 0
    hessian = np.ones(n) if unit else rng.uniform(0.05, 1.0, size=n)
    rules = reference.Rules(
        max_leaves=None if seed % 4 == 0 else int(rng.integers(2, 12)),
        max_depth=int(rng.integers(2, 5)) if seed % 4 in (0, 1) else None,
        min_rows=int(rng.integers(1, 6)),
        min_hessian=float(rng.choice([1e-3, 2.0])),
        l1=float(rng.choice([0.0, 1.0])),
        l2=float(rng.choice([0.0, 3.0])),
        smoothing=float(rng.choice([0.0, 10.0, 100.0])),
        min_category_rows=int(rng.choice([1, 3, 10])),
        monotone=[0 if k else int(rng.integers(-1, 2)) for _, k in columns] if seed % 5 == 0 else [],
    )
    plain = reference.grow(plain_columns(columns), gradient.tolist(), hessian.tolist(), rules)
    check_same(plain, *core_tree(columns, gradient, np.empty(0) if unit else hessian, rules))


@pytest.mark.parametrize("seed", range(100))
def test_same_symmetric_trees(seed):
    rng = np.random.default_rng([1, seed])
    n = int(rng.integers(60, 250))
    columns = random_table(rng, n)
    gradient = rng.normal(size=n)
    for values, _ in columns[:2]:  # a function of two columns, so that levels have something to share
        gradient += np.sin(np.nan_to_num(values))
    unit = seed % 3 == 0
    hessian = np.ones(n) if unit else rng.uniform(0.05, 1.0, size=n)
    rules = reference.Rules(
        max_depth=int(rng.integers(1, 6)),
        min_rows=int(rng.choice([1, 1, 2, 5, 12])),
        min_hessian=float(rng.choice([1e-3, 2.0])),
        l1=float(rng.choice([0.0, 1.0])),
        l2=float(rng.choice([0.0, 1.0, 3.0])),
        smoothing=float(rng.choice([0.0, 10.0, 100.0])),
        min_category_rows=int(rng.choice([1, 3, 10])),
        monotone=[0 if k else int(rng.integers(-1, 2)) for _, k in columns] if seed % 5 == 0 else [],
    )
    plain = reference.grow_symmetric(plain_columns(columns), gradient.tolist(), hessian.tolist(), rules)
    given = (columns, gradient, np.empty(0) if unit else hessian, rules)
    check_same(plain, *core_tree(*given, threads=1 + seed % 3, symmetric=True))


def plain_columns(columns):
    return [reference.Column([None if np.isnan(v) else v for v in c], k) for c, k in columns]


def check_same(plain, tree, booster):
    """Columns asked, rows and values of the leaves."""
    assert sorted(tree["feature"][tree["feature"] >= 0].tolist()) == sorted(columns_asked(plain))
    nodes, starts, rows = booster.leaves()
    found = {
        tuple(sorted(rows[a:b].tolist())): tree["value"][node, 0]
        for node, a, b in zip(nodes, starts[:-1], starts[1:], strict=True)
    }
    expected = {tuple(sorted(leaf["rows"])): leaf["value"] for leaf in leaves_of(plain)}
    assert found.keys() == expected.keys()
    assert len(found) > 1
    for leaf, value in expected.items():
        assert found[leaf] == pytest.approx(value, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("unit", [True, False])
def test_rows_go_where_their_codes_say(unit):
    """Rows of the partition, the same rows encoded anew, and the tree by its thresholds and categories."""
    from bough.data.table import Column, Field, Table
    from bough.tree import Tree

    rng = np.random.default_rng(5)
    n = 3000
    columns = [*random_table(rng, n), (rng.normal(size=n), 0), (rng.integers(700, size=n).astype(float), 700)]
    gradient = rng.normal(size=n) + (columns[-1][0] % 3)
    hessian = np.empty(0) if unit else rng.uniform(0.1, 1.0, size=n)
    rules = reference.Rules(max_leaves=20, min_rows=5, smoothing=5.0, min_category_rows=2)
    arrays, booster = core_tree(columns, gradient, hessian, rules, max_bins=50)
    del arrays["below"], arrays["above"]
    fields = [
        Field(f"x{j}", "nominal" if k else "numeric", tuple(f"c{i:04d}" for i in range(k)))
        for j, (_, k) in enumerate(columns)
    ]
    tree = Tree(fields=tuple(fields), classes=None, **arrays)
    table = Table(tuple(Column(f, c) for f, (c, _) in zip(fields, columns, strict=True)), n)
    expected = 0.5 * tree.predict(table)
    inside, outside = np.zeros((1, n)), np.zeros((1, n))
    booster.add([tree.value[:, 0]], 0.5, inside, 1)
    rows = booster.encode([c for c, _ in columns], n, 1)
    booster.add_to(rows, [tree.value[:, 0]], 0.5, outside, 1)
    assert tree.n_leaves == 20
    assert (inside == expected).all()
    assert (outside == expected).all()


def test_bad_derivatives_are_refused():
    columns = [(np.arange(30.0), 0)]
    for gradient, hessian in [(np.nan, 1.0), (1.0, -1.0), (1.0, np.inf), (np.inf, 1.0)]:
        with pytest.raises(ValueError, match="gradient or hessian"):
            core_tree(columns, np.full(30, gradient), np.full(30, hessian), reference.Rules())

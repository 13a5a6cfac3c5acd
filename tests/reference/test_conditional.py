"""The conditional inference reference against partykit's trees and against the permutations themselves."""

from __future__ import annotations

import csv
import json
import math
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris

from .chi_square import log_survival, pearson, survival
from .conditional import Node, Settings, adjusted, association, grow, preorder
from .grower import Col, Table

PARTYKIT = Path(__file__).parent / "partykit"
MEASURES = ("Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width")


def iris_columns() -> tuple[list[Col], list[int]]:
    data = load_iris()
    columns = [Col(name, "ordered", data.data[:, j].tolist()) for j, name in enumerate(MEASURES)]
    return columns, data.target.tolist()


def iris() -> Table:
    columns, species = iris_columns()
    return Table(columns, species, 3)


def iris_length() -> Table:
    columns, species = iris_columns()
    lengths = [float(v or 0) for v in columns[0].values]
    return Table([*columns[1:], Col("Species", "nominal", species, 3)], lengths)


def airquality() -> Table:
    """The rows with a known Ozone; Solar.R is missing in five of them."""
    with (PARTYKIT / "airquality.csv").open() as file:
        names, *lines = csv.reader(file)
    rows = [[float(cell) if cell else None for cell in line] for line in lines if line[0]]
    columns = [Col(name, "ordered", [row[j] for row in rows]) for j, name in enumerate(names)]
    return Table(columns[1:], [float(row[0] or 0) for row in rows])


@pytest.mark.parametrize("name", ["iris", "iris_length", "airquality"])
def test_partykit(name: str) -> None:
    """Columns, cuts, every statistic and p-value of every node, and the leaf of every row."""
    table = {"iris": iris, "iris_length": iris_length, "airquality": airquality}[name]()
    theirs = json.loads((PARTYKIT / f"{name}.json").read_text())
    nodes = preorder(grow(table))
    assert len(nodes) == len(theirs["nodes"])
    for number, (node, their) in enumerate(zip(nodes, theirs["nodes"], strict=True), start=1):
        column = None if node.column is None else table.columns[node.column].name
        assert column == (their["varid"] and theirs["columns"][their["varid"] - 1])
        assert node.threshold == their["breaks"]
        assert node.p_value == (their["p.value"] and pytest.approx(their["p.value"], rel=1e-10))
        tests = {table.columns[j].name: (float(t.statistic), node.adjusted(j)) for j, t in node.tests.items()}
        their_tests = theirs["tests"].get(str(number), {})
        assert tests.keys() == their_tests.keys()
        for column, figures in their_tests.items():
            assert tests[column] == pytest.approx(figures, rel=1e-10)
    leaf = {row: i for i, node in enumerate(nodes, start=1) if not node.children for row in node.rows}
    assert [leaf[row] for row in sorted(leaf)] == theirs["node_of_row"]


def influence(kind: str, values: list[int]) -> np.ndarray:
    x = np.array(values, dtype=float)
    return x[:, None] if kind == "ordered" else (x[:, None] == np.unique(x)).astype(float)


@pytest.mark.parametrize("x_kind", ["ordered", "nominal"])
@pytest.mark.parametrize("y_kind", ["ordered", "nominal"])
def test_the_closed_forms_are_the_quadratic_form_over_all_permutations(x_kind: str, y_kind: str) -> None:
    """T = sum g(x) h(y)', standardised by its mean and covariance over every order of the y."""
    rng = Random(x_kind + y_kind)
    for _ in range(5):
        xs = [0, 1, *(rng.randrange(3) for _ in range(4))]
        ys = [1, 0, *(rng.randrange(3) for _ in range(4))]
        g, h = influence(x_kind, xs), influence(y_kind, ys)
        orders = np.array(list(permutations(range(6))))
        t = np.einsum("ip,oiq->opq", g, h[orders]).reshape(len(orders), -1)
        observed = (g.T @ h).ravel() - t.mean(axis=0)
        covariance = np.cov(t, rowvar=False, bias=True).reshape(t.shape[1], t.shape[1])
        found = association(x_kind, xs, ys, 3 if y_kind == "nominal" else None, [1] * 6)
        assert found is not None
        assert float(found.statistic) == pytest.approx(
            observed @ np.linalg.pinv(covariance, rcond=1e-9) @ observed
        )
        assert found.df == np.linalg.matrix_rank(covariance, tol=1e-9)


def test_weights_are_repeated_rows() -> None:
    rng = Random(5)
    xs, ys = [rng.randrange(4) for _ in range(12)], [rng.randrange(3) for _ in range(12)]
    weights = [rng.randint(1, 3) for _ in range(12)]
    longer = [[v for v, w in zip(values, weights, strict=True) for _ in range(w)] for values in (xs, ys)]
    for kind in ("ordered", "nominal"):
        for classes in (None, 3):
            once = association(kind, xs, ys, classes, weights)
            assert once == association(kind, longer[0], longer[1], classes, [1] * sum(weights))


def two_columns(first: Col, second: Col, target: list[float]) -> Node:
    return grow(Table([first, second], target, 2))


def test_the_first_of_equal_columns_and_cuts() -> None:
    x = [float(i) for i in range(40)]
    target = [float(i >= 20) for i in range(40)]
    node = two_columns(Col("b", "ordered", x), Col("a", "ordered", x), target)
    assert (node.column, node.threshold) == (0, 19.0)
    # Symmetric around the middle: the cuts after 9 and after 29 part the rows equally well.
    target = [float(10 <= i < 30) for i in range(40)]
    assert grow(Table([Col("x", "ordered", x)], target, 2)).column is None  # but x does not tell on the whole
    node = grow(Table([Col("x", "ordered", x)], target, 2), Settings(significance_level=1.1))
    assert node.threshold == 9.0


def test_missing_rows_are_not_tested_and_follow_the_majority() -> None:
    x = [None] * 5 + [float(i) for i in range(30)]
    target = [1.0, 0.0, 1.0, 0.0, 1.0] + [float(i >= 20) for i in range(30)]
    node = grow(Table([Col("x", "ordered", x)], target, 2))
    assert node.tests[0] == association("ordered", list(range(30)), [int(y) for y in target[5:]], 2, [1] * 30)
    assert (node.threshold, node.missing_child) == (19.0, 0)
    assert [len(child.rows) for child in node.children] == [25, 10]


def test_the_second_column_is_tried_where_the_first_cannot_be_cut() -> None:
    # Three rows far away carry the first column's correlation, and seven are needed on each side.
    target = [float(i >= 57) for i in range(60)]
    first = Col("far", "ordered", [1.0 + (i >= 57) for i in range(60)])
    second = Col("near", "ordered", [float(i >= 50) for i in range(60)])
    assert two_columns(first, second, target).column == 1
    assert grow(Table([first], target, 2)).column is None
    alone = grow(Table([first, second], target, 2), Settings(tries=1))
    assert alone.column is None
    assert alone.p_value == pytest.approx(adjusted(alone.tests[0].log_p, 2))


def test_categories_part_as_well_as_any_subset() -> None:
    rng = Random(8)
    x = [rng.randrange(5) for _ in range(120)]
    for classes in (None, 2, 3):
        target = [float((3 * v * v + rng.randrange(2)) % (classes or 7)) for v in x]
        node = grow(Table([Col("x", "nominal", x, 5)], target, classes), Settings(significance_level=1.1))
        assert node.left | node.right == set(range(5))
        sides = [int(v in node.right) for v in x]
        ys = [int(y) for y in target]
        mine = association("nominal", sides, ys, classes, [1] * 120)
        assert mine is not None
        for b in range(1, 31):
            other = association("nominal", [b >> v & 1 for v in x], ys, classes, [1] * 120)
            if other is not None:
                assert other.statistic <= mine.statistic


@pytest.mark.parametrize("df", [1, 2, 3, 4, 7, 30, 101])
def test_the_tail_is_that_of_scipy(df: int) -> None:
    for x in (0.001, 0.5, 3.0, 17.0, 60.0, 250.0, 900.0):
        assert survival(x, df) == pytest.approx(stats.chi2.sf(x, df), rel=1e-11)
    # Where the density falls below all doubles: p = 2 f(x) (1 + (2 - df) / x + ...) + ...
    x = 1800.0
    log_density = (df / 2 - 1) * math.log(x / 2) - x / 2 - math.lgamma(df / 2) - math.log(2)
    assert log_survival(x, df) == pytest.approx(log_density + math.log(2), rel=1e-3)


def test_pearson() -> None:
    table = [[10, 20, 0], [30, 5, 0], [7, 8, 0], [0, 0, 0]]
    found, df = pearson(table)
    theirs = stats.chi2_contingency(np.array(table)[:3, :2], correction=False)
    assert (float(found), df) == (pytest.approx(theirs.statistic), theirs.dof)
    assert pearson([[3, 0], [4, 0]]) == (Fraction(0), 0)

"""Tests of the checks of a table: each finding where it is due, none where it is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris

from bough.data.examples import EXAMPLES, load
from bough.data.ingest import to_table
from bough.data.target import class_codes
from bough.evaluation.checks import Finding, check_table

N = 60
RANDOM = np.random.default_rng(0)
Y = RANDOM.integers(0, 2, N)
NOISE = RANDOM.normal(size=N)


def found(**columns: Any) -> dict[str, Finding]:
    table = to_table({"noise": NOISE, **columns})
    return {f.code: f for f in check_table(table, Y, np.array([0, 1]))}


@pytest.mark.parametrize(
    ("code", "values"),
    [
        ("id", [f"guest {i}" for i in range(N)]),
        ("id", list(range(100, 100 + N))),
        ("leak", [f"{'late' if y else 'soon'}" for y in Y]),
        ("leak", Y * 10 + NOISE.clip(-2, 2)),
        ("constant", ["same"] * N),
        ("empty", [None] * N),
        ("missing", [None] * 40 + [1.0, 2.0] * 10),
        ("mixed", [str(i / 7) for i in range(N - 1)] + ["unknown"]),
        ("spelling", ["Yes", "yes ", "no"] * 20),
        ("duplicate-column", NOISE),
    ],
)
def test_a_finding_for_each_oddity(code: str, values: Any) -> None:
    all_found = found(odd=values)
    assert set(all_found) - {"missing"} == {code} - {"missing"}
    assert code in all_found
    assert all_found[code].column == "odd"
    assert all_found[code].text
    assert all_found[code].hint


def test_measurements_are_not_ids() -> None:
    assert not found(income=RANDOM.permutation(np.arange(N) * 977 + 13), height=RANDOM.normal(size=N))
    assert set(found(order_id=RANDOM.permutation(np.arange(N) * 977 + 13))) == {"id"}


def test_rows_that_repeat() -> None:
    table = to_table({"a": np.r_[NOISE, NOISE[:5]]})
    findings = check_table(table, np.r_[Y, Y[:4], 1 - Y[4]], np.array([0, 1]))
    repeated = next(f for f in findings if f.code == "duplicate-rows")
    assert repeated.text.startswith("4 of the 65 rows")


def test_rare_classes() -> None:
    y = np.zeros(400, dtype=int)
    table = to_table({"x": np.random.default_rng(1).normal(size=400)})
    y[:20] = 1
    assert [f.code for f in check_table(table, y, np.array(["no", "yes"]))] == ["imbalance"]
    y[3:20] = 0
    assert [f.code for f in check_table(table, y, np.array(["no", "yes"]))] == ["few"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_shipped_tables_leak_nothing(name: str) -> None:
    columns, y = load(name)
    table = to_table(columns)
    codes, classes = class_codes(y, table.n_rows, "test")
    assert not {f.code for f in check_table(table, codes, classes)} & {"id", "leak", "mixed", "empty"}


def test_well_known_tables_leak_nothing() -> None:
    for data in (load_iris(), load_breast_cancer()):
        table = to_table(data.data)
        assert not {f.code for f in check_table(table, data.target, data.target_names)} & {"id", "leak"}
    data = load_diabetes()
    assert not {f.code for f in check_table(to_table(data.data), data.target)} & {"id", "leak"}


def test_a_number_that_is_the_target_in_other_units_leaks() -> None:
    table = to_table({"cm": NOISE * 2.54, "x": RANDOM.normal(size=N)})
    assert "leak" not in {f.code for f in check_table(table, RANDOM.normal(size=N))}
    many = np.random.default_rng(5).normal(size=2000)
    assert {f.code for f in check_table(to_table({"cm": many * 2.54}), many)} == {"leak"}


def test_without_a_target_only_columns_are_looked_at() -> None:
    assert [f.code for f in check_table(to_table({"a": [1.0, 1.0, 1.0], "b": [1.0, 2.0, 3.0]}))] == [
        "constant"
    ]

"""Columns of every kind, and what tests of tables ask of them."""

import datetime as dt
from typing import Any

import numpy as np

from bough.data.ingest import to_table
from bough.data.table import Table

NAN = float("nan")


def column(values: Any, name: str = "c") -> tuple[str, tuple[str, ...], list[float]]:
    found = to_table({name: values}).columns[0]
    assert found.values.dtype == np.float64
    assert found.values.ndim == 1
    return found.field.kind, found.field.categories, found.values.tolist()


def same(a: list[float], b: list[float]) -> None:
    np.testing.assert_array_equal(a, b)


def equal_tables(a: Table, b: Table) -> None:
    assert a.fields == b.fields
    assert a.n_rows == b.n_rows
    for left, right in zip(a.columns, b.columns, strict=True):
        np.testing.assert_array_equal(left.values, right.values)


COLUMNS: dict[str, list[Any]] = {
    "age": [31.5, None, 2.0, 0.25],
    "n": [1, 2, None, -4],
    "sex": ["male", "female", None, "male"],
    "note": ["", "b", "a b", "é"],
    "alive": [True, None, False, True],
    "born": [dt.datetime(2020, 1, 1, 12), None, dt.datetime(1969, 12, 31), dt.datetime(2000, 2, 29)],
    "wait": [dt.timedelta(seconds=1.5), None, dt.timedelta(0), dt.timedelta(days=-1)],
}

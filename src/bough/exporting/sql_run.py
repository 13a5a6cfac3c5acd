"""Runs an exported query where there is a database at hand: duckdb, and sqlite of Python's library."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np

from bough.exporting.fuzz import Fuzz
from bough.exporting.plan import Plan
from bough.exporting.sql import TABLE
from bough.exporting.sql_words import dialect_of
from bough.exporting.verify import Said

TYPES = {
    "duckdb": {"numeric": "DOUBLE", "boolean": "BOOLEAN", "datetime": "TIMESTAMP"},
    "sqlite": {"numeric": "REAL", "boolean": "INTEGER"},
    "postgres": {"numeric": "DOUBLE PRECISION", "boolean": "BOOLEAN", "datetime": "TIMESTAMP"},
}
NUMBER, ROWS = "bough_row", "bough_rows"


def moment_text(microseconds: int) -> str:
    moment = dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=microseconds)
    return moment.isoformat(sep=" ")


def cells(plan: Plan, rows: Fuzz) -> list[list[Any]]:
    """The rows as databases take them, each with its number first."""
    columns: list[list[Any]] = [list(range(rows.table.n_rows))]
    for i, field in enumerate(plan.fields):
        values = rows.values(i)
        if field.kind == "datetime":
            values = [None if v is None else moment_text(v) for v in values]
        columns.append(values)
    return [list(row) for row in zip(*columns, strict=True)]


def columns_of(plan: Plan, dialect: str) -> str:
    words = dialect_of(dialect)
    kinds = [TYPES[dialect].get(f.kind, "TEXT") for f in plan.fields]
    listed = [f"{words.name_of(f.name)} {kind}" for f, kind in zip(plan.fields, kinds, strict=True)]
    return ", ".join([f"{NUMBER} INTEGER", *listed])


def said(plan: Plan, names: list[str], found: list[Any]) -> Said:
    """What the query answered, in the order of the rows; its own columns are the last ones."""
    found = sorted(found, key=lambda row: row[names.index(NUMBER)])
    own = 1 + len(plan.fields)
    if plan.classes is None:
        return Said(np.array([row[-1] for row in found], dtype=np.float64))
    number: dict[Any, int] = {label: i for i, label in enumerate(plan.classes)}
    ensemble = plan.combine != "tree" or plan.spreads
    answers = np.array([number.get(row[-1 if ensemble else own], -1) for row in found])
    count = len(plan.classes)
    shares = [row[-1 - count : -1] if ensemble else row[own + 1 :] for row in found]
    return Said(answers, np.array(shares, dtype=np.float64))


def _duckdb(plan: Plan, rows: Fuzz, query: str) -> Said:
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE {ROWS} ({columns_of(plan, 'duckdb')})")
        _insert_by_arrays(connection, plan, rows)
        result = connection.execute(query)
        names = [column[0] for column in result.description]
        return said(plan, names, result.fetchall())


def _insert_by_arrays(connection: Any, plan: Plan, rows: Fuzz) -> None:
    """Lists of whole columns as parameters: a thousand times faster than row by row."""
    listed = cells(plan, rows)
    kinds = ["INTEGER", *(TYPES["duckdb"].get(f.kind, "VARCHAR") for f in plan.fields)]
    parts = ", ".join(f"unnest(?::{kind}[])" for kind in kinds)
    columns = [list(column) for column in zip(*listed, strict=True)]
    connection.execute(f"INSERT INTO {ROWS} SELECT {parts}", columns)


def _sqlite(plan: Plan, rows: Fuzz, query: str) -> Said:
    import sqlite3

    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f"CREATE TABLE {ROWS} ({columns_of(plan, 'sqlite')})")
        marks = ", ".join("?" * (1 + len(plan.fields)))
        connection.executemany(f"INSERT INTO {ROWS} VALUES ({marks})", cells(plan, rows))
        result = connection.execute(query)
        names = [column[0] for column in result.description]
        return said(plan, names, result.fetchall())
    finally:
        connection.close()


RUNNERS: dict[str, Callable[[Plan, Fuzz, str], Said]] = {"duckdb": _duckdb, "sqlite": _sqlite}


def run(text: str, plan: Plan, rows: Fuzz, dialect: str) -> Said:
    """The query with the name of a table; all names of the user's stand before the place for it."""
    start, _, end = text.rpartition(f"FROM {TABLE}")
    return RUNNERS[dialect](plan, rows, f"{start}FROM {ROWS}{end}")

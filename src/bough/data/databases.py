"""What duckdb does not read by itself, put into its table `data`: SQLite tables, Arrow files, any query."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from bough.errors import BoughError

_CHUNK = 50_000  # rows at a time
_DATES = ("date", "datetime", "timestamp")


def load_query(connection: Any, sql: str, table: str = "data") -> list[str]:
    """The result of a query as a table with the columns c0, c1, …; gives their names."""
    names = [row[0] for row in connection.execute(f"describe {sql}").fetchall()]
    places = ", ".join(f"c{i}" for i in range(len(names)))
    connection.execute(
        f"create table {table} as select * from ({sql}\n) as t({places})"
    )  # it may end in -- words
    return names


def load_arrow(connection: Any, path: Path) -> list[str]:
    try:
        import pyarrow as pa
        from pyarrow import feather
    except ImportError:
        raise BoughError(
            f"{path.name} is an Arrow file, for which pyarrow is needed.",
            code="extra",
            hint="  pip install pyarrow",
        ) from None
    try:
        try:
            with pa.OSFile(str(path)) as source:
                found = pa.ipc.open_stream(source).read_all()
        except pa.ArrowInvalid:
            found = feather.read_table(str(path))
    except (pa.ArrowInvalid, OSError) as error:
        raise BoughError(
            f"{path.name} cannot be read as arrow: {str(error).splitlines()[0]}",
            code="arrow",
            hint="Was it written completely?",
        ) from None
    connection.register("arrow_table", found)
    places = ", ".join(f"c{i}" for i in range(found.num_columns))
    connection.execute(f"create table data as select * from arrow_table as t({places})")
    return [str(name) for name in found.column_names]


def load_sqlite(connection: Any, path: Path, sql: str | None) -> list[str]:
    """The only table of the file, or what the query gives."""
    address = f"file:{quote(os.fsencode(path))}?mode=ro"
    query = None if sql is None else sql.strip().rstrip(";")
    try:
        with closing(sqlite3.connect(address, uri=True)) as base:
            return _copied(connection, base, _only_table(base, path) if query is None else query)
    except sqlite3.Error as error:
        hint = (
            "Is this a SQLite file?" if sql is None else 'Name a table in a query:  --sql "select * from …"'
        )
        if getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            hint = "Another program writes to it. Try again when that has finished, or read a copy."
        raise BoughError(
            f"{path.name}: {str(error).rstrip('.')}.", code="sqlite" if sql is None else "sql", hint=hint
        ) from None


def _only_table(base: sqlite3.Connection, path: Path) -> str:
    found = base.execute(
        "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%'"
    )
    names = [str(row[0]) for row in found]
    if len(names) != 1:
        which = f"{len(names)} tables: {', '.join(names[:8])}" if names else "no table"
        first = names[0] if names else "…"
        raise BoughError(
            f"{path.name} has {which}.", code="sqlite", hint=f'Say which:  --sql "select * from {first}"'
        )
    return 'select * from "{}"'.format(names[0].replace('"', '""'))


def _copied(connection: Any, base: sqlite3.Connection, query: str) -> list[str]:
    cursor = base.execute(query)
    if cursor.description is None:
        raise sqlite3.OperationalError("the query gives no rows")
    names = [str(part[0]) for part in cursor.description]
    declared = _declared(base, query)
    places = [f"c{i}" for i in range(len(names))]
    kinds = _kinds(base, query, places)
    columns = ", ".join(f"{place} {kind}" for place, kind in zip(places, kinds, strict=True))
    connection.execute(f"create table data ({columns})")
    while rows := cursor.fetchmany(_CHUNK):
        # SQLite cells have types of their own: text wins in a column that has any.
        chunk = {
            place: np.array([_cell(value, kind) for value in values], dtype=object)
            for place, kind, values in zip(places, kinds, zip(*rows, strict=True), strict=True)
        }
        connection.register("chunk", chunk)
        connection.execute(f"insert into data select {', '.join(places)} from chunk")
        connection.unregister("chunk")
    for place, kind, told in zip(places, kinds, (declared.get(name, "") for name in names), strict=True):
        if kind == "VARCHAR" and told.lower() in _DATES:
            good = f"select count(try_cast({place} as timestamp)) = count({place}) from data"
            if connection.execute(good).fetchone()[0]:
                connection.execute(f"alter table data alter {place} type timestamp")
    return names


def _declared(base: sqlite3.Connection, query: str) -> dict[str, str]:
    """The types that the columns of a whole table were declared with."""
    table = query.removeprefix("select * from ")
    try:
        return {str(row[1]): str(row[2]) for row in base.execute(f"pragma table_info({table})")}
    except sqlite3.Error:
        return {}


def _kinds(base: sqlite3.Connection, query: str, places: list[str]) -> list[str]:
    each = ", ".join(
        f"max(typeof({place}) in ('text', 'blob')), max(typeof({place}) = 'real')" for place in places
    )
    found = base.execute(
        f"with bough_cells({', '.join(places)}) as ({query}\n) select {each} from bough_cells"
    ).fetchone()
    pairs = zip(found[::2], found[1::2], strict=True)
    return ["VARCHAR" if text else "DOUBLE" if real else "BIGINT" for text, real in pairs]


def _cell(value: Any, kind: str) -> Any:
    if value is None or kind != "VARCHAR" or isinstance(value, str):
        return value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)

"""The rows of any file as one table in duckdb, read as a whole or a part at a time."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.arrays import check_finite
from bough.data.csv_files import BAD_LINES, CsvFile, exact_path
from bough.data.databases import load_arrow, load_query, load_sqlite
from bough.data.encode import recode
from bough.data.frames import check_unique
from bough.data.ingest import to_table
from bough.data.kinds import file_kind
from bough.data.table import BOOLEAN, Column, Field, Table
from bough.errors import BoughError

_SMALL = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER", "FLOAT", "DOUBLE")
_WHOLE = ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT")
_TEXTS = ("VARCHAR", "UUID")
_EXACT = 2**53
STREAM_MEMORY = "160MB"  # for duckdb, where rows pass in parts


class Rows:
    """The table `data` of a connection, with the names and kinds of its columns. `typed`: of a format whose
    moments say whether they have a zone, which texts do not."""

    def __init__(self, connection: Any, names: list[str], notes: list[str], typed: bool = False) -> None:
        self.connection, self.notes, self.typed = connection, notes, typed
        self.n_rows = int(self._one("select count(*) from data"))
        described = connection.execute("select column_name, column_type from (describe data)").fetchall()
        self._places = {str(place): str(kind) for place, kind in described}
        self._numbers = {name: place for place, name in enumerate(names) if f"c{place}" in self._places}
        self.names = list(self._numbers)
        self._fields: dict[str, Field] = {}

    def table(self, names: Collection[str] | None = None, start: int = 0, stop: int | None = None) -> Table:
        """The rows from `start` to before `stop`, with these columns or all; kinds and categories are those
        of the whole table."""
        wanted = [name for name in self.names if names is None or name in names]
        whole = start == 0 and stop is None
        where = (
            "" if whole else f" where rowid >= {start} and rowid < {self.n_rows if stop is None else stop}"
        )
        if not wanted:  # all are set by the caller
            return Table((), (self.n_rows if stop is None else min(stop, self.n_rows)) - start)
        fields = {name: self._field(name) for name in wanted}
        asked = [f"{self._expression(name)} as {self._place(name)}" for name in wanted]
        found = self.connection.execute(f"select {', '.join(asked)} from data{where}").fetchnumpy()
        columns = [_column(fields[name], found[self._place(name)]) for name in wanted]
        check_finite(columns)
        return Table(tuple(columns), len(columns[0].values))

    def _one(self, sql: str) -> Any:
        return self.connection.execute(sql).fetchone()[0]

    def _place(self, name: str) -> str:
        return f"c{self._numbers[name]}"

    def _field(self, name: str) -> Field:
        """The kind of a column and its categories, from all rows; texts become an enumeration."""
        if name not in self._fields:
            self._fields[name] = self._learned(name)
        return self._fields[name]

    def _learned(self, name: str) -> Field:
        place, kind = self._place(name), self._places[self._place(name)]
        if kind in _TEXTS or kind.startswith("ENUM"):
            text = f"{place}::varchar"
            self.connection.execute(
                f"create type e_{place} as enum "
                f"(select distinct {text} from data where {place} is not null order by 1)"
            )
            categories = tuple(
                row[0]
                for row in self.connection.execute(f"select unnest(enum_range(null::e_{place}))").fetchall()
            )
            return Field(name, "nominal", categories)
        if kind == "BOOLEAN":
            return Field(name, "boolean", BOOLEAN)
        if kind == "DATE" or kind.startswith("TIMESTAMP"):
            row = self.connection.execute(
                f"select rowid from data where isinf({place}) order by rowid limit 1"
            ).fetchone()
            if row is not None:  # which would count as missing
                raise BoughError(
                    f'column "{name}", row {row[0]}: the date is infinite.',
                    code="column",
                    hint="Replace infinite dates by a date, or by null for missing.",
                )
            zoned = "TIME ZONE" in kind or (False if self.typed and kind != "DATE" else None)
            return Field(name, "datetime", zoned=zoned)
        if kind in _SMALL or kind.startswith("DECIMAL"):
            return Field(name, "numeric")
        if kind in _WHOLE and not self._one(
            f"select coalesce(max(abs({place}::double)) >= {_EXACT}, false) from data"
        ):
            return Field(name, "numeric")
        # Times, and what a table cannot hold: refused, or turned into numbers, by what reads any values.
        return to_table(
            {name: self.connection.execute(f"select {place} from data").fetchnumpy()[place]}
        ).fields[0]

    def _expression(self, name: str) -> str:
        place, field = self._place(name), self._fields[name]
        kind = self._places[place]
        if field.kind == "nominal" and (kind in _TEXTS or kind.startswith("ENUM")):
            return f"coalesce(enum_code({place}::varchar::e_{place})::double, 'nan')"
        if field.kind == "datetime" and (kind == "DATE" or kind.startswith("TIMESTAMP")):
            moment = f"{place}::{'timestamptz' if 'TIME ZONE' in kind else 'timestamp'}"
            return f"coalesce(epoch_us({moment})::double, 'nan')"
        if kind in (*_SMALL, *_WHOLE, "BOOLEAN") or kind.startswith("DECIMAL"):
            return f"coalesce({place}::double, 'nan')"
        return place


def _column(field: Field, found: NDArray[Any]) -> Column:
    if found.dtype == np.float64 and not isinstance(found, np.ma.MaskedArray):
        return _maybe_boolean(Column(field, found))
    other = to_table({field.name: found}).columns[0]
    return other if other.field.kind == field.kind else recode(other, field)


def _maybe_boolean(column: Column) -> Column:
    """Columns of the texts true and false, in any case, are booleans."""
    name = column.field.name
    plain = tuple(category.capitalize() for category in column.field.categories)
    if (
        column.field.kind == "nominal"
        and plain
        and set(plain) <= set(BOOLEAN)
        and len(set(plain)) == len(plain)
    ):
        renamed = Column(Field(name, "nominal", plain), column.values)
        return recode(renamed, Field(name, "boolean", BOOLEAN))
    return column


@contextmanager
def open_rows(
    path: Path,
    *,
    skip: Collection[str] = (),
    only: Collection[str] | None = None,
    texts: Collection[str] = (),
    sql: str | None = None,
    bad_lines: str = "error",
    stream: bool = False,
) -> Iterator[Rows]:
    """The rows of a file, or of a query over it, where it is called `data`. `skip`: columns to leave out,
    whatever they hold; `only`: columns that are wanted, of which others may be left out;
    `texts`: columns of a CSV file that are text whatever they look like; `stream`: rows wait on disk, so that
    memory does not grow with the file."""
    import duckdb

    if bad_lines not in BAD_LINES:
        raise BoughError(
            f"bad_lines={bad_lines!r} is not possible.",
            code="parameter",
            hint=f"One of {', '.join(BAD_LINES)}.",
        )
    with TemporaryDirectory(prefix="bough-") as folder:
        settings: dict[str, Any] = {}
        if stream:
            settings = {"memory_limit": STREAM_MEMORY, "temp_directory": folder, "threads": 2}
        place = str(Path(folder) / "rows.duckdb") if stream else ":memory:"
        with duckdb.connect(place, config=settings) as connection:
            try:
                file = _File(connection, _in_utf8(path, Path(folder)), Path(folder), skip, only, texts)
                yield file.rows(sql, bad_lines)
            except duckdb.InterruptException:
                raise KeyboardInterrupt from None
            except duckdb.OutOfMemoryException:
                raise MemoryError from None
            except RuntimeError as error:
                if "interrupted" in str(error).lower():  # by Ctrl-C, which duckdb hears first
                    raise KeyboardInterrupt from None
                raise


def _in_utf8(path: Path, folder: Path) -> Path:
    """duckdb takes names in UTF-8 only; a file with another one is read through a link."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        link = folder / os.fsencode(path.name).decode("utf-8", "replace")
        link.symlink_to(path.absolute())
        return link
    return path


@dataclass(frozen=True)
class _File:
    connection: Any
    path: Path
    folder: Path
    skip: Collection[str]
    only: Collection[str] | None
    texts: Collection[str]

    def rows(self, sql: str | None, bad_lines: str) -> Rows:
        path, kind = self.path, file_kind(self.path)
        if not path.stat().st_size:
            raise BoughError(f"{path.name} is empty (0 bytes).", code=kind, hint="Was it written completely?")
        notes: list[str] = []
        if kind == "csv":
            only = None if sql is not None else self.only
            file = CsvFile(path, self.folder, skip=self.skip, only=only, texts=self.texts)
            file.load(self.connection, bad_lines)
            names, notes = file.names, file.notes
        elif kind == "sqlite":
            names = load_sqlite(self.connection, path, sql)
        elif kind == "arrow":
            names = load_arrow(self.connection, path)
        else:
            names = self._native(kind)
        if sql is not None and kind != "sqlite":
            check_unique(names)
            names = queried(self.connection, sql, names)
        return self._checked(names, notes, kind)

    def _native(self, kind: str) -> list[str]:
        """What duckdb reads by itself."""
        import duckdb

        quoted = exact_path(self.path).replace("'", "''")
        try:
            return load_query(self.connection, f"select * from read_{kind}('{quoted}')")
        except duckdb.Error as error:
            reason = str(error).partition(": ")[2].strip().splitlines() or [str(error)]
            raise BoughError(
                f"{self.path.name} cannot be read as {kind}: {reason[0]}",
                code=kind,
                hint="Was it written completely?",
            ) from None

    def _checked(self, names: list[str], notes: list[str], kind: str) -> Rows:
        check_unique([name for name in names if name not in self.skip])
        rows = Rows(self.connection, names, notes, kind in ("parquet", "arrow"))
        rows.names = [name for name in rows.names if name not in self.skip]
        if not rows.n_rows:
            some = ", ".join(rows.names[:8]) + (f", … ({len(rows.names)})" if len(rows.names) > 8 else "")
            raise BoughError(
                f"{self.path.name} has no rows, only the columns {some}.",
                code=kind,
                hint="Was it filtered, or written completely?",
            )
        return rows


def queried(connection: Any, sql: str, names: list[str]) -> list[str]:
    """The table `data` becomes the result of a query, in which it has its own names."""
    import duckdb

    quoted = [name.replace('"', '""') for name in names]
    renamed = ", ".join(f'c{i} as "{name}"' for i, name in enumerate(quoted))
    connection.execute("alter table data rename to before_query")
    connection.execute(f"create view data as select {renamed} from before_query")
    try:
        found = load_query(connection, sql.strip().rstrip(";"), "queried")
    except duckdb.Error as error:
        reason = str(error).partition(": ")[2].strip().splitlines() or [str(error)]
        raise BoughError(
            f"the query fails: {reason[0]}",
            code="sql",
            hint="The file is called data:  select * from data where …",
        ) from None
    connection.execute("drop view data")
    connection.execute("drop table before_query")
    connection.execute("alter table queried rename to data")
    return found

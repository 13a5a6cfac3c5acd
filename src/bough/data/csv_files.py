"""A CSV file to the table `data` in duckdb: every line is read, every type is decided from all of them."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from bough.data.csv_text import check_text, in_utf8, is_utf8, look, unreadable, with_even_ends
from bough.data.frames import check_unique
from bough.data.objects import inexact
from bough.errors import BoughError

BAD_LINES = ("error", "skip")
# Left to itself duckdb takes "a,b,c" for one column of text if a single line of the sample has a comma more,
# and reads on after an open quote. Told the delimiter and the quote, it does neither.
_OPTIONS = "delim=$delimiter, quote='\"', escape='\"', comment='', skip=0, header=true, names=$names"
# No BOOLEAN, which would make True and False of yes and no.
# 02/01/2015 is January or February: only dates that cannot be misread are dates.
_EXACT = (
    "sample_size=-1, dateformat='%Y-%m-%d', "
    "auto_type_candidates=['BIGINT', 'DOUBLE', 'TIME', 'DATE', 'TIMESTAMP', 'VARCHAR']"
)
# In one pass, half the time: a wrong guess from the first lines must fail or be seen afterwards. Whole
# numbers and dates are no candidates, because duckdb rounds 1.5 and cuts the hour off without a word.
_QUICK = "dateformat='%Y-%m-%d', auto_type_candidates=['DOUBLE', 'TIMESTAMP', 'VARCHAR']"
_EXACT_INTEGERS = 2.0**53
_NO_DATES = "[+-]?(inf|infinity|epoch)"
_LONGEST = "max_line_size=16777216, buffer_size=33554432"


class CsvFile:
    """One CSV file; `load` makes the table of it, with the columns c0, c1, … of the file."""

    def __init__(
        self,
        path: Path,
        folder: Path,
        *,
        skip: Collection[str] = (),
        only: Collection[str] | None = None,
        texts: Collection[str] = (),
    ) -> None:
        """`folder` is for copies; `skip`: columns that may hold anything and are left out; `only`: columns
        that are wanted; `texts`: columns that are text whatever they look like."""
        self.path, self.shown, self.folder = path, path, folder
        self.notes: list[str] = []
        self.names: list[str] = []
        check_text(path)
        self._look()
        check_unique([name for name in self.names if name and name not in skip])
        # duckdb names columns without one as we do.
        self.names = [name or f"column{i}" for i, name in enumerate(self.names)]
        wanted = self.names if only is None else only
        self.kept = [i for i, name in enumerate(self.names) if name in wanted and name not in skip] or [0]
        self.texts = [f"c{i}" for i in self.kept if self.names[i] in texts]

    def _look(self) -> None:
        try:
            found = look(self.path)
        except UnicodeDecodeError:
            self._transcode()
            found = look(self.path)
        self.names, self.delimiter = found.names, found.delimiter

    def _transcode(self) -> None:
        self.path, encoding = in_utf8(self.path, self.folder)
        self.notes.append(f"{self.shown.name} was read as {encoding}, because it is not utf-8.")

    def load(self, connection: Any, bad_lines: str = "error") -> None:
        """Makes the table `data`."""
        try:
            self._load(connection, bad_lines)
        except BoughError as error:
            if self.path is self.shown and not is_utf8(self.path):
                self._transcode()
            elif self.path is self.shown and "state machine" in error.message:
                # That is all that duckdb says of a file in which lines end in several ways.
                self.path = with_even_ends(self.path, self.folder)
            else:
                raise
            self._load(connection, bad_lines)

    def _load(self, connection: Any, bad_lines: str) -> None:
        import duckdb

        if bad_lines == "skip":
            self._clean(connection)
        try:
            connection.execute(f"create or replace table data as {self._read(_QUICK)}", self._arguments())
        except duckdb.Error:
            sure = False
        else:
            sure = not self._doubtful(connection)
        if not sure:
            self._exactly(connection)
        self._check_dates(connection)
        self._check_header(connection)

    def _exactly(self, connection: Any) -> None:
        import duckdb

        try:
            connection.execute(f"create or replace table data as {self._read(_EXACT)}", self._arguments())
        except duckdb.OutOfMemoryException:
            raise MemoryError from None
        except duckdb.Error as error:
            raise self._malformed(connection, str(error)) from None
        self._check_whole_numbers(connection)

    def _check_whole_numbers(self, connection: Any) -> None:
        """Whole numbers too long for BIGINT come as DOUBLE; one that this changes is an error."""
        kinds = "select column_name from duckdb_columns() where table_name = 'data' and data_type = 'DOUBLE'"
        for (place,) in connection.execute(kinds).fetchall():
            large = f"select coalesce(max(abs({place})) >= {_EXACT_INTEGERS}, false) from data"
            if not connection.execute(large).fetchone()[0]:
                continue
            as_text = self._read("all_varchar=true")
            texts = f"select {place} as t, row_number() over () - 1 as row from ({as_text})"
            found = connection.execute(
                f"select t, row from ({texts}) where regexp_full_match(t, '-?[1-9][0-9]{{15,}}') "
                "and format('{:.0f}', t::double) <> t order by row limit 1",
                self._arguments(),
            ).fetchone()
            if found is not None:
                raise inexact(self.names[int(place[1:])], int(found[0]), int(found[1]))

    def _check_dates(self, connection: Any) -> None:
        """duckdb reads the words infinity and epoch as 1900-01-01 where the form of dates is given."""
        kinds = "column_name, data_type from duckdb_columns() where table_name = 'data'"
        for place, kind in connection.execute(f"select {kinds}").fetchall():
            first = f"select count(*) from data where {place} = '1900-01-01'"
            if kind not in ("DATE", "TIMESTAMP") or not connection.execute(first).fetchone()[0]:
                continue
            as_text = self._read("all_varchar=true")
            texts = f"select {place} as t, row_number() over () - 1 as row from ({as_text})"
            found = connection.execute(
                f"select t, row from ({texts}) where regexp_full_match(lower(trim(t)), '{_NO_DATES}') "
                "order by row limit 1",
                self._arguments(),
            ).fetchone()
            if found is not None:
                raise BoughError(
                    f'column "{self.names[int(place[1:])]}", row {found[1]}: "{found[0]:.40}" is no date.',
                    code="column",
                    hint="Leave the cell empty, or write the date as 2026-01-31.",
                )

    def _read(self, how: str) -> str:
        types = ", ".join(f"'{name}': 'VARCHAR'" for name in self.texts)
        forced = f", types={{{types}}}" if types else ""
        kept = ", ".join(f"c{i}" for i in self.kept)
        return f"select {kept} from read_csv($path, {_OPTIONS}, {_LONGEST}, {how}{forced})"

    def _read_texts(self, how: str) -> str:
        """Lines as they are, all columns, none that cannot be read."""
        how = f"all_varchar=true, ignore_errors=true{how}"
        return f"select * from read_csv($path, {_OPTIONS}, {_LONGEST}, {how})"

    def _arguments(self) -> dict[str, Any]:
        names = [f"c{i}" for i in range(len(self.names))]
        return {"path": exact_path(self.path), "delimiter": self.delimiter, "names": names}

    def _doubtful(self, connection: Any) -> bool:
        """Whether all lines together could say something else than the first ones."""
        columns = connection.execute(
            "select column_name, data_type from duckdb_columns() where table_name = 'data'"
        )
        for name, kind in columns.fetchall():
            if kind == "DOUBLE":
                test = f"max(abs({name})) >= {_EXACT_INTEGERS} from data"
            elif kind == "VARCHAR" and name not in self.texts:
                kinds = ("DOUBLE", "TIMESTAMP", "TIME", "DATE")
                each = [f"count(try_cast({name} as {other})) = count({name})" for other in kinds]
                test = f"count({name}) > 0 and ({' or '.join(each)}) from (select distinct {name} from data)"
            else:
                continue
            if connection.execute(f"select {test}").fetchone()[0]:
                return True
        return False

    def _check_header(self, connection: Any) -> None:
        """Files that were put together have their first line again, which makes all columns text."""
        repeated = self._repeated("data", connection)
        if repeated:
            lines = "line" if repeated == 1 else "lines"
            raise BoughError(
                f"{self.shown.name} has the names of its columns again on {repeated:,} {lines}.",
                code="csv",
                hint="Were files put together? Skip such lines with --bad-lines skip",
            )

    def _repeated(self, table: str, connection: Any) -> int:
        found = connection.execute(
            f"select column_name, data_type from duckdb_columns() where table_name = '{table}'"
        ).fetchall()
        if {kind for _, kind in found} != {"VARCHAR"} or len(self.names) < 2:
            return 0
        tests = " and ".join(f"{place} = ?" for place, _ in found)
        names = [self.names[int(place[1:])] for place, _ in found]
        return int(connection.execute(f"select count(*) from {table} where {tests}", names).fetchone()[0])

    def _clean(self, connection: Any) -> None:
        """The same file without lines of another length, and without repeated headers."""
        import duckdb

        try:
            found = self._rejected(connection)
            connection.execute(f"create or replace table whole as {self._read_texts('')}", self._arguments())
        except duckdb.OutOfMemoryException:
            raise MemoryError from None
        except duckdb.Error as error:  # not one line is to blame: all of the file cannot be read
            raise self._malformed(connection, str(error)) from None
        found += self._repeated("whole", connection)
        if found:
            good = self.folder / "good.csv"
            tests = " and ".join(f"c{i} is not distinct from ?" for i in range(len(self.names)))
            connection.execute(
                f"copy (select * from whole where not ({tests})) to '{good}' "
                f"(header, delimiter '{self.delimiter}')",
                self.names,
            )
            self.path = good
            self.notes.append(f"{found:,} bad lines of {self.shown.name} were skipped.")
        connection.execute("drop table whole")

    def _rejected(self, connection: Any) -> int:
        read = self._read_texts(", store_rejects=true")
        connection.execute(f"select count(*) from ({read})", self._arguments()).fetchall()
        row = connection.execute("select count(distinct line) from reject_errors").fetchone()
        connection.execute("drop table if exists reject_errors")
        connection.execute("drop table if exists reject_scans")
        return int(row[0])

    def _malformed(self, connection: Any, text: str) -> BoughError:
        """For lines of a wrong length the sniffer only says that it failed; without it the line is named."""
        import duckdb

        columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(self.names)))
        options = (
            f"{_OPTIONS.replace(', names=$names', '')}, auto_detect=false, columns={{{columns}}}, {_LONGEST}"
        )
        given = {name: value for name, value in self._arguments().items() if name != "names"}
        try:
            connection.execute(f"select count(columns(*)) from read_csv($path, {options})", given).fetchall()
        except duckdb.Error as error:
            text = str(error)
        return self._explained(connection, text)

    def _explained(self, connection: Any, text: str) -> BoughError:
        line = re.search(r"CSV Error on Line: (\d+)", text)
        name = self.shown.name
        where = f"{name} line {line[1]}" if line else name
        count = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
        original = re.search(r"Original Line: (.*)", text)
        start = f"  {line[1]}: {original[1][:60]}" if line and original else ""
        if "Maximum line size" in text:
            return BoughError(
                f"{where} is longer than 16 million bytes.",
                code="csv",
                hint="Is a quote not closed, or is this no CSV?",
            )
        if "unterminated quote" in text:
            return BoughError(
                f"{where} has a quote that is not closed.",
                code="csv",
                hint=f"{start}   ← here\nAdd or remove it.",
            )
        if count:
            mark = "   ← a quote is not closed" if start.count('"') % 2 else ""
            return BoughError(
                f"{where} has {count[2]} values, the header has {count[1]}.",
                code="csv",
                hint=f"{start}{mark}\nSkip such lines with --bad-lines skip{self._how_many(connection)}.",
            )
        reason = text.partition(": ")[2].strip().splitlines() or [text]
        return unreadable(self.shown, reason[0])

    def _how_many(self, connection: Any) -> str:
        import duckdb

        try:
            return f" ({self._rejected(connection):,} found)"
        except duckdb.Error:
            return ""


def exact_path(path: Path) -> str:
    """The path as duckdb takes it for one file only."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))

"""Files to a typed table: CSV, TSV, Parquet and JSON through duckdb, and the tables shipped as demo:NAME."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import IO, Any

from bough.data import examples
from bough.data.encode import recode
from bough.data.frames import check_unique
from bough.data.ingest import to_table
from bough.data.table import BOOLEAN, Column, Field, Table
from bough.errors import BoughError, did_you_mean

_FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
}
# Left to itself duckdb takes "a,b,c" for one column of text if a single line of the sample has a comma more,
# and reads on after an open quote. Told the delimiter and the quote, it does neither.
_OPTIONS = "delim=?, quote='\"', escape='\"', comment='', skip=0, header=true"
# Types are decided from all lines, so that none fails later.
# No BOOLEAN, which would make True and False of yes and no.
_TYPED = (
    f"select * from read_csv(?, {_OPTIONS}, sample_size=-1, "
    "auto_type_candidates=['BIGINT', 'DOUBLE', 'TIME', 'DATE', 'TIMESTAMP', 'VARCHAR'], "
    # 02/01/2015 is January or February: only dates that cannot be misread are dates.
    "dateformat='%Y-%m-%d')"
)
# For lines of the wrong length the sniffer only says that it failed; without it the line is named.
_UNTYPED = f"select * from read_csv(?, {_OPTIONS}, auto_detect=false, columns={{columns}})"


def read_file(path_or_demo: str, skip: Collection[str] = ()) -> Table:
    """The table of a file, its format taken from the ending (.gz allowed), or of `demo:NAME`; the columns
    named in `skip` are left out, whatever they hold."""
    if path_or_demo.startswith("demo:"):
        return examples.demo_table(path_or_demo.removeprefix("demo:"))
    path = Path(path_or_demo).expanduser()
    kind = _kind(path)
    if not path.is_file():
        raise _not_found(path)
    if not path.stat().st_size:
        raise BoughError(f"{path.name} is empty (0 bytes).", code=kind, hint="Was it written completely?")
    columns = (
        _read_csv(path, skip) if kind == "csv" else _query(path, kind, f"select * from read_{kind}(?)", [])
    )
    columns = {name: values for name, values in columns.items() if name not in skip}
    if not all(len(values) for values in columns.values()):
        raise BoughError(
            f"{path.name} has no rows, only the columns {', '.join(columns)}.",
            code=kind,
            hint="Was it filtered, or written completely?",
        )
    return _with_booleans(to_table(columns))


def _kind(path: Path) -> str:
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if ending not in _FORMATS:
        raise BoughError(
            f'cannot tell the format of {path.name} from its ending "{ending}".',
            code="file",
            hint=f"Endings: {', '.join(_FORMATS)}; also with .gz after them. Tables to try: demo:NAME",
        )
    return _FORMATS[ending]


def _read_csv(path: Path, skip: Collection[str]) -> dict[str, Any]:
    opened: Callable[..., IO[str]] = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            delimiter = max(",;\t|", key=first.count)
            file.seek(0)
            header = next(csv.reader(file, delimiter=delimiter), [])
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, csv.Error) as error:
        raise _malformed(path, "csv", str(error)) from None
    if not header:
        raise BoughError(
            f"{path.name} line 1 is empty, it must hold the names of the columns.",
            code="csv",
            hint="Remove the empty lines above the names.",
        )
    check_unique([name for name in header if name and name not in skip])
    try:
        found = _query(path, "csv", _TYPED, [delimiter])
    except BoughError:
        columns = "{" + ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(header))) + "}"
        _query(path, "csv", _UNTYPED.format(columns=columns), [delimiter])
        raise
    # duckdb renames columns that differ in case only, so the names are those of the file.
    return {name or given: values for name, (given, values) in zip(header, found.items(), strict=True)}


def _with_booleans(table: Table) -> Table:
    """The same table with columns of the texts true and false, in any case, as booleans."""
    return Table(tuple(map(_maybe_boolean, table.columns)), table.n_rows)


def _maybe_boolean(column: Column) -> Column:
    name = column.field.name
    plain = tuple(category.capitalize() for category in column.field.categories)
    if plain and set(plain) <= set(BOOLEAN) and len(set(plain)) == len(plain):
        renamed = Column(Field(name, "nominal", plain), column.values)
        return recode(renamed, Field(name, "boolean", BOOLEAN))
    return column


def _query(path: Path, kind: str, sql: str, arguments: list[str]) -> dict[str, Any]:
    """The columns of a file as numpy arrays, masked where something is missing."""
    import duckdb

    exact = re.sub(r"([*?\[])", r"[\1]", str(path))
    with duckdb.connect() as connection:
        try:
            columns: dict[str, Any] = connection.execute(sql, [exact, *arguments]).fetchnumpy()
        except RuntimeError as error:
            if "interrupted" in str(error).lower():  # by Ctrl-C, which duckdb hears first
                raise KeyboardInterrupt from None
            raise
        except duckdb.Error as error:
            raise _malformed(path, kind, str(error)) from None
    return columns


def _malformed(path: Path, kind: str, text: str) -> BoughError:
    line = re.search(r"CSV Error on Line: (\d+)", text)
    where = f"{path.name} line {line[1]}" if line else path.name
    count = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    original = re.search(r"Original Line: (.*)", text)
    shown = f"  {original[1][:80]}\n" if original else ""
    if count:
        return BoughError(
            f"{where} has {count[2]} values, the header has {count[1]}.",
            code=kind,
            hint=f"{shown}Is a value with a comma not in quotes?",
        )
    if kind != "parquet" and not _is_utf8(path):
        return BoughError(
            f"{where} is not text in utf-8.",
            code=kind,
            hint=f"If it is a text file, convert it:  iconv -f latin1 -t utf-8 {path.name} > new.csv",
        )
    if "unterminated quote" in text:
        return BoughError(
            f"{where} has a quote that is not closed.", code=kind, hint=f"{shown}Add or remove it."
        )
    reason = text.partition(": ")[2].strip().splitlines() or [text]
    return BoughError(
        f"{where} cannot be read as {kind}: {reason[0]}", code=kind, hint="Was it written completely?"
    )


def _is_utf8(path: Path) -> bool:
    opened: Callable[..., IO[str]] = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as file:
            while file.read(1 << 20):
                pass
    except UnicodeDecodeError:
        return False
    except (EOFError, OSError):  # not a whole gz file: another problem
        pass
    return True


def _not_found(path: Path) -> BoughError:
    if path.is_dir():
        return BoughError(f"{path} is a folder.", code="file", hint="Name a file in it.")
    folder = path.parent
    if not folder.is_dir():
        return BoughError(
            f"no folder {folder}, so no file {path.name} in it.", code="file", hint="Check the path."
        )
    names = sorted(file.name for file in folder.iterdir() if file.is_file())
    known = [name for name in names if Path(name.lower().removesuffix(".gz")).suffix in _FORMATS]
    return BoughError(
        f"no file {path}.{did_you_mean(path.name, names)}",
        code="file",
        hint=f"Files there: {', '.join(known[:5])}" if known else "Tables to try without a file: demo:NAME",
    )

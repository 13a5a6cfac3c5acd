"""Rows to a file that appears as a whole, or to stdout as they come: CSV, TSV, JSON lines, Parquet."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from bough.data.csv_files import exact_path
from bough.errors import BoughError

Write = Callable[[list[tuple[Any, ...]]], None]
FORMATS = {
    ".csv": ",",
    ".tsv": "\t",
    ".txt": "\t",
    ".jsonl": "json",
    ".ndjson": "json",
    ".parquet": "parquet",
}


@contextmanager
def writer(place: str, columns: list[str]) -> Iterator[Write]:
    """A function that takes rows; the file is there when the block is left without an error."""
    try:
        with _writer(place, columns) as write:
            yield write
    except UnicodeEncodeError as error:
        raise BoughError(
            f"the answers hold {error.object[error.start]!r}, half of a letter, which no text has.",
            code="file",
            hint="Write JSON lines, which can:  -o answers.jsonl",
        ) from None


@contextmanager
def _writer(place: str, columns: list[str]) -> Iterator[Write]:
    if place == "-":
        yield _to(sys.stdout, ",", columns)
        sys.stdout.flush()
        return
    target = Path(os.path.realpath(Path(place).expanduser()))
    form = _format(target)
    if form == "parquet":
        _check_folder(target.parent)
        _check_names(columns)
    if target.is_dir() or not target.parent.is_dir():
        what = f"{place} is a folder" if target.is_dir() else f"there is no folder {target.parent}"
        raise BoughError(f"{what}.", code="file", hint="Give the name of a file.")
    # A device or a pipe is written to as it is; nothing else can stand in its place.
    own = target.exists() and not target.is_file()
    part = target if own else target.with_name(f".{secrets.token_hex(9)}.part")
    try:
        kinds = [set[type]() for _ in columns]
        with _opened(part, packed=target.name.lower().endswith(".gz")) as file:
            yield _to_rest(file, kinds) if form == "parquet" else _to(file, form, columns)
            if form == "parquet":
                file.write("]")
        if form == "parquet":
            _to_parquet(part, columns, kinds)
        if not own:
            os.replace(part, target)
    except BaseException:
        if not own:
            with suppress(OSError):
                part.unlink()
        raise


def _format(path: Path) -> str:
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if ending not in FORMATS and not (path.exists() and not path.is_file()):
        raise BoughError(
            f'cannot tell the format of {path.name} from its ending "{ending}".',
            code="parameter",
            hint=f"Endings: {', '.join(FORMATS)}; - writes CSV to stdout.",
        )
    if ending == ".parquet" and path.name.lower().endswith(".gz"):
        raise BoughError(
            f"{path.name}: a Parquet file is packed already.",
            code="parameter",
            hint=f"-o {path.name.removesuffix(path.suffix)}",
        )
    return FORMATS.get(ending, ",")


@contextmanager
def _opened(path: Path, *, packed: bool) -> Iterator[IO[str]]:
    with path.open("wb") as raw:
        if packed:
            # No name and no time in it: the same rows give the same bytes.
            with (
                gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as zipped,
                io.TextIOWrapper(zipped, "utf-8", newline="") as text,
            ):
                yield text
        else:
            with io.TextIOWrapper(raw, "utf-8", newline="") as text:
                yield text
                text.flush()
                with suppress(OSError):  # a pipe has nothing to wait for
                    os.fsync(raw.fileno())


def _to(file: IO[str], form: str, columns: list[str]) -> Write:
    if form == "json":

        def write(rows: list[tuple[Any, ...]]) -> None:
            file.writelines(json.dumps(dict(zip(columns, row, strict=True))) + "\n" for row in rows)

        return write
    rows_to = csv.writer(file, delimiter=form, lineterminator="\n")
    rows_to.writerow(columns)
    return rows_to.writerows


def _check_folder(folder: Path) -> None:
    """duckdb, which writes Parquet, takes names in UTF-8 only."""
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise BoughError(
            f"the name of the folder {folder} is not UTF-8, so that no Parquet file can be written there.",
            code="file",
            hint="Write CSV, or give another folder.",
        ) from None


def _check_names(columns: list[str]) -> None:
    """duckdb would give another name to the second of two that differ in case only."""
    known: dict[str, str] = {}
    for name in columns:
        name.encode()
        other = known.setdefault(name.lower(), name)
        if other is not name:
            raise BoughError(
                f'the columns "{other}" and "{name}" differ in case only, and bough cannot write '
                "both to a Parquet file.",
                code="file",
                hint="Write CSV or JSON lines:  -o answers.csv",
            )


def _to_rest(file: IO[str], kinds: list[set[type]]) -> Write:
    """A list in JSON, which tells a text from a number, until all rows are there; its end is not written.
    `kinds`: types by column."""
    places = [f"c{i}" for i in range(len(kinds))]
    encode, before = json.JSONEncoder(ensure_ascii=False).encode, "["

    def write(rows: list[tuple[Any, ...]]) -> None:
        for kind, cells in zip(kinds, zip(*rows, strict=True), strict=True):
            kind.update(map(type, cells))
            if kind == {int} and not -(2**63) <= min(cells) <= max(cells) < 2**63:
                kind.add(str)
        nonlocal before
        # A part at once: row by row it takes twice as long.
        file.write(before + encode([dict(zip(places, row, strict=True)) for row in rows])[1:-1])
        before = ", "

    return write


def _parquet_type(found: set[type]) -> str:
    """A text stays one, whatever it looks like."""
    given = found - {type(None)}
    for kind, name in ((bool, "BOOLEAN"), (int, "BIGINT")):
        if given == {kind}:
            return name
    return "DOUBLE" if given and given <= {int, float} else "VARCHAR"


def _to_parquet(path: Path, columns: list[str], kinds: list[set[type]]) -> None:
    import duckdb

    other = path.with_name(path.name + "2")
    places = [name.replace("'", "''") for name in (exact_path(path), str(other))]
    types = ", ".join(f"c{i}: '{_parquet_type(kind)}'" for i, kind in enumerate(kinds))
    read = f"read_json('{places[0]}', format='array', columns={{{types}}})"
    names = ", ".join('c{} as "{}"'.format(i, name.replace('"', '""')) for i, name in enumerate(columns))
    try:
        with duckdb.connect() as connection:
            connection.execute(f"copy (select {names} from {read}) to '{places[1]}' (format parquet)")
        os.replace(other, path)
    finally:
        with suppress(OSError):
            other.unlink()

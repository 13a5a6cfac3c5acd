"""DATA on the command line to a table: a file, demo:NAME, or CSV on stdin; and columns found by name."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bough.data.examples import example
from bough.data.files import read_file
from bough.data.table import Column, Table
from bough.errors import BoughError, did_you_mean

DEMO = "demo:"


@dataclass(frozen=True)
class Source:
    name: str  # as messages call it
    table: Table
    target: str | None  # known for demo tables
    skipped: tuple[str, ...] = ()  # columns that cannot be read and are not wanted


def read_source(data: str, drop: Iterable[str] = ()) -> Source:
    """A column that cannot be used is an error, unless it is to be dropped anyway."""
    if data.startswith(DEMO):
        return Source(data, read_file(data), example(data.removeprefix(DEMO)).target)
    name = "stdin" if data == "-" else Path(data).name
    with ExitStack() as stack:
        path = str(stack.enter_context(_stdin())) if data == "-" else data
        try:
            return Source(name, read_file(path), None)
        except BoughError as error:
            skip = tuple({word.strip() for text in drop for word in (text, *text.split(","))})
            if error.code != "column" or not skip:
                raise
            return Source(name, read_file(path, skip), None, skip)


@contextmanager
def _stdin() -> Iterator[Path]:
    """duckdb reads files only, so the input becomes one."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "stdin.csv"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield path


def find_column(source: Source, name: str) -> Column:
    for column in source.table.columns:
        if column.field.name == name:
            return column
    names = source.table.names
    same = [known for known in names if known.lower() == name.lower()]
    suggestion = f' Did you mean "{same[0]}"?' if same else did_you_mean(name, names)
    raise BoughError(
        f'no column "{name}" in {source.name}.{suggestion}', code="column", hint=columns_line(source)
    )


def columns_line(source: Source) -> str:
    names = source.table.names
    return f"columns: {', '.join(names[:8])}{', …' if len(names) > 8 else ''} ({len(names)})"


def column_list(source: Source, given: Iterable[str]) -> list[str]:
    """The names in repeated options and comma lists; a column with a comma in its name is found too."""
    wanted: list[str] = []
    for text in given:
        whole = text in source.table.names
        wanted += [text] if whole else [name.strip() for name in text.split(",") if name.strip()]
    return [name if name in source.skipped else find_column(source, name).field.name for name in wanted]

"""DATA on the command line to a table: a file, a query, demo:NAME, or CSV on stdin; columns found by name."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bough.cli.column_types import converted, parsed_types
from bough.data.examples import demo_table, example
from bough.data.rows import open_rows
from bough.data.table import Column, Table
from bough.errors import BoughError, did_you_mean

DEMO = "demo:"


@dataclass(frozen=True)
class Source:
    name: str  # as messages call it
    table: Table
    target: str | None  # known for demo tables
    skipped: tuple[str, ...] = ()  # columns that cannot be read and are not wanted
    notes: tuple[str, ...] = ()


def source_name(data: str) -> str:
    if data.startswith(DEMO):
        return data
    return "stdin" if data == "-" else Path(data).name


def read_source(
    data: str,
    drop: Iterable[str] = (),
    *,
    types: tuple[str, ...] = (),
    sql: str | None = None,
    bad_lines: str = "error",
) -> Source:
    """A column that cannot be used is an error, unless it is to be dropped anyway."""
    name, kinds = source_name(data), parsed_types(types)
    if data.startswith(DEMO):
        if sql is not None:
            raise BoughError("--sql is for files.", code="parameter", hint="Leave it out with demo:NAME.")
        short = data.removeprefix(DEMO)
        table, notes = converted(demo_table(short), kinds, name)
        return Source(name, table, example(short).target, (), tuple(notes))
    texts = [column for column, kind in kinds.items() if kind == "category"]

    def read(skip: Collection[str]) -> Source:
        path = Path(data).expanduser()
        with open_rows(path, skip=skip, texts=texts, sql=sql, bad_lines=bad_lines) as rows:
            table, notes = converted(rows.table(), kinds, name)
            return Source(name, table, None, tuple(skip), (*rows.notes, *notes))

    with ExitStack() as stack:
        if data == "-":
            data = str(stack.enter_context(stdin_file()))
        try:
            return read(())
        except BoughError as error:
            skip = tuple({word.strip() for text in drop for word in (text, *text.split(","))})
            if error.code != "column" or not skip:
                raise
            return read(skip)


@contextmanager
def stdin_file() -> Iterator[Path]:
    """duckdb reads files only, so the input becomes one."""
    with TemporaryDirectory(prefix="bough-") as folder:
        path = Path(folder) / "stdin.csv"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield path


def find_column(source: Source, name: str) -> Column:
    for column in source.table.columns:
        if column.field.name == name:
            return column
    raise no_column(name, source.table.names, source.name)


def no_column(name: str, names: Collection[str], where: str) -> BoughError:
    same = [known for known in names if known.lower() == name.lower()]
    suggestion = f' Did you mean "{same[0]}"?' if same else did_you_mean(name, names)
    return BoughError(
        f'no column "{name}" in {where}.{suggestion}', code="column", hint=columns_line(tuple(names))
    )


def columns_line(names: tuple[str, ...]) -> str:
    return f"columns: {', '.join(names[:8])}{', …' if len(names) > 8 else ''} ({len(names)})"


def column_list(source: Source, given: Iterable[str]) -> list[str]:
    """The names in repeated options and comma lists; a column with a comma in its name is found too."""
    wanted: list[str] = []
    for text in given:
        whole = text in source.table.names
        wanted += [text] if whole else [name.strip() for name in text.split(",") if name.strip()]
    return [name if name in source.skipped else find_column(source, name).field.name for name in wanted]

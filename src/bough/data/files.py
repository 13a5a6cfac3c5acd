"""A file to a typed table, in one call; `bough.data.rows` reads it a part at a time."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from bough.data import examples
from bough.data.rows import open_rows
from bough.data.table import Table


def read_file(path_or_demo: str, skip: Collection[str] = ()) -> Table:
    """The table of a file, its format taken from the ending (.gz allowed), or of `demo:NAME`; the columns
    named in `skip` are left out, whatever they hold."""
    if path_or_demo.startswith("demo:"):
        return examples.demo_table(path_or_demo.removeprefix("demo:"))
    with open_rows(Path(path_or_demo).expanduser(), skip=skip) as rows:
        return rows.table()

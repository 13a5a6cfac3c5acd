"""A bar for long work: on stderr, only on a terminal, not with -q; rich is loaded when it is first shown."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bough.cli.common import plainly, quiet

Tell = Callable[[float, str], None]


def _nothing(_: float, __: str = "") -> None:
    return None


@contextmanager
def progress(what: str, total: float | None, unit: str = "") -> Iterator[Tell]:
    """`tell(done, words)` moves the bar and says something behind it."""
    if quiet() or not sys.stderr.isatty():
        yield _nothing
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, no_color=None, safe_box=plainly(), legacy_windows=False)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None if console.width < 60 else 26),
        MofNCompleteColumn(),
        TextColumn(unit),
        TextColumn("{task.fields[words]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, refresh_per_second=8) as bar:
        task = bar.add_task(what, total=total, words="")

        def tell(done: float, words: str = "") -> None:
            bar.update(task, completed=done, words=words)

        yield tell

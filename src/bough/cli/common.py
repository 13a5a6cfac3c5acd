"""What the verbs share and what needs no heavy import: the option --debug, safe text for stderr."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

DEBUG = "bough.debug"  # key in click's meta, which a verb shares with the group

F = TypeVar("F", bound=Callable[..., Any])


def _remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[DEBUG] = True


def debug_option(command: F) -> F:
    """`--debug`, before or after the verb."""
    option = click.option(
        "--debug",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_remember,
        help="Show the traceback of an error.",
    )
    return option(command)


def escaped(text: str) -> str:
    """Messages quote the user's data: what could steer the terminal becomes an escape, lines stay lines."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)

"""What the verbs share and what needs no heavy import: the option --debug, safe text for stderr."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.core import ParameterSource

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


def command_line(ctx: click.Context) -> str:
    """The command as it was given."""
    words = [f"bough {ctx.command.name}", shlex.quote(ctx.params["data"])]
    for option in ctx.command.params:
        name = option.name or ""
        given = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if not isinstance(option, click.Option) or not given or name not in ctx.params:
            continue
        flag, value = min(option.opts, key=len), ctx.params[name]
        for one in value if isinstance(value, tuple) else [value]:
            words.append(flag if option.is_flag else f"{flag} {shlex.quote(str(one))}")
    return " ".join(words)

"""What the verbs share and what needs no heavy import: common options, streams, safe text."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from bough.cli.config import config_option, save_config_option

DEBUG = "bough.debug"  # keys in click's meta, which a verb shares with the group
QUIET, VERBOSE, PLAIN = "bough.quiet", "bough.verbose", "bough.plain"

F = TypeVar("F", bound=Callable[..., Any])


def remember(key: str) -> Callable[[click.Context, click.Parameter, bool], bool]:
    def callback(ctx: click.Context, _: click.Parameter, value: bool) -> bool:
        if value:
            ctx.meta[key] = True
        return value

    return callback


def _no_color(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value or os.environ.get("NO_COLOR"):
        ctx.color = False


def debug_option(command: F) -> F:
    """`--debug`, before or after the verb."""
    option = click.option(
        "--debug",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=remember(DEBUG),
        help="Show the traceback of an error.",
    )
    return option(command)


def common_options(command: F) -> F:
    """What every verb has: --no-color, --config, --save-config, --debug."""
    color = click.option(
        "--no-color",
        is_flag=True,
        expose_value=False,
        callback=_no_color,
        help="No colours; the variable NO_COLOR says the same.",
    )
    return color(config_option(save_config_option(debug_option(command))))


def output_options(command: F) -> F:
    """--json, --plain, -q and -v; the last three are also remembered for `say`."""
    options = (
        click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text."),
        click.option("--plain", is_flag=True, callback=remember(PLAIN), help="ASCII only."),
        click.option(
            "-q",
            "--quiet",
            is_flag=True,
            callback=remember(QUIET),
            help="The result alone, no words about it.",
        ),
        click.option(
            "-v", "--verbose", is_flag=True, callback=remember(VERBOSE), help="Say also what is being done."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _meta() -> dict[str, Any]:
    ctx = click.get_current_context(silent=True)
    return {} if ctx is None else ctx.meta


def quiet() -> bool:
    return bool(_meta().get(QUIET))


def terminal_width() -> int:
    """Signs in a line. Only a terminal has an end: into a pipe or a file it is always the same text."""
    from bough.tree.text import WIDE

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDE


def prose_width() -> int:
    """Signs in a line of words, which are cut between words: never more than can be read with ease."""
    from bough.tree.text import PROSE

    return min(terminal_width(), PROSE)


def within_terminal(text: str) -> str:
    """Lines that are too wide for a terminal in several, cut where their columns are or between words."""
    from bough.tree.text import display_width, folded

    width = terminal_width()
    if not sys.stdout.isatty() or max(map(display_width, text.split("\n"))) <= width:
        return text
    lines = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())] if display_width(line) > width else ""
        columns = re.sub(" {2,}", "   ", line[len(indent) :]) if display_width(line) > width else line
        for part in folded(columns, width - len(indent)):
            lines += [f"{indent}{piece}" for piece in folded(part, width - len(indent)) if piece.strip()]
    return "\n".join(lines)


def plainly() -> bool:
    """Whether only ASCII is to be printed: as asked for, or because stdout can do no more."""
    return bool(_meta().get(PLAIN)) or cannot_draw(sys.stdout)


def say(text: str, *, detail: bool = False, mark: str = "") -> None:
    """A word to the person, on stderr: not with -q, a detail only with -v. `mark`: a colour for its start."""
    if quiet() or (detail and not _meta().get(VERBOSE)):
        return
    with suppress(OSError):  # what is done is done, even if stderr takes no words (a full disk)
        click.echo(colored(escaped(ascii_signs(text) if plainly() else text), mark), err=True)


def colored(text: str, color: str) -> str:
    """The first word in a colour, where stderr is a terminal and nobody minds (click sees to that)."""
    first, space, rest = text.partition(" ")
    return click.style(first, fg=color, bold=True) + space + rest if color else text


def ascii_signs(text: str) -> str:
    from bough.tree.text import ascii_text

    return ascii_text(text)


SIGNS = "├└│─≤→⚠…±·²▇"


def cannot_draw(stream: Any) -> bool:
    """Whether the stream's encoding lacks the signs of the drawing."""
    try:
        SIGNS.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def escaped(text: str) -> str:
    """Messages quote the user's data: what could steer the terminal becomes an escape, lines stay lines."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)


def command_line(ctx: click.Context) -> str:
    """The command as it was given."""
    words = [f"bough {ctx.command.name}"]
    for argument in ctx.command.params:
        given = ctx.params.get(argument.name or "") if isinstance(argument, click.Argument) else None
        words += [
            shlex.quote(one) for one in (given if isinstance(given, tuple) else (given,)) if one is not None
        ]
    for option in ctx.command.params:
        name = option.name or ""
        typed = ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE and name != "opens"
        if not isinstance(option, click.Option) or not typed or name not in ctx.params:
            continue
        value = ctx.params[name]
        flag = (
            option.secondary_opts[0]
            if value is False and option.secondary_opts
            else min(option.opts, key=len)
        )
        for one in value if isinstance(value, tuple) else [value]:
            words.append(flag if option.is_flag else f"{flag} {shlex.quote(str(one))}")
    return " ".join(words)


def pairs(option: str, given: tuple[str, ...]) -> dict[str, str]:
    """`a=1,b=2` and repeated options to a dict; what follows a comma without a = belongs to the value."""
    found: dict[str, str] = {}
    for text in given:
        last: str | None = None
        for word in text.split(","):
            name, equals, value = word.partition("=")
            if equals:
                last = name.strip()
                found[last] = value.strip()
            elif last is not None:
                found[last] += f",{word}"
            else:
                raise click.BadParameter(f'"{text}" is not of the form NAME=VALUE.', param_hint=f"'{option}'")
    return found

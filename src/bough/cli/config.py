"""The configuration file: the flags of a verb as TOML, read by --config and written by --save-config."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from bough.errors import BoughError, did_you_mean

F = TypeVar("F", bound=Callable[..., Any])

USUAL = "bough.toml"
PATH, SAVE, ABSENT = "bough.config", "bough.save_config", "bough.config_absent"  # keys in click's meta
_APART = ("config", "save_config", "debug")


def config_option(command: F) -> F:
    option = click.option(
        "--config",
        metavar="FILE",
        is_eager=True,
        expose_value=False,
        callback=_read,
        help="Flags from a TOML file; those on the command line win.",
    )
    return option(command)


def save_config_option(command: F) -> F:
    option = click.option(
        "--save-config",
        is_flag=True,
        expose_value=False,
        callback=_remember,
        help=f"Write the flags given here to {USUAL}, or to the file of --config.",
    )
    return option(command)


def flag_name(option: click.Option) -> str:
    """As the file and the help call it: the longest form, without dashes."""
    return max(option.opts, key=len).lstrip("-")


def _remember(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[SAVE] = True
    elif ctx.meta.get(ABSENT):
        from bough.data.kinds import not_found

        raise not_found(Path(ctx.meta[PATH]))


def _read(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is None:
        return
    path = Path(value).expanduser()
    ctx.meta[PATH] = str(path)
    if not path.is_file():
        ctx.meta[ABSENT] = True  # an error, unless it is to be written
        return
    ctx.default_map = {**(ctx.default_map or {}), **_defaults(ctx.command, path)}


def _defaults(command: click.Command, path: Path) -> dict[str, Any]:
    import tomllib

    try:
        with path.open("rb") as file:
            found = tomllib.load(file)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BoughError(
            f"{path.name} is not TOML: {error}", code="config", hint='A line is  key = "value"'
        ) from None
    options = {flag_name(p): p for p in command.params if isinstance(p, click.Option)}
    defaults: dict[str, Any] = {}
    for key, value in found.items():
        name = key.replace("_", "-")
        if name in options:
            defaults[options[name].name or ""] = _fitting(options[name], value)
        elif name not in _all_flags():
            raise BoughError(
                f'{path.name} has the key "{key}", which is no flag.{did_you_mean(name, options)}',
                code="config",
                hint="The keys are the flags without dashes: max-leaves = 6",
            )
    return defaults


def _fitting(option: click.Option, value: Any) -> Any:
    if option.multiple:
        return [str(one) for one in value] if isinstance(value, list) else [str(value)]
    if isinstance(value, list | dict):
        raise BoughError(
            f'"{flag_name(option)}" in the configuration takes one value.',
            code="config",
            hint=f"{flag_name(option)} = …",
        )
    return value if isinstance(value, bool) else str(value)


def _all_flags() -> set[str]:
    """Of all verbs: one file may serve several of them."""
    from bough.cli.main import VERBS, load_verb

    commands = [load_verb(verb) for verb in VERBS]
    return {flag_name(p) for c in commands for p in c.params if isinstance(p, click.Option)}


def save_config(ctx: click.Context) -> str | None:
    """Writes the flags that were given, if it was asked for; where to."""
    if not ctx.meta.get(SAVE):
        return None
    lines = []
    for option in ctx.command.params:
        name = option.name or ""
        given = ctx.get_parameter_source(name) in (ParameterSource.COMMANDLINE, ParameterSource.DEFAULT_MAP)
        if isinstance(option, click.Option) and given and name in ctx.params and name not in _APART:
            lines.append(f"{flag_name(option)} = {_toml(ctx.params[name])}\n")
    path = ctx.meta.get(PATH, USUAL)
    from bough.store.files import write_atomically

    write_atomically(path, "".join(lines).encode())
    return str(path)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_toml, value))}]"
    text = "".join(
        c if c.isprintable() and c not in '"\\' else f"\\{c}" if c in '"\\' else f"\\U{ord(c):08x}"
        for c in str(value)
    )
    return f'"{text}"'

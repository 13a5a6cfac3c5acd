"""The entry point `bough`: the list of verbs, loaded when they are called, and what errors look like."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import click

from bough.cli.common import DEBUG, colored, debug_option, escaped
from bough.errors import BoughError, did_you_mean

# Verb and what it does. Its command is the function of that name in the module bough.cli.<verb>.
VERBS = {
    "fit": "Grow a tree from a table, show it and save it.",
    "show": "Draw a tree: text, SVG, PNG, DOT, Mermaid or a page.",
    "report": "Write all about a tree into one HTML file.",
    "explain": "Say why a row gets its answer, and what would change it.",
    "predict": "Answer for the rows of a table.",
    "eval": "Judge a model by rows that it has not seen.",
    "teach": "Grow a tree step by step and show every number.",
    "lectures": "Recompute the figures of five lectures.",
    "export": "Write a model in another language, checked: SQL, C, ONNX, …",
    "compare": "Compare models on the same rows.",
    "check": "Look at a table: types, empty cells, ids, leaks, duplicates.",
    "demo": "List the tables that come with bough.",
    "doctor": "Say what is installed and whether it works.",
    "completion": "Print what completes commands in your shell.",
}

UNEXPECTED, USAGE, DATA, CHECK_FAILED, INTERRUPTED = 1, 2, 3, 4, 130
# Families of errors (BoughError.code) that are not about the content of the data.
EXITS = {
    "parameter": USAGE,
    "file": USAGE,
    "demo": USAGE,
    "extra": USAGE,
    "config": USAGE,
    "verify": CHECK_FAILED,
    "check": CHECK_FAILED,
}


def load_verb(name: str) -> click.Command:
    command: click.Command = getattr(importlib.import_module(f"bough.cli.{name}"), name)
    return command


class Verbs(click.Group):
    """Knows the verbs by name; imports one when it runs or shows its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_verb(cmd_name) if cmd_name in VERBS else None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        """The verbs, without loading them; flags of the group are click's business."""
        from click.shell_completion import CompletionItem

        found = [
            CompletionItem(name, help=text) for name, text in VERBS.items() if name.startswith(incomplete)
        ]
        return found or super().shell_complete(ctx, incomplete)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in VERBS and not args[0].startswith("-"):
            raise click.UsageError(f'No such command "{args[0]}".{did_you_mean(args[0], VERBS)}', ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        with _answered({}):
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _answered(ctx.meta):
            return super().invoke(ctx)


@contextmanager
def _answered(meta: dict[str, Any]) -> Iterator[None]:
    """Every way to fail becomes a text on stderr and an exit code; click's own pass through to click."""
    try:
        yield
    except (click.ClickException, click.exceptions.Exit, click.Abort):
        raise
    except BrokenPipeError:
        # The reader has seen enough, which is no error. Python flushes stdout again at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(0) from None
    except KeyboardInterrupt:
        _fail("interrupted", INTERRUPTED, meta)
    except BoughError as error:
        lines = [f"error[{error.code}]: {error.message}", error.hint]
        _fail("\n".join(filter(None, lines)), EXITS.get(error.code, DATA), meta)
    except MemoryError:
        _fail("error[memory]: there is not enough memory.\nTry fewer columns:  --only", DATA, meta)
    except OSError as error:
        name = f": {error.filename}" if error.filename else ""
        full = error.errno == errno.ENOSPC
        hint = "\nA file that was there before is as it was." if full else ""
        _fail(f"error[file]: {error.strerror or error}{name}{hint}", USAGE, meta)
    except Exception as error:
        what = f"unexpected error: {type(error).__name__}: {error}"
        _fail(f"{what}\nthis is a bug in bough; {_log()}", UNEXPECTED, meta)


def _log() -> str:
    """Where the details of an error are that should not have happened."""
    import tempfile
    import traceback

    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", prefix="bough-", suffix=".log", delete=False
        ) as file:
            file.write(f"{' '.join(map(repr, sys.argv))}\n{traceback.format_exc()}")
    except OSError:
        return "run again with --debug to see where"
    return f"the details are in {file.name}"


def _fail(text: str, code: int, meta: dict[str, Any]) -> NoReturn:
    with suppress(OSError):  # stderr may be full, too; the exit code tells
        if meta.get(DEBUG):
            import traceback

            click.echo(traceback.format_exc(), err=True, nl=False)
        click.echo(colored(escaped(text), "red"), err=True, color=_color())
    raise click.exceptions.Exit(code)


def _color() -> bool | None:
    """None: where there is a terminal."""
    return False if os.environ.get("NO_COLOR") or "--no-color" in sys.argv else None


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 unexpected, 2 wrong usage, 3 problem in the data, 4 a check failed, "
    "130 interrupted.",
)
@click.version_option(package_name="bough", message="bough %(version)s")
@debug_option
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Decision trees from tables with categories and empty cells.

    \b
    Try:  bough fit demo:titanic
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _open_what_is_closed() -> None:
    """A stream that the shell has closed (`>&-`) is None; the next file to be opened would get its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # open to the end


def main() -> None:
    """What the console script calls."""
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A letter that the terminal's encoding lacks is shown as an escape.
            stream.reconfigure(errors="backslashreplace")
    cli(prog_name="bough")


if __name__ == "__main__":
    main()

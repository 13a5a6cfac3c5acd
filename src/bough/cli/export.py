"""The verb `export`: a model file in another language, checked before it is handed over."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from bough.cli.common import common_options, output_options, say
from bough.cli.source import read_source
from bough.errors import BoughError

# Of bough.estimators.exports, which is loaded when it runs; a test compares the two.
NAMES = ("sql", "python", "c", "js", "onnx", "pmml", "json", "xlsx", "svg", "png", "dot", "mermaid", "rules")
STDOUT = "-"


@click.command()
@click.argument("model")
@click.option("--to", type=click.Choice(NAMES), help="The format; by default that of --out.")
@click.option(
    "--dialect", metavar="NAME", help="sql: duckdb, postgres, sqlite, …; rules: text, markdown, csv."
)
@click.option("--verify", metavar="DATA", help="Rows on which it must answer as the model does, too.")
@click.option("--no-verify", is_flag=True, help="Do not run it.")
@click.option("-o", "--out", metavar="FILE", help="Where to write; - is stdout, as without it.")
@output_options
@common_options
def export(
    model: str,
    to: str | None,
    dialect: str | None,
    verify: str | None,
    no_verify: bool,
    out: str | None,
    as_json: bool,
    **_: bool,
) -> None:
    """Write MODEL in another language.

    What is written is run first, on rows made from the model (around every threshold, missing values, unseen
    categories) and on the rows of --verify. If one is answered differently, nothing is written (exit code 4).

    \b
    bough export m.bough --to sql --dialect postgres
    bough export m.bough -o model.h --verify new.csv
    """
    # Here, so that `bough export --help` does without scikit-learn.
    from bough.estimators.exports import export as export_model

    chosen = _format(to, out)
    if verify is not None and no_verify:
        raise BoughError(
            "--verify and --no-verify exclude each other.", code="parameter", hint="Leave one out."
        )
    checked: Any = not no_verify if verify is None else read_source(verify).table
    loaded = load_model(model)
    path = None if out in (None, STDOUT) else out
    made = export_model(loaded, chosen, path, dialect=dialect, verify=checked)
    if as_json:
        text = made.content if path is None and isinstance(made.content, str) else None
        facts = {"to": chosen, "dialect": dialect, "path": path, "verified": made.verified}
        click.echo(json.dumps(facts | {"report": made.report, "content": text}))
    elif path is None:
        _print(made.content, chosen)
    say(made.report if path is None else f"{path}   {made.report}")


def _format(to: str | None, out: str | None) -> str:
    if to is not None:
        return to
    from bough.estimators.exports import ALL

    ends = {format_.ending: format_.name for format_ in ALL} | {".js": "js", ".md": "rules"}
    end = "" if out is None else Path(out).suffix.lower()
    if end not in ends:
        known = ", ".join(sorted(ends))
        raise BoughError(
            "say the format:  --to " + "|".join(NAMES),
            code="parameter",
            hint=f"Or end the name of the file with one of {known}.",
        )
    return ends[end]


def load_model(path: str) -> Any:
    """The estimator of a model file, .bough or .json."""
    from bough.estimators.saving import from_json, load

    place = Path(path).expanduser()
    if place.suffix.lower() == ".json" and place.is_file():
        return from_json(place.read_bytes())
    return load(place)


def _print(content: str | bytes, to: str) -> None:
    if isinstance(content, str):
        click.echo(content, nl=not content.endswith("\n"))
        return
    if sys.stdout.isatty():
        raise BoughError(
            f"{to} is not text, so it is not printed on a terminal.",
            code="parameter",
            hint=f"-o model.{to}",
        )
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()

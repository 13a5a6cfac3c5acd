"""The verb `export`: a model file in another language, checked before it is handed over."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from bough.cli.common import common_options, output_options, say
from bough.cli.fit_options import asked_from, growth_options
from bough.cli.matching import Counts, match
from bough.cli.model import open_model
from bough.cli.source import read_source
from bough.errors import BoughError

# Of bough.estimators.exports, which is loaded when it runs; a test compares the two.
NAMES = ("sql", "python", "c", "js", "onnx", "pmml", "json", "xlsx", "svg", "png", "dot", "mermaid", "rules")
STDOUT = "-"


@click.command()
@click.argument("data", metavar="MODEL|DATA")
@growth_options
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
    data: str,
    to: str | None,
    dialect: str | None,
    verify: str | None,
    no_verify: bool,
    out: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Write a model file, or the model that fit grows from DATA, in another language.

    What is written is run first, on rows made from the model (around every threshold, missing values, unseen
    categories) and on the rows of --verify. If one is answered differently, nothing is written (exit code 4).

    \b
    bough export m.bough --to sql --dialect postgres
    bough export m.bough -o model.h --verify new.csv
    """
    # Here, so that `bough export --help` does without scikit-learn.
    from bough.cli.average import Average
    from bough.estimators.exports import export as export_model

    chosen = _format(to, out)
    if verify is not None and no_verify:
        raise BoughError(
            "--verify and --no-verify exclude each other.", code="parameter", hint="Leave one out."
        )
    loaded = open_model(data, asked_from(options))
    if isinstance(loaded.model, Average):
        raise loaded.model.no_tree(loaded.name)
    checked: Any = not no_verify
    if verify is not None:
        source = read_source(verify, types=tuple(map(str, loaded.facts.get("types", ()))))
        checked = match(loaded.model, list(source.table.names), source.name).table(source.table, Counts())[0]
    path = None if out in (None, STDOUT) else out
    made = export_model(loaded.estimator, chosen, path, dialect=dialect, verify=checked)
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

"""The verb `predict`: a model and a table in, an answer for each row out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bough.cli.common import common_options, output_options, pairs, say
from bough.cli.config import save_config
from bough.cli.model import Loaded, load_model
from bough.cli.progress import progress
from bough.errors import BoughError

if TYPE_CHECKING:
    from bough.cli.matching import Counts
    from bough.cli.scoring import Parts, Scorer

STDOUT = "-"


@click.command()
@click.argument("model")
@click.argument("data")
@click.option(
    "-o", "--out", metavar="FILE", help="CSV, TSV, JSON lines or Parquet by its ending; .gz too; - is stdout."
)
@click.option("--proba", is_flag=True, help="Write the share of each class.")
@click.option("--leaf", is_flag=True, help="Write the number of the leaf.")
@click.option("--rule", is_flag=True, help="Write what leads to the leaf, in words.")
@click.option(
    "--on-unseen",
    type=click.Choice(["route", "na", "error"]),
    default="route",
    show_default=True,
    help="Categories not seen in training: routed like missing ones, left without an answer, or refused.",
)
@click.option("--rename", multiple=True, metavar="OLD=NEW", help="A column of DATA that the model calls NEW.")
@click.option(
    "--set", "constants", multiple=True, metavar="COL=VALUE", help="One value for all rows; COL= is missing."
)
@click.option("--sql", metavar="QUERY", help="Rows from a query, in which the file is called data.")
@click.option("--bad-lines", type=click.Choice(["error", "skip"]), default="error", show_default=True)
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="All cores by default.")
@output_options
@common_options
@click.pass_context
def predict(ctx: click.Context, /, model: str, data: str, **options: Any) -> None:
    """Answer for each row of DATA with MODEL, a file that `bough fit` saved.

    Without --proba, --leaf and --rule, the answer is written with the shares of the classes and the number
    of the leaf; with one of them, only what is named. Rows come out in the order of DATA.
    """
    loaded = load_model(model)
    wanted = _wanted(loaded, options)
    from bough.cli.matching import Counts, match
    from bough.cli.scoring import Scorer
    from bough.cli.source import source_name
    from bough.growing.threads import thread_count

    counts = Counts()
    with _rows(loaded, data, options) as rows:
        for note in rows.notes:
            say(note)
        matching = match(
            loaded.model,
            rows.names,
            source_name(data),
            rename=pairs("--rename", options["rename"]),
            constants=given_values(options["constants"]),
            numbers=_numbers(loaded),
            options=True,
        )
        scorer = Scorer(matching, wanted, options["on_unseen"], thread_count(options["threads"] or -1))
        if options["on_unseen"] == "error":
            scorer.refuse_unseen(rows)
        written = _written(scorer, rows, counts, options)
        _tell(scorer, rows.n_rows, counts, options, written)
    config = save_config(ctx)
    if config is not None:
        say(f"saved  {config}: the flags of this command")


def given_values(given: tuple[str, ...]) -> dict[str, str]:
    """Each option sets one column: a value may have commas."""
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(f'"{text}" is not of the form COL=VALUE.', param_hint="'--set'")
        found[name.strip()] = value.strip()
    return found


def _numbers(loaded: Loaded) -> frozenset[str]:
    from bough.cli.column_types import parsed_types

    types = parsed_types(tuple(map(str, loaded.facts.get("types", ()))))
    return frozenset(name for name, kind in types.items() if kind == "number")


def _wanted(loaded: Loaded, options: dict[str, Any]) -> tuple[str, ...]:
    """What to write, in this order."""
    from bough.tree import Tree

    one = isinstance(loaded.model, Tree)
    given = [word for word in ("proba", "leaf", "rule") if options[word]]
    if not one and ("leaf" in given or "rule" in given):
        raise BoughError(
            f"{loaded.name} holds many trees, so a row has no one leaf.",
            code="parameter",
            hint="Leave --leaf and --rule out.",
        )
    if "proba" in given and loaded.model.classes is None:
        raise BoughError(
            f"{loaded.name} answers with numbers, which have no shares.",
            code="parameter",
            hint="Leave --proba out.",
        )
    usual = (["proba"] if loaded.model.classes is not None else []) + (["leaf"] if one else [])
    return ("prediction", *(given or usual))


@contextmanager
def _rows(loaded: Loaded, data: str, options: dict[str, Any]) -> Iterator[Parts]:
    from contextlib import ExitStack

    from bough.cli.scoring import Held
    from bough.cli.source import DEMO, stdin_file
    from bough.data.examples import demo_table
    from bough.data.rows import open_rows

    if data.startswith(DEMO):
        yield Held(demo_table(data.removeprefix(DEMO)))
        return
    renamed = {new: old for old, new in pairs("--rename", options["rename"]).items()}
    fields = [(renamed.get(f.name, f.name), f.kind) for f in loaded.model.fields]
    names = [name for name, _ in fields]
    with ExitStack() as stack:
        path = stack.enter_context(stdin_file()) if data == STDOUT else Path(data).expanduser()
        yield stack.enter_context(
            open_rows(
                path,
                only=None if _needs_names(path, names) else names,
                texts=[name for name, kind in fields if kind in ("nominal", "ordinal")],
                sql=options["sql"],
                bad_lines=options["bad_lines"],
                stream=True,
            )
        )


def _needs_names(path: Path, names: list[str]) -> bool:
    """Whether the error for a column that is not there has to know all the others."""
    from bough.data.csv_text import look
    from bough.data.kinds import file_kind

    if file_kind(path) != "csv":
        return False
    try:
        return not set(names) <= set(look(path).names)
    except UnicodeDecodeError:
        return True


def _written(
    scorer: Scorer, rows: Parts, counts: Counts, options: dict[str, Any]
) -> list[dict[str, Any]] | None:
    """Writes the answers; of --json without a file, gives them back."""
    from bough.cli.writing import writer

    out = options["out"]
    if options["as_json"] and out in (None, STDOUT):
        found = [row for part in scorer.parts(rows, counts) for row in part]
        return [dict(zip(scorer.columns, row, strict=True)) for row in found]
    parts = scorer.parts(rows, counts)
    first = next(parts)  # before anything is written: most errors come here
    with writer(out or STDOUT, scorer.columns) as write, progress("predict", rows.n_rows, "rows") as tell:
        done = 0
        for part in chain([first], parts):
            write(part)
            done += len(part)
            tell(done, "")
    return None


def _tell(scorer: Scorer, n_rows: int, counts: Counts, options: dict[str, Any], written: Any) -> None:
    out = options["out"]
    if options["as_json"]:
        whole = {
            "rows": n_rows,
            "out": None if out == STDOUT else out,
            "columns": scorer.columns,
            **counts.as_dict(),
        }
        click.echo(
            json.dumps(whole if written is None else {**whole, "predictions": written}, allow_nan=False)
        )
        return
    if out not in (None, STDOUT) and not options["quiet"]:
        from bough.cli.common import ascii_signs, escaped, plainly

        text = f"{n_rows:,} {'row' if n_rows == 1 else 'rows'} → {out}   ({', '.join(scorer.columns)})"
        click.echo(escaped(ascii_signs(text) if plainly() else text))
    for line in _met(scorer, counts, options["on_unseen"]):
        say(line)


def _met(scorer: Scorer, counts: Counts, on_unseen: str) -> list[str]:
    """Missing cells of columns that are asked, and categories that are new."""
    asked = _asked_columns(scorer.matching.model)
    lines = []
    gaps = [(name, n) for name, n in counts.missing.items() if name in asked]
    if gaps:
        (first, n), *others = gaps
        start = f"{n:,} {'row' if n == 1 else 'rows'} had a missing {first}"
        more = [f"{m:,} a missing {name}" for name, m in others[:5]]
        more += [f"{len(others) - 5} more columns likewise"] if len(others) > 5 else []
        lines.append(f"{', '.join([start, *more])} (routed as learned)")
    done = {"route": "treated as missing", "na": "left without an answer"}.get(on_unseen, "")
    for (column, category), n in sorted(counts.unseen.items(), key=lambda item: -item[1])[:5]:
        have = "row has" if n == 1 else "rows have"
        lines.append(f'{n:,} {have} a category not seen in training: {column} "{category}" ({done})')
    if len(counts.unseen) > 5:
        lines.append(f"and {len(counts.unseen) - 5} more such categories")
    return lines


def _asked_columns(model: Any) -> set[str]:
    from bough.cli.average import Average

    if isinstance(model, Average):
        return {name for one in model.models() for name in _asked_columns(one)}
    trees = getattr(model, "trees", (model,))
    numbers = {int(f) for tree in trees for f in set(tree.feature.tolist()) if f >= 0}
    return {model.fields[i].name for i in numbers}

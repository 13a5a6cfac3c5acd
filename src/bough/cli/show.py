"""The verb `show`: a tree as text, picture or page, on stdout or in a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bough.cli.common import common_options, output_options, plainly, terminal_width
from bough.cli.fit_options import asked_from, growth_options
from bough.cli.model import Loaded, open_model
from bough.errors import BoughError
from bough.store.files import write_atomically
from bough.view.colours import THEMES
from bough.view.picture import DIRECTIONS
from bough.view.visible import LEVELS

if TYPE_CHECKING:
    from bough.tree import Tree
    from bough.view.evidence import TrainingRows

# Formats and the ends of file names that stand for them.
FORMATS = {
    "text": ".txt",
    "md": ".md",
    "svg": ".svg",
    "png": ".png",
    "dot": ".dot",
    "mermaid": ".mmd",
    "html": ".html",
    "json": ".json",
}


@click.command()
@click.argument("data", metavar="MODEL|DATA")
@growth_options
@click.option("--format", "form", type=click.Choice(list(FORMATS)), help="By default that of --out, or text.")
@click.option("-o", "--out", metavar="FILE", help="Where to write; - is stdout, as without it.")
@click.option("--tree", type=click.IntRange(min=0), metavar="K", help="Of many trees this one, from 0.")
@click.option("--depth", type=click.IntRange(min=0), metavar="N", help="Levels to show.")
@click.option("--node", type=click.IntRange(min=0), default=0, metavar="ID", help="Show what is below it.")
@click.option("--detail", type=click.Choice(list(LEVELS)), help="Of pictures; by default by size.")
@click.option("--direction", type=click.Choice(DIRECTIONS), default=DIRECTIONS[0], show_default=True)
@click.option("--theme", type=click.Choice(THEMES), default=THEMES[0], show_default=True)
@click.option("--numbers", is_flag=True, help="Below the text, the numbers of each node.")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@output_options
@common_options
def show(data: str, form: str | None, out: str | None, opens: bool, **options: Any) -> None:
    """Draw the tree of a model file, or the one that fit grows from DATA.

    \b
    bough show titanic.bough                     the tree as text
    bough show demo:titanic -o titanic.svg       a picture; also .png, .dot, .mmd, .md
    bough show demo:titanic --open               a page to fold, search and trace
    bough show forest.bough --tree 3             one of many trees; without --tree, all in a few lines
    """
    if options["as_json"] and form not in (None, "json"):
        raise BoughError(
            "--json and --format exclude each other.", code="parameter", hint="Give one of them."
        )
    form, out = _where("json" if options.pop("as_json") else form, out, opens)
    asked = asked_from(options)
    loaded = open_model(data, asked)
    if out in (None, "-"):
        options["width"] = terminal_width()
    options["positive"] = asked.positive or loaded.facts.get("positive")
    _deliver(drawn(loaded, form, **options), out)
    if opens and out is not None:
        import webbrowser

        webbrowser.open(Path(out).resolve().as_uri())


def _where(form: str | None, out: str | None, opens: bool) -> tuple[str, str | None]:
    """The format and the file; a page to open needs one."""
    if opens and (form not in (None, "html") or out == "-"):
        raise BoughError("--open shows a page.", code="parameter", hint="Leave --format and -o - out.")
    if opens and out is None:
        import tempfile

        return "html", str(Path(tempfile.mkdtemp(prefix="bough-")) / "tree.html")
    if form is not None:
        return form, out
    if out is None or out == "-":
        return "text", out
    ends = {end: name for name, end in FORMATS.items()}
    if Path(out).suffix.lower() not in ends:
        raise BoughError(
            f'what is "{Path(out).name}" to be?',
            code="parameter",
            hint=f"End its name with one of {', '.join(ends)}, or say --format.",
        )
    return ends[Path(out).suffix.lower()], out


def drawn(loaded: Loaded, form: str, *, numbers: bool = False, **options: Any) -> str | bytes:
    """The model in a format: text, or the bytes of a PNG picture."""
    from bough.cli.average import Average
    from bough.store import to_json
    from bough.tree import Tree
    from bough.tree.ensemble_text import ensemble_text
    from bough.tree.text import WIDE, ascii_text

    if isinstance(loaded.model, Average):
        if form not in ("text", "md", "json") or options.get("tree") is not None:
            raise loaded.model.no_tree(loaded.name)
        if form == "json":
            return json.dumps(loaded.model.as_dict(), ensure_ascii=False) + "\n"
        return (ascii_text(loaded.model.text()) if plainly() else loaded.model.text()) + "\n"
    if form == "json":
        return to_json(loaded.model, loaded.about) + "\n"
    number = options.get("tree")
    if form in ("text", "md") and number is None and not isinstance(loaded.model, Tree):
        text = ensemble_text(loaded.model, options.get("width", WIDE))
        return (ascii_text(text) if plainly() else text) + "\n"
    return _tree(loaded, loaded.tree(number), form, numbers, options)


def _tree(loaded: Loaded, tree: Tree, form: str, numbers: bool, options: dict[str, Any]) -> str | bytes:
    from bough.tree.text import box_text
    from bough.view import png_of, tree_dot, tree_mermaid, tree_page, tree_svg

    rows = _rows(loaded)
    part = {name: options[name] for name in ("node", "depth")}
    if form in ("dot", "mermaid"):
        return (tree_dot if form == "dot" else tree_mermaid)(tree, **part)
    if form in ("svg", "png"):
        svg = tree_svg(
            tree, rows, **{n: options[n] for n in (*part, "detail", "direction", "theme", "positive")}
        )
        return svg + "\n" if form == "svg" else png_of(svg)
    if form == "html":
        title = f"{loaded.target or 'answer'}: a tree from {loaded.facts.get('data') or loaded.name}"
        page = {name: options[name] for name in ("detail", "positive")}
        return tree_page(tree, rows, title=title, **part, **page)
    shown = _part(tree, **part)
    if form == "md":
        return shown.to_text("markdown") + "\n"
    table = f"\n{_numbers(tree, **part)}" if numbers else ""
    return box_text(shown, plain=plainly()) + "\n" + table


def _rows(loaded: Loaded) -> TrainingRows | None:
    """The training rows of one tree, which a model file does not hold."""
    if not hasattr(loaded.fitted, "tree_"):
        return None
    from bough.estimators.seen import rows_of

    return rows_of(loaded.fitted)


def _numbers(tree: Tree, node: int, depth: int | None) -> str:
    """Each node that is shown: what it asks or answers, rows, impurity and gain."""
    from bough.tree.text import ascii_text, display_width, padded, shown_name, significant

    lines = [("node", "asks or answers", "rows", "impurity", "gain")]
    for one in tree.nodes():
        below = one.depth - int(tree.depth[node])
        if node not in tree.path(one.id) or below > (tree.n_nodes if depth is None else depth):
            continue
        text = f"→ {one.prediction}" if one.column is None else f"{one.column}?"
        gain = "" if one.column is None else significant(one.gain, 4)
        impurity = significant(one.impurity, 4)
        lines.append((str(one.id), shown_name(text), f"{one.n_rows:,}", impurity, gain))
    widths = [max(display_width(line[i]) for line in lines) for i in range(5)]
    whole = [
        "  ".join(
            padded(c, w) if i == 1 else c.rjust(w) for i, (c, w) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]
    text = "\n".join(line.rstrip() for line in whole) + "\n"
    return ascii_text(text) if plainly() else text


def _part(tree: Tree, node: int, depth: int | None) -> Tree:
    """The tree below a node, so many levels of it."""
    import numpy as np

    from bough.tree.rebuild import rebuild
    from bough.view.visible import check_part

    check_part(tree, node, depth)
    instead = np.arange(tree.n_nodes)
    instead[0] = node
    leaf = tree.depth - tree.depth[node] >= (tree.n_nodes if depth is None else depth)
    return rebuild(tree, leaf, instead)


def _deliver(made: str | bytes, out: str | None) -> None:
    if out is not None and out != "-":
        write_atomically(out, made if isinstance(made, bytes) else made.encode())
    elif isinstance(made, bytes) and sys.stdout.isatty():
        raise BoughError(
            "a PNG picture is not for a terminal.", code="parameter", hint="Name a file:  -o tree.png"
        )
    else:
        click.echo(made, nl=False)

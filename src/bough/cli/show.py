"""The verb `show`: a tree as text, picture or page, on stdout or in a file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bough.cli.common import debug_option
from bough.cli.fit import Asked, fit
from bough.cli.problem import make_problem
from bough.cli.source import read_source
from bough.errors import BoughError
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
}
PRINTED = ("as_json", "plain", "quiet")  # options of fit that are about its own output


@dataclass(frozen=True)
class Rows:
    """What the tree grew on."""

    table: Any
    target: Any
    weights: Any


@click.command()
@click.argument("data")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), help="By default that of --out, or text.")
@click.option("-o", "--out", metavar="FILE", help="Where to write; - is stdout, as without it.")
@click.option("--depth", type=click.IntRange(min=0), metavar="N", help="Levels to show.")
@click.option("--node", type=click.IntRange(min=0), default=0, metavar="ID", help="Show what is below it.")
@click.option("--detail", type=click.Choice(list(LEVELS)), help="Of pictures; by default by size.")
@click.option("--direction", type=click.Choice(DIRECTIONS), default=DIRECTIONS[0], show_default=True)
@click.option("--theme", type=click.Choice(THEMES), default=THEMES[0], show_default=True)
@click.option("--positive", metavar="CLASS", help="The class that is orange, of two.")
@click.option("--plain", is_flag=True, help="Text in ASCII only.")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@debug_option
def show(data: str, form: str | None, out: str | None, plain: bool, opens: bool, **options: Any) -> None:
    """Grow a tree from DATA, as fit does, and draw it.

    \b
    bough show demo:titanic                      the tree as text
    bough show demo:titanic -o titanic.svg       a picture; also .png, .dot, .mmd, .md
    bough show demo:titanic --open               a page to fold, search and trace
    """
    # Here, so that `bough show --help` does without scikit-learn.
    from bough.cli.fitted import fitted

    form, out = _where(form, out, opens)
    grown = {name: options.pop(name) for name in Asked.__dataclass_fields__ if name not in PRINTED}
    asked = Asked(**grown, as_json=False, plain=plain, quiet=True)
    problem = make_problem(
        read_source(data, asked.drop),
        asked.target,
        task=asked.task,
        drop=asked.drop,
        only=asked.only,
        weights=asked.weights,
        drop_missing_target=asked.drop_missing_target,
    )
    tree = fitted(problem, asked).tree
    rows = Rows(problem.table, problem.y, problem.weights)
    title = f"{problem.target}: a tree from {problem.source}"
    made = drawn(tree, rows, form, title=title, plain=plain, **options)
    _deliver(made, out)
    if opens and out is not None:
        import webbrowser

        webbrowser.open(Path(out).resolve().as_uri())


# The options that say how the tree is grown are those of fit.
show.params[1:1] = [p for p in fit.params if p.name in Asked.__dataclass_fields__ and p.name not in PRINTED]


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


def drawn(
    tree: Tree, rows: TrainingRows | None, form: str, *, title: str, plain: bool, **options: Any
) -> str | bytes:
    """The tree in a format: text, or the bytes of a PNG picture."""
    from bough.cli.fit_output import cannot_draw
    from bough.tree.text import box_text
    from bough.view import png_of, tree_dot, tree_mermaid, tree_page, tree_svg

    part = {name: options[name] for name in ("node", "depth")}
    if form in ("dot", "mermaid"):
        return (tree_dot if form == "dot" else tree_mermaid)(tree, **part)
    if form in ("svg", "png"):
        svg = tree_svg(tree, rows, **options)
        return svg + "\n" if form == "svg" else png_of(svg)
    if form == "html":
        page = {name: options[name] for name in ("detail", "positive")}
        return tree_page(tree, rows, title=title, **part, **page)
    text = box_text(_part(tree, **part), plain=plain or cannot_draw(sys.stdout))
    return f"```text\n{text}\n```\n" if form == "md" else f"{text}\n"


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
        Path(out).write_bytes(made if isinstance(made, bytes) else made.encode())
    elif isinstance(made, bytes) and sys.stdout.isatty():
        raise BoughError(
            "a PNG picture is not for a terminal.", code="parameter", hint="Name a file:  -o tree.png"
        )
    else:
        click.echo(made, nl=False)

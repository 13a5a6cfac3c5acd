"""The verb `show`: a tree as text, picture or page, on stdout or in a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bough.cli.common import PLAIN, common_options, plainly, remember
from bough.cli.fit_options import asked_from, growth_options
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


@click.command()
@click.argument("data")
@growth_options
@click.option("--format", "form", type=click.Choice(list(FORMATS)), help="By default that of --out, or text.")
@click.option("-o", "--out", metavar="FILE", help="Where to write; - is stdout, as without it.")
@click.option("--depth", type=click.IntRange(min=0), metavar="N", help="Levels to show.")
@click.option("--node", type=click.IntRange(min=0), default=0, metavar="ID", help="Show what is below it.")
@click.option("--detail", type=click.Choice(list(LEVELS)), help="Of pictures; by default by size.")
@click.option("--direction", type=click.Choice(DIRECTIONS), default=DIRECTIONS[0], show_default=True)
@click.option("--theme", type=click.Choice(THEMES), default=THEMES[0], show_default=True)
@click.option("--plain", is_flag=True, callback=remember(PLAIN), help="Text in ASCII only.")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
@common_options
def show(data: str, form: str | None, out: str | None, plain: bool, opens: bool, **options: Any) -> None:
    """Grow a tree from DATA, as fit does, and draw it.

    \b
    bough show demo:titanic                      the tree as text
    bough show demo:titanic -o titanic.svg       a picture; also .png, .dot, .mmd, .md
    bough show demo:titanic --open               a page to fold, search and trace
    """
    # Here, so that `bough show --help` does without scikit-learn.
    from bough.cli.fitted import fitted
    from bough.estimators.seen import rows_of
    from bough.tree import Tree

    form, out = _where(form, out, opens)
    asked = asked_from(options)
    problem = asked.problem(data)
    result = fitted(problem, asked)
    if not isinstance(result.tree, Tree):
        raise BoughError(
            f"a model of {len(result.tree):,} trees has no one picture.",
            code="parameter",
            hint="Use --model tree.",
        )
    title = f"{problem.target}: a tree from {problem.source}"
    options["positive"] = asked.positive
    _deliver(drawn(result.tree, rows_of(result.model), form, title=title, **options), out)
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


def drawn(tree: Tree, rows: TrainingRows | None, form: str, *, title: str, **options: Any) -> str | bytes:
    """The tree in a format: text, or the bytes of a PNG picture."""
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
    tree = _part(tree, **part)
    return (tree.to_text("markdown") if form == "md" else box_text(tree, plain=plainly())) + "\n"


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

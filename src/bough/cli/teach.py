"""The verb `teach`: a tree grown step by step, with every number, as text, page, LaTeX or a quiz."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bough.cli.common import cannot_draw, common_options
from bough.cli.problem import make_problem
from bough.cli.source import find_column, read_source
from bough.errors import BoughError
from bough.store.files import write_atomically
from bough.tree.text import ascii_text

if TYPE_CHECKING:
    from bough.cli.problem import Problem
    from bough.explain.lesson import Lesson

F = TypeVar("F", bound=Callable[..., Any])

# The classical programs; minima and pruning that suit large tables would leave nothing of a lecture's.
SMALL = {"min_samples_split": 2, "min_samples_leaf": 1}
ALGORITHMS: dict[str, tuple[str, dict[str, Any]]] = {
    "id3": ("ID3Classifier", {}),
    "c45": ("C45Classifier", {}),
    "cart": ("CARTClassifier", {**SMALL, "pruning": None, "cp": 0.0}),
    "chaid": ("CHAIDClassifier", SMALL),
}
BASES = {"2": 2.0, "e": math.e, "10": 10.0}


def _form(name: str) -> Callable[[F], F]:
    return click.option(
        f"--{name}", "form", flag_value=name, help=f"{name.upper() if name != 'latex' else 'LaTeX'}."
    )


@click.command()
@click.argument("data")
@click.option("-t", "--target", metavar="COL", help="The column to predict; demo tables know theirs.")
@click.option("--drop-missing-target", is_flag=True, help="Leave out rows whose target is empty.")
@click.option(
    "--algo", type=click.Choice(list(ALGORITHMS)), help="id3 by default; cart where the target is a number."
)
@click.option("--step", type=click.IntRange(min=1), metavar="K", help="One step only.")
@click.option("--all", "everything", is_flag=True, help="All steps with the cut points of all columns.")
@click.option("--digits", type=click.IntRange(0, 15), default=4, show_default=True, metavar="N")
@click.option("--log-base", type=click.Choice(list(BASES)), default="2", show_default=True)
@click.option("--ties", type=click.Choice(["column", "alphabetical"]), default="column", show_default=True)
@click.option("--max-depth", type=click.IntRange(min=1), metavar="N", help="Most questions on one way.")
@_form("latex")
@_form("html")
@_form("csv")
@_form("markdown")
@click.option("--quiz", is_flag=True, help="Hide the answers and check yours; with --html in the page.")
@click.option("-o", "--out", type=click.Path(dir_okay=False, writable=True), help="Write to this file.")
@click.option("--plain", is_flag=True, help="ASCII only.")
@common_options
def teach(data: str, **options: Any) -> None:
    """Grow a tree from DATA step by step and show every number.

    DATA is a file or demo:NAME, as for  bough fit.

    \b
    bough teach demo:tennis --step 1
    bough teach demo:tennis --html -o tennis.html
    bough teach demo:restaurant --quiz
    """
    lesson = _lesson(data, options)
    if options["step"]:
        lesson.step(options["step"])
    form = options["form"] or "text"
    if options["quiz"] and form == "text":
        _ask(lesson, options["step"])
        return
    text = _written(lesson, form, options)
    if options["out"]:
        write_atomically(options["out"], (text if text.endswith("\n") else text + "\n").encode())
        click.echo(f"saved  {options['out']}", err=True)
        return
    plain = form == "text" and (options["plain"] or cannot_draw(sys.stdout))
    click.echo(_in_ascii(text) if plain else text, nl=not text.endswith("\n"))


def _in_ascii(text: str) -> str:
    """The dot of a product is a star, the one between branches a line."""
    return ascii_text(text.replace(" · ", " | ").replace("·", "*"))


def _lesson(data: str, options: dict[str, Any]) -> Lesson:
    from bough import estimators

    source = read_source(data)
    problem = make_problem(source, options["target"], drop_missing_target=options["drop_missing_target"])
    algo = options["algo"] or ("cart" if problem.classes is None else "id3")
    name, settings = ALGORITHMS[algo]
    if problem.classes is None:
        if algo != "cart":
            raise BoughError(
                f'"{problem.target}" is a number, and --algo {algo} is for classes.',
                code="parameter",
                hint="Use --algo cart.",
            )
        name = "CARTRegressor"
    else:
        order = _class_order(problem, find_column(source, problem.target).field.categories)
        settings = {**settings, "classes": order}
    settings = {**settings, "ties": options["ties"], "max_depth": options["max_depth"], "random_state": 0}
    model = getattr(estimators, name)(**settings)
    model.fit(problem.table, problem.labels, sample_weight=problem.weights)
    lesson: Lesson = model.lesson(problem.source, digits=options["digits"], base=BASES[options["log_base"]])
    return lesson


def _class_order(problem: Problem, declared: tuple[str, ...]) -> list[Any]:
    """The classes as the table declares them: Yes before No."""
    labels: list[Any] = [] if problem.classes is None else problem.classes.tolist()
    place = {name: number for number, name in enumerate(declared)}
    return sorted(labels, key=lambda label: place.get(str(label), len(place)))


def _written(lesson: Lesson, form: str, options: dict[str, Any]) -> str:
    one = options["step"]
    if form == "html":
        return lesson.to_html(quiz=options["quiz"])
    if form == "text":
        width = shutil.get_terminal_size((10_000, 24)).columns if sys.stdout.isatty() else None
        cuts = bool(options["everything"])
        return lesson.step_text(one, width, cuts) if one else lesson.to_text(width, cuts)
    if form == "csv":
        return lesson.step(one).to_csv() if one else lesson.to_csv()
    if form == "latex":
        return lesson.step(one).to_latex(lesson.digits, lesson.base) if one else lesson.to_latex()
    return lesson.step(one).to_markdown(lesson.digits, lesson.base) if one else lesson.to_markdown()


def _ask(lesson: Lesson, one: int | None) -> None:
    """Questions in the terminal; an empty line shows the answer."""
    right = asked = 0
    for number in [one] if one else range(1, len(lesson.steps) + 1):
        first, *_ = lesson.step_text(number).split("\n", 1)
        click.echo(f"\n{first}\n")
        click.echo(_branches(lesson, number))
        for question in lesson.quiz(number):
            asked += 1
            try:
                typed = click.prompt(f"{question.text}", default="", show_default=False)
            except click.Abort:
                click.echo(f"\n{right} of {asked - 1} right")
                return
            good = question.right(typed)
            right += good
            click.echo(f"  right: {question.answer}" if good else f"  it is {question.answer}")
    click.echo(f"\n{right} of {asked} right")


def _branches(lesson: Lesson, number: int) -> str:
    """The counts that the answers are found from."""
    from bough.explain.words import amount
    from bough.tree.text import shown_name, significant

    lines = []
    for c in lesson.step(number).candidates:
        shown = [
            f"{shown_name(b.label)} "
            + ("/".join(map(amount, b.counts)) if b.mean is None else f"{b.n} × {significant(b.mean, 4)}")
            for b in c.branches
        ]
        lines.append(f"{shown_name(c.column)}: {' · '.join(shown)}")
    # By name: the order of the candidates would tell the answers.
    return "\n".join(sorted(line for line in lines if not line.endswith(": "))) + "\n"

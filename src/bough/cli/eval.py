"""The verb `eval`: how good a tree is, with intervals and next to a baseline."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from bough.cli.common import ascii_signs, common_options, output_options, pairs, plainly, prose_width
from bough.cli.fit_options import Asked, asked_from, growth_options
from bough.cli.model import is_model, leaf_count, load_model, rows_to_judge_by
from bough.errors import BoughError

if TYPE_CHECKING:
    from bough.evaluation import Evaluation

F = TypeVar("F", bound=Callable[..., Any])


def _share(flag: str, metavar: str, text: str) -> Callable[[F], F]:
    return click.option(flag, type=click.FloatRange(0, 1), metavar=metavar, help=text)


@click.command(name="eval")
@click.argument("data", metavar="MODEL|DATA")
@click.argument("rows", required=False)
@growth_options
@click.option("--test", metavar="FILE", help="Judge by these rows, which were held back.")
@_share("--recall", "R", "Name the threshold that keeps this recall.")
@_share("--precision", "P", "Name the threshold that keeps this precision.")
@_share("--min-accuracy", "A", "Exit with 4 if the accuracy is less.")
@output_options
@common_options
def eval(data: str, rows: str | None, test: str | None, **options: Any) -> None:
    """Judge a model file by ROWS, or the tree that fit grows from DATA by rows that it has not seen.

    \b
    bough eval demo:titanic                      cross-validated, next to a baseline
    bough eval train.csv -t y --test test.csv    on rows that were held back
    bough eval titanic.bough new.csv             a model as it is
    bough eval demo:titanic --min-accuracy 0.78  exits with 4 if it is worse
    """
    asked = asked_from(options)
    test = rows if rows is not None else test
    about, found = _of_model(data, test, asked) if is_model(data) else _of_table(data, test, asked)
    thresholds = _thresholds(found, asked, options)
    if options["as_json"]:
        listed = [{"value": t.value, "recall": t.recall, "precision": t.precision} for t in thresholds]
        click.echo(json.dumps(about | found.to_dict() | {"thresholds": listed}, allow_nan=False))
    else:
        head = f"{about['data']}: {about['target']}, {about['leaves']:,} leaves"
        from bough.tree.text import folded

        said = [part for line in (head, *about["warnings"]) for part in folded(line, prose_width())]
        text = "\n\n".join(
            ["\n".join(said), str(found), *(["\n".join(map(str, thresholds))] if thresholds else [])]
        )
        click.echo(ascii_signs(text) if plainly() else text)
    _check(found, options["min_accuracy"])


def _of_table(data: str, test: str | None, asked: Asked) -> tuple[dict[str, Any], Evaluation]:
    """What was judged, and the figures; the tree is grown with the options of fit."""
    from bough.cli.fitted import fitted
    from bough.cli.held_out import judged_on, no_test, other_rows
    from bough.cli.recipe import positive_class, recipe
    from bough.evaluation import evaluate

    problem = asked.problem(data)
    fit = fitted(problem, asked)
    about = {"data": problem.source, "target": problem.target, "leaves": leaf_count(fit.tree), "warnings": []}
    if test is not None:
        other = other_rows(problem, asked, test)
        return about | {"warnings": no_test(fit.model, other)}, judged_on(fit.model, other, asked)
    found = evaluate(
        fit.model,
        problem.table,
        problem.labels,
        cv=asked.folds,
        sample_weight=problem.weights,
        **problem.together,
        positive=positive_class(problem, asked),
        costs=recipe(problem, asked).costs,
        random_state=asked.seed,
    )
    return about, found


def _of_model(data: str, test: str | None, asked: Asked) -> tuple[dict[str, Any], Evaluation]:
    from bough.cli.held_out import has_seen, judged_on

    loaded = load_model(data)
    problem = rows_to_judge_by(loaded, test, asked)
    about = {"data": loaded.name, "target": problem.target, "leaves": leaf_count(loaded.model)}
    found = judged_on(loaded.estimator, problem, asked)
    return about | {"warnings": has_seen(loaded, problem)}, found


def _thresholds(found: Any, asked: Asked, options: dict[str, Any]) -> list[Any]:
    wishes: list[dict[str, Any]] = [
        {n: options[n]} for n in ("recall", "precision") if options[n] is not None
    ]
    if asked.cost:
        costs = {name: float(value) for name, value in pairs("--cost", asked.cost).items()}
        wishes.insert(0, {"costs": costs})
    if wishes and not hasattr(found, "threshold"):
        raise BoughError(
            "a threshold is about classes, and the answers are numbers.",
            code="parameter",
            hint="Leave it out.",
        )
    return [found.threshold(**wish) for wish in wishes]


def _check(found: Any, least: float | None) -> None:
    if least is None:
        return
    if "accuracy" not in found:
        raise BoughError(
            "--min-accuracy is about classes, and the answers are numbers.",
            code="parameter",
            hint="Leave it out.",
        )
    if found["accuracy"].value < least:
        raise BoughError(
            f"the accuracy is {found['accuracy'].value:.4f}, less than {least:g}.",
            code="verify",
            hint="Lower --min-accuracy, or find out what changed.",
        )

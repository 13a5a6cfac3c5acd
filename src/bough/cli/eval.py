"""The verb `eval`: how good the tree of a table is, with intervals and next to a baseline."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from bough.cli.common import debug_option
from bough.cli.grown import (
    cost_option,
    costs_of,
    group_option,
    group_values,
    growing_like_fit,
    grown,
    positive_option,
    taken,
    test_option,
    test_rows,
)
from bough.errors import BoughError
from bough.tree.text import ascii_text


@click.command(name="eval")
@click.argument("data")
@test_option
@group_option
@positive_option
@cost_option
@click.option(
    "--recall", type=click.FloatRange(0, 1), metavar="R", help="Name the threshold that keeps this recall."
)
@click.option(
    "--precision",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Name the threshold that keeps this precision.",
)
@click.option(
    "--min-accuracy", type=click.FloatRange(0, 1), metavar="A", help="Exit with 4 if the accuracy is less."
)
@debug_option
def eval(data: str, test: str | None, group: str | None, positive: str | None, **options: Any) -> None:
    """Judge the tree of DATA by rows that it has not seen.

    \b
    bough eval demo:titanic                      cross-validated, next to a baseline
    bough eval train.csv -t y --test test.csv    on rows that were held back
    bough eval demo:titanic --min-accuracy 0.78  exits with 4 if it is worse
    """
    from bough.cli.fit_output import cannot_draw
    from bough.evaluation import ClassEvaluation, evaluate

    asked = taken(options)
    fit = grown(data, asked, group)
    rows = test_rows(test, fit)
    wish: dict[str, Any] = {"positive": positive, "costs": costs_of(options["cost"])}
    if rows is None:
        groups = group_values(data, asked, group, len(fit.problem.y))
        given: dict[str, Any] = {"cv": asked.folds, "groups": groups, "sample_weight": fit.problem.weights}
        found = evaluate(
            fit.model, fit.problem.table, fit.problem.labels, random_state=asked.seed, **given, **wish
        )
    else:
        found = evaluate(fit.model, *rows, cv=None, random_state=asked.seed, **wish)
    wishes = {"costs": wish["costs"], "recall": options["recall"], "precision": options["precision"]}
    chosen = [
        found.threshold(**{k: v})
        for k, v in wishes.items()
        if v is not None and isinstance(found, ClassEvaluation)
    ]
    if asked.as_json:
        whole = {"data": fit.problem.source, "target": fit.problem.target, "leaves": fit.tree.n_leaves}
        thresholds = [{"value": t.value, "recall": t.recall, "precision": t.precision} for t in chosen]
        click.echo(json.dumps(whole | found.to_dict() | {"thresholds": thresholds}, allow_nan=False))
    else:
        text = "\n\n".join(
            [f"{fit.problem.source}: {fit.problem.target}, {fit.tree.n_leaves} leaves", str(found)]
        )
        text = "\n".join([text, *(["", *map(str, chosen)] if chosen else [])])
        click.echo(ascii_text(text) if asked.plain or cannot_draw(sys.stdout) else text)
    _check(found, options["min_accuracy"])


def _check(found: Any, least: float | None) -> None:
    if least is None:
        return
    if "accuracy" not in found:
        raise BoughError(
            "--min-accuracy is about classes.", code="parameter", hint="Leave it out for numbers."
        )
    if found["accuracy"].value < least:
        raise BoughError(
            f"the accuracy is {found['accuracy'].value:.4f}, less than {least:g}.",
            code="verify",
            hint="Lower --min-accuracy, or find out what changed.",
        )


growing_like_fit(eval)

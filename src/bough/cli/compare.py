"""The verb `compare`: the classical programs on one table, on the same folds."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from bough.cli.common import debug_option
from bough.cli.grown import cost_option, costs_of, growing_like_fit, grown, positive_option, taken
from bough.errors import BoughError
from bough.tree.text import ascii_text

# Names of algorithms and their estimators; "tree" is the tree of fit.
CLASSES = {
    "cart": "CARTClassifier",
    "c45": "C45Classifier",
    "id3": "ID3Classifier",
    "chaid": "CHAIDClassifier",
    "ctree": "ConditionalTreeClassifier",
    "stump": "DecisionStumpClassifier",
}
NUMBERS = {"cart": "CARTRegressor", "ctree": "ConditionalTreeRegressor", "stump": "DecisionStumpRegressor"}
USUAL = ("cart", "c45", "ctree", "stump")


@click.command()
@click.argument("data")
@click.option(
    "--algo", multiple=True, type=click.Choice(["tree", *CLASSES]), help="Which ones; may be repeated."
)
@positive_option
@cost_option
@debug_option
def compare(data: str, algo: tuple[str, ...], positive: str | None, cost: str | None, **options: Any) -> None:
    """Compare trees of DATA on the same folds, with paired intervals.

    \b
    bough compare demo:titanic
    bough compare demo:penguins --algo tree --algo c45
    """
    import bough
    from bough.cli.fit_output import cannot_draw
    from bough.evaluation import compare as compared

    asked = taken(options)
    fit = grown(data, asked)
    problem = fit.problem
    known = NUMBERS if problem.classes is None else CLASSES
    names = list(dict.fromkeys(algo or ("tree", *(name for name in USUAL if name in known))))
    for name in names:
        if name not in known and name != "tree":
            raise BoughError(
                f"{name} answers with classes only.",
                code="parameter",
                hint=f"For numbers: tree, {', '.join(known)}.",
            )
    models = {
        name: fit.model if name == "tree" else getattr(bough, known[name])(random_state=asked.seed)
        for name in names
    }
    found = compared(
        models,
        problem.table,
        problem.labels,
        cv=asked.folds,
        sample_weight=problem.weights,
        positive=positive,
        costs=costs_of(cost),
        random_state=asked.seed,
    )
    if asked.as_json:
        click.echo(json.dumps(found.to_dict(), allow_nan=False))
        return
    text = str(found)
    click.echo(ascii_text(text) if asked.plain or cannot_draw(sys.stdout) else text)


growing_like_fit(compare)

"""The verb `compare`: a tree and others of the same table, on the same folds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import click

from bough.cli.common import ascii_signs, common_options, output_options, plainly
from bough.cli.fit_options import ALGORITHMS, MODELS, Asked, asked_from, growth_options

STUMP = "stump"
OTHERS = (*MODELS, *ALGORITHMS, STUMP)
USUAL = {"class": ("cart", "c45", STUMP), "reg": ("cart", STUMP)}


@click.command()
@click.argument("data")
@growth_options
@click.option(
    "--against", multiple=True, type=click.Choice(OTHERS), help="What to compare with; may be repeated."
)
@output_options
@common_options
def compare(data: str, against: tuple[str, ...], **options: Any) -> None:
    """Compare the tree of DATA with others on the same folds, with paired intervals.

    The first model is the one that fit grows with these options.

    \b
    bough compare demo:titanic
    bough compare demo:penguins --algo c45 --against cart --against forest
    """
    from bough.cli.fitted import fitted
    from bough.cli.recipe import positive_class, recipe
    from bough.evaluation import compare as compared

    asked = asked_from(options)
    problem = asked.problem(data)
    first = asked.algo or asked.model
    models = {first: fitted(problem, asked).model}
    usual = USUAL["reg" if problem.classes is None else "class"]
    for name in dict.fromkeys(against or usual):
        if name != first:
            models[name] = recipe(problem, _asked_for(name, asked)).make(**_more(name))
    found = compared(
        models,
        problem.table,
        problem.labels,
        cv=asked.folds,
        sample_weight=problem.weights,
        groups=problem.groups,
        positive=positive_class(problem, asked),
        costs=recipe(problem, asked).costs if asked.model == "tree" else None,
        random_state=asked.seed,
    )
    if options["as_json"]:
        click.echo(json.dumps(found.to_dict(), allow_nan=False))
        return
    text = f"{problem.source}: {problem.target}\n\n{found}"
    click.echo(ascii_signs(text) if plainly() else text)


def _asked_for(name: str, asked: Asked) -> Asked:
    """The other model with its own settings: those of the command line are about the first one."""
    plain = replace(asked, algo=None, model="tree", criterion=None, categories=None, ties=None, cost=())
    plain = replace(plain, max_leaves=None, max_depth=None, min_leaf=None, choose=None)
    return (
        replace(plain, model=name) if name in MODELS else replace(plain, algo=None if name == STUMP else name)
    )


def _more(name: str) -> dict[str, Any]:
    return {"max_depth": 1} if name == STUMP else {}

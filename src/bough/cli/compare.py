"""The verb `compare`: a tree and others of the same table, on the same folds."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from bough.cli.common import ascii_signs, common_options, output_options, plainly, prose_width
from bough.cli.fit_options import ALGORITHMS, MODELS, RULES, Asked, asked_from, growth_options
from bough.cli.model import Loaded, is_model, load_model, rows_for
from bough.errors import BoughError

if TYPE_CHECKING:
    from bough.evaluation import Comparison

STUMP = "stump"
OTHERS = (*MODELS, *ALGORITHMS, STUMP)
USUAL = {"class": ("cart", "c45", STUMP), "reg": ("cart", STUMP)}


@click.command()
@click.argument("data", metavar="MODEL|DATA")
@click.argument("others", nargs=-1)
@growth_options
@click.option(
    "--against", multiple=True, type=click.Choice(OTHERS), help="What to compare with; may be repeated."
)
@click.option("--data", "rows", metavar="FILE", help="The rows that model files are judged by.")
@output_options
@common_options
def compare(
    data: str, others: tuple[str, ...], against: tuple[str, ...], rows: str | None, **options: Any
) -> None:
    """Compare model files on the same rows, or the tree of DATA with others on the same folds.

    Differences have paired intervals. Of DATA the first model is the one that fit grows with these options.

    \b
    bough compare old.bough new.bough --data test.csv
    bough compare demo:titanic
    bough compare demo:penguins --algo c45 --against cart --against forest
    """
    from bough.cli.fitted import fitted
    from bough.cli.recipe import positive_class, recipe
    from bough.evaluation import compare as compared

    asked = asked_from(options)
    if is_model(data):
        _told(*_files((data, *others), rows, asked), options)
        return
    if others or rows is not None:
        raise BoughError(
            f"{data} is no model file, so there is nothing to compare it with.",
            code="parameter",
            hint="Give model files and --data, or one table and --against.",
        )
    problem = asked.problem(data)
    first = asked.algo or asked.model
    many = {name for name in against if name in MODELS[1:]}
    of_first = replace(asked, trees=None) if asked.model == MODELS[0] and many else asked
    models = {first: fitted(problem, of_first).model}
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
        **problem.together,
        positive=positive_class(problem, asked),
        costs=recipe(problem, of_first).costs if asked.model == "tree" else None,
        random_state=asked.seed,
    )
    _told(f"{problem.source}: {problem.target}", found, [], options)


def _told(head: str, found: Comparison, warnings: list[str], options: dict[str, Any]) -> None:
    from bough.tree.text import folded

    if options["as_json"]:
        click.echo(json.dumps(found.to_dict() | {"warnings": warnings}, allow_nan=False))
        return
    said = [part for line in warnings for part in folded(line, prose_width())]
    text = "\n".join([head, *said, "", str(found)])
    click.echo(ascii_signs(text) if plainly() else text)


def _files(names: tuple[str, ...], rows: str | None, asked: Asked) -> tuple[str, Comparison, list[str]]:
    """Models as they are, on the same rows, with the trees side by side, and what to beware of."""
    from bough.cli.held_out import has_seen, told_here
    from bough.cli.recipe import positive_class
    from bough.cli.side_by_side import side_by_side
    from bough.evaluation import compare as compared

    if len(names) < 2 or rows is None:
        raise BoughError(
            "two model files and the rows to judge them by are needed.",
            code="parameter",
            hint="bough compare old.bough new.bough --data test.csv",
        )
    loaded = _told_apart([load_model(name) for name in names], names)
    known = list(dict.fromkeys(one.target for one in loaded if one.target is not None))
    if len(known) > 1:
        told = ", ".join(f'{one.name} "{one.target}"' for one in loaded if one.target is not None)
        raise BoughError(
            f"the models predict different targets: {told}.",
            code="parameter",
            hint="Compare models of the same target.",
        )
    asked = replace(asked, target=asked.target or next(iter(known), None))
    problem = rows_for(loaded[0], rows, asked, matched=False)
    for other in loaded[1:]:
        rows_for(other, rows, asked)  # an error if it needs a column that is not there
    with told_here():
        found = compared(
            {one.name: one.estimator for one in loaded},
            problem.table,
            problem.labels,
            cv=None,
            sample_weight=problem.weights,
            qid=problem.together.get("qid"),
            positive=positive_class(problem, asked),
            random_state=asked.seed,
        )
    trees = side_by_side(loaded, plain=plainly())
    warnings = [text for one in loaded for text in has_seen(one, problem)]
    return f"{trees}{problem.source}: {problem.target}, {problem.table.n_rows:,} rows", found, warnings


def _told_apart(loaded: list[Loaded], paths: tuple[str, ...]) -> list[Loaded]:
    """Files of one name in several folders go by their paths."""
    for path in paths:
        if paths.count(path) > 1:
            raise BoughError(
                f"{path} is given {paths.count(path)} times.",
                code="parameter",
                hint="Give other model files.",
            )
    names = [one.name for one in loaded]
    return [
        replace(one, name=path) if names.count(one.name) > 1 else one
        for one, path in zip(loaded, paths, strict=True)
    ]


def _asked_for(name: str, asked: Asked) -> Asked:
    """The other model with its own settings: those of the command line are about the first one."""
    plain = replace(asked, algo=None, model="tree", criterion=None, categories=None, ties=None, cost=())
    plain = replace(plain, max_leaves=None, max_depth=None, min_leaf=None, choose=None)
    if name in MODELS[1:]:
        missing = None if name == "boost" and asked.missing == "category" else asked.missing
        return replace(plain, model=name, rule=RULES[0], missing=missing)
    return replace(plain, trees=None, algo=name if name in ALGORITHMS else None)


def _more(name: str) -> dict[str, Any]:
    return {"max_depth": 1} if name == STUMP else {}

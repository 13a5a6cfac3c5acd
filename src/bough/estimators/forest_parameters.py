"""Every parameter of the forests, once: those of the trees in them, and those of the forest."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bough.estimators.parameters import GROWTH, OTHERS, Parameter

FOREST = (
    Parameter("n_estimators", 100, "trees"),
    Parameter("bootstrap", True, "draw a tree's rows with replacement", "numbers"),
    Parameter(
        "bootstrap",
        True,
        'draw a tree\'s rows with replacement; "balanced": as many of each class as the rarest has',
        "classes",
    ),
    Parameter("max_samples", None, "rows drawn for a tree: a number, a share, or None: as many as there are"),
    Parameter("voting", "mean", '"mean": class shares are averaged; "vote": each tree has a vote', "classes"),
    Parameter("oob_score", False, "judge each row by the trees that have not seen it"),
    Parameter("oob_patience", None, "stop when so many trees have not raised the out-of-bag score"),
    Parameter("oob_tol", 1e-3, "a score higher by no more is not higher"),
    Parameter("warm_start", False, "fit goes on from the trees that are there, up to n_estimators"),
    Parameter("verbose", 0, "1: write a line on how far it is"),
    Parameter("callback", None, "called with the progress now and then; what is true stops"),
)
SHARED = (
    "unseen",
    "class_weight",
    "priors",
    "costs",
    "classes",
    "probabilities",
    "m",
    "random_state",
    "n_jobs",
)
OTHER_WORDS = {
    "class_weight": 'weights by class, "balanced", "balanced_subsample" (anew in every bag), or None',
    "time_limit": "seconds after which no tree is finished any more; None: no limit",
    "random_state": "seed for rows, columns and random ties; a tree depends on it and on its number only",
    "n_jobs": "threads, each with a tree of its own; the forest is the same for any number",
}
COLUMNS_OF_TREES = "columns drawn for each tree: a number, a share, or None: all"


def forest_parameters(of: str) -> tuple[Parameter, ...]:
    """Those of classifiers ("classes") or of regressors ("numbers")."""
    trees = (*GROWTH, *(p for p in OTHERS if p.name in SHARED))
    named = (replace(p, doc=OTHER_WORDS.get(p.name, p.doc)) for p in (*FOREST, *trees))
    return tuple(p for p in named if p.of in ("both", of))


def forest_defaults(of: str, changes: dict[str, Any]) -> dict[str, Any]:
    return {p.name: p.default for p in forest_parameters(of)} | changes

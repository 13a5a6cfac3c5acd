"""From the options to an estimator that is not fitted yet: its class, its parameters, costs of mistakes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough import estimators
from bough.cli.common import pairs
from bough.cli.fit_options import MISSING, RULES, Asked
from bough.cli.problem import Problem
from bough.data.objects import label
from bough.errors import BoughError, did_you_mean

_CLASSES = {
    "id3": ("ID3Classifier", None),
    "c45": ("C45Classifier", None),
    "cart": ("CARTClassifier", "CARTRegressor"),
    "chaid": ("CHAIDClassifier", None),
    "ctree": ("ConditionalTreeClassifier", "ConditionalTreeRegressor"),
    "tree": ("DecisionTreeClassifier", "DecisionTreeRegressor"),
    "forest": ("RandomForestClassifier", "RandomForestRegressor"),
    "boost": ("GradientBoostingClassifier", "GradientBoostingRegressor"),
}
# Options and the parameters that they are; those of one tree are not those of many.
_TREE = {"criterion": "criterion", "categories": "categories", "ties": "ties", "min_leaf": "min_samples_leaf"}
_FOREST = {
    "criterion": "criterion",
    "min_leaf": "min_samples_leaf",
    "max_depth": "max_depth",
    "trees": "n_estimators",
}
_BOOST = {"min_leaf": "min_samples_leaf", "max_depth": "max_depth", "trees": "n_estimators"}
_MANY = {
    "forest": _FOREST | {"max_leaves": "max_leaf_nodes"},
    "boost": _BOOST | {"max_leaves": "max_leaf_nodes"},
}


FEWEST_JUDGED = 50  # trees of a forest that has an out-of-bag curve


@dataclass(frozen=True)
class Recipe:
    """`make(**more)` gives an estimator; `costs`: rows the true class, columns the answer."""

    make: Any
    costs: NDArray[np.float64] | None
    nested: bool  # a smaller tree is the beginning of a larger one
    decides: bool  # the program chooses the size itself


def recipe(problem: Problem, asked: Asked) -> Recipe:
    if asked.model != "tree":
        return _many(problem, asked)
    if asked.trees is not None:
        raise BoughError(
            f"--trees {asked.trees} is for many trees, and one tree is asked for.",
            code="parameter",
            hint="Add --model forest or --model boost.",
        )
    parameters = _parameters(problem, asked, _TREE)
    parameters["max_depth"] = asked.max_depth
    if asked.missing is not None:
        parameters["missing"] = MISSING[asked.missing]
    costs = _costs(problem, asked)
    if costs is not None:
        parameters["costs"] = costs.tolist()
    name = asked.algo or "tree"
    if asked.algo == "cart":
        rule = {"1se": "1-se", "best": "best"}[asked.rule]
        parameters |= {"pruning_folds": asked.folds, "pruning_rule": rule}
    if asked.choose == "none" and asked.algo in ("cart", "c45"):
        parameters["pruning"] = None
    kind = _kind(name, problem)
    multiway = (asked.categories or kind().categories) not in ("subset", "one_vs_rest")
    return Recipe(partial(kind, **parameters), costs, not multiway, asked.algo is not None)


def _many(problem: Problem, asked: Asked) -> Recipe:
    unfit = [name for name in ("algo", "categories", "ties") if getattr(asked, name) is not None]
    unfit += ["cost"] if asked.cost else []
    unfit += ["criterion"] if asked.criterion is not None and asked.model == "boost" else []
    unfit += ["rule"] if asked.rule != RULES[0] else []
    if unfit:
        raise BoughError(
            f"--{unfit[0]} is for one tree, not for --model {asked.model}.",
            code="parameter",
            hint="Leave it out.",
        )
    if asked.missing == "category" and asked.model == "boost":
        raise BoughError(
            "--missing category is not for --model boost, which sends empty cells where they do best.",
            code="parameter",
            hint="Leave it out, or refuse empty cells:  --missing error",
        )
    parameters = _parameters(problem, asked, _MANY[asked.model])
    if asked.model == "forest":
        # With fewer trees, some rows are seen by all of them; with groups, rows of one group are in the bag
        # and out of it, so that the score flatters.
        enough = asked.trees is None or asked.trees >= FEWEST_JUDGED
        parameters["oob_score"] = enough and problem.groups is None
    if asked.missing == "error":
        _refuse_missing(problem)
    elif asked.missing is not None and asked.model == "forest":
        parameters["missing"] = MISSING[asked.missing]
    return Recipe(partial(_kind(asked.model, problem), **parameters), None, False, True)


def _refuse_missing(problem: Problem) -> None:
    from bough.data.ingest import check_known

    check_known(problem.table, problem.table.names)


def _kind(name: str, problem: Problem) -> Any:
    if problem.ranks and name == "boost":
        return estimators.GradientBoostingRanker
    classes, numbers = _CLASSES[name]
    wanted = classes if problem.classes is not None else numbers
    if wanted is None:
        raise BoughError(
            f'--algo {name} is for classes, and "{problem.target}" is a number.',
            code="parameter",
            hint="For numbers:  --algo cart  or  --algo ctree",
        )
    return getattr(estimators, wanted)


def _parameters(problem: Problem, asked: Asked, names: dict[str, str]) -> dict[str, Any]:
    given = {ours: getattr(asked, name) for name, ours in names.items()}
    found = {name: value for name, value in given.items() if value is not None}
    return found | {"random_state": asked.seed, "n_jobs": asked.threads or -1}


def positive_class(problem: Problem, asked: Asked) -> Any:
    """The class that is named with --positive, or the second of two."""
    if problem.classes is None:
        if asked.positive is not None:
            raise BoughError(
                f'--positive names a class, and "{problem.target}" is a number.',
                code="parameter",
                hint="Leave it out.",
            )
        return None
    names = [label(value) for value in problem.classes]
    if asked.positive is None:
        return problem.classes[1] if len(names) == 2 else None
    if asked.positive not in names:
        raise BoughError(
            f'no class "{asked.positive}" in "{problem.target}".{did_you_mean(asked.positive, names)}',
            code="parameter",
            hint=f"classes: {', '.join(names[:8])} ({len(names)})",
        )
    return problem.classes[names.index(asked.positive)]


def _costs(problem: Problem, asked: Asked) -> NDArray[np.float64] | None:
    """--cost fn=5,fp=1 as a matrix: fn is a positive row answered with the other class."""
    if not asked.cost:
        return None
    given = pairs("--cost", asked.cost)
    if problem.classes is None or len(problem.classes) != 2 or not set(given) <= {"fn", "fp"}:
        raise BoughError(
            f"--cost {','.join(asked.cost)} is not possible here.",
            code="parameter",
            hint="--cost fn=5,fp=1 is for two classes; --positive names the one that fn is about.",
        )
    try:
        amounts = {name: float(value) for name, value in given.items()}
    except ValueError:
        amounts = {"fn": math.nan}
    if not all(math.isfinite(amount) and amount > 0 for amount in amounts.values()):
        raise BoughError(
            f"--cost {','.join(asked.cost)} is not possible.",
            code="parameter",
            hint="Costs are numbers above 0.",
        )
    positive = problem.classes.tolist().index(positive_class(problem, asked))
    matrix = np.zeros((2, 2))
    matrix[positive, 1 - positive] = amounts.get("fn", 1.0)
    matrix[1 - positive, positive] = amounts.get("fp", 1.0)
    return matrix

"""Every parameter of the tree estimators, once: name, default, meaning; constructors and documentation come
from here."""

from __future__ import annotations

import dataclasses
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.base import clone

from bough.errors import BoughTypeError
from bough.estimators.elsewhere import unknown_parameter
from bough.growing.settings import Settings


@dataclass(frozen=True)
class Parameter:
    name: str
    default: Any
    doc: str
    of: str = "both"  # or "classes", "numbers"


# Growth, in the order of the settings; the seed comes from random_state.
GROWTH = tuple(
    Parameter(f.name, f.default, f.metadata["doc"]) for f in dataclasses.fields(Settings) if f.name != "seed"
)
OTHERS = (
    Parameter("unseen", "missing", 'categories without a branch: "missing", "majority" or "error"'),
    Parameter("class_weight", None, 'a dict of weights by class, "balanced", or None', "classes"),
    Parameter("priors", None, "a dict of shares by class that the rows are weighted to", "classes"),
    Parameter(
        "costs",
        None,
        "costs of mistakes, rows the true class, columns the answer, in the order of classes_",
        "classes",
    ),
    Parameter(
        "classes", None, "all classes in their order, where y lacks some or they are ordered", "classes"
    ),
    Parameter(
        "probabilities", "raw", 'shares of a leaf: "raw", "half", "laplace" or "m" (see docs)', "classes"
    ),
    Parameter("m", 2.0, 'rows that the shares of all rows count for, with probabilities="m"', "classes"),
    Parameter("pruning", None, "None, or a method of bough.pruning: cost_complexity, pessimistic, …"),
    Parameter("ccp_alpha", 0.0, 'cost of a leaf; with pruning="cost_complexity" 0 means by cross-validation'),
    Parameter("cp", 0.0, "smallest cost of a leaf that cross-validation considers, of the root's cost"),
    Parameter(
        "pruning_measure",
        None,
        'what leaves cost: "impurity", "error", or None: errors where cross-validation decides',
    ),
    Parameter("pruning_rule", "best", 'of cross-validation: "best" or "1-se"'),
    Parameter("pruning_folds", 10, "folds of that cross-validation (rpart's xval); 0: a leaf costs cp"),
    Parameter("pruned_leaves", 8, 'most leaves, with pruning="max_leaves"'),
    Parameter("confidence", 0.25, "pessimistic pruning: smaller prunes more", "classes"),
    Parameter(
        "error_estimate", "normal", 'pessimistic pruning: "normal" (Weka) or "table" (C4.5)', "classes"
    ),
    Parameter(
        "subtree_raising", True, "pessimistic pruning may put a branch in its parent's place", "classes"
    ),
    Parameter("collapse", False, "first make leaves of subtrees that save no training error", "classes"),
    Parameter("early_stopping", False, "grow best-first until held-out rows are answered no better"),
    Parameter("patience", 10, "splits in a row without a better score that stop the growth"),
    Parameter("validation_fraction", 0.3, "share of the rows that reduced_error and early_stopping hold out"),
    Parameter("forced_splits", None, "the first splits, as a nested dict (see docs)"),
    Parameter(
        "random_state",
        None,
        "seed of max_features, random ties, permutations, folds and held-out rows; None: these two fixed",
    ),
    Parameter("n_jobs", None, "threads; the tree is the same for any number"),
)


def parameters(of: str) -> tuple[Parameter, ...]:
    """Those of classifiers ("classes") or of regressors ("numbers")."""
    return tuple(p for p in GROWTH + OTHERS if p.of in ("both", of))


def defaults(of: str, changes: dict[str, Any]) -> dict[str, Any]:
    """Names and defaults, with the changes of a preset."""
    known = {p.name: p.default for p in parameters(of)}
    strange = set(changes) - set(known)
    if strange:
        raise TypeError(f"a preset changes {strange}, which are no parameters")
    return known | changes


def constructor(values: dict[str, Any]) -> Callable[..., None]:
    """An __init__ with these keywords and defaults; a wrong keyword is answered with the right one."""

    def __init__(self: Any, *unnamed: Any, **given: Any) -> None:
        if unnamed:
            first = next(iter(values))
            raise BoughTypeError(
                f"{type(self).__name__} takes its parameters by name only, and was given {unnamed[0]!r:.40}.",
                code="parameter",
                hint=f"{type(self).__name__}({first}={unnamed[0]!r:.40}), if that is what it is.",
            )
        for name in given:
            if name not in values:
                raise unknown_parameter(self, name, list(values))
        for name, default in values.items():
            setattr(self, name, given.get(name, default))

    keywords = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)
        for name, value in values.items()
    ]
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([own, *keywords])  # type: ignore[attr-defined]  # read by inspect
    return __init__


def documentation(
    first: str, of: str, values: dict[str, Any], listed: tuple[Parameter, ...] | None = None
) -> str:
    """The first lines, and one entry for each parameter; `listed`: others than those of trees."""
    lines = [first, "", "Parameters", "----------"]
    for p in listed or parameters(of):
        lines.append(f"{p.name} : {values[p.name]!r}")
        lines += textwrap.wrap(p.doc, 100, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines) + "\n"


def copy_with(model: Any, **values: Any) -> Any:
    """A copy to be fitted, with these values. In a class of the user's they need not be parameters, but the
    constructor of ours has made them attributes."""
    made = clone(model)
    for name, value in values.items():
        setattr(made, name, value)
    return made

"""The methods of pruning, each listed once, and `prune`, which calls one by its name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from bough.errors import BoughError, BoughTypeError, did_you_mean
from bough.growing.settings import check_name
from bough.pruning.cost_complexity import cost_complexity
from bough.pruning.evidence import Evidence
from bough.pruning.max_leaves import max_leaves
from bough.pruning.mdl import mdl
from bough.pruning.pessimistic import pessimistic
from bough.pruning.reduced_error import reduced_error
from bough.pruning.significance import significance
from bough.pruning.simplify import simplify
from bough.tree import Tree


@dataclass(frozen=True)
class Method:
    """A way to prune: which rows it takes and whether it needs them, whether it can do numbers, and the
    options with which `compare` shows it (its defaults where nothing is said)."""

    name: str
    function: Callable[..., Tree]
    doc: str
    rows: Literal["none", "training", "held-out"] = "none"
    rows_needed: bool = False
    numbers: bool = True
    shown_with: Mapping[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> list[str]:
        parameters = inspect.signature(self.function).parameters.values()
        return [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]


_ALL = (
    Method(
        "cost_complexity",
        cost_complexity,
        "the subtree that minimises cost + alpha * leaves (CART)",
        shown_with={"cp": 0.01},
    ),
    Method(
        "pessimistic",
        pessimistic,
        "expected errors at a confidence bound (C4.5); with the training rows, subtrees are raised",
        rows="training",
        numbers=False,
    ),
    Method(
        "reduced_error",
        reduced_error,
        "as small as held-out rows allow without more errors",
        rows="held-out",
        rows_needed=True,
    ),
    Method("mdl", mdl, "the shortest description of tree and targets"),
    Method("significance", significance, "no split that chance explains, but above one that it does not"),
    Method(
        "max_leaves",
        max_leaves,
        "the least training cost with at most so many leaves",
        shown_with={"max_leaves": 8},
    ),
    Method("simplify", simplify, "siblings with the same answer are one leaf: no prediction changes"),
)

METHODS: Mapping[str, Method] = MappingProxyType({method.name: method for method in _ALL})


def prune(
    tree: Tree,
    method: str,
    *,
    data: Any = None,
    target: Any = None,
    weights: Any = None,
    **options: Any,
) -> Tree:
    """A smaller tree of the same kind; the given one stays as it is.

    `method` is a name of METHODS. `data`, `target` and `weights` are rows as evidence, in any form that an
    estimator takes: the training rows for "pessimistic", rows that the tree has not seen for
    "reduced_error". `options` are those of the method; docs/pruning.md tells what each does.
    """
    if not isinstance(tree, Tree):
        raise BoughTypeError(
            f"prune takes a bough.Tree, not {type(tree).__name__}.",
            code="model",
            hint="Of a fitted model: prune(model.tree_, …)",
        )
    check_name("method", method, tuple(METHODS))
    chosen = METHODS[method]
    for name in options:
        if name not in chosen.options:
            raise BoughTypeError(
                f'method="{method}" has no option "{name}".{did_you_mean(name, chosen.options)}',
                code="parameter",
                hint="Its options: " + (", ".join(chosen.options) or "none") + ".",
            )
    _check_given(chosen, options)
    rows = _evidence(chosen, tree, data, target, weights)
    return chosen.function(tree, **options) if rows is None else chosen.function(tree, rows, **options)


def _check_given(method: Method, options: Mapping[str, Any]) -> None:
    for p in inspect.signature(method.function).parameters.values():
        if p.kind is p.KEYWORD_ONLY and p.default is p.empty and p.name not in options:
            raise BoughTypeError(
                f'method="{method.name}" needs {p.name}.',
                code="parameter",
                hint=f'E.g. prune(tree, "{method.name}", {p.name}={method.shown_with[p.name]}).',
            )


def _evidence(method: Method, tree: Tree, data: Any, target: Any, weights: Any) -> Evidence | None:
    given = [
        name
        for name, value in (("data", data), ("target", target), ("weights", weights))
        if value is not None
    ]
    if method.rows == "none" and given:
        raise BoughError(
            f'method="{method.name}" takes no rows, but {given[0]} is given.',
            code="parameter",
            hint="It reads everything from the tree.",
        )
    if data is not None and target is not None:
        return Evidence.of(tree, data, target, weights)
    if given or method.rows_needed:
        raise BoughError(
            f'method="{method.name}" needs rows: data and target.',
            code="parameter",
            hint=f"Give {method.rows} rows: prune(tree, method, data=X, target=y).",
        )
    return None

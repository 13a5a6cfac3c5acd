"""Curves: errors against size or rows, the pruning path, ROC, precision and recall, calibration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bough.errors import BoughError
from bough.plotting.axes import MORE, TWO, axes_of
from bough.plotting.tree_plot import tree_of
from bough.pruning import path

if TYPE_CHECKING:
    from bough.evaluation.result import ClassEvaluation

SQUARE = (4.6, 4.4)


def plot_curve(curve: Mapping[str, list[Any]], *, ax: Any = None) -> Any:
    """A learning or complexity curve (`bough.learning_curve`, `bough.complexity_curve`): the error on the
    rows fitted on, dashed, and on rows held out, each with a band of one standard error; returns the axes."""
    ax = axes_of(ax)
    name = next(iter(curve))
    xs = curve[name]
    numeric = all(isinstance(x, int | float | np.number) for x in xs)
    at = np.asarray(xs, dtype=np.float64) if numeric else np.arange(len(xs))
    for part, colour, style, text in (
        ("training", TWO[1], "--", "rows fitted on"),
        ("held_out", TWO[0], "-", "rows held out"),
    ):
        error, spread = np.array(curve[f"{part}_error"]), np.array(curve[f"{part}_standard_error"])
        ax.plot(at, error, color=colour, linestyle=style, marker="o", markersize=3.5, label=text)
        ax.fill_between(at, error - spread, error + spread, color=colour, alpha=0.15, linewidth=0)
    if numeric and at.min() > 0 and at.max() / at.min() > 20:
        ax.set_xscale("log")
        ax.set_xticks(at, [f"{x:g}" for x in at])
        ax.minorticks_off()
    if not numeric:
        ax.set_xticks(at, [str(x) for x in xs])
    ax.set_xlabel(name, parse_math=False)
    ax.set_ylabel("error")
    ax.legend()
    return ax


def plot_pruning_path(model: Any, *, ax: Any = None, measure: str = "impurity") -> Any:
    """Cost-complexity pruning of a tree, or of a fitted estimator's: what the tree that is left
    costs, and how many leaves it has, against alpha; returns the axes (leaves are on `ax.right_ax`)."""
    found = path(tree_of(model), measure=measure)
    ax = axes_of(ax)
    costs, leaves = found.impurities, found.n_leaves
    (line,) = ax.step(found.ccp_alphas, costs, where="post", color=TWO[0], label="cost")
    right = ax.twinx()
    ax.right_ax = right
    (dashed,) = right.step(
        found.ccp_alphas, leaves, where="post", color=TWO[1], linestyle="--", label="leaves"
    )
    ax.set_xlabel("alpha")
    ax.set_ylabel(f"{measure} of the leaves")
    right.set_ylabel("leaves")
    ax.legend(handles=[line, dashed], loc="best")
    return ax


def plot_roc(evaluations: Any, *, ax: Any = None, positive: Any = None) -> Any:
    """The ROC of an evaluation, or of several by name (a dict or a comparison), with the diagonal of
    guessing; returns the axes."""
    ax = axes_of(ax, SQUARE)
    ax.plot([0, 1], [0, 1], color="#a9b3be", linestyle=":", linewidth=1, label="_guess")

    def points(found: ClassEvaluation) -> tuple[Any, Any]:
        curve = found.roc(positive)
        return curve.false_positive_rate, curve.true_positive_rate

    _lines(ax, evaluations, points, "auc", "AUC")
    return _squared(ax, "false positive rate", "true positive rate")


def plot_precision_recall(evaluations: Any, *, ax: Any = None, positive: Any = None) -> Any:
    """Precision against recall, one step for each threshold; returns the axes."""
    ax = axes_of(ax, SQUARE)

    def points(found: ClassEvaluation) -> tuple[Any, Any]:
        curve = found.precision_recall(positive)
        return curve.recall, curve.precision

    _lines(ax, evaluations, points, "average_precision", "AP", step=True)
    return _squared(ax, "recall", "precision")


def plot_calibration(evaluations: Any, *, ax: Any = None, positive: Any = None) -> Any:
    """How often what was predicted with a share came true, with intervals; returns the axes."""
    ax = axes_of(ax, SQUARE)
    ax.plot([0, 1], [0, 1], color="#a9b3be", linestyle=":", linewidth=1, label="_as predicted")
    for number, (name, found) in enumerate(_named(evaluations).items()):
        bins = found.calibration(positive)
        reach = np.clip([bins.observed - bins.low, bins.high - bins.observed], 0, None)
        colour = MORE[number % len(MORE)]
        ax.errorbar(
            bins.predicted,
            bins.observed,
            yerr=reach,
            color=colour,
            marker="o",
            markersize=4,
            linewidth=1,
            label=name,
        )
    return _squared(ax, "predicted share", "came true")


def _named(evaluations: Any) -> dict[str, Any]:
    inside = getattr(evaluations, "evaluations", evaluations)
    # An evaluation is a mapping too, of its figures.
    named = {"model": inside} if hasattr(inside, "answers") else inside
    if not isinstance(named, Mapping) or not all(hasattr(found, "roc") for found in named.values()):
        raise BoughError(
            "these curves are drawn of evaluations of classifiers.",
            code="parameter",
            hint="Give the result of bough.evaluate or bough.compare, or a dict of results by name.",
        )
    return dict(named)


def _lines(
    ax: Any,
    evaluations: Any,
    points: Callable[[ClassEvaluation], tuple[Any, Any]],
    figure: str,
    name: str,
    step: bool = False,
) -> None:
    for number, (text, found) in enumerate(_named(evaluations).items()):
        xs, ys = points(found)
        own = found.positive is not None and figure in found
        shown = f"{text}: {name} {found[figure].value:.3f}" if own else text
        style = {"drawstyle": "steps-post"} if step else {}
        ax.plot(xs, ys, color=MORE[number % len(MORE)], label=shown, **style)


def _squared(ax: Any, x: str, y: str) -> Any:
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    ax.legend()
    return ax

"""What classifiers answer in the plane of two columns, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from bough.data.ingest import to_table
from bough.data.objects import label
from bough.data.sources import column_names
from bough.data.target import class_codes
from bough.ensemble.interrupts import one_of_several
from bough.errors import BoughError
from bough.plotting.axes import class_colours, plotting

RESOLUTION = 200


def plot_regions(models: Any, X: Any, y: Any, *, axes: Any = None, resolution: int = RESOLUTION) -> Any:
    """Colours the plane by each model's answer and draws the rows; returns the axes, an array of them.

    `models` is a classifier, a list or a dict by name: trees, k-NN, linear models, whatever predicts. Fitted
    ones are asked as they are, others are copied and fitted. `X` has two numeric columns.
    """
    named = _named(models)
    table = to_table(X)
    if len(table.columns) != 2 or any(c.field.kind != "numeric" for c in table.columns):
        kinds = ", ".join(f"{c.field.name} ({c.field.kind})" for c in table.columns[:5])
        raise BoughError(
            f"regions are drawn for two numeric columns, and these are {kinds}.",
            code="shape",
            hint='Choose two: X[["age", "fare"]].',
        )
    codes, classes = class_codes(y, table.n_rows, "plot_regions")
    pyplot = plotting()
    if axes is None:
        size = (4.2 * len(named), 3.8)
        _, axes = pyplot.subplots(1, len(named), figsize=size, squeeze=False, layout="constrained")
    flat = np.ravel(np.asarray(axes, dtype=object))
    if len(flat) < len(named):
        raise BoughError(
            f"{len(flat)} axes are too few for {len(named)} models.",
            code="parameter",
            hint="Give one for each.",
        )
    points = np.column_stack([c.values for c in table.columns])
    known = np.isfinite(points).all(axis=1)
    for ax, (name, model) in zip(flat, named.items(), strict=False):
        _draw(ax, _fitted(model, X, classes[codes]), X, points[known], codes[known], classes, resolution)
        ax.set_title(name, parse_math=False)
        ax.set_xlabel(table.names[0], parse_math=False)
        ax.set_ylabel(table.names[1], parse_math=False)
    flat[0].legend(loc="best", fontsize="small")
    return flat[: len(named)]


def _named(models: Any) -> dict[str, Any]:
    if isinstance(models, Mapping):
        return {str(name): model for name, model in models.items()}
    listed = models if isinstance(models, list | tuple) else [models]
    kinds = [type(model).__name__ for model in listed]
    return {
        kind if kinds.count(kind) == 1 else f"{kind} {i + 1}": model
        for i, (kind, model) in enumerate(zip(kinds, listed, strict=True))
    }


@one_of_several()
def _fitted(model: Any, X: Any, labels: NDArray[Any]) -> Any:
    try:
        check_is_fitted(model)
    except NotFittedError:
        return clone(model).fit(X, labels)
    return model


def _draw(
    ax: Any,
    model: Any,
    X: Any,
    points: NDArray[Any],
    codes: NDArray[Any],
    classes: NDArray[Any],
    resolution: int,
) -> None:
    from matplotlib.colors import ListedColormap

    low, high = points.min(axis=0), points.max(axis=0)
    room = np.where(high > low, 0.05 * (high - low), 1.0)
    xs, ys = (np.linspace(low[i] - room[i], high[i] + room[i], resolution) for i in (0, 1))
    grid = np.array(np.meshgrid(xs, ys)).reshape(2, -1)
    place = {value: i for i, value in enumerate(classes.tolist())}
    answers = np.array([place[value] for value in np.asarray(model.predict(_like(X, grid))).tolist()])
    colours = class_colours(len(classes))
    ax.pcolormesh(
        xs,
        ys,
        answers.reshape(resolution, resolution),
        cmap=ListedColormap(colours),
        vmin=-0.5,
        vmax=len(classes) - 0.5,
        alpha=0.25,
        shading="nearest",
        linewidth=0,
        rasterized=True,
    )
    marks = "osD^vP"
    for k, value in enumerate(classes.tolist()):
        inside = points[codes == k]
        ax.scatter(
            inside[:, 0],
            inside[:, 1],
            s=16,
            color=colours[k],
            marker=marks[k % len(marks)],
            edgecolor="white",
            linewidth=0.4,
            label=label(value),
        )


def _like(X: Any, grid: NDArray[Any]) -> Any:
    """The points in the form of the data that models were fitted on."""
    names = column_names(X)
    if names is None:
        return grid.T
    columns = dict(zip(names, grid, strict=True))
    if isinstance(X, Mapping) or not hasattr(X, "columns"):
        return columns
    return type(X)(columns)

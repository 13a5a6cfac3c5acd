"""What the columns add to the answers of many trees: Shapley values of some rows, and their picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bough.data.objects import label
from bough.data.table import Table
from bough.errors import BoughError
from bough.explain.shap import shap_values
from bough.reporting.charts import BOTTOM, TOP, Axis, Chart, number_ticks
from bough.tree import Ensemble
from bough.tree.text import shown_name
from bough.view.colours import Theme
from bough.view.measure import width
from bough.view.pen import number

Floats = NDArray[np.float64]

MOST_ROWS = 300
MOST_NODES = 3_000_000  # of all trees; their walk takes about half a minute
MOST_STRIPS = 10
STRIP, WIDE, DOT = 30, 640, 3.4  # px
CELL = 4  # px along a strip in which dots are put side by side
LONGEST = 24  # signs of a name beside a strip


class Rows(Protocol):
    @property
    def table(self) -> Table: ...
    @property
    def y(self) -> NDArray[Any]: ...


@dataclass(frozen=True)
class ShapSummary:
    """`mean`: of each column, the mean size of its values over rows and outputs. `values`: rows by columns,
    of the output that `of` names; `ranks`: where the row's own value stands among all of the column, from 0
    to 1 (NaN: missing, or a category)."""

    of: str
    names: tuple[str, ...]
    mean: Floats
    values: Floats
    ranks: Floats

    @property
    def order(self) -> list[int]:
        """Columns, those with the largest values first."""
        places: list[int] = np.argsort(-self.mean, kind="stable").tolist()
        return places


def shap_summary(ensemble: Ensemble, rows: Rows, positive: Any = None) -> ShapSummary | None:
    """Of up to 300 rows; None where there are no exact values, or too many nodes for a report."""
    if sum(tree.n_nodes for tree in ensemble) > MOST_NODES:
        return None
    n = rows.table.n_rows
    chosen = np.sort(np.random.default_rng(0).permutation(n)[:MOST_ROWS])
    table = rows.table.take(chosen)
    try:
        found = shap_values(ensemble, table)
    except BoughError:
        return None  # a weighted median is not a sum
    ranks = np.column_stack([_ranks(column.values, column.field.kind) for column in table.columns])
    values = found.values
    if values.ndim == 2:
        of = "the prediction"
        if ensemble.link == "logistic" and ensemble.classes is not None:
            of = f"the log odds of {shown_name(label(ensemble.classes[1]))}"
        elif ensemble.link == "exp":
            of = "the log of the prediction"
        return ShapSummary(of, found.feature_names, np.abs(values).mean(axis=0), values, ranks)
    assert ensemble.classes is not None
    place = _output(ensemble.classes, rows.y, positive)
    what = {"mean": "the share of", "vote": "the votes for"}.get(ensemble.combine, "the sum for")
    of = f"{what} {shown_name(label(ensemble.classes[place]))}"
    return ShapSummary(of, found.feature_names, np.abs(values).mean(axis=(0, 2)), values[:, :, place], ranks)


def _output(classes: NDArray[Any], y: NDArray[Any], positive: Any) -> int:
    """The positive of two classes, or the most frequent."""
    if len(classes) == 2:
        return 1 if positive is None else [label(c) for c in classes].index(label(positive))
    return int(np.bincount(y, minlength=len(classes)).argmax())


def _ranks(values: Floats, kind: str) -> Floats:
    if kind == "nominal":
        return np.full(len(values), np.nan)
    known = np.sort(values[~np.isnan(values)])
    if not len(known) or known[0] == known[-1]:
        return np.full(len(values), np.nan)
    low, high = np.searchsorted(known, values, "left"), np.searchsorted(known, values, "right")
    ranks: Floats = (low + high) / (2 * len(known))
    ranks[low == 0], ranks[high == len(known)] = 0.0, 1.0  # both ends, whatever the shares of a boolean
    ranks[np.isnan(values)] = np.nan
    return ranks


def shap_chart(theme: Theme, summary: ShapSummary) -> str:
    """A strip for each of the columns that matter most, a dot for each row."""
    shown = summary.order[:MOST_STRIPS]
    names = [_short(shown_name(summary.names[place])) for place in shown]
    left = 16 + max(width(name) for name in names)
    values = summary.values[:, shown]
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    room = 0.04 * (high - low) or 1.0
    chart = Chart(theme, Axis(low - room, high + room, left, WIDE - 14), Axis(0, 1, 0, 1), WIDE)
    chart.height = TOP + 20 + STRIP * len(shown) + BOTTOM
    foot = chart.height - BOTTOM
    chart.x_ticks(*number_ticks(low, high, 6), f"added to {summary.of}")
    zero = number(chart.x.at(0))
    chart.parts.append(chart.pen.line(f"M{zero} {TOP + 20}V{number(foot)}", "edge", 1.2, dashes="4 3"))
    for strip, place in enumerate(shown):
        middle = TOP + 20 + STRIP * (strip + 0.5)
        chart.note(left - 8, middle + 4, names[strip], anchor="end")
        _strip(chart, summary.values[:, place], summary.ranks[:, place], middle)
    for x, text, role in ((0, "low", "k0"), (60, "middle", "edge"), (135, "high value", "k1")):
        chart.parts.append(chart.pen.line(f"M{number(left + x + 4)} 14h0", role, 7, ends="round"))
        chart.note(left + x + 12, 18, text, "soft")
    chart.parts.append(chart.pen.line(f"M{number(left + 228)} 14h0", "other", 7, ends="round"))
    chart.note(left + 236, 18, "category or missing", "soft")
    return chart.svg(f"What each column adds to {summary.of}, a dot for each of {len(values)} rows")


def _strip(chart: Chart, values: Floats, ranks: Floats, middle: float) -> None:
    """Dots beside each other where there are many; one path for each colour."""
    xs = np.array([chart.x.at(value) for value in values.tolist()])
    cells = np.floor(xs / CELL).astype(np.int64)
    most = int(np.unique(cells, return_counts=True)[1].max())
    step = min(DOT, (STRIP - 6) / max(1, most))
    seen: dict[int, int] = {}
    marks: dict[str, list[str]] = {"other": [], "edge": [], "k0": [], "k1": []}
    for x, cell, rank in zip(xs.tolist(), cells.tolist(), ranks.tolist(), strict=True):
        turn = seen[cell] = seen.get(cell, -1) + 1
        y = middle + (turn + 1) // 2 * step * (1 if turn % 2 else -1)
        role = "other" if np.isnan(rank) else "k0" if rank < 1 / 3 else "k1" if rank > 2 / 3 else "edge"
        marks[role].append(f"M{x:.1f} {y:.1f}h0")
    chart.parts += [
        chart.pen.line("".join(dots), role, DOT, ends="round") for role, dots in marks.items() if dots
    ]


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"

"""The charts of "How good is it?": error against leaves, ROC, calibration, answers against the truth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bough.evaluation.result import ClassEvaluation, Evaluation
from bough.evaluation.size_curve import SizeCurve
from bough.reporting.charts import (
    BOTTOM,
    HEIGHT,
    LEFT,
    WIDTH,
    Chart,
    frame_axes,
    number_ticks,
    round_ticks,
    share_chart,
)
from bough.tree.text import shown_name
from bough.view.colours import Palette, Theme

MARKS = (1, 2, 3, 5, 8, 12, 20, 32, 64, 128, 256, 512, 1000, 2000, 5000)  # sizes that are written
MOST_POINTS = 600  # of a scatter; more are a cloud anyway


def size_chart(
    theme: Theme, curve: SizeCurve, chosen: int, of: str = "leaves", mark: str = "this tree"
) -> str:
    """Training dashed, left-out rows with a standard error up and down, the size of this model ringed."""
    if len(curve.leaves) > 3 and curve.leaves[0] == 1 != chosen:
        # A single leaf is the baseline, which the tables have; here it would flatten all the others.
        rest = (curve.training[1:], curve.left_out[1:], curve.standard_error[1:])
        curve = SizeCurve(curve.what, curve.leaves[1:], *rest)
    low = float(min(curve.training.min(), (curve.left_out - curve.standard_error).min()))
    high = float(max(curve.training.max(), (curve.left_out + curve.standard_error).max()))
    room = 0.06 * (high - low) or 0.05
    low = max(0.0, low - room)
    chart = Chart(
        theme, *frame_axes((curve.leaves[0], max(2, curve.leaves[-1])), (low, high + room), log=True)
    )
    ticks = round_ticks(low, high, 5)
    shares = curve.what.startswith("share")
    texts = [
        f"{t:.0%}" if shares and ticks[1:] and ticks[1] - ticks[0] >= 0.0099 else f"{t:.3g}" for t in ticks
    ]
    chart.y_ticks(ticks, texts)
    marks = [
        n
        for n in (1, 2, 3, 5, 8, 12, 20, 32, 64, 128, 256, 512, 1000, 2000, 5000)
        if curve.leaves[0] <= n <= curve.leaves[-1]
    ]
    chart.x_ticks(marks, [str(n) for n in marks], f"{of} (log scale)")
    chart.line(curve.leaves, curve.training.tolist(), "k1", 1.8, "5 3")
    error = curve.standard_error
    chart.bars(curve.leaves, (curve.left_out - error).tolist(), (curve.left_out + error).tolist(), "k0")
    chart.line(curve.leaves, curve.left_out.tolist(), "k0")
    chart.points(curve.leaves, curve.left_out.tolist(), "k0", 5)
    if chosen in curve.leaves:
        place = curve.leaves.index(chosen)
        y = float(curve.left_out[place])
        chart.ring(chosen, y, "k0")
        if mark:
            _marked(chart, chosen, y + float(error[place]), f"{mark}: {chosen}")
    chart.legend(WIDTH - 16, 24, "rows left out", "k0")
    chart.legend(WIDTH - 16, 40, "training rows", "k1", "5 3")
    return chart.svg(f"{curve.what} against the number of {of}")


def _marked(chart: Chart, x: float, y: float, text: str) -> None:
    at = chart.x.at(x)
    anchor = "end" if at > WIDTH - 60 else "start" if at < LEFT + 40 else "middle"
    chart.note(at, chart.y.at(y) - 8, text, anchor=anchor, bold=True)


def roc_chart(theme: Theme, found: ClassEvaluation, palette: Palette) -> str:
    """One curve for two classes, one for each class of more (as many as have colours)."""
    chart = share_chart(theme, "false positive rate")
    if found.positive is not None:
        curve = found.roc()
        chart.line(curve.false_positive_rate.tolist(), curve.true_positive_rate.tolist(), "k0")
        chart.points([found["false_positive_rate"].value], [found["sensitivity"].value], "k1", 9)
        foot = HEIGHT - BOTTOM
        chart.note(chart.x.end - 8, foot - 24, f"AUC {found['auc'].value:.3f}", anchor="end", bold=True)
        chart.legend(chart.x.end - 8, foot - 8, "its answers", "k1")
        return chart.svg("ROC: true positive rate against false positive rate")
    y = HEIGHT - BOTTOM - 8
    for k in _with_curves(found, palette)[::-1]:
        curve = found.roc(found.classes[k])
        chart.line(curve.false_positive_rate.tolist(), curve.true_positive_rate.tolist(), palette.role(k))
        chart.legend(chart.x.end - 8, y, _short(found.class_names[k]), palette.role(k))
        y -= 15
    return chart.svg("ROC of each class against the rest")


def _with_curves(found: ClassEvaluation, palette: Palette) -> list[int]:
    """Classes with a colour of their own that occur, and are not all."""
    return [
        k
        for k in range(len(found.classes))
        if palette.slots[k] >= 0 and 0 < np.count_nonzero(found.answers.truth == k) < found.n_rows
    ]


def _short(name: str) -> str:
    return name if len(name) <= 18 else name[:17] + "…"


def calibration_chart(theme: Theme, found: ClassEvaluation) -> str:
    """How often what is predicted with a share comes true; a point is larger with more rows."""
    assert found.positive is not None
    name = _short(found.class_names[found.positive])
    chart = share_chart(theme, f"predicted share of {name}")
    bins = found.calibration()
    chart.bars(bins.predicted.tolist(), bins.low.tolist(), bins.high.tolist(), "k0")
    for p, o, n in zip(bins.predicted.tolist(), bins.observed.tolist(), bins.rows.tolist(), strict=True):
        chart.points([p], [o], "k0", 5 + 9 * (n / float(bins.rows.sum())) ** 0.5)
    return chart.svg("Calibration: how often what was predicted came true")


def scatter_chart(theme: Theme, found: Evaluation, target: str) -> str:
    """Answers for rows left out against the truth."""
    truth, given = found.answers.truth, found.answers.given
    step = max(1, len(truth) // MOST_POINTS)
    order = np.random.default_rng(0).permutation(len(truth))[: len(truth) // step]
    low, high = float(min(truth.min(), given.min())), float(max(truth.max(), given.max()))
    chart = Chart(theme, *frame_axes((low, high), (low, high)))
    chart.y_ticks(*number_ticks(low, high, 5))
    chart.x_ticks(*number_ticks(low, high, 5), f"{_short(shown_name(target))}, predicted for rows left out")
    chart.line([low, high], [low, high], "edge", 1.2, "4 3")
    chart.points(given[order].tolist(), truth[order].tolist(), "value", 3.5)
    return chart.svg("Truth against prediction for rows left out")


def residual_chart(theme: Theme, residuals: NDArray[np.float64], target: str) -> str:
    """A histogram of truth less answer."""
    counts, edges = np.histogram(residuals, 24)
    chart = Chart(theme, *frame_axes((float(edges[0]), float(edges[-1])), (0, float(counts.max()) * 1.08)))
    ticks = [t for t in round_ticks(0, float(counts.max()), 5) if t == int(t)]
    chart.y_ticks(ticks, [f"{t:,.0f}" for t in ticks])
    chart.x_ticks(*number_ticks(float(edges[0]), float(edges[-1]), 5), "truth less prediction")
    for left, right, n in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True):
        if n:
            x, top = chart.x.at(left), chart.y.at(n)
            chart.parts.append(
                chart.pen.rect(x + 0.5, top, chart.x.at(right) - x - 1, HEIGHT - BOTTOM - top, "value")
            )
    return chart.svg(f"Residuals of {target}")

"""The curve of how a model of many trees got better with every tree."""

from __future__ import annotations

from bough.ensemble.learning import Learning
from bough.reporting.charts import WIDTH, Chart, frame_axes, number_ticks
from bough.view.colours import Theme

MOST_POINTS = 200  # of a line; a screen shows no more


def learning_chart(theme: Theme, learning: Learning, alone: bool = False) -> str:
    """The first line full, the second dashed, the place of the model ringed."""
    low = min(float(line.y.min()) for line in learning.lines)
    high = max(float(line.y.max()) for line in learning.lines)
    room = 0.06 * (high - low) or 0.05
    first, last = float(learning.lines[0].x[0]), float(learning.lines[0].x[-1])
    chart = Chart(theme, *frame_axes((first, max(last, first + 1)), (low - room, high + room)))
    chart.y_ticks(*number_ticks(low, high, 5))
    ticks, texts = number_ticks(first, last, 5)
    whole = [(t, text) for t, text in zip(ticks, texts, strict=True) if t == int(t)]
    chart.x_ticks([t for t, _ in whole], [text for _, text in whole], learning.x_name)
    for place, line in reversed(list(enumerate(learning.lines))):
        step = max(1, len(line.x) // MOST_POINTS)
        shown = sorted({*range(0, len(line.x), step), len(line.x) - 1})
        dashes = "5 3" if place else None
        chart.line(line.x[shown].tolist(), line.y[shown].tolist(), f"k{place}", 2, dashes)
    main = learning.lines[0]
    best = min(learning.best, len(main.x) - 1)
    chart.ring(float(main.x[best]), float(main.y[best]), "k0")
    falling = main.y[0] > main.y[-1]
    for place, line in enumerate(learning.lines if len(learning.lines) > 1 else ()):
        y = 24.0 + 16 * place if falling else 180.0 + 16 * place
        chart.legend(WIDTH - 16, y, line.name, f"k{place}", "5 3" if place else None)
    return chart.svg(f"{learning.what} against the number of {learning.x_name}", alone)

"""What a notebook shows of many trees, and of averages of models: how they learned, what they ask most,
parameters, weights; no script."""

from __future__ import annotations

import base64
from typing import Any

from bough.ensemble.learning import learning_of
from bough.explain.importance import Importance
from bough.reporting.charts import meter
from bough.reporting.learning import learning_chart
from bough.reporting.markup import bold, paragraph, row, table, tag
from bough.tree import Ensemble
from bough.tree.ensemble_text import decimals, size_text, together
from bough.tree.notes import BIASED, MEASURES
from bough.tree.text import shown_name
from bough.view.colours import Theme, theme_of
from bough.view.notebook import details, parameters_table
from bough.view.pen import safe

MOST_COLUMNS = 10


def many_html(model: Any, found: Importance, parameters: dict[str, Any]) -> str:
    """Of a fitted estimator with an ensemble."""
    ensemble: Ensemble = model.ensemble_
    theme = theme_of("light", 2)
    learning = learning_of(model, model._late_losses())
    head = paragraph(
        bold(type(model).__name__), f": {safe(size_text(ensemble))}; {safe(together(ensemble))}."
    )
    parts = [head]
    if learning is not None:
        svg = learning_chart(theme, learning, alone=True)
        parts += [paragraph(safe(learning.text)), _image(svg, learning.what)]
    parts.append(_columns(found, theme))
    parts.append(details("Parameters", parameters_table(parameters)))
    return tag("div", *parts)


def _columns(found: Importance, theme: Theme) -> str:
    """The largest first; bars as long as the largest allows."""
    ranked = found.ranking
    largest = max(ranked[0][1], 0.0) or 1.0
    lines = []
    texts = decimals([value for _, value in ranked[:MOST_COLUMNS]])
    for (name, value), digits in zip(ranked, texts, strict=False):
        share = max(0.0, value) / largest
        text = f"{value:.1%}" if found.method == "gain" else digits.strip()
        bar = _image(meter(theme, [(share, "value")], alone=True), "")
        shown = shown_name(name)  # never endless: the whole has at most 60 KB
        lines.append(row([safe(shown), bar, text], (2,), data_column=shown, data_value=repr(value)))
    more = len(ranked) - MOST_COLUMNS
    rest = paragraph(f"and {more:,} more columns") if more > 0 else ""
    said = paragraph(safe(BIASED)) if found.method == "gain" else ""
    return table(["column", MEASURES[found.method], ""], lines, (2,)) + rest + said


def average_html(model: Any) -> str:
    """Of a fitted weighted average: what each of its models counts."""
    theme, lines = theme_of("light", 2), []
    for (name, fitted), weight in zip(model.named_estimators_.items(), model.weights_, strict=True):
        bar = _image(meter(theme, [(float(weight), "value")], alone=True), "")
        cells = [safe(shown_name(name)), safe(type(fitted).__name__), bar, f"{weight:.3f}"]
        lines.append(row(cells, (3,), data_model=name, data_value=repr(float(weight))))
    n = len(lines)
    head = f": {n:,} model{'' if n == 1 else 's'}, averaged by weights that rows have decided which the "
    head += f"models had not seen (learn={model.learn!r}, cv={model.cv!r:.60})."
    return tag(
        "div",
        paragraph(bold(type(model).__name__), safe(head)),
        table(["model", "kind", "weight", ""], lines, (3,)),
    )


def _image(svg: str, alt: str) -> str:
    data = base64.b64encode(svg.encode()).decode()
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{safe(alt)}">'

"""An evaluation as plain HTML tables, everything escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bough.evaluation.comparison import Comparison
    from bough.evaluation.result import Evaluation


def table(head: Sequence[str], lines: Iterable[Sequence[str]], left: int = 1) -> str:
    """Texts in cells; the first `left` columns are texts to read, the others numbers."""

    def cells(line: Sequence[str], tag: str) -> str:
        return "".join(
            f"<{tag}>{escape(cell)}</{tag}>"
            if i < left
            else f'<{tag} style="text-align:right">{escape(cell)}</{tag}>'
            for i, cell in enumerate(line)
        )

    body = "".join(f"<tr>{cells(line, 'td')}</tr>" for line in lines)
    return f"<table><thead><tr>{cells(head, 'th')}</tr></thead><tbody>{body}</tbody></table>"


def evaluation_html(evaluation: Evaluation) -> str:
    from bough.evaluation.result import MOST_CLASSES, ClassEvaluation

    parts = [f"<p>{escape(evaluation.title)}</p>", table(evaluation.head, evaluation.lines())]
    if isinstance(evaluation, ClassEvaluation):
        if len(evaluation.classes) <= MOST_CLASSES:
            parts.append(table(*evaluation.confusion_lines()))
        if evaluation.positive is None:
            head, lines = evaluation.class_lines()
            parts.append(table(head, lines[:MOST_CLASSES]))
    return "".join(parts)


def comparison_html(comparison: Comparison) -> str:
    return (
        table(*comparison.lines())
        + table(*comparison.difference_lines(), left=2)
        + f"<p>{escape(comparison.note)}</p>"
    )

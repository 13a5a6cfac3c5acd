"""Some rows and why they get their answers: the most wrong one, the least and the most certain."""

from __future__ import annotations

import numpy as np

from bough.data.objects import label
from bough.errors import BoughError
from bough.evaluation.answers import Answers
from bough.evaluation.words import percent
from bough.explain.contributions import Contributions, contributions_of
from bough.reporting.charts import meter
from bough.reporting.facts import ManyFacts
from bough.reporting.markup import bold, paragraph, row, section, table, tag
from bough.reporting.quality import box
from bough.tree.ensemble_text import decimals
from bough.tree.text import shown_name, significant
from bough.view.pen import safe

MOST_LINES = 8  # columns of a row, those that add most


def rows_explained(facts: ManyFacts) -> str:
    """A box for each row; Shapley values are of the model itself, the row is chosen by answers to rows that
    were not seen."""
    found, boxes = facts.evaluation.answers, []
    try:
        for title, place in chosen_rows(found).items():
            number = int(found.rows[place])
            told = contributions_of(facts.learned, facts.problem.table.take(np.array([number])), "the report")
            boxes.append(box(f"{title}: row {number:,}", _said(facts, place, told), _amounts(facts, told)))
    except BoughError as error:
        return section("rows", "Some rows", paragraph(safe(f"Not explained: {error.message}")))
    unseen = "by models that had not seen them" if facts.cross_validated else "by the model itself"
    counted = "of those that weigh something, " if facts.problem.weights is not None else ""
    about = (
        f"The rows were chosen among all by how they are answered {unseen}. What each column adds are exact "
        "Shapley values of the model, from the answer to nothing known to its answer for the row. "
        f"Rows are counted from 0, {counted}in the order of the table; model.explain(row) tells of any other."
        f"{costs_said(found)}"
    )
    return section(
        "rows", "Some rows", tag("div", *boxes, class_="grid"), paragraph(safe(about), class_="soft")
    )


def costs_said(found: Answers) -> str:
    """Why an answer may have a small share."""
    if found.classes is None or found.shares is None:
        return ""
    own = found.shares[np.arange(len(found.given)), found.given]
    if (own == found.shares.max(axis=1)).all():
        return ""
    return " Costs decide the answers: the class that costs least, which need not have the largest share."


def chosen_rows(found: Answers) -> dict[str, int]:
    """Places among the answers; the earlier row of equal ones. A row that is two things is shown once. How
    certain an answer is, is its own share, which is not the largest where costs decide."""
    order = np.argsort(found.rows, kind="stable")  # of the table, not of the folds

    def first(values: np.ndarray) -> int:
        return int(order[np.argmax(values[order])])

    wanted: dict[str, int] = {}
    if found.classes is None:
        missed = np.abs(found.given - found.truth)
        if missed.max() > 0:
            wanted["Most wrong"] = first(missed)
        wanted |= {"The highest answer": first(found.given), "The lowest answer": first(-found.given)}
    elif found.shares is not None:
        every = np.arange(len(found.truth))
        certain, of_truth = found.shares[every, found.given], found.shares[every, found.truth]
        wrong = found.given != found.truth
        if wrong.any():
            wanted["Most wrong"] = first(np.where(wrong, 1 - of_truth, -1.0))
        wanted["Least certain"] = first(-certain)
        if not wrong.all():
            wanted["Most certain, and right"] = first(np.where(wrong, -1.0, certain))
    shown: dict[str, int] = {}
    for title, place in wanted.items():
        if place not in shown.values():
            shown[title] = place
    return shown


def _said(facts: ManyFacts, place: int, told: Contributions) -> str:
    """What was answered before the row was seen, what the model says now, and what is true."""
    found, parts = facts.evaluation.answers, []
    if found.classes is None:
        truth, before = significant(float(found.truth[place]), 4), significant(float(found.given[place]), 4)
        own = significant(float(told.prediction), 4)
    else:
        assert found.shares is not None
        given = int(found.given[place])
        truth = shown_name(label(found.classes[found.truth[place]]))
        before = f"{shown_name(label(found.classes[given]))}, {percent(float(found.shares[place, given]), 0)}"
        own = f"{shown_name(label(told.prediction))}, {percent(float(told.share or 0.0), 0)}"
    if facts.cross_validated:
        parts.append(f"Not seen: {bold(before)}. The model, which has seen it: {bold(own)}.")
    else:
        parts.append(f"The model, which has seen it: {bold(own)}.")
    return paragraph(*parts, f" True: {bold(truth)}.")


def _amounts(facts: ManyFacts, told: Contributions) -> str:
    """From nothing known to the answer, the largest amounts first."""
    shown, rest = told.contributions[:MOST_LINES], told.contributions[MOST_LINES:]
    amounts = [part.amount for part in shown] + ([sum(part.amount for part in rest)] if rest else [])
    texts = [text.strip() for text in decimals([told.base, *amounts, told.raw])]
    largest = max(map(abs, amounts), default=0.0) or 1.0
    names = [f"{shown_name(part.column)} = {shown_name(part.value)}" for part in shown]
    if rest:
        names.append(f"{len(rest):,} more column{'' if len(rest) == 1 else 's'}")
    lines = [row([safe("nothing known"), "", texts[0]], (2,), data_base=repr(told.base))]
    for name, text, amount in zip(names, texts[1:-1], amounts, strict=True):
        drawn = meter(facts.palette.theme, [(abs(amount) / largest, "value")], 80)
        signed = text if amount < 0 else f"+{text}"
        lines.append(row([safe(name), drawn, signed], (2,), data_amount=repr(amount)))
    lines.append(row([bold(told.of), "", bold(texts[-1])], (2,), data_raw=repr(told.raw)))
    return table(["", "what it adds", ""], lines, (2,))

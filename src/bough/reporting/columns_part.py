"""What each column is worth, where missing values and new categories go, and how stable the splits are."""

from __future__ import annotations

import math

import numpy as np

from bough.evaluation.words import decimal, percent
from bough.reporting.charts import meter
from bough.reporting.facts import Facts, TreeFacts
from bough.reporting.markup import bold, paragraph, row, section, table, tag
from bough.tree import Node
from bough.tree.condition import SPREAD, STAY
from bough.tree.text import shown_name, significant
from bough.view.pen import safe
from bough.view.words import answers

MOST_COLUMNS = 60


def columns(facts: Facts, *more: str) -> str:
    """A line for each column, those that matter most first, and `more` below."""
    shares = np.asarray(facts.model.feature_importances_, dtype=np.float64)
    found = facts.importance
    numbers = facts.learned.classes is None
    judged = ["lost if shuffled", ""] if found is not None else []
    largest = float(found.loss.max()) if found is not None and found.loss.max() > 0 else 1.0
    lines = []
    for place in facts.ranking[:MOST_COLUMNS]:
        field = facts.fields[place]
        cells = [bold(shown_name(field.name)), safe(field.kind)]
        if found is not None:
            loss = float(found.loss[place])
            cells.append(meter(facts.palette.theme, [(max(0.0, loss) / largest, "value")]))
            cells.append(_loss(loss, float(found.error[place]), numbers))
        cells.append(meter(facts.palette.theme, [(float(shares[place]), "value")]))
        cells.append(percent(float(shares[place]), 0))
        lines.append(row(cells, (3, 5), data_column=field.name, data_share=f"{shares[place]:.6f}"))
    parts = [table(["column", "kind", *judged, "share of the gain", ""], lines, (3, 5))]
    if len(shares) > MOST_COLUMNS:
        parts.append(paragraph(f"… and {len(shares) - MOST_COLUMNS:,} more columns, which matter less."))
    about = (
        f"Share of the gain: how much of what the {facts.noun} learned from its training rows came from the "
        "column; columns of many values are favoured, even if they say nothing."
    )
    if found is not None:
        what = "by how much the RMSE rises" if numbers else "how many points of accuracy are lost"
        what = "by how much the NDCG falls" if facts.ranks else what
        about = (
            f"Lost if shuffled: {what} on rows left out when the column's values are shuffled among the "
            f"rows, ± a standard error over the folds. {about}"
        )
    parts.append(paragraph(safe(about), class_="soft"))
    return section("columns", "Columns", *parts, *more)


def _loss(loss: float, error: float, numbers: bool) -> str:
    if abs(loss) < 1e-12 and not error > 1e-12:
        return "0"
    if numbers:
        digits = max(0, 1 - math.floor(math.log10(error))) if error > 0 else 0
        return safe(f"{decimal(loss, digits)} ± {error:.{digits}f}")
    return safe(f"{decimal(100 * loss, 1)} ± {100 * error:.1f}")


def missing(facts: TreeFacts) -> str:
    """A line for each column with empty cells and each node that asks it."""
    lines = []
    for name, empty in facts.empty_cells.items():
        nodes = [node for node in facts.tree.nodes() if node.column == name]
        if not empty:
            continue
        if not nodes:
            lines.append(row([bold(shown_name(name)), f"{empty:,}", "–", "not asked in this tree", ""], (1,)))
        for place, node in enumerate(nodes):
            first = [bold(shown_name(name)), f"{empty:,}"] if not place else ["", ""]
            cells = [*first, f"node {node.id}", safe(_way(node)), safe(_warning(node))]
            lines.append(row(cells, (1,), data_node=node.id, data_missing=node.n_missing))
    parts = []
    if lines:
        parts.append(table(["column", "empty cells", "at", "rows without a value go", ""], lines, (1,)))
    else:
        parts.append(paragraph("No cell of the table is empty."))
    parts.append(paragraph(safe(new_values(facts)), class_="soft"))
    return section("missing", "Missing values and new categories", *parts)


def _way(node: Node) -> str:
    """Where rows without a value go, with how many there were."""
    rows = f"{node.n_missing:,} row{'' if node.n_missing == 1 else 's'}"
    if not node.n_missing:
        rows = "none in training"
    if node.missing_child == STAY:
        return f"nowhere: the answer of this node ({rows})"
    if node.missing_child == SPREAD:
        return f"to all branches, in parts by their size ({rows})"
    said = answers(node)[node.missing_child]
    tree = node.tree
    where = "to a branch of their own" if said.full == "missing" else f'with "{said.text}"'
    if tree.surrogate_start[node.id] < tree.surrogate_start[node.id + 1]:
        return f"as the surrogates say, otherwise {where} ({rows})"
    return f"{where} ({rows})"


def _warning(node: Node) -> str:
    if 2 * node.n_missing <= node.n_rows:
        return ""
    return f"⚠ {node.n_missing / node.n_rows:.0%} of the rows at this node have no value"


def new_values(facts: Facts) -> str:
    """Where categories go that training did not have."""
    unseen = facts.trees[0].rules.unseen
    which = "A category without a branch (never seen in training, or not at this node)"
    if unseen == "error":
        return "A category that was never seen in training is an error."
    if unseen == "majority":
        return f"{which} follows the largest branch."
    return (
        f"{which} goes where missing values go; where no training row was missing, that is the larger branch."
    )


def stability(facts: TreeFacts) -> str:
    found = facts.stability
    total = sum(found.second.values())
    ranked = sorted(found.first | found.second, key=lambda name: (-found.first[name], -found.second[name]))
    lines = [
        row(
            [
                bold(shown_name(name)),
                meter(facts.palette.theme, [(found.first[name] / found.samples, "value")]),
                f"{found.first[name]:,}",
                meter(facts.palette.theme, [(found.second[name] / total if total else 0.0, "value")]),
                f"{found.second[name]:,}",
            ],
            (2, 4),
            data_column=name,
        )
        for name in ranked[:12]
    ]
    head = ["column", f"asked first, of {found.samples:,}", "", f"asked second, of {total:,}", ""]
    return section("stability", "Stability", paragraph(_verdict(facts)), table(head, lines, (2, 4)))


def _verdict(facts: TreeFacts) -> str:
    found = facts.stability
    if found.root is None:
        agree = found.first["(no question)"]
        return f"The tree asks nothing. Of {found.samples:,} bootstrap samples {agree:,} agree."
    own = bold(shown_name(found.root))
    times = f"{found.first[found.root]:,} times"
    texts = [f"In {found.samples:,} bootstrap samples the first question was {own} {times}."]
    if len(found.thresholds) > 1:
        low, middle, high = np.quantile(found.thresholds, [0.05, 0.5, 0.95]).tolist()
        if facts.tree.root.field is not None and facts.tree.root.field.kind == "numeric":
            texts.append(
                f"Its threshold was mostly between {significant(low, 4)} and {significant(high, 4)} "
                f"(median {significant(middle, 4)})."
            )
    ranked = found.second.most_common(3)
    often = 2 * sum(found.second.values()) >= found.samples
    if often and len(ranked) > 1 and ranked[1][1] >= 0.2 * sum(found.second.values()):
        names = " and ".join(
            tag("i", safe(shown_name(name))) for name, n in ranked if n >= 0.2 * ranked[0][1]
        )
        texts.append(f"On the second level {names} take turns: treat these splits as interchangeable.")
    return " ".join(texts)

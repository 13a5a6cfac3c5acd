"""The parts of a report that are about many trees: summary, parameters, curves, columns, one of the trees."""

from __future__ import annotations

import numpy as np

from bough.ensemble.learning import learning_of
from bough.evaluation.trees_curve import rounds
from bough.reporting.charts import meter
from bough.reporting.columns_part import columns, new_values
from bough.reporting.facts import ManyFacts
from bough.reporting.learning import learning_chart
from bough.reporting.markup import bold, paragraph, row, section, table, tag
from bough.reporting.opening import summary_of
from bough.reporting.quality import box
from bough.reporting.quality_charts import size_chart
from bough.reporting.shap_summary import MOST_NODES, shap_chart
from bough.tree.ensemble_text import size_text, together
from bough.tree.text import shown_name, significant
from bough.view.html import tree_section
from bough.view.notebook import parameters_table
from bough.view.pen import safe
from bough.view.picture import make_picture

PARTS = {
    "summary": "Summary",
    "check": "Check",
    "parameters": "Parameters",
    "quality": "How good?",
    "columns": "Columns",
    "rows": "Some rows",
    "tree": "One of the trees",
    "missing": "Missing values",
    "reproduce": "Reproduce",
}
LOOKED = (
    "Looked for: a score that hardly beats the baseline, columns that look like an id or leak the target, "
    "mixed types, rare classes and repeated rows."
)


def summary(facts: ManyFacts) -> str:
    sentences = [f"{safe(size_text(facts.learned))}; {safe(together(facts.learned))}.", *_matters(facts)]
    leaves = [tree.n_leaves for tree in facts.trees]
    depth = max(tree.max_depth for tree in facts.trees)
    asked = f"{len(facts.used)} of {len(facts.fields)} columns used"
    about = f"{significant(float(np.mean(leaves)), 3)} leaves on average, depth up to {depth} · {asked}"
    return summary_of(facts, sentences, (f"{len(leaves):,} trees", about, "trees"))


def _matters(facts: ManyFacts) -> list[str]:
    """The columns without which rows left out lose more than two standard errors, at most three."""
    found = facts.importance
    if found is None:
        return []
    clear = [i for i in facts.ranking[:3] if found.loss[i] > 2 * np.nan_to_num(found.error[i])]
    if not clear:
        return ["On rows left out no column clearly matters."]
    names = [bold(shown_name(facts.fields[i].name)) for i in clear]
    named = ", ".join(names[:-1]) + (" and " if names[1:] else "") + names[-1]
    return [f"On rows left out {named} matter{'' if names[1:] else 's'} most."]


def parameters(facts: ManyFacts) -> str:
    """Those that were changed."""
    name = type(facts.model).__name__
    about = paragraph(f"{bold(name)}; what differs from the defaults:", class_="soft")
    return section("parameters", "Parameters", about, parameters_table(facts.model._changed()))


def curves(facts: ManyFacts) -> list[str]:
    """How the model learned, and the error against the number of trees on rows left out."""
    theme, found = facts.palette.theme, []
    learning = learning_of(facts.model, facts.model._late_losses())
    if learning is not None:
        text = learning.text[:1].upper() + learning.text[1:] + "."
        if hasattr(facts.model, "oob_score_"):
            text += " Of the model itself, each row by the trees that have not seen it"
            text += "; cross-validation judges copies of it." if facts.cross_validated else "."
        said = paragraph(safe(text), class_="soft")
        line = learning.lines[0]
        points = (f"{x:g} {y!r}" for x, y in zip(line.x.tolist(), line.y.tolist(), strict=True))
        drawn = tag("div", learning_chart(theme, learning), data_curve=";".join(points))
        found.append(box(learning.what, drawn, said))
    if facts.sizes is not None and len(facts.sizes.leaves) > 1:
        name = "rounds" if len(facts.trees) > rounds(facts.learned) else "trees"
        drawn = size_chart(theme, facts.sizes, facts.sizes.leaves[-1], name, "")
        found.append(box(f"Number of {name} against error ({facts.sizes.what})", drawn))
    return found


def columns_and_shap(facts: ManyFacts) -> str:
    """The columns as of one tree, and below what they add to the answers."""
    summary = facts.shap
    if summary is None:
        size = sum(tree.n_nodes for tree in facts.trees)
        why = (
            f"The trees have {size:,} nodes; Shapley values of more than {MOST_NODES:,} are not in a report, "
            "but in model.shap_values(X)"
            if size > MOST_NODES
            else "A weighted median of trees has no exact Shapley values"
        )
        return columns(facts, paragraph(safe(f"{why}.")))
    theme, lines = facts.palette.theme, []
    largest = float(summary.mean.max()) or 1.0
    for place in summary.order[:20]:
        mean = float(summary.mean[place])
        cells = [bold(shown_name(summary.names[place])), meter(theme, [(mean / largest, "value")])]
        cells.append(significant(mean, 3))
        lines.append(row(cells, (2,), data_shap=summary.names[place], data_value=repr(mean)))
    about = (
        f"Exact Shapley values of {len(summary.values):,} rows: what knowing a column adds to the answer. "
        "Together with the answer to nothing known they add up to the prediction of each row. "
        f"The dots are about {summary.of}; the mean size is over all outputs. They tell what the model does "
        "with a column, not whether that holds for new rows: a column of many values may stand first and say "
        "nothing."
    )
    head = ["column", "mean size of what it adds", ""]
    grid = tag(
        "div",
        box("What each column adds, row by row", shap_chart(theme, summary)),
        box("Mean size", table(head, lines, (2,))),
        class_="grid",
    )
    return columns(facts, grid, paragraph(safe(about), class_="soft"))


def one_tree(facts: ManyFacts) -> str:
    """The tree that was asked for, as a page shows it."""
    tree, number = facts.learned[facts.drawn], facts.drawn
    what = "It has grown on rows of its own, so that its counts differ from those of the table"
    if tree.note:
        what = tree.note[:1].upper() + tree.note[1:]
    about = f"Tree {number} of {len(facts.trees):,}, counted from 0: model[{number}]. {what}."
    picture = make_picture(tree, None, live=True)
    return section("tree", "One of the trees", paragraph(safe(about), class_="soft"), tree_section(picture))


def missing(facts: ManyFacts) -> str:
    """A line for each column with empty cells: how often it is asked, and of rows without a value."""
    lines = []
    for place, field in enumerate(facts.fields):
        empty = facts.empty_cells[field.name]
        if not empty:
            continue
        asking = [(tree, np.flatnonzero(tree.feature == place)) for tree in facts.trees]
        nodes = sum(len(found) for _, found in asking)
        with_empty = sum(int((tree.n_missing[found] > 0).sum()) for tree, found in asking)
        cells = [bold(shown_name(field.name)), f"{empty:,}", f"{nodes:,}", f"{with_empty:,}"]
        lines.append(row(cells, (1, 2, 3), data_column=field.name, data_empty=empty))
    head = ["column", "empty cells", "questions about it", "of these with empty cells in training"]
    inside = table(head, lines, (1, 2, 3)) if lines else paragraph("No cell of the table is empty.")
    about = f"Each question has learned a way of its own for rows without a value. {new_values(facts)}"
    return section(
        "missing", "Missing values and new categories", inside, paragraph(safe(about), class_="soft")
    )

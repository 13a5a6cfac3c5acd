"""How good is it? Figures with intervals and a baseline, charts, the confusion matrix."""

from __future__ import annotations

import numpy as np

from bough.evaluation.result import (
    MOST_CLASSES,
    ClassEvaluation,
    Evaluation,
    NumberEvaluation,
    RankEvaluation,
)
from bough.evaluation.words import count_text, decimal, percent
from bough.reporting.facts import Facts, TreeFacts
from bough.reporting.markup import bold, paragraph, row, section, table, tag
from bough.reporting.quality_charts import (
    calibration_chart,
    residual_chart,
    roc_chart,
    scatter_chart,
    size_chart,
)
from bough.view.pen import safe


def quality(facts: Facts, *curves: str) -> str:
    """Figures, `curves` of the size, and charts of the answers."""
    figures = [box(facts.evaluation.how.capitalize(), _figures(facts)), *curves]
    found = facts.classes
    if facts.ranks:
        figures += _of_queries(facts)
    else:
        figures += _of_classes(facts, found) if found is not None else _of_numbers(facts)
    return section("quality", "How good is it?", tag("div", *figures, class_="grid"))


def size_box(facts: TreeFacts) -> list[str]:
    """The error against the number of leaves, where it is known."""
    if facts.sizes is None or len(facts.sizes.leaves) < 2:
        return []
    drawn = size_chart(facts.palette.theme, facts.sizes, facts.tree.n_leaves)
    return [box(f"Tree size against error ({facts.sizes.what})", drawn, _about_size(facts))]


def box(heading: str, *children: str) -> str:
    return tag("div", tag("h3", safe(heading)), *children, class_="box")


def _figures(facts: Facts) -> str:
    """Value, interval, baseline; what the test rows say beside it."""
    found, test = facts.evaluation, facts.test
    head = ["", "value", f"{found.level:.0%} interval", "baseline", *(["test rows"] if test else [])]
    names = [name for name in found if name != "recall" or "sensitivity" not in found]
    lines = []
    for name, (title, value, interval, base) in zip(names, found.lines(), strict=True):
        cells = [safe(title), bold(value), safe(interval), safe(base)]
        if test is not None:
            own = dict(
                zip(
                    (n for n in test if n != "recall" or "sensitivity" not in test), test.lines(), strict=True
                )
            )
            cells.append(safe(own[name][1]) if name in own else "–")
        lines.append(row(cells, (1, 2, 3, 4), data_figure=name, data_value=repr(found[name].value)))
    about = paragraph(f"Baseline: {safe(found.baseline)}. {_positive(found)}", class_="soft")
    return table(head, lines, (1, 2, 3, 4)) + about


def _positive(found: Evaluation) -> str:
    if not isinstance(found, ClassEvaluation):
        return ""
    if found.positive is None:
        return "Precision, recall, F1 and AUC are means over the classes, each against the rest."
    return f"Rates are about {bold(found.class_names[found.positive])}."


def _about_size(facts: TreeFacts) -> str:
    curve = facts.sizes
    assert curve is not None
    best = int(curve.left_out.argmin())
    own = facts.tree.n_leaves
    if own not in curve.leaves or curve.leaves[best] == own:
        text = "No other size that was tried does better." if curve.leaves[best] == own else ""
    else:
        place = curve.leaves.index(own)
        gap = float(curve.left_out[place] - curve.left_out[best])
        within = gap <= float(curve.standard_error[best])
        verdict = "but within one standard error of this one" if within else "by more than a standard error"
        leaves = "1 leaf" if curve.leaves[best] == 1 else f"{curve.leaves[best]} leaves"
        text = f"A tree of {leaves} has the least error, {verdict}."
    return paragraph(text, class_="soft")


def _of_classes(facts: Facts, found: ClassEvaluation) -> list[str]:
    theme, out = facts.palette.theme, []
    how = "Cross-validated confusion matrix" if facts.cross_validated else "Confusion matrix"
    if len(found.classes) <= MOST_CLASSES:
        out.append(box(how, confusion_table(found)))
    if (
        facts.test is not None
        and isinstance(facts.test, ClassEvaluation)
        and len(found.classes) <= MOST_CLASSES
    ):
        out.append(box("Confusion matrix of the test rows", confusion_table(facts.test)))
    if found.positive is None:
        head, lines = found.class_lines()
        cells = [row([safe(cell) for cell in line], (1, 2, 3, 4)) for line in lines]
        out.append(box("Each class", table(head, cells, (1, 2, 3, 4))))
    if "auc" in found:
        out.append(box("ROC", roc_chart(theme, found, facts.palette)))
    if found.positive is not None and found.answers.shares is not None:
        out.append(
            box("Calibration: how often it came true, with 95% intervals", calibration_chart(theme, found))
        )
    return out


def confusion_table(found: ClassEvaluation) -> str:
    """Actual classes down, answers across, and the share of each class that was answered right."""
    names = found.class_names
    right = tuple(range(1, len(names) + 2))
    lines = []
    for k, name in enumerate(names):
        counts = found.confusion[k].tolist()
        cells = [safe(name)]
        cells += [bold(count_text(n)) if j == k else count_text(n) for j, n in enumerate(counts)]
        cells.append(percent(counts[k] / sum(counts), 0) if sum(counts) else "–")
        lines.append(row(cells, right, data_counts=" ".join(f"{n:g}" for n in counts)))
    if len(names) > 3:
        return table(["actual ↓ predicted →", *names, "right"], lines, right)
    return table(["actual ↓", *(f"predicted {name}" for name in names), "right"], lines, right)


def _of_queries(facts: Facts) -> list[str]:
    """How the NDCG differs among the queries."""
    assert isinstance(facts.evaluation, RankEvaluation)
    found = facts.evaluation.by_query
    known = found[~np.isnan(found)]
    lines = [
        row([name, decimal(float(np.quantile(known, share)), 3)], (1,), data_quantile=share)
        for name, share in (("worst", 0), ("a quarter below", 0.25), ("half below", 0.5), ("best", 1))
    ]
    queries = f"{len(known):,} quer{'y' if len(known) == 1 else 'ies'}" + (
        f"; {len(found) - len(known):,} more have no relevant row and are not judged"
        if len(known) < len(found)
        else ""
    )
    about = paragraph(safe(f"{queries}."), class_="soft")
    return [box("NDCG of single queries", table(["query", "NDCG"], lines, (1,)), about)]


def _of_numbers(facts: Facts) -> list[str]:
    found, theme = facts.evaluation, facts.palette.theme
    assert isinstance(found, NumberEvaluation)
    return [
        box("Truth against prediction", scatter_chart(theme, found, facts.asked.target)),
        box("Residuals", residual_chart(theme, found.residuals, facts.asked.target)),
    ]

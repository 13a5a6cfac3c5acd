"""The first screen of a report: what was asked, three sentences, tiles, and what to check first."""

from __future__ import annotations

import math

from bough.evaluation.result import Evaluation
from bough.evaluation.words import decimal, quantity
from bough.explain.rules import Rule
from bough.explain.words import amount, answer_name
from bough.reporting.doubts import Doubt
from bough.reporting.facts import Facts, TreeFacts
from bough.reporting.markup import bold, bullets, paragraph, section, tag
from bough.reporting.rules_part import condition_text
from bough.tree.text import percent, shown_name, significant
from bough.view.pen import safe

PARTS = {
    "summary": "Summary",
    "check": "Check",
    "tree": "Tree",
    "rules": "Rules",
    "quality": "How good?",
    "columns": "Columns",
    "missing": "Missing values",
    "stability": "Stability",
    "numbers": "Every number",
    "reproduce": "Reproduce",
}


def header(facts: Facts, parts: dict[str, str]) -> str:
    asked, table = facts.asked, facts.problem.table
    about = [
        f"target {bold(shown_name(asked.target))}",
        *([safe(shown_name(asked.source))] if asked.source else []),
        f"{table.n_rows:,} rows × {len(table.columns):,} columns",
        f"made {facts.today} by {safe(facts.versions[0])}",
        f"seed {asked.seed}",
    ]
    links = "".join(tag("a", safe(text), href=f"#{name}") for name, text in parts.items())
    title = asked.title or f"{shown_name(asked.target)}: {facts.heading}"
    return tag(
        "header",
        tag("h1", safe(title)),
        tag("p", " · ".join(about), class_="about"),
        tag("nav", links, aria_label="Parts of the report"),
    )


def summary(facts: TreeFacts) -> str:
    tree = facts.tree
    asked = f"{len(facts.used)} of {len(tree.fields)} columns used"
    leaves = "1 leaf" if tree.n_leaves == 1 else f"{tree.n_leaves:,} leaves"
    size = (leaves, f"depth {tree.max_depth} · {asked}", "leaves")
    return summary_of(facts, [*_first_question(facts), *_largest(facts)], size)


def summary_of(facts: Facts, sentences: list[str], size: tuple[str, str, str]) -> str:
    """Sentences and tiles; `size`: a tile's value, text and name."""
    text = " ".join([*sentences, _expected(facts)])
    return section("summary", "Summary", paragraph(text, class_="lead"), _tiles(facts, size))


def _first_question(facts: TreeFacts) -> list[str]:
    root = facts.tree.root
    if root.column is None:
        return [f"The tree asks nothing: it always answers {bold(answer_name(root.prediction))}."]
    return [f"The first question is {bold(shown_name(root.column))}."]


def _largest(facts: TreeFacts) -> list[str]:
    """The largest leaf, and the largest with another answer."""
    rules = [rule for rule in facts.rules if rule.n]
    if len(rules) < 2:
        return []
    first = rules[0]
    other = next((r for r in rules if r.prediction != first.prediction), None)
    return [_said(rule, place) for rule, place in ((first, "largest"), (other, "next")) if rule is not None]


def _said(rule: Rule, place: str) -> str:
    rows = amount(rule.weight) if rule.divides else f"{rule.n:,}"
    start = "The largest group" if place == "largest" else "The largest group with another answer"
    if rule.share is None:
        sure = f"{answer_name(rule.prediction)} on average"
    else:
        sure = f"{answer_name(rule.prediction)} ({percent(rule.share)})"
    return f"{start}, {rows} rows: if {safe(condition_text(rule))}, then {bold(sure)}."


def _expected(facts: Facts) -> str:
    found = facts.evaluation
    where = (
        f"On rows that the {facts.noun} has not seen" if facts.cross_validated else "On its own training rows"
    )
    if facts.ranks:
        reached = bold(decimal(found["ndcg"].value, 3))
        return (
            f"{where} it puts the rows of a query in order with an NDCG of {reached}; "
            f"any order would have {decimal(found['ndcg'].baseline, 3)}."
        )
    if facts.classes is None:
        return (
            f"{where} its answer is off by {bold(quantity(found['mae'].value))} on average; "
            f"always answering the mean would be off by {quantity(found['mae'].baseline)}."
        )
    right, base = found["accuracy"].value, found["accuracy"].baseline
    return (
        f"{where} it is right {bold(f'{100 * right:.0f} times in 100')}; "
        f"{safe(found.baseline)} would be right {100 * base:.0f} times."
    )


def _tiles(facts: Facts, size: tuple[str, str, str]) -> str:
    cells = sum(facts.empty_cells.values())
    tiles = [
        *_figures(facts.evaluation, facts.cross_validated),
        size,
        (f"{cells:,}", "empty cells, none dropped or filled", "empty"),
    ]
    if facts.test is not None:
        first = _figures(facts.test, False)[0]
        rows = f"{facts.test.n_rows:,} test rows"
        tiles.insert(1, (first[0], f"{first[1].split(',')[0]} on {rows}", "test"))
    drawn = (
        tag("div", tag("b", safe(value)), tag("span", safe(text)), class_="tile", data_figure=name)
        for value, text, name in tiles
    )
    return tag("div", *drawn, class_="tiles")


def _figures(found: Evaluation, cross_validated: bool) -> list[tuple[str, str, str]]:
    """Value, what it is, and its name."""
    how = f"{found.answers.n_folds}-fold cross-validated" if cross_validated else "rows as they are"
    known = math.isfinite(found.standard_error)
    if "ndcg" in found:
        error = f" ± {found.standard_error:.3f}" if known else ""
        text = f"NDCG, {how}; any order: {decimal(found['ndcg'].baseline, 3)}"
        return [
            (f"{decimal(found['ndcg'].value, 3)}{error}", text, "ndcg"),
            (decimal(found["ndcg_at_1"].value, 3), "NDCG of the first place", "ndcg_at_1"),
            (decimal(found["ndcg_at_10"].value, 3), "NDCG of the first ten places", "ndcg_at_10"),
        ]
    if "rmse" in found:
        error = f" ± {significant(found.standard_error, 2)}" if known else ""
        mean = f"RMSE, {how}; always the mean: {quantity(found['rmse'].baseline)}"
        return [
            (f"{quantity(found['rmse'].value)}{error}", mean, "rmse"),
            (decimal(found["r2"].value, 3), "R², the share of the variance explained", "r2"),
            (
                quantity(found["mae"].value),
                f"mean absolute error; {quantity(found['mae'].baseline)} for the mean",
                "mae",
            ),
        ]
    error = f" ± {100 * found.standard_error:.1f}" if known else ""
    text = f"accuracy, {how}; {found.baseline}: {found['accuracy'].baseline:.1%}"
    out = [(f"{found['accuracy'].value:.1%}{error}", text, "accuracy")]
    if "auc" in found:
        out.append(
            (
                decimal(found["auc"].value, 3),
                "ROC AUC" + (", mean of the folds" if cross_validated else ""),
                "auc",
            )
        )
    if "brier" in found:
        out.append(
            (
                decimal(found["brier"].value, 3),
                f"Brier score; baseline {found['brier'].baseline:.3f}",
                "brier",
            )
        )
    if "cost" in found:
        out.append(
            (
                quantity(found["cost"].value),
                f"cost per row; baseline {quantity(found['cost'].baseline)}",
                "cost",
            )
        )
    return out


LOOKED = (
    "Looked for: splits that lean on missing values, leaves of few rows, columns that look like an id or "
    "leak the target, mixed types, rare classes, repeated rows, and a first question that "
    "other samples do not ask."
)


def check(doubts: list[Doubt], looked: str) -> str:
    """All findings; "nothing" is said with what was looked for."""
    if not doubts:
        inside = paragraph(bold("Nothing was found."), " ", safe(looked))
        return section("check", "Check before you rely on it", tag("div", inside, class_="callout good"))
    items = (f"{bold(doubt.head)} {safe(doubt.text)}" for doubt in doubts)
    serious = any(doubt.serious for doubt in doubts)
    inside = bullets(items) + paragraph(safe(looked), class_="soft")
    return section(
        "check",
        "Check before you rely on it",
        tag("div", inside, class_="callout" + (" warn" if serious else "")),
    )

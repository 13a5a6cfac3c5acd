"""The rules of a report: one for each end of the tree, those with most rows first."""

from __future__ import annotations

from bough.errors import BoughError
from bough.evaluation.words import percent
from bough.explain.rules import Rule
from bough.explain.words import amount, answer_name, interval_text
from bough.exporting.plan import Plan
from bough.exporting.sql import write
from bough.reporting.charts import meter
from bough.reporting.facts import TreeFacts
from bough.reporting.markup import bold, paragraph, row, safe_lines, section, short_numbers, table, tag
from bough.tree.text import percent as whole_percent
from bough.tree.text import significant
from bough.view.pen import Pen, element, safe

MOST_RULES = 100
STRIP = 120  # px
MOST_IN_SQL = 20  # leaves


def rules(facts: TreeFacts) -> str:
    numbers = facts.tree.classes is None
    head = ["#", "If…", "then", "", "± sd" if numbers else "share", "95% interval", "rows", "of all"]
    right = (0, 4, 5, 6, 7)
    shown = facts.rules[:MOST_RULES]
    lines = [_line(facts, rule, place, right) for place, rule in enumerate(shown, 1)]
    parts = [table(head, lines, right)]
    if len(facts.rules) > MOST_RULES:
        parts.append(paragraph(f"… and {len(facts.rules) - MOST_RULES:,} more."))
    what = "Student's intervals of the mean" if numbers else "Wilson intervals"
    parts.append(
        paragraph(
            f"Intervals are {what} from the training rows, so they are a little optimistic; the "
            "cross-validated figures below are not.",
            class_="soft",
        )
    )
    return section("rules", "Rules", *parts, _sql(facts))


def _sql(facts: TreeFacts) -> str:
    """The whole tree as a query, for trees that one would read."""
    if facts.tree.n_leaves > MOST_IN_SQL:
        return ""
    try:
        query = write(Plan(facts.tree))
    except BoughError as error:
        return paragraph(safe(f"As SQL: {error.message}"), class_="soft")
    copy = tag("button", "Copy", type="button", class_="copy only-js block")
    return tag("details", tag("summary", "As SQL"), copy, tag("pre", safe_lines(query)), class_="sql")


def condition_text(rule: Rule, full: bool = False) -> str:
    """With ≤ for <=, where it is not part of a name, and short numbers unless `full`."""
    texts = []
    for condition in rule.conditions:
        text = condition.text()
        if condition.ordered and "<=" not in condition.field.name:
            text = text.replace("<=", "≤")
        texts.append(text if full or condition.field.kind != "numeric" else short_numbers(text))
    return " and ".join(texts) or "always"


def _line(facts: TreeFacts, rule: Rule, place: int, right: tuple[int, ...]) -> str:
    rows = amount(rule.weight) if rule.divides else f"{rule.n:,}"
    short, full = condition_text(rule), condition_text(rule, full=True)
    part = rule.weight / float(facts.tree.weight[0])
    if not rule.n:
        spread, sure = "–", "–"
    elif rule.share is None:
        spread = "–" if rule.sd is None or rule.n < 2 else significant(rule.sd, 3)
        sure = interval_text(*rule.interval, numbers=True) if rule.n > 1 else "–"
    else:
        spread, sure = whole_percent(rule.share), interval_text(*rule.interval, numbers=False)
    cells = [
        str(place),
        safe(short) if short == full else tag("span", safe(short), title=full),
        bold(answer_name(rule.prediction)),
        _drawn(facts, rule),
        safe(spread),
        safe(sure),
        rows,
        percent(part, 0) if part >= 0.005 or not part else safe("< 1%"),
    ]
    return row(cells, right, data_node=rule.node, data_rows=rule.n)


def _drawn(facts: TreeFacts, rule: Rule) -> str:
    """Class shares as a bar; a mean as a dot on the axis of all means."""
    tree, theme = facts.tree, facts.palette.theme
    if tree.classes is not None:
        value = tree.value[rule.node]
        total = float(value.sum())
        if not total or rule.stays:
            return ""
        groups = facts.palette.groups
        parts = [(float(value[g].sum()) / total, facts.palette.role(g[0])) for g in groups]
        return meter(theme, parts, STRIP)
    leaves = [float(r.prediction) for r in facts.rules]
    low, high = min(leaves), max(leaves)
    at = 6 + (STRIP - 12) * (float(rule.prediction) - low) / (high - low) if high > low else STRIP / 2
    pen = Pen(theme, live=True)
    drawn = pen.line(f"M6 5.5h{STRIP - 12}", "line") + pen.line(f"M{at:.1f} 5.5h0", "value", 8, ends="round")
    return element("svg", drawn, class_="meter", width=STRIP, height=11, aria_hidden="true")

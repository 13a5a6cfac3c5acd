"""The end of a report: every number of the splits, and how to make it all again."""

from __future__ import annotations

from bough.errors import BoughError
from bough.explain.numbers import Candidate, Group, NodeNumbers
from bough.explain.words import amount, padded_number
from bough.reporting.facts import Facts, TreeFacts
from bough.reporting.markup import bold, paragraph, row, safe_lines, section, short_numbers, table, tag
from bough.tree.text import shown_name, significant
from bough.view.pen import safe

MOST_NODES = 10
MOST_CANDIDATES = 10
MOST_BRANCHES = 8


def every_number(facts: TreeFacts) -> str:
    """The candidates of each node that asks, the first ones of a large tree."""
    asking = [node.id for node in facts.tree.nodes() if node.column is not None]
    problem, blocks = facts.problem, []
    for node in asking[:MOST_NODES]:
        try:
            blocks.append(
                _node(facts.model.explain_split(node, problem.table, problem.labels, problem.weights))
            )
        except BoughError as error:
            return section("numbers", "Every number", paragraph(safe(error.message)))
    parts = [
        paragraph(
            "What each column offered at each node, the best first; → marks the split that was made.",
            class_="soft",
        )
    ]
    parts += blocks or [paragraph("The tree asks nothing.")]
    if len(asking) > MOST_NODES:
        parts.append(paragraph(f"… and {len(asking) - MOST_NODES:,} more nodes: model.explain_split(node)."))
    return section("numbers", "Every number", *parts)


def _node(numbers: NodeNumbers) -> str:
    head = ["", "column", "branches", "gain", "gain ratio", "χ² or F", "p"]
    shown = [c for c in numbers.candidates if c.possible]
    lines = [_candidate(c) for c in shown[:MOST_CANDIDATES]]
    without = [shown_name(c.column) for c in numbers.candidates if not c.possible]
    notes = [safe(numbers.why)]
    if len(shown) > MOST_CANDIDATES:
        notes.append(f"{len(shown) - MOST_CANDIDATES:,} more columns offer less.")
    if without:
        notes.append(safe(f"No split: {', '.join(without[:10])}{', …' if len(without) > 10 else ''}."))
    rows = f"{numbers.whole.n:,} rows, impurity {_impurity(numbers.whole.impurity)}"
    title = f"Node {numbers.node}: {short_numbers(numbers.place)} ({rows})"
    inside = table(head, lines, (3, 4, 5, 6)) + paragraph(" ".join(notes), class_="soft")
    return tag(
        "details",
        tag("summary", safe(title)),
        inside,
        class_="node-numbers",
        open="" if not numbers.node else None,
    )


def _candidate(candidate: Candidate) -> str:
    branches = [_branch(group) for group in candidate.branches[:MOST_BRANCHES]]
    if len(candidate.branches) > MOST_BRANCHES:
        branches.append(f"+ {len(candidate.branches) - MOST_BRANCHES} more")
    return row(
        [
            "→" if candidate.chosen else "",
            bold(shown_name(candidate.column)) if candidate.chosen else safe(shown_name(candidate.column)),
            safe(short_numbers(" · ".join(branches))),
            _impurity(candidate.gain),
            padded_number(candidate.gain_ratio, 4),
            significant(candidate.statistic, 4),
            significant(candidate.p_value, 2) if candidate.p_value >= 1e-4 else safe("< 0.0001"),
        ],
        (3, 4, 5, 6),
    )


def _impurity(x: float) -> str:
    """Four digits after the point; of large numbers, as variances are, six in all."""
    return padded_number(x, 4) if abs(x) < 100 else significant(x, 6)


def _branch(group: Group) -> str:
    if group.counts:
        return f"{group.label} {'/'.join(map(amount, group.counts))}"
    return f"{group.label} n {group.n:,}, mean {significant(group.mean or 0.0, 4)}"


def reproduce(facts: Facts) -> str:
    asked = facts.asked
    command = asked.command or _python(facts)
    lines = [
        command,
        "",
        f"data sha256   {facts.data_hash}",
        f"model sha256  {facts.learned.digest()}",
        f"seed {asked.seed} · {' · '.join(facts.versions)}",
        f"made {facts.today} in {facts.seconds:.2f} s",
    ]
    about = "The data's hash is that of its columns and target as they were read, whatever the file or frame."
    return section(
        "reproduce", "Reproduce", tag("pre", safe_lines("\n".join(lines))), paragraph(about, class_="soft")
    )


def _python(facts: Facts) -> str:
    model = " ".join(repr(facts.model).split())
    tree = f", tree={facts.asked.tree}" if facts.asked.tree else ""
    queries = ", qid=qid" if facts.ranks else ""
    return (
        f"model = bough.{model}.fit(X, y{queries})\n"
        f'bough.report(model, X, y, "report.html"{queries}, random_state={facts.asked.seed}{tree})'
    )

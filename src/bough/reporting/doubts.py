"""What should be checked before the tree is relied on: data, splits, leaves, score."""

from __future__ import annotations

from dataclasses import dataclass

from bough.reporting.facts import Facts, ManyFacts, TreeFacts
from bough.tree.text import FEW, shown_name

MOST_NAMED = 4


@dataclass(frozen=True)
class Doubt:
    code: str
    head: str
    text: str
    serious: bool = True


def doubts_of(facts: TreeFacts) -> list[Doubt]:
    return [
        *_no_better(facts),
        *_leaning(facts),
        *_small_leaves(facts),
        *_of_the_data(facts),
        *_unstable(facts),
    ]


def doubts_of_many(facts: ManyFacts) -> list[Doubt]:
    """What a single split or leaf would tell is averaged out."""
    return [*_no_better(facts), *_of_the_data(facts)]


def _no_better(facts: Facts) -> list[Doubt]:
    found = facts.evaluation
    if not facts.cross_validated:
        text = "There are too few rows for cross-validation: all figures are those of the training rows."
        return [Doubt("few-rows", "Not tested on other rows.", text)]
    if facts.ranks:
        worse = found["ndcg"].low <= found["ndcg"].baseline
        text = "The interval of its NDCG reaches that of any order."
    elif facts.classes is None:
        worse = found["r2"].low <= 0
        text = "The interval of R² reaches 0: always answering the mean may be as good."
    else:
        worse = found["accuracy"].low <= found["accuracy"].baseline
        base = f"{found.baseline} ({found['accuracy'].baseline:.1%})"
        text = f"The interval of its accuracy reaches that of {base}."
    return [Doubt("no-better", f"Hardly better than no {facts.noun}.", text)] if worse and facts.used else []


def _leaning(facts: TreeFacts) -> list[Doubt]:
    out, seen = [], set()
    for node in facts.tree.nodes():
        if node.column is None or 2 * node.n_missing <= node.n_rows or node.column in seen:
            continue
        seen.add(node.column)
        name = shown_name(node.column)
        text = (
            f"{node.n_missing:,} of the {node.n_rows:,} rows at node {node.id} have no {name}: "
            f'the split mostly asks "is {name} known?".'
        )
        out.append(Doubt("missing-split", f"A split leans on missing data: {name}.", text))
    return out


def _small_leaves(facts: TreeFacts) -> list[Doubt]:
    small = [leaf for leaf in facts.tree.leaves() if 0 < leaf.n_rows < FEW]
    if not small:
        return []
    counts = ", ".join(f"{leaf.n_rows} (node {leaf.id})" for leaf in small[:MOST_NAMED])
    more = f" and {len(small) - MOST_NAMED} more" if len(small) > MOST_NAMED else ""
    n = "1 leaf has" if len(small) == 1 else f"{len(small)} leaves have"
    text = f"Rows: {counts}{more}. Look at their intervals before you act on them."
    return [Doubt("small-leaves", f"{n} fewer than {FEW} rows.", text, facts.tree.n_rows[0] >= 5 * FEW)]


def _of_the_data(facts: Facts) -> list[Doubt]:
    """Empty cells are told of where a tree leans on them."""
    out = []
    for finding in facts.findings:
        if finding.code == "missing":
            continue
        name = "The table" if finding.column is None else shown_name(finding.column)
        used = finding.column is None or finding.column in facts.used
        unused = "" if used else f" The {facts.noun} does not ask it."
        text = " ".join(finding.text.split())
        serious = finding.level == "warning" and used
        out.append(Doubt(finding.code, f"{name}:", f"{text} {finding.hint}{unused}", serious))
    return out


def _unstable(facts: TreeFacts) -> list[Doubt]:
    found = facts.stability
    if found.stable or found.root is None:
        return []
    others = [f"{shown_name(name)} {n}" for name, n in found.first.most_common() if name != found.root]
    text = (
        f"Of {found.samples} bootstrap samples {found.first[found.root]} ask {shown_name(found.root)} first; "
        f"others: {', '.join(others[:MOST_NAMED])}. Read the tree as one of several that fit about as well."
    )
    return [Doubt("unstable-root", "The first question is unstable.", text)]

"""The numbers of a node as text: counts, the formula of its impurity, every column in a line, and why."""

from __future__ import annotations

import math

from bough.explain import formulas
from bough.explain.numbers import MEASURES, Candidate, Group, NodeNumbers
from bough.explain.pruning_numbers import Estimate
from bough.explain.why import unit, why_text
from bough.explain.words import amount, fixed, padded_number
from bough.tree.text import display_width, padded, shown_name, significant

MOST_CUTS = 24  # of a column that are printed


def node_text(
    numbers: NodeNumbers, digits: int = 4, base: float = 2, width: int | None = None, cuts: bool = False
) -> str:
    """`width`: of the terminal; where lines would be longer, branches get lines of their own. `cuts`: all cut
    points of all columns, not only of the one that is asked."""
    lines = [f"{numbers.place}, {group_text(numbers, numbers.whole)}"]
    formula = formulas.impurity(numbers.whole, numbers.criterion, digits, base)
    if formula is not None:
        lines.append(formula.text())
    if numbers.winner is None:
        lines += ["", f"→ {numbers.answer}", why_text(numbers, digits, base)]
    if any(c.possible for c in numbers.candidates):
        lines += ["", *_table(numbers, digits, base, width)]
        lines += [f"{shown_name(c.column)}: {c.why_not}" for c in numbers.candidates if not c.possible]
    if numbers.winner is not None:
        lines += ["", *_winner(numbers, numbers.winner, digits, base)]
    for c in numbers.candidates:
        if c.cuts and c.possible and (cuts or c.chosen):
            lines += ["", *_cuts(numbers, c, digits, base)]
    lines += ["", *_pruning(numbers, digits)] if numbers.pruning.leaves > 1 else []
    lines += [f"Note: {note}" for note in numbers.notes]
    return "\n".join(lines)


def group_text(numbers: NodeNumbers, group: Group) -> str:
    """`14 rows (9 Yes, 5 No)`, or the mean and deviation of numbers."""
    rows = f"{group.n:,} row{'' if group.n == 1 else 's'}"
    if abs(group.weight - group.n) > 1e-9 * max(1.0, group.weight):
        rows += f" of weight {amount(group.weight)}"
    if group.mean is not None:
        return f"{rows} (mean {significant(group.mean, 5)} ± {significant(group.sd or 0.0, 3)})"
    pairs = zip(numbers.classes, group.counts, strict=True)
    return f"{rows} ({', '.join(f'{amount(c)} {class_name(name)}' for name, c in pairs)})"


def class_name(name: str) -> str:
    """In quotes where it could be taken for a count."""
    text = shown_name(name)
    return text if text[0].isalpha() else f'"{text}"'


def branch_text(b: Group, per: float, digits: int) -> str:
    """`Sunny 2/3 → 0.9710`."""
    name = shown_name(b.label)
    if not b.n:
        return f"{name} no rows"
    what = f"{b.n} × {significant(b.mean, 4)}" if b.mean is not None else "/".join(map(amount, b.counts))
    return f"{name} {what}" + (
        "" if math.isnan(b.impurity / per) else f" → {fixed(b.impurity / per, digits)}"
    )


def _columns(numbers: NodeNumbers) -> list[str]:
    """The figures that the choice looks at, and those that go with them."""
    if not numbers.classes:
        return ["p (column)", "gain"] if numbers.choice == "significance" else ["gain", "p"]
    columns = ["gain", "split info", "ratio"]
    if numbers.choice == "significance":
        columns = ["p (column)", "gain"]
    if numbers.criterion == "chi_square":
        columns = [*columns, "χ²", "p"] if numbers.choice != "significance" else ["p (column)", "χ²", "p"]
    return columns


def figure(numbers: NodeNumbers, c: Candidate, column: str, digits: int, base: float) -> str:
    per = unit(numbers, base)
    if column == "p (column)":
        return "–" if c.column_p is None else f"{math.exp(min(c.column_p, 0.0)):.4g}"
    if column == "p":
        return f"{c.p_value:.4g}"
    value = {
        "gain": c.gain / per,
        "split info": c.split_information,
        "ratio": c.gain_ratio,
        "χ²": c.statistic,
    }[column]
    return padded_number(value, digits)


def _table(numbers: NodeNumbers, digits: int, base: float, width: int | None) -> list[str]:
    per = 1.0 if numbers.criterion == "chi_square" else unit(numbers, base)
    letter = MEASURES[numbers.criterion][0]
    possible = [c for c in numbers.candidates if c.possible]
    columns = _columns(numbers)
    head = ["column", *columns]
    cells = [
        [shown_name(c.column), *(figure(numbers, c, n, digits, base) for n in columns)] for c in possible
    ]
    sizes = [max(display_width(row[i]) for row in [head, *cells]) for i in range(len(head))]
    names = "/".join(map(shown_name, numbers.classes)) if numbers.classes else "rows × mean"
    legend = f"branches ({names}" + ("" if numbers.criterion == "chi_square" else f" → {letter}") + ")"
    shown = [
        [branch_text(b, per if letter != "χ²" else math.nan, digits) for b in c.branches] for c in possible
    ]
    marks = ["   ← chosen" if c.chosen else "   (tie)" if c.tied else "" for c in possible]
    left = [
        "  ".join(padded(text, size) for text, size in zip(row, sizes, strict=True)) for row in [head, *cells]
    ]
    whole = [f"{a}  {' · '.join(b)}{m}" for a, b, m in zip(left[1:], shown, marks, strict=True)]
    if width is None or max(map(display_width, whole)) <= width:
        return [f"{left[0]}  {legend}", *whole]
    lines = [f"{left[0]}", legend]
    for a, branches, mark in zip(left[1:], shown, marks, strict=True):
        lines += [a.rstrip() + mark, *(f"    {branch}" for branch in branches)]
    return lines


def _winner(numbers: NodeNumbers, c: Candidate, digits: int, base: float) -> list[str]:
    parts = [formulas.gain(numbers, c, digits, base)]
    if numbers.choice == "gain_ratio":
        parts += [
            formulas.split_information(c, numbers.whole.weight, digits),
            formulas.ratio(numbers, c, digits),
        ]
    lines = [part.text() for part in parts if part is not None]
    lines.append(why_text(numbers, digits, base))
    if c.missing:
        lines.append(f"{c.n_missing:,} rows have no {shown_name(c.column)}: {c.missing}.")
    return lines


def _cuts(numbers: NodeNumbers, c: Candidate, digits: int, base: float) -> list[str]:
    per = unit(numbers, base)
    best = max((cut.gain for cut in c.cuts if cut.valid), default=math.nan)
    lines = [f"all cuts of {shown_name(c.column)}: {c.n_cuts:,}"]
    for cut in c.cuts[:MOST_CUTS]:
        left, right = ("/".join(map(amount, side)) for side in (cut.left, cut.right))
        more = f"  missing {cut.missing}" * bool(cut.missing) + "  too few rows" * (not cut.valid)
        mark = "  ← best" if cut.valid and cut.gain >= best - 1e-12 else ""
        lines.append(
            f"  ≤ {cut.text}: {left} | {right}  gain {padded_number(cut.gain / per, digits)}{more}{mark}"
        )
    if c.n_cuts > MOST_CUTS:
        lines.append(f"  … and {c.n_cuts - MOST_CUTS:,} more")
    return lines


def _pruning(numbers: NodeNumbers, digits: int) -> list[str]:
    lines = []
    for cost in numbers.pruning.costs:
        formula = formulas.alpha(numbers, cost, digits)
        if formula is not None and cost.alpha is not None:
            rows = fixed(cost.alpha * numbers.pruning.weight, digits)
            lines.append(
                f"pruning by {cost.measure}: {formula.text()}  (× {amount(numbers.pruning.weight)} = {rows})"
            )
    e = numbers.pruning.estimate
    return lines if e is None else [*lines, estimate_text(e, digits)]


def estimate_text(e: Estimate, digits: int) -> str:
    """What C4.5 expects of a leaf and of the subtree."""
    verdict = "a leaf would do" if e.pruned else "the subtree stays"
    return (
        f"C4.5 at CF {e.confidence:g}: {amount(e.errors)} of {amount(e.n)} wrong, expected "
        f"{fixed(e.as_leaf, digits)} as a leaf, {fixed(e.subtree, digits)} below: {verdict}"
    )

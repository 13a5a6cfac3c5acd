"""The numbers of a node as tables: Markdown to read, CSV to calculate with."""

from __future__ import annotations

import csv
import io
import math

from bough.explain import formulas
from bough.explain.numbers import Candidate, NodeNumbers
from bough.explain.split_text import branch_text, group_text
from bough.explain.why import unit, why_text
from bough.explain.words import padded_number
from bough.tree.markdown_text import escaped_markdown
from bough.tree.text import printable

FIGURES = (
    "gain",
    "gain_ratio",
    "split_information",
    "information_gain",
    "gini_gain",
    "error_gain",
    "statistic",
    "df",
    "p_value",
    "penalty",
    "n_missing",
)


def node_markdown(numbers: NodeNumbers, digits: int = 4, base: float = 2) -> str:
    per = unit(numbers, base)
    head = ["column", "gain", "split info", "gain ratio", "χ²", "p", "branches"]
    lines = [
        f"**{escaped_markdown(numbers.place)}**, {escaped_markdown(group_text(numbers, numbers.whole))}",
        "",
    ]
    formula = formulas.impurity(numbers.whole, numbers.criterion, digits, base)
    if formula is not None:
        lines += [escaped_markdown(formula.text()), ""]
    lines += ["| " + " | ".join(head) + " |", "|---" + "|--:" * 5 + "|---|"]
    for c in numbers.candidates:
        if not c.possible:
            continue
        name = escaped_markdown(c.column)
        cells = [f"**{name}**" if c.chosen else name]
        cells += [
            padded_number(x, digits) for x in (c.gain / per, c.split_information, c.gain_ratio, c.statistic)
        ]
        cells.append(padded_number(c.p_value, digits))
        cells.append(
            escaped_markdown(
                " · ".join(
                    branch_text(b, math.nan if numbers.criterion == "chi_square" else per, digits)
                    for b in c.branches
                )
            )
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", escaped_markdown(why_text(numbers, digits, base))]) + "\n"


def node_csv(numbers: NodeNumbers) -> str:
    """One line for each column with its figures, then one for each branch and each cut point: the column
    `what` tells them apart. All digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    classes = [cell(name) for name in numbers.classes] or ["weight"]
    writer.writerow(["node", "column", "what", "label", "chosen", "rows", *classes, "impurity", *FIGURES])
    for c in numbers.candidates:
        blank = [""] * (len(classes) + 2)
        figures = [_plain(getattr(c, name)) for name in FIGURES] if c.possible else [""] * len(FIGURES)
        label = cell(c.why_not)
        writer.writerow([numbers.node, cell(c.column), "column", label, int(c.chosen), *blank, *figures])
        _branches(writer, numbers, c)
        for cut in c.cuts:
            sides = [f"{_plain(a)} | {_plain(b)}" for a, b in zip(cut.left, cut.right, strict=True)]
            row = [numbers.node, cell(c.column), "cut" if cut.valid else "cut, too few rows", cell(cut.text)]
            writer.writerow([*row, "", "", *sides, "", _plain(cut.gain), *[""] * (len(FIGURES) - 1)])
    return out.getvalue()


def _branches(writer: object, numbers: NodeNumbers, c: Candidate) -> None:
    for b in c.branches:
        counts = [_plain(x) for x in b.counts] or [_plain(b.weight)]
        row = [numbers.node, cell(c.column), "branch", cell(b.label), "", b.n, *counts, _plain(b.impurity)]
        writer.writerow([*row, *[""] * len(FIGURES)])  # type: ignore[attr-defined]  # csv names no type


def cell(text: str) -> str:
    """A text that a spreadsheet does not take for a formula.

    >>> cell("=cmd()"), cell("Outlook")
    ("'=cmd()", 'Outlook')
    """
    shown = printable(text)
    return "'" + shown if shown[:1] in ("=", "+", "-", "@", "\t", "\r") else shown


def _plain(x: float | None) -> str:
    if x is None:
        return ""
    return str(int(x)) if x == int(x) and abs(x) < 1e15 else repr(float(x))

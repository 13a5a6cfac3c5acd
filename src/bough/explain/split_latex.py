"""The numbers of a node as LaTeX: formulas and tables for a lecture; needs amsmath."""

from __future__ import annotations

from bough.explain import formulas
from bough.explain.expressions import Part, latex_text
from bough.explain.numbers import MEASURES, Candidate, NodeNumbers
from bough.explain.split_text import group_text
from bough.explain.why import unit, why_text
from bough.explain.words import amount, fixed, padded_number
from bough.tree.text import significant


def node_latex(numbers: NodeNumbers, digits: int = 4, base: float = 2) -> str:
    """A paragraph, the impurity, one table of all columns, one of each column's branches, and the gain."""
    head = f"{numbers.place}, {group_text(numbers, numbers.whole)}"
    lines = [rf"\paragraph{{{latex_text(head)}}}", ""]
    lines += _display(formulas.impurity(numbers.whole, numbers.criterion, digits, base))
    possible = [c for c in numbers.candidates if c.possible]
    if possible:
        lines += _columns(numbers, possible, digits, base)
    for c in possible:
        lines += _branches(numbers, c, digits, base)
        lines += _display(formulas.gain(numbers, c, digits, base))
        lines += _display(formulas.split_information(c, numbers.whole.weight, digits))
    lines += [latex_text(why_text(numbers, digits, base)), ""]
    for cost in numbers.pruning.costs:
        lines += _display(formulas.alpha(numbers, cost, digits))
    return "\n".join(lines).rstrip() + "\n"


def _display(part: Part | None) -> list[str]:
    return [] if part is None else [rf"\[ {part.latex()} \]", ""]


def _columns(numbers: NodeNumbers, possible: list[Candidate], digits: int, base: float) -> list[str]:
    per = unit(numbers, base)
    head = ["column", "gain", "split information", "gain ratio", r"$\chi^2$", "df", "$p$"]
    lines = [rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", " & ".join(head) + r" \\ \hline"]
    for c in possible:
        name = latex_text(c.column)
        cells = [rf"\textbf{{{name}}}" if c.chosen else name]
        cells += [
            padded_number(x, digits) for x in (c.gain / per, c.split_information, c.gain_ratio, c.statistic)
        ]
        lines.append(" & ".join([*cells, str(c.df), padded_number(c.p_value, digits)]) + r" \\")
    return [*lines, r"\end{tabular}", ""]


def _branches(numbers: NodeNumbers, c: Candidate, digits: int, base: float) -> list[str]:
    per, letter = unit(numbers, base), MEASURES[numbers.criterion][0]
    measured = numbers.criterion != "chi_square"
    names = [latex_text(name) for name in numbers.classes] or ["mean"]
    head = [latex_text(c.column), *names, "rows", *([f"${letter}$"] * measured)]
    lines = [rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", " & ".join(head) + r" \\ \hline"]
    for b in c.branches:
        shown = [significant(b.mean, 5)] if b.mean is not None else [amount(x) for x in b.counts]
        shown = shown or ["--"]
        impurity = [fixed(b.impurity / per, digits)] * measured
        lines.append(" & ".join([latex_text(b.label), *shown, str(b.n), *impurity]) + r" \\")
    return [*lines, r"\end{tabular}", ""]

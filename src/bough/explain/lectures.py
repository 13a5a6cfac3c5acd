"""The figures of five lectures, recomputed: each next to what the lecture has, with known slips below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.examples import EXAMPLES, demo_table
from bough.data.table import Table
from bough.growing import Settings, grow
from bough.tree.tree import Tree

SOURCES = {
    "USC": "CSCI567 Machine Learning, University of Southern California",
    "notes": "Bilingual notes on decision trees",
    "Toronto": "CSC 411, University of Toronto",
    "CMU": "10-315 Introduction to Machine Learning, Carnegie Mellon University",
    "Leite": "Leite, Tree-Based Learning Methods",
}

# What the lectures print otherwise than it is.
SLIPS = {
    "USC": (
        "In the restaurant's table Full has lost its label, and Italian is printed Thailan.",
        "The conditional entropy .45 of Patrons is .459 cut short.",
        "The algorithm has to test for no examples before it looks at their classes.",
        "Not all pruning needs a validation set: cost-complexity and C4.5's do without.",
    ),
    "notes": (
        "The logarithm is concave, not convex.",
        "The Gini impurity of K classes is at most 1 - 1/K.",
        "n rows have n - 1 thresholds only if no two values are equal.",
    ),
    "Toronto": (
        "The brackets of the information gain are lost in print.",
        "The algorithm has no stop for the case that no attributes are left.",
    ),
    "CMU": (
        "1/p of p = 9/10 is 1.11.",
        "The positive class of the C-section tree is the natural birth.",
    ),
    "Leite": (
        'The conjunctions of the tennis rule are joined by "or".',
        "The second column called Outlook is Temperature.",
        "|T| is the number of leaves.",
    ),
}


@dataclass(frozen=True)
class Figure:
    """One figure: what it is, what the lecture has, what was found. Numbers are equal if they agree to the
    digits that are printed."""

    what: str
    printed: str
    found: Any

    @property
    def shown(self) -> str:
        if isinstance(self.found, str):
            return self.found
        if "." not in self.printed:
            near = round(float(self.found))
            return str(near) if abs(near - float(self.found)) < 1e-9 else f"{self.found:.6f}"
        digits = len(self.printed.split(".")[1])
        return f"{round(float(self.found), digits) + 0.0:.{digits}f}"

    @property
    def reached(self) -> bool:
        return self.shown == self.printed


@dataclass(frozen=True)
class Work:
    """One worked example of a lecture, with all its figures."""

    name: str
    title: str
    source: str
    figures: tuple[Figure, ...]

    @property
    def reached(self) -> bool:
        return all(figure.reached for figure in self.figures)


def works() -> tuple[Work, ...]:
    """W1 to W26."""
    from bough.explain.lectures_measures import MEASURES
    from bough.explain.lectures_trees import TREES

    made: list[Callable[[], Work]] = [*MEASURES, *TREES]
    return tuple(sorted((make() for make in made), key=lambda work: int(work.name[1:])))


def works_text(done: Sequence[Work]) -> str:
    """All figures, two columns: as printed and as recomputed; then the slips."""
    lines = ["Each figure as the lecture has it, and as it is recomputed.", ""]
    for work in done:
        lines.append(f"{work.name}  {work.title}  ({work.source})")
        width = max((len(f.what) for f in work.figures if len(f.printed) <= 12), default=0)
        for f in work.figures:
            if len(f.printed) > 12:
                lines += [f"     {f.what}, {'as printed' if f.reached else 'NOT REACHED'}:"]
                lines += [f"       {line}" for line in f.shown.split("\n")]
            else:
                mark = "" if f.reached else "  NOT REACHED"
                lines.append(f"     {f.what:<{width}}  {f.printed:>12}  {f.shown:>12}{mark}")
        lines.append("")
    count = sum(len(work.figures) for work in done)
    missed = sum(not f.reached for work in done for f in work.figures)
    lines += [f"{count} figures, {count - missed} reached", "", "Slips in the lectures:"]
    for source, slips in SLIPS.items():
        lines += [f"  {source} ({SOURCES[source]})", *(f"    - {slip}" for slip in slips)]
    return "\n".join(lines)


def data(name: str, **where: str) -> tuple[Table, NDArray[np.int32], NDArray[Any]]:
    """A lecture's table without its target, the class numbers and the classes; only rows with these values,
    without the columns that they are given by."""
    whole = demo_table(name)
    kept = np.ones(whole.n_rows, dtype=bool)
    for c in whole.columns:
        if c.field.name in where:
            kept &= c.values == c.field.categories.index(where[c.field.name])
    part = whole.take(kept)
    target = EXAMPLES[name].target
    columns = tuple(c for c in part.columns if c.field.name != target and c.field.name not in where)
    answer = next(c for c in part.columns if c.field.name == target)
    classes = np.array(answer.field.categories, dtype=object)
    return Table(columns, part.n_rows), answer.values.astype(np.int32), classes


def tree_of(name: str, where: dict[str, str] | None = None, only: str | None = None, **settings: Any) -> Tree:
    """Grown on a lecture's table as ID3 would, unless the settings say otherwise; on one column only."""
    table, y, classes = data(name, **(where or {}))
    if only is not None:
        table = Table(tuple(c for c in table.columns if c.field.name == only), table.n_rows)
    chosen = {"criterion": "entropy", "categories": "multiway", **settings}
    return grow(table, y, classes, None, Settings(**chosen))


def stump_gain(name: str, column: str, where: dict[str, str] | None = None, **settings: Any) -> float:
    """The gain of one column, as the grower has it."""
    tree = tree_of(name, where, column, max_depth=1, zero_gain_splits=True, **settings)
    return float(tree.gain[0])


def counts_of(name: str, column: str, **where: str) -> NDArray[np.float64]:
    """The contingency table of a column and the target."""
    table, y, classes = data(name, **where)
    asked = next(c for c in table.columns if c.field.name == column)
    counts = np.zeros((len(asked.field.categories), len(classes)))
    np.add.at(counts, (asked.values.astype(np.int64), y), 1.0)
    return counts

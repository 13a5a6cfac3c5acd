"""The numbers of a node as data: its counts, every candidate split with its measures, and the choice."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from bough.explain.pruning_numbers import PruningNumbers
from bough.explain.words import check_form, plain_data

# Criterion -> the letter that formulas call it by, and its name in words.
MEASURES = {
    "entropy": ("H", "entropy"),
    "gini": ("G", "Gini impurity"),
    "error": ("E", "error rate"),
    "chi_square": ("χ²", "chi-square"),
    "squared_error": ("V", "variance"),
    "friedman_mse": ("V", "variance"),
    "poisson": ("D", "half the Poisson deviance"),
    "custom": ("L", "loss"),
}


@dataclass(frozen=True)
class Group:
    """Rows together: a node or a branch. `counts`: class weights, none where the target is a number."""

    label: str
    n: int
    weight: float
    counts: tuple[float, ...]
    impurity: float
    mean: float | None = None
    sd: float | None = None


@dataclass(frozen=True)
class Cut:
    """A place between two neighbouring values where an ordered column can be cut. `missing`: the side that
    rows without a value are counted with, if they are. Not `valid`: a side would be too small."""

    threshold: float
    text: str
    left: tuple[float, ...]
    right: tuple[float, ...]
    gain: float
    missing: str = ""
    valid: bool = True


@dataclass(frozen=True)
class Candidate:
    """The best split of one column, measured in every way; `gain` is that of the tree's own criterion.

    `before` is the impurity that the gain is counted from: of the rows that have a value, if the others have
    no part in it (`known` is then their share). `ratio` and `split_information` are in bits. `penalty` is
    taken off the gain where columns are compared. `p_value` tests branches against target, `column_p` is
    what a choice by significance compares (its logarithm). `why_not`: nothing to offer, and the reason.
    """

    column: str
    kind: str
    gain: float = 0.0
    before: float = 0.0
    known: float = 1.0
    branches: tuple[Group, ...] = ()
    n_missing: int = 0
    missing: str = ""
    information_gain: float | None = None
    gini_gain: float | None = None
    error_gain: float | None = None
    split_information: float = 0.0
    gain_ratio: float = 0.0
    statistic: float = 0.0
    df: int = 0
    p_value: float = 1.0
    column_p: float | None = None
    penalty: float = 0.0
    chosen: bool = False
    tied: bool = False
    cuts: tuple[Cut, ...] = ()
    n_cuts: int = 0
    why_not: str = ""

    @property
    def after(self) -> float:
        """The impurity that is left, on average, in the branches."""
        total = sum(b.weight for b in self.branches)
        return sum(b.weight * b.impurity for b in self.branches) / total if total else 0.0

    @property
    def possible(self) -> bool:
        return not self.why_not


@dataclass(frozen=True)
class NodeNumbers:
    """Every number of a node. `candidates` come in the order in which they are preferred; `leaf` says why
    nothing is asked. `same`: the rows are those that the tree grew on, and give its
    own gain."""

    node: int
    path: tuple[str, ...]
    whole: Group
    classes: tuple[str, ...]
    criterion: str
    choice: str
    entropy: float | None
    gini: float | None
    error: float | None
    candidates: tuple[Candidate, ...]
    chosen: str | None
    ties: tuple[str, ...]
    tie_rule: str
    average: float | None  # the gain that a column must reach where gain ratios are compared
    leaf: tuple[str, ...]
    answer: str
    pruning: PruningNumbers
    same: bool
    notes: tuple[str, ...] = ()

    @property
    def winner(self) -> Candidate | None:
        return next((c for c in self.candidates if c.chosen), None)

    @property
    def why(self) -> str:
        """How the choice fell, in words."""
        from bough.explain.why import why_text

        return why_text(self)

    @property
    def place(self) -> str:
        """Where the node is, in words."""
        return " and ".join(self.path) or "root"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        found: dict[str, Any] = plain_data(dataclasses.asdict(self))
        return found

    def to_text(self, digits: int = 4, base: float = 2, width: int | None = None, cuts: bool = False) -> str:
        """`cuts`: with all cut points of all columns; of the column that is asked they are always there."""
        from bough.explain.split_text import node_text

        check_form(digits, base)
        return node_text(self, digits=digits, base=base, width=width, cuts=cuts)

    def to_latex(self, digits: int = 4, base: float = 2) -> str:
        from bough.explain.split_latex import node_latex

        check_form(digits, base)
        return node_latex(self, digits=digits, base=base)

    def to_html(self, digits: int = 4, base: float = 2) -> str:
        """A part of a page, with formulas in MathML."""
        from bough.explain.split_html import node_html

        check_form(digits, base)
        return node_html(self, digits=digits, base=base)

    def to_markdown(self, digits: int = 4, base: float = 2) -> str:
        from bough.explain.split_tables import node_markdown

        check_form(digits, base)
        return node_markdown(self, digits=digits, base=base)

    def to_csv(self) -> str:
        from bough.explain.split_tables import node_csv

        return node_csv(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def __str__(self) -> str:
        return self.to_text()

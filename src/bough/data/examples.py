"""The tables that ship with bough: those of the lectures, and two larger ones to try things on.

>>> columns, target = load("tennis")
>>> columns["Outlook"][:3], target[:3]
(['Sunny', 'Sunny', 'Overcast'], ['No', 'No', 'Yes'])
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from bough.data.table import Column, Field, Table
from bough.errors import BoughError, did_you_mean

Value: TypeAlias = str | int | float | None

_USC = "CSCI567 Machine Learning, University of Southern California, 2021; after Russell and Norvig, AIMA"
_TORONTO = "CSC 411 Lecture 06, University of Toronto, 2016"
_CMU = "10-315 Introduction to ML, Carnegie Mellon University"
_LEITE = "Leite, Tree-Based Learning Methods, 2019; after Quinlan, Induction of Decision Trees, 1986"


@dataclass(frozen=True)
class Example:
    """A shipped table: its target, and the categories of each nominal column in the order of their source."""

    name: str
    target: str
    title: str
    source: str
    categories: Mapping[str, tuple[str, ...]]

    def kind(self, column: str) -> Literal["nominal", "numeric"]:
        """Nominal is what has declared categories."""
        return "nominal" if column in self.categories else "numeric"


def _nominal(**categories: str) -> dict[str, tuple[str, ...]]:
    return {column: tuple(listed.split("|")) for column, listed in categories.items()}


_ALL = (
    Example(
        "restaurant",
        "WillWait",
        "Will a guest wait for a table? 12 guests, 10 columns",
        _USC,
        {
            **dict.fromkeys(["Alt", "Bar", "Fri", "Hungry", "Rain", "Res", "WillWait"], ("T", "F")),
            **_nominal(Patrons="None|Some|Full", Price="$|$$|$$$", Type="French|Italian|Thai|Burger"),
            **_nominal(Est="0-10|10-30|30-60|>60"),
        },
    ),
    Example(
        "tennis",
        "play",
        "Is it a day to play tennis? 14 days",
        _LEITE,
        _nominal(
            Outlook="Sunny|Overcast|Rain",
            Temperature="Hot|Mild|Cool",
            Humidity="High|Normal",
            Wind="Weak|Strong",
            play="Yes|No",
        ),
    ),
    Example(
        "rain",
        "Cloud",
        "Does rain tell of clouds? 100 days",
        _TORONTO,
        _nominal(Rain="Raining|Not raining", Cloud="Cloudy|Not cloudy"),
    ),
    Example("poll1", "Y", "Which stump errs least?", _CMU, _nominal(Y="+|-", A="0|1", B="0|1", C="0|1")),
    Example("poll2", "Y", "Where greedy is not smallest", _CMU, _nominal(Y="+|-", A="0|1", B="0|1", C="0|1")),
    # The lecture asks for H(Y | A = 0) although no row has A = 0: 0 belongs to the domain.
    Example(
        "poll3", "Y", "Where the error rate sees no difference", _CMU, _nominal(Y="+|-", A="0|1", B="0|1")
    ),
    Example("iris7", "Species", "Seven irises, three species", _CMU, _nominal(Species="0|1|2")),
    Example(
        "births",
        "Outcome",
        "Natural birth or C-section? 5 births",
        _CMU,
        _nominal(
            Outcome="C-section|Natural", Position="Vertex|Breech|Abnormal", Distress="Y|N", Previous="Y|N"
        ),
    ),
    # The lecture prints the tree of 1000 women, not the women: rows written to have the counts of its lines.
    Example(
        "csection",
        "Outcome",
        "C-section or not? 1000 births with the counts of a lecture's tree",
        _CMU,
        _nominal(
            Outcome="C-section|Natural",
            Fetal_Presentation="1|2|3",
            Previous_Csection="0|1",
            Primiparous="0|1",
            Fetal_Distress="0|1",
        ),
    ),
    Example(
        "titanic",
        "survived",
        "Who survived the Titanic? 891 passengers, with empty cells",
        "Passenger list of the Titanic, the table of 891 rows in common use",
        _nominal(survived="died|survived", sex="female|male", embarked="C|Q|S", deck="A|B|C|D|E|F|G"),
    ),
    Example(
        "penguins",
        "species",
        "Three species of penguins, 344 birds, with empty cells",
        "Horst, Hill and Gorman, palmerpenguins, 2020 (CC0)",
        _nominal(species="Adelie|Chinstrap|Gentoo", island="Biscoe|Dream|Torgersen", sex="female|male"),
    ),
)

EXAMPLES: Mapping[str, Example] = MappingProxyType({example.name: example for example in _ALL})


def example(name: str) -> Example:
    """The description of a shipped table."""
    if name not in EXAMPLES:
        raise BoughError(
            f'there is no example table "{name}".{did_you_mean(name, EXAMPLES)}',
            code="demo",
            hint=f"Tables: {', '.join(EXAMPLES)}.",
        )
    return EXAMPLES[name]


def load(name: str) -> tuple[dict[str, list[Value]], list[Value]]:
    """The columns of a shipped table without its target, and the target; None is a missing value."""
    described = example(name)
    columns = _read(described)
    target = columns.pop(described.target)
    return columns, target


def demo_table(name: str) -> Table:
    """A shipped table with its target, typed, the categories in the order of their source."""
    described = example(name)
    columns = []
    for column, values in _read(described).items():
        categories = described.categories.get(column, ())
        number = {category: float(i) for i, category in enumerate(categories)}
        coded = [np.nan if v is None else number[v] if isinstance(v, str) else float(v) for v in values]
        columns.append(Column(Field(column, described.kind(column), categories), np.array(coded)))
    return Table(tuple(columns), len(columns[0].values))


def _read(described: Example) -> dict[str, list[Value]]:
    """Each column of the file as Python values; only an empty cell is missing (Patrons has a value None)."""
    text = (files("bough") / "data" / "tables" / f"{described.name}.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())
    columns: dict[str, list[Value]] = {}
    for column, cells in zip(header, zip(*rows, strict=True), strict=True):
        nominal = described.kind(column) == "nominal"
        columns[column] = [cell or None for cell in cells] if nominal else _numbers(cells)
    return columns


def _numbers(cells: tuple[str, ...]) -> list[Value]:
    whole = all(cell.isdigit() for cell in cells if cell)
    return [None if not cell else int(cell) if whole else float(cell) for cell in cells]

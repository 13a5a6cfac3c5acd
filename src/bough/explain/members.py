"""Why an average of models gives a row its answer: what each model says, and what it counts."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from bough.explain.words import answer_name
from bough.tree.text import display_width, padded, percent, shown_name, significant


@dataclass(frozen=True)
class Member:
    name: str
    weight: float
    prediction: Any  # its own
    says: float  # the share that it gives to the class that all answer with, or its number


@dataclass(frozen=True, repr=False)
class Members:
    """What the members say, weighted, adds up to `share`; to `prediction` where it is a number."""

    prediction: Any
    share: float | None  # of the predicted class; None: a number
    members: tuple[Member, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return dataclasses.asdict(self)

    def __repr__(self) -> str:  # what a console and a notebook show
        return str(self)

    def __str__(self) -> str:
        head = answer_name(self.prediction)
        if self.share is not None:
            head += f", {percent(self.share)}"
        rows = [("model", "weight", "answer")]
        for one in self.members:
            says = answer_name(one.prediction)
            if self.share is not None:
                says += f", {percent(one.says)} for {answer_name(self.prediction)}"
            rows.append((shown_name(one.name), significant(one.weight, 3), says))
        widths = [max(display_width(row[i]) for row in rows) for i in (0, 1)]
        lines = [f"  {padded(a, widths[0])}  {padded(b, widths[1])}  {c}" for a, b, c in rows]
        return "\n".join([head, *lines])

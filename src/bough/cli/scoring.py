"""Answers for the rows of a file, a part at a time, so that memory does not grow with the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from bough.cli.matching import Counts, Matching
from bough.data.objects import label
from bough.data.table import Table
from bough.errors import BoughError
from bough.explain.condition import conditions_to
from bough.tree import Tree

PART = 50_000  # rows
UNSEEN = ("route", "na", "error")


class Parts(Protocol):
    """Rows that can be read in parts."""

    n_rows: int
    names: list[str]
    notes: list[str]

    def table(self, names: Any = None, start: int = 0, stop: int | None = None) -> Table: ...


@dataclass
class Held:
    """A table in memory, read in parts like a file."""

    whole: Table

    def __post_init__(self) -> None:
        self.n_rows, self.names = self.whole.n_rows, list(self.whole.names)
        self.notes: list[str] = []

    def table(self, names: Any = None, start: int = 0, stop: int | None = None) -> Table:
        return self.whole.take(np.arange(start, min(self.n_rows, stop or self.n_rows)))


@dataclass(frozen=True)
class Scorer:
    """`what`: columns to write, of prediction, proba, leaf and rule."""

    matching: Matching
    what: tuple[str, ...]
    on_unseen: str
    threads: int

    @property
    def columns(self) -> list[str]:
        names = []
        for word in self.what:
            if word == "proba":
                classes = self.matching.model.classes
                names += [f"p_{label(value)}" for value in (classes if classes is not None else ())]
            else:
                names.append(word)
        return names

    def parts(self, rows: Parts, counts: Counts) -> Iterator[list[tuple[Any, ...]]]:
        """The answers of each part, a tuple for each row; None where there is none."""
        wanted = set(self.matching.sources.values())
        for start in range(0, rows.n_rows, PART):
            part = rows.table(wanted, start, start + PART)
            table, strange = self.matching.table(part, counts)
            yield self._answers(table, strange if self.on_unseen == "na" else None)

    def refuse_unseen(self, rows: Parts) -> None:
        """An error that counts the rows with a category that the model has not seen."""
        counts = Counts()
        wanted = set(self.matching.sources.values())
        for start in range(0, rows.n_rows, PART):
            self.matching.table(rows.table(wanted, start, start + PART), counts)
        if not counts.unseen:
            return
        (column, category), n = max(counts.unseen.items(), key=lambda item: item[1])
        field = next(f for f in self.matching.model.fields if f.name == column)
        seen = ", ".join(field.categories[:12]) + (", …" if len(field.categories) > 12 else "")
        more = len(counts.unseen) - 1
        others = f" {more} more {'is' if more == 1 else 'are'} new." if more else ""
        raise BoughError(
            f'{n:,} {"row has" if n == 1 else "rows have"} {column} "{category}", not seen in training '
            f"(--on-unseen error).{others}",
            code="category",
            hint=f"Seen: {seen}.  Route them instead:  --on-unseen route",
        )

    def _answers(self, table: Table, blank: Any) -> list[tuple[Any, ...]]:
        model, columns = self.matching.model, []
        leaves = model.apply(table, self.threads) if {"leaf", "rule"} & set(self.what) else np.empty(0)
        for word in self.what:
            if word == "prediction":
                columns.append(model.predict(table, self.threads).tolist())
            elif word == "proba":
                columns += [column.tolist() for column in model.predict_proba(table, self.threads).T]
            elif word == "leaf":
                columns.append(leaves.tolist())
            else:
                columns.append(_rules(model, leaves))
        found = list(zip(*columns, strict=True))
        if blank is not None and blank.any():
            nothing = (None,) * len(columns)
            found = [nothing if empty else row for row, empty in zip(found, blank.tolist(), strict=True)]
        return found


def _rules(model: Any, leaves: Any) -> list[str]:
    assert isinstance(model, Tree)
    texts = {
        leaf: " and ".join(map(str, conditions_to(model, leaf))) or "all rows"
        for leaf in np.unique(leaves).tolist()
    }
    return [texts[leaf] for leaf in leaves.tolist()]

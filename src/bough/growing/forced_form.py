"""Reads the parameter `forced`: a nested dict of splits becomes checked splits with numbers for names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bough.data.ingest import to_table
from bough.data.table import Field
from bough.errors import BoughError, did_you_mean
from bough.growing.settings import is_finite_number

KEYS = ("column", "threshold", "categories", "branches")
FORM = 'A forced split is {"column": name}, with "threshold" or "categories" and "branches" if wished.'


@dataclass(frozen=True)
class ForcedSplit:
    """Neither threshold nor groups: the best split of the column."""

    place: str  # in the parameter, for errors
    column: int
    threshold: float | None = None
    groups: tuple[tuple[int, ...], ...] | None = None  # categories by number
    branches: tuple[ForcedSplit | None, ...] = ()

    @property
    def levels(self) -> int:
        """Most forced splits on one way down."""
        return 1 + max((branch.levels for branch in self.branches if branch), default=0)

    def all(self) -> Iterator[ForcedSplit]:
        """This one and those below."""
        yield self
        for branch in self.branches:
            if branch is not None:
                yield from branch.all()


def read_forced(forced: Any, columns: Sequence[Field], place: str = "forced") -> ForcedSplit:
    if not isinstance(forced, dict):
        raise _wrong(f"{place} is {forced!r}.", FORM)
    for key in forced:
        if key not in KEYS:
            raise _wrong(f"{place} has the entry {key!r}.{did_you_mean(str(key), KEYS)}", FORM)
    names = [column.name for column in columns]
    name = forced.get("column")
    if name not in names:
        said = f'the column "{name}", which is not there.{did_you_mean(str(name), names)}'
        raise _wrong(
            f"{place} names {said if 'column' in forced else 'no column.'}", _listed("columns", names)
        )
    column = names.index(name)
    threshold, groups = forced.get("threshold"), forced.get("categories")
    if threshold is not None and groups is not None:
        raise _wrong(f"{place} has a threshold and categories.", "Give one of them: one split for each node.")
    branches = forced.get("branches")
    if not isinstance(branches, list | tuple | None):
        raise _wrong(
            f'{place}["branches"] is {branches!r}.', "Give a list: a forced split or None for each branch."
        )
    return ForcedSplit(
        place,
        column,
        None if threshold is None else _threshold(threshold, columns[column], place),
        None if groups is None else _groups(groups, columns[column], place),
        tuple(
            None if branch is None else read_forced(branch, columns, f'{place}["branches"][{number}]')
            for number, branch in enumerate(branches or ())
        ),
    )


def _threshold(threshold: Any, field: Field, place: str) -> float:
    if field.kind in ("nominal", "boolean"):
        raise _wrong(
            f'{place} has a threshold, but the categories of "{field.name}" have no order.',
            'Give two groups: "categories": [[…], […]].',
        )
    if field.kind == "ordinal":
        return _number(threshold, field, place) + 0.5
    if field.kind == "datetime":
        try:
            table = to_table({field.name: [threshold]}, fields=(field,))
        except BoughError:
            raise _wrong(
                f"{place} has the threshold {threshold!r}, which is not a date.", "Give a datetime."
            ) from None
        threshold = float(table.columns[0].values[0])
    if not is_finite_number(threshold):
        raise _wrong(
            f"{place} has the threshold {threshold!r}.", f'The threshold of "{field.name}" is a number.'
        )
    return float(threshold) + 0.0


def _groups(groups: Any, field: Field, place: str) -> tuple[tuple[int, ...], ...]:
    if field.kind not in ("nominal", "boolean"):
        raise _wrong(
            f'{place} has categories, but the values of "{field.name}" are in order.', 'Give a "threshold".'
        )
    sides = (
        [group for group in groups if isinstance(group, list | tuple)]
        if isinstance(groups, list | tuple)
        else []
    )
    if len(sides) < 2 or len(sides) != len(groups) or not all(sides):
        raise _wrong(
            f"{place} has the categories {groups!r}.", "Give a list of two or more lists, none of them empty."
        )
    numbers = tuple(tuple(_number(category, field, place) for category in side) for side in sides)
    seen: set[int] = set()
    for number in (number for side in numbers for number in side):
        if number in seen:
            raise _wrong(
                f'{place} has the category "{field.categories[number]}" twice.', "A category has one branch."
            )
        seen.add(number)
    return numbers


def _number(category: Any, field: Field, place: str) -> int:
    if str(category) not in field.categories:
        raise _wrong(
            f'{place} names the category {category!r}, which "{field.name}" does not have.'
            + did_you_mean(str(category), field.categories),
            _listed("categories", field.categories),
        )
    return field.categories.index(str(category))


def _listed(what: str, names: Sequence[str]) -> str:
    return f"{what}: " + ", ".join(names[:20]) + ", …" * (len(names) > 20)


def _wrong(message: str, hint: str) -> BoughError:
    return BoughError(message, code="parameter", hint=hint)

"""Which columns may be asked, in what company, and in which direction they must lead."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bough import _core
from bough.data.table import Field
from bough.errors import BoughError, did_you_mean

if TYPE_CHECKING:
    from bough.growing.settings import Settings


def constrain(core: _core.Settings, settings: Settings, columns: tuple[Field, ...]) -> None:
    """Hands the constraints to the core, columns by number."""
    core.monotone = directions(settings.monotonic_cst, columns)
    forbidden = _numbers("forbidden_columns", settings.forbidden_columns, columns)
    core.forbidden = [int(j in forbidden) for j in range(len(columns))]
    core.required = _numbers("required_columns", settings.required_columns, columns)
    both = set(forbidden) & set(core.required)
    if both:
        name = columns[min(both)].name
        raise _wrong(
            "required_columns", f'column "{name}" is forbidden, too.', "Leave it out of one of them."
        )
    core.interactions = interactions(settings.interaction_cst, columns)


def interactions(groups: Any, columns: tuple[Field, ...]) -> list[list[int]]:
    """Groups of columns that may meet on one path; none: all may."""
    if groups is None:
        return []
    if not isinstance(groups, Sequence) or isinstance(groups, str):
        raise _wrong(
            "interaction_cst", f"{groups!r} is no list of groups.", 'E.g. [["age", "sex"], ["fare"]].'
        )
    listed = [_numbers("interaction_cst", group, columns) for group in groups]
    # As in scikit-learn, the columns that no group names are one more group.
    rest = sorted(set(range(len(columns))).difference(*map(set, listed)))
    return listed + [rest] * bool(rest)


def directions(given: Any, columns: tuple[Field, ...]) -> list[int]:
    """1, -1 or 0 for each column."""
    if given is None:
        return [0] * len(columns)
    if isinstance(given, dict):
        found = [0] * len(columns)
        for name, direction in given.items():
            found[_number("monotonic_cst", name, columns)] = direction
    else:
        found = list(given) if _is_list(given) else []
        if len(found) != len(columns):
            raise _wrong(
                "monotonic_cst",
                f"{len(found)} directions are given for {len(columns)} columns.",
                'Give 1, -1 or 0 for each, or a dict such as {"age": 1}.',
            )
    for field, direction in zip(columns, found, strict=True):
        whole = isinstance(direction, numbers.Real) and not isinstance(direction, bool | np.bool_)
        if not whole or direction not in (-1, 0, 1):
            raise _wrong(
                "monotonic_cst", f'column "{field.name}" has {direction!r}.', "1, -1 or 0 is possible."
            )
        if direction and field.kind in ("nominal", "boolean"):
            raise _wrong(
                "monotonic_cst",
                f'column "{field.name}" has categories without an order.',
                "Only numbers, dates and ordered categories can lead in a direction.",
            )
    return [int(d) for d in found]


def _numbers(parameter: str, given: Any, columns: tuple[Field, ...]) -> list[int]:
    if given is None:
        return []
    if isinstance(given, str) or not (_is_list(given) or isinstance(given, set | frozenset)):
        raise _wrong(parameter, f"{given!r} is no list of columns.", "Give names or numbers of columns of X.")
    return sorted({_number(parameter, column, columns) for column in given})


def _is_list(given: Any) -> bool:
    """An array of no dimension is a single value."""
    return isinstance(given, Sequence) or (isinstance(given, np.ndarray) and given.ndim > 0)


def _number(parameter: str, column: Any, columns: tuple[Field, ...]) -> int:
    names = [field.name for field in columns]
    if isinstance(column, str) and column in names:
        return names.index(column)
    if (
        isinstance(column, numbers.Integral)
        and not isinstance(column, bool)
        and 0 <= int(column) < len(names)
    ):
        return int(column)
    known = did_you_mean(str(column), names)
    raise _wrong(
        parameter, f"it names the column {column!r}, which is not there.{known}", "Columns of X count."
    )


def _wrong(parameter: str, what: str, hint: str) -> BoughError:
    return BoughError(f"{parameter}: {what}", code="parameter", hint=hint)

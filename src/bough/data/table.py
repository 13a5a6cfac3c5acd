"""The typed table: what every frame, array or file becomes before anything is grown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Kind = Literal["numeric", "boolean", "nominal", "ordinal", "datetime"]

BOOLEAN = ("False", "True")


@dataclass(frozen=True, slots=True)
class Field:
    """The schema of one column, which is what a model remembers of it."""

    name: str
    kind: Kind
    categories: tuple[str, ...] = ()
    # Of moments, whether they had a time zone; None: not known, as of days and of texts.
    zoned: bool | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Column:
    """A field and its values: float64, NaN where missing, category numbers, microseconds since 1970 UTC."""

    field: Field
    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.values.flags.writeable:
            # A view: the array itself may be the user's, who goes on writing to it.
            frozen = self.values.view()
            frozen.flags.writeable = False
            object.__setattr__(self, "values", frozen)


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length with unique names. `coded`: where a grower keeps their codes for the next tree;
    None: nowhere. `within`: the table that does, and which of its rows these are."""

    columns: tuple[Column, ...]
    n_rows: int
    coded: dict[int, Any] | None = field(default=None, compare=False, repr=False)
    within: tuple[Table, NDArray[np.intp]] | None = field(default=None, compare=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.field.name for column in self.columns)

    @property
    def fields(self) -> tuple[Field, ...]:
        return tuple(column.field for column in self.columns)

    def take(self, rows: ArrayLike) -> Table:
        """The rows with these numbers (or of this mask), in this order."""
        index, within = np.asarray(rows), None
        if index.dtype.kind == "b":
            index = np.flatnonzero(index)
            within = None if self.coded is None else (self, index)
        elif not index.size:
            index = index.astype(np.intp)
        columns = tuple(Column(c.field, c.values[index]) for c in self.columns)
        return Table(columns, len(index), within=within)

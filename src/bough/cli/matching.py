"""The columns that a model needs, found in a table of other rows: renamed, set, in the kinds it knows."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from bough.cli.average import Average
from bough.cli.column_types import as_category, as_number, moment
from bough.data.encode import UNSEEN
from bough.data.ingest import to_table
from bough.data.table import Column, Field, Table
from bough.errors import BoughError
from bough.tree import Ensemble, Tree

MOST_SET = 20  # columns in a hint that is meant to be copied


@dataclass
class Counts:
    """What was met on the way that the person should know of."""

    missing: dict[str, int] = field(default_factory=dict)
    unseen: dict[tuple[str, str], int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        unseen = [{"column": c, "category": v, "rows": n} for (c, v), n in self.unseen.items()]
        return {"missing": self.missing, "unseen": unseen}


@dataclass(frozen=True)
class Matching:
    """`sources`: the data's name of each column of the model; `constants`: columns that are one value."""

    model: Tree | Ensemble | Average
    sources: Mapping[str, str]
    constants: Mapping[str, str]
    numbers: frozenset[str]  # texts that are no number count as empty here, as when the model was fitted

    def table(self, rows: Table, counts: Counts) -> tuple[Table, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
        """The rows as the model reads them, and which of them have a category that it has not seen."""
        found = {column.field.name: column for column in rows.columns}
        columns = [self._column(f, found, rows.n_rows) for f in self.model.fields]
        table = to_table(Table(tuple(columns), rows.n_rows), fields=self.model.fields)
        strange = np.zeros(rows.n_rows, dtype=bool)
        for raw, read in zip(columns, table.columns, strict=True):
            name, empty = read.field.name, np.isnan(raw.values)
            if empty.any():
                counts.missing[name] = counts.missing.get(name, 0) + int(empty.sum())
            new = (
                (read.values == UNSEEN)
                if read.field.kind in ("nominal", "boolean")
                else np.isnan(read.values) & ~empty
            )
            if new.any():
                strange |= new
                codes, numbers = np.unique(raw.values[new], return_counts=True)
                for code, number in zip(codes.astype(int).tolist(), numbers.tolist(), strict=True):
                    key = (name, raw.field.categories[code])
                    counts.unseen[key] = counts.unseen.get(key, 0) + number
        return table, strange

    def _column(self, wanted: Field, found: Mapping[str, Column], n_rows: int) -> Column:
        if wanted.name in self.constants:
            return constant(wanted, self.constants[wanted.name], n_rows)
        column = found[self.sources[wanted.name]]
        column = Column(replace(column.field, name=wanted.name), column.values)
        if wanted.kind in ("nominal", "ordinal") and not column.field.categories:
            return as_category(column)
        if wanted.kind == "numeric" and wanted.name in self.numbers:
            return as_number(column, [])
        return column


def constant(wanted: Field, text: str, n_rows: int) -> Column:
    """A column of one value, given as text; empty: missing."""
    if text == "":
        return Column(wanted, np.full(n_rows, np.nan))
    if wanted.kind in ("nominal", "ordinal", "boolean"):
        names = {name.lower(): name for name in wanted.categories} if wanted.kind == "boolean" else {}
        plain = names.get(text.lower(), text)
        known = wanted.categories if plain in wanted.categories else (*wanted.categories, plain)
        kind = "nominal" if known != wanted.categories else wanted.kind
        return Column(Field(wanted.name, kind, known), np.full(n_rows, float(known.index(plain))))
    value = float("nan")
    if wanted.kind == "datetime":
        found = moment(text)
        value = value if found is None else float(found.astype(np.int64))
    else:
        with suppress(ValueError):
            value = float(text)
    if not np.isfinite(value):
        need, such = ("dates", "2026-01-31") if wanted.kind == "datetime" else ("numbers", "1.5")
        raise BoughError(
            f'"{wanted.name}" cannot be "{text}": the model was fitted on {need} here.',
            code="parameter",
            hint=f"--set {wanted.name}={such}   or   --set {wanted.name}=  for missing",
        )
    return Column(wanted, np.full(n_rows, value))


def match(
    model: Tree | Ensemble | Average,
    names: list[str],
    where: str,
    *,
    rename: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    numbers: frozenset[str] = frozenset(),
    options: bool = False,
    apart: Mapping[str, str] | None = None,
) -> Matching:
    """Every column of the model is found in the data, or is a constant; otherwise an error that helps.
    `options`: the verb has --set and --rename, which the error may name. `apart`: columns that the data has,
    but which were asked for as something else, by an option that is named."""
    rename, constants = rename or {}, constants or {}
    needed = [f.name for f in model.fields]
    _check_options(rename, constants, names, needed, where)
    renamed = {new: old for old, new in rename.items()}
    absent = [n for n in needed if n not in constants and renamed.get(n, n) not in names]
    for name, option in (apart or {}).items():
        if name in absent:
            raise BoughError(
                f'"{name}" is a column of the model, so it cannot be given as {option}.',
                code="parameter",
                hint="Name another column.",
            )
    if absent:
        taken = {renamed.get(name, name) for name in needed}
        raise _missing(absent, names, taken, where, options)
    sources = {name: renamed.get(name, name) for name in needed if name not in constants}
    return Matching(model, sources, constants, numbers)


def _check_options(
    rename: Mapping[str, str], constants: Mapping[str, str], names: list[str], needed: list[str], where: str
) -> None:
    from bough.cli.model import no_such

    for old in rename:
        if old not in names:
            raise no_such(old, names, where)
    for new in (*rename.values(), *constants):
        if new not in needed:
            raise no_such(new, needed, "the model")


def _missing(absent: list[str], names: list[str], taken: set[str], where: str, options: bool) -> BoughError:
    """`taken`: columns of the data that answer for one of the model's already."""
    some = ", ".join(f'"{name}"' for name in absent[:5]) + (
        f" and {len(absent) - 5} more" if len(absent) > 5 else ""
    )
    them = "them" if len(absent) > 1 else "it"
    lower = {name.lower(): name for name in names if name not in taken}
    close = [name for name in lower if absent[0].lower() in name]
    close = close or difflib.get_close_matches(absent[0].lower(), list(lower), n=1, cutoff=0.4)
    blank = " ".join(f"--set {name}=" for name in absent[:MOST_SET])
    if len(absent) > MOST_SET:
        blank += " … (each of them)"
    everywhere = f"{blank}  to treat {them} as missing everywhere"
    hint = f"Try  {everywhere}"
    if not options:
        hint = f'Closest: "{lower[close[0]]}".  ' if close else ""
        hint += f"Give {where} the model's columns, empty where they are not known."
    elif close:
        old = lower[close[0]]
        hint = f'Closest: "{old}".  --rename {old}={absent[0]}   or   {everywhere}'
    return BoughError(
        f"the model needs {some}, {where} does not have {them}.", code="missing-column", hint=hint
    )

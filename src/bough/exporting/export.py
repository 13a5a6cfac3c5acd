"""One export: written, run on the fuzz table and on the user's rows, handed over."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bough.data.ingest import check_known, to_table
from bough.data.table import Table
from bough.errors import BoughError, did_you_mean
from bough.exporting.formats import FORMATS, Content, Format
from bough.exporting.fuzz import Fuzz, fuzz, new_text
from bough.exporting.plan import Plan
from bough.exporting.verify import DOUBLE, refuse
from bough.store.files import write_atomically
from bough.tree import Ensemble, Tree

ROWS = 2000  # of the fuzz table


@dataclass(frozen=True)
class Export:
    """What was made: `content` (text, or bytes), `path` if it was written, `verified` and in what way."""

    content: Content
    path: Path | None
    verified: bool
    report: str

    def __str__(self) -> str:
        return self.content if isinstance(self.content, str) else f"{len(self.content):,} bytes"

    def __repr__(self) -> str:
        where = "" if self.path is None else f", {str(self.path)!r}"
        return f"Export({self.report!r}{where})"


def export(
    model: Tree | Ensemble,
    to: str,
    path: str | os.PathLike[str] | None = None,
    *,
    dialect: str | None = None,
    verify: Any = True,
    formats: Sequence[Format] = FORMATS,
    **options: Any,
) -> Export:
    """The model in another language; see docs/exports.md. `verify`: True, False, or rows to check as well."""
    format_ = _format(to, formats)
    chosen = _dialect(format_, dialect)
    plan = Plan(model)
    given = ({"dialect": chosen} if chosen else {}) | options
    try:
        content = format_.write(plan, **given)
    except RecursionError:
        depth = max(planned.tree.max_depth for planned in plan.trees)
        raise BoughError(
            f"a tree {depth:,} questions deep is too deep for a {format_.what}.",
            code="model",
            hint="Prune it or grow it with max_depth; python, c, js and json take trees of any depth.",
        ) from None
    verified, report = _verified(format_, chosen, plan, content, verify)
    if path is not None:
        data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass")
        write_atomically(path, data)
    return Export(content, None if path is None else Path(path), verified, report)


def _format(to: str, formats: Sequence[Format]) -> Format:
    for format_ in formats:
        if format_.name == to:
            return format_
    names = [f.name for f in formats]
    called = next((f.name for f in formats if str(to).lower() in f.what.lower().split()), None)
    meant = f' Did you mean "{called}"?' if called else did_you_mean(str(to), names)
    raise BoughError(
        f"there is no export to {to!r:.40}.{meant}",
        code="parameter",
        hint="Formats: " + ", ".join(names) + ".",
    )


def _dialect(format_: Format, dialect: str | None) -> str:
    if dialect is None:
        return format_.dialects[0] if format_.dialects else ""
    if dialect not in format_.dialects:
        known = ", ".join(format_.dialects) or "none"
        raise BoughError(
            f"{format_.name} has no dialect {dialect!r:.40}.{did_you_mean(str(dialect), format_.dialects)}",
            code="parameter",
            hint=f"Dialects of {format_.name}: {known}.",
        )
    return dialect


def _verified(format_: Format, dialect: str, plan: Plan, content: Content, verify: Any) -> tuple[bool, str]:
    if verify is False:
        return False, "not verified: verify=False"
    run, by = format_.runner(dialect)
    if run is None:
        return False, f"not verified: {by}"
    tables = [("made rows", fuzz(plan, ROWS))]
    if verify is not True:
        tables.append(("rows of the data", _given(plan, verify)))
    parts = []
    for what, rows in tables:
        try:
            said = run(content, plan, rows)
        except Exception as error:
            raise BoughError(
                f"the {format_.what} does not run in {by}: {error!s:.300} Nothing was written.",
                code="verify",
                hint=f"A limit of {by}? Try a smaller model or another format; otherwise please report it.",
            ) from error
        refuse(format_.what, plan, rows.table, said, DOUBLE, what)
        parts.append(f"{rows.table.n_rows:,} {what}")
    return True, f"verified by {by}: " + " and ".join(parts) + " equal"


def _given(plan: Plan, data: Any) -> Fuzz:
    """The user's rows, without those that the model itself refuses."""
    table: Table = to_table(data, fields=plan.fields, owner="the model")
    for planned in plan.trees:
        check_known(table, planned.tree.rules.never_missing)
    return Fuzz(table, new_text(plan))

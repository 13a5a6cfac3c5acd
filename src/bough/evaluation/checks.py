"""What looks wrong in a table before anything is grown: a list of findings, each with what to do."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.objects import label
from bough.data.table import Column, Table
from bough.evaluation.leaks import explained
from bough.tree.text import shown_name

LEVELS = ("warning", "note")
FEW_VALUES = 20  # different ones, below which a column is not suspected to be an id
MOSTLY_EMPTY = 0.5
LEAK = 0.95  # of what is wrong without the column, so much is right with it alone
RARE = 0.1  # share of the smallest of two classes, or of the rows of each class that would be even
FEW_OF_CLASS = 10
_ID = re.compile(
    r"(^|[ _\-.])(id|key|uuid|guid|nr|no|number|index)$|^(id|key|uuid|guid|index)([ _\-.]|$)", re.I
)
_CODE = re.compile(r"0\d+")  # 01067: a postcode, not the number 1067
_THOUSANDS = re.compile(r"[-+]?\d{1,3}((\.\d{3})+(,\d+)?|(,\d{3})+(\.\d+)?)")


@dataclass(frozen=True)
class Finding:
    """`column` is None where it is about the whole table; `hint` says what to do."""

    code: str
    column: str | None
    text: str
    hint: str
    level: str = "warning"

    def as_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "level": self.level,
            "column": self.column,
            "text": self.text,
            "hint": self.hint,
        }


def check_table(
    table: Table,
    y: NDArray[Any] | None = None,
    classes: NDArray[Any] | None = None,
    weights: NDArray[np.float64] | None = None,
) -> list[Finding]:
    """Findings in the order of the columns, then those about rows and target. `y` are class numbers, or
    numbers where `classes` is None; without it only the columns are looked at."""
    found = [finding for column in table.columns for finding in check_column(column)]
    found += _equal_columns(table)
    if y is not None:
        suspects = {f.column for f in found if f.code in ("id", "constant", "empty")}
        found += _leaks(table, y, classes, weights, suspects)
        found += _target(y, classes)
    return found + _same_rows(table, y)


def check_column(column: Column) -> Iterator[Finding]:
    """What can be seen from one column alone."""
    name = column.field.name
    known = column.values[~np.isnan(column.values)]
    if not known.size:
        yield Finding("empty", name, "all its cells are empty.", "Leave it out.")
        return
    values, rows = np.unique(known, return_counts=True)
    if len(values) == 1 and known.size == column.values.size and column.values.size > 1:
        yield Finding(
            "constant", name, f"it is {_value(column, values[0])} on every row.", "Leave it out.", "note"
        )
        return
    odd = mixed(column, values, rows) or id_like(column, values)
    if odd is not None:
        yield odd
    empty = 1 - known.size / column.values.size
    if empty > MOSTLY_EMPTY:
        text = f"{empty:.0%} of its cells are empty."
        hint = "A split on it may ask only whether it is known."
        yield Finding("missing", name, text, hint, "note")
    twins = _alike(column, values)
    if twins:
        first, second = (f'"{shown_name(text)}"' for text in twins)
        yield Finding(
            "spelling",
            name,
            f"{first} and {second} differ only in case or spaces.",
            "Write them alike if they are one.",
        )


def mixed(column: Column, values: NDArray[Any], rows: NDArray[Any]) -> Finding | None:
    """A column of texts most of which are numbers. `values` are the different ones, `rows` those of each."""
    if column.field.kind != "nominal" or len(values) < FEW_VALUES:
        return None
    texts = [column.field.categories[int(code)] for code in values]
    if any(_CODE.fullmatch(text) for text in texts):
        return None
    other = [i for i, text in enumerate(texts) if not _like_number(text)]
    if len(other) > 0.1 * len(texts):
        return None
    numbers = f"{len(texts) - len(other):,} of its {len(texts):,} different texts look like numbers."
    if any(_like_number(text) and not _finite(text) for text in texts):
        hint = "Write decimals with a point, and nothing between thousands."
        return Finding("comma", column.field.name, f"taken as text, but {numbers}", hint)
    if not other:
        return Finding("mixed", column.field.name, f"taken as text, but {numbers}", "Make numbers of them.")
    n = int(rows[other[0]])
    why = f'"{shown_name(texts[other[0]])}" ({n:,} row{"" if n == 1 else "s"})'
    text = f"taken as text because of {why};\n  {numbers}"
    return Finding("mixed", column.field.name, text, "Empty the cells that are no numbers.")


def id_like(column: Column, values: NDArray[Any]) -> Finding | None:
    """A text that is another one in nearly every row; whole numbers that are all different and count up."""
    known = column.values[~np.isnan(column.values)]
    n, name = len(known), column.field.name
    if len(values) < FEW_VALUES:
        return None
    hint = "Leave it out: a new row has a value that the tree never saw."
    if column.field.kind == "nominal" and 2 * len(values) > n:
        text = f"{len(values):,} different texts on {n:,} rows, like names. A tree learns them by heart."
        return Finding("id", name, text, hint)
    if column.field.kind != "numeric" or len(values) < n or not bool((values == np.rint(values)).all()):
        return None
    dense = float(values[-1] - values[0]) <= 1.5 * n
    counts_up = bool((np.diff(known) > 0).all())
    if dense or counts_up or _ID.search(name):
        return Finding("id", name, f"{n:,} different whole numbers on {n:,} rows, like an id.", hint)
    return None


def _like_number(text: str) -> bool:
    """Also with a decimal comma (1,5; 1.010,94) or commas between thousands (1,010.94)."""
    return _finite(text.replace(",", ".")) or _THOUSANDS.fullmatch(text.strip()) is not None


def _finite(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _value(column: Column, value: float) -> str:
    if column.field.kind == "datetime":
        return str(np.datetime64(int(value), "us"))
    text = column.field.categories[int(value)] if column.field.categories else label(float(value))
    return f'"{shown_name(text)}"'


def _alike(column: Column, values: NDArray[Any]) -> tuple[str, str] | None:
    if column.field.kind not in ("nominal", "ordinal"):
        return None
    seen: dict[str, str] = {}
    for code in values:
        text = column.field.categories[int(code)]
        plain = " ".join(text.split()).casefold()
        if plain in seen:
            return seen[plain], text
        seen[plain] = text
    return None


def _equal_columns(table: Table) -> list[Finding]:
    seen: dict[tuple[str, bytes], str] = {}
    found = []
    for column in table.columns:
        known = column.values[~np.isnan(column.values)]
        if not known.size or (known == known[0]).all():
            continue
        key = (str(column.field.categories), (column.values + 0.0).tobytes())
        name = column.field.name
        if key in seen:
            text = f'it is the same as "{shown_name(seen[key])}" on every row.'
            found.append(Finding("duplicate-column", name, text, "Leave one of them out.", "note"))
        else:
            seen[key] = name
    return found


def _leaks(
    table: Table,
    y: NDArray[Any],
    classes: NDArray[Any] | None,
    weights: NDArray[np.float64] | None,
    suspects: set[str | None],
) -> list[Finding]:
    found = []
    hint = "Known only afterwards? Then leave it out."
    for column in table.columns:
        if column.field.name in suspects:
            continue
        share, score = explained(column, y, classes, weights)
        if share >= LEAK:
            what = f"R² {score:.3f}" if classes is None else f"{score:.1%} right"
            text = f"it alone predicts the target almost perfectly ({what} on rows left out)."
            found.append(Finding("leak", column.field.name, text, hint))
    return found


def _target(y: NDArray[Any], classes: NDArray[Any] | None) -> list[Finding]:
    if classes is None:
        return []
    sizes = np.bincount(y, minlength=len(classes))
    names = [shown_name(label(value)) for value in classes]
    smallest = int(sizes.argmin())
    found = []
    if sizes[smallest] < FEW_OF_CLASS <= len(y) // 4:
        text = f'the class "{names[smallest]}" has {sizes[smallest]:,} rows only.'
        found.append(Finding("few", None, text, "Little can be said about so few."))
    elif sizes[smallest] < 2 * RARE * len(y) / len(classes):
        text = f'the class "{names[smallest]}" is rare: {sizes[smallest] / len(y):.1%} of the rows.'
        hint = "Accuracy says little then: look at recall, precision and AUC, or weigh the classes."
        found.append(Finding("imbalance", None, text, hint))
    return found


def _same_rows(table: Table, y: NDArray[Any] | None) -> list[Finding]:
    """Rows that stand there more than once: a row of the training data is then also in the test data."""
    matrix = np.column_stack([column.values for column in table.columns])
    matrix = np.where(np.isnan(matrix), np.inf, matrix)
    _, place, counts = np.unique(matrix, axis=0, return_inverse=True, return_counts=True)
    place = np.ravel(place)
    found = []
    # In a table of a few columns of a few values equal rows are no surprise.
    if len(counts) > 0.5 * table.n_rows and y is not None:
        both = np.column_stack([place, y])
        repeated = table.n_rows - len(np.unique(both, axis=0))
        if repeated:
            text = (
                f"{repeated:,} of the {table.n_rows:,} rows repeat{'s' if repeated == 1 else ''} another one."
            )
            hint = "If they are the same case, keep one: copies in both parts make a test too kind."
            found.append(Finding("duplicate-rows", None, text, hint, "note"))
    return found

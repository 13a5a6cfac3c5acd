"""Rows to fit on and rows to judge by: folds, and tables of which scikit-learn can take rows."""

from __future__ import annotations

import math
import numbers
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import model_selection

from bough.data.ingest import to_table
from bough.data.table import Table
from bough.errors import BoughError

Folds = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


@dataclass(frozen=True, slots=True)
class Rows(Table):
    """A table that scikit-learn can take rows of."""

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, len(self.columns)

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: Any) -> Rows:
        return as_rows(self.take(rows[0] if isinstance(rows, tuple) else rows))


def as_rows(table: Table) -> Rows:
    return Rows(table.columns, table.n_rows)


def indexable(X: Any) -> Any:
    """Arrays, lists and frames as they are; what scikit-learn cannot take rows of, as a table."""
    polars = type(X).__module__.startswith("polars") and not hasattr(X, "collect")  # which is lazy
    if isinstance(X, list | np.ndarray) or hasattr(X, "iloc") or polars:
        return X
    return as_rows(to_table(X))


def row_count(rows: Any) -> int:
    """Of what `indexable` gives."""
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)


def splits(count: int, y: NDArray[Any], *, classes: bool, seed: Any, groups: Any = None) -> Folds:
    """Shuffled folds, so many or as many as the rows allow (of classes: as the second largest class has rows,
    so that rarer ones may be absent from some); none if not two."""
    if groups is not None:
        count = min(count, len(np.unique(groups)))
        kind: Any = model_selection.StratifiedGroupKFold if classes else model_selection.GroupKFold
    else:
        most = int(np.sort(np.unique(y, return_counts=True)[1])[-2:][0]) if classes else len(y)
        count = min(count, most)
        kind = model_selection.StratifiedKFold if classes else model_selection.KFold
    if count < 2 or (classes and len(np.unique(y)) < 2):
        return []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about those rarer ones
        parts = kind(count, shuffle=True, random_state=seed).split(np.zeros(len(y)), y, groups)
        return [(fit, left) for fit, left in parts if len(fit) and len(left)]


def checked_groups(groups: Any, n_rows: int) -> NDArray[Any]:
    """One for each row, all of which can be compared."""
    found = np.asarray(groups)
    if found.ndim != 1 or len(found) != n_rows:
        there = f"there are {len(found)} groups" if found.ndim == 1 else f"groups has the shape {found.shape}"
        raise BoughError(f"{there} for {n_rows} rows.", code="shape", hint="Give one group for each row.")
    try:
        if found.dtype.kind in "fmM" and np.isnan(found).any():
            raise TypeError(groups)
        np.unique(found)
    except TypeError:
        raise BoughError(
            "groups has missing values, or values of several kinds.",
            code="parameter",
            hint="Give each row its group; one that belongs to no other needs one of its own.",
        ) from None
    return found


def folds_of(cv: Any, y: NDArray[Any], *, classes: bool, seed: Any, groups: Any = None) -> Folds:
    """A number of folds, or whatever scikit-learn takes as cv."""
    groups = None if groups is None else checked_groups(groups, len(y))
    if isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        if cv < 2:
            raise BoughError(
                f"cv={cv} is not possible.", code="parameter", hint="cv is a number of folds from 2 up."
            )
        parts = splits(int(cv), y, classes=classes, seed=seed, groups=groups)
        if not parts:
            rare = "two rows of each of two classes" if classes else "two rows"
            raise BoughError(
                f"cross-validation needs at least {rare}"
                + (" and two groups." if groups is not None else "."),
                code="target",
                hint="Judge the fitted model as it is: cv=None.",
            )
        return parts
    try:
        return divided_by(cv, y, classes=classes, groups=groups)
    except (TypeError, ValueError) as error:
        raise BoughError(
            f"cv={cv!r} is not possible: {error}",
            code="parameter",
            hint="cv is a number of folds, a splitter of scikit-learn, pairs of rows (to fit on, to "
            "judge by), or None to judge the fitted model as it is.",
        ) from None


def divided_by(cv: Any, y: NDArray[Any], *, classes: bool, groups: Any = None) -> Folds:
    """What scikit-learn makes of cv; a TypeError or ValueError where that is nothing."""
    splitter = model_selection.check_cv(cv, y, classifier=classes)
    parts = splitter.split(np.zeros(len(y)), y, groups)
    found = [(_rows_of(fit, len(y)), _rows_of(left, len(y))) for fit, left in parts]
    if not found:
        raise ValueError("there are no folds")
    return found


def _rows_of(given: Any, n_rows: int) -> NDArray[np.intp]:
    """Numbers of rows, from numbers or a mask."""
    rows = np.asarray(given)
    if rows.dtype == bool and rows.shape == (n_rows,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or not len(rows) or rows.dtype.kind not in "iu":
        raise ValueError("a fold is no list of row numbers")
    if rows.min() < 0 or rows.max() >= n_rows:
        raise ValueError(f"a fold has row {rows.max() if rows.min() >= 0 else rows.min()} of {n_rows} rows")
    return rows.astype(np.intp)


def standard_error(values: Any) -> float:
    """Of the mean; NaN for a single value."""
    found = np.asarray(values, dtype=np.float64)
    return float(np.std(found, ddof=1) / math.sqrt(len(found))) if len(found) > 1 else math.nan

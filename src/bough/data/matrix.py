"""The short way of a prediction: a matrix of numbers, which the core reads as it is. `to_table` is the long
way, which takes everything and says what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.objects import EXACT
from bough.data.table import Field

Floats = NDArray[np.float64]

DOUBLE, SINGLE = np.dtype(np.float64), np.dtype(np.float32)
PLAIN = {float, int}


def is_numeric(fields: Sequence[Field]) -> bool:
    """Whether a model that asks these fields can read a matrix."""
    return all(field.kind == "numeric" for field in fields)


def plain_matrix(data: Any, fields: Sequence[Field]) -> Floats | None:
    """The numbers of an array, of a list of lists, or of a pandas frame with the columns in their order; None
    if the data is anything else or may be wrong. The fields are numeric; infinite values are not sought."""
    kind = type(data)
    if kind is np.ndarray:
        return _of_array(data, len(fields))
    if kind is list:
        return _of_list(data, len(fields))
    if kind.__name__ == "DataFrame" and kind.__module__.partition(".")[0] == "pandas":
        if data.columns.tolist() != [field.name for field in fields]:
            return None
        if len(fields) == 1 and data.dtypes.iloc[0].kind == "O":  # alone, categories become what they name
            return None
        return _exact(_of_array(data.to_numpy(), len(fields)))
    return None


def _of_array(array: NDArray[Any], width: int) -> Floats | None:
    if array.ndim != 2 or array.shape[1] != width or not array.shape[0]:
        return None
    if array.dtype == DOUBLE:
        return array if array.flags.aligned else None
    return array.astype(np.float64) if array.dtype == SINGLE else None


def _of_list(rows: list[Any], width: int) -> Floats | None:
    # By type: numpy would read texts and None as numbers too.
    for row in rows:
        if type(row) is not list or len(row) != width or not set(map(type, row)) <= PLAIN:
            return None
    try:
        return _exact(np.array(rows, dtype=np.float64)) if rows else None
    except OverflowError:
        return None


def _exact(matrix: Floats | None) -> Floats | None:
    """None if a number may have been an integer that float64 does not have."""
    return None if matrix is None or (np.abs(matrix) >= EXACT).any() else matrix

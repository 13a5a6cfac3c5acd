"""The target and the weights: class numbers, target numbers, row weights; rows are counted from 0."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.data.arrays import Array, from_array, unmasked
from bough.data.frames import Series, as_frame, as_series
from bough.data.objects import complex_column, from_objects
from bough.errors import BoughError, BoughTypeError

SMALLEST_WEIGHT = 1e-300  # of the largest row: sums are taken in steps 2^60 times smaller


def class_codes(y: Any, n_rows: int, owner: str, declared: Any = None) -> tuple[NDArray[np.int32], Array]:
    """The number of each row's class, and the classes in the labels' own type: sorted, or as declared."""
    codes, found = _found_classes(y, n_rows, owner)
    if declared is None:
        return codes, found
    try:
        labels = list(declared)
        classes = np.array(labels, dtype=_declared_type(labels, found.dtype))
        number = {label: i for i, label in enumerate(classes.tolist())}
    except (TypeError, ValueError, OverflowError):
        raise BoughError(
            f"classes={declared!r} is not possible.",
            code="parameter",
            hint="classes lists every class once, in its order, as they are in y.",
        ) from None
    absent = [label for label in found.tolist() if label not in number]
    if absent or len(number) < len(classes):
        what = f"lacks the class {absent[0]!r} of y" if absent else "names a class twice"
        raise BoughError(
            f"classes {what}.", code="parameter", hint="classes lists every class once, in its order."
        )
    place = np.array([number[label] for label in found.tolist()], dtype=np.int32)
    return place[codes], classes


def _declared_type(labels: list[Any], found: Any) -> Any:
    """That of the labels of y, unless numpy would make other labels of them."""
    if found.kind == "b" and all(isinstance(label, bool | np.bool_) for label in labels):
        return found
    if found.kind == "U" and all(isinstance(label, str) for label in labels):
        return str  # as wide as the longest
    return found if found.kind in "iuf" else object


def _found_classes(y: Any, n_rows: int, owner: str) -> tuple[NDArray[np.int32], Array]:
    raw = _one_column(y, n_rows, owner)
    if not isinstance(raw, list):
        return _array_codes(raw, owner)
    if set(map(type, raw)) == {int}:
        return _array_codes(_integers(raw), owner)
    column = from_objects("y", raw)
    _check_known(column.values)
    if column.field.kind == "datetime":
        raise _unknown_labels("dates")
    if column.field.kind != "nominal":
        return _array_codes(np.array(raw), owner)
    # numpy makes fixed-width text of a list of texts; objects stay objects.
    kind: type = str if isinstance(y, list | tuple) else object
    if not isinstance(raw[0], str):
        return _array_codes(np.array(raw, dtype=object), owner)
    return column.values.astype(np.int32), np.array(column.field.categories, dtype=kind)


def number_target(y: Any, n_rows: int, owner: str = "the model") -> NDArray[np.float64]:
    """The target as numbers."""
    raw = _one_column(y, n_rows, owner)
    column = from_objects("y", raw) if isinstance(raw, list) else from_array("y", raw)
    values = column.values
    if column.field.kind not in ("numeric", "boolean"):
        row = int((~np.isnan(values)).argmax())
        shown = repr(column.field.categories[int(values[row])]) if column.field.categories else "a date"
        raise BoughError(
            f"the target y is {shown} in row {row}, {owner} needs numbers.",
            code="target",
            hint="Are these classes? Use the classifier instead.",
        )
    _check_known(values)
    return np.ascontiguousarray(values) + 0.0  # no -0.0


def weights(sample_weight: Any, n_rows: int, of: str = "row") -> NDArray[np.float64] | None:
    """The rows' weights, or None where all are 1; `of`: what has one each, if not a row."""
    if sample_weight is None:
        return None
    # narwhals takes 40 microseconds to find that an array is not a series.
    series = None if isinstance(sample_weight, np.ndarray) else as_series(sample_weight)
    try:
        array: Array = series.to_numpy() if series is not None else np.asanyarray(sample_weight)
        texts = array.dtype.kind == "O" and any(isinstance(value, str | bytes) for value in array.flat)
        if array.dtype.kind not in "fiubO" or texts:  # numpy would read texts as numbers
            raise TypeError(array.dtype)
        values = np.ma.filled(array.astype(np.float64), np.nan)
    except (TypeError, ValueError):
        raise BoughTypeError(
            "the sample weights are not all numbers.", code="weights", hint=f"Give one number for each {of}."
        ) from None
    if values.ndim == 0:
        values = np.full(n_rows, float(values))
    if values.ndim != 1:
        raise BoughError(
            f"Sample weights must be 1D array or scalar, got {values.ndim}D array of shape {values.shape}.",
            code="weights",
            hint=f"Give one number for each of the {n_rows} rows.",
        )
    _check_length(len(values), n_rows, "sample_weight", "weights")
    _check_weights(values, of)
    return None if bool((values == 1).all()) else values


def _check_weights(values: NDArray[np.float64], of: str) -> None:
    for bad, what in ((np.isnan(values), "NaN"), (np.isinf(values), "infinity"), (values < 0, "negative")):
        if bad.any():
            row = int(bad.argmax())
            raise BoughError(
                f"Input sample_weight contains {what}: {of} {row} has the weight {values[row]}."
                if what != "negative"
                else f"Negative values in sample_weight: {of} {row} has the weight {values[row]}.",
                code="weights",
                hint=f"Give each {of} a number of 0 or more; 0 leaves the {of} out.",
            )
    with np.errstate(over="ignore"):
        total = values.sum()
    if np.isinf(total):
        raise BoughError(
            "the sum of the sample weights is too large for float64.",
            code="weights",
            hint="Divide all of them by the largest one.",
        )
    if 0 < values.max() < SMALLEST_WEIGHT:
        raise BoughError(
            f"the largest sample weight is {values.max():g}, which is too small to calculate with.",
            code="weights",
            hint="Divide all of them by the largest one.",
        )
    if not values.any():
        raise BoughError(
            "all sample weights are zero. Sample weights must contain at least one non-zero number.",
            code="weights",
            hint="Rows of weight 0 are left out, so none would remain.",
        )


def _one_column(y: Any, n_rows: int, owner: str) -> Array | list[Any]:
    """The target's values: a list of Python values, or a one-dimensional array that is not of objects."""
    if y is None:
        raise BoughError(
            f"{owner} requires y to be passed, but the target y is None.", code="target", hint="fit(X, y)"
        )
    if isinstance(y, list | tuple) and not (y and isinstance(y[0], list | tuple | np.ndarray)):
        values: Array | list[Any] = list(y)
    else:
        values = _flat(y)
    _check_length(len(values), n_rows, "y", "target")
    return values


def _flat(y: Any) -> Array | list[Any]:
    frame = None if isinstance(y, np.ndarray) else as_frame(y)
    if frame is not None:
        if frame.shape[1] != 1:
            raise _several(frame.shape)
        return _of_series(frame[frame.columns[0]])
    series = None if isinstance(y, np.ndarray) else as_series(y)
    if series is not None:
        return _of_series(series)
    try:
        array = y if isinstance(y, np.ma.MaskedArray) else np.asarray(y)
    except ValueError:
        raise BoughError(
            "the rows of the target y differ in length.", code="target", hint="Give one value for each row."
        ) from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim == 0:
        raise BoughError(
            f"y should be a 1d array: one value for each row, not {y!r:.60}.",
            code="target",
            hint="To name a column of X, take it out first:  fit(X.drop(columns=name), X[name])",
        )
    if array.ndim != 1:
        raise _several(array.shape)
    if isinstance(array, np.ma.MaskedArray):
        return unmasked(array)
    return array.tolist() if array.dtype.kind in "OT" else np.asarray(array)


def _of_series(series: Series) -> Array | list[Any]:
    dtype = series.dtype
    if not series.null_count() and (dtype.is_numeric() or dtype.is_temporal()) and not dtype.is_decimal():
        array: Array = series.to_numpy()
        return array
    return series.to_list()


def _array_codes(labels: Array, owner: str) -> tuple[NDArray[np.int32], Array]:
    kind = labels.dtype.kind
    if kind == "c":
        raise complex_column("y")
    if kind not in "fiubUSO":
        raise _unknown_labels(str(labels.dtype))
    if kind in "iu":
        return _integer_codes(labels)
    if kind in "fb":
        if kind == "f":
            _check_known(labels)
            _check_whole(labels, owner)
        classes, codes = np.unique(labels, return_inverse=True)
        return codes.astype(np.int32), classes
    values = labels.tolist()
    distinct = sorted(set(values))
    number = {value: i for i, value in enumerate(distinct)}
    return np.array([number[value] for value in values], dtype=np.int32), np.array(
        distinct, dtype=labels.dtype
    )


def _integers(values: list[int]) -> Array:
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        # numpy itself would round some of them to float64.
        return np.array(values, dtype=object)


def _integer_codes(labels: Array) -> tuple[NDArray[np.int32], Array]:
    low, high = int(labels.min()), int(labels.max())
    if high - low > 4 * len(labels):
        classes, codes = np.unique(labels, return_inverse=True)
        return codes.astype(np.int32), classes
    # Labels close together are looked up rather than sorted, four times faster for a million of them.
    # In 64 bits: the difference of two int8 may be none.
    kind = np.uint64 if labels.dtype.kind == "u" else np.int64
    least = kind(low)
    offset = labels.astype(kind, copy=False)
    offset = (offset - least if low else offset).astype(np.intp, copy=False)
    present = np.zeros(high - low + 1, dtype=bool)
    present[offset] = True
    place = np.cumsum(present, dtype=np.int32) - np.int32(1)
    classes = np.flatnonzero(present).astype(kind) + least
    return place[offset], classes.astype(labels.dtype)


def _check_length(found: int, n_rows: int, what: str, code: str) -> None:
    if found != n_rows:
        raise BoughError(
            f"X and {what} have inconsistent numbers of samples: [{n_rows}, {found}].",
            code=code,
            hint=f"X has {n_rows} rows, so {what} needs {n_rows} values.",
        )


def _check_known(values: Array) -> None:
    for bad, what in ((np.isnan(values), "NaN"), (np.isinf(values), "infinity")):
        if bad.any():
            row = int(bad.argmax())
            meaning = "a missing value" if what == "NaN" else "an infinite number"
            raise BoughError(
                f"Input y contains {what}: row {row} has {meaning}.",
                code="target",
                hint="Leave out the rows whose outcome is not known.",
            )


def _check_whole(labels: Array, owner: str) -> None:
    broken = labels != np.rint(labels)
    if broken.any():
        row = int(broken.argmax())
        raise BoughError(
            f"Unknown label type: continuous. y is {labels[row]} in row {row}, {owner} expects classes.",
            code="target",
            hint="Predict the number with a regressor, or make groups: numpy.digitize(y, edges)",
        )


def _unknown_labels(found: str) -> BoughError:
    return BoughTypeError(
        f"Unknown label type: the target y holds {found}.",
        code="target",
        hint="Give the classes as text, integers or booleans.",
    )


def _several(shape: tuple[int, ...]) -> BoughError:
    return BoughError(
        f"y should be a 1d array, got an array of shape {shape} instead: multi-output is not supported.",
        code="target",
        hint="Fit one model for each column of y.",
    )


def effective_rows(weights: NDArray[np.float64]) -> float:
    """Kish's number of rows: how many of equal weight say as much; n where the weights are equal."""
    largest = weights.max(initial=0.0)
    if largest == 0:
        return 0.0
    part = weights / largest  # equal weights give n to the last bit, and large ones no infinite squares
    return float(part.sum()) ** 2 / float(np.square(part).sum())

"""Arrays in the fewest bytes that give back the same bits: small integers, float32, or a list of values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bough.store.container import damaged

Array = NDArray[Any]
_INTEGERS = ("u1", "i1", "u2", "i2", "u4", "i4", "i8")
VALUES = ".values"  # the distinct values, where an array itself holds their numbers


def put(arrays: dict[str, Array], name: str, array: Array) -> None:
    """Adds the array under its name; if there are few distinct numbers, these as well."""
    plain = _narrowed(array)
    if array.dtype.kind == "f" and plain.dtype.itemsize > 2 and array.size:
        bits, codes = np.unique(_bits(array), return_inverse=True)
        number = _integer(codes.reshape(array.shape))
        values = _narrowed(bits.view(np.float64))
        if number.nbytes + values.nbytes < plain.nbytes:
            arrays[name], arrays[name + VALUES] = number, values
            return
    arrays[name] = plain


def get(arrays: Mapping[str, Array], name: str, dtype: type, shape: tuple[int, ...]) -> Array:
    """The array as it was; `shape` is what it must have."""
    stored = arrays[name]
    if stored.shape != shape:
        raise damaged(f'"{name}" has the shape {stored.shape}, not {shape}')
    if name + VALUES in arrays:
        values = arrays[name + VALUES]
        if values.ndim != 1 or stored.dtype.kind != "u" or (stored.size and int(stored.max()) >= len(values)):
            raise damaged(f'"{name}" has a number beyond its values')
        stored = values[stored]
    if np.dtype(dtype).kind != "f" and stored.dtype.kind not in "iu":
        raise damaged(f'"{name}" has the type {stored.dtype}')
    if stored.dtype == np.uint64 or stored.dtype.kind == "b":
        raise damaged(f'"{name}" has the type {stored.dtype}')
    if np.dtype(dtype).kind in "iu" and stored.size:
        limits = np.iinfo(dtype)
        if int(stored.min()) < limits.min or int(stored.max()) > limits.max:
            raise damaged(f'"{name}" has a number that is too large')
    # Always a copy: the file may change under a view of it.
    return stored.astype(dtype, copy=True)


def same(a: Array, b: Array) -> bool:
    """Bit for bit: -0.0 is not 0.0, NaN is NaN."""
    if a.shape != b.shape:
        return False
    if a.dtype.kind == "f":
        return bool((_bits(a) == _bits(b.astype(np.float64))).all())
    return bool((a == b).all())


def _bits(array: Array) -> Array:
    return np.ascontiguousarray(array, dtype=np.float64).view(np.uint64)


def _integer(array: Array) -> Array:
    low, high = (int(array.min()), int(array.max())) if array.size else (0, 0)
    for name in _INTEGERS:
        limits = np.iinfo(name)
        if limits.min <= low and high <= limits.max:
            return array.astype(name)
    raise OverflowError(high)


def _narrowed(array: Array) -> Array:
    if array.dtype.kind in "iu":
        return _integer(array)
    with np.errstate(invalid="ignore", over="ignore"):
        if array.size == 0:
            return array.astype("u1")
        if bool((np.abs(array) < 2**53).all()):
            whole = _integer(array.astype(np.int64))
            if whole.dtype.itemsize < 8 and same(array, whole.astype(np.float64)):
                return whole
        half = array.astype(np.float32)
    return half if same(array, half) else array

"""Settings and labels as JSON and back: plain values only, with a tag where JSON would change the type."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from bough.errors import BoughError

# Every tag is the only key of an object, so a dict of the user's is always tagged itself.
TUPLE, DICT, FLOAT, BYTES, ARRAY, TEXT = "tuple", "dict", "float", "bytes", "array", "text"
MOST_VALUES = 10_000  # of an array in the header: larger ones are about training rows, not about the model
DTYPES = "?bhilqBHILQefdUSO"


class NotPlain(ValueError):
    """A value that a file cannot hold: a function, a random state, an object."""


class NotInFile:
    """Stands in a loaded model for a parameter that its file could not hold. The model answers without it; a
    fit that needs it says what is missing."""

    def __init__(self, parameter: str, name: str) -> None:
        self.parameter, self.name = parameter, name

    def __repr__(self) -> str:
        return f"<{self.name[-60:]}, not in the file>"

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise BoughError(
            f"{self.parameter} was {self.name[-60:]}, and a model file holds no code, so it is not there.",
            code="parameter",
            hint=f"Give it again before fit: model.set_params({self.parameter}=…).",
        )


def ask_again(value: Any) -> None:
    """For a parameter that is no function, which would say so when it is called."""
    if isinstance(value, NotInFile):
        value()


def to_plain(value: Any) -> Any:
    """The value in JSON's own types.

    >>> to_plain({0: (1.5, None)})
    {'dict': [[0, {'tuple': [1.5, None]}]]}
    """
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return {FLOAT: str(float(value))}
    for kind, plain in _PLAIN:
        if isinstance(value, kind):
            return plain(value)
    raise NotPlain(type(value).__name__)


# Subclasses come back as the types of Python; bool is one of int and stays what it is.
_PLAIN: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (type(None), lambda value: None),
    (bool, bool),
    (str, str),
    (int, int),
    (float, float),
    (bytes, lambda value: {BYTES: value.hex()}),
    (list, lambda value: [to_plain(v) for v in value]),
    (tuple, lambda value: {TUPLE: [to_plain(v) for v in value]}),
    (dict, lambda value: {DICT: [[to_plain(k), to_plain(v)] for k, v in value.items()]}),
)


def _array(array: np.ndarray[Any, Any]) -> dict[str, Any]:
    if array.dtype.char not in DTYPES or array.size > MOST_VALUES:
        raise NotPlain(f"array of {array.dtype}")
    items = [to_plain(v) for v in array.ravel().tolist()]
    return {ARRAY: [array.dtype.str, list(array.shape), items]}


def or_text(value: Any) -> Any:
    """As `to_plain`; what a file cannot hold leaves its text, for the reader alone."""
    try:
        return to_plain(value)
    except NotPlain:
        if isinstance(value, NotInFile):
            return {TEXT: value.name}
        # Without an address in it, which would differ from run to run.
        name = getattr(value, "__qualname__", None) or type(value).__qualname__
        return {TEXT: f"{getattr(value, '__module__', None) or type(value).__module__}.{name}"}


def is_text(plain: Any) -> bool:
    """Whether `or_text` gave up on it."""
    return isinstance(plain, dict) and set(plain) == {TEXT}


def from_plain(plain: Any) -> Any:
    """The inverse of `to_plain`; anything else is an error."""
    if plain is None or isinstance(plain, bool | int | float | str):
        return plain
    if isinstance(plain, list):
        return [from_plain(v) for v in plain]
    try:
        ((tag, inner),) = plain.items()
        return _READ[tag](inner)
    except (AttributeError, TypeError, ValueError, KeyError, OverflowError) as error:
        if isinstance(error, BoughError):
            raise
    raise BoughError(
        f"the model file has {plain!r:.60} where a value is expected.",
        code="file",
        hint="Was it changed by hand?",
    )


_READ: dict[str, Callable[[Any], Any]] = {
    TUPLE: lambda inner: tuple(from_plain(v) for v in inner),
    DICT: lambda inner: {from_plain(k): from_plain(v) for k, v in inner},
    FLOAT: lambda inner: {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}[inner],
    BYTES: bytes.fromhex,
    ARRAY: lambda inner: _to_array(*inner),
}


def _to_array(dtype: str, shape: list[int], items: list[Any]) -> np.ndarray[Any, Any]:
    kind = np.dtype(dtype)
    if kind.char not in DTYPES or not isinstance(items, list) or len(items) > MOST_VALUES:
        raise ValueError(dtype)
    values = [from_plain(v) for v in items]
    array = np.empty(len(values), dtype=kind)
    array[:] = values
    if array.tolist() != values and not any(v != v for v in values):  # noqa: PLR0124  # NaN
        raise ValueError(dtype)
    return array.reshape(shape)

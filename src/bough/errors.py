"""Errors and warnings that say what is wrong, where, and what to do next."""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable


class BoughError(ValueError):
    """A problem with the user's data or settings; `code` names its family, `hint` the next step."""

    def __init__(self, message: str, *, code: str, hint: str = "") -> None:
        super().__init__(message if not hint else f"{message}\n{hint}")
        self.message = message
        self.code = code
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.code, self.hint)


class BoughTypeError(BoughError, TypeError):
    """The same for a value of the wrong type."""


def _rebuild(kind: type[BoughError], message: str, code: str, hint: str) -> BoughError:
    return kind(message, code=code, hint=hint)


def warn_caller(text: str, category: type[Warning] = UserWarning) -> None:
    """A warning at the line of the user's that has led here."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("bough."):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """` Did you mean "max_depth"?` or nothing."""
    close = difflib.get_close_matches(str(word), list(known), n=1, cutoff=0.6)
    return f' Did you mean "{close[0]}"?' if close else ""

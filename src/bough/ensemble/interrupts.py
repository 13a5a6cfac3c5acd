"""Whether Ctrl-C ends a fit with the trees so far: not where it is one fit of several, which all end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_several: ContextVar[bool] = ContextVar("several", default=False)


@contextmanager
def one_of_several() -> Iterator[None]:
    """Around fits whose models serve another purpose: a model of fewer trees would spoil it unseen."""
    token = _several.set(True)
    try:
        yield
    finally:
        _several.reset(token)


def leave_if_one_of_several() -> None:
    """After Ctrl-C has ended a fit."""
    if _several.get():
        raise KeyboardInterrupt

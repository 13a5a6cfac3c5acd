"""A value that an object works out when it is first asked for, and keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class kept(Generic[T]):
    """As `functools.cached_property`, without the lock that it has up to Python 3.11, one for all objects of
    a class: first answers of unrelated models waited for each other, and a process that was forked meanwhile
    hung. Two threads may both work a value out; they get the same one."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Self | T:
        if instance is None:
            return self
        value: T = vars(instance).setdefault(self._name, self._make(instance))
        return value

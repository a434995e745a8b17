"""Methods that a model has for some of its parameters only."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any


class available_if:
    """A decorator of methods: `check(model)` raises AttributeError, saying what to set, where there is no such method.

    scikit-learn's decorator of this name says only that the attribute is not there, and keeps the reason for the
    traceback.

    >>> def _is_even(number):
    ...     if number.n % 2:
    ...         raise AttributeError("half is not available for odd numbers: set n to an even one")
    >>> class Number:
    ...     n = 3
    ...     @available_if(_is_even)
    ...     def half(self):
    ...         return self.n // 2
    >>> hasattr(Number(), "half"), hasattr(Number, "half")
    (False, True)
    """

    def __init__(self, check: Callable[[Any], None]) -> None:
        self.check = check

    def __call__(self, method: Callable[..., Any]) -> Any:
        return _Available(method, self.check)


class _Available:
    def __init__(self, method: Callable[..., Any], check: Callable[[Any], None]) -> None:
        self.method, self.check = method, check
        self.__doc__ = method.__doc__

    def __get__(self, model: Any, owner: type[Any]) -> Callable[..., Any]:
        if model is None:
            return self.method
        self.check(model)
        return MethodType(self.method, model)

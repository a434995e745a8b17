"""Constructor parameters as closed sets and ranges, checked alike in `fit` and when a state is read back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mercer.errors import BadFile, MercerError
from mercer.state import Reader, State


class Option(Protocol):
    """What a parameter may be."""

    def allows(self, value: Any) -> bool: ...

    def read(self, state: Reader, key: str) -> Any: ...

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Choice:
    """One of these texts; truth values and None may be among them."""

    values: tuple[Any, ...]

    def allows(self, value: Any) -> bool:
        return any(value is v or (isinstance(value, str) and value == v) for v in self.values)

    def read(self, state: Reader, key: str) -> Any:
        return next(v for v in self.values if str(v) == state.text(key, [str(v) for v in self.values]))

    def __str__(self) -> str:
        return " or ".join(repr(v) for v in self.values)


@dataclass(frozen=True)
class Whole:
    """A whole number within [low, high], or None when that is allowed."""

    low: int
    high: int
    none: bool = False

    def allows(self, value: Any) -> bool:
        if value is None:
            return self.none
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        return whole and self.low <= value <= self.high

    def read(self, state: Reader, key: str) -> int | None:
        if self.none and not state.has(key):
            return None
        return state.integer(key, self.low, self.high)

    def __str__(self) -> str:
        return f"a whole number from {self.low} to {self.high}" + (" or None" if self.none else "")


@dataclass(frozen=True)
class Real:
    """A finite number within [low, high], the ends excluded when `open`."""

    low: float
    high: float
    open: bool = False

    def allows(self, value: Any) -> bool:
        if not isinstance(value, int | float | np.integer | np.floating) or isinstance(value, bool):
            return False
        within = self.low < value < self.high if self.open else self.low <= value <= self.high
        return bool(within and np.isfinite(value))

    def read(self, state: Reader, key: str) -> float:
        return state.number(key, self.low, self.high)

    def __str__(self) -> str:
        first, then = ("between", "and") if self.open else ("from", "to")
        return f"a number {first} {self.low:g} {then} {self.high:g}"


@dataclass(frozen=True)
class Label:
    """Any text that is not empty."""

    def allows(self, value: Any) -> bool:
        return isinstance(value, str) and bool(value)

    def read(self, state: Reader, key: str) -> str:
        return state.text(key)

    def __str__(self) -> str:
        return "a text"


def check(owner: object, options: dict[str, Option]) -> None:
    """Refuse a parameter outside its range, naming it."""
    for name, option in options.items():
        value = getattr(owner, name)
        if not option.allows(value):
            raise MercerError(f"{type(owner).__name__}({name}={value!r}): expected {option}.")


def options_state(owner: object, options: dict[str, Option]) -> State:
    """The parameters as plain data; None is left away."""
    state: State = {}
    for name, option in options.items():
        value = getattr(owner, name)
        if isinstance(option, Choice):
            state[name] = str(value)
        elif value is not None:
            state[name] = int(value) if isinstance(option, Whole) else value
    return state


def read_options(state: Reader, options: dict[str, Option]) -> dict[str, Any]:
    """Checked parameters of a constructor."""
    found = {name: option.read(state, name) for name, option in options.items()}
    for name, option in options.items():
        if not option.allows(found[name]):
            raise BadFile(f"{state.where}.{name}: expected {option}.")
    state.finish()
    return found

"""What a kernel's parameters may be: checked when it is fitted, and when it is read from a model file."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol, TypeAlias

import numpy as np

from mercer.errors import BadFile, MercerError
from mercer.state import Reader, State
from mercer.table import Selector, kind
from mercer.table.select import ByKind

_LARGEST = sys.float_info.max  # infinity is no parameter unless a kernel says so


class Parameter(Protocol):
    """One parameter: `problem` says what is wrong with a value (or None); `write` and `read` are inverse."""

    def problem(self, value: Any) -> str | None: ...

    def write(self, value: Any) -> Any: ...

    def read(self, state: Reader, name: str) -> Any: ...


Parameters: TypeAlias = Mapping[str, Parameter]


@dataclass(frozen=True, slots=True)
class Number:
    """A number from `low` to `high`, or one of a few words, or None when `optional`."""

    low: float = -_LARGEST
    high: float = _LARGEST
    above: bool = False  # low itself excluded
    whole: bool = False
    words: tuple[str, ...] = ()
    optional: bool = False

    def problem(self, value: Any) -> str | None:
        if (value is None and self.optional) or (isinstance(value, str) and value in self.words):
            return None
        kind_of = Integral if self.whole else Real
        if isinstance(value, kind_of) and not isinstance(value, bool | np.bool_):
            number = float(value)
            if (number > self.low if self.above else number >= self.low) and number <= self.high:
                return None
        return f"expected {self._expected()}"

    def _expected(self) -> str:
        noun = "a whole number" if self.whole else "a number"
        low = "" if self.low == -_LARGEST else f" {'above' if self.above else 'of at least'} {self.low:g}"
        high = "" if self.high >= _LARGEST else f"{' and' if low else ''} up to {self.high:g}"
        words = "".join(f", {w!r}" for w in self.words) + (", None" if self.optional else "")
        return noun + low + high + (f" or one of {words[2:]}" if words else "")

    def write(self, value: Any) -> Any:
        if value is None or isinstance(value, str):
            return value
        return int(value) if self.whole else float(value)

    def read(self, state: Reader, name: str) -> Any:
        if self.optional and not state.has(name):
            return None
        if self.words and state.holds_text(name):
            return state.text(name, self.words)
        value = state.number(name, self.low, self.high)
        return int(value) if self.whole and value == int(value) else value


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a closed set of words."""

    options: tuple[str, ...]

    def problem(self, value: Any) -> str | None:
        known = isinstance(value, str) and value in self.options
        return None if known else f"expected one of {', '.join(map(repr, self.options))}"

    def write(self, value: Any) -> Any:
        return value

    def read(self, state: Reader, name: str) -> Any:
        return state.text(name, self.options)


@dataclass(frozen=True, slots=True)
class Weights:
    """Finite numbers of at least 0, one of them positive."""

    def problem(self, value: Any) -> str | None:
        try:
            numbers = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            numbers = np.empty((0, 0))
        fine = numbers.ndim == 1 and np.isfinite(numbers).all() and (numbers >= 0).all() and (numbers > 0).any()
        return None if fine else "expected numbers of at least 0, one of them positive"

    def write(self, value: Any) -> Any:
        return np.asarray(value, dtype=np.float64)

    def read(self, state: Reader, name: str) -> Any:
        return tuple(state.array(name, "float64", (None,), low=0.0).tolist())


@dataclass(frozen=True, slots=True)
class Columns:
    """A selector of columns: names, kinds, or None for all."""

    def problem(self, value: Any) -> str | None:
        named = isinstance(value, Sequence) and all(isinstance(v, str) for v in value)
        fine = value is None or isinstance(value, ByKind) or named
        return None if fine else "expected names of columns, a selector such as numeric(), or None"

    def write(self, value: Selector) -> State | None:
        if value is None:
            return None
        if isinstance(value, ByKind):
            return {"kinds": [str(k) for k in value.kinds]}
        return {"names": [value] if isinstance(value, str) else list(value)}

    def read(self, state: Reader, name: str) -> Selector:
        if not state.has(name):
            return None
        inside = state.child(name)
        on: Selector = kind(*inside.texts("kinds")) if inside.has("kinds") else list(inside.texts("names"))
        inside.finish()
        return on


def check_parameters(owner: str, parameters: Parameters, values: dict[str, Any]) -> None:
    """MercerError for the first value that is out of its set."""
    for name, parameter in parameters.items():
        wrong = parameter.problem(values[name])
        if wrong:
            raise MercerError(f"{owner}: {name}={values[name]!r}; {wrong}.")


def read_parameters(state: Reader, parameters: Parameters) -> dict[str, Any]:
    """The parameters of a stored kernel, each in its set."""
    values = {name: parameter.read(state, name) for name, parameter in parameters.items()}
    for name, parameter in parameters.items():
        if wrong := parameter.problem(values[name]):
            raise BadFile(f"{state.where}.{name}: {wrong}.")
    state.finish()
    return values

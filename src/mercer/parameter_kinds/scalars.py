"""Parameters that are one value: a number, one of a closed set, a truth value, a text."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, get_args

import numpy as np

from mercer.state import Reader

LARGEST_NUMBER = sys.float_info.max  # infinity is no parameter unless `high` says so
MOST_STEPS = 2**53  # of a solver: native code counts them in 64 bits


class _Scalar:
    """A text, a number, a truth value or None, stored as it is; infinity as a text."""

    def write(self, value: Any) -> Any:
        value = value.item() if isinstance(value, np.generic) else value
        return repr(value) if isinstance(value, float) and not np.isfinite(value) else value

    def read(self, state: Reader, name: str) -> Any:
        value = state.scalar(name)
        return float(value) if value in ("inf", "-inf") else value


@dataclass(frozen=True, slots=True)
class Number(_Scalar):
    """A number from `low` to `high`, one of a few words, or None when `optional`."""

    low: float = -LARGEST_NUMBER
    high: float = LARGEST_NUMBER
    above: bool = False  # low itself excluded
    below: bool = False  # high itself excluded
    whole: bool = False
    fraction: bool = False  # 1.0, but not 1
    words: tuple[str, ...] = ()
    optional: bool = False

    def accepts(self, value: Any) -> bool:
        if value is None or isinstance(value, str):
            return self.optional if value is None else value in self.words
        if not isinstance(value, Integral if self.whole else Real) or isinstance(value, bool | np.bool_):
            return False
        if self.fraction and isinstance(value, Integral):
            return False
        number = float(value)
        over = number > self.low if self.above else number >= self.low
        return over and (number < self.high if self.below else number <= self.high)

    def __str__(self) -> str:
        noun = "a whole number" if self.whole else "a fraction" if self.fraction else "a number"
        low = "" if self.low <= -LARGEST_NUMBER else f" {'above' if self.above else 'of at least'} {self.low:g}"
        until = "below" if self.below else "up to"
        high = "" if self.high >= LARGEST_NUMBER else f"{' and' if low else ''} {until} {self.high:g}"
        others = [repr(w) for w in self.words] + ["None"] * self.optional
        return " or ".join([noun + low + high, *others])


@dataclass(frozen=True, slots=True)
class Choice(_Scalar):
    """One of a closed set: the values of a `Literal`, or texts, truth values and None given one by one."""

    options: Any

    def values(self) -> tuple[Any, ...]:
        """The options one by one."""
        return self.options if isinstance(self.options, tuple) else get_args(self.options)

    def accepts(self, value: Any) -> bool:
        same_kind = isinstance(value, str | bool | np.bool_) or value is None
        return same_kind and any(type(option) is not int and option == value for option in self.values())

    def __str__(self) -> str:
        return " or ".join(repr(v) for v in self.values())


@dataclass(frozen=True, slots=True)
class Flag(_Scalar):
    """True or False."""

    def accepts(self, value: Any) -> bool:
        return isinstance(value, bool | np.bool_)

    def __str__(self) -> str:
        return "True or False"


@dataclass(frozen=True, slots=True)
class Text(_Scalar):
    """Any text that is not empty, or None when `optional`."""

    optional: bool = False

    def accepts(self, value: Any) -> bool:
        return self.optional if value is None else isinstance(value, str) and bool(value)

    def __str__(self) -> str:
        return "a text" + (" or None" if self.optional else "")

"""Parameters that are objects: parts with parameters of their own, what no file can hold, and one of several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import BadFile
from mercer.parameter_kinds.base import Parameter
from mercer.parameter_kinds.scalars import Flag, Number
from mercer.state import Reader, State


@dataclass(frozen=True, slots=True)
class Part:
    """An object with parameters of its own: a kernel, a distance, a grid; stored by the two functions given."""

    noun: str
    base: type
    to_state: Callable[[Any], State]
    from_state: Callable[[Reader], Any]
    optional: bool = False

    def accepts(self, value: Any) -> bool:
        return isinstance(value, self.base) or (value is None and self.optional)

    def write(self, value: Any) -> Any:
        return None if value is None else self.to_state(value)

    def read(self, state: Reader, name: str) -> Any:
        return None if self.optional and not state.has(name) else self.from_state(state.child(name))

    def __str__(self) -> str:
        return self.noun + (" or None" if self.optional else "")


@dataclass(frozen=True, slots=True)
class Unstored:
    """What no file can hold (a function, a splitter, a generator): read back as `instead`."""

    noun: str
    check: Callable[[Any], bool]
    instead: Any = None

    def accepts(self, value: Any) -> bool:
        return self.check(value)

    def write(self, value: Any) -> Any:
        return None

    def read(self, state: Reader, name: str) -> Any:
        if state.has(name):
            raise BadFile(f"{state.where}.{name} cannot be stored.")
        return self.instead

    def __str__(self) -> str:
        return self.noun


class Either:
    """What the first of several parameters that accepts it takes."""

    def __init__(self, *cases: Parameter) -> None:
        self.cases = cases

    def accepts(self, value: Any) -> bool:
        return any(case.accepts(value) for case in self.cases)

    def write(self, value: Any) -> Any:
        place = next(i for i, case in enumerate(self.cases) if case.accepts(value))
        written = self.cases[place].write(value)
        return {"case": place} | ({} if written is None else {"value": written})

    def read(self, state: Reader, name: str) -> Any:
        inside = state.child(name)
        value = self.cases[inside.integer("case", 0, len(self.cases) - 1)].read(inside, "value")
        inside.finish()
        return value

    def __str__(self) -> str:
        return " or ".join(str(case) for case in self.cases)


# What scikit-learn takes as `verbose` and as `random_state`; a generator is read back as None.
VERBOSE = Either(Flag(), Number(0, whole=True))
RANDOM_STATE = Either(
    Number(0, 2**32 - 1, whole=True, optional=True),
    Unstored("a RandomState", lambda r: isinstance(r, np.random.RandomState)),
)

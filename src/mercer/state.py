"""A fitted part as plain data: what is written to a model file, and the checks when it is read back.

A state is a dict of numbers, strings, lists of strings, arrays, states and lists of states. A class that can be stored
has `to_state(self) -> State` and `from_state(cls, state: Reader) -> Self`; `from_state` asks the reader for each
value with the type, range and shape it must have, so that nothing unchecked is ever built.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer.errors import BadFile

State: TypeAlias = dict[str, Any]
LARGEST = 1e100  # of fitted numbers: the product of a coefficient, a scale and a cell does not overflow
LARGEST_SQUARE = LARGEST**2 * 1e9  # of sums of squares
DERIVED_PER_BYTE = 64  # bytes that may be derived from each byte of a model file,
DERIVED_FREE = 1 << 28  # beyond these 256 MiB: names of 2^20 hashed columns


class Budget:
    """How many bytes may still be derived from a file of `size` bytes; without a size there is no limit."""

    def __init__(self, size: int | None = None) -> None:
        self.left = np.inf if size is None else DERIVED_FREE + DERIVED_PER_BYTE * size


class Reader:
    """Checked access to a state; every refusal names the place.

    Parameters
    ----------
    state : dict
        What was stored.
    where : str, default "model"
        Its place, for messages.
    budget : Budget, optional
        What may be derived from the file, shared by all readers of it; without limit by default.
    """

    def __init__(self, state: State, where: str = "model", budget: Budget | None = None) -> None:
        if not isinstance(state, dict):
            raise BadFile(f"{where}: expected named values, found {type(state).__name__}.")
        self._state = state
        self._asked: set[str] = set()
        self._opened: list[Reader] = []
        self._budget = budget or Budget()
        self.where = where

    def _get(self, key: str) -> Any:
        self._asked.add(key)
        if key not in self._state:
            raise BadFile(f"{self.where}.{key} is missing.")
        return self._state[key]

    def refuse(self, key: str, expected: str) -> BadFile:
        """The error to raise when a value is not what was expected."""
        return BadFile(f"{self.where}.{key}: expected {expected}.")

    def derive(self, key: str, n_bytes: float) -> None:
        """Refuse, before it is built, what takes more memory than a file of this size may ask for."""
        self._budget.left -= n_bytes
        if self._budget.left < 0:
            raise BadFile(f"{self.where}.{key} asks for {n_bytes:.2g} bytes, too many for the size of the file.")

    def has(self, key: str) -> bool:
        """Whether a value is there; None counts as absent."""
        if self._state.get(key) is None:
            self._asked.add(key)  # an absent value is answered for; a present one must still be read
            return False
        return True

    def text(self, key: str, choices: Sequence[str] | None = None) -> str:
        """A text, one of `choices` if there are any."""
        value = self._get(key)
        if not isinstance(value, str) or (choices is not None and value not in choices):
            raise self.refuse(key, f"one of {', '.join(choices)}" if choices else "a text")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts."""
        value = self._get(key)
        if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
            raise self.refuse(key, "a list of texts")
        return tuple(value)

    def scalars(self, key: str) -> tuple[str | int | float | None, ...]:
        """A list of texts, numbers, truth values and nulls, each of the type it was stored with."""
        value = self._get(key)
        if not isinstance(value, list) or not all(isinstance(v, str | int | float | type(None)) for v in value):
            raise self.refuse(key, "a list of texts and numbers")
        return tuple(value)

    def scalar(self, key: str) -> str | int | float | None:
        """A text, a number or a truth value, of the type it was stored with; None when it is absent."""
        self._asked.add(key)
        value = self._state.get(key)
        if not isinstance(value, str | int | float | type(None)):
            raise self.refuse(key, "a text or a number")
        return value

    def flag(self, key: str) -> bool:
        """True or False."""
        value = self._get(key)
        if not isinstance(value, bool):
            raise self.refuse(key, "true or false")
        return value

    def integer(self, key: str, low: int = 0, high: int = 2**53) -> int:
        """A whole number within [low, high]."""
        value = self._get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self.refuse(key, f"a whole number from {low} to {high}")
        return value

    def number(self, key: str, low: float = -LARGEST, high: float = LARGEST) -> float:
        """A number within [low, high]."""
        value = self._get(key)
        if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
            raise self.refuse(key, f"a number from {low} to {high}")
        return float(value)

    def array(
        self, key: str, dtype: str, shape: tuple[int | None, ...], *, low: float = -np.inf, high: float = np.inf,
        finite: bool = True,
    ) -> NDArray[Any]:  # fmt: skip
        """An array of this dtype ("float64", "int32", ...) and shape (None: any length), values within [low, high].

        Finite ones lie within ±`LARGEST`, unless `low` or `high` is beyond.
        """
        value = self._get(key)
        if not isinstance(value, np.ndarray) or value.dtype != np.dtype(dtype):
            raise self.refuse(key, f"an array of {dtype}")
        if value.ndim != len(shape) or any(s is not None and s != n for s, n in zip(shape, value.shape, strict=True)):
            raise self.refuse(key, f"an array of shape {shape}, found {value.shape}")
        if finite and value.dtype.kind == "f" and not np.isfinite(value).all():
            raise self.refuse(key, "finite values")
        if finite and value.dtype.kind == "f":
            low, high = (-LARGEST if low == -np.inf else low), (LARGEST if high == np.inf else high)
        if (value < low).any() or (value > high).any():  # neither holds for NaN
            raise self.refuse(key, f"values from {low} to {high}")
        return value

    def cells(self, key: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
        """An array of float64 cells of a table, in which NaN is a missing one."""
        return self.array(key, "float64", shape, low=-LARGEST, high=LARGEST, finite=False)

    def squares(self, key: str, shape: tuple[int | None, ...], low: float = -LARGEST_SQUARE) -> NDArray[Any]:
        """An array of float64 that sums squares or products of fitted numbers."""
        return self.array(key, "float64", shape, low=low, high=LARGEST_SQUARE)

    def probabilities(self, key: str, shape: tuple[int | None, ...]) -> NDArray[Any]:
        """An array of float64 within [0, 1], but for rounding, whose last axis sums to 1."""
        value = self.array(key, "float64", shape, low=0.0, high=1.0 + 1e-9)
        if not np.allclose(value.sum(axis=-1), 1.0, rtol=0, atol=1e-9):
            raise self.refuse(key, "probabilities that sum to 1")
        return value

    def child(self, key: str) -> Reader:
        """The reader of a state inside this one."""
        return self._open(self._get(key), f"{self.where}.{key}")

    def _open(self, state: State, where: str) -> Reader:
        self._opened.append(Reader(state, where, self._budget))
        return self._opened[-1]

    def children(self, key: str) -> list[Reader]:
        """The readers of a list of states."""
        value = self._get(key)
        if not isinstance(value, list):
            raise self.refuse(key, "a list")
        return [self._open(v, f"{self.where}.{key}[{i}]") for i, v in enumerate(value)]

    def finish(self) -> None:
        """Refuse values that nobody asked for, here and in every state below."""
        extra = sorted(set(self._state) - self._asked)
        if extra:
            raise BadFile(f"{self.where} holds {extra[0]!r}, which does not belong there.")
        for opened in self._opened:
            opened.finish()

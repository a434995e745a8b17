"""Parameters that hold several values: sequences and mappings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.errors import BadFile
from mercer.parameter_kinds.base import Parameter
from mercer.parameter_kinds.scalars import LARGEST_NUMBER
from mercer.state import Reader


@dataclass(frozen=True, slots=True)
class Texts:
    """A sequence of texts, or None when `optional`; read back as a list."""

    optional: bool = False

    def accepts(self, value: Any) -> bool:
        if value is None or isinstance(value, str):
            return value is None and self.optional
        return isinstance(value, Sequence | np.ndarray) and all(isinstance(v, str) for v in value)

    def write(self, value: Any) -> Any:
        return None if value is None else [str(v) for v in value]

    def read(self, state: Reader, name: str) -> Any:
        return None if self.optional and not state.has(name) else list(state.texts(name))

    def __str__(self) -> str:
        return "a list of texts" + (" or None" if self.optional else "")


@dataclass(frozen=True, slots=True)
class Numbers:
    """A sequence of finite numbers from `low` to `high`, not empty, or None when `optional`; read back as a tuple."""

    low: float = -LARGEST_NUMBER
    high: float = LARGEST_NUMBER
    any_positive: bool = False  # at least one of them above 0
    optional: bool = False

    def accepts(self, value: Any) -> bool:
        if value is None or isinstance(value, str):
            return value is None and self.optional
        try:
            numbers = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            return False
        within = numbers.ndim == 1 and numbers.size > 0 and bool(((numbers >= self.low) & (numbers <= self.high)).all())
        return within and (not self.any_positive or bool((numbers > 0).any()))

    def write(self, value: Any) -> Any:
        return None if value is None else np.asarray(value, dtype=np.float64)

    def read(self, state: Reader, name: str) -> Any:
        if self.optional and not state.has(name):
            return None
        return tuple(state.array(name, "float64", (None,)).tolist())

    def __str__(self) -> str:
        low = "" if self.low <= -LARGEST_NUMBER else f" of at least {self.low:g}"
        some = ", one of them positive" if self.any_positive else ""
        return f"finite numbers{low}{some}" + (" or None" if self.optional else "")


@dataclass(frozen=True, slots=True)
class Dictionary:
    """A mapping of texts, numbers or truth values to such or to lists of such, or None when `optional`.

    An array of one dimension is a list, and read back as one.
    """

    optional: bool = True

    def accepts(self, value: Any) -> bool:
        if not isinstance(value, Mapping):
            return value is None and self.optional
        return all(_is_scalar(k) and all(map(_is_scalar, _as_list(v))) for k, v in value.items())

    def write(self, value: Any) -> Any:
        if value is None:
            return None
        lists = [len(v) if isinstance(v, list | tuple | np.ndarray) else -1 for v in value.values()]
        cells = [part for v in value.values() for part in _as_list(v)]
        return {
            "keys": [_plain(k) for k in value],
            "lists": np.array(lists, dtype=np.int64),  # how many values are a key's own; -1: one, and no list
            "values": [_plain(cell) for cell in cells],
        }

    def read(self, state: Reader, name: str) -> Any:
        if self.optional and not state.has(name):
            return None
        inside = state.child(name)
        keys, values = inside.scalars("keys"), list(inside.scalars("values"))
        lists = inside.array("lists", "int64", (len(keys),), low=-1, high=len(values))
        if np.abs(lists).sum() != len(values) or len(set(keys)) != len(keys):
            raise BadFile(f"{inside.where}: as many keys as values are expected.")
        inside.finish()
        ends = np.cumsum(np.abs(lists))
        parts = [values[end - abs(size) : end] for end, size in zip(ends, lists, strict=True)]
        return {key: part if size >= 0 else part[0] for key, part, size in zip(keys, parts, lists, strict=True)}

    def __str__(self) -> str:
        return "a dict" + (" or None" if self.optional else "")


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list or tuple, not empty, of what one parameter accepts; read back as a list."""

    item: Parameter

    def accepts(self, value: Any) -> bool:
        return isinstance(value, list | tuple) and bool(value) and all(map(self.item.accepts, value))

    def write(self, value: Any) -> Any:
        written = [self.item.write(part) for part in value]
        return [{} if part is None else {"item": part} for part in written]

    def read(self, state: Reader, name: str) -> Any:
        children = state.children(name)
        values = [self.item.read(child, "item") for child in children]
        for child in children:
            child.finish()
        return values

    def __str__(self) -> str:
        return f"a list, each of {self.item}"


@dataclass(frozen=True, slots=True)
class Mapped:
    """A mapping of texts to values that another parameter accepts."""

    value: Parameter

    def accepts(self, value: Any) -> bool:
        return isinstance(value, Mapping) and all(
            isinstance(key, str) and self.value.accepts(each) for key, each in value.items()
        )

    def write(self, value: Any) -> Any:
        written = (self.value.write(each) for each in value.values())
        return {
            "keys": [str(key) for key in value],
            "values": [{} if each is None else {"value": each} for each in written],
        }

    def read(self, state: Reader, name: str) -> Any:
        inside = state.child(name)
        keys, values = inside.texts("keys"), inside.children("values")
        if len(keys) != len(values) or len(set(keys)) != len(keys):
            raise BadFile(f"{inside.where}: as many keys as values are expected.")
        return {key: self.value.read(each, "value") for key, each in zip(keys, values, strict=True)}

    def __str__(self) -> str:
        return f"a dict of texts to {self.value}"


def _as_list(value: Any) -> Sequence[Any]:
    if isinstance(value, np.ndarray) and value.ndim == 1:
        return list(value)
    return value if isinstance(value, list | tuple) else [value]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _is_scalar(value: Any) -> bool:
    value = _plain(value)
    finite = isinstance(value, float) and np.isfinite(value)
    return value is None or isinstance(value, str | int) or bool(finite)

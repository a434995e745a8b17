"""Columns by name or by kind: `numeric()`, `categorical()`, `kind("text")`, or a list of names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from mercer.errors import BadColumn, BadFile
from mercer.state import Reader, State
from mercer.table.schema import Kind, Schema


@dataclass(frozen=True, slots=True)
class ByKind:
    """The columns whose kind is one of these."""

    kinds: tuple[Kind, ...]

    def __repr__(self) -> str:
        return f"kind({', '.join(repr(str(k)) for k in self.kinds)})"


Selector: TypeAlias = ByKind | Sequence[str] | str | None


def kind(*names: str) -> ByKind:
    """Columns of the kinds named, e.g. kind("category", "binary")."""
    known = [str(k) for k in Kind]
    for name in names:
        if name not in known:
            raise BadColumn(f"There is no kind {name!r}. Kinds: {', '.join(known)}.")
    return ByKind(tuple(Kind(n) for n in names))


def numeric() -> ByKind:
    """Numeric columns."""
    return ByKind((Kind.NUMERIC,))


def categorical() -> ByKind:
    """Columns held as codes: binary, category and ordinal."""
    return ByKind((Kind.BINARY, Kind.CATEGORY, Kind.ORDINAL))


def text() -> ByKind:
    """Text columns."""
    return ByKind((Kind.TEXT,))


def resolve(on: Selector, schema: Schema) -> tuple[str, ...]:
    """The names that a selector stands for in this schema; None is every column."""
    if on is None:
        return schema.names
    if isinstance(on, ByKind):
        return schema.of_kind(*on.kinds)
    names = (on,) if isinstance(on, str) else tuple(on)
    for name in names:
        schema.position(name)
    return names


def selector_state(on: Selector) -> State:
    """A selector as plain data."""
    if on is None:
        return {}
    if isinstance(on, ByKind):
        return {"kinds": [str(k) for k in on.kinds]}
    return {"name": on} if isinstance(on, str) else {"names": [str(n) for n in on]}


def selector_from_state(state: Reader) -> Selector:
    """The selector that `selector_state` wrote."""
    found: Selector = None
    if state.has("kinds"):
        names = state.texts("kinds")
        if not set(names) <= set(Kind):
            raise BadFile(f"{state.where}.kinds: expected some of {', '.join(Kind)}.")
        found = kind(*names)
    elif state.has("names"):
        found = list(state.texts("names"))
    elif state.has("name"):
        found = state.text("name")
    state.finish()
    return found


@dataclass(frozen=True, slots=True)
class Columns:
    """A parameter that selects columns: names, kinds, or None for all."""

    def accepts(self, value: Any) -> bool:
        named = isinstance(value, Sequence) and all(isinstance(v, str) for v in value)
        return value is None or isinstance(value, ByKind) or named

    def write(self, value: Any) -> State | None:
        return None if value is None else selector_state(value)

    def read(self, state: Reader, name: str) -> Selector:
        return selector_from_state(state.child(name)) if state.has(name) else None

    def __str__(self) -> str:
        return "names of columns, a selector such as numeric(), or None"

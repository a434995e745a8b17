"""Columns by name or by kind: `numeric()`, `categorical()`, `kind("text")`, or a list of names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from mercer.errors import BadColumn, BadFile
from mercer.state import Reader, State
from mercer.table.schema import Kind, Schema


@dataclass(frozen=True, slots=True)
class ByKind:
    """A selector: the columns whose kind is one of `kinds`."""

    kinds: tuple[Kind, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return ByKind, (tuple(map(str, self.kinds)),)

    def __post_init__(self) -> None:
        if not all(isinstance(k, Kind) for k in self.kinds):  # their names, from a format that knows texts alone
            object.__setattr__(self, "kinds", tuple(Kind(k) for k in self.kinds))

    def __repr__(self) -> str:
        return f"kind({', '.join(repr(str(k)) for k in self.kinds)})"


Selector: TypeAlias = ByKind | Sequence[str] | str | None


def names_at(columns: Any, names: Sequence[str]) -> str | list[str]:
    """Columns by position, positions, a slice or a mask as names; names as they are."""
    if isinstance(columns, str) or (isinstance(columns, list) and columns and isinstance(columns[0], str)):
        return columns
    if isinstance(columns, int | np.integer):
        return names[int(columns)]
    return [str(name) for name in np.array(names, dtype=object)[columns]]


def kind(*names: str) -> ByKind:
    """Select the columns of these kinds.

    Parameters
    ----------
    *names : {"numeric", "binary", "category", "ordinal", "text"}
        The kinds.

    Returns
    -------
    selector : ByKind
        For parameters such as `on`.

    Examples
    --------
    >>> import mercer
    >>> from mercer.table import kind
    >>> mercer.read_table({"age": [31, 45, 58], "job": ["clerk", "sales", "clerk"]}).select(kind("binary")).columns
    ('job',)
    """
    known = [str(k) for k in Kind]
    for name in names:
        if name not in known:
            raise BadColumn(f"There is no kind {name!r}. Kinds: {', '.join(known)}.")
    return ByKind(tuple(Kind(n) for n in names))


def numeric() -> ByKind:
    """Select numeric columns.

    Returns
    -------
    selector : ByKind
        For parameters such as `on`.

    Examples
    --------
    >>> from mercer.table import numeric
    >>> numeric()
    kind('numeric')
    """
    return ByKind((Kind.NUMERIC,))


def categorical() -> ByKind:
    """Select columns of levels: binary, category and ordinal.

    Returns
    -------
    selector : ByKind
        For parameters such as `on`.

    Examples
    --------
    >>> from mercer.table import categorical
    >>> categorical()
    kind('binary', 'category', 'ordinal')
    """
    return ByKind((Kind.BINARY, Kind.CATEGORY, Kind.ORDINAL))


def text() -> ByKind:
    """Select text columns.

    Returns
    -------
    selector : ByKind
        For parameters such as `on`.

    Examples
    --------
    >>> from mercer.table import text
    >>> text()
    kind('text')
    """
    return ByKind((Kind.TEXT,))


def resolve(on: Selector, schema: Schema) -> Sequence[str]:
    """The names that a selector stands for.

    Parameters
    ----------
    on : str, sequence of str, selector or None
        A name, names, a selector such as numeric(), or None for every column.
    schema : Schema
        The columns to choose from.

    Returns
    -------
    names : sequence of str
        Names as given, or in the order of the schema.

    Raises
    ------
    BadColumn
        If there is no column of a name given.

    Examples
    --------
    >>> import mercer
    >>> from mercer.table import numeric, resolve
    >>> resolve(numeric(), mercer.read_table({"age": [31, 45, 58], "job": ["clerk", "sales", "clerk"]}).schema)
    ('age',)
    """
    if on is None:
        return schema.names
    if isinstance(on, ByKind):
        return schema.of_kind(*on.kinds)
    if on == schema.names:
        return schema.names
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
    """A declared parameter that selects columns: names, kinds, or None for all.

    Examples
    --------
    >>> from mercer.table import Columns, numeric
    >>> Columns().accepts(numeric()), Columns().accepts(3)
    (True, False)
    """

    def accepts(self, value: Any) -> bool:
        """Whether a value selects columns.

        Parameters
        ----------
        value : object
            The value of the parameter.

        Returns
        -------
        accepted : bool
            True for a name, names, a selector or None.
        """
        named = isinstance(value, Sequence) and all(isinstance(v, str) for v in value)
        return value is None or isinstance(value, ByKind) or named

    def write(self, value: Any) -> State | None:
        """A selector as plain data.

        Parameters
        ----------
        value : str, sequence of str, selector or None
            The value of the parameter.

        Returns
        -------
        state : dict or None
            None for None.
        """
        return None if value is None else selector_state(value)

    def read(self, state: Reader, name: str) -> Selector:
        """The selector that `write` gave.

        Parameters
        ----------
        state : Reader
            The stored parameters.
        name : str
            The parameter.

        Returns
        -------
        on : str, list of str, selector or None
            The value of the parameter.
        """
        return selector_from_state(state.child(name)) if state.has(name) else None

    def __str__(self) -> str:
        return "names of columns, a selector such as numeric(), or None"

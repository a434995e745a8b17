"""The names of a column's levels, and their order where nothing better is known: by value or by name."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from mercer.table.formats.cells import nan_to_null, unique
from mercer.table.formats.source import Source

_EXACT = 2**53  # below it, every whole number is a float of its own


def declared_levels(cells: pl.Series) -> tuple[str, ...]:
    """The levels that a dtype brings: all of an Enum's in order, those present of a Categorical sorted."""
    if isinstance(cells.dtype, pl.Enum):
        return tuple(cells.dtype.categories)
    return sort_levels(unique(cells.cast(pl.String)))


def level_names(source: Source, name: str) -> tuple[str, ...]:
    """The levels of a column of any dtype, sorted; declared ones in their order."""
    cells = source.columns[name]
    if isinstance(cells.dtype, pl.Enum | pl.Categorical):
        return declared_levels(cells)
    if cells.dtype == pl.String:
        return sort_levels(source.distinct(name).known)
    if cells.dtype.is_float():
        cells = nan_to_null(cells)
    return sort_levels(number_levels(unique(cells)))


def number_levels(values: pl.Series) -> pl.Series:
    """Numbers and truth values as level names, each by itself: 3.0 and 3 are both '3', whatever else is there."""
    names = values.cast(pl.String)
    if values.dtype.is_float():
        whole = (values == values.round()) & (values.abs() < _EXACT)
        return values.cast(pl.Int64, strict=False).cast(pl.String).zip_with(whole.fill_null(False), names)
    return names.str.to_titlecase() if values.dtype == pl.Boolean else names


def sort_levels(names: Iterable[str]) -> tuple[str, ...]:
    """By value when all are numbers, by name otherwise: the same order whatever order the rows came in."""
    names = list(names)
    try:
        return tuple(sorted(names, key=lambda n: (float(n), n)))
    except ValueError:
        return tuple(sorted(names))


def spelt_alike(levels: Iterable[str]) -> list[list[str]]:
    """Levels that differ in capitals and blanks alone, each group in the order given.

    >>> spelt_alike(["NO", "No", "Yes", "New York", "new  york"])
    [['NO', 'No'], ['New York', 'new  york']]
    """
    found: dict[str, list[str]] = {}
    for level in levels:
        found.setdefault(" ".join(level.casefold().split()), []).append(level)
    return [group for group in found.values() if len(group) > 1]

"""Cells that a caller says mean "missing": in every column ("unknown"), or in one alone ("income=99")."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from mercer.arrays import Bools
from mercer.errors import BadColumn, did_you_mean
from mercer.table.formats.cells import lower_in, strip
from mercer.table.formats.notation import PLAIN_NUMBER
from mercer.table.formats.source import Source
from mercer.table.kinds.parts import days_of, typed_days

Markers: TypeAlias = str | Iterable[Any] | Mapping[str, Any]


def as_markers(missing: Markers | None) -> tuple[str, ...]:
    """Cells as texts, those of one column as COLUMN=CELL.

    >>> as_markers({"income": [99, -1.0], "job": "other"}), as_markers("unknown")
    (('income=99', 'income=-1', 'job=other'), ('unknown',))
    """
    if isinstance(missing, Mapping):
        return tuple(f"{column}={_text(cell)}" for column, cells in missing.items() for cell in _each(cells))
    return tuple(map(_text, _each(missing)))


def _each(cells: Any) -> list[Any]:
    if cells is None:
        return []
    return list(cells) if isinstance(cells, Iterable) and not isinstance(cells, str) else [cells]


def _text(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float | np.floating) and cell == np.round(cell) != np.inf else str(cell)


def column_of(text: str, columns: Collection[str]) -> str | None:
    """The column that COLUMN=... names, whose own name may hold '='; None where there is no such column.

    >>> column_of("a=b=99", ["a", "a=b"])
    'a=b'
    """
    return max((name for name in columns if text.startswith(f"{name}=")), key=len, default=None)


def mark_missing(source: Source, markers: Collection[str]) -> list[str]:
    """Take markers up: as words in columns of texts, as numbers and dates in columns of these.

    Parameters
    ----------
    source : Source
        Whose cells are emptied, or whose own markers grow.
    markers : collection of str
        As `as_markers` gives them.

    Returns
    -------
    list of str
        Those of one column that none of its cells is.
    """
    own = {marker: name for marker in markers if (name := column_of(marker, source.columns)) is not None}
    words = {marker.strip().lower() for marker in markers if marker not in own}
    source.markers |= words
    for name, cells in source.columns.items() if words else ():
        if cells.dtype.is_numeric():
            source.columns[name] = _emptied(cells, words)
    unmet = []
    for marker, name in own.items():
        before = source.columns[name]
        after = _emptied(before, {marker[len(name) + 1 :].strip().lower()})
        unmet += [marker] if after.null_count() == before.null_count() else []
        source.columns[name] = after
    return unmet


def expect_columns(source: Source, markers: Collection[str]) -> None:
    """Refuse COLUMN=CELL of a column that is not there."""
    for marker in markers if source.sparse is None else ():
        name = marker.partition("=")[0]
        if "=" in marker and name and column_of(marker, source.columns) is None:
            raise BadColumn(f"missing {marker!r}: there is no column {name!r}. {did_you_mean(name, source.columns)}")


def _emptied(cells: pl.Series, words: Collection[str]) -> pl.Series:
    """The cells with null in place of those that are one of the words, in lower case."""
    if cells.dtype == pl.String:
        found = lower_in(strip(cells), words)
    elif isinstance(cells.dtype, pl.Enum | pl.Categorical):
        levels = cells.cast(pl.String)
        kept = zip(levels, lower_in(strip(levels), words), strict=True)
        return pl.Series(cells.name, [None if gone else level for level, gone in kept], dtype=cells.dtype)
    elif cells.dtype.is_numeric():
        found = _one_of(cells, [float(w) for w in words if PLAIN_NUMBER.fullmatch(w) or w in ("inf", "-inf")])
    elif cells.dtype in (pl.Date, pl.Datetime):
        found = _one_of(typed_days(cells), _days(words))
    else:
        return cells
    return cells.set(pl.Series(found), None) if found.any() else cells


def _one_of(cells: pl.Series, numbers: list[float]) -> Bools:
    return np.isin(cells.cast(pl.Float64).to_numpy(), numbers)


def _days(words: Iterable[str]) -> list[float]:
    found = []
    for word in words:
        try:
            found.append(days_of(word))
        except ValueError:
            continue
    return found

"""Cells as they were found, before anything is decided about them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.errors import BadColumn, did_you_mean

# Cells that mean "missing" in every text column, compared without case or surrounding blanks.
MISSING_MARKERS = ("", "na", "n/a", "nan", "none", "null", "?", "#n/a")


@dataclass(frozen=True)
class Distinct:
    """The different cells of a text column without surrounding blanks, and which of them each row holds."""

    cells: pl.Series  # (m,)
    missing: NDArray[np.bool_]  # (m,) whether the cell stands for a missing value
    places: NDArray[np.int32]  # (n_rows,), m where the row has no cell at all

    @property
    def known(self) -> pl.Series:
        """The different cells that are not missing, in order: what is said of them must not change from run to run."""
        return self.cells.filter(pl.Series(~self.missing)).unique().sort()

    def n_known(self) -> int:
        """Rows whose cell is not missing."""
        return int(np.append(~self.missing, False)[self.places].sum())

    def spread(self, values: NDArray[Any], absent: Any) -> NDArray[Any]:
        """One value per different cell handed out to the rows; `absent` where there is no cell."""
        spread: NDArray[Any] = np.append(values, np.array([absent], dtype=values.dtype))[self.places]
        return spread


@dataclass
class Source:
    """Columns in order; an Enum column carries its levels, ordered unless named in `nominal`."""

    columns: dict[str, pl.Series]
    nominal: frozenset[str] = frozenset()
    sparse: Any = None  # numeric columns beyond `columns`, as a CSR array named x1, x2, ...
    markers: frozenset[str] = frozenset(MISSING_MARKERS)
    notices: list[str] = field(default_factory=list)
    _distinct: dict[str, Distinct] = field(default_factory=dict, repr=False)

    @property
    def n_rows(self) -> int:
        if self.sparse is not None:
            return int(self.sparse.shape[0])
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def find(self, target: str) -> str:
        """The name of a column given by name, or by position (1 is the first, -1 the last)."""
        names = list(self.columns)
        if target in self.columns:
            return target
        try:
            place = int(target)
        except ValueError:
            raise BadColumn(f"There is no column {target!r}. {did_you_mean(target, names)}") from None
        if place == 0 or abs(place) > len(names):
            raise BadColumn(f"There is no column number {place}: the table has {len(names)} columns, counted from 1.")
        return names[place - 1 if place > 0 else place]

    def pop(self, target: str) -> pl.Series:
        """Take the target column out."""
        return self.columns.pop(self.find(target))

    def filter(self, rows: pl.Series) -> Source:
        """The rows where the mask is true."""
        columns = {name: cells.filter(rows) for name, cells in self.columns.items()}
        sparse = None if self.sparse is None else self.sparse[rows.to_numpy()]
        return replace(self, columns=columns, sparse=sparse, _distinct={})

    def known(self, cells: pl.Series) -> pl.Series:
        """Text cells without surrounding blanks, null where they stand for a missing value."""
        stripped = cells.str.strip_chars()
        return stripped.set(stripped.str.to_lowercase().is_in(list(self.markers)), None)

    def distinct(self, name: str) -> Distinct:
        """The different cells of a text column. Found once: kinds, levels and codes all come from them."""
        if name not in self._distinct:
            self._distinct[name] = self.distinct_of(self.columns[name])
        return self._distinct[name]

    def distinct_of(self, cells: pl.Series) -> Distinct:
        raw = cells.drop_nulls().unique()
        places = cells.cast(pl.Enum(raw)).to_physical().cast(pl.Int32).fill_null(len(raw)).to_numpy()
        stripped = raw.str.strip_chars()
        return Distinct(stripped, stripped.str.to_lowercase().is_in(list(self.markers)).to_numpy(), places)


def unique_names(names: list[str], notices: list[str]) -> list[str]:
    """Names made unique: a second 'a' becomes 'a.2', an empty one 'column_3'; each change is noted."""
    seen: dict[str, int] = {}
    result: list[str] = []
    taken = set(names)
    for place, given in enumerate(names, 1):
        name = given.strip() or f"column_{place}"
        if name in seen:
            while (candidate := f"{name}.{seen[name] + 1}") in taken:
                seen[name] += 1
            seen[name] += 1
            notices.append(f"Column {place} repeats the name {name!r}; it is called {candidate!r} here.")
            name = candidate
        seen.setdefault(name, 1)
        taken.add(name)
        result.append(name)
    return result

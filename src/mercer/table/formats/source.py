"""Cells as they were found, before anything is decided about them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from mercer.errors import BadColumn, did_you_mean
from mercer.table.formats.cells import lower_in, sorted_texts, strip
from mercer.table.formats.notation import read_numbers

# Cells that mean "missing" in every text column, compared without case or surrounding blanks.
MISSING_MARKERS = (
    "", "na", "n/a", "nan", "none", "null", "?", "#n/a", "<na>", "nat",
    "#div/0!", "#value!", "#ref!", "#num!", "#name?", "#null!",  # what a spreadsheet shows where a formula has no value
)  # fmt: skip


@dataclass(frozen=True)
class Distinct:
    """The distinct cells of a text column without surrounding blanks, and which of them each row holds."""

    cells: pl.Series  # (m,)
    missing: NDArray[np.bool_]  # (m,) whether the cell stands for a missing value
    places: NDArray[np.int32]  # (n_rows,), m where the row has no cell at all
    rows: NDArray[np.int64] | None = None  # as of Source
    _numbers: dict[str, NDArray[np.float64]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def numbers(self, notation: str) -> NDArray[np.float64]:
        """The cells read as numbers in a notation, once; NaN where a cell is none."""
        if notation not in self._numbers:
            self._numbers[notation] = read_numbers(self.cells, notation).cast(pl.Float64).to_numpy()
        return self._numbers[notation]

    @cached_property
    def known(self) -> pl.Series:
        """The distinct cells that are not missing, sorted: what is said of them must not change from run to run."""
        return sorted_texts(self.cells.filter(pl.Series(~self.missing)))

    @property
    def n_rows(self) -> int:
        """Rows of the column."""
        return len(self.places)

    @property
    def n_different(self) -> float:
        """How many cells differ, missing ones included."""
        return len(self.cells)

    def n_known(self) -> int:
        """Rows whose cell is not missing."""
        return self.count(~self.missing)

    def count(self, cells: NDArray[np.bool_]) -> int:
        """Rows that hold one of these distinct cells."""
        return int(self.spread(cells, False).sum())

    def met(self, cells: NDArray[np.bool_]) -> list[tuple[str, int, int, int]]:
        """These distinct cells as they are met: each with its number of rows and its first and last row, from 0."""
        found: dict[str, list[int]] = {}
        for place in np.flatnonzero(self.spread(cells, False)).tolist():
            row = place if self.rows is None else int(self.rows[place])
            found.setdefault(self.cells[int(self.places[place])], []).append(row)
        return [(cell, len(rows), rows[0], rows[-1]) for cell, rows in found.items()]

    def spread(self, values: NDArray[Any], absent: Any) -> NDArray[Any]:
        """One value per distinct cell, given to the rows that hold it; `absent` where there is no cell."""
        spread: NDArray[Any] = np.append(values, np.array([absent], dtype=values.dtype))[self.places]
        return spread


@dataclass
class Source:
    """The cells of a table as they were found in a file or data frame, before kinds are decided.

    Parameters
    ----------
    columns : dict of str to polars.Series
        The columns in order; an Enum carries its levels.
    nominal : frozenset of str, default empty
        Enum columns whose levels have no order.
    typed : frozenset of str, default empty
        Columns whose type says that they are numbers, in a data frame or mapping: they are numeric, whatever numbers
        they hold. The columns of files have no such type.
    sparse : csr_array or None, default None
        Numeric columns beyond `columns`.
    markers : frozenset of str, default MISSING_MARKERS
        Text cells that mean "missing", in lower case.
    notices : list of str, default empty
        What a reader wants to be told, as warnings.
    attributes : tuple of str or None, default None
        Names of the sparse columns; None for x1, x2, ...
    judged : bool, default False
        Whether cells that are no numbers were judged to be few over a whole table, of which this is a chunk.
    rows : ndarray of shape (n_rows,) or None, default None
        Places of these rows in the table that they were kept from, by which messages call them; None of a whole table.

    Attributes
    ----------
    days : dict of (str, str) to ndarray of shape (n_rows,)
        Dates that were read, by their column and notation.

    Examples
    --------
    >>> from mercer.table import open_source
    >>> open_source({"age": [31, 45, 58], "job": ["clerk", "sales", "NA"]}).n_rows
    3
    """

    columns: dict[str, pl.Series]
    nominal: frozenset[str] = frozenset()
    typed: frozenset[str] = frozenset()
    sparse: Any = None
    markers: frozenset[str] = frozenset(MISSING_MARKERS)
    notices: list[str] = field(default_factory=list)
    attributes: tuple[str, ...] | None = None
    judged: bool = False
    rows: NDArray[np.int64] | None = None
    days: dict[tuple[str, str], NDArray[np.float64]] = field(default_factory=dict, init=False, repr=False)
    _distinct: dict[str, Distinct] = field(default_factory=dict, init=False, repr=False)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        if self.sparse is not None:
            return int(self.sparse.shape[0])
        return len(next(iter(self.columns.values()))) if self.columns else 0

    @property
    def sparse_names(self) -> tuple[str, ...]:
        """Names of the sparse columns."""
        if self.attributes is None:
            return tuple(f"x{j + 1}" for j in range(self.sparse.shape[1]))
        return self.attributes

    def find(self, target: str) -> str:
        """The name of a column given by name or by position.

        Parameters
        ----------
        target : str
            A name, or a position: "1" is the first column, "-1" the last.

        Returns
        -------
        name : str
            The column's name.

        Raises
        ------
        BadColumn
            If there is no such column.
        """
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
        """Take a column out.

        Parameters
        ----------
        target : str
            Its name or position, as in `find`.

        Returns
        -------
        cells : polars.Series
            The column.
        """
        return self.columns.pop(self.find(target))

    def filter(self, rows: pl.Series) -> Source:
        """Some of the rows.

        Parameters
        ----------
        rows : polars.Series
            True where a row is kept.

        Returns
        -------
        source : Source
            The rows kept.
        """
        columns = {name: cells.filter(rows) for name, cells in self.columns.items()}
        sparse = None if self.sparse is None else self.sparse[rows.to_numpy()]
        kept = np.flatnonzero(rows.to_numpy())
        return replace(self, columns=columns, sparse=sparse, rows=kept if self.rows is None else self.rows[kept])

    def row_number(self, place: int) -> int:
        """The number of a row as messages say it, from 1, in the table that these rows were kept from.

        Parameters
        ----------
        place : int
            Of the row among these, from 0.

        Returns
        -------
        number : int
            Its number.
        """
        return 1 + (place if self.rows is None else int(self.rows[place]))

    def known(self, cells: pl.Series) -> pl.Series:
        """Text cells without surrounding blanks.

        Parameters
        ----------
        cells : polars.Series
            Cells of a text column.

        Returns
        -------
        known : polars.Series
            The same length, null where a cell means "missing".
        """
        stripped = strip(cells)
        return stripped.set(pl.Series(lower_in(stripped, self.markers)), None)

    def distinct(self, name: str) -> Distinct:
        """The distinct cells of a text column, found once: kinds, levels and codes all come from them.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        distinct : Distinct
            The distinct cells, and which of them each row holds.
        """
        if name not in self._distinct:
            self._distinct[name] = self.distinct_of(self.columns[name])
        return self._distinct[name]

    def replace(self, name: str, cells: pl.Series) -> None:
        """Put other cells in the place of a column's.

        Parameters
        ----------
        name : str
            The column.
        cells : polars.Series
            Its new cells.
        """
        self.columns[name] = cells
        self._distinct.pop(name, None)

    def distinct_of(self, cells: pl.Series) -> Distinct:
        """The distinct cells of a series of texts.

        Parameters
        ----------
        cells : polars.Series
            Texts, null where there is none.

        Returns
        -------
        distinct : Distinct
            The distinct cells, and which of them each row holds.
        """
        raw = cells.drop_nulls().unique()
        places = cells.cast(pl.Enum(raw)).to_physical().cast(pl.Int32).set(cells.is_null(), len(raw)).to_numpy()
        stripped = strip(raw)
        return Distinct(stripped, lower_in(stripped, self.markers), places, self.rows)


def unique_names(names: list[str], notices: list[str]) -> list[str]:
    """Names made unique: a second 'a' becomes 'a.2', an empty one 'column_3'; each change is noted."""
    seen: dict[str, int] = {}
    result: list[str] = []
    taken = set(names)
    for place, original in enumerate(names, 1):
        name = original.strip() or f"column_{place}"
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

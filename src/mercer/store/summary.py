"""What the columns of the training rows held, for a model file: ranges, shares and gaps to hold new rows against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Longs
from mercer.errors import BadFile
from mercer.state import LARGEST, Reader, State
from mercer.table import Column, Kind, Schema, Table

N_BINS = 10  # between the deciles
MOST_COLUMNS = 5000  # of a table that is summarised: hashed words are not
_SHARES = np.linspace(0.0, 1.0, N_BINS + 1)
_VERSION = 1


@dataclass(frozen=True)
class ColumnSummary:
    """One column of the training rows.

    Attributes
    ----------
    column : Column
        Name, kind and levels.
    n_missing : int
        Rows without a cell.
    quantiles : ndarray of shape (11,)
        Least number, deciles and largest number; NaN where every cell is missing, empty unless numeric.
    counts : ndarray
        Rows between the deciles of a numeric column, (10,), or at each level of a categorical one.
    """

    column: Column
    n_missing: int
    quantiles: Floats
    counts: Longs

    @property
    def edges(self) -> Floats:
        """The distinct inner deciles: a number is in the bin after the last of them that is not above it."""
        return np.unique(self.quantiles[1:-1])


@dataclass(frozen=True)
class TrainingSummary:
    """The columns of the training rows.

    Attributes
    ----------
    n_rows : int
        Training rows.
    columns : tuple of ColumnSummary
        In the order of the schema.
    """

    n_rows: int
    columns: tuple[ColumnSummary, ...]

    def describes(self, table: Table) -> bool:
        """Whether a table of the same schema has as many rows, and in each column the same deciles, counts and gaps."""
        found = summarise(table) if len(table) == self.n_rows else None
        return found is not None and all(map(_same, self.columns, found.columns))

    def to_state(self) -> State:
        numeric = [c for c in self.columns if c.column.kind is Kind.NUMERIC]
        levels = [c.counts for c in self.columns if c.column.kind.categorical]
        return {
            "version": _VERSION,
            "n_rows": self.n_rows,
            "n_missing": np.array([c.n_missing for c in self.columns], dtype=np.int64),
            "quantiles": np.array([c.quantiles for c in numeric]).reshape(-1, N_BINS + 1),
            "bins": np.array([c.counts for c in numeric], dtype=np.int64).reshape(-1, N_BINS),
            "levels": np.concatenate([np.empty(0, dtype=np.int64), *levels]),
        }

    @classmethod
    def from_state(cls, state: Reader, schema: Schema) -> Self:
        state.integer("version", _VERSION, _VERSION)
        n_rows = state.integer("n_rows", 1)
        n_numeric, widths = len(schema.of_kind(Kind.NUMERIC)), [len(c.levels) for c in schema if c.kind.categorical]
        missing = state.array("n_missing", "int64", (len(schema),), low=0, high=n_rows)
        quantiles = state.cells("quantiles", (n_numeric, N_BINS + 1))
        bins = state.array("bins", "int64", (n_numeric, N_BINS), low=0, high=n_rows)
        levels = state.array("levels", "int64", (sum(widths),), low=0, high=n_rows)
        if (np.diff(quantiles, axis=1) < 0).any():
            raise BadFile(f"{state.where}.quantiles do not rise.")
        numbers = iter(zip(quantiles, bins, strict=True))
        counts = iter(np.split(levels, np.cumsum(widths)[:-1]) if widths else [])
        found = []
        for column, gaps in zip(schema, missing.tolist(), strict=True):
            shares, held = _NOTHING
            if column.kind is Kind.NUMERIC:
                shares, held = next(numbers)
            elif column.kind.categorical:
                held = next(counts)
            found.append(ColumnSummary(column, gaps, shares, held))
        return cls(n_rows, tuple(found))


_NOTHING: tuple[NDArray[np.float64], NDArray[np.int64]] = (np.empty(0), np.empty(0, dtype=np.int64))


def summarise(table: Table) -> TrainingSummary | None:
    """The summary of a table; None of a sparse one, or of one with thousands of columns.

    Parameters
    ----------
    table : Table
        The training rows.

    Returns
    -------
    summary : TrainingSummary or None
        Deciles, counts of levels and gaps.
    """
    if table.is_sparse or len(table.schema) > MOST_COLUMNS or not len(table):
        return None
    return TrainingSummary(len(table), tuple(_summarise_column(table, column) for column in table.schema))


def _same(one: ColumnSummary, other: ColumnSummary) -> bool:
    pairs = ((one.quantiles, other.quantiles), (one.counts, other.counts))
    return one.n_missing == other.n_missing and all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)


def _summarise_column(table: Table, column: Column) -> ColumnSummary:
    n_missing = int(table.missing(column.name).sum())
    if column.kind is Kind.NUMERIC:
        values = table.numbers(column.name)[:, 0].astype(np.float64)
        known = np.clip(values[~np.isnan(values)], -LARGEST, LARGEST)
        quantiles = np.quantile(known, _SHARES) if len(known) else np.full(N_BINS + 1, np.nan)
        summary = ColumnSummary(column, n_missing, np.maximum.accumulate(quantiles), _NOTHING[1])
        return ColumnSummary(column, n_missing, summary.quantiles, bin_counts(summary.edges, known))
    if column.kind.categorical:
        codes = table.codes(column.name)[:, 0]
        counts = np.bincount(codes[(codes >= 0) & (codes < len(column.levels))], minlength=len(column.levels))
        return ColumnSummary(column, n_missing, _NOTHING[0], counts.astype(np.int64))
    return ColumnSummary(column, n_missing, *_NOTHING)


def bin_counts(edges: Floats, values: Floats) -> Longs:
    """How many numbers lie in each bin between distinct deciles, (10,); those of repeated deciles are empty."""
    return np.bincount(np.searchsorted(edges, values, side="right"), minlength=N_BINS).astype(np.int64)

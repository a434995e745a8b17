"""Rows made up from summaries of the columns: what a stored model, which holds no rows, is compared with.

Each column is drawn by itself from the summary of the training rows (quantiles, counts of levels, share of gaps), so
that no training row is kept or shown. Columns that go together in the training rows do not do so in these; Shapley
values mix cells of different rows anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from mercer.arrays import Floats, Ints, Longs
from mercer.table import CATEGORICAL, Column, Kind, Schema, Table
from mercer.table.assemble import number_block
from mercer.table.blocks import MISSING, Codes, Texts

_WHOLE = 0.8  # of the quantiles that are whole numbers in a column of such: between two they may lie half-way


class SummarisedColumn(Protocol):
    """What is known of one column of the training rows."""

    @property
    def column(self) -> Column: ...
    @property
    def n_missing(self) -> int: ...
    @property
    def quantiles(self) -> Floats: ...
    @property
    def counts(self) -> Longs: ...


class SummarisedRows(Protocol):
    """What is known of the training rows."""

    @property
    def n_rows(self) -> int: ...
    @property
    def columns(self) -> Sequence[SummarisedColumn]: ...


def synthetic_rows(summary: SummarisedRows, schema: Schema, n: int, seed: int = 0) -> Table:
    """Rows whose columns are distributed as in the summary, independent of each other.

    Parameters
    ----------
    summary : SummarisedRows
        Of the training rows.
    schema : Schema
        Their columns.
    n : int
        How many rows.
    seed : int, default 0
        Of the order of the cells in each column.

    Returns
    -------
    Table
        Evenly spread over each column: numbers from the least to the largest, levels in their shares, each level that
        occurs at least once where there is room, gaps in their share; texts are missing.
    """
    rng, known = np.random.default_rng(seed), {c.column.name: c for c in summary.columns}
    numbers = [_numbers(known[name], summary.n_rows, n) for name in schema.numeric_names]
    codes = [_codes(known[name], summary.n_rows, n) for name in schema.of_kind(*CATEGORICAL)]
    number_cells = np.column_stack([np.empty((n, 0)), *(rng.permutation(c) for c in numbers)])
    code_cells = np.column_stack([np.empty((n, 0), dtype=np.int32), *(rng.permutation(c) for c in codes)])
    texts = np.full((n, len(schema.of_kind(Kind.TEXT))), None, dtype=object)
    return Table(schema, n, number_block(number_cells), Codes(np.asfortranarray(code_cells, np.int32)), Texts(texts))


def _gaps(column: SummarisedColumn, n_rows: int, n: int) -> int:
    """How many cells are missing: never all, unless they were."""
    if column.n_missing >= n_rows:
        return n
    return min(round(n * column.n_missing / n_rows), n - 1)


def _numbers(column: SummarisedColumn, n_rows: int, n: int) -> Floats:
    cells = np.full(n, np.nan)
    present = n - _gaps(column, n_rows, n)
    quantiles = column.quantiles
    if not present or not len(quantiles) or np.isnan(quantiles).any():
        return cells
    places = np.linspace(0, 1, len(quantiles))
    cells[:present] = np.interp(np.linspace(0, 1, present), places, quantiles)
    ends = quantiles[[0, -1]] == np.round(quantiles[[0, -1]])
    if ends.all() and (quantiles == np.round(quantiles)).mean() >= _WHOLE:
        cells[:present] = np.round(cells[:present])
    return cells


def _codes(column: SummarisedColumn, n_rows: int, n: int) -> Ints:
    """Levels in their shares, by the largest remainders."""
    present = n - _gaps(column, n_rows, n)
    total = column.counts.sum()
    if not present or not total:
        return np.full(n, MISSING, dtype=np.int32)
    exact = column.counts / total * present
    taken = np.floor(exact).astype(np.int64)
    occurs = (column.counts > 0) & (taken == 0)
    if taken.sum() + occurs.sum() <= present:
        taken[occurs] = 1
    rest = present - int(taken.sum())
    taken[np.argsort(taken - exact, kind="stable")[:rest]] += 1
    cells = np.repeat(np.arange(len(taken)), taken)[:present]
    return np.concatenate([cells, np.full(n - len(cells), MISSING)]).astype(np.int32)

"""Cells into bins of one byte: at most 255 of values, and one for missing cells.

    bin(x) = number of edges below x,    so that bin(x) <= b  if and only if  x <= edges[b]

Edges lie half-way between neighbouring distinct values where these are few; otherwise at quantiles, so that bins hold
about as many rows each. Levels have a bin each, the rarest share one where there are too many of them.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer._core import boost as core
from mercer.arrays import Floats, Ints, Longs
from mercer.solvers.tree.tree import Columns

MOST_BINS = 255
SAMPLE = 200_000  # rows that quantiles are taken of
Bytes = NDArray[np.uint8]
LevelCounts: TypeAlias = tuple[Floats | None, ...]


@dataclass(frozen=True)
class Binning:
    """How the cells of a table become bins.

    edges: of each column of numbers, increasing. levels: of each categorical column, the bin of a missing cell, then of
    each level. bins: how many bins of values each column has; that number is the bin of missing cells.
    """

    edges: tuple[Floats, ...]
    levels: tuple[Bytes, ...]
    bins: Ints
    nominal: Bytes

    @classmethod
    def fit(
        cls,
        columns: Columns,
        max_bins: int = MOST_BINS,
        seed: int = 0,
        weight: Floats | None = None,
        n_jobs: int = 1,
    ) -> Self:
        """Edges of numbers and bins of levels, from these rows; a row of weight 2 is two rows."""
        rows = sample_rows(len(columns.numbers), seed)
        numbers = columns.numbers if rows is None else columns.numbers[rows]
        mass = weight if weight is None or rows is None else weight[rows]
        return cls.of(numbers, mass, level_counts(columns, max_bins, weight), columns, max_bins, n_jobs)

    @classmethod
    def of(
        cls,
        numbers: Floats,
        weight: Floats | None,
        counts: LevelCounts,
        columns: Columns,
        max_bins: int = MOST_BINS,
        n_jobs: int = 1,
    ) -> Self:
        """The same from the numbers and weights of a sample of the rows and the `level_counts` of all of them.

        `columns` says what the columns are; its rows do not matter.
        """
        with ThreadPoolExecutor(max(1, n_jobs)) as threads:  # sorting does not hold the interpreter's lock
            edges = tuple(threads.map(lambda values: _edges(values, weight, max_bins), np.ascontiguousarray(numbers.T)))
        tables = [
            _level_bins(found, int(n), not nominal, max_bins)
            for found, n, nominal in zip(counts, columns.levels, columns.nominal, strict=True)
        ]
        bins = [len(e) + 1 for e in edges] + [int(t[0]) for t in tables]
        nominal = np.append(np.zeros(len(edges), np.uint8), np.asarray(columns.nominal, np.uint8))
        return cls(edges, tuple(tables), np.array(bins, dtype=np.int32), nominal)

    def transform(self, columns: Columns, n_jobs: int = 1) -> Bytes:
        """Bins of the cells of these rows, (n_rows, n_columns)."""
        out = np.empty((len(columns.numbers), len(self.bins)), dtype=np.uint8)
        core.bin_cells(
            columns.numbers, columns.codes, *joined(self.edges, np.float64), *joined(self.levels, np.uint8), out, n_jobs
        )
        return out


def sample_rows(n: int, seed: int) -> Longs | None:
    """Which of n rows quantiles are taken of, increasing; None for all."""
    return None if n <= SAMPLE else np.sort(np.random.default_rng(seed).choice(n, SAMPLE, replace=False))


def level_counts(columns: Columns, max_bins: int, weight: Floats | None = None) -> LevelCounts:
    """Rows, or sum of weights, of each level of each categorical column that has more levels than bins; else None."""
    found: list[Floats | None] = []
    for codes, n in zip(columns.codes.T, columns.levels.tolist(), strict=True):
        seen = (codes >= 0) & (codes < n)
        mass = np.ones(int(seen.sum())) if weight is None else weight[seen]
        found.append(np.bincount(codes[seen], weights=mass, minlength=n).astype(np.float64) if n > max_bins else None)
    return tuple(found)


def joined(parts: tuple[NDArray[Any], ...], dtype: Any) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """All of them one after the other, and where each begins, with the end of the last."""
    start = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    return np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype), start


def _edges(values: Floats, weight: Floats | None, max_bins: int) -> Floats:
    if weight is None:
        known = np.sort(values)  # NaN comes last
        known = known[: len(known) - int(np.isnan(known).sum())]
    else:
        order = np.argsort(values, kind="stable")  # NaN comes last
        order = order[: len(values) - np.isnan(values).sum()]
        known, mass = values[order], np.cumsum(weight[order])
    distinct = known[np.append(True, known[1:] > known[:-1])] if len(known) else known
    if len(distinct) <= max_bins:
        return _between(distinct[:-1], distinct[1:])
    if weight is None:
        places = (np.arange(1, max_bins) * len(known)) // max_bins - 1
    else:  # the row that holds the quantile, counting each as often as it weighs
        places = np.searchsorted(mass, np.floor(np.arange(1, max_bins) * (mass[-1] / max_bins) * (1 + 1e-12)))
    below = np.searchsorted(distinct, known[places])
    below = np.unique(np.minimum(below, len(distinct) - 2))
    return _between(distinct[below], distinct[below + 1])


def _between(low: Floats, high: Floats) -> Floats:
    """Half-way; `low` itself where rounding would give `high`. Beside infinity, the largest number."""
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2
    middle = np.where(middle < high, middle, low)
    middle = np.where(np.isposinf(high), np.nextafter(high, 0), middle)
    return np.where(np.isneginf(low), np.nextafter(low, 0), middle)


def _level_bins(counts: Floats | None, n_levels: int, ordered: bool, max_bins: int) -> Bytes:
    """The bin of a missing cell, then of each level; counts: rows of each level, None where each has a bin."""
    if counts is None:
        return np.append(max(n_levels, 1), np.arange(n_levels)).astype(np.uint8)
    if ordered:  # neighbours share a bin, about as many rows in each
        share = (np.cumsum(counts) - counts / 2) / max(counts.sum(), 1)
        found = np.minimum((share * max_bins).astype(np.int64), max_bins - 1)
        return np.append(max_bins, found).astype(np.uint8)
    found = np.full(n_levels, max_bins - 1)
    common = np.argsort(-counts, kind="stable")[: max_bins - 1]
    found[common] = np.arange(max_bins - 1)
    return np.append(max_bins, found).astype(np.uint8)

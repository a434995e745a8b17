"""Rows that must not lie on both sides of a split: those written more than once, and those of one group."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Longs
from mercer.errors import BadTable
from mercer.select.near_copies import is_witnessed, row_marks, without_marks
from mercer.table import Table

Words: TypeAlias = NDArray[np.uint64]

MIN_GROUPS = 10
MIN_DISTINCT = 20  # rows; with fewer, there is nothing to split but copies
_FAR_MORE = 10  # times the identical pairs that independent columns would give by chance
_MOST_USUAL = 3  # rows that are not copies, however often they are there
_SAMPLE = 2000  # rows, for the chance that two cells of a column are alike
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9], dtype=np.uint64)  # of splitmix64


@dataclass(frozen=True)
class Copies:
    """The distinct rows of a table, columns and target together, and which of them each row is.

    Attributes
    ----------
    first : ndarray of shape (n_distinct,)
        Row number of the first row of each group of identical rows, increasing.
    group : ndarray of shape (n_rows,)
        The group of each row, a place in `first`.
    but_for : tuple of str
        Columns in which rows of a group differ, since these number or date the rows.
    """

    first: Longs
    group: Longs
    but_for: tuple[str, ...] = ()

    @property
    def n_copies(self) -> int:
        """Rows beyond the first of each group."""
        return len(self.group) - len(self.first)

    def take(self, rows: Longs) -> Copies:
        """The groups of some of the rows."""
        return grouped(self.group[rows].tolist())

    def rows_of(self, groups: Longs) -> Longs:
        """Every row of some groups, in increasing order."""
        chosen = np.zeros(len(self.first), dtype=bool)
        chosen[groups] = True
        return np.flatnonzero(chosen[self.group])


def read_groups(cells: Iterable[Any], name: str) -> Copies:
    """The groups that a column names; a missing cell is a group of its own.

    Raises
    ------
    BadTable
        Fewer than MIN_GROUPS groups: there is nothing to split.
    """
    found = grouped(cells)
    if len(found.first) < MIN_GROUPS:
        said = "is the same in every row" if len(found.first) == 1 else f"has {len(found.first)} groups"
        raise BadTable(
            f"group = {name!r}: the column {said}; at least {MIN_GROUPS} are needed for folds and held-out rows. "
            "Name another column, or split without groups."
        )
    return found


def is_empty(cell: Any) -> bool:
    """Whether a cell is missing: None, or unlike itself as NaN is; pandas' NA neither is nor is not."""
    unlike = cell is None or cell != cell
    return bool(unlike) if isinstance(unlike, bool | np.bool_) else True


def grouped(cells: Iterable[Any]) -> Copies:
    """Rows of the same cell as a group, as they are written; a missing cell is a group of its own."""
    places: dict[Any, int] = {}
    keys = ((row,) if is_empty(cell) else str(cell).strip() for row, cell in enumerate(cells))
    group = np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.int64)
    return Copies(np.unique(group, return_index=True)[1], group)


def find_copies(table: Table, values: NDArray[Any]) -> Copies | None:
    """Groups of identical rows; None if there are none, or no more than chance accounts for.

    Rows of a few columns with a few values are alike by chance, and tell learners nothing that they should not know.
    They are taken for copies when there are ten times the identical pairs that independent columns would give. A row
    that is there ten times as often as any other is usual, not copied: 3,322 of the 11,183 X-rays of mammography show
    nothing and are alike. Its rows stay apart from each other.

    Rows that differ in a date or a number of the row alone are copies too, where a column of numbers tells all others
    apart.

    Parameters
    ----------
    table : Table
        What learners see: an identifier that was left out does not tell copies apart.
    values : ndarray of shape (n_rows,)
        The target.

    Returns
    -------
    copies : Copies or None
        The groups.
    """
    found, marks = _copied(table, values), row_marks(table)
    rest = without_marks(table, marks) if marks else None
    near = None if rest is None else _copied(rest, values)
    if rest is None or near is None or not is_witnessed(rest, near.first):
        return found
    more = near.n_copies > (0 if found is None else found.n_copies)
    return replace(near, but_for=marks) if more else found


def _copied(table: Table, values: NDArray[Any]) -> Copies | None:
    """Groups of rows that are the same in every column and the target, more than by chance."""
    found = _usual_apart(identical_rows(table, values))
    if not found.n_copies:
        return None
    counts = np.bincount(found.group).astype(np.float64)
    by_chance = (counts * (counts - 1) / 2).sum() <= _FAR_MORE * _pairs_by_chance(table, values)
    return None if by_chance else found


def _usual_apart(found: Copies) -> Copies:
    """The same with a group of its own for each row of the usual groups, those ten times as large as all others."""
    sizes = np.bincount(found.group)
    largest = np.sort(np.append(sizes, 1))[::-1][: _MOST_USUAL + 1]
    steps = np.flatnonzero(largest[:-1] >= _FAR_MORE * largest[1:])
    if not len(steps):
        return found
    usual = (sizes >= largest[steps[-1]])[found.group]
    return _numbered(np.where(usual, len(sizes) + np.arange(len(found.group)), found.group))


def identical_rows(table: Table, values: NDArray[Any]) -> Copies:
    """Groups of rows that are the same in every column and the target, by chance or not."""
    return _numbered(_row_hashes(table, values))


def _numbered(keys: NDArray[Any]) -> Copies:
    """Rows of the same key as a group, in the order of their first rows."""
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return Copies(first[order], place[group])


def _row_hashes(table: Table, values: NDArray[Any]) -> Words:
    """64 bits that stand for a row, its target included; two of 100,000 distinct rows collide once in 10^9 tables."""
    found = np.zeros(len(values), dtype=np.uint64)
    for word in (*_words(table, values), *_text_words(table)):
        mixed = word * _FACTORS[0]  # products are taken modulo 2^64
        mixed ^= mixed >> np.uint64(29)
        found = (found ^ mixed) * _FACTORS[1]
        found ^= found >> np.uint64(32)
    return found


def _words(table: Table, values: NDArray[Any]) -> Iterator[Words]:
    """The cells of each column but texts, and of the target, as 64 bits, the same for the same cell.

    Of sparse numbers, two random sums of each row, which are alike where the rows are.
    """
    if table.is_sparse:
        cells = table.csr()
        numbers = cells @ np.random.default_rng(0).normal(size=(cells.shape[1], 2))
    else:
        numbers = table.numbers()
    for column in (*numbers.T, values):
        known = np.where(np.isnan(column), np.nan, column + 0.0)  # one kind of NaN; -0.0 is 0.0
        yield known.astype(np.float64).view(np.uint64)
    for codes in table.codes().T:
        yield codes.astype(np.int64).view(np.uint64)


def _text_words(table: Table) -> Iterator[Words]:
    """Of each column of texts."""
    for texts in table.texts().T:
        yield np.array([hash(text) for text in texts], dtype=np.int64).view(np.uint64)


def _pairs_by_chance(table: Table, values: NDArray[Any]) -> float:
    """Expected number of identical pairs if columns and target were independent of each other.

    Nobody writes a text twice by chance: of those, only missing ones are alike.
    """
    n = len(values)
    rows = np.unique(np.linspace(0, n - 1, min(n, _SAMPLE)).astype(np.int64))
    some = table.take(rows)
    blank = [np.mean([text is None for text in texts]) ** 2 for texts in some.texts().T]
    return float(n * (n - 1) / 2 * math.prod(blank) * math.prod(_alike(word) for word in _words(some, values[rows])))


def _alike(word: Words) -> float:
    """The share of pairs of cells that are the same."""
    counts = np.unique(word, return_counts=True)[1].astype(np.float64)
    return float((counts * (counts - 1)).sum() / (len(word) * (len(word) - 1)))

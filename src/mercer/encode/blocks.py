"""The one place where columns become numbers: numbers filled and scaled, levels as dummies, texts as counts of words.

A block learns from training rows and their weights, names the columns it makes, says which column of the table owns
each, and computes them for other rows. `Design` (linear models) and `NumericEncoding` (kernels, linear SVMs) are lists
of blocks; the encoders `OneHot` and `BagOfWords` use the same ones. `weight` is (n_rows,) or None; a row of weight 2
counts as two rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Array, Bools, Floats, Ints
from mercer.encode.missing import MISSING_LEVEL
from mercer.encode.text import common_words, count_words
from mercer.errors import BadColumn, BadFile, BadTable, MercerWarning, TooLarge
from mercer.state import Reader, State
from mercer.table import Column, Schema, Table
from mercer.table.blocks import MISSING
from mercer.table.missingness import flag_name

Weight: TypeAlias = Floats | None
Scaling = Literal["standard", "robust", "minmax", "none"]
Missing = Literal["mean", "median"]
Baseline = Literal["first", "common"]

OTHER = "(other)"
MAX_LEVELS = 100  # dummies of one column; rarer levels share one
MAX_WORDS = 1000  # of one text column
_FENCE = 3.0  # interquartile ranges beyond the quartiles: of normal numbers, two in a million are further out
_LARGE = 1e150  # numbers whose squares still are numbers
_CELLS = 1 << 21  # cells of which copies are made at a time: those of a long table would take a kernel's memory


@dataclass(frozen=True)
class NumberBlock:
    """(x - shift) * factor with `fill` where x is missing, and '<name> is missing' (0 or 1) for each flagged column.

    shift and factor are None where numbers stay as they are.
    """

    columns: Sequence[str]
    fill: Floats
    flagged: Bools
    shift: Floats | None = None
    factor: Floats | None = None

    @classmethod
    def flagging(cls, table: Table, names: Sequence[str], weight: Weight) -> NumberBlock:
        """Numbers as they are; columns with missing cells are filled with their weighted median and flagged."""
        if table.is_sparse:
            fill, gaps = _sparse_fill(table.csr(names), names)
            return cls(names, fill, gaps)
        values = table.numbers(names)
        total = values.sum(axis=0, dtype=np.float64) if weight is None else weight @ values
        mass = len(values) if weight is None else float(weight.sum())
        fill, gaps = np.nan_to_num(total / mass), np.isnan(total)
        for j in np.flatnonzero(gaps).tolist():  # of these alone: a median of every column is slow
            fill[j] = _known_median(values[:, j], weight, names[j])
            gaps[j] = flag_name(names[j]) not in table.schema  # a column of the table says it already
        return cls(names, fill, gaps)

    @classmethod
    def scaled(
        cls, tables: Sequence[Table], names: Sequence[str], weight: Floats, scaling: Scaling, missing: Missing
    ) -> NumberBlock:
        """Numbers standardised, brought to [0, 1] or as they are, missing ones as the mean or median of their column.

        weight : (n_rows of all tables,)
        """
        if any(t.is_sparse for t in tables):
            blocks = [sp.csr_array(t.number_block.values) for t in tables]
            x = sp.vstack(blocks, format="csr") if len(blocks) > 1 else blocks[0]
            if scaling == "none" and _largest_cell(x.data) < _LARGE:
                return cls(names, _sparse_mean(x, weight), np.zeros(len(names), bool))
            found = _sparse_scale(x, names, weight, scaling)
        else:
            blocks, step = [t.numbers(names) for t in tables], max(1, _CELLS // len(weight))
            parts = [np.zeros((3, 0))]
            for start in range(0, len(names), step):
                some = slice(start, start + step)
                x = np.vstack([b[:, some] for b in blocks]).astype(np.float64, copy=False)
                parts.append(_dense_scale(x, names[some], weight, scaling, missing))
            found = np.hstack(parts)
        fill, shift, factor = found
        plain = scaling == "none"
        return cls(names, fill, np.zeros(len(names), bool), None if plain else shift, None if plain else factor)

    @property
    def names(self) -> Sequence[str]:
        return [*self.columns, *(flag_name(n) for n in self._flags)] if self.flagged.any() else self.columns

    @property
    def owners(self) -> Sequence[str]:
        return [*self.columns, *self._flags] if self.flagged.any() else self.columns

    @property
    def _flags(self) -> list[str]:
        return [self.columns[j] for j in np.flatnonzero(self.flagged).tolist()]

    def matrix(self, table: Table) -> Any:
        """(n_rows, n_names), dense or CSR; the table's own array when nothing changes."""
        if table.is_sparse:
            return self._sparse_matrix(table.csr(self.columns))
        values = table.numbers(self.columns)
        if self.shift is not None and self.factor is not None:
            return self._scale(values, self.shift, self.factor)
        with np.errstate(over="ignore"):  # an infinite sum takes the slower way too
            finite = np.isfinite(values.sum())
        if finite and not self.flagged.any():
            return values
        gaps = np.isnan(values)
        filled = np.where(gaps, self.fill, values) if gaps.any() else values
        return np.hstack([filled, gaps[:, self.flagged]]) if self.flagged.any() else filled

    def _scale(self, values: Array, shift: Floats, factor: Floats) -> Array:
        scaled, step = np.empty(values.shape, dtype=values.dtype), max(1, _CELLS // max(1, values.shape[1]))
        for rows in (slice(start, start + step) for start in range(0, len(values), step)):
            filled = np.where(np.isnan(values[rows]), self.fill, values[rows])
            scaled[rows] = (filled - shift) * factor
        return scaled

    def _sparse_matrix(self, values: sp.csr_array) -> sp.csr_array:
        if self.factor is None and not _any_nan(values.data) and not self.flagged.any():
            return values
        gaps = np.isnan(values.data)
        data = np.where(gaps, self.fill[values.indices], values.data)
        data = data if self.factor is None else data * self.factor[values.indices]
        filled = sp.csr_array((data, values.indices, values.indptr), shape=values.shape)
        if not self.flagged.any():
            return filled
        flags = sp.csr_array((gaps.astype(np.float64), values.indices, values.indptr), shape=values.shape)
        return sp.csr_array(sp.hstack([filled, flags[:, np.flatnonzero(self.flagged)]], format="csr"))

    def to_state(self) -> State:
        state: State = {"fill": np.ascontiguousarray(self.fill), "flagged": self.flagged.astype(np.uint8)}
        return state if self.shift is None else state | {"shift": self.shift, "factor": self.factor}

    @classmethod
    def from_state(cls, state: Reader, names: Sequence[str]) -> NumberBlock:
        shape, is_scaled = (len(names),), state.has("shift")
        shift, factor = (state.array(k, "float64", shape) if is_scaled else None for k in ("shift", "factor"))
        flagged = state.array("flagged", "uint8", shape, high=0 if is_scaled else 1).astype(bool)
        block = cls(names, state.array("fill", "float64", shape), flagged, shift, factor)
        state.finish()
        return block


def _sparse_fill(values: sp.csr_array, names: Sequence[str]) -> tuple[Floats, Bools]:
    """Most cells of a sparse column are 0, and so are its filled ones."""
    if not _any_nan(values.data):
        return np.broadcast_to(0.0, len(names)), np.broadcast_to(False, len(names))  # 2^20 of them, and no memory
    unknown = np.bincount(values.indices[np.isnan(values.data)], minlength=len(names))
    if len(values.indptr) - 1 == unknown.max(initial=0):
        name = names[int(unknown.argmax())]
        raise BadColumn(f"Column {name!r} has no known number to learn from. Leave it out.")
    return np.zeros(len(names)), unknown > 0


def _any_nan(cells: Array) -> bool:
    """By their sum: a mask of all cells of a long matrix is the most memory that a linear fit would take."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = cells.sum()
    return not np.isfinite(total) and bool(np.isnan(cells).any())


def _known_median(values: Array, weight: Weight, name: str) -> float:
    known = ~np.isnan(values)
    if not known.any():
        raise BadColumn(f"Column {name!r} has no known number to learn from. Leave it out.")
    cells = values[known].astype(np.float64)
    return float(np.median(cells)) if weight is None else weighted_median(cells, weight[known])


def weighted_median(values: Floats, weight: Floats) -> float:
    """The median of the values when each stands there `weight` times; 0 of none."""
    if not len(values):
        return 0.0
    order = np.argsort(values, kind="stable")
    values, reached = values[order], np.cumsum(weight[order])
    half = reached[-1] / 2
    low = values[np.searchsorted(reached, half, side="left")]
    high = values[min(np.searchsorted(reached, half, side="right"), len(values) - 1)]
    return float((low + high) / 2)


def _dense_scale(x: Floats, names: Sequence[str], weight: Floats, scaling: Scaling, missing: Missing) -> Floats:
    """Fill, shift and factor of each column, (3, n_columns); all 0 for a column without any number."""
    if np.isinf(x).any():
        row, place = (int(i) for i in np.argwhere(np.isinf(x))[0])
        raise BadTable(f"Column {names[place]!r}, row {row + 1}, is infinite. Correct the cell, or make it missing.")
    known = ~np.isnan(x) & (weight > 0)[:, None]
    mass = np.where(known, weight[:, None], 0.0)
    total = np.where(known.any(axis=0), mass.sum(axis=0), 1.0)
    filled = np.where(known, x, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        mean = (mass * filled).sum(axis=0) / total
        deviation = np.sqrt((mass * (filled - mean) ** 2).sum(axis=0) / total)
    _refuse_overflow(deviation, names)
    low, high = np.where(known, x, mean).min(axis=0), np.where(known, x, mean).max(axis=0)
    fill = mean
    if missing == "median":
        columns = zip(x.T, mass.T, strict=True)
        fill = np.array([weighted_median(cells[m > 0], m[m > 0]) for cells, m in columns])
    shift, width = (low, high - low) if scaling == "minmax" else (mean, deviation)
    if scaling == "robust":
        shift, width = robust_scale(np.where(known, x, np.nan), weight)
        fill = shift if missing == "mean" else fill
    return np.array([fill, shift, _inverse(width, np.maximum(np.abs(low), np.abs(high)))])


def robust_scale(x: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Centre and width of each column, (n_columns,), that a few cells far from all others do not move; NaN is missing.

    Mean and standard deviation of the cells within three interquartile ranges of the quartiles ("far out" in Tukey
    1977), those beyond counted at that fence: one cell of 10^9 would otherwise be the whole deviation. Where more than
    half of the cells are the same, as counts of a word are, that value and the root mean square of the others' distance
    from it: two rows with and without a rare word would otherwise be 1 / frequency apart.
    """
    centre, width = np.zeros(x.shape[1]), np.zeros(x.shape[1])
    for j, cells in enumerate(x.T):
        known = ~np.isnan(cells)
        values, mass = cells[known], weight[known]
        if not len(values):
            continue
        usual = weighted_median(values, mass)
        others = values != usual
        if 2 * mass[others].sum() < mass.sum():
            values, mass, centre[j] = _within_fence(values[others], mass[others]), mass[others], usual
        else:
            values = _within_fence(values, mass)
            centre[j] = np.average(values, weights=mass)
        if len(values):
            width[j] = np.sqrt(np.average((values - centre[j]) ** 2, weights=mass))
    return centre, width


def column_widths(X: Any, weight: Weight) -> Floats:
    """The width of each column of a matrix by `robust_scale`, (n_columns,); 1 for columns of 0 and 1 and constant ones.

    Of a CSR matrix, the root mean square of the stored cells.
    """
    if sp.issparse(X):
        squares = np.bincount(X.indices, np.square(X.data), X.shape[1])
        width = np.sqrt(squares / np.maximum(np.bincount(X.indices, minlength=X.shape[1]), 1))
        return np.where(width > 0, width, 1.0)
    numbers = np.flatnonzero(~((X == 0) | (X == 1)).all(axis=0))
    found = np.ones(X.shape[1])
    if len(numbers):
        mass = np.ones(len(X)) if weight is None else weight
        found[numbers] = robust_scale(X[:, numbers].astype(np.float64), mass)[1]
    return np.where(found > 0, found, 1.0)


def _within_fence(values: Floats, weight: Floats) -> Floats:
    if not len(values):
        return values
    low, high = _quartiles(values, weight)
    reach = _FENCE * (high - low)
    return np.clip(values, low - reach, high + reach) if reach > 0 else values


def _quartiles(values: Floats, weight: Floats) -> Floats:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weight[order])
    places = np.searchsorted(reached, np.array([0.25, 0.75]) * reached[-1])
    quartiles: Floats = values[order][np.minimum(places, len(values) - 1)]
    return quartiles


def _sparse_mean(x: sp.csr_array, weight: Floats) -> Floats:
    """Of each column, missing cells as 0; of its stored cells alone, since nothing else of wide tables is wanted."""
    if np.isnan(x.data.sum()):
        x = sp.csr_array((np.nan_to_num(x.data), x.indices, x.indptr), shape=x.shape)
    mean: Floats = x.T @ (weight / weight.sum())
    return mean


def _largest_cell(cells: Floats) -> float:
    """In size, of those that are not missing; without a copy of the cells where none is."""
    low, high = float(cells.min(initial=0.0)), float(cells.max(initial=0.0))
    return float(np.nanmax(np.abs(cells), initial=0.0)) if np.isnan(low + high) else max(-low, high)


def _sparse_scale(x: sp.csr_array, names: Sequence[str], weight: Floats, scaling: Scaling) -> Floats:
    """The same for sparse numbers: they are divided without being shifted, and missing ones become the mean."""
    filled = x.copy()
    filled.data = np.nan_to_num(filled.data)
    share = sp.csr_array(weight[None, :] / weight.sum())
    mean = (share @ filled).toarray().ravel()
    with np.errstate(over="ignore", invalid="ignore"):
        square = (share @ filled.multiply(filled)).toarray().ravel()
    _refuse_overflow(square, names)
    largest = np.abs(filled[weight > 0]).max(axis=0).toarray().ravel()
    width = np.sqrt(np.maximum(square - mean**2, 0)) if scaling in ("standard", "robust") else largest
    return np.array([mean, np.zeros(x.shape[1]), _inverse(width, largest)])


def _refuse_overflow(squares: Floats, names: Sequence[str]) -> None:
    if not np.isfinite(squares).all():
        name = names[int(np.argmin(np.isfinite(squares)))]
        raise TooLarge(f"Column {name!r} is too large to compare: its squares overflow. Divide it, or take its log.")


def _inverse(width: Floats, size: Floats) -> Floats:
    """1 / width; 0 for a column that is constant up to rounding."""
    constant = width <= 1e-12 * size
    return np.divide(1.0, width, out=np.zeros_like(width), where=~constant & (width > 0))


@dataclass(frozen=True)
class LevelBlock:
    """z_l = 1 if x is level l, else 0: the dummies of one column, all but that of the baseline level if there is one.

    `place` maps each code to its dummy, -1 to none; its last two entries are unseen and missing cells. With a baseline,
    a level never seen is the average row: `shares` holds the mean of each dummy over the training rows.
    """

    column: str
    names: tuple[str, ...]
    place: Ints  # (n_levels + 2,)
    baseline: str | None = None
    shares: Floats | None = None  # (n_names,)

    @classmethod
    def every_level(cls, column: Column, baseline: int = -1, missing: bool = False) -> LevelBlock:
        """A dummy for each level but the baseline (-1: none), and for missing cells if `missing`."""
        kept = np.flatnonzero(np.arange(len(column.levels)) != baseline)
        place = np.full(len(column.levels) + 2, -1, dtype=np.int32)
        place[kept] = np.arange(len(kept))
        names = [f"{column.name}={column.levels[k]}" for k in kept]
        if missing:
            place[MISSING] = len(names)
            names.append(f"{column.name}={MISSING_LEVEL}")
        return cls(column.name, tuple(names), place, column.levels[baseline] if baseline >= 0 else None)

    @classmethod
    def contrasts(cls, table: Table, name: str, weight: Weight, baseline: Baseline) -> LevelBlock:
        """Dummies of the levels seen; the rarest of too many share one; missing cells have one if there were any.

        Where they have no dummy of their own, a missing cell is the commonest level and an unseen one the average row.
        """
        levels, codes = table.schema[name].levels, table.codes(name)[:, 0]
        size = len(levels)
        mass = np.bincount(codes + 1, weights=weight, minlength=size + 2)
        lost, counts = mass[0], mass[1 : size + 1]
        commonest = int(counts.argmax())
        base = 0 if baseline == "first" else commonest
        kept = np.sort(np.argsort(-counts, kind="stable")[:MAX_LEVELS]) if size > MAX_LEVELS else np.arange(size)
        kept = kept[(kept != base) & (counts[kept] > 0)]
        names = [f"{name}={levels[k]}" for k in kept]
        place = np.full(size + 2, -1, dtype=np.int32)
        place[kept] = np.arange(len(kept))
        if size > MAX_LEVELS:
            rare = np.setdiff1d(np.arange(size + 1), [*kept, base])
            place[rare] = len(names)
            names.append(f"{name}={OTHER}")
        place[MISSING] = len(names) if lost else place[commonest]
        names += [f"{name}={MISSING_LEVEL}"] if lost else []
        shares = (
            np.bincount(place[np.arange(-1, size + 1)] + 1, weights=mass, minlength=len(names) + 1)[1:] / mass.sum()
        )
        return cls(name, tuple(names), place, levels[base], shares)

    @property
    def owners(self) -> list[str]:
        return [self.column] * len(self.names)

    @property
    def knows_missing(self) -> bool:
        """Whether missing cells have a coefficient of their own."""
        return self.place[MISSING] >= 0 and self.names[self.place[MISSING]] == f"{self.column}={MISSING_LEVEL}"

    def matrix(self, table: Table, sparse: bool) -> Any:
        """(n_rows, n_names) of 0 and 1."""
        matrix, unseen = dummies([self], table, sparse=sparse), len(self.place) - 2
        if self.shares is None or self.place[unseen] >= 0:
            return matrix
        strange = table.codes(self.column)[:, 0] >= unseen
        if not strange.any():
            return matrix
        notice = f"Column {self.column!r}: a level never seen in fitting counts as the average of those seen."
        warnings.warn(notice, MercerWarning, stacklevel=5)
        if sparse:
            return sp.csr_array(matrix + sp.csr_array(strange[:, None].astype(np.float64)) @ self.shares[None, :])
        matrix[strange] = self.shares
        return matrix

    def to_state(self) -> State:
        shares = np.zeros(len(self.names)) if self.shares is None else self.shares
        return {"names": list(self.names), "place": self.place, "baseline": self.baseline, "shares": shares}

    @classmethod
    def from_state(cls, state: Reader, schema: Schema, name: str) -> LevelBlock:
        levels, names = schema[name].levels, state.texts("names")
        place = state.array("place", "int32", (len(levels) + 2,), low=-1, high=len(names) - 1)
        shares = state.array("shares", "float64", (len(names),), low=0.0, high=1.0)
        block = cls(name, names, place, state.text("baseline", levels), shares)
        state.finish()
        return block


def dummies(
    blocks: Sequence[LevelBlock], table: Table, *, sparse: bool = False, size: float = 1.0, dtype: Any = np.float64
) -> Any:
    """The dummies of several columns side by side, each 0 or `size`: (n_rows, n_names), dense or CSR."""
    codes = table.codes([b.column for b in blocks])
    shape = (len(codes), sum(len(b.names) for b in blocks))
    cells, start = [], 0
    for j, block in enumerate(blocks):
        place = block.place[codes[:, j]]
        rows = np.flatnonzero(place >= 0)
        cells.append((rows, place[rows] + start))
        start += len(block.names)
    if sparse:
        rows, columns = (np.concatenate(part) for part in zip(*cells, strict=True))
        return sp.csr_array((np.full(len(rows), size, dtype=dtype), (rows, columns)), shape=shape)
    dense = np.zeros(shape, dtype=dtype)
    for place_of in cells:
        dense[place_of] = size
    return dense


@dataclass(frozen=True)
class WordBlock:
    """z_w = how often word w stands in the text, for the commonest words that stand in two texts or more."""

    column: str
    words: tuple[str, ...]

    @classmethod
    def learn(cls, table: Table, name: str, weight: Weight) -> WordBlock:
        return cls(name, common_words(table.texts(name)[:, 0], weight, MAX_WORDS))

    @property
    def names(self) -> list[str]:
        return [f"{self.column}:{w}" for w in self.words]

    @property
    def owners(self) -> list[str]:
        return [self.column] * len(self.words)

    def matrix(self, table: Table) -> sp.csr_array:
        """(n_rows, n_words) counts."""
        if not self.words:
            return sp.csr_array((len(table), 0))
        return sp.csr_array(count_words(table.texts(self.column)[:, 0], self.words))

    def to_state(self) -> State:
        return {"words": list(self.words)}

    @classmethod
    def from_state(cls, state: Reader, name: str) -> WordBlock:
        words = state.texts("words")
        if len(set(words)) != len(words):
            raise BadFile(f"{state.where}.words must be distinct.")
        state.finish()
        return cls(name, words)

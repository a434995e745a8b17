"""Where the numbers of a column lie and how wide they spread, under weights, of dense and of sparse columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Array, Bools, Floats
from mercer.errors import BadColumn, BadTable, TooLarge

Weight: TypeAlias = Floats | None
Scaling = Literal["standard", "robust", "minmax", "none"]
Missing = Literal["mean", "median"]

LARGE = 1e150  # numbers whose squares still are numbers
_FENCE = 3.0  # interquartile ranges beyond the quartiles: of normal numbers, two in a million are further out


def sparse_fill(values: sp.csr_array, names: Sequence[str]) -> tuple[Floats, Bools]:
    """Most cells of a sparse column are 0, and so are its filled ones."""
    if not any_nan(values.data):
        return np.broadcast_to(0.0, len(names)), np.broadcast_to(False, len(names))  # 2^20 of them, and no memory
    unknown = np.bincount(values.indices[np.isnan(values.data)], minlength=len(names))
    if len(values.indptr) - 1 == unknown.max(initial=0):
        name = names[int(unknown.argmax())]
        raise BadColumn(f"Column {name!r} has no known number to learn from. Leave it out.")
    return np.zeros(len(names)), unknown > 0


def any_nan(cells: Array) -> bool:
    """By their sum: a mask of all cells of a long matrix is the most memory that a linear fit would take."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = cells.sum()
    return not np.isfinite(total) and bool(np.isnan(cells).any())


def known_median(values: Array, weight: Weight, name: str) -> float:
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


def dense_scale(x: Floats, names: Sequence[str], weight: Floats, scaling: Scaling, missing: Missing) -> Floats:
    """Fill, shift and factor of each column, (3, n_columns); all 0 for a column without any number."""
    if scaling == "none" and missing == "mean" and (mean := _complete_mean(x, weight)) is not None:
        return np.array([mean, mean, np.ones(len(mean))])
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


def _complete_mean(x: Floats, weight: Floats) -> Floats | None:
    """The mean of each column in two passes; None where a cell is missing, infinite or too large to be squared.

    No product of BLAS, whose threads stay busy for some milliseconds beside those of the solver that comes next.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        mean: Floats = np.einsum("i,ij->j", weight, x) / max(float(weight.sum()), np.finfo(np.float64).tiny)
    return mean if np.isfinite(mean).all() and largest_cell(x) < LARGE else None


def standard_scale(mean: Floats, deviation: Floats, largest: Floats, names: Sequence[str]) -> Floats:
    """Fill, shift and factor of columns with these means, standard deviations and largest sizes, (3, n_columns)."""
    _refuse_overflow(deviation, names)
    return np.array([mean, mean, _inverse(deviation, largest)])


def minmax_scale(mean: Floats, low: Floats, high: Floats) -> Floats:
    """The same for columns that are brought to [0, 1] from between these numbers."""
    return np.array([mean, low, _inverse(high - low, np.maximum(np.abs(low), np.abs(high)))])


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


def sparse_mean(x: sp.csr_array, weight: Floats) -> Floats:
    """Of each column, missing cells as 0; of its stored cells alone, since nothing else of wide tables is wanted."""
    if np.isnan(x.data.sum()):
        x = sp.csr_array((np.nan_to_num(x.data), x.indices, x.indptr), shape=x.shape)
    mean: Floats = x.T @ (weight / weight.sum())
    return mean


def largest_cell(cells: Floats) -> float:
    """In size, of those that are not missing; without a copy of the cells where none is."""
    low, high = float(cells.min(initial=0.0)), float(cells.max(initial=0.0))
    return float(np.nanmax(np.abs(cells), initial=0.0)) if np.isnan(low + high) else max(-low, high)


def sparse_scale(x: sp.csr_array, names: Sequence[str], weight: Floats, scaling: Scaling) -> Floats:
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

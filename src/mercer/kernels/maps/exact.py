"""Kernels with a finite feature map: linear ones, and measures of categories, which are linear in indicators of levels.

    k(a, b) = 1/d sum_k S_k(a_k, b_k) = z(a).z(b),   z(a) = (S_k^1/2 [a_k, :] / sqrt(d)) over the columns k

S_k is diagonal where different levels have nothing in common (Overlap, Goodall), so that z is one-hot with weights.
Where S_k is not positive (IOF and OF need not be), the map is that of its positive part among the levels seen in fit.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
import scipy.linalg as sl

from mercer.arrays import Array, Bools, Floats
from mercer.errors import MercerError
from mercer.kernels.algebra import Scale, Sum
from mercer.kernels.base import Kernel
from mercer.kernels.categorical.base import CategoricalKernel
from mercer.kernels.categorical.diffusion import Diffusion
from mercer.kernels.categorical.levels import LevelKernel
from mercer.kernels.categorical.lin import Lin
from mercer.kernels.encoded import Encoded
from mercer.kernels.feature_space import Normalise
from mercer.kernels.maps.draws import FeatureMap, FiniteMap
from mercer.kernels.numeric.dot import Linear
from mercer.kernels.numeric.pairwise import is_sparse
from mercer.table import Table

_MOST_LEVELS = 3_000  # of a column whose matrix S_k is decomposed


@singledispatch
def exact_map(kernel: Kernel) -> FiniteMap | None:
    """z with z(a).z(b) = k(a, b), of a fitted kernel; None where there is none of finitely many features."""
    return None


@exact_map.register
def _(kernel: Linear) -> FiniteMap | None:
    def apply(table: Table, dtype: np.dtype[Any]) -> Array:
        x = kernel.rows(table, dtype)
        return np.asarray(x.toarray() if is_sparse(x) else x)

    return FiniteMap(len(kernel.schema_), apply)


@exact_map.register
def _(kernel: CategoricalKernel) -> FiniteMap | None:
    if isinstance(kernel, Lin | Diffusion):  # a ratio, and a product over columns
        return None
    d = len(kernel.schema_)
    if kernel.mismatch == "zero":
        return _diagonal(kernel, np.sqrt(kernel._tables.match / d))
    return _of_tables(kernel, [kernel._tables.table(c) for c in range(d)], [n > 0 for n in kernel.counts_])


@exact_map.register
def _(kernel: LevelKernel) -> FiniteMap | None:
    return _of_tables(kernel, kernel._tables, [np.ones(len(table), dtype=bool) for table in kernel._tables])


@exact_map.register
def _(kernel: Encoded) -> FiniteMap | None:
    inner = exact_map(kernel.kernel_)
    return None if inner is None else FiniteMap(inner.width, encoded(kernel, inner.features))


@exact_map.register
def _(kernel: Scale) -> FiniteMap | None:
    inner = exact_map(kernel.kernel_)
    return None if inner is None else FiniteMap(inner.width, times(inner.features, kernel.factor**0.5))


@exact_map.register
def _(kernel: Sum) -> FiniteMap | None:
    first, second = exact_map(kernel.k1_), exact_map(kernel.k2_)
    if first is None or second is None:
        return None
    return FiniteMap(first.width + second.width, side_by_side(first.features, second.features))


@exact_map.register
def _(kernel: Normalise) -> FiniteMap | None:
    inner = exact_map(kernel.kernel_)
    return None if inner is None else FiniteMap(inner.width, normalised(kernel, inner.features))


def encoded(kernel: Encoded, inner: FeatureMap) -> FeatureMap:
    """u of the encoded row."""
    return lambda table, dtype: inner(kernel.encode(table), dtype)


def times(inner: FeatureMap, factor: float) -> FeatureMap:
    """factor * u(x)."""
    return lambda table, dtype: (inner(table, dtype) * factor).astype(dtype, copy=False)


def side_by_side(first: FeatureMap, second: FeatureMap) -> FeatureMap:
    """(u(x), v(x))."""
    return lambda table, dtype: np.hstack([first(table, dtype), second(table, dtype)])


def normalised(kernel: Normalise, inner: FeatureMap) -> FeatureMap:
    """u(x) / sqrt(k(x, x))."""

    def apply(table: Table, dtype: np.dtype[Any]) -> Array:
        lengths = kernel._inverse_lengths(table, np.dtype(np.float64))
        return np.asarray((inner(table, dtype) * lengths[:, None]).astype(dtype, copy=False))

    return apply


def _diagonal(kernel: CategoricalKernel, values: Floats) -> FiniteMap:
    """One-hot with weights, a column for each level of each column; nothing for a missing cell that is no evidence."""

    def apply(table: Table, dtype: np.dtype[Any]) -> Array:
        cells = kernel._cells(table)
        places = kernel._tables.offsets[:-1] + np.maximum(cells, 0)
        found = np.zeros((len(table), len(values)), dtype=dtype)
        found[np.arange(len(table))[:, None], places] = np.where(cells < 0, 0.0, values[places])
        return found

    return FiniteMap(len(values), apply)


def _of_tables(kernel: CategoricalKernel | LevelKernel, tables: list[Floats], seen: list[Bools]) -> FiniteMap:
    """The row of each level in the root of its table; a table's last place is that of a missing cell."""
    roots = [_root(table, s, kernel) / np.sqrt(len(tables)) for table, s in zip(tables, seen, strict=True)]
    if kernel.missing == "ignore":
        for root in roots:
            root[-1] = 0.0

    def apply(table: Table, dtype: np.dtype[Any]) -> Array:
        codes = table.codes(kernel.schema_.names)  # -1 is the last place
        return np.hstack([root[codes[:, k]] for k, root in enumerate(roots)]).astype(dtype, copy=False)

    return FiniteMap(sum(root.shape[1] for root in roots), apply)


def _root(table: Floats, seen: Bools, kernel: Kernel) -> Floats:
    """R with R R' the positive part of the table among levels seen; others are as those explain them, as landmarks do.

    A level never seen is 1 with every other in IOF and OF, which no positive table of many levels is.
    """
    if len(table) > _MOST_LEVELS:
        raise MercerError(f"{kernel!r}: a column has {len(table) - 2:,} levels, of at most {_MOST_LEVELS - 2:,} here.")
    values, vectors = sl.eigh(table[np.ix_(seen, seen)])
    kept = values > len(values) * np.finfo(np.float64).eps * max(values[-1], 0.0)
    return np.asarray(table[:, seen] @ (vectors[:, kept] / np.sqrt(values[kept])))

"""A matrix of numbers beside dummies that are kept as codes: products of its columns leave the zeros out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.arrays import Bools, Floats, Ints


@dataclass(frozen=True)
class SplitMatrix:
    """X = [Z, D][:, order]: dense columns Z beside dummies D, of which a row has at most one in each column of codes.

    Products with dummies are sums by code, so that X'WX takes n (p^2 + c p + c^2) steps of p dense columns and c
    columns of codes, however many dummies they stand for; as dense columns these would take n (p + q)^2.

    Attributes
    ----------
    dense : ndarray of shape (n, p)
        Z.
    codes : ndarray of shape (n, c)
        Column j counts from the sum of (q_i + 1) over the columns i before it, which is a row without a dummy.
    sizes : tuple of int
        The dummies q_j of each column of codes.
    order : ndarray of shape (p + q,)
        Which column of [Z, D] each column of X is.
    """

    dense: Floats
    codes: Ints
    sizes: tuple[int, ...]
    order: NDArray[np.intp]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.dense), len(self.order)

    @property
    def nbytes(self) -> int:
        return int(self.dense.nbytes + self.codes.nbytes)

    def __len__(self) -> int:
        return len(self.dense)

    def __getitem__(self, rows: slice) -> SplitMatrix:
        return replace(self, dense=self.dense[rows], codes=self.codes[rows])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        whole = np.hstack([self.dense, self._indicators().toarray()[:, self._real]])
        return whole[:, self.order].astype(dtype or np.float64, copy=False)

    def __matmul__(self, B: Floats) -> Floats:
        """X B, for B of shape (d,) or (d, m)."""
        p, parted = self.dense.shape[1], self._parted(B)
        effect = np.zeros((len(self._real), *B.shape[1:]))
        effect[self._real] = parted[p:]
        found: Floats = self.dense @ parted[:p]
        for j in range(len(self.sizes)):
            found += effect[self.codes[:, j]]
        return found

    @property
    def T(self) -> Transposed:
        return Transposed(self)

    def products(self, shift: Floats, beside: Floats, weight: Floats | None) -> tuple[Floats, Floats]:
        """sum w z, (d + t,), and sum w z z', (d + t, d + t), over rows z = (x - shift, beside).

        beside : (n, t); weight : (n,), 0 or above, or None for 1
        """
        p, q = self.dense.shape[1], sum(self.sizes)
        shift = self._parted(shift)
        Z = np.empty((len(self), p + beside.shape[1]))
        np.subtract(self.dense, shift[:p], out=Z[:, :p])
        Z[:, p:] = beside
        root = np.ones(len(self)) if weight is None else np.sqrt(weight)
        if weight is not None:
            Z *= root[:, None]  # of both factors of each product, so that half of them are computed
        counts = self._counts(weight)
        mass, by_code, total = float(len(self) if weight is None else weight.sum()), np.diag(counts), root @ Z
        centre = shift[p:]
        across = (self._indicators(root).T @ Z)[self._real] - np.outer(centre, total)
        moved = np.outer(by_code, centre)
        inside = counts - moved - moved.T + mass * np.outer(centre, centre)
        found = np.empty((q + Z.shape[1], q + Z.shape[1]))
        dense = np.concatenate([np.arange(p), np.arange(p + q, len(found))])
        coded = np.arange(p, p + q)
        found[np.ix_(dense, dense)] = Z.T @ Z
        found[np.ix_(coded, dense)] = across
        found[np.ix_(dense, coded)] = across.T
        found[np.ix_(coded, coded)] = inside
        order = np.append(self.order, np.arange(p + q, len(found)))
        sums = np.concatenate([total[:p], by_code - mass * centre, total[p:]])
        return sums[order], found[np.ix_(order, order)]

    def _counts(self, weight: Floats | None) -> Floats:
        """D'WD, by a table of counts of each two columns of codes."""
        starts, widths = self._starts, [size + 1 for size in self.sizes]
        columns = [self.codes[:, j] - np.int32(start) for j, start in enumerate(starts)]
        found = np.zeros((len(self._real), len(self._real)))
        for j, (start, width) in enumerate(zip(starts, widths, strict=True)):
            own = np.arange(start, start + width)
            found[own, own] = np.bincount(columns[j], weight, width)
        for a, b in combinations(range(len(starts)), 2):
            pair = np.bincount(columns[a] * np.int32(widths[b]) + columns[b], weight, widths[a] * widths[b])
            here, there = slice(starts[a], starts[a] + widths[a]), slice(starts[b], starts[b] + widths[b])
            found[here, there] = pair.reshape(widths[a], widths[b])
            found[there, here] = found[here, there].T
        return found[np.ix_(self._real, self._real)]

    def _parted(self, B: Floats) -> Floats:
        """What belongs to each column of [Z, D] of what belongs to each of X."""
        found = np.empty(B.shape)
        found[self.order] = B
        return found

    @cached_property
    def _starts(self) -> list[int]:
        return [int(start) for start in np.cumsum([0, *(size + 1 for size in self.sizes[:-1])])]

    @cached_property
    def _real(self) -> Bools:
        """Which codes are dummies."""
        found = np.ones(sum(self.sizes) + len(self.sizes), dtype=bool)
        found[self._starts] = False
        return found

    def _indicators(self, sizes: Floats | None = None) -> sp.csr_array:
        """D, and a column for the rows without a dummy of each column of codes; a size of each row in place of 1."""
        n, c = self.codes.shape
        sizes = np.ones(n) if sizes is None else sizes
        cells = np.repeat(sizes, c), self.codes.ravel(), np.arange(0, n * c + 1, c, dtype=np.int32)
        return sp.csr_array(cells, shape=(n, len(self._real)))


@dataclass(frozen=True)
class Transposed:
    """X', for products with what belongs to the rows."""

    matrix: SplitMatrix

    def __matmul__(self, R: Floats) -> Floats:
        """X'R, for R of shape (n,) or (n, m)."""
        matrix = self.matrix
        sums = (matrix._indicators().T @ R)[matrix._real]
        found: Floats = np.concatenate([matrix.dense.T @ R, sums])[matrix.order]
        return found

"""A matrix of dense columns beside sparse ones: products of its columns leave the zeros out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.solvers.linear.dummies import Dummies, squares
from mercer.solvers.row_chunks import Sums, sum_rows

# Share of stored cells above which a column is held dense. Of the others mean^2 is at most the variance, so that
# products about zero can be centred without losing digits.
_FULL = 0.5
_BLOCK = 1 << 21  # dense cells whose products are computed at a time: 16 MiB
_OF_STORED = 8.0  # time of a product with a stored cell, for one of two dense cells, as measured


@dataclass(frozen=True)
class SplitMatrix:
    """X = [Z, S][:, order]: dense columns Z beside sparse ones S, of which a row has few that are not 0.

    X'WX takes n (p + r)^2 steps of p dense columns and r cells that are not 0 in a row of S, however many its columns
    are; as dense columns these would take n (p + q)^2.

    Attributes
    ----------
    dense : ndarray of shape (n, p)
        Z.
    sparse : Dummies or csr_array of shape (n, q)
        S.
    order : ndarray of shape (p + q,)
        Which column of [Z, S] each column of X is.
    """

    dense: Floats
    sparse: Any
    order: NDArray[np.intp]

    @classmethod
    def of(cls, X: sp.csr_array) -> SplitMatrix:
        """The columns of a CSR matrix, dense those that have more than half of their cells stored."""
        columns = sp.csc_array(X, dtype=np.float64)
        columns.sum_duplicates()  # of a copy: a cell may be stored in parts
        full = np.diff(columns.indptr) > _FULL * X.shape[0]
        order = np.argsort(np.concatenate([np.flatnonzero(full), np.flatnonzero(~full)]))
        return cls(columns[:, full].toarray(order="C"), sp.csr_array(columns[:, ~full]), order)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.dense), len(self.order)

    @property
    def nbytes(self) -> int:
        sparse = self.sparse
        parts = [sparse] if isinstance(sparse, Dummies) else [sparse.data, sparse.indices, sparse.indptr]
        return int(self.dense.nbytes) + sum(int(part.nbytes) for part in parts)

    @property
    def work(self) -> float:
        """How long the products of all columns take, in steps of dense ones."""
        stored = self.sparse.codes.size if isinstance(self.sparse, Dummies) else self.sparse.nnz
        return _work(len(self), self.dense.shape[1], stored)

    def tocsr(self) -> sp.csr_array:
        """All columns sparse; of those that are not codes."""
        return sp.csr_array(sp.hstack([sp.csr_array(self.dense), self.sparse], format="csr")[:, self.order])

    def __len__(self) -> int:
        return len(self.dense)

    def __getitem__(self, rows: slice) -> SplitMatrix:
        return replace(self, dense=self.dense[rows], sparse=self.sparse[rows])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        whole = np.hstack([self.dense, self.sparse.toarray()])
        return whole[:, self.order].astype(dtype or np.float64, copy=False)

    def __matmul__(self, B: Floats) -> Floats:
        """X B, for B of shape (d,) or (d, m)."""
        p, parted = self.dense.shape[1], self._parted(B)
        found: Floats = self.dense @ parted[:p] + self.sparse @ parted[p:]
        return found

    @property
    def T(self) -> Transposed:
        return Transposed(self)

    def products(self, shift: Floats, beside: Floats, weight: Floats | None) -> tuple[Floats, Floats]:
        """sum w z, (d + t,), and sum w z z', (d + t, d + t), over rows z = (x - shift, beside).

        beside : (n, t); weight : (n,), 0 or above, or None for 1
        """
        size = max(256, _BLOCK // (self.dense.shape[1] + beside.shape[1] + 1))

        def work(rows: slice, part: SplitMatrix) -> Sums:
            return part._products(shift, beside[rows], None if weight is None else weight[rows])

        sums, products = sum_rows(self, work, size=size)
        return sums, products

    def _products(self, shift: Floats, beside: Floats, weight: Floats | None) -> tuple[Floats, Floats]:
        p, q = self.dense.shape[1], self.sparse.shape[1]
        shift = self._parted(shift)
        Z = np.empty((len(self), p + beside.shape[1]))
        np.subtract(self.dense, shift[:p], out=Z[:, :p])
        Z[:, p:] = beside
        own = np.ones(len(self)) if weight is None else weight
        total, centre, sparse_total = own @ Z, shift[p:], _sums(self.sparse, own)
        across = _sums(self.sparse, Z if weight is None else Z * weight[:, None]) - np.outer(centre, total)
        if weight is not None:
            Z *= np.sqrt(weight)[:, None]  # of both factors of each product, so that half of them are computed
        moved, mass = np.outer(sparse_total, centre), float(own.sum())
        found = np.empty((q + Z.shape[1], q + Z.shape[1]))
        dense = np.concatenate([np.arange(p), np.arange(p + q, len(found))])
        sparse = np.arange(p, p + q)
        found[np.ix_(dense, dense)] = Z.T @ Z
        found[np.ix_(sparse, dense)] = across
        found[np.ix_(dense, sparse)] = across.T
        found[np.ix_(sparse, sparse)] = self._squares(weight) - moved - moved.T + mass * np.outer(centre, centre)
        order = np.append(self.order, np.arange(p + q, len(found)))
        sums = np.concatenate([total[:p], sparse_total - mass * centre, total[p:]])
        return sums[order], found[np.ix_(order, order)]

    def _squares(self, weight: Floats | None) -> Floats:
        """S'WS."""
        coded = isinstance(self.sparse, Dummies)
        return self.sparse.squares(weight) if coded else squares(self.sparse, weight)

    def _parted(self, B: Floats) -> Floats:
        """What belongs to each column of [Z, S] of what belongs to each of X."""
        found = np.empty(B.shape)
        found[self.order] = B
        return found


@dataclass(frozen=True)
class Transposed:
    """X', for products with what belongs to the rows."""

    matrix: SplitMatrix

    def __matmul__(self, R: Floats) -> Floats:
        """X'R, for R of shape (n,) or (n, m)."""
        matrix = self.matrix
        found: Floats = np.concatenate([matrix.dense.T @ R, _sums(matrix.sparse, R)])[matrix.order]
        return found


def work_of_products(X: sp.csr_array) -> float:
    """How long the products of the columns of `SplitMatrix.of(X)` take, in steps of dense ones."""
    full = np.bincount(X.indices, minlength=X.shape[1]) > _FULL * X.shape[0]
    return _work(X.shape[0], int(full.sum()), int((~full)[X.indices].sum()))


def _work(n: int, p: int, stored: int) -> float:
    r = stored / max(n, 1)
    return n * (p * p + _OF_STORED * (p + r) * r)


def _sums(S: Any, R: Floats) -> Floats:
    """S'R."""
    found: Floats = S.sums(R) if isinstance(S, Dummies) else S.T @ R
    return found

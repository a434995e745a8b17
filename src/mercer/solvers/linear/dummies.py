"""Dummies that are kept as codes: their products are sums by code, without the zeros."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from mercer._core.linear import weighted_products
from mercer.arrays import Bools, Floats, Ints


@dataclass(frozen=True)
class Dummies:
    """D (n, q): columns of zeros and ones, of which a row has at most one 1 in each column of codes.

    Attributes
    ----------
    codes : ndarray of shape (n, c)
        Column j counts from the sum of (q_i + 1) over the columns i before it, which is a row without a dummy.
    sizes : tuple of int
        The dummies q_j of each column of codes.
    """

    codes: Ints
    sizes: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.codes), sum(self.sizes)

    @property
    def nbytes(self) -> int:
        return int(self.codes.nbytes)

    def __getitem__(self, rows: slice) -> Dummies:
        return replace(self, codes=self.codes[rows])

    def __matmul__(self, B: Floats) -> Floats:
        """D B, for B of shape (q,) or (q, m)."""
        effect = np.zeros((len(self._real), *B.shape[1:]))
        effect[self._real] = B
        found = np.zeros((len(self.codes), *B.shape[1:]))
        for j in range(len(self.sizes)):
            found += effect[self.codes[:, j]]
        return found

    def sums(self, R: Floats) -> Floats:
        """D'R, for R of shape (n,) or (n, m)."""
        found: Floats = (self._indicators().T @ R)[self._real]
        return found

    def squares(self, weight: Floats | None) -> Floats:
        """D'WD."""
        return squares(self._indicators(), weight)[np.ix_(self._real, self._real)]

    def toarray(self) -> Floats:
        """With its zeros."""
        found: Floats = self._indicators().toarray()[:, self._real]
        return found

    def _indicators(self) -> sp.csr_array:
        """D, and a column for the rows without a dummy of each column of codes."""
        n, c = self.codes.shape
        cells = np.ones(n * c), self.codes.ravel(), np.arange(0, n * c + 1, c, dtype=np.int32)
        return sp.csr_array(cells, shape=(n, len(self._real)))

    @cached_property
    def _real(self) -> Bools:
        """Which codes are dummies."""
        found = np.ones(sum(self.sizes) + len(self.sizes), dtype=bool)
        found[np.cumsum([0, *(size + 1 for size in self.sizes[:-1])])] = False
        return found


def squares(S: sp.csr_array, weight: Floats | None) -> Floats:
    """S'WS, (d, d), of a CSR matrix of increasing columns in each row; by one thread, as callers have several."""
    found, d = np.empty((S.shape[1], S.shape[1])), S.shape[1]
    columns, starts = S.indices.astype(np.int32, copy=False), S.indptr.astype(np.int64, copy=False)
    cells = {"values": S.data, "columns": columns, "starts": starts, "n_columns": d}
    weighted_products(cells, np.ones(S.shape[0]) if weight is None else weight, found, 1)
    return found

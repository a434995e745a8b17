"""The feature map of landmark rows (Nystroem): z(x) = N' k(Z, x) with N N' = k(Z, Z)^-1.

z(a).z(b) is k(a, b) where either row is a landmark, and in general the part of it that the landmarks explain; with all
rows as landmarks it is the kernel on them. Reference: Williams and Seeger 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sl

from mercer._core.threads import at_most
from mercer.arrays import Array, Floats, Longs
from mercer.errors import BadTable
from mercer.estimators.kernel.rows import refuse_infinite_sums
from mercer.kernels import Kernel
from mercer.kernels.base import refuse_overflow
from mercer.table import Table

_CELLS = 1 << 22  # kernel values held at a time


@dataclass(frozen=True)
class Landmarks:
    """A fitted kernel, m rows Z of the training table, their places in it, and N, (m, r)."""

    kernel: Kernel
    rows: Table
    places: Longs
    normalization: Floats

    @classmethod
    def of(cls, kernel: Kernel, table: Table, places: Longs, n_jobs: int | None, dtype: Any = np.float64) -> Landmarks:
        """The map of these rows, for features of this dtype."""
        rows = table.take(places)
        gram = np.asarray(kernel.gram(rows, dtype=np.float64, n_jobs=n_jobs))
        refuse_overflow(kernel, gram)
        with at_most(n_jobs):
            return cls(kernel, rows, places, inverse_root(gram, kernel, np.dtype(dtype)))

    def features(self, table: Table, dtype: np.dtype[Any], n_jobs: int | None = None) -> Array:
        """z of every row, (n_rows, r), by blocks of rows."""
        factor = self.normalization.astype(dtype)
        found = np.empty((len(table), factor.shape[1]), dtype=dtype)
        start = 0
        with at_most(n_jobs):
            for part in table.chunks(max(256, _CELLS // max(len(self.rows), 1))):
                between = self.kernel.gram(part, self.rows, dtype=dtype)
                np.matmul(between, factor, out=found[start : start + len(part)])
                start += len(part)
        refuse_infinite_sums(self.kernel, found)
        return found


def inverse_root(gram: Floats, kernel: Kernel, dtype: np.dtype[Any]) -> Floats:
    """N, (m, r), with N N' the inverse of a kernel matrix on its r eigenvectors above what the dtype's rounding hides.

    Directions with an eigenvalue of rounding, or below 0 as some kernels have them, are left out.
    """
    values, vectors = sl.eigh(gram)
    kept = values > len(gram) * np.finfo(dtype).eps * max(values[-1], 0.0)
    if not kept.any():
        raise BadTable(f"{kernel!r} has no positive eigenvalue on the landmarks. Use another kernel, or other columns.")
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))

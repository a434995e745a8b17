"""The dual problem that every support vector machine is solved as."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats


@dataclass(frozen=True)
class Problem:
    """Minimise D(b) = 1/2 b'Kb + r'b + sum_i e_i |b_i| + 1/2 sum_i ridge_i b_i^2 over lower <= b <= upper.

    Signed coefficients b_i = y_i alpha_i keep labels out of it. With `equality`, sum(b) stays what it is at `start`, in
    each of the groups [0, split) and [split, n), or over all when split is 0.

    Parameters
    ----------
    linear, lower, upper, start : array of shape (n,)
        r, the box, and a point that meets the constraints.
    tube, ridge : array of shape (n,), optional
        e and ridge; 0 when absent.
    rows : array of int32 of shape (n,), optional
        Kernel row of each variable; its own number when absent.
    split : int
        First variable of the second group; 0 for one group.
    equality : bool
        Whether sums are fixed.
    """

    linear: Floats
    lower: Floats
    upper: Floats
    start: Floats
    tube: Floats | None = None
    ridge: Floats | None = None
    rows: NDArray[np.int32] | None = None
    split: int = 0
    equality: bool = True

    @property
    def kernel_rows(self) -> NDArray[np.int32]:
        return np.arange(len(self.linear), dtype=np.int32) if self.rows is None else self.rows

    @property
    def tube_or_zero(self) -> Floats:
        return np.zeros(len(self.linear)) if self.tube is None else self.tube

    @property
    def ridge_or_zero(self) -> Floats:
        return np.zeros(len(self.linear)) if self.ridge is None else self.ridge

    def at_bound(self, beta: Floats) -> NDArray[np.bool_]:
        """Which variables are not 0 and cannot grow."""
        full = np.where(beta > 0, self.upper, -self.lower)
        bounded: NDArray[np.bool_] = (np.abs(beta) > 0) & (np.abs(beta) >= full)
        return bounded

    @property
    def groups(self) -> list[slice]:
        n = len(self.linear)
        return [slice(0, self.split), slice(self.split, n)] if 0 < self.split < n else [slice(0, n)]

"""What a relevance vector machine asks of its basis functions phi_m(x) = k(x, x_m), one for each row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mercer.arrays import Floats, Longs

_TIED = 1e-6  # share by which equal pivots, as of rows at equal distances, may differ for rounding


class Basis(Protocol):
    """The n functions at the n rows, Phi_im = phi_m(x_i); Phi need not be held."""

    @property
    def n(self) -> int:
        """Rows, and functions."""

    def columns(self, chosen: Longs) -> Floats:
        """Phi of some of the functions, (n, k)."""

    def diagonal(self) -> Floats:
        """Phi_mm, (n,)."""

    def products(self, values: Floats) -> Floats:
        """Phi'V, (n, k), for V of (n, k)."""

    def squares(self, weight: Floats) -> Floats:
        """sum_i weight_i Phi_im^2, (n,)."""


@dataclass(frozen=True)
class HeldBasis:
    """Phi as an array; a symmetric one is read row by row."""

    phi: Floats

    @property
    def n(self) -> int:
        """Rows, and functions."""
        return len(self.phi)

    def columns(self, chosen: Longs) -> Floats:
        """(n, k)."""
        return np.asarray(self.phi[:, chosen])

    def diagonal(self) -> Floats:
        """(n,)."""
        return self.phi.diagonal()

    def products(self, values: Floats) -> Floats:
        """(n, k)."""
        return np.asarray(self.phi.T @ values)

    def squares(self, weight: Floats) -> Floats:
        """(n,), by blocks that stay in the processor's cache."""
        step = max(1, 2**20 // self.n)
        blocks = [slice(start, start + step) for start in range(0, self.n, step)]
        return np.asarray(sum(weight[b] @ self.phi[b] ** 2 for b in blocks))


@dataclass(frozen=True)
class BlockBasis:
    """Phi of a symmetric kernel when needed: `multiply(V)` = Phi V, `block(rows)` = some rows, `own` = the diagonal."""

    n: int
    multiply: Callable[[Floats], Floats]
    block: Callable[[Longs], Floats]
    own: Floats
    step: int

    def diagonal(self) -> Floats:
        """(n,)."""
        return self.own

    def columns(self, chosen: Longs) -> Floats:
        """(n, k)."""
        return np.ascontiguousarray(self.block(chosen).T)

    def products(self, values: Floats) -> Floats:
        """(n, k)."""
        return self.multiply(values)

    def squares(self, weight: Floats) -> Floats:
        """(n,)."""
        found = np.zeros(self.n)
        for start in range(0, self.n, self.step):
            rows = np.arange(start, min(start + self.step, self.n))
            found += weight[rows] @ self.block(rows) ** 2
        return found


def spread_functions(basis: Basis, most: int, least: float) -> Longs:
    """Functions that differ: pivots of the Cholesky decomposition of Phi, until what is left of Phi_mm is small.

    Of equal pivots the first is taken, so that rounding, which differs between BLAS, does not choose.
    """
    left = basis.diagonal().copy()
    factor = np.zeros((basis.n, 0))
    found: list[int] = []
    enough = least * left.max(initial=0.0)
    while len(found) < min(most, basis.n):
        largest = float(left.max())
        if largest <= enough:
            break
        place = int(np.argmax(left >= (1 - _TIED) * largest))
        column = basis.columns(np.array([place]))[:, 0] - factor @ factor[place]
        factor = np.column_stack([factor, column / np.sqrt(left[place])])
        left = left - factor[:, -1] ** 2
        left[place] = -np.inf
        found.append(place)
    return np.array(found, dtype=np.int64)

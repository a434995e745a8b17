"""Divide and conquer: the training rows in cells of a few thousand, a machine in each, a row answered by its own cell.

A cell holds the rows that are nearer to its centre, one of the training rows, than to the others', by the kernel's own
distance k(x, x) - 2 k(x, c) + k(c, c): for an RBF on numbers the Voronoi cells of the centres. Each machine is exact,
and knows nothing beyond its cell. Reference: Steinwart and Thomann 2017 (liquidSVM).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.arrays import Floats, Ints, Longs
from mercer.kernels import Kernel
from mercer.state import Reader, State
from mercer.table import Table, table_from_state, table_state

SIZE = 2000  # rows of a cell, about, when no number is given
_CELLS = 1 << 22  # kernel values held at a time
_ROUNDS = 6  # in which cells that are too large are split


@dataclass(frozen=True)
class Cells:
    """Centres, the cell of each support vector, and the intercepts of each cell, (n_cells, n_problems).

    kernels : of the machines of which decisions are the mean, beside the first
    of_kernel : the number of the kernel of each support vector among all; support vectors are in the order of cells,
        those of a cell in that of kernels
    """

    centres: Table
    of_support: Ints
    intercepts: Floats
    kernels: tuple[Kernel, ...]
    of_kernel: Ints

    def decisions(self, kernel: Kernel, table: Table, support: Table, coef: Floats, dtype: Any, n_jobs: int) -> Floats:
        """(n_rows, n_problems), each row by the machines of its cell; coef is (n_problems, n_support)."""
        own = nearest(kernel, table, self.centres, dtype, n_jobs)
        found, kernels = self.intercepts[own], (kernel, *self.kernels)
        ends = np.searchsorted(self._places, np.arange(len(self.intercepts) * len(kernels) + 1))
        for cell in np.unique(own):
            rows = np.flatnonzero(own == cell)
            new = table.take(rows)
            for k, each in enumerate(kernels, start=int(cell) * len(kernels)):
                part = slice(int(ends[k]), int(ends[k + 1]))
                if part.stop > part.start:
                    weights = np.ascontiguousarray(coef[:, part].T)
                    found[rows] += each.product(new, support.take(part), weights, dtype=dtype, n_jobs=n_jobs)
        return found

    @property
    def _places(self) -> Longs:
        """Cell and kernel of each support vector as one number."""
        return self.of_support.astype(np.int64) * (1 + len(self.kernels)) + self.of_kernel

    def to_state(self) -> State:
        """As plain data."""
        return {
            "centres": table_state(self.centres),
            "of_support": self.of_support,
            "intercepts": self.intercepts,
            "kernels": [kernel.to_state() for kernel in self.kernels],
            "of_kernel": self.of_kernel,
        }

    @classmethod
    def from_state(cls, state: Reader, n_support: int, n_problems: int) -> Cells:
        """The stored cells, every value checked."""
        centres = table_from_state(state.child("centres"))
        kernels = tuple(Kernel.from_state(reader) for reader in state.children("kernels"))
        of_support = state.array("of_support", "int32", (n_support,), low=0, high=len(centres) - 1)
        of_kernel = state.array("of_kernel", "int32", (n_support,), low=0, high=len(kernels))
        intercepts = state.array("intercepts", "float64", (len(centres), n_problems))
        found = cls(centres, of_support, intercepts, kernels, of_kernel)
        if not len(centres) or (np.diff(found._places) < 0).any():
            raise state.refuse("of_support", "support vectors in the order of cells and their kernels")
        return found


def nearest(kernel: Kernel, table: Table, centres: Table, dtype: Any, n_jobs: int) -> Longs:
    """The number of the centre nearest to each row."""
    own = kernel.diag(centres, dtype=np.float64) / 2
    found = [np.empty(0, dtype=np.int64)]
    for part in table.chunks(max(256, _CELLS // max(len(centres), 1))):
        found.append(np.argmin(own - kernel.gram(part, centres, dtype=dtype, n_jobs=n_jobs), axis=1))
    return np.concatenate(found)


def divide(kernel: Kernel, table: Table, size: int, seed: int, dtype: Any, n_jobs: int) -> tuple[Longs, Longs]:
    """(places of centres, cell of each row): cells of about `size` rows, fewer than twice that where rows differ."""
    rng = np.random.default_rng(seed)
    centres = rng.permutation(len(table))[: max(1, round(len(table) / size))]
    for _ in range(_ROUNDS):
        own = nearest(kernel, table, table.take(centres), dtype, n_jobs)
        sizes = np.bincount(own, minlength=len(centres))
        more = []
        for cell in np.flatnonzero(sizes >= 2 * size):
            rows = np.setdiff1d(np.flatnonzero(own == cell), centres)
            more.append(rng.permutation(rows)[: int(sizes[cell] // size)])
        if not more:
            break
        centres = np.concatenate([centres, *more])
    own = nearest(kernel, table, table.take(centres), dtype, n_jobs)
    used, own = np.unique(own, return_inverse=True)
    return centres[used].astype(np.int64), own.astype(np.int64)

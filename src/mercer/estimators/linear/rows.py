"""The rows that a linear regression learns from, with what several targets share."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.errors import BadTable
from mercer.solvers.linear.least_squares import Root, root_of_rows
from mercer.solvers.linear.moments import Moments


@dataclass(frozen=True)
class FitRows:
    """Columns as numbers (n, d), targets (n, t) and weights; products and triangulation are made once for all targets.

    intercept : whether columns are centred
    """

    matrix: Any
    targets: Floats
    weight: Floats | None
    intercept: bool

    @cached_property
    def _moments(self) -> Moments:
        found = Moments.of(self.matrix, self.targets, self.weight)
        if not np.isfinite(found.scatter).all():
            raise BadTable("The squares of the numbers are beyond what a double holds. Scale the columns first.")
        return found

    @cached_property
    def _root(self) -> Root:
        moments = self._moments if self.intercept else self._moments.around_zero()
        return root_of_rows(self.matrix, self.targets, self.weight, moments)

    def moments(self, k: int) -> Moments:
        """Of the columns and target k."""
        return self._moments.of_target(k, self.targets.shape[1])

    def root(self, k: int) -> Root:
        """The triangular factor of the columns, and target k in its terms."""
        return replace(self._root, target=self._root.target[:, k])

    def take(self, kept: NDArray[np.bool_]) -> FitRows:
        weight = None if self.weight is None else self.weight[kept]
        return FitRows(self.matrix[kept], self.targets[kept], weight, self.intercept)

"""The terms of a perceptron: columns as numbers, standardised before it sees them, and its coefficients after."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Array, Bools, Floats
from mercer.encode.design import Design
from mercer.solvers.linear.moments import means_variances
from mercer.state import Reader, State
from mercer.table import Schema, Table


@dataclass(frozen=True)
class Terms:
    """Columns as terms by a design; numbers become (x - centre) / scale, levels and words stay 0, 1 and counts.

    Attributes
    ----------
    design : Design
        How columns become terms.
    mean : ndarray of shape (n_terms,) or None
        Mean of each term in the training rows; None of a sparse matrix.
    deviation : ndarray of shape (n_terms,) or None
        Standard deviation of each term, 1 for a constant; None where nothing is standardised.
    """

    design: Design
    mean: Floats | None
    deviation: Floats | None

    @classmethod
    def learn(cls, table: Table, *, standardised: bool) -> Terms:
        """From the training rows."""
        design = Design.learn(table)
        if not standardised:
            return cls(design, None if table.is_sparse else _means(design.matrix(table)), None)
        mean, variance = means_variances(design.matrix(table), None)
        deviation = np.sqrt(variance)
        deviation = np.where(deviation > 1e-13 * np.abs(mean), deviation, 1.0)
        return cls(design, None if table.is_sparse else mean, deviation)

    def __len__(self) -> int:
        return len(self.design.names)

    @cached_property
    def scale(self) -> Floats | None:
        """What each term is divided by, (n_terms,), 1 for those that are no numbers; None: nothing is standardised."""
        return None if self.deviation is None else np.where(self._is_number, self.deviation, 1.0)

    @property
    def centre(self) -> Floats:
        """What is taken off each term, (n_terms,): the mean of standardised numbers, but for a sparse matrix."""
        if self.deviation is None or self.mean is None:
            return np.zeros(len(self))
        return np.where(self._is_number, self.mean, 0.0)

    @property
    def _is_number(self) -> Bools:
        columns = set(self.design.numbers.columns)
        return np.fromiter((name in columns for name in self.design.names), dtype=bool, count=len(self))

    def rows(self, table: Table) -> Any:
        """The terms of some rows as the perceptron sees them, (n_rows, n_terms), dense or CSR."""
        matrix = self.design.matrix(table)
        if self.scale is None:
            return matrix
        centre = self.centre
        if not sp.issparse(matrix):
            return (matrix - centre) / self.scale
        scaled, n = sp.csr_array(matrix.multiply(1.0 / self.scale)), matrix.shape[0]
        moved = np.flatnonzero(centre)
        if not len(moved):
            return scaled
        taken = np.tile((centre / self.scale)[moved], n), np.tile(moved, n), np.arange(n + 1) * len(moved)
        return sp.csr_array(scaled - sp.csr_array(taken, shape=matrix.shape))

    def in_units(self, w: Floats, b: Floats) -> tuple[Array, Array]:
        """Coefficients and intercepts of the columns as they are, from those of the perceptron."""
        if self.scale is None:
            return w, b
        coef = w / self.scale
        return coef, b - coef @ self.centre

    def from_units(self, coef: Floats, intercept: Floats) -> tuple[Floats, Floats]:
        """The way back."""
        return (coef, intercept) if self.scale is None else (coef * self.scale, intercept + coef @ self.centre)

    def to_state(self) -> State:
        given = {
            name: value for name, value in (("mean", self.mean), ("deviation", self.deviation)) if value is not None
        }
        return {"design": self.design.to_state(), **given}

    @classmethod
    def from_state(cls, state: Reader, schema: Schema) -> Terms:
        design = Design.from_state(state.child("design"), schema)
        size, low = (len(design.names),), float(np.nextafter(0.0, 1.0))
        mean = state.array("mean", "float64", size) if state.has("mean") else None
        deviation = state.array("deviation", "float64", size, low=low) if state.has("deviation") else None
        state.finish()
        return cls(design, mean, deviation)


def _means(matrix: Any) -> Floats:
    with np.errstate(over="ignore"):
        return np.asarray(matrix.mean(axis=0, dtype=np.float64))

"""The perceptron on sparse rows: standardised through its coefficients, a step costs the stored cells of one row."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.arrays import Floats
from mercer.estimators.perceptron.hyperplanes import Hyperplanes
from mercer.estimators.perceptron.passes import Examples
from mercer.solvers.perceptron import SparsePlane, run_sparse

Snapshot: TypeAlias = list[tuple[Floats, float, float]]


class SparseTrainer:
    """Moves hyperplanes by the mistakes of CSR rows x, as `HyperplaneTrainer` does by those of (x - mean) / scale.

    A step along (x - mean) / scale changes the coefficients of x by (x - mean) / scale^2. The part of the mean is the
    same for every row, q = mean / scale^2, so that a number says how often it was taken off (`SparsePlane.shift`).
    """

    def __init__(
        self, planes: Hyperplanes, x: sp.csr_array, standard: tuple[Floats, Floats], examples: Examples, eta0: float,
        margin: float,
    ) -> None:  # fmt: skip
        occurs = standard[0] != 0
        occurs[x.indices] = True
        self.columns = np.flatnonzero(occurs)  # the others, of hashed words most, are 0 in every standardised row
        self.planes, self.x, self.examples = planes, x[:, self.columns], examples
        self.mean, self.scale = (values[self.columns] for values in standard)
        x = self.x
        self.inverse = self.scale**-2.0
        self.steps = eta0 * examples.factor
        self.margin = margin
        self.along_mean = np.asarray(x @ (self.mean * self.inverse))  # q'x of each row
        centre = float(self.mean**2 @ self.inverse)
        squares = sp.csr_array((x.data**2, x.indices, x.indptr), shape=x.shape) @ self.inverse
        norm = (squares - 2 * self.along_mean + centre).max(initial=0.0)
        planes.radius = max(planes.radius, float(np.sqrt(max(norm, 0.0))))
        self.offset_steps = planes.radius**2 - self.along_mean + centre  # of the intercept of x, per unit of step
        self.moving = [self._plane(k) for k in range(len(planes.w))]

    def _plane(self, k: int) -> SparsePlane:
        w = self.planes.w[k]
        coef = w[1:][self.columns] / self.scale
        lag = np.zeros(len(coef)) if self.planes.average else None
        return SparsePlane(coef, 0.0, float(w[0] - coef @ self.mean), lag)

    def one_pass(self, order: NDArray[np.intp]) -> float:
        """Show the rows in this order; the mistakes, by weight."""
        mistakes, repeats = 0.0, self.examples.repeats
        for k, plane in enumerate(self.moving):
            wrong = run_sparse(
                plane, self.x, order, signs=self.examples.signs[:, k], repeats=repeats, steps=self.steps,
                margin=self.margin, inverse=self.inverse, along_mean=self.along_mean, offset_steps=self.offset_steps,
                shown=float(self.planes.shown[k]),
            )  # fmt: skip
            self.planes.shown[k] += repeats.sum()
            mistakes += float(wrong @ self.examples.factor)
        return mistakes

    def train_scores(self) -> Floats:
        """The scores of the rows by the last position."""
        scores = [self.x @ p.coef - p.shift * self.along_mean + p.offset for p in self.moving]
        return np.column_stack(scores)

    def snapshot(self) -> Snapshot:
        """The last position."""
        return [(p.coef.copy(), p.shift, p.offset) for p in self.moving]

    def restore(self, snapshot: Any) -> None:
        """Back to a position; not with an average, to which every pass belongs."""
        if not self.planes.average:
            for plane, (coef, shift, offset) in zip(self.moving, snapshot, strict=True):
                plane.coef, plane.shift, plane.offset = coef, shift, offset

    def finish(self) -> Floats:
        """Write the hyperplanes in standardised terms; the scores of the rows."""
        planes, q = self.planes, self.mean * self.inverse
        for k, plane in enumerate(self.moving):
            coef = plane.coef - plane.shift * q
            planes.w[k, 1 + self.columns] = coef * self.scale
            planes.w[k, 0] = plane.offset + coef @ self.mean
            if plane.lag is not None:
                planes.lag[k, 1 + self.columns] += (plane.lag - plane.lag_sum * q) * self.scale
                planes.lag[k, 0] += plane.lag_sum * planes.radius**2
        self.moving = [self._plane(k) for k in range(len(planes.w))]
        final = planes.final()
        coef = final[:, 1 + self.columns] / self.scale
        return np.asarray(self.x @ coef.T) + (final[:, 0] - coef @ self.mean)

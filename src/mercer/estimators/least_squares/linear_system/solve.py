"""The systems of a machine solved: by factorising the kernel matrix where it fits, else by conjugate gradients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from mercer.arrays import Array, Floats, Ints
from mercer.errors import MercerError
from mercer.estimators.least_squares.linear_system.systems import System
from mercer.kernels import Kernel
from mercer.kernels.base import refuse_overflow
from mercer.solvers.ridge import cholesky, conjugate_gradient
from mercer.solvers.ridge.cholesky import Factor
from mercer.solvers.ridge.conjugate_gradient import Limits, Products
from mercer.solvers.ridge.solution import RidgeSolution, relative_size
from mercer.solvers.ridge.spectrum import Spectrum
from mercer.table import Table


@dataclass(frozen=True)
class Solved:
    """A system, its solution, and the factor of its matrix where that was factorised."""

    system: System
    solution: RidgeSolution
    factor: Factor | None = None


class SystemSolver(Protocol):
    """Solves one system after the other on the same training rows."""

    def solve(self, system: System, penalty: Floats, weight: Floats) -> Solved:
        """With a penalty for each target, (t,), and the weight of each training row."""


@dataclass(frozen=True)
class Factorised:
    """By the whole kernel matrix; with `once` it may be written over where a system has all rows."""

    gram: Floats
    intercept: bool
    once: bool

    def solve(self, system: System, penalty: Floats, weight: Floats) -> Solved:
        """By one factorisation; by one eigendecomposition for targets that differ in their penalties."""
        whole = len(system.rows) == len(self.gram)
        own = (self.gram if self.once else self.gram.copy()) if whole else self.gram[np.ix_(system.rows, system.rows)]
        mine = weight[system.rows]
        if (penalty == penalty[0]).all():
            return Solved(system, *cholesky.solve(own, penalty[0] / mine, system.targets, intercept=self.intercept))
        return Solved(system, _each_penalty(own, mine, penalty, system.targets, intercept=self.intercept))


@dataclass(frozen=True)
class Iterated:
    """By products with the kernel matrix, which is never held unless it was given, as `gram`."""

    kernel: Kernel
    table: Table
    intercept: bool
    limits: Limits
    dtype: np.dtype[Any]
    n_jobs: int
    gram: Floats | None = None

    def solve(self, system: System, penalty: Floats, weight: Floats) -> Solved:
        """By preconditioned conjugate gradients."""
        if not (penalty == penalty[0]).all() or penalty[0] <= 0:
            raise MercerError(
                "Conjugate gradients take one penalty above 0 for all targets. Give one, or solver='cholesky'."
            )
        products = self._products(system)
        noise = penalty[0] / weight[system.rows]
        steps = self.limits.max_iter if self.limits.max_iter >= 0 else 10 * len(noise)
        limits = Limits(self.limits.tol, steps, self.limits.time_limit)
        return Solved(
            system,
            conjugate_gradient.solve(products, noise, system.targets, intercept=self.intercept, limits=limits),
        )

    def _products(self, system: System) -> Products:
        if self.gram is not None:
            own = self.gram[np.ix_(system.rows, system.rows)]
            return Products(lambda values: own @ values, own.diagonal(), lambda index: own[index])
        table = self.table.take(system.rows)
        diagonal = np.asarray(self.kernel.diag(table, dtype=np.float64))
        refuse_overflow(self.kernel, diagonal)

        def multiply(values: Floats) -> Floats:
            values = np.ascontiguousarray(values)
            return self.kernel.product(table, table, values, dtype=self.dtype, n_jobs=self.n_jobs)

        def rows(index: Ints) -> Array:
            return self.kernel.gram(table.take(index), table, dtype=np.float64, n_jobs=self.n_jobs)

        return Products(multiply, diagonal, rows)


def given_penalty(values: Mapping[str, Any], name: str, n_problems: int) -> Floats:
    """The penalty of each target, (n_problems,): alpha, or 1 / C."""
    given = np.atleast_1d(np.asarray(values[name], dtype=np.float64))
    if given.size not in (1, n_problems):
        raise MercerError(
            f"Number of targets and number of penalties do not correspond: {name} has {given.size} numbers for "
            f"{n_problems} targets. Give one, or one for each."
        )
    return np.broadcast_to(given if name == "alpha" else 1 / given, n_problems)


def _each_penalty(gram: Floats, weight: Floats, penalty: Floats, targets: Floats, *, intercept: bool) -> RidgeSolution:
    """Each target with a penalty of its own, from one decomposition."""
    spectrum = Spectrum.of(gram, weight, float(penalty.min()))
    if penalty.min() <= spectrum.smallest_solvable:
        raise MercerError(
            "A penalty of 0, or too small for a kernel that is not positive, among several: raise it, or fit one "
            "target at a time."
        )
    parts = [
        spectrum.coefficients(float(lam), targets[:, k : k + 1], intercept=intercept) for k, lam in enumerate(penalty)
    ]
    coef, b = np.column_stack([c for c, _ in parts]), np.concatenate([b for _, b in parts])
    residual = gram @ coef + coef * penalty / weight[:, None] + b - targets
    return RidgeSolution(coef, b, relative_size(residual, targets))

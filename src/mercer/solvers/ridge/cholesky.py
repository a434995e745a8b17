"""One factorisation K + N = L L' for one solution, its leave-one-out residuals and predictive variances.

    solve  (K + N) c + b 1 = y,  and sum(c) = 0 where there is an intercept b

Givens: the kernel matrix K, the diagonal N > 0 (penalty over the weight of each row), targets (n, t). Result: c, b, the
residual after one step of iterative refinement, log N(y | 0, K + N). A matrix that is not positive definite (N = 0 and
rows that are alike; a kernel that is none) is solved by its eigenvectors, those of eigenvalue 0 left out: the solution
of least norm. Reference: Rasmussen and Williams 2006, algorithm 2.1; leave-one-out: eq. 5.12, with an intercept Cawley
and Talbot 2007, eq. 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.linalg.blas import dsymm
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dtrtrs

from mercer.arrays import Floats
from mercer.solvers.ridge.solution import RidgeSolution, centred, relative_size

_LOG_2PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class Factor:
    """K + N = L L'. The lower triangle of `cells`, in the order of Fortran, is L, and above it K is as it was."""

    cells: Floats
    diagonal: Floats  # of K + N

    @classmethod
    def of(cls, gram: Floats, noise: Floats) -> Factor | None:
        """The factor of a symmetric matrix, which is written over; None when K + N is not positive definite."""
        cells = np.asarray(gram, dtype=np.float64, order="C").T  # symmetric: its transpose is the same matrix
        diagonal = cells.diagonal() + noise
        np.fill_diagonal(cells, diagonal)
        found, info = dpotrf(cells, lower=1, clean=0, overwrite_a=1)
        # A pivot that is rounding beside its diagonal says that the matrix is singular.
        pivots = found.diagonal() ** 2
        singular = info != 0 or (pivots < len(pivots) * np.finfo(np.float64).eps * np.abs(diagonal)).any()
        return None if singular else cls(found, diagonal)

    def solve(self, targets: Floats) -> Floats:
        """(K + N)^-1 targets, (n, t), refined once."""
        found: Floats = dpotrs(self.cells, targets, lower=1)[0]
        correction: Floats = dpotrs(self.cells, targets - self.multiply(found), lower=1)[0]
        return found + correction

    def multiply(self, values: Floats) -> Floats:
        """(K + N) values, (n, t), by the part of the matrix that was not written over."""
        found: Floats = dsymm(1.0, self.cells, values, lower=0)  # with the diagonal of L in place of its own
        return found + (self.diagonal - self.cells.diagonal())[:, None] * values

    @property
    def log_determinant(self) -> float:
        """log |K + N|."""
        return float(2 * np.log(self.cells.diagonal()).sum())

    def inverse_diagonal(self) -> Floats:
        """The diagonal of (K + N)^-1, (n,)."""
        found: Floats = dpotri(self.cells, lower=1)[0].diagonal().copy()
        return found

    def half_solve(self, values: Floats) -> Floats:
        """L^-1 values: the square of a column is v'(K + N)^-1 v."""
        found: Floats = dtrtrs(self.cells, values, lower=1)[0]
        return found


def solve(gram: Floats, noise: Floats, targets: Floats, *, intercept: bool) -> tuple[RidgeSolution, Factor | None]:
    """The solution, and the factor that gave it; the matrix is written over."""
    kept = gram.diagonal().copy()
    factor = Factor.of(gram, noise)
    if factor is None:
        _restore(gram, kept)
        return _solve_singular(gram, noise, targets, intercept=intercept), None
    coef, b = factor.solve(targets), np.zeros(targets.shape[1])
    evidence = _log_evidence(targets, coef, factor.log_determinant) if not intercept else np.nan
    if intercept:
        coef, b = centred(coef, factor.solve(np.ones((len(coef), 1)))[:, 0])
    residual = relative_size(factor.multiply(coef) + b - targets, targets)
    return RidgeSolution(coef, b, residual, log_evidence=evidence), factor


def leave_one_out(factor: Factor, solution: RidgeSolution, *, intercept: bool) -> Floats:
    """y_i - f_i(x_i), f_i fitted without row i, (n, t): c_i over the diagonal of the inverse."""
    inverse = factor.inverse_diagonal()
    if intercept:
        ones = factor.solve(np.ones((len(inverse), 1)))[:, 0]
        inverse = inverse - ones**2 / ones.sum()
    return solution.coef / inverse[:, None]


def _log_evidence(targets: Floats, coef: Floats, log_determinant: float) -> float:
    n, t = targets.shape
    return float(-((targets * coef).sum() + t * (log_determinant + n * _LOG_2PI)) / 2)


def _restore(gram: Floats, diagonal: Floats) -> None:
    """The matrix again, from the triangle that a factorisation in place leaves."""
    lower = np.tril(gram, -1)  # the upper triangle of the transpose that was factorised
    gram[:] = lower + lower.T
    np.fill_diagonal(gram, diagonal)


def _solve_singular(gram: Floats, noise: Floats, targets: Floats, *, intercept: bool) -> RidgeSolution:
    n = len(gram)
    matrix = gram + np.diag(noise)
    if intercept:
        matrix = np.block([[matrix, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
        targets = np.vstack([targets, np.zeros((1, targets.shape[1]))])
    values, vectors = eigh(matrix)
    kept = np.abs(values) > len(matrix) * np.finfo(np.float64).eps * np.abs(values).max(initial=0.0)
    part = vectors[:, kept]
    found = part @ ((part.T @ targets) / values[kept, None])
    residual = relative_size(matrix @ found - targets, targets)
    b = found[n] if intercept else np.zeros(targets.shape[1])
    return RidgeSolution(found[:n], b, residual, rank=int(kept.sum()))

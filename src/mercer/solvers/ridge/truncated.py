"""Ridge regression at every penalty of a path from the large eigenvalues alone, and a measure of how right that is.

    W^1/2 K W^1/2 = G G' + E,   M^-1 = (G G' + lambda)^-1 - (G G' + lambda)^-1 E M^-1,   M = W^1/2 K W^1/2 + lambda

Givens: the kernel matrix K, weights W > 0. G comes from a pivoted Cholesky decomposition that leaves a small share of
the diagonal of any row; the path of G G' differs from that of K by a share of |E| / lambda at most, and the bound is
far from tight. So what it differs by is measured: `residuals_of` gives the residuals of some rows left out for K
itself, by conjugate gradients on M with (G G' + lambda)^-1 as preconditioner. Stop: a relative residual of 1e-5; None
where 40 steps do not reach it. Reference: Harbrecht, Peters and Schneider 2012 (the decomposition).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mercer.arrays import Floats, Longs
from mercer.solvers.ridge.conjugate_gradient import Limits, iterate
from mercer.solvers.ridge.spectrum import RidgePath, Spectrum, bordered, low_rank, weighted

_LEFT_OUT = 1e-4  # of the mean of the diagonal: what a row may have left; 8,000 rows of eight numbers have rank 1,556
_MOST = 1 / 3  # of the rows: with a rank beyond it, all eigenvectors are not so much slower
_SAMPLE = 96  # rows that are predicted from the nearest alone
_EXACT = 24  # of them: rows that are solved exactly
_NEAREST = 100
_CLEARLY = 0.8  # of their mean square at the lambda chosen: near it, 100 rows prefer another penalty than all (0.94)
_TOLERANCE = 0.01  # of the residuals of these rows, in the root of their mean square
_LIMITS = Limits(tol=1e-5, max_iter=40)


@dataclass(frozen=True)
class Truncated:
    """W^1/2 K W^1/2, (n, n), and the spectrum of G G'."""

    matrix: Floats
    spectrum: Spectrum

    @classmethod
    def of(cls, gram: Floats, weight: Floats) -> Truncated | None:
        """None for a matrix of high rank, or one that is not positive semi-definite."""
        root = np.sqrt(weight)
        matrix = weighted(gram, root)
        factor = low_rank(matrix, _LEFT_OUT * matrix.trace(), _MOST)
        return None if factor is None else cls(matrix, Spectrum.of_scaled(factor, root))

    def residuals_of(self, rows: Longs, lambdas: Floats, targets: Floats, *, intercept: bool) -> Floats | None:
        """y_i - f_i(x_i) of rows each left out alone, (m, n_rows, t); None where they take too many steps.

        All lambdas go together: a step is bound by reading the matrix.
        """
        root, t = self.spectrum.root, targets.shape[1]
        units = np.zeros((len(root), len(rows)))
        units[rows, np.arange(len(rows))] = 1.0
        columns = np.hstack([self.spectrum.scaled(targets), units])
        each = np.repeat(lambdas, columns.shape[1])
        solved, _, converged = iterate(
            lambda values: self.matrix @ values + each * values,
            lambda values: self.spectrum.solve(each, values),
            np.tile(columns, len(lambdas)),
            _LIMITS,
        )
        if not converged:
            return None
        residuals = np.empty((len(lambdas), len(rows), t))
        for m, part in enumerate(np.hsplit(solved, len(lambdas))):
            diagonal = np.ones(len(root))  # of the other rows it is not known, and not asked for
            diagonal[rows] = part[rows, t + 1 + np.arange(len(rows))]
            found, _, diagonal = bordered(part[:, : t + 1], diagonal, root, intercept=intercept)
            residuals[m] = found[rows] / (root * diagonal)[rows, None]
        return residuals


def choice_is_right(truncated: Truncated, path: RidgePath, best: float, targets: Floats, *, intercept: bool) -> bool:
    """Whether the lambda with the smallest errors by the path is that of K too, as far as a sample of the rows tells.

    Residuals at that lambda have to be right to 1 %, those at a tenth of it no smaller by conjugate gradients, and at
    smaller ones not clearly so from the nearest rows alone, by which predictions go where the penalty is small.
    """
    n, root = len(targets), truncated.spectrum.root[:, None]
    rows = np.sort(np.random.default_rng(0).choice(n, min(_SAMPLE, n), replace=False))
    below = path.lambdas[path.lambdas < best]
    tenth = [float(below[np.argmin(np.abs(np.log(10 * below / best)))])] if len(below) else []
    some, sizes, tried = rows[:: max(1, len(rows) // _EXACT)], [], np.array([best, *tenth])
    found = truncated.residuals_of(some, tried, targets, intercept=intercept)
    if found is None:
        return False
    for lam, residuals in zip(tried, found, strict=True):
        near, exact = root * _residuals_at(path, lam), root[some] * residuals
        if lam == best and np.sum((near[some] - exact) ** 2) > _TOLERANCE**2 * np.sum(exact**2):
            return False
        # All rows by the path, corrected by what it misses on the sample: far less noise than the sample alone.
        sizes.append(float(np.mean(near**2) + np.mean(exact**2 - near[some] ** 2)))
    if sizes[0] > min(sizes):
        return False
    lambdas = np.append(below[below < best / 10], best)
    local = _local_residuals(truncated, rows, lambdas, targets - targets.mean(axis=0) * intercept)
    errors = np.mean((root[rows] * local) ** 2, axis=(1, 2))
    return bool(errors.min() >= _CLEARLY * errors[-1])


def _residuals_at(path: RidgePath, lam: float) -> Floats:
    found: Floats = path.residuals[np.flatnonzero(path.lambdas == lam)[0]]
    return found


def _local_residuals(truncated: Truncated, rows: Longs, lambdas: Floats, targets: Floats) -> Floats:
    """y_i - f(x_i) of rows by machines on the rows nearest to each, (m, n_rows, t)."""
    root, own = truncated.spectrum.root, truncated.matrix.diagonal() / truncated.spectrum.root**2
    found = np.zeros((len(lambdas), len(rows), targets.shape[1]))
    for place, row in enumerate(rows):
        values = truncated.matrix[row] / (root * root[row])
        distance = own - 2 * values
        distance[row] = np.inf
        nearest = np.argpartition(distance, min(_NEAREST, len(own) - 1) - 1)[:_NEAREST]
        nearest = nearest[nearest != row]
        part, vectors = np.linalg.eigh(truncated.matrix[np.ix_(nearest, nearest)])
        by_vector = vectors.T @ (root[nearest, None] * targets[nearest])
        weights = (truncated.matrix[row, nearest] / root[row] @ vectors) / (np.maximum(part, 0) + lambdas[:, None])
        found[:, place] = targets[row] - weights @ by_vector
    return found

"""Ridge regression at every penalty of a path from one eigendecomposition.

    W^1/2 K W^1/2 = U D U',   c(lambda) = W^1/2 U (D + lambda)^-1 U' W^1/2 (y - b 1)

Givens: the kernel matrix K, weights W > 0 of the rows, targets. Result at each lambda: c, b, the residual of each row
left out, y_i - f_i(x_i) = c_i / [C^-1]_ii with C = K + lambda / W bordered by ones where there is an intercept, the
generalised cross-validation score and the log marginal likelihood. A matrix of low rank is factorised by a pivoted
Cholesky decomposition first; what that leaves out is less than 1e-4 of the smallest lambda, in the sum of eigenvalues,
so every value of the path is right to that share. Reference: Golub, Heath and Wahba 1979 (GCV); Cawley and Talbot 2007,
eq. 4 (leave-one-out with an intercept).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from mercer.arrays import Floats
from mercer.solvers.pivoted_cholesky import blocked_cholesky

_LOG_2PI = float(np.log(2 * np.pi))
_LEFT_OUT = 1e-4  # of the smallest lambda: the largest sum of eigenvalues that a low rank may leave out
_LOW = 1 / 3  # of the rows: with a rank beyond it, all eigenvectors take less time than the two steps
_BLOCK = 1024  # rows whose eigenvectors are squared at a time


@dataclass(frozen=True)
class RidgePath:
    """What each lambda of a path gives.

    lambdas : (m,), increasing
    residuals : y_i - f_i(x_i) with row i left out, (m, n, t)
    gcv : n |W^1/2 (y - f)|^2 / trace(I - H)^2, mean over targets, (m,)
    log_evidence : log N(y | 0, K + lambda / W) summed over targets, (m,); NaN with an intercept
    """

    lambdas: Floats
    residuals: Floats
    gcv: Floats
    log_evidence: Floats


@dataclass(frozen=True)
class Spectrum:
    """Eigenvalues (r,) and eigenvectors (n, r) of W^1/2 K W^1/2; the other n - r eigenvalues are 0. root: W^1/2."""

    values: Floats
    vectors: Floats
    root: Floats

    @classmethod
    def of(cls, gram: Floats, weight: Floats, smallest: float) -> Spectrum:
        """Of a kernel matrix, for lambdas from `smallest` on."""
        root, gram = np.sqrt(weight), np.asarray(gram, dtype=np.float64)
        scaled = weighted(gram, root)
        low = low_rank(scaled, _LEFT_OUT * smallest, _LOW)
        if low is None:
            values, vectors = eigh(scaled, driver="evd", overwrite_a=scaled is not gram, check_finite=False)
            return cls(values, vectors, root)
        return cls.of_scaled(low, root)

    @classmethod
    def of_factor(cls, factor: Floats, weight: Floats) -> Spectrum:
        """Of K = Z Z', for Z (n, r)."""
        root = np.sqrt(weight)
        return cls.of_scaled(factor * root[:, None], root)

    @classmethod
    def of_scaled(cls, low: Floats, root: Floats) -> Spectrum:
        """Of W^1/2 K W^1/2 = G G', for G (n, r)."""
        values, turned = eigh(low.T @ low, driver="evd", check_finite=False)
        kept = values > len(root) * np.finfo(np.float64).eps * values.max(initial=0.0)
        return cls(values[kept], low @ (turned[:, kept] / np.sqrt(values[kept])), root)

    @property
    def smallest_solvable(self) -> float:
        """Below this lambda, some eigenvalue of K + lambda is not positive: the kernel is not a positive one."""
        noise = len(self.root) * np.finfo(np.float64).eps * np.abs(self.values).max(initial=0.0)
        least = float(self.values.min(initial=0.0))
        return -least if least < -noise else 0.0

    def coefficients(self, lam: float, targets: Floats, *, intercept: bool) -> tuple[Floats, Floats]:
        """(c, (n, t); b, (t,))."""
        solved = self.solve(np.array([lam]), self.scaled(targets))
        solved, b, _ = bordered(solved, self.root, self.root, intercept=intercept)
        return solved * self.root[:, None], b

    def path(self, lambdas: Floats, targets: Floats, *, intercept: bool) -> RidgePath:
        """Every lambda, for targets (n, t); NaN where K + lambda is not positive definite."""
        solutions = self._solutions(lambdas, self.scaled(targets))
        n, t = targets.shape
        residuals, gcv, evidence = np.full((len(lambdas), n, t), np.nan), *np.full((2, len(lambdas)), np.nan)
        inverse = self._inverse_diagonals(lambdas)
        for m, lam in enumerate(lambdas):
            if lam <= self.smallest_solvable:
                continue
            solved, _, diagonal = bordered(solutions[:, m], inverse[:, m], self.root, intercept=intercept)
            residuals[m] = solved / (self.root * diagonal)[:, None]
            gcv[m] = n * (solved**2).sum() / (t * diagonal.sum() ** 2)  # lambda^2 above and below
            evidence[m] = np.nan if intercept else self._log_evidence(lam, solved * self.root[:, None], targets)
        return RidgePath(np.asarray(lambdas), residuals, gcv, evidence)

    def scaled(self, targets: Floats) -> Floats:
        """Targets and a column of ones times W^1/2, (n, t + 1)."""
        return np.column_stack([targets, np.ones(len(targets))]) * self.root[:, None]

    def solve(self, lambdas: Floats, values: Floats) -> Floats:
        """M^-1 values, (n, k), M = W^1/2 K W^1/2 + lambda, for one lambda, (1,), or that of each column, (k,)."""
        return self.vectors @ (self._gains(lambdas) * (self.vectors.T @ values)) + values / lambdas

    def _solutions(self, lambdas: Floats, values: Floats) -> Floats:
        """M^-1 values at each lambda, (n, m, k), by one product: the eigenvectors are read from memory once."""
        gains = self._gains(lambdas)[:, :, None] * (self.vectors.T @ values)[:, None, :]
        found = (self.vectors @ gains.reshape(len(gains), -1)).reshape(len(values), len(lambdas), -1)
        found += values[:, None, :] / lambdas[:, None]
        return found

    def _inverse_diagonals(self, lambdas: Floats) -> Floats:
        """The diagonal of M^-1 at each lambda, (n, m)."""
        gains = self._gains(lambdas)
        blocks = [self.vectors[i : i + _BLOCK] ** 2 @ gains for i in range(0, len(self.root), _BLOCK)]
        return np.vstack(blocks) + 1 / lambdas

    def _gains(self, lambdas: Floats) -> Floats:
        """What each eigenvector adds to the 1 / lambda of the directions without one, (r, m)."""
        found: Floats = 1 / (self.values[:, None] + lambdas) - 1 / lambdas
        return found

    def _log_evidence(self, lam: float, coef: Floats, targets: Floats) -> float:
        n, t = targets.shape
        others = (n - len(self.values)) * np.log(lam)
        log_determinant = np.log(self.values + lam).sum() + others - 2 * np.log(self.root).sum()
        return float(-((targets * coef).sum() + t * (log_determinant + n * _LOG_2PI)) / 2)


def bordered(solved: Floats, diagonal: Floats, root: Floats, *, intercept: bool) -> tuple[Floats, Floats, Floats]:
    """(M^-1 W^1/2 (y - b 1), b, diagonal of the inverse), bordered by ones where there is an intercept.

    solved : M^-1 times `Spectrum.scaled`, (n, t + 1); diagonal : of M^-1, (n,)
    """
    found, ones = solved[:, :-1], solved[:, -1]
    if not intercept:
        return found, np.zeros(found.shape[1]), diagonal
    b = root @ found / (root @ ones)
    return found - np.outer(ones, b), b, diagonal - ones**2 / (root @ ones)


def weighted(gram: Floats, root: Floats) -> Floats:
    """W^1/2 K W^1/2; the matrix given where all weights are 1."""
    return gram if (root == 1).all() else gram * root * root[:, None]


def low_rank(matrix: Floats, left_out: float, most: float) -> Floats | None:
    """G, (n, r), with G G' the matrix but for eigenvalues of sum `left_out`; None when r is beyond `most` of n."""
    n = len(matrix)
    factor = blocked_cholesky(matrix, int(most * n), max(left_out / n, 1e-300))
    if factor is None or not factor.size:
        return None
    # The diagonal tells all of what is left of a positive semi-definite matrix, and nothing of any other.
    probe = np.random.default_rng(0).choice([-1.0, 1.0], n)
    missed = float(np.sqrt(((matrix @ probe - factor @ (factor.T @ probe)) ** 2).sum()))
    return factor if missed <= left_out + n * np.finfo(np.float64).eps * matrix.trace() else None

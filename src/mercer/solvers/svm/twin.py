"""The plane of one class in a twin support vector machine: near the rows of the class, away from all others.

    minimise  1/2 sum_near weight_i f(x_i)^2 + C sum_far weight_i loss(1 + f(x_i)) + alpha/2 (|w|^2 + b^2),  f = w.x + b

loss(e) = max(0, e) ("hinge") or e^2 / 2 ("squared"). Givens: the kernel matrix K, which rows are near, weights. Result:
coefficients c with w = sum_i c_i x_i, b = sum_i c_i, the values f. With k = K + 1 (the 1 is b) and W the weights

    hinge     dual: min 1/2 a'M a - sum(a), 0 <= a <= C W_far,  M = [k_ff - k_fn (k_nn + alpha W_n^-1)^-1 k_nf] / alpha;
              solved by `mercer.solvers.svm.smo`, whose duality gap is that of the plane
    squared   (k + alpha D^-1) c = t,  D = W and t = 0 near, D = C W and t = -1 far

Reference: Jayadeva, Khemchandani and Chandra 2007; Kumar and Gopal 2009 (squared); Shao et al. 2011 (the penalty alpha,
here on w and b in the kernel's space, so that a linear kernel gives the linear machine).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from mercer._core.gram import rows_of_gram
from mercer.arrays import Bools, Floats
from mercer.solvers.svm.smo import Limits, Problem, Report, solve


@dataclass(frozen=True)
class Plane:
    """f(x) = sum_i coef_i k(x, x_i) + bias, norm = |w|; how the dual was solved, None for squares."""

    coef: Floats
    bias: float
    norm: float
    report: Report | None


def hinge_planes(
    gram: Floats, near: Bools, weight: Floats, costs: Sequence[float], alpha: float, limits: Limits, n_jobs: int
) -> Iterator[Plane]:
    """The planes with the hinge loss at ascending costs: one system for all, each dual solution starting the next."""
    far = ~near
    own = gram[np.ix_(near, near)] + 1
    own[np.diag_indices_from(own)] += alpha / weight[near]
    between = gram[np.ix_(near, far)] + 1
    solved = _solved(own, between)
    matrix = (gram[np.ix_(far, far)] + 1 - between.T @ solved) / alpha
    matrix = np.ascontiguousarray((matrix + matrix.T) / 2)
    n, beta, f = int(far.sum()), None, None
    for cost in costs:
        problem = Problem(np.full(n, -1.0), np.zeros(n), cost * weight[far], np.zeros(n), equality=False)
        found = solve(problem, rows_of_gram(matrix), start=beta, start_f=f, limits=limits, n_jobs=n_jobs)
        beta, f = found.beta, found.f
        coef = np.zeros(len(gram))
        coef[far], coef[near] = -beta / alpha, solved @ beta / alpha
        yield _plane(gram, coef, found)


def squared_plane(gram: Floats, near: Bools, weight: Floats, cost: float, alpha: float) -> Plane:
    """The plane with the squared loss."""
    matrix = gram + 1
    matrix[np.diag_indices_from(matrix)] += alpha / np.where(near, weight, cost * weight)
    coef = _solved(matrix, np.where(near, 0.0, -1.0))
    return _plane(gram, coef, None)


def _solved(matrix: Floats, right: Floats) -> Floats:
    """The solution of the system; LinAlgError where it has none, or a share of alpha in a weight overflows."""
    if not np.isfinite(matrix.diagonal()).all():
        raise LinAlgError("alpha / weight is not finite")
    return np.asarray(cho_solve(cho_factor(matrix, lower=True, overwrite_a=True), right))


def _plane(gram: Floats, coef: Floats, report: Report | None) -> Plane:
    norm = max(float(coef @ gram @ coef), 0.0) ** 0.5
    return Plane(coef, float(coef.sum()), norm, report)

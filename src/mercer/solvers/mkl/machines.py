"""Support vector machines of a weighted sum of kernels: their value by the weights, its slope and curvature.

    J(d) = max_b  -(r'b + sum_i e_i |b_i|) - 1/2 sum_m d_m b'K_m b

over the box and the sum of a `Problem`, added up over problems that share the weights.

J is convex in d. With b the solution, q_m = b'K_m b: dJ/dd_m = -q_m / 2, and with f_m = K_m b on the rows whose b is
free, d2J/dd_m dd_l = f_m' P f_l, where P inverts sum_m d_m K_m on vectors of sum 0 over these rows. For any b, in
particular one that is not quite a solution, the value at the best weights of p-norm 1 is at least
-(r'b + e'|b|) - 1/2 |q|_p*, 1/p + 1/p* = 1: the dual of the whole problem, and with J the certificate.
Reference: Rakotomamonjy, Bach, Canu and Grandvalet 2008, SimpleMKL (slope, gap for p = 1); Chapelle and Rakotomamonjy
2008, Second order optimization of kernel parameters (curvature); Kloft et al. 2011, lp-norm MKL (dual).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from mercer._core.gram import rows_of_gram
from mercer.arrays import Array, Floats, Ints
from mercer.solvers.mkl.grams import Grams
from mercer.solvers.svm.smo import Limits, Problem, Solution, solve

_MOST_STEPS = 200_000  # or 100 a row: costs beyond what the rows can tell would take them all, machine after machine
_RIDGE = 1e-6  # of the mean of the diagonal
_LARGE, _SINGLE_RIDGE = 1000, 1e-5  # rows from which on curvature, which need not be exact, takes single precision


@dataclass(frozen=True)
class Machines:
    """The machines that share weights."""

    grams: Grams
    problems: Sequence[Problem]
    tol: float = 1e-4  # of each machine

    def sharper(self) -> Machines:
        """The same to a tenth of the tolerance."""
        return replace(self, tol=self.tol / 10)

    def at(self, weights: Floats, last: Point | None = None) -> Point:
        """The machines of a weighted sum, started from those of another."""
        gram = self.grams.weighted(weights)
        rows = rows_of_gram(np.ascontiguousarray(gram))
        limits = Limits(tol=self.tol, max_iter=max(_MOST_STEPS, 100 * self.grams.n))
        found = []
        for k, problem in enumerate(self.problems):
            start = None if last is None else last.solutions[k].beta
            f = None if last is None else weights @ last.images[:, :, k]
            found.append(solve(problem, rows, start=start, start_f=f, limits=limits))
        vectors = np.zeros((self.grams.n, len(self.problems)))
        for k, (problem, solution) in enumerate(zip(self.problems, found, strict=True)):
            vectors[problem.kernel_rows, k] = solution.beta
        images = self.grams.times(vectors)
        return Point(weights, gram, found, images, np.einsum("mnp,np->m", images, vectors))

    def curvature(self, point: Point, most_rows: int) -> Floats:
        """d2J/dd_m dd_l, (m, m), and a little on the diagonal; from at most so many free rows of each machine."""
        total = np.zeros((self.grams.m, self.grams.m))
        for k, (problem, solution) in enumerate(zip(self.problems, point.solutions, strict=True)):
            slack = 1e-9 * float((problem.upper - problem.lower).max())
            b = solution.beta
            free = (np.abs(b) > slack) & (b > problem.lower + slack) & (b < problem.upper - slack)
            own = _evenly(problem.kernel_rows[free], most_rows)
            if len(own) > 1:
                total += _projected(point.gram[np.ix_(own, own)], point.images[:, own, k])
        total[np.diag_indices(len(total))] += _RIDGE * max(float(np.trace(total)) / len(total), 1e-300)
        return total


@dataclass(frozen=True)
class Point:
    """Weights with the solutions of their machines.

    images : K_m b, (m, n, n_problems)
    sizes : q_m = b'K_m b, added up over the machines, (m,)
    """

    weights: Floats
    gram: Array
    solutions: Sequence[Solution]
    images: Floats
    sizes: Floats

    @property
    def value(self) -> float:
        """J, from above."""
        return sum(s.primal for s in self.solutions)

    @property
    def own_gap(self) -> float:
        """What the machines themselves leave of the gap."""
        return sum(s.gap for s in self.solutions)

    @property
    def slope(self) -> Floats:
        """dJ/dd, (m,)."""
        return -0.5 * self.sizes

    @property
    def level(self) -> float:
        """-(r'b + e'|b|): J is at least level + slope'd at any weights d."""
        return sum(s.dual for s in self.solutions) + 0.5 * float(self.weights @ self.sizes)

    def bound(self, p: float) -> float:
        """The value at the best weights of p-norm 1 is at least this."""
        return self.level - 0.5 * _dual_norm(np.maximum(self.sizes, 0), p)


def relative_gap(value: float, bound: float) -> float:
    """How far a value can be from the best, as a part of it."""
    return max(value - bound, 0.0) / max(abs(value), 1e-300)


def _evenly(rows: Ints, most: int) -> Ints:
    return rows if len(rows) <= most else rows[np.linspace(0, len(rows) - 1, most).astype(np.int64)]


def _dual_norm(sizes: Floats, p: float) -> float:
    largest = float(sizes.max())
    if p == 1 or largest == 0:
        return largest
    return largest * float(np.linalg.norm(sizes / largest, p / (p - 1)))


def _projected(gram: Array, images: Floats) -> Floats:
    """f_m' P f_l, (m, m), P the inverse of the matrix on vectors of sum 0; in single precision where it is large."""
    solved = _solved(gram, images, np.float32, _SINGLE_RIDGE) if len(gram) > _LARGE else None
    if solved is None:
        solved = _solved(gram, images, np.float64, _RIDGE)
    if solved is None:  # an indefinite kernel: no curvature is as good as a wrong one
        return np.zeros((len(images), len(images)))
    ones = solved[:, -1]
    found = images @ (solved[:, :-1] - np.outer(ones, solved[:, :-1].sum(axis=0)) / ones.sum())
    return np.asarray(found + found.T) / 2


def _solved(gram: Array, images: Floats, dtype: type[np.floating[Any]], ridge: float) -> Floats | None:
    """(K + ridge)^-1 [f_1, ..., f_m, 1], (n, m + 1); None where that is not positive definite."""
    system = gram.astype(dtype)
    system[np.diag_indices(len(system))] += dtype(ridge * abs(float(np.trace(system))) / len(system))
    try:
        factor = cho_factor(system, overwrite_a=True)
    except LinAlgError:
        return None
    sides = np.column_stack([images.T, np.ones(len(system))]).astype(dtype)
    return np.asarray(cho_solve(factor, sides), dtype=np.float64)

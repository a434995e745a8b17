"""EasyMKL: each kernel by the margin it contributes to a plane that is found once, on the sum of all kernels.

    classes  minimise (1 - lam) g'Y (sum_m K_m) Y g + lam g'g, over g >= 0 that sum to 1 in each class; b = Y g
    nothing  the same with a single class: the rows against the origin
    numbers  b = ((1 - lam) sum_m K_m + lam I)^-1 z: the plane of kernel ridge
    weights  w_m = b'K_m b / sum_l b'K_l b

Givens: Gram matrices (two passes), the problems, lam in [0, 1]: 1 takes the mean of each class, smaller values ever
fewer rows near the other class. Several pairs of classes add up their b'K_m b. Result: weights that sum to 1. Stop:
`smo.solve`, at a violation of `tol` times the value; the gap is that of the problem above over its value.
Reference: Aiolli and Donini 2015, EasyMKL: a scalable multiple kernel learning algorithm.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from mercer._core.gram import rows_of_gram
from mercer.arrays import Array, Floats, Longs
from mercer.solvers.mkl.grams import Grams
from mercer.solvers.mkl.solution import WeightSolution
from mercer.solvers.svm.smo import Limits, Problem, Solution, solve

_MOST_STEPS = 10_000_000
_SMALLEST = 1e-6  # lam below it leaves next to nothing on the diagonal


def margin_problem(rows: Longs, signs: Floats, weight: Floats, lam: float) -> Problem:
    """min 1/2 b'Kb + 1/2 sum_i ridge_i b_i^2, b of the sign of its row, sums 1 and -1 of the two classes."""
    order = np.argsort(-signs, kind="stable")
    signs, own = signs[order], weight[order]
    split = int((signs > 0).sum())
    totals = np.where(signs > 0, own[:split].sum(), own[split:].sum() or 1.0)
    ridge = max(lam, _SMALLEST) / max(1 - lam, _SMALLEST)
    box = np.ones(len(signs))
    return Problem(
        linear=np.zeros(len(signs)), lower=np.where(signs > 0, 0.0, -box), upper=np.where(signs > 0, box, 0.0),
        start=signs * own / totals, ridge=ridge / own, rows=rows[order].astype(np.int32),
        split=split if split < len(signs) else 0,
    )  # fmt: skip


def easy(grams: Grams, problems: Sequence[Problem], tol: float = 1e-4) -> WeightSolution:
    """Weights from the planes of margin problems."""
    summed = grams.weighted(grams.usable.astype(np.float64))
    vectors = np.zeros((grams.n, len(problems)))
    value = gap = 0.0
    for k, problem in enumerate(problems):
        found = _solved(summed, problem, tol)
        vectors[problem.kernel_rows, k] = found.beta
        value, gap = value + abs(found.dual), gap + found.gap
    return _weighed(grams, vectors, value, gap)


def easy_numbers(grams: Grams, targets: Floats, weight: Floats, lam: float) -> WeightSolution:
    """Weights from the planes of kernel ridge; targets (n, k), centred."""
    system = (1 - lam) * grams.weighted(grams.usable.astype(np.float64)).astype(np.float64)
    system[np.diag_indices(grams.n)] += max(lam, _SMALLEST) / weight
    try:
        vectors = cho_solve(cho_factor(system, overwrite_a=True), targets)
    except LinAlgError:  # an indefinite kernel outweighs lam
        vectors = weight[:, None] * targets
    return _weighed(grams, vectors, 1.0, 0.0)


def _solved(summed: Array, problem: Problem, tol: float) -> Solution:
    spread_out = np.bincount(problem.kernel_rows, weights=problem.start, minlength=len(summed))
    f = (summed @ spread_out.astype(summed.dtype)).astype(np.float64)
    value = float(problem.start @ (f[problem.kernel_rows] + problem.ridge_or_zero * problem.start))
    limits = Limits(tol=tol * max(abs(value), 1e-300), max_iter=max(_MOST_STEPS, 100 * len(summed)))
    return solve(problem, rows_of_gram(summed), start_f=f, limits=limits)


def _weighed(grams: Grams, vectors: Floats, value: float, gap: float) -> WeightSolution:
    sizes = np.maximum(grams.forms(vectors).sum(axis=1), 0.0)
    total = sizes.sum()
    weights = sizes / total if total > 0 else grams.uniform()
    return WeightSolution(weights, value, gap / value if value > 0 else 0.0, 1, True)

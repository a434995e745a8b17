"""Weights of kernels by how well each, or their sum, is aligned with the target: no machine is trained.

    alignment  A(K, Y) = <K, Y> / (|K| |Y|), of centred matrices (Frobenius product and norm); Y = ZZ'
    align      w_m = max(0, A(K_m, Y)), divided by their sum
    alignf     w maximises A(sum_m w_m K_m, Y) over w >= 0: up to a factor the v with
               minimise 1/2 v'Mv - a'v subject to v >= 0,  M_ij = <K_i, K_j>,  a_i = <K_i, Y>

Givens: centred products (`grams.centred_products`). Result: weights that sum to 1, and the alignment of their sum.
Stop: alignf is solved by an active set method (scipy's NNLS), exactly; its gap is that of the problem above over its
value.
Reference: Cortes, Mohri and Rostamizadeh 2012, Algorithms for learning kernels based on centered alignment.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from mercer.arrays import Floats
from mercer.solvers.mkl.grams import CentredProducts
from mercer.solvers.mkl.solution import WeightSolution

_RIDGE = 1e-8  # of the mean of M's diagonal: equal kernels then share their weight evenly


def alignments(products: CentredProducts) -> Floats:
    """A(K_m, Y) of each kernel, 0 where one of both is constant, (m,)."""
    norms = np.sqrt(np.maximum(np.diag(products.pairs), 0)) * products.target_norm
    return np.divide(products.target, norms, out=np.zeros_like(norms), where=norms > 0)


def align(products: CentredProducts) -> WeightSolution:
    """Each kernel by its own alignment."""
    found = np.maximum(alignments(products), 0)
    return _solution(products, found, 0.0)


def alignf(products: CentredProducts) -> WeightSolution:
    """The best aligned sum."""
    unit = np.sqrt(np.maximum(np.diag(products.pairs), 0))
    unit[unit == 0] = 1.0
    pairs, target = products.pairs / np.outer(unit, unit), products.target / unit
    lower = np.linalg.cholesky(pairs + _RIDGE * np.eye(len(unit)))
    found, _ = nnls(lower.T, np.linalg.solve(lower, target))
    slope = pairs @ found - target
    value = 0.5 * float(found @ target)
    gap = float(found @ np.abs(slope)) + found.sum() * max(0.0, -float(slope.min()))
    return _solution(products, found / unit, gap / value if value > 0 else 0.0)


def _solution(products: CentredProducts, found: Floats, gap: float) -> WeightSolution:
    total = found.sum()
    weights = found / total if total > 0 else found
    norm = np.sqrt(max(float(weights @ products.pairs @ weights), 0.0)) * products.target_norm
    reached = float(weights @ products.target) / norm if norm > 0 else 0.0
    return WeightSolution(weights, reached, gap, 1, True)

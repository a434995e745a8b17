"""Weights of p-norm 1 by the closed form of Kloft et al.: not sparse, the more even the larger p.

    minimise J(d) over d >= 0 with (sum_m d_m^p)^(1/p) = 1,  p > 1

with J the value of support vector machines (`machines.py`). Givens: machines, p. Result: weights, J and the gap of the
whole. Machine and weights in turn: with |w_m| = d_m sqrt(q_m),

    d_m = |w_m|^(2/(p+1)) / (sum_l |w_l|^(2p/(p+1)))^(1/p)

Stop: gap at most `tol` of J, or a number of machines.
Reference: Kloft, Brefeld, Sonnenburg and Zien 2011, lp-norm multiple kernel learning (weights, dual).
"""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats
from mercer.solvers.mkl.machines import Machines, relative_gap
from mercer.solvers.mkl.solution import WeightSolution


def best_weights(lengths: Floats, p: float) -> Floats:
    """The d of p-norm 1 that minimises sum_m |w_m|^2 / d_m, (m,)."""
    powers = np.power(lengths / lengths.max(), 2 / (p + 1))
    return np.asarray(powers / np.linalg.norm(powers, p))


def lp_norm(machines: Machines, p: float, *, tol: float = 1e-3, max_iter: int = 200) -> WeightSolution:
    """The best weights of p-norm 1."""
    uniform = machines.grams.uniform()
    point = machines.at(uniform / np.linalg.norm(uniform, p))
    bound, tried = point.bound(p), 1
    while relative_gap(point.value, bound) > tol and tried < max_iter:
        lengths = point.weights * np.sqrt(np.maximum(point.sizes, 0))
        if not lengths.any():
            break
        point = machines.at(best_weights(lengths, p), point)
        bound, tried = max(bound, point.bound(p)), tried + 1
    gap = relative_gap(point.value, bound)
    return WeightSolution(point.weights, point.value, gap, tried, gap <= tol)

"""A kernel deformed by a graph of rows, so that functions of small norm are smooth along it.

    1/2 |f|^2 + strength/2 f(X)'L f(X)  is half the squared norm of f in the space of
    k~(x, x_j) = k(x, X) A_j,  A = (I + strength L K)^-1

Givens: the kernel matrix K of all rows X, the graph's Laplacian L. Result: the columns A_j of the rows with a label; a
machine on the matrix K~ of those rows with coefficients b is f(x) = sum_i (A b)_i k(x, x_i).
Reference: Sindhwani, Niyogi and Belkin 2005, eq. 7; Belkin, Niyogi and Sindhwani 2006, sections 4.2 and 4.3.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, solve

from mercer.arrays import Floats, Longs


def neighbour_laplacian(gram: Floats, n_neighbors: int) -> Floats:
    """D - W, W_ij = 1 where i is among the nearest of j or j among those of i, by k_ii + k_jj - 2 k_ij."""
    n, own = len(gram), gram.diagonal()
    k = min(n_neighbors, n - 1)
    squared = own[:, None] + own[None, :] - 2 * gram
    np.fill_diagonal(squared, np.inf)
    nearest = np.argsort(squared, axis=1, kind="stable")[:, :k]
    joined = np.zeros((n, n))
    joined[np.arange(n)[:, None], nearest] = 1.0
    joined = np.maximum(joined, joined.T)
    found: Floats = np.diag(joined.sum(axis=1)) - joined
    return found


def deformation(gram: Floats, laplacian: Floats, strength: float, labelled: Longs) -> Floats:
    """The columns of A = (I + strength L K)^-1 of the labelled rows, (n_rows, n_labelled)."""
    with np.errstate(over="ignore", invalid="ignore"):
        matrix = strength * (laplacian @ gram)
    if not np.isfinite(matrix).all():
        raise LinAlgError("strength L K is not finite")
    matrix[np.diag_indices_from(matrix)] += 1
    return np.asarray(solve(matrix, np.eye(len(gram))[:, labelled], overwrite_a=True, overwrite_b=True))


def squared_machine(gram: Floats, y: Floats, cost: float) -> tuple[Floats, float]:
    """(coefficients, b) of min 1/2 |f|^2 + cost/2 sum_i (y_i - f(x_i) - b)^2."""
    n = len(gram)
    system = np.ones((n + 1, n + 1))
    system[:n, :n] = gram + np.eye(n) / cost
    system[n, n] = 0.0
    found = solve(system, np.append(y, 0.0))
    return found[:n], float(found[n])

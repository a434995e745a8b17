"""Products and distances of all pairs of rows, dense or sparse: what the formulas of numeric kernels are made
of.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import manhattan_distances

Array: TypeAlias = NDArray[Any]
Rows: TypeAlias = Any  # (n, p) floats: an array, or a SciPy sparse array


def is_sparse(x: Rows) -> bool:
    return bool(sp.issparse(x))


def dots(x: Rows, y: Rows) -> Array:
    """x_i . y_j, (n_x, n_y)."""
    if is_sparse(x) or is_sparse(y):
        product = sp.csr_array(x) @ sp.csr_array(y).T
        return np.asarray(product.toarray())
    product = x @ y.T
    return np.asarray(product)


def squares(x: Rows) -> Array:
    """|x_i|^2, (n_x,)."""
    if is_sparse(x):
        return np.asarray(x.multiply(x).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", x, x))


def squared_distances(x: Rows, y: Rows) -> Array:
    """|x_i - y_j|^2, (n_x, n_y), never negative, and exactly 0 between a row and itself when y is x.

    From dot products, so rows should lie around 0: the kernels here subtract the mean of the training rows
    first, without which columns such as years would lose all their digits in float32.
    """
    found = dots(x, y)
    found *= -2
    found += squares(x)[:, None]
    found += squares(y)[None, :]
    np.maximum(found, 0, out=found)
    if x is y:
        np.fill_diagonal(found, 0)
    return found


def city_blocks(x: Rows, y: Rows) -> Array:
    """sum_k |x_ik - y_jk|, (n_x, n_y)."""
    found = manhattan_distances(x, y) if is_sparse(x) else cdist(x, y, "cityblock")
    return np.asarray(found, dtype=x.dtype)

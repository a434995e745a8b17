"""Products and distances of all pairs of rows, dense or sparse: what the formulas of numeric kernels are made of."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from mercer._core.gram import KernelSpec, Matrix, gram
from mercer.arrays import Array


def is_sparse(x: Matrix) -> bool:
    return bool(sp.issparse(x))


def dots(x: Matrix, y: Matrix) -> Array:
    """x_i . y_j, (n_x, n_y)."""
    if is_sparse(x) or is_sparse(y):
        product = sp.csr_array(x) @ sp.csr_array(y).T
        return np.asarray(product.toarray())
    product = x @ y.T
    return np.asarray(product)


def squares(x: Matrix) -> Array:
    """|x_i|^2, (n_x,)."""
    if is_sparse(x):
        return np.asarray(x.multiply(x).sum(axis=1)).ravel()
    return np.asarray(np.einsum("ij,ij->i", x, x))


def squared_distances(x: Matrix, y: Matrix) -> Array:
    """|x_i - y_j|^2, (n_x, n_y), never negative, and exactly 0 between a row and itself when y is x.

    Beyond 64 columns it comes from dot products, so rows should lie around 0: the kernels here subtract the mean of the
    training rows first, without which columns such as years would lose all their digits in float32.
    """
    return gram(x, None if y is x else y, KernelSpec("distance"))

"""Products of the columns of sparse rows, without their zeros."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._core.linear import weighted_products
from mercer._core.threads import effective_jobs
from mercer.arrays import Floats

# Of the cells of a row: a product of two stored cells takes as long as 50 of dense ones, of which BLAS adds up half.
MOST_STORED = 1 / 8
# |mean| / scale of a column: products about zero lose the square of this in digits when the mean is taken out.
FARTHEST = 1e3


def products_pay(X: Any, mean: Floats, scale: Floats) -> bool:
    """Whether X is sparse enough that `sparse_products` about the mean are quicker than dense ones, and as good."""
    return (
        sp.issparse(X)
        and X.nnz <= MOST_STORED * X.shape[0] * X.shape[1]
        and bool((np.abs(mean) <= FARTHEST * scale).all())
        and bool(X.has_canonical_format)
    )


def sparse_products(X: Any, shift: Floats, beside: Floats, weight: Floats) -> Floats:
    """sum w z z', (d + t, d + t), over rows z = (x - shift, beside).

    X : CSR of increasing columns in each row; beside : (n, t); weight : (n,), of any sign
    """
    d = X.shape[1]
    cells = {
        "values": X.data.astype(np.float64, copy=False),
        "columns": X.indices.astype(np.int32, copy=False),
        "starts": X.indptr.astype(np.int64, copy=False),
        "n_columns": d,
    }
    found = np.empty((d + beside.shape[1], d + beside.shape[1]))
    inside, weighed = np.empty((d, d)), weight[:, None] * beside
    weighted_products(cells, weight, inside, effective_jobs(None))
    sums, mass = X.T @ weight, float(weight.sum())
    moved = np.outer(sums, shift)
    found[:d, :d] = inside - moved - moved.T + mass * np.outer(shift, shift)
    found[:d, d:] = X.T @ weighed - np.outer(shift, weighed.sum(axis=0))
    found[d:, :d] = found[:d, d:].T
    found[d:, d:] = beside.T @ weighed
    return found

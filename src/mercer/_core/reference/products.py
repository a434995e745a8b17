"""NumPy twin of the products of sparse columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats


def weighted_products(x: Mapping[str, Any], weight: Floats, out: Floats, n_jobs: int = 1) -> None:
    """out (d, d) = sum over rows of w x x', of rows in CSR (values, columns, starts, n_columns) of increasing columns.

    weight : (n,), of any sign
    """
    starts, n, d = x["starts"], len(x["starts"]) - 1, int(x["n_columns"])
    if len(weight) != n or out.shape != (d, d):
        raise ValueError("weight must have one entry per row, and out be columns x columns")
    row = np.repeat(np.arange(n), np.diff(starts))
    if ((np.diff(x["columns"]) <= 0) & (np.diff(row) == 0)).any():
        raise ValueError("columns must increase in each row")
    rows = sp.csr_array((x["values"], x["columns"], starts), shape=(n, d))
    out[:] = (rows.T @ sp.csr_array(rows.multiply(weight[:, None]))).toarray()

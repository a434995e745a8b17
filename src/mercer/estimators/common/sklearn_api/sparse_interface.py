"""Sparse results as scikit-learn is set to give them."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp
from sklearn import get_config


def sparse_result(values: Any) -> Any:
    """An array or sparse matrix as CSR: a `csr_array` where scikit-learn's `sparse_interface` says so, else a
    `csr_matrix`, with which `*` is a product of matrices."""
    arrays = get_config().get("sparse_interface") == "sparray"
    return sp.csr_array(values) if arrays else sp.csr_matrix(values)

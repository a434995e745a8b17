"""Whether numbers came in single precision, which scikit-learn's linear models then answer in."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_single(X: Any) -> bool:
    """Whether an array or a data frame is of single precision: float32, beside columns that it can hold."""
    if not hasattr(X, "dtypes"):
        return getattr(X, "dtype", None) == np.float32
    try:
        kinds = [str(kind).lower().replace("boolean", "bool") for kind in X.dtypes]
        return np.result_type(*kinds) == np.float32
    except (TypeError, ValueError):  # no columns, or columns that are no numbers
        return False

"""What the numbers of a column are multiplied by before they are compared."""

from __future__ import annotations

from typing import Literal

import numpy as np

from mercer.arrays import Floats
from mercer.encode.blocks import robust_scale

ColumnScale = Literal["none", "std", "robust", "range"]


def column_scales(numbers: Floats, scale: ColumnScale, weight: Floats | None = None) -> Floats:
    """1, 1 / deviation or 1 / range of each column, missing cells left out; a constant column keeps 1.

    "robust" is a deviation that a few cells far from all others do not move (`mercer.encode.blocks.robust_scale`).
    weight : of each row, (n_rows,), above 0; None weighs all alike
    """
    ones = np.ones(numbers.shape[1])
    if scale == "none" or not len(numbers):
        return ones
    seen = ~np.isnan(numbers)
    mass = np.ones(len(numbers)) if weight is None else weight / weight.max()
    if scale == "robust":
        width = robust_scale(numbers, mass)[1]
    elif scale == "std":
        total = mass @ seen
        total[total == 0] = 1.0
        mean = mass @ np.where(seen, numbers, 0.0) / total
        width = np.sqrt(mass @ np.where(seen, numbers - mean, 0.0) ** 2 / total)
    else:
        low = np.where(seen, numbers, np.inf).min(axis=0)
        high = np.where(seen, numbers, -np.inf).max(axis=0)
        width = np.where(high >= low, high - low, 0.0)
    with np.errstate(divide="ignore"):
        return np.where(width > 0, 1.0 / np.where(width > 0, width, 1.0), ones)

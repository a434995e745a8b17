"""Columns as ranks, bins or levels: how the tree's NumPy twin sees them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats


@dataclass
class Column:
    codes: NDArray[np.int64]  # rank, bin or level of each row; -1 missing
    nominal: bool
    low: Floats
    high: Floats


def halfway(a: float, b: float) -> float:
    mid = a * 0.5 + b * 0.5
    return float(mid) if a <= mid < b else float(a)


def code_numbers(x: Floats, max_bins: int) -> Column:
    known = ~np.isnan(x)
    values, at = np.unique(x[known] + 0.0, return_inverse=True)
    codes = np.full(len(x), -1, np.int64)
    codes[known] = at
    if not max_bins or len(values) <= max_bins:
        return Column(codes, False, values, values)
    before = np.concatenate([[0], np.cumsum(np.bincount(at))[:-1]])
    opens: list[int] = []
    for r in range(len(values)):
        if r == 0 or before[r] * max_bins >= len(opens) * known.sum():
            opens.append(r)
    bins = np.searchsorted(opens, np.arange(len(values)), side="right") - 1
    codes[known] = bins[at]
    ends = [*(np.array(opens[1:]) - 1), len(values) - 1]
    return Column(codes, False, values[opens], values[ends])

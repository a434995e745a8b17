"""Many small weighted least squares at once: a plane fitted around each query."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats

_SMALL = 1e-10  # a ridge whose equations may be singular in float64
_ROUNDING = 1e-15  # singular values below this share of the largest are 0, as in NumPy's pinv


def local_planes(z: Floats, y: Floats, weight: Floats, at: Floats, ridge: float) -> tuple[Floats, Floats]:
    """Problem: for each query, min over a, b of  sum_i w_i (y_i - a - (z_i - at)'b)^2 + ridge s^2 |b|^2.

    sum_i w_i = 1, and s^2 is the variance of z among the rows of the query, mean over columns: the narrower the rows
    lie, the less a slope is held back.

    Givens: the rows of each query z (q, k, m) and y (q, k), weights (q, k), not all 0 in a query, and at (q, m).
    Result: value of the plane at the query a (q,), slope b (q, m). Where ridge = 0 leaves b open, the shortest.
    Direct: a falls out by centring; b solves m equations, or k of the dual when there are fewer rows than columns.
    Reference: Atkeson, Moore & Schaal (1997), Locally weighted learning, sections 3 and 4.
    """
    share = weight / weight.sum(axis=1, keepdims=True)
    mean = (share[:, None, :] @ z)[:, 0]
    level = (share * y).sum(axis=1)
    root = np.sqrt(share)
    rows = z - mean[:, None, :]
    rows *= root[:, :, None]
    rest = (y - level[:, None]) * root
    slope = _ridge(rows, rest, ridge)
    return level + ((at - mean) * slope).sum(axis=1), slope


def _ridge_by_values(rows: Floats, rest: Floats, ridge: float) -> Floats:
    """The same from singular values, s / (s^2 + ridge s^2-mean), where they cannot be told from 0 left out."""
    left, values, right = np.linalg.svd(rows, full_matrices=False)
    spread = (values**2).sum(axis=1, keepdims=True) / rows.shape[2]
    kept = values > _ROUNDING * values.max(axis=1, keepdims=True, initial=0.0)
    safe = np.where(kept, values, 1.0)
    factor = np.where(kept, 1.0 / (safe + ridge * spread / safe), 0.0)
    slope: Floats = ((factor[:, None, :] * (rest[:, None, :] @ left)) @ right)[:, 0]
    return slope


def _ridge(rows: Floats, rest: Floats, ridge: float) -> Floats:
    """b = argmin |rest - rows b|^2 + ridge s^2 |b|^2 of every query, (q, m)."""
    turned = rows.transpose(0, 2, 1)
    k, m = rows.shape[1:]
    if ridge < _SMALL:
        return _ridge_by_values(rows, rest, ridge)
    spread = np.einsum("qkm,qkm->q", rows, rows) / m
    penalty = ridge * np.where(spread > 0, spread, 1.0)[:, None, None]  # rows all alike: b = 0 whatever it is
    if k < m:
        inner = rows @ turned + penalty * np.eye(k)
        return (turned @ np.linalg.solve(inner, rest[:, :, None]))[:, :, 0]
    inner = turned @ rows + penalty * np.eye(m)
    return np.linalg.solve(inner, turned @ rest[:, :, None])[:, :, 0].astype(np.float64, copy=False)

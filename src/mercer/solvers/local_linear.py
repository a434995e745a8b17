"""Many small weighted least squares at once: a plane fitted around each query."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats


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


def _ridge(rows: Floats, rest: Floats, ridge: float) -> Floats:
    """b = argmin |rest - rows b|^2 + ridge s^2 |b|^2 of every query, (q, m)."""
    turned = rows.transpose(0, 2, 1)
    if ridge == 0:
        return (np.linalg.pinv(rows) @ rest[:, :, None])[:, :, 0]
    k, m = rows.shape[1:]
    spread = np.einsum("qkm,qkm->q", rows, rows) / m
    penalty = ridge * np.where(spread > 0, spread, 1.0)[:, None, None]  # rows all alike: b = 0 whatever it is
    if k < m:
        inner = rows @ turned + penalty * np.eye(k)
        return (turned @ np.linalg.solve(inner, rest[:, :, None]))[:, :, 0]
    inner = turned @ rows + penalty * np.eye(m)
    return np.linalg.solve(inner, turned @ rest[:, :, None])[:, :, 0].astype(np.float64, copy=False)

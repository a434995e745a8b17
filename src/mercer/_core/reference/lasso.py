"""NumPy twins of coordinate descent with a lasso: on a quadratic function, and column by column of a matrix."""

from __future__ import annotations

import numpy as np

from mercer.arrays import Floats, Ints, Longs


def lasso_sweeps(h: Floats, lasso: Floats, places: Longs, u: Floats, r: Floats, sweeps: int) -> None:
    """Sweeps over the coordinates `places` of u'hu/2 + linear terms + sum lasso_j |u_j|; r: derivatives without lasso.

    h (n, n) symmetric; u and r (n,) are changed.
    """
    n = len(h)
    if h.shape != (n, n) or not len(lasso) == len(u) == len(r) == n:
        raise ValueError("h must be square, and lasso, u and r have an entry per row of it")
    if len(places) and not 0 <= places.min() <= places.max() < n:
        raise ValueError("a place is out of range")
    for j in places.tolist() * sweeps:
        if not h[j, j] > 0:
            continue
        free, bound = u[j] - r[j] / h[j, j], lasso[j] / h[j, j]
        new = free - bound if free > bound else free + bound if free < -bound else 0.0
        if new != u[j]:
            r += (new - u[j]) * h[j]
            u[j] = new


def lasso_columns(
    values: Floats, rows: Ints, starts: Longs, p: Floats, weight: Floats, gradient: Floats, ridge: Floats,
    lasso: Floats, u: Floats, intercept: bool, tol: float, max_sweeps: int,
) -> int:  # fmt: skip
    """Minimise the quadratic model of a logistic likelihood with a lasso over u (m, d + 1), B in and the minimum out.

    <G, D> + 1/2 sum_i w_i d_i' (diag(p_i) - p_i p_i') d_i + sum_kj ridge_j u_kj^2 / 2 + lasso_j |u_kj|, D = u - B,
    d_i = D (1, x_i); G: `gradient`, p (n, m). Columns of x in CSC: values, rows, starts. Sweeps over all coordinates,
    then over those that are not 0, until none moves by more than tol over its curvature. Returns the sweeps.
    """
    n, d = len(p), len(starts) - 1
    _expect(values, rows, starts, n, gradient, u)
    shift, mean, everyone = np.zeros_like(p), np.zeros(n), np.arange(n)

    def column(j: int) -> tuple[Longs | Ints, Floats]:
        part = slice(starts[j - 1], starts[j])
        return (everyone, np.ones(n)) if j == 0 else (rows[part], values[part])

    def move(j: int, k: int) -> float:
        i, v = column(j)
        h = float(v * v @ (weight[i] * p[i, k] * (1 - p[i, k]))) + ridge[j]
        if not h > 0:
            return 0.0
        slope = gradient[k, j] + ridge[j] * u[k, j] + v @ (weight[i] * p[i, k] * (shift[i, k] - mean[i]))
        free, bound = u[k, j] - slope / h, lasso[j] / h
        step = np.sign(free) * max(abs(free) - bound, 0.0) - u[k, j]
        u[k, j] += step
        shift[i, k] += v * step
        mean[i] += p[i, k] * v * step
        return float(abs(step) * h)

    sweeps = 0
    places = [(j, k) for j in range(0 if intercept else 1, d + 1) for k in range(p.shape[1])]
    while sweeps < max_sweeps:
        sweeps += 1
        if max([move(j, k) for j, k in places], default=0.0) <= tol:
            break
        active = [(j, k) for j, k in places if j == 0 or u[k, j] != 0]
        while sweeps < max_sweeps and max([move(j, k) for j, k in active], default=0.0) > tol:
            sweeps += 1
    return sweeps


def _expect(values: Floats, rows: Ints, starts: Longs, n: int, gradient: Floats, u: Floats) -> None:
    if gradient.shape != u.shape or u.shape[1] != len(starts):
        raise ValueError("gradient and u must be classes x (columns + 1)")
    if starts[0] != 0 or starts[-1] != len(values) or (np.diff(starts) < 0).any():
        raise ValueError("starts must go from 0 to the number of values")
    if len(rows) != len(values) or (len(rows) and not 0 <= rows.min() <= rows.max() < n):
        raise ValueError("a row is out of range")

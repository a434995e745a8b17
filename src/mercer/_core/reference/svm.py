"""NumPy twins of the solvers of support vector machines: one pair, or one row, at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core.problem import Problem
from mercer._core.reference.gram import Csr, dense
from mercer._core.stopping import Limits, ReportFields, Status
from mercer.arrays import Floats

_TAU = 1e-12
_GAP_STEPS = 50  # the gap costs about as much as ten steps


def slopes(problem: Problem, beta: Floats, f: Floats) -> tuple[Floats, Floats]:
    """Slope of the objective when each coefficient rises (inf: it cannot) and falls (-inf: it cannot)."""
    g = f[problem.kernel_rows] + problem.linear + problem.ridge_or_zero * beta
    e = problem.tube_or_zero
    up = np.where(beta >= problem.upper, np.inf, g + np.where(beta >= 0, e, -e))
    low = np.where(beta <= problem.lower, -np.inf, g + np.where(beta > 0, e, -e))
    return up, low


def loss_argument(problem: Problem, c: Floats, part: slice) -> Floats:
    """The z in the box that maximises -(c z + e|z| + ridge z^2 / 2)."""
    lo, hi = problem.lower[part], problem.upper[part]
    e, rho = problem.tube_or_zero[part], problem.ridge_or_zero[part]
    nearest = np.clip(0.0, lo, hi)
    with np.errstate(divide="ignore", invalid="ignore"):
        rise = np.where(rho > 0, np.minimum(hi, np.maximum(nearest, (-c - e) / rho)), hi)
        fall = np.where(rho > 0, np.maximum(lo, np.minimum(nearest, (e - c) / rho)), lo)
    z = np.where((-c > e) & (hi > 0), rise, nearest)
    return np.where((c > e) & (lo < 0), fall, z)


def values(problem: Problem, beta: Floats, f: Floats) -> tuple[float, float, tuple[float, float]]:
    """(primal, dual, offset of each group) at beta with f = K beta; the offset minimises the primal."""
    up, low = slopes(problem, beta, f)
    fk, e, rho = f[problem.kernel_rows], problem.tube_or_zero, problem.ridge_or_zero
    half = 0.5 * float(beta @ fk)
    dual = -(half + float(problem.linear @ beta + e @ np.abs(beta) + 0.5 * (rho * beta) @ beta))
    primal, bias = half, [0.0, 0.0]
    for s, part in enumerate(problem.groups):
        c = fk[part] + problem.linear[part]
        if problem.equality:
            ends = [-x for x in (low[part].max(), up[part].min()) if np.isfinite(x)]
            bias[s] = _best_offset(problem, c, part, float(beta[part].sum()), ends)
        z = loss_argument(problem, c + bias[s], part)
        with np.errstate(invalid="ignore"):
            inner = (c + bias[s]) * z + e[part] * np.abs(z) + 0.5 * rho[part] * z * z
        primal += float(-np.where(z == 0, 0.0, inner).sum()) + bias[s] * float(beta[part].sum())
    return primal, dual, (bias[0], bias[1])


def _best_offset(problem: Problem, c: Floats, part: slice, total: float, ends: list[float]) -> float:
    if not ends:
        return 0.0
    lo, hi = min(ends), max(ends)
    if len(ends) == 2 and ends[0] < ends[1]:
        for _ in range(60):
            middle = 0.5 * (lo + hi)
            if loss_argument(problem, c + middle, part).sum() > total:
                lo = middle
            else:
                hi = middle
    return 0.5 * (lo + hi)


def smo_solve(
    source: Any, problem: Problem, beta: Floats, f: Floats, f_known: bool, limits: Limits, block: int, n_jobs: int
) -> tuple[ReportFields, tuple[float, float]]:
    """One pair at a time, second-order choice; changes beta and f = K beta (computed first unless `f_known`).

    source: `rows(index)` gives kernel rows. Returns the fields of a Report and the offset of each group. The duality
    gap is looked at every _GAP_STEPS steps. block and n_jobs change nothing here.
    """
    started, steps, rows, where = time.perf_counter(), 0, source.rows, problem.kernel_rows
    used = np.flatnonzero(beta)
    if not f_known or not len(used):
        f[:] = beta[used] @ rows(where[used]).astype(np.float64) if len(used) else 0.0
    diagonal = np.array(
        [rows(where[k : k + 1].astype(np.int32))[0, where[k]] for k in range(len(beta))], dtype=np.float64
    )
    diagonal += problem.ridge_or_zero
    while True:
        up, low = slopes(problem, beta, f)
        i, j, violation = _best_pair(problem, up, low, diagonal, rows)
        solved = violation <= limits.tol
        solved = solved or (steps % _GAP_STEPS == 0 and _gap_reached(problem, beta, f, limits.gap_tol))
        status = _status(solved, steps, time.perf_counter() - started, limits)
        if status:
            break
        _step(problem, beta, f, i, j, up, low, diagonal, rows)
        steps += 1
    primal, dual, bias = values(problem, beta, f)
    return (primal, dual, violation, steps, time.perf_counter() - started, status), bias


def _status(solved: bool, iterations: int, seconds: float, limits: Limits) -> Status | None:
    """Why to stop, or None to go on."""
    if solved:
        return "converged"
    if 0 <= limits.max_iter <= iterations:
        return "max_iter"
    return "time_limit" if 0 < limits.time_limit < seconds else None


def _gap_reached(problem: Problem, beta: Floats, f: Floats, gap_tol: float) -> bool:
    if gap_tol <= 0:
        return False
    primal, dual, _ = values(problem, beta, f)
    return primal - dual <= gap_tol


def _best_pair(
    problem: Problem, up: Floats, low: Floats, diagonal: Floats, rows: Callable[[NDArray[np.int32]], NDArray[Any]]
) -> tuple[int, int, float]:
    if not problem.equality:
        slope = np.maximum(-up, low)
        k = int(np.argmax(np.where(slope > 0, slope**2 / np.maximum(diagonal, _TAU), -1.0)))
        return (k, -1, float(slope.max())) if -up[k] >= low[k] else (-1, k, float(slope.max()))
    best, pair, widest = 0.0, (-1, -1), 0.0
    for part in problem.groups:
        i = part.start + int(np.argmin(up[part]))
        d = np.maximum(low[part] - up[i], 0.0)
        widest = max(widest, float(d.max()))
        row = rows(problem.kernel_rows[i : i + 1].astype(np.int32))[0].astype(np.float64)[problem.kernel_rows[part]]
        gain = d**2 / np.maximum(diagonal[i] + diagonal[part] - 2 * row, _TAU)
        if gain.max() > best:
            best, pair = float(gain.max()), (i, part.start + int(np.argmax(gain)))
    return *pair, widest


def _step(
    problem: Problem,
    beta: Floats,
    f: Floats,
    i: int,
    j: int,
    up: Floats,
    low: Floats,
    diagonal: Floats,
    rows: Callable[[NDArray[np.int32]], NDArray[Any]],
) -> None:
    """Move b_i up and b_j down (either may be absent) to the minimum, a bound or the kink at zero."""
    e, where = problem.tube_or_zero, problem.kernel_rows
    room, curve, slope = np.inf, 0.0, 0.0
    if i >= 0:
        room = (0.0 if e[i] > 0 and beta[i] < 0 else problem.upper[i]) - beta[i]
        curve, slope = curve + diagonal[i], slope - up[i]
    if j >= 0:
        room = min(room, beta[j] - (0.0 if e[j] > 0 and beta[j] > 0 else problem.lower[j]))
        curve, slope = curve + diagonal[j], slope + low[j]
    if i >= 0 and j >= 0:
        curve -= 2 * float(rows(where[i : i + 1].astype(np.int32))[0, where[j]])
    step = min(slope / max(curve, _TAU), room)
    for k, sign in ((i, 1.0), (j, -1.0)):
        if k >= 0:
            beta[k] = np.clip(beta[k] + sign * step, problem.lower[k], problem.upper[k])
            if e[k] > 0 and abs(beta[k]) < 1e-15:
                beta[k] = 0.0
            f += sign * step * rows(where[k : k + 1].astype(np.int32))[0]


def coordinate_descent(
    x: Any, problem: Problem, beta: Floats, w: Floats, limits: Limits, offset_scale: float, seed: int
) -> ReportFields:
    """Every row once per pass, each to its own minimum; changes beta and w. Returns the fields of a Report.

    x: an array or a Csr; w: one entry per column and, last, that of the constant column, whose value is offset_scale.
    """
    started, rng = time.perf_counter(), np.random.default_rng(seed)
    rows = dense(x).astype(np.float64)
    rows = np.column_stack([rows, np.full(len(rows), offset_scale)])
    e, rho = problem.tube_or_zero, problem.ridge_or_zero
    curve = np.maximum((rows**2).sum(axis=1) + rho, _TAU)
    w[:] = beta @ rows
    epochs = 0
    while True:
        up, low = slopes(problem, beta, rows @ w)
        violation = float(np.maximum(-up, low).max(initial=0.0))
        solved = violation <= limits.tol or _gap_reached(problem, beta, rows @ w, limits.gap_tol)
        status = _status(solved, epochs, time.perf_counter() - started, limits)
        if status:
            break
        for i in rng.permutation(len(beta)):
            free = beta[i] - (rows[i] @ w + problem.linear[i] + rho[i] * beta[i]) / curve[i]
            z = np.sign(free) * max(abs(free) - e[i] / curve[i], 0.0)
            target = np.clip(z, problem.lower[i], problem.upper[i])
            w += (target - beta[i]) * rows[i]
            beta[i] = target
        epochs += 1
    primal, dual, _ = values(problem, beta, rows @ w)
    return primal, dual, violation, epochs, time.perf_counter() - started, status


def crammer_singer(
    x: Any, y: NDArray[np.int32], cost: Floats, a: Floats, w: Floats, limits: Limits, offset_scale: float, seed: int
) -> ReportFields:
    """Every row once per pass, its coefficients to their minimum; changes a (rows, classes) and w.

    w: (classes, columns + 1) for an array x, its transpose for a Csr. Report and stop as above.
    """
    if isinstance(x, Csr):
        by_class = np.ascontiguousarray(w.T)
        report = crammer_singer(dense(x), y, cost, a, by_class, limits, offset_scale, seed)
        w[:] = by_class.T
        return report
    started, rng, epochs = time.perf_counter(), np.random.default_rng(seed), 0
    rows = dense(x).astype(np.float64)
    rows = np.column_stack([rows, np.full(len(rows), offset_scale)])
    own = y[:, None] == np.arange(len(w))
    cap, square = own * cost[:, None], (rows**2).sum(axis=1)
    curve = np.where(square > 0, square, 0.5 / np.maximum(cost, 1e-300))
    w[:] = a.T @ rows
    while True:
        g = rows @ w.T + ~own
        top, low = g.max(axis=1), np.where(a < cap, g, np.inf).min(axis=1)
        violation = float((top - np.minimum(low, top)).max(initial=0.0))
        half = 0.5 * float((w**2).sum())
        primal, dual = half + float(cost @ (top - g[own])), float(a[own].sum()) - half
        solved = violation <= limits.tol or 0 < limits.gap_tol >= primal - dual
        status = _status(solved, epochs, time.perf_counter() - started, limits)
        if status:
            break
        for i in rng.permutation(len(rows)):
            b = w @ rows[i] + ~own[i] - curve[i] * a[i]
            found = _capped_sum(curve[i], b, cap[i])
            w += np.outer(found - a[i], rows[i])
            a[i] = found
        epochs += 1
    return primal, dual, violation, epochs, time.perf_counter() - started, status


def _capped_sum(h: float, b: Floats, cap: Floats) -> Floats:
    """The a <= cap of sum 0 that minimises h |a|^2 / 2 + b'a: min(cap, (t - b) / h), t by the largest b + h cap."""
    level = np.sort(b + h * cap)[::-1]
    t = (np.cumsum(level) - h * cap.sum()) / np.arange(1, len(b) + 1)
    enough = np.append(t[:-1] >= level[1:], True)
    found: Floats = np.minimum(cap, (t[np.argmax(enough)] - b) / h)
    return found

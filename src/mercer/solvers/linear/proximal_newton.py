"""Logistic models with a lasso on more coefficients than have second derivatives: proximal Newton, column by column.

Problem: minimise L(B) + sum of ridge b^2 / 2 + lasso |b|, L as in `Logit`. Givens: rows, dense or sparse; penalties
that are the same for every class. Result: B. Stop: the decrease that the quadratic model promises is below tol^2 per
unit of weight, or a number of steps. Reference: Lee, Sun and Saunders 2014; Yuan, Ho and Lin 2012.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._core.linear import lasso_columns
from mercer.arrays import Bools, Floats
from mercer.solvers.linear.logistic import Logit, LogitFit, Penalty, Watch, tell
from mercer.solvers.linear.split_matrix import SplitMatrix

_INNER = 0.05  # of the largest derivative out of balance, to which each model is solved
_SWEEPS = 1000
_FULL = 0.3  # share of stored cells above which a sparse matrix is no smaller than a dense one, which can be centred


def proximal_newton(
    problem: Logit, penalty: Penalty, free: Bools, tol: float, max_iter: int, start: Floats | None = None,
    watch: Watch = None,
) -> LogitFit:  # fmt: skip
    """Newton's method with the exact curvature of all classes.

    Columns are not scaled, which coordinate descent does not notice, and sparse ones not centred.
    """
    X, nothing = _smaller(problem.X), np.zeros(len(problem.mean))
    columns, left = _by_column(X, problem.mean), problem.mean if sp.issparse(X) else nothing
    raw = replace(problem, X=columns, mean=nothing, scale=np.ones(len(nothing)))
    factor = np.append(1.0, problem.scale)
    ridge, lasso = penalty.ridge[0] * factor**2, penalty.lasso[0] * factor
    weight = np.ones(len(problem.codes)) if problem.weight is None else problem.weight
    starts, rows = columns.indptr.astype(np.int64), columns.indices.astype(np.int32, copy=False)

    def scaled(B: Floats) -> Floats:
        return np.column_stack([(B[:, 0] + B[:, 1:] @ left) * raw.intercept, B[:, 1:] * problem.scale])

    def whole(loss: float, B: Floats) -> float:
        return loss + float((0.5 * ridge * B * B + lasso * np.abs(B)).sum())

    B = np.zeros((problem.m, len(free)))
    if start is not None:
        slope = start[:, 1:] / problem.scale
        B = np.column_stack([start[:, 0] - slope @ left, slope])
    loss, error, p = raw.value_errors(B)
    for step in range(1, max_iter + 1):
        gradient, new = raw.gradient_of(error), B.copy()
        within = max(_INNER * _imbalance(gradient + ridge * B, B, lasso), 1e-12 * problem.mass)
        lasso_columns(
            columns.data, rows, starts, p, weight, gradient, ridge, lasso, new, raw.intercept, within, _SWEEPS
        )
        move = new - B
        promise = -_change(raw, p, weight, gradient + ridge * B, move, ridge)
        promise += float((lasso * (np.abs(B) - np.abs(new))).sum())
        before, size = whole(loss, B), 1.0
        while True:
            loss, error, p = raw.value_errors(B + size * move)
            if whole(loss, B + size * move) <= before - 1e-4 * size * promise + 1e-12 * abs(before) or size < 1e-8:
                break
            size /= 2
        B = new if size == 1.0 else B + size * move
        tell(watch, scaled(B))
        if promise <= max(problem.mass * tol * tol, 1e-15 * abs(before)):
            return LogitFit(scaled(B), loss, step, True)
    return LogitFit(scaled(B), loss, max_iter, False)


def _smaller(X: Any) -> Any:
    """Dense or CSR, whichever is smaller."""
    X = X.tocsr() if isinstance(X, SplitMatrix) else X
    return X.toarray() if sp.issparse(X) and X.nnz > _FULL * X.shape[0] * X.shape[1] else X


def _by_column(X: Any, mean: Floats) -> sp.csc_array:
    """Doubles in CSC; of a dense matrix every cell is stored, less the mean of its column."""
    if sp.issparse(X):
        return sp.csc_array(X, dtype=np.float64)
    n, d = X.shape
    cells = np.subtract(X, mean, order="F").ravel(order="F")
    return sp.csc_array((cells, np.tile(np.arange(n, dtype=np.int32), d), np.arange(d + 1) * n), shape=(n, d))


def _imbalance(slope: Floats, B: Floats, lasso: Floats) -> float:
    """The largest derivative that the lasso does not balance."""
    moved = np.abs(slope + lasso * np.sign(B))
    return float(np.where(B != 0, moved, np.maximum(np.abs(slope) - lasso, 0.0)).max(initial=0.0))


def _change(raw: Logit, p: Floats, weight: Floats, slope: Floats, move: Floats, ridge: Floats) -> float:
    """What the smooth part of the model changes by along a move."""
    shift = np.asarray(raw.X @ move[:, 1:].T) + move[:, 0]
    bend = weight @ ((p * shift * shift).sum(axis=1) - (p * shift).sum(axis=1) ** 2)
    return float((slope * move).sum() + 0.5 * (bend + (ridge * move * move).sum()))

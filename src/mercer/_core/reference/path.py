"""NumPy twin of cross-validation along gammas and costs: every training set is solved on its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core.problem import Problem
from mercer._core.reference import svm as reference_svm
from mercer._core.reference.gram import gram_rows
from mercer._core.stopping import Limits
from mercer.arrays import Floats


def path_solve(
    matrix: NDArray[Any], gammas: Floats | None, plan: Any, active: NDArray[np.uint8], path: Any, warm: bool,
    limits: Limits, buffers: int, n_jobs: int,
) -> None:  # fmt: skip
    """Fill in `path` (a CVPath) for every (gamma, cost, fold) of `active`, and every problem of `plan` (a Plan).

    matrix: squared distances when gammas are given, else the kernel. limits.gap_tol is relative to the sum of costs.
    Here no solution starts another, so `warm`, `buffers` and `n_jobs` change nothing.
    """
    for g, c, f in np.argwhere(active):
        kernel = matrix if gammas is None else np.exp(-gammas[g] * matrix.astype(np.float64))
        source, held = gram_rows(kernel), np.flatnonzero(plan.folds == f)
        for p in range(len(plan.targets)):
            train = np.flatnonzero((plan.folds != f) & (plan.members[p] > 0)).astype(np.int32)
            if not len(train):
                continue
            weight = np.ones(len(train)) if plan.weight is None else plan.weight[train]
            problem = _training_problem(plan, plan.targets[p, train], plan.costs[c] * weight, train)
            scale = float(plan.costs[c] * weight.sum())
            beta, decision = problem.start.copy(), np.zeros(len(kernel))
            stop = replace(limits, gap_tol=limits.gap_tol * scale)
            (primal, dual, *_), bias = reference_svm.smo_solve(source, problem, beta, decision, False, stop, 0, 1)
            path.decisions[g, c, p, held] = decision[held] + bias[0]
            path.offsets[g, c, p, f] = bias[0]
            path.gaps[g, c, p, f] = (primal - dual) / scale
            path.supports[g, c, p, f] = np.count_nonzero(beta)
            if path.betas is not None:
                path.betas[g, c, p, f, train] = beta


def _training_problem(plan: Any, target: Floats, cost: Floats, rows: NDArray[np.int32]) -> Problem:
    """C-SVC, or SVR for regression, as in mercer.solvers.svm.duals."""
    box = np.full(len(target), np.inf) if plan.squared_slack else cost
    ridge, n = 1.0 / cost if plan.squared_slack else None, len(target)
    if plan.regression:
        tube = np.full(n, float(plan.epsilon))
        return Problem(-target, -box, box, np.zeros(n), tube=tube, ridge=ridge, rows=rows, equality=plan.bias)
    lower, upper = np.where(target > 0, 0.0, -box), np.where(target > 0, box, 0.0)
    return Problem(-target, lower, upper, np.zeros(n), ridge=ridge, rows=rows, equality=plan.bias)

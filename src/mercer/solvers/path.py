"""Cross-validation of kernel machines over gammas and costs, with the work shared.

Problem: for every gamma, cost, fold and binary problem, train without the fold (`mercer.solvers.smo`) and give the
decision value of each row from the model that did not see it. Givens: squared distances or a Gram matrix, folds,
targets. Distances are computed once, the kernel once per gamma; each solution starts the next cost, and held-out
decision values fall out of the solver's own bookkeeping. Stop: a duality gap of `gap` times the sum of costs (the mean
hinge loss is then within `gap` of its optimum) or the solver's `tol`, whichever is first; 0 asks for `tol` everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core import reference_svm, select
from mercer._core.gram import rows_of_gram
from mercer._core.threads import effective_jobs
from mercer.solvers import machines
from mercer.solvers.smo import Problem

Floats = NDArray[np.float64]
Bits = NDArray[np.uint8]


@dataclass(frozen=True)
class Plan:
    """What is trained and tested: targets (problems, rows), -1 or 1, or numbers for regression; folds (rows): who holds
    each row out, -1 for nobody; members (problems, rows): rows a problem trains on; weight (rows): multiplies the
    cost."""

    targets: Floats
    folds: NDArray[np.int32]
    costs: Floats
    members: Bits | None = None
    weight: Floats | None = None
    regression: bool = False
    squared_slack: bool = False
    epsilon: float = 0.1

    @property
    def n_folds(self) -> int:
        return max(1, int(self.folds.max()) + 1)

    def shape(self, n_gammas: int) -> tuple[int, int, int, int]:
        """(gammas, costs, problems, folds)."""
        return n_gammas, len(self.costs), len(self.targets), self.n_folds

    def checked(self) -> Plan:
        if np.any(np.diff(self.costs) <= 0) or not np.all(self.costs > 0):
            raise ValueError("Costs must be positive and ascending, so that each solution can start the next.")
        n = self.targets.shape[1]
        if len(self.folds) != n or (self.weight is not None and len(self.weight) != n):
            raise ValueError(f"Folds and weights need one entry for each of the {n} rows.")
        members = np.ones(self.targets.shape, np.uint8) if self.members is None else self.members
        return Plan(
            np.ascontiguousarray(self.targets, np.float64), np.ascontiguousarray(self.folds, np.int32),
            np.ascontiguousarray(self.costs, np.float64), np.ascontiguousarray(members, np.uint8),
            None if self.weight is None else np.ascontiguousarray(self.weight, np.float64),
            self.regression, self.squared_slack, self.epsilon,
        )  # fmt: skip


@dataclass
class Path:
    """decisions (gammas, costs, problems, rows), NaN for rows that nobody holds out; offsets, gaps relative to the sum
    of costs, and numbers of support rows, each (gammas, costs, problems, folds); betas (..., folds, rows) when kept."""

    decisions: Floats
    offsets: Floats
    gaps: Floats
    supports: NDArray[np.int64]
    betas: Floats | None = field(default=None, repr=False)

    @classmethod
    def empty(cls, plan: Plan, n_gammas: int, keep: bool) -> Path:
        shape, n = plan.shape(n_gammas), plan.targets.shape[1]
        betas = np.zeros((*shape, n)) if keep else None
        decisions, offsets = np.full((*shape[:3], n), np.nan), np.full(shape, np.nan)
        return cls(decisions, offsets, np.full(shape, np.nan), np.zeros(shape, np.int64), betas)


def follow(
    matrix: NDArray[Any],
    gammas: Floats | None,
    plan: Plan,
    *,
    active: NDArray[np.bool_] | None = None,
    into: Path | None = None,
    keep: bool = False,
    tol: float = 1e-3,
    gap: float = 0.0,
    max_iter: int = -1,
    buffers: int = 2,
    n_jobs: int | None = None,
) -> Path:
    """Solve the grid: `matrix` holds squared distances when gammas are given, else the kernel itself.

    active (gammas, costs, folds): what to solve, default all. into: an earlier path to be sharpened; its betas, when
    kept, are the starts. buffers: kernels held at once; 2 keeps threads busy between gammas, 1 saves a matrix.
    """
    plan = plan.checked()
    n_gammas = 1 if gammas is None else len(gammas)
    path = Path.empty(plan, n_gammas, keep) if into is None else into
    wanted = np.ones((n_gammas, len(plan.costs), plan.n_folds), bool) if active is None else active
    if select.native is None:
        _follow_twin(matrix, gammas, plan, wanted, path, tol, max_iter)
        return path
    select.native.path_solve(
        matrix, None if gammas is None else np.ascontiguousarray(gammas, np.float64), plan.costs, plan.targets,
        plan.members, plan.folds, plan.weight, np.ascontiguousarray(wanted, np.uint8), plan.regression,
        plan.squared_slack, float(plan.epsilon), path.decisions, path.offsets, path.gaps, path.supports, path.betas,
        into is not None, tol, gap, max_iter, 0, buffers, effective_jobs(n_jobs),
    )  # fmt: skip
    return path


@dataclass(frozen=True)
class Search:
    """scores (gammas, costs, folds), larger is better; exact (gammas, costs): solved to the full tolerance; best: the
    (gamma, cost) indices of the highest mean score among the exact ones, the smallest cost and gamma on ties."""

    path: Path
    scores: Floats
    exact: NDArray[np.bool_]
    best: tuple[int, int]


def search(
    matrix: NDArray[Any],
    gammas: Floats | None,
    plan: Plan,
    score: Callable[[Floats], Floats],
    *,
    tol: float = 1e-3,
    gap: float = 5e-3,
    n_jobs: int | None = None,
    memory: float = 1e9,
) -> Search:
    """Screen the whole grid to `gap`, then solve to `tol` every point that could still be the best.

    score maps decisions (problems, rows) to one score a fold. A point is a candidate while its screened mean is no
    further below the best exact mean than twice the largest change that sharpening has made so far.
    """
    n_gammas = 1 if gammas is None else len(gammas)
    needed = float(np.prod(plan.shape(n_gammas))) * plan.targets.shape[1] * 8
    path = follow(matrix, gammas, plan, tol=tol, gap=gap, n_jobs=n_jobs, keep=needed <= memory)
    scores = _all_scores(path, score)
    exact = np.zeros(scores.shape[:2], bool)
    if gap == 0.0:
        exact[:] = True
    change = 0.0
    todo = _candidates(scores, exact, change)
    while todo.any():
        before = scores.mean(axis=-1)[todo]
        chosen = np.repeat(todo[:, :, None], plan.n_folds, axis=2)
        follow(matrix, gammas, plan, active=chosen, into=path, tol=tol, n_jobs=n_jobs)
        for g, c in np.argwhere(todo):
            scores[g, c] = score(path.decisions[g, c])
        exact |= todo
        change = max(change, float(np.abs(scores.mean(axis=-1)[todo] - before).max()))
        todo = _candidates(scores, exact, change)
    means = np.where(exact, scores.mean(axis=-1), -np.inf)
    c, g = np.unravel_index(int(np.argmax(means.T)), means.T.shape)
    return Search(path, scores, exact, (int(g), int(c)))


def _candidates(scores: Floats, exact: NDArray[np.bool_], change: float) -> NDArray[np.bool_]:
    """First the screened leaders; then whatever could still reach the best exact mean."""
    means = scores.mean(axis=-1)
    if not exact.any():
        spread = scores.std(axis=-1) / np.sqrt(scores.shape[-1])
        best = np.unravel_index(int(np.argmax(means)), means.shape)
        return np.asarray(means >= means[best] - 0.1 * spread[best])
    return np.asarray(~exact & (means >= means[exact].max() - 2 * change))


def _all_scores(path: Path, score: Callable[[Floats], Floats]) -> Floats:
    n_gammas, n_costs = path.decisions.shape[:2]
    return np.array([[score(path.decisions[g, c]) for c in range(n_costs)] for g in range(n_gammas)])


def _follow_twin(
    matrix: NDArray[Any], gammas: Floats | None, plan: Plan, wanted: NDArray[np.bool_], path: Path, tol: float,
    max_iter: int,
) -> None:  # fmt: skip
    for g, c, f in np.argwhere(wanted):
        kernel = matrix if gammas is None else np.exp(-gammas[g] * matrix.astype(np.float64))
        held = np.flatnonzero(plan.folds == f)
        for p in range(len(plan.targets)):
            assert plan.members is not None
            train = np.flatnonzero((plan.folds != f) & (plan.members[p] > 0)).astype(np.int32)
            problem = _training_problem(plan, p, train, float(plan.costs[c]))
            beta, decision = problem.start.copy(), np.zeros(len(kernel))
            source = rows_of_gram(np.ascontiguousarray(kernel))
            reference_svm.smo_solve(problem, source.rows, beta, decision, tol, max_iter, 0.0)
            primal, dual, bias = reference_svm.values(problem, beta, decision)
            path.decisions[g, c, p, held] = decision[held] + bias[0]
            path.offsets[g, c, p, f] = bias[0]
            path.gaps[g, c, p, f] = (primal - dual) / (plan.costs[c] * _weights(plan)[train].sum())
            path.supports[g, c, p, f] = np.count_nonzero(beta)
            if path.betas is not None:
                path.betas[g, c, p, f, train] = beta


def _weights(plan: Plan) -> Floats:
    return np.ones(plan.targets.shape[1]) if plan.weight is None else plan.weight


def _training_problem(plan: Plan, p: int, train: NDArray[np.int32], cost: float) -> Problem:
    target, costs, squared = plan.targets[p, train], cost * _weights(plan)[train], plan.squared_slack
    if plan.regression:
        return replace(machines.svr(target, costs, plan.epsilon, squared_slack=squared), rows=train)
    return replace(machines.svc(target, costs, squared_slack=squared), rows=train)

"""Cross-validation of support vector machines over gammas and costs, with the work shared.

Problem: for every gamma, cost, fold and binary problem, train without the fold (`mercer.solvers.svm.smo`) and give the
decision value of each row from the model that did not see it. Givens: squared distances or a Gram matrix, folds,
targets. Distances are computed once, the kernel once per gamma; each solution is the warm start of the next cost,
and decision values of test rows are entries of the solver's own K beta. Result: a `CVPath`. Stop: a duality gap of
gap_tol times the sum of costs (the mean hinge loss is then within gap_tol of its optimum) or the solver's `tol`,
whichever is first; gap_tol 0 asks for `tol` everywhere. Reference: DeCoste and Wagstaff 2000, Alpha seeding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core import svm
from mercer._core.stopping import Limits
from mercer._core.threads import effective_jobs
from mercer.arrays import Floats
from mercer.errors import MercerError

_STEPS_A_ROW = 100  # of each solution under a time limit
Bits = NDArray[np.uint8]
Score = Callable[[Floats, NDArray[np.intp]], float]  # decisions (problems, rows), rows held out -> larger is better


@dataclass(frozen=True)
class Plan:
    """What is trained and tested: targets (problems, rows), -1 or 1, or numbers for regression; folds (rows): who holds
    each row out, -1 for nobody; members (problems, rows): rows a problem trains on; weight (rows): multiplies the
    cost; bias: whether decisions have an offset."""

    targets: Floats
    folds: NDArray[np.int32]
    costs: Floats
    members: Bits | None = None
    weight: Floats | None = None
    regression: bool = False
    squared_slack: bool = False
    epsilon: float = 0.1
    bias: bool = True

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
            self.regression, self.squared_slack, self.epsilon, self.bias,
        )  # fmt: skip


@dataclass
class CVPath:
    """decisions (gammas, costs, problems, rows), NaN for rows that nobody holds out; offsets, gaps relative to the sum
    of costs, and numbers of support rows, each (gammas, costs, problems, folds); betas (..., folds, rows) when kept."""

    decisions: Floats
    offsets: Floats
    gaps: Floats
    supports: NDArray[np.int64]
    betas: Floats | None = field(default=None, repr=False)

    @classmethod
    def empty(cls, plan: Plan, n_gammas: int, keep: bool) -> CVPath:
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
    into: CVPath | None = None,
    warm: bool = True,
    keep: bool = False,
    limits: Limits | None = None,
    buffers: int = 2,
    n_jobs: int | None = None,
) -> CVPath:
    """Solve the grid: `matrix` holds squared distances when gammas are given, else the kernel itself.

    active (gammas, costs, folds): what to solve, default all. into: an earlier path to be sharpened or, without `warm`,
    to be completed; when sharpened, its betas are the starts, if it kept them. buffers: kernels held at once; 2 keeps
    threads busy between gammas, 1 saves a matrix. limits: of each solve, its gap_tol relative to the sum of costs.
    """
    plan = plan.checked()
    n_gammas = 1 if gammas is None else len(gammas)
    path = CVPath.empty(plan, n_gammas, keep) if into is None else into
    wanted = np.ones((n_gammas, len(plan.costs), plan.n_folds), bool) if active is None else active
    widths = None if gammas is None else np.ascontiguousarray(gammas, np.float64)
    marked, warm = np.ascontiguousarray(wanted, np.uint8), into is not None and warm
    svm.path_solve(matrix, widths, plan, marked, path, warm, limits or Limits(), buffers, effective_jobs(n_jobs))
    return path


@dataclass(frozen=True)
class Search:
    """scores (gammas, costs, folds), larger is better, NaN where not run; exact (gammas, costs): solved to the full
    tolerance; rejected (gammas, costs): dropped after some folds; best: the (gamma, cost) indices of the highest mean
    score among the exact ones, the smallest cost and gamma on ties; complete: the time limit was not met."""

    path: CVPath
    scores: Floats
    exact: NDArray[np.bool_]
    rejected: NDArray[np.bool_]
    best: tuple[int, int]
    complete: bool = True


def search(
    matrix: NDArray[Any],
    gammas: Floats | None,
    plan: Plan,
    score: Score,
    *,
    tol: float = 1e-3,
    gap: float = 5e-3,
    race: bool = False,
    max_iter: int = -1,
    n_jobs: int | None = None,
    memory: float = 1e9,
    time_limit: float | None = None,
) -> Search:
    """Screen the whole grid to `gap`, then solve to `tol` every point that could still be the best.

    score maps decisions (problems, rows) and the rows held out together to a number. A point is a candidate while its
    screened mean is no further below the best exact mean than twice the largest change that sharpening has made so far.
    race: fold by fold from the second on, points that are hopeless (see `_hopeless`) are not solved any more.
    time_limit: seconds after which no further gamma is begun; the best is then the best of what was solved.
    """
    plan = plan.checked()
    n_gammas = 1 if gammas is None else len(gammas)
    needed = float(np.prod(plan.shape(n_gammas))) * plan.targets.shape[1] * 8
    if time_limit is not None and max_iter < 0:
        max_iter = _STEPS_A_ROW * plan.targets.shape[1]
    solve = _Timed(partial(follow, matrix, gammas, plan, n_jobs=n_jobs), time_limit)
    exactly = Limits(tol=tol, max_iter=max_iter)
    path = CVPath.empty(plan, n_gammas, keep=needed <= memory)
    scores = np.full((n_gammas, len(plan.costs), plan.n_folds), np.nan)
    alive = np.ones(scores.shape[:2], bool)
    for folds in _stages(plan, race):
        alive &= ~_hopeless(scores, alive)
        active = np.zeros(scores.shape, bool)
        active[..., folds] = alive[..., None]
        solved = solve(active, into=path, warm=False, limits=replace(exactly, gap_tol=gap))
        _fill(scores, solved, path, plan, score)
    if not np.isfinite(scores).any():
        raise MercerError(
            "The score is not defined on any fold that was run: their test rows may lack a class. Choose another "
            "score, fewer folds, or a longer time limit."
        )
    exact = np.full(alive.shape, gap == 0.0) & alive
    change = 0.0
    todo = _candidates(scores, exact, alive, change)
    while todo.any() and not solve.over:
        before = means(scores)[todo]
        solved = solve(np.repeat(todo[:, :, None], plan.n_folds, axis=2), into=path, limits=exactly)
        _fill(scores, solved, path, plan, score)
        exact |= solved.any(axis=2)
        change = max(change, float(np.abs(means(scores)[todo] - before).max()))
        todo = _candidates(scores, exact, alive, change)
    folds_done = np.isfinite(scores).sum(axis=-1)
    eligible = exact if exact.any() else folds_done == folds_done.max()
    c, g = np.unravel_index(int(np.argmax(np.where(eligible, means(scores), -np.inf).T)), alive.T.shape)
    rejected = ~alive | (folds_done < folds_done.max() if solve.over else False)
    return Search(path, scores, exact, rejected, (int(g), int(c)), complete=not solve.over)


class _Timed:
    """`follow` on what is active, gamma by gamma while there is time; gives what was solved."""

    def __init__(self, follow: Callable[..., CVPath], time_limit: float | None) -> None:
        self.follow, self.begun, self.over = follow, False, False
        self.deadline = None if time_limit is None else monotonic() + time_limit

    def __call__(self, active: NDArray[np.bool_], **options: Any) -> NDArray[np.bool_]:
        if self.deadline is None:
            self.follow(active=active, **options)
            return active
        solved = np.zeros_like(active)
        for g in np.flatnonzero(active.any(axis=(1, 2))):
            self.over = self.over or (self.begun and monotonic() > self.deadline)
            if self.over:
                break
            self.begun = True
            solved[g] = active[g]
            part = np.zeros_like(active)
            part[g] = active[g]
            self.follow(active=part, **options)
        return solved


def means(scores: Floats) -> Floats:
    """Over the folds (last axis) whose score is known; -inf where none is."""
    known = np.isfinite(scores)
    total = np.where(known, scores, 0.0).sum(axis=-1)
    return np.where(known.any(axis=-1), total / np.maximum(known.sum(axis=-1), 1), -np.inf)


def _stages(plan: Plan, race: bool) -> list[list[int]]:
    """Folds that are solved together, before points may be dropped; first those whose test rows have most classes.

    Three rows of a class are in three of five folds at most. On the others an area is not defined, and where the time
    limit is met after the first stage there would be no score at all.
    """
    order = list(range(plan.n_folds))
    if not race:
        return [order]
    if not plan.regression:
        order.sort(key=lambda f: -np.unique(plan.targets[:, plan.folds == f], axis=1).shape[1])
    return [order[:2], *([f] for f in order[2:])]


def _hopeless(scores: Floats, alive: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Points whose mean is behind the best by more than three standard errors of the difference, fold by fold.

    After two folds a point's own standard error says little: the root mean square over all points still in the race is
    its least value.
    """
    done = np.isfinite(scores[alive]).all(axis=0)
    if done.sum() < 2:
        return np.zeros(alive.shape, bool)
    so_far = np.where(alive[..., None], scores, -np.inf)[..., done]
    leader = np.unravel_index(int(np.argmax(so_far.mean(axis=-1))), alive.shape)
    behind = np.where(alive[..., None], so_far[leader] - so_far, 0.0)
    error = behind.std(axis=-1, ddof=1) / np.sqrt(done.sum())
    least = np.sqrt(np.square(error[alive]).mean())
    return np.asarray(alive & (behind.mean(axis=-1) > 3 * np.maximum(error, least)))


def _candidates(scores: Floats, exact: NDArray[np.bool_], alive: NDArray[np.bool_], change: float) -> NDArray[np.bool_]:
    """First the screened leaders; then whatever could still reach the best exact mean."""
    mean = np.where(alive, means(scores), -np.inf)
    if not exact.any():
        best = np.unravel_index(int(np.argmax(mean)), mean.shape)
        known = scores[best][np.isfinite(scores[best])]
        spread = known.std() / np.sqrt(len(known)) if len(known) else 0.0
        return np.asarray(alive & (mean >= mean[best] - 0.1 * spread))
    return np.asarray(~exact & alive & (mean >= mean[exact].max() - 2 * change))


def _fill(scores: Floats, active: NDArray[np.bool_], path: CVPath, plan: Plan, score: Score) -> None:
    rows = [np.flatnonzero(plan.folds == f) for f in range(plan.n_folds)]
    for g, c, f in np.argwhere(active):
        scores[g, c, f] = score(path.decisions[g, c], rows[f])

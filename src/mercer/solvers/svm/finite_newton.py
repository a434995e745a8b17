"""Newton's method for linear SVMs with squared loss, on few columns.

    minimise P(w) = 1/2 |w|^2 + sum_i max over b_i in the box of -((f_i + r_i) b_i + e_i |b_i| + 1/2 ridge_i b_i^2),
    f_i = w.(x_i, s)

the primal of `coordinate` with a ridge above 0: squared hinge and squared epsilon-insensitive loss. P is
quadratic between finitely many kinks, so that Newton's steps, made shorter where P would grow, end after a few. Givens
and result as there. Stop: the dual coefficients b(f) violate optimality by <= tol at w = sum_i b_i (x_i, s), a number
of steps, or a time. Reference: Mangasarian 2002, A finite Newton method for classification problems; Keerthi and
DeCoste 2005, A modified finite Newton method.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

import numpy as np

from mercer._core.gram import checked
from mercer._core.reference.svm import loss_argument, slopes
from mercer._core.stopping import Limits, Status
from mercer._core.threads import single_blas_thread
from mercer.arrays import Floats
from mercer.solvers.row_chunks import Sums, sum_rows
from mercer.solvers.svm.coordinate import PASSES, LinearSolution
from mercer.solvers.svm.plane_rows import solve_scaled
from mercer.solvers.svm.smo import Problem

_COLUMNS = 200  # up to which a step, rows * columns^2, costs less than the passes it saves
_STEPS = 50
_HALVINGS = 30


def suits(problem: Problem, x: Any) -> bool:
    """Whether the problem has squared errors, and more rows than its columns, which are few."""
    return problem.ridge is not None and x.shape[1] <= min(_COLUMNS, x.shape[0])


class _Primal:
    """P, what it needs of the rows, and its derivatives."""

    def __init__(self, problem: Problem, x: Any, scale: float) -> None:
        self.problem, self.x, self.scale = problem, x, scale
        self.tube, self.ridge = problem.tube_or_zero, problem.ridge_or_zero

    def values(self, w: Floats) -> Floats:
        return np.asarray(self.x @ w[:-1], dtype=np.float64) + self.scale * w[-1]

    def back(self, b: Floats) -> Floats:
        """sum_i b_i (x_i, s)."""
        return np.append(np.asarray(self.x.T @ b, dtype=np.float64), self.scale * b.sum())

    def charges(self, f: Floats) -> Floats:
        """b(f)."""
        return loss_argument(self.problem, f + self.problem.linear, slice(None))

    def loss(self, f: Floats, b: Floats) -> float:
        inner = (f + self.problem.linear) * b + self.tube * np.abs(b) + 0.5 * self.ridge * b * b
        return -float(inner.sum())

    def dual(self, b: Floats, w: Floats) -> float:
        """At w = back(b)."""
        rest = self.problem.linear @ b + self.tube @ np.abs(b) + 0.5 * (self.ridge * b) @ b
        return -float(0.5 * w @ w + rest)

    def step(self, w: Floats, b: Floats) -> Floats:
        """-(second derivative)^-1 (first derivative)."""
        curve = np.where(b != 0, 1 / self.ridge, 0.0)

        def work(rows: slice, part: Floats) -> Sums:
            bent = curve[rows] > 0
            kept, factor = part[bent], curve[rows][bent]
            return kept.T @ (kept * factor[:, None]), factor @ kept

        product, edge = sum_rows(self.x, work)
        second = np.eye(len(w))
        second[:-1, :-1] += product
        second[-1, :-1] += self.scale * edge
        second[:-1, -1] += self.scale * edge
        second[-1, -1] += self.scale**2 * curve.sum()
        return solve_scaled(second, self.back(b) - w)


@single_blas_thread()
def solve(
    problem: Problem, x: Any, *, start: Floats | None = None, offset_scale: float = 1.0, limits: Limits = PASSES
) -> LinearSolution:
    """Minimise P over the rows of x (ndarray or CSR), from dual coefficients `start` if given.

    offset_scale: value of the constant column, 0 for no offset. limits: iterations are Newton's steps, at most 50;
    there is no gap rule.
    """
    began = monotonic()
    primal = _Primal(problem, checked(x), offset_scale)
    w = np.zeros(x.shape[1] + 1) if start is None else primal.back(start)
    f = primal.values(w)
    b = primal.charges(f)
    steps, most = 0, min(limits.max_iter, _STEPS) if limits.max_iter >= 0 else _STEPS
    while True:
        own = primal.back(b)
        up, low = slopes(problem, b, primal.values(own))
        violation = float(np.maximum(-up, low).max(initial=0.0))
        late = 0 < limits.time_limit < monotonic() - began
        if violation <= limits.tol or late or steps >= most:
            break
        w, f, b = _descend(primal, w, f, b)
        steps += 1
    status: Status = "converged" if violation <= limits.tol else "time_limit" if late else "max_iter"
    at = primal.values(own)
    value = 0.5 * float(own @ own) + primal.loss(at, primal.charges(at))
    seconds = monotonic() - began
    offset = float(own[-1] * offset_scale)
    return LinearSolution(value, primal.dual(b, own), violation, steps, seconds, status, own[:-1].copy(), offset, b)


def _descend(primal: _Primal, w: Floats, f: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
    """One step, halved until P falls by a share of what its slope promises."""
    step = primal.step(w, b)
    along = primal.values(step)
    before = 0.5 * float(w @ w) + primal.loss(f, b)
    slope = float((w - primal.back(b)) @ step)
    share = 1.0
    for _ in range(_HALVINGS):
        new, values = w + share * step, f + share * along
        charges = primal.charges(values)
        if 0.5 * float(new @ new) + primal.loss(values, charges) <= before + 1e-4 * share * slope + 1e-14 * abs(before):
            break
        share /= 2
    return new, values, charges

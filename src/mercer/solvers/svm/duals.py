"""Support vector machines as dual problems for `mercer.solvers.svm.smo`, and their solutions read back.

| problem    | r  | e       | box               | sums                                            |
| C-SVC      | -y | 0       | [0, C] or [-C, 0] | 0                                               |
| SVR        | -z | epsilon | [-C, C]           | 0                                               |
| quantile   | -z | 0       | [C (tau - 1), C tau] | 0                                            |
| expectile  | -z | 0       | [0, inf), (-inf, 0] with ridges 1/(2 C tau), 1/(2 C (1 - tau)) | 0     |
| one-class  | 0  | 0       | [0, w]            | nu sum(w)                                       |
| SVDD       | -d sum / 2 | 0 | [0, w]          | nu sum(w)                                       |
| nu-SVC     | 0  | 0       | [0, w] or [-w, 0] | nu sum(w) / 2 for y = 1, the negative for y = -1 |
| nu-SVR     | -z | 0       | [0, C], [-C, 0]   | C nu n / 2 for the upper, the negative for the lower |

Squared slack replaces the cost in the box by 1/C on the diagonal (Lim 4.3, slack power 2). y is -1 or 1; every cost and
weight is per row.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mercer.arrays import Floats
from mercer.solvers.svm.smo import Problem, Solution


def svc(y: Floats, cost: Floats, *, squared_slack: bool = False, bias: bool = True) -> Problem:
    """min 1/2 |w|^2 + sum_i cost_i xi_i (or 1/2 sum cost_i xi_i^2) with y_i (w.x_i + b) >= 1 - xi_i."""
    room = np.full(len(y), np.inf) if squared_slack else cost
    return Problem(
        linear=-y.astype(np.float64),
        lower=np.where(y > 0, 0.0, -room),
        upper=np.where(y > 0, room, 0.0),
        start=np.zeros(len(y)),
        ridge=1.0 / cost if squared_slack else None,
        equality=bias,
    )


def svr(z: Floats, cost: Floats, epsilon: float, *, squared_slack: bool = False, bias: bool = True) -> Problem:
    """min 1/2 |w|^2 + sum_i cost_i loss(z_i - w.x_i - b), loss = max(0, |.| - epsilon), or half its square."""
    room = np.full(len(z), np.inf) if squared_slack else np.asarray(cost, dtype=np.float64)
    return Problem(
        linear=-z.astype(np.float64),
        lower=-room,
        upper=room.copy(),
        start=np.zeros(len(z)),
        tube=np.full(len(z), float(epsilon)),
        ridge=1.0 / cost if squared_slack else None,
        equality=bias,
    )


def quantile(z: Floats, cost: Floats, tau: float) -> Problem:
    """min 1/2 |w|^2 + sum_i cost_i (tau max(0, e_i) + (1 - tau) max(0, -e_i)), e = z - w.x - b (Takeuchi 2006)."""
    return Problem(-z.astype(np.float64), (tau - 1) * cost, tau * cost, np.zeros(len(z)))


def expectile(z: Floats, cost: Floats, tau: float) -> Problem:
    """The same with squares of e: a variable for each sign of e, those of e > 0 first (Farooq and Steinwart 2017)."""
    n, zero, free = len(z), np.zeros(len(z)), np.full(len(z), np.inf)
    return Problem(
        -np.concatenate([z, z]).astype(np.float64),
        np.concatenate([zero, -free]),
        np.concatenate([free, zero]),
        np.zeros(2 * n),
        ridge=0.5 / np.concatenate([tau * cost, (1 - tau) * cost]),
        rows=np.concatenate([np.arange(n), np.arange(n)]).astype(np.int32),
    )


def one_class(weight: Floats, nu: float) -> Problem:
    """min 1/2 |w|^2 - rho nu sum(weight) + sum_i weight_i xi_i with w.x_i >= rho - xi_i; rho is -bias[0]."""
    _expect_nu(nu)
    n = len(weight)
    return Problem(np.zeros(n), np.zeros(n), weight.astype(np.float64), _fill(weight, nu * float(weight.sum())))


def enclosing_ball(weight: Floats, nu: float, diagonal: Floats) -> Problem:
    """min R^2 + sum_i weight_i xi_i / total with |x_i - c|^2 <= R^2 + xi_i, total = nu sum(weight), d_i = k(x_i, x_i).

    c = sum_i b_i x_i / total, and R^2 - |x - c|^2 = 2 (sum_i b_i k(x, x_i) + bias[0]) / total - k(x, x).
    """
    made = one_class(weight, nu)
    return replace(made, linear=-diagonal.astype(np.float64) * made.start.sum() / 2)


def nu_svc(y: Floats, weight: Floats, nu: float) -> Problem:
    """C-SVC with C replaced by nu, the bound on the part of margin errors; variables of y = 1 come first."""
    _expect_nu(nu)
    order = np.argsort(-y, kind="stable").astype(np.int32)
    w, split = weight[order].astype(np.float64), int((y > 0).sum())
    half = nu * float(w.sum()) / 2
    smaller = min(float(w[:split].sum()), float(w[split:].sum()))
    if half > smaller * (1 + 1e-12):
        raise ValueError(
            f"nu={nu} is infeasible: the smaller class allows at most nu={2 * smaller / float(w.sum()):.4g}. Lower nu."
        )
    start = np.concatenate([_fill(w[:split], half), -_fill(w[split:], half)])
    lower, upper = w.copy(), w.copy()
    lower[:split], upper[split:] = 0.0, 0.0
    return Problem(np.zeros(len(y)), -lower, upper, start, rows=order, split=split)


def nu_svc_answer(solution: Solution) -> tuple[Floats, float]:
    """(coefficients by variable, offset), scaled so that margins are at -1 and 1."""
    first, second = solution.bias
    scale = 2 / (second - first) if second > first else 1.0
    return solution.beta * scale, (first + second) / 2 * scale


def nu_svr(z: Floats, cost: Floats, nu: float) -> Problem:
    """SVR with the tube's width found by nu, the bound on the part of rows outside it."""
    _expect_nu(nu)
    n = len(z)
    share = _fill(cost, nu * float(cost.sum()) / 2)
    zero = np.zeros(n)
    rows = np.concatenate([np.arange(n), np.arange(n)]).astype(np.int32)
    linear = -np.concatenate([z, z]).astype(np.float64)
    lower, upper = np.concatenate([zero, -cost]), np.concatenate([cost, zero])
    return Problem(linear, lower, upper, np.concatenate([share, -share]), rows=rows, split=n)


def nu_svr_answer(problem: Problem, solution: Solution) -> tuple[Floats, float, float]:
    """(coefficients by kernel row, offset, the width of the tube)."""
    first, second = solution.bias
    return by_row(problem, solution.beta, len(solution.f)), (first + second) / 2, (first - second) / 2


def by_row(problem: Problem, beta: Floats, n: int) -> Floats:
    """Coefficients summed over the variables of each kernel row."""
    return np.bincount(problem.kernel_rows, weights=beta, minlength=n).astype(np.float64)


def _expect_nu(nu: float) -> None:
    if not 0 < nu <= 1:
        raise ValueError(f"nu={nu} is outside (0, 1].")


def _fill(room: Floats, total: float) -> Floats:
    """Coefficients filled up one after the other until they sum to `total`."""
    before = np.concatenate([[0.0], np.cumsum(room)[:-1]])
    return np.clip(total - before, 0.0, room)

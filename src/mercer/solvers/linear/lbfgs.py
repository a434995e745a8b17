"""Logistic models of more coefficients than have second derivatives: L-BFGS, where the loss is made to curve evenly.

Problem: minimise L(B) + sum of ridge b^2 / 2, L as in `Logit`, over B = T u, with T such that the second derivatives by
u are close to 1. Givens: rows, dense, sparse or split. Result: B. Stop: no entry of the gradient by u, per unit of
weight, is above tol, a step lowers the loss by less than a share of it, or a number of steps. Reference: Liu and
Nocedal 1989; Byrd, Chin, Neveitt and Nocedal 2011 (second derivatives of a sample).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.linalg as sl
import scipy.optimize as so
import scipy.sparse as sp

from mercer._core.threads import single_blas_thread
from mercer.arrays import Bools, Floats
from mercer.solvers.linear.logistic import (
    Logit,
    LogitFit,
    Penalty,
    Watch,
    class_shares,
    common_intercept,
    newton,
    tell,
)

_SAMPLE_WORK = 2e9  # steps of the products of a sample
_ROWS = 20  # of a sample, at least, for each coefficient
_NEAR, _STEPS = 0.01, 30  # tol and steps of Newton's method on the sample
_LEAST = 1e-8  # curvature beside a column's own, so that there is some in every direction


class Coordinates(Protocol):
    """B = T u."""

    def spread(self, u: Floats) -> Floats:
        """T u, (m, d + 1)."""

    def pull(self, gradient: Floats) -> Floats:
        """T' times the derivatives by B: those by u."""

    def gather(self, B: Floats) -> Floats:
        """The u of a B."""


@dataclass(frozen=True)
class ByShares:
    """b_k = T_k u_k, where T_k T_k' is close to the inverse second derivatives at the shares of the classes.

    There every row has the shares as its probabilities. Without a correlation matrix (of many columns) T_k is diagonal.
    """

    bend: Floats  # (m, 1)
    vectors: Any  # (d, d) of the correlation matrix
    stretch: Floats  # (m, d) or (m, 1)
    free: Bools

    @classmethod
    def of(cls, problem: Logit, penalty: Penalty, correlation: Floats | None, free: Bools) -> ByShares:
        share = problem.shares[-problem.m :]
        bend = np.maximum(share * (1 - share), 1e-6)[:, None]
        if correlation is None:
            return cls(bend, sp.eye_array(len(free) - 1, format="csr"), 1 / np.sqrt(bend), free)
        values, vectors = np.linalg.eigh(correlation)
        ridge = (vectors**2).T @ penalty.ridge[0, 1:] / problem.mass
        curve = np.maximum(bend * np.maximum(values, 0.0) + ridge, 1e-7 * bend)
        return cls(bend, vectors, 1 / np.sqrt(curve), free)

    def spread(self, u: Floats) -> Floats:
        B = u.reshape(len(self.bend), -1)
        slope = (B[:, 1:] * self.stretch) @ self.vectors.T
        return np.asarray(np.column_stack([B[:, :1] / np.sqrt(self.bend), slope])) * self.free

    def pull(self, gradient: Floats) -> Floats:
        gradient = gradient * self.free
        slope = (gradient[:, 1:] @ self.vectors) * self.stretch
        return np.column_stack([gradient[:, :1] / np.sqrt(self.bend), slope]).ravel()

    def gather(self, B: Floats) -> Floats:
        return np.column_stack([B[:, :1] * np.sqrt(self.bend), (B[:, 1:] @ self.vectors) / self.stretch]).ravel()


@dataclass(frozen=True)
class BySample:
    """T = R^-1 of the free entries, R'R the second derivatives, per unit of weight, at the minimum of a sample."""

    root: Floats  # upper triangular
    mask: Bools  # (m (d + 1),)
    m: int

    def spread(self, u: Floats) -> Floats:
        B = np.zeros(len(self.mask))
        B[self.mask] = sl.solve_triangular(self.root, u, check_finite=False)
        return B.reshape(self.m, -1)

    def pull(self, gradient: Floats) -> Floats:
        return np.asarray(sl.solve_triangular(self.root, gradient.ravel()[self.mask], trans="T", check_finite=False))

    def gather(self, B: Floats) -> Floats:
        return np.asarray(self.root @ B.ravel()[self.mask])


def lbfgs(
    problem: Logit, penalty: Penalty, correlation: Floats | None, free: Bools, tol: float, max_iter: int,
    start: Floats | None = None, watch: Watch = None,
) -> LogitFit:  # fmt: skip
    """The minimum: from that of a sample, where its second derivatives are affordable; else from the class shares.

    Beside the curvature of a sample steps are few, and go on until they gain less than tol^2 of the loss; else less
    than 100 tol^2.
    """
    even: Coordinates = ByShares.of(problem, penalty, correlation, free)
    first, gain = class_shares(problem, free) if start is None else start, 100 * tol * tol
    sampled = None if correlation is None else _of_sample(problem, penalty, free, start)
    if sampled is not None:
        (even, first), gain = sampled, tol * tol
    mass = problem.mass

    def both(u: Floats) -> tuple[float, Floats]:
        B = even.spread(u)
        loss, gradient = problem.value_gradient(B)
        return (loss + penalty.value(B)) / mass, even.pull((gradient + penalty.ridge * B) / mass)

    options = {"maxiter": max_iter, "gtol": tol, "ftol": gain, "maxcor": 10}
    with single_blas_thread():
        found = so.minimize(
            both, even.gather(first), jac=True, method="L-BFGS-B", options=options,
            callback=lambda u: tell(watch, even.spread(u)),
        )  # fmt: skip
    B = even.spread(found.x)
    return LogitFit(B, float(found.fun) * mass - penalty.value(B), int(found.nit), bool(found.success))


def _of_sample(problem: Logit, penalty: Penalty, free: Bools, start: Floats | None) -> tuple[BySample, Floats] | None:
    """Coordinates and B by Newton's method on some rows; None where so few as are affordable tell too little."""
    mask = np.tile(free, problem.m)
    size = int(problem.n_rows * min(1.0, _SAMPLE_WORK / (problem.m**2 * problem.work)))
    if size < _ROWS * len(mask):
        return None
    some = problem.sample(size)
    if some is None:
        return None
    found = newton(some, penalty, free, _NEAR, _STEPS, start)
    if found.hessian is None or not np.isfinite(found.B).all():
        return None
    whole = found.hessian + common_intercept(problem, penalty) + np.diag(penalty.ridge.ravel())
    curve = whole[np.ix_(mask, mask)] / problem.mass
    curve += _LEAST * np.diag(np.maximum(np.diag(curve), np.finfo(float).tiny))
    try:
        return BySample(sl.cholesky(curve, check_finite=False), mask, problem.m), found.B
    except np.linalg.LinAlgError:
        return None

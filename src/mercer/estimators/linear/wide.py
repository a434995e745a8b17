"""Linear regression of many columns, whose products do not fit in memory or take too long: no standard errors."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.arrays import Floats
from mercer.errors import BadFile, MercerError
from mercer.estimators.common.sklearn_api.convergence import StoppedShort
from mercer.estimators.linear.fit import Problem, TrainingRows
from mercer.solvers.linear.lsqr import solve_iterating
from mercer.state import Reader, State

_MAX_TERMS = 20_000  # whose products take 3 GB
_MAX_WORK = 2e11  # rows * columns^2 of a sparse matrix, ten seconds


@dataclass(frozen=True)
class WideFit:
    """f(x) = b_0 + b'x of one target."""

    coef: Floats  # (d,)
    intercept: float
    mean: Floats  # (d,) of the columns
    rows: int
    n_iter: int  # steps of LSQR

    def to_state(self) -> State:
        return {
            "coef": self.coef, "intercept": self.intercept, "mean": self.mean, "rows": self.rows, "n_iter": self.n_iter,
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader, d: int) -> WideFit:
        coef, mean = (state.array(name, "float64", (d,)) for name in ("coef", "mean"))
        fit = cls(coef, state.number("intercept"), mean, state.integer("rows"), state.integer("n_iter"))
        if not np.isfinite(fit.intercept):
            raise BadFile(f"{state.where}: the intercept is not usable.")
        state.finish()
        return fit


def is_wide(X: Any, problem: Problem) -> bool:
    """Whether a design matrix is solved by LSQR: as asked for, or since the products of its columns are too many."""
    n, d = X.shape
    many = d > _MAX_TERMS or (sp.issparse(X) and float(n) * d * d > _MAX_WORK)
    return problem.method == "lsqr" or (problem.method == "auto" and not problem.positive and many)


def fit_wide(rows: TrainingRows, problem: Problem, outliers: float | None) -> list[WideFit]:
    """The fit of each target, by LSQR."""
    if problem.errors != "classical" or outliers is not None:
        raise MercerError(
            f"errors={problem.errors!r}, outliers={outliers!r}: of {rows.matrix.shape[1]:,} coefficients there are no "
            "standard errors. Leave both out, or use fewer columns."
        )
    weight = np.ones(len(rows.targets)) if rows.weight is None else rows.weight
    mean = np.asarray(weight @ rows.matrix, dtype=np.float64) / weight.sum()
    return [_fit_target(rows, k, mean, problem) for k in range(rows.targets.shape[1])]


def _fit_target(rows: TrainingRows, k: int, mean: Floats, problem: Problem) -> WideFit:
    y = rows.targets[:, k]
    level = float(np.average(y, weights=rows.weight)) if problem.intercept else 0.0
    centre = mean if problem.intercept else np.zeros_like(mean)
    coef, n_iter, done = solve_iterating(
        rows.matrix, y - level, rows.weight, centre, alpha=problem.alpha, tol=problem.tol
    )
    if not done:
        notice = f"LSQR stopped after {n_iter} steps, short of tol={problem.tol:g}. Raise tol, or scale the columns."
        warnings.warn(notice, StoppedShort, stacklevel=4)
    return WideFit(coef, level - float(centre @ coef), mean, len(y), n_iter)

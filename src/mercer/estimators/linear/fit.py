"""Least squares for one target after another: training rows, choice of the solver, and what it found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from mercer.arrays import Bools, Floats, Longs
from mercer.errors import BadFile, BadTable, MercerError
from mercer.estimators.linear.inference import (
    Diagnostics,
    Errors,
    Inference,
    diagnostics,
    infer_from_moments,
    infer_from_rows,
    leverages,
    robust,
)
from mercer.solvers.linear.gradient import descend
from mercer.solvers.linear.least_squares import (
    LeastSquares,
    Root,
    root_of_moments,
    root_of_rows,
    scales,
    solve,
    solve_positive,
)
from mercer.solvers.linear.moments import Moments
from mercer.state import Reader, State

Method = Literal["auto", "qr", "svd", "normal", "gradient", "lsqr"]
PROBLEM_DOCS = {
    "method": """
        method : {"auto", "qr", "svd", "normal", "gradient", "lsqr"}, default "auto"
            "qr" (orthogonal triangulation), "svd" (the same; aliased columns share, least norm), "normal" (products of
            columns by chunks, refined once), "gradient" (accelerated descent), "lsqr" (products of the rows with
            vectors alone: no standard errors), or "auto": lsqr for more columns than their products are affordable, qr
            for small tables, normal for large ones unless the columns are so nearly collinear that it would lose
            digits.""",
    "positive": """
        positive : bool, default False
            Whether every b_j is held at or above 0 (non-negative least squares; b_0 is free).""",
    "ridge": """
        alpha : float, default 0.0
            Ridge penalty, at least 0, as scikit-learn's Ridge.""",
    "tol": """
        tol : float, default 1e-6
            How exact iterations are: LSQR stops when residual or gradient are below tol relative to the norms of matrix
            and residual, gradient descent when no entry of the gradient is above tol times the largest at the start.
            Singular values up to tol times the largest do not count in `rank_`.""",
    "weight_of_squares": """
        sample_weight : array-like of shape (n_rows,) or None, default None
            Weight of each row in the sum of squares, at least 0: 1 / variance of its noise, up to a factor; None weighs
            all alike. A common factor changes nothing, standard errors included, but with alpha > 0, which it divides,
            as in scikit-learn's Ridge. A row of weight 2 has the pull of two rows and counts as one in degrees of
            freedom and standard errors, as in statsmodels' WLS: repeat rows that were observed twice.""",
}
_SMALL = 2e8  # rows * columns^2 up to which orthogonal triangulation takes no noticeable time
_MAX_TERMS = 20_000  # whose products take 3 GB
_MAX_STEPS = 20_000  # of gradient descent
_LOST = 1e-290  # a sum of squares below it has lost digits, or is 0 for a column that is not constant
_SMALL_NUMBER = 1e-130
_TOO_SMALL = "The squares of the numbers are smaller than what a double holds. Scale the columns first."


@dataclass(frozen=True)
class TrainingRows:
    """Columns as numbers (n, d), targets (n, t) and weights; products and triangular factor once for all targets."""

    matrix: Any
    targets: Floats
    weight: Floats | None
    intercept: bool  # whether columns are centred

    @cached_property
    def _moments(self) -> Moments:
        if self.matrix.shape[1] > _MAX_TERMS:
            raise BadTable(
                f"The table makes {self.matrix.shape[1]:,} coefficients, more than {_MAX_TERMS:,}: their products do "
                "not fit in memory. Use method='auto' or 'lsqr' with positive=False, or leave columns out."
            )
        found = Moments.of(self.matrix, self.targets, self.weight)
        refuse_overflow(found)
        return found

    @cached_property
    def _root(self) -> Root:
        moments = self._moments if self.intercept else self._moments.around_zero()
        return root_of_rows(self.matrix, self.targets, self.weight, moments)

    @property
    def log_weights(self) -> float:
        """The sum of log w."""
        return 0.0 if self.weight is None else float(np.log(self.weight).sum())

    def moments(self, k: int) -> Moments:
        """Of the columns and target k."""
        return self._moments.of_target(k, self.targets.shape[1])

    def root(self, k: int) -> Root:
        """The triangular factor of the columns, and target k in its terms."""
        return replace(self._root, target=self._root.target[:, k])

    def refuse_underflow(self) -> None:
        """BadTable where the squares of a column that is not constant are lost."""
        for j in np.flatnonzero(np.diag(self._moments.scatter)[: self.matrix.shape[1]] < _LOST):
            column = self.matrix[:, [j]] if self.weight is None else self.matrix[self.weight > 0][:, [j]]
            if 0 < column.max() - column.min() < _SMALL_NUMBER:
                raise BadTable(_TOO_SMALL)

    def take(self, kept: Bools) -> TrainingRows:
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[kept]
        return TrainingRows(self.matrix[kept], self.targets[kept], weight, self.intercept)


@dataclass(frozen=True)
class Problem:
    """min over b of sum_i w_i (y_i - b_0 - b'x_i)^2 + alpha |b|^2, with b >= 0 if `positive`; and how to solve it."""

    method: Method
    alpha: float
    intercept: bool
    positive: bool
    errors: Errors
    tol: float
    is_numbers: bool  # whether all columns are numbers as they stand

    @property
    def shares(self) -> bool:
        """Whether columns that are combinations of others share, as in scikit-learn; otherwise later ones get 0."""
        return self.method == "auto" and self.is_numbers and not self.positive

    def refuse(self, outliers: float | None) -> None:
        """MercerError for options that do not go together."""
        direct = self.method in ("auto", "qr", "normal")
        if self.positive and (not direct or self.errors != "classical" or outliers):
            raise MercerError(
                f"positive=True with method={self.method!r}, errors={self.errors!r}, outliers={outliers!r}: method is "
                "'auto', 'qr' or 'normal', and there are no errors of coefficients, nor outliers by them."
            )

    def centred(self, moments: Moments) -> Moments:
        """About the means of the columns, or about 0 without an intercept."""
        return moments if self.intercept else moments.around_zero()


@dataclass(frozen=True)
class LinearFit:
    """f(x) = b_0 + b'x of one target, with what is needed to test it, to explain it and to add rows."""

    coef: Floats  # (d,)
    intercept: float
    solution: LeastSquares
    moments: Moments
    inference: Inference
    n_iter: int | None = None  # steps of gradient descent

    @property
    def mean(self) -> Floats:
        """Of the columns, (d,)."""
        return self.moments.mean[:-1]

    @property
    def rows(self) -> int:
        """How many there were."""
        return self.moments.rows

    def moved(self, offset: Floats) -> LinearFit:
        """The fit to rows that are further by `offset`, (d,)."""
        moments = replace(self.moments, mean=self.moments.mean + np.append(offset, 0.0))
        return replace(
            self, intercept=self.intercept - float(offset @ self.coef), moments=moments,
            inference=self.inference.moved(offset),
        )  # fmt: skip

    def without_aliased(self, problem: Problem) -> tuple[float, Floats]:
        """b_0 and b of the same f with 0 for columns that are combinations of others, where they share."""
        intercept, coef, mean = self.intercept, self.coef.copy(), problem.centred(self.moments).mean[:-1]
        for j, combination in self.solution.aliased.items():
            coef += self.coef[j] * combination
            coef[j] = 0.0
            intercept += float(self.coef[j] * (mean[j] - mean @ combination))
        return intercept, coef

    def singular_values(self, intercept: bool) -> Floats:
        """Of the columns, centred when there is an intercept, rows times the root of their weights: largest first."""
        moments = self.moments if intercept else self.moments.around_zero()
        squares = np.linalg.eigvalsh(moments.scatter[:-1, :-1])[::-1][: min(self.rows, len(self.coef))]
        return np.sqrt(np.maximum(squares, 0.0))

    def predict(self, matrix: Any) -> Floats:
        """f of each row, (n_rows,)."""
        return np.asarray(matrix @ self.coef, dtype=np.float64) + self.intercept

    def with_rows(self, moments: Moments, log_weights: float, problem: Problem) -> LinearFit:
        """The fit to the rows of this one and to others, of which the means and products are given."""
        return fit_moments(self.moments.merge(moments), self.inference.log_weights + log_weights, problem)

    def diagnostics(self, matrix: Any, target: Floats, weight: Floats | None, problem: Problem) -> Diagnostics:
        """Residual, leverage and influence of each row."""
        leverage = leverages(matrix, weight, self.solution, problem.centred(self.moments), problem.intercept)
        return diagnostics(target - self.predict(matrix), leverage, weight, self.inference.n_parameters)

    def to_state(self) -> State:
        moments, solution = self.moments, self.solution
        combinations = np.array([*solution.aliased.values()]).reshape(len(solution.aliased), len(self.coef))
        state: State = {
            "coef": self.coef, "intercept": self.intercept, "inverse": solution.inverse,
            "aliased": np.array([*solution.aliased], dtype=np.int64), "combinations": combinations,
            "rows": moments.rows, "weight": moments.weight, "mean": moments.mean, "scatter": moments.scatter,
            "inference": self.inference.to_state(),
        }  # fmt: skip
        return state if self.n_iter is None else state | {"n_iter": self.n_iter}

    @classmethod
    def from_state(cls, state: Reader, d: int) -> LinearFit:
        coef, intercept = state.array("coef", "float64", (d,)), state.number("intercept")
        aliased = state.array("aliased", "int64", (None,), low=0, high=d - 1)
        combinations = state.array("combinations", "float64", (len(aliased), d))
        if not np.isfinite(intercept) or len(np.unique(aliased)) != len(aliased):
            raise BadFile(f"{state.where}: the coefficients are not usable.")
        named = dict(zip(aliased.tolist(), combinations, strict=True))
        moments = Moments(
            state.integer("rows"), state.number("weight", 0.0),
            state.array("mean", "float64", (d + 1,)), state.squares("scatter", (d + 1, d + 1)),
        )  # fmt: skip
        fit = cls(
            coef, intercept, LeastSquares(coef, state.squares("inverse", (d, d)), named), moments,
            Inference.from_state(state.child("inference"), d + 1),
            state.integer("n_iter") if state.has("n_iter") else None,
        )  # fmt: skip
        state.finish()
        return fit


def refuse_overflow(moments: Moments) -> None:
    """BadTable where a sum of squares is not finite."""
    if not np.isfinite(moments.scatter).all():
        raise BadTable("The squares of the numbers are beyond what a double holds. Scale the columns first.")


def refuse_underflow(moments: Moments, problem: Problem) -> None:
    """BadTable where sums of squares are lost, as far as the means tell; with a penalty such a column gets 0 rightly.

    A column with a mean of some size is constant to rounding when its squares are lost.
    """
    squares, mean = np.diag(moments.scatter)[:-1], np.abs(moments.mean[:-1])
    if problem.alpha == 0 and ((squares < _LOST) & (mean > 0) & (mean < _SMALL_NUMBER)).any():
        raise BadTable(_TOO_SMALL)


def fit_rows(rows: TrainingRows, k: int, problem: Problem) -> LinearFit:
    """The fit of target k to the training rows."""
    if problem.alpha == 0:
        rows.refuse_underflow()
    moments, target = rows.moments(k), rows.targets[:, k]
    centred = problem.centred(moments)
    n_iter = None
    if problem.method == "gradient":
        solution, n_iter = _gradient_descent(centred, problem)
    elif _triangulates(rows, problem):
        solution = solve_root(rows.root(k), problem)
    else:
        root, accurate = root_of_moments(centred)
        if not accurate and problem.method == "auto" and problem.alpha == 0:
            root = rows.root(k)
        solution = solve_root(root, problem)
        residual = target - _predict(rows.matrix, solution, moments, problem)
        scored = residual if rows.weight is None else rows.weight * residual
        solution = refined(solution, rows.matrix.T @ scored, scored.sum(), centred, problem)
    residual = target - _predict(rows.matrix, solution, moments, problem)
    inference = infer_from_rows(
        rows.matrix, residual, rows.weight, solution, centred, intercept=problem.intercept, alpha=problem.alpha,
        errors=problem.errors,
    )  # fmt: skip
    return _linear_fit(solution, moments, inference, problem, n_iter)


def fit_moments(moments: Moments, log_weights: float, problem: Problem) -> LinearFit:
    """The fit to rows of which only the means and products are known."""
    refuse_underflow(moments, problem)
    centred = problem.centred(moments)
    solution = solve_root(root_of_moments(centred)[0], problem)
    b, scatter = solution.coef, centred.scatter
    rss = scatter[-1, -1] - 2 * b @ scatter[:-1, -1] + b @ scatter[:-1, :-1] @ b
    inference = infer_from_moments(
        float(max(rss, 0.0)), log_weights, solution, centred, intercept=problem.intercept, alpha=problem.alpha
    )
    return _linear_fit(solution, moments, inference, problem)


def finish(
    solution: LeastSquares, moments: Moments, problem: Problem, rss: float, middle: Floats | None, quantiles: Floats
) -> LinearFit:
    """The fit whose rows came in parts: their squared residuals, robust covariance and quantiles are known."""
    inference = infer_from_moments(
        rss, 0.0, solution, problem.centred(moments), intercept=problem.intercept, alpha=problem.alpha
    )
    inference = replace(inference, quantiles=quantiles)
    if middle is not None:
        inference = robust(inference, middle, problem.errors)
    return _linear_fit(solution, moments, inference, problem)


def fit_inliers(rows: TrainingRows, problem: Problem, bound: float) -> tuple[LinearFit, Longs]:
    """The fit without the rows whose studentised residual is above the bound in a fit to all; and those rows."""
    fit = fit_rows(rows, 0, problem)
    outliers = fit.diagnostics(rows.matrix, rows.targets[:, 0], rows.weight, problem).outliers(bound)
    if len(outliers):
        kept = np.ones(len(rows.targets), dtype=bool)
        kept[outliers] = False
        fit = fit_rows(rows.take(kept), 0, problem)
    return fit, np.sort(outliers).astype(np.int64)


def no_rows(d: int) -> LinearFit:
    """The fit to no row at all, where `Moments.merge` starts from."""
    moments = Moments(0, 0.0, np.zeros(d + 1), np.zeros((d + 1, d + 1)))
    nothing = Inference(0, 0.0, 0.0, 0.0, 0.0, np.full((d + 1, d + 1), np.nan), None)
    return LinearFit(np.zeros(d), 0.0, LeastSquares(np.zeros(d), np.zeros((d, d)), {}), moments, nothing)


def _triangulates(rows: TrainingRows, problem: Problem) -> bool:
    """Whether the rows are triangulated, which keeps all digits, rather than their products solved."""
    n, d = rows.matrix.shape
    return problem.method in ("qr", "svd") or (problem.method == "auto" and float(n) * d * d <= _SMALL)


def solve_root(root: Root, problem: Problem) -> LeastSquares:
    """The solution as the problem states it, from a factor of the columns."""
    if problem.positive:
        return solve_positive(root, problem.alpha)
    return solve(root, problem.alpha, problem.method == "svd" or problem.shares)


def refined(solution: LeastSquares, products: Floats, total: float, centred: Moments, problem: Problem) -> LeastSquares:
    """One Newton step from the residuals brings back the digits that products of columns lose (Bjorck 1987).

    products : of the columns with the residuals of the solution; total : of these residuals
    """
    gradient = products - centred.mean[:-1] * total - problem.alpha * solution.coef
    coef = solution.coef + solution.inverse @ gradient
    coef = np.maximum(coef, 0.0) if problem.positive else coef
    return LeastSquares(coef, solution.inverse, solution.aliased)


def _gradient_descent(centred: Moments, problem: Problem) -> tuple[LeastSquares, int]:
    """Gradient descent on z-scores; standard errors and aliased columns still come from the products."""
    scale = np.where((found := scales(centred)) > 0, found, 1.0)
    gram = (centred.scatter[:-1, :-1] + problem.alpha * np.eye(len(scale))) / np.outer(scale, scale)
    coef, n_iter = descend(lambda b: gram @ b, centred.scatter[:-1, -1] / scale, problem.tol, _MAX_STEPS)
    direct = solve(root_of_moments(centred)[0], problem.alpha)
    return LeastSquares(coef / scale, direct.inverse, direct.aliased), n_iter


def _linear_fit(
    solution: LeastSquares, moments: Moments, inference: Inference, problem: Problem, n_iter: int | None = None
) -> LinearFit:
    inference = inference.without_errors() if problem.positive else inference
    return LinearFit(solution.coef, _intercept(solution, moments, problem), solution, moments, inference, n_iter)


def _predict(matrix: Any, solution: LeastSquares, moments: Moments, problem: Problem) -> Floats:
    return np.asarray(matrix @ solution.coef, dtype=np.float64) + _intercept(solution, moments, problem)


def _intercept(solution: LeastSquares, moments: Moments, problem: Problem) -> float:
    mean = moments.mean
    return float(mean[-1] - mean[:-1] @ solution.coef) if problem.intercept else 0.0

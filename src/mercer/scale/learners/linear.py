"""Least squares in chunks: products of columns are merged, then refined once from the residuals of all rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np

from mercer.arrays import Floats
from mercer.errors import BadTable, MercerError
from mercer.estimators.linear.fit import (
    LinearFit,
    Problem,
    finish,
    refined,
    refuse_overflow,
    refuse_underflow,
    solve_root,
)
from mercer.estimators.linear.inference import QUANTILES, leverages, sandwich
from mercer.estimators.linear.linear_regression import FITTED, LinearRegression
from mercer.estimators.linear.summary import warn_aliased
from mercer.estimators.linear.targets import NumberFormat
from mercer.parameters import check_parameters
from mercer.scale.learners.design import ColumnMoments, Matrix, learn_design
from mercer.scale.ranks import Pieces, first_buckets, order_statistics
from mercer.scale.rows import Part, Rows, Sums, Together
from mercer.solvers.linear.least_squares import LeastSquares, Root, root_of_moments, root_of_rows
from mercer.solvers.linear.moments import Moments

MOST_TERMS = 5000  # whose products take 200 MB in each worker


@dataclass(frozen=True)
class Triangle:
    """A triangular factor of the rows, (k, d + 1); two of them stacked have one of their own (Demmel et al. 2012)."""

    factor: Floats
    scale: Floats

    def merge(self, other: Triangle) -> Triangle:
        """Of both samples together."""
        stacked = np.vstack([self.factor, other.factor])
        return Triangle(np.asarray(np.linalg.qr(stacked, mode="r")), self.scale)


@dataclass(frozen=True)
class Triangulate:
    """Orthogonal triangulation of the rows of a chunk, about the means of all."""

    matrix: Matrix
    moments: Moments

    def __call__(self, part: Part) -> Triangle:
        return reduce(Triangle.merge, (self._of(*block) for block in self.matrix.blocks(part)))

    def _of(self, part: Part, X: Any) -> Triangle:
        root = root_of_rows(X, part.target[:, None], None, self.moments)
        return Triangle(np.column_stack([root.factor, root.target]), root.scale)


@dataclass(frozen=True)
class Residuals:
    """y - f(x) of the rows of a chunk, (n_rows, 1)."""

    matrix: Matrix
    coef: Floats
    intercept: float

    def __call__(self, part: Part) -> Floats:
        return np.concatenate([residual for _, residual in self.blocks(part)])[:, None]

    def blocks(self, part: Part) -> Iterator[tuple[Any, Floats]]:
        """Some rows of the design matrix at a time, and their residuals."""
        for some, X in self.matrix.blocks(part):
            yield X, some.target - (np.asarray(X @ self.coef, dtype=np.float64) + self.intercept)


@dataclass(frozen=True)
class Gradient:
    """X'r and the sum of r."""

    residuals: Residuals

    def __call__(self, part: Part) -> Sums:
        found = (Sums((np.asarray(X.T @ r), float(r.sum()))) for X, r in self.residuals.blocks(part))
        return reduce(Sums.merge, found)


@dataclass(frozen=True)
class SumSquares:
    """r'r, and where robust errors are asked for the middle of their sandwich."""

    residuals: Residuals
    solution: LeastSquares
    moments: Moments
    problem: Problem

    def __call__(self, part: Part) -> Sums:
        return reduce(Sums.merge, (self._of(*block) for block in self.residuals.blocks(part)))

    def _of(self, X: Any, residual: Floats) -> Sums:
        rss, problem = float(residual @ residual), self.problem
        if problem.errors == "classical":
            return Sums((rss, 0.0))
        scores = residual
        if problem.errors in ("HC2", "HC3"):
            rest = np.maximum(1 - leverages(X, None, self.solution, self.moments, problem.intercept), 1e-12)
            scores = residual / (np.sqrt(rest) if problem.errors == "HC2" else rest)
        return Sums((rss, sandwich(X, scores, self.solution, self.moments, problem.intercept)))


def fit_linear(model: LinearRegression, rows: Rows) -> None:
    """The coefficients and the whole summary of all rows; which rows are outliers is not asked."""
    check_parameters(model)
    if model.outliers is not None:
        raise MercerError("outliers= needs all rows at once: leave it out to fit in chunks.")
    if model.method in ("gradient", "lsqr"):
        raise MercerError(f'method="{model.method}" needs all rows at once: in chunks, take "auto", "normal" or "qr".')
    for name in FITTED:
        model.__dict__.pop(name, None)  # of an earlier fit
    model._numbers = NumberFormat(False, False)
    model._problem.refuse(None)
    model._set_design(learn_design(rows, tuple(model.terms or ()), model.baseline))
    d = len(model.design_.names)
    if d > MOST_TERMS:
        raise BadTable(f"The table makes {d:,} coefficients, more than {MOST_TERMS:,}. Leave columns out.")
    model.outliers_ = np.empty(0, dtype=np.int64)
    model._keep([fit_chunks(rows, Matrix(model.design_), model._problem)], several=False)
    warn_aliased(model.aliased_, d, model._problem)


def fit_chunks(rows: Rows, matrix: Matrix, problem: Problem) -> LinearFit:
    """The fit of all rows: by their products, or triangulated where these lose digits."""
    moments = rows.merge(ColumnMoments(matrix))
    refuse_overflow(moments)
    refuse_underflow(moments, problem)
    centred = problem.centred(moments)
    root, accurate = root_of_moments(centred)
    if problem.method in ("qr", "svd") or (not accurate and problem.method == "auto" and problem.alpha == 0):
        root = _triangulated(rows, matrix, centred)
    solution = solve_root(root, problem)
    residuals = Residuals(matrix, solution.coef, _intercept(solution, moments, problem))
    products, total = rows.merge(Gradient(residuals)).values
    solution = refined(solution, products, total, centred, problem)
    residuals = replace(residuals, coef=solution.coef, intercept=_intercept(solution, moments, problem))
    squares = SumSquares(residuals, solution, centred, problem)
    sums, buckets = rows.merge(Together((squares, first_buckets(residuals, [0])))).states
    rss, middle = sums.values
    middle = None if problem.errors == "classical" else middle
    return finish(solution, moments, problem, rss, middle, _quantiles(rows, residuals, moments.rows, buckets))


def _triangulated(rows: Rows, matrix: Matrix, centred: Moments) -> Root:
    found = rows.merge(Triangulate(matrix, centred))
    return Root(found.factor[:, :-1], found.factor[:, -1], found.scale)


def _intercept(solution: LeastSquares, moments: Moments, problem: Problem) -> float:
    mean = moments.mean
    return float(mean[-1] - mean[:-1] @ solution.coef) if problem.intercept else 0.0


def _quantiles(rows: Rows, residuals: Residuals, n: int, first: Pieces) -> Floats:
    """As NumPy interpolates them; first : as of `order_statistics`."""
    places = np.array(list(QUANTILES.values())) * (n - 1)
    low = np.floor(places).astype(np.int64)
    ranks = sorted({*low.tolist(), *np.minimum(low + 1, n - 1).tolist()})
    values: Any = dict(zip(ranks, order_statistics(rows, residuals, {0: ranks}, first)[0].tolist(), strict=True))
    lower = np.array([values[k] for k in low.tolist()])
    upper = np.array([values[min(k + 1, n - 1)] for k in low.tolist()])
    return lower + (upper - lower) * (places - low)

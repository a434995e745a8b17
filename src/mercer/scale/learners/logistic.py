"""Logistic regression in chunks: Newton's method, whose first and second derivatives are sums over the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

import numpy as np

from mercer.arrays import Floats
from mercer.encode.design import Design
from mercer.errors import BadTable, BadTarget, MercerError
from mercer.estimators.common.weights.class_weight import class_factors
from mercer.estimators.linear.logistic.fit import Course, Start, fit_logistic, maximise, warn_of_fit
from mercer.estimators.linear.logistic.problem import (
    LogisticProblem,
    check_problem,
    logistic_problem,
    refuse_liblinear,
)
from mercer.estimators.linear.logistic.regression import LogisticRegression
from mercer.parameters import check_parameters
from mercer.scale.learners.design import ColumnMoments, Matrix, learn_design, weight_of
from mercer.scale.learners.landmarks import RowNumbers, SomeRows
from mercer.scale.rows import Part, Rows, Sums
from mercer.solvers.linear.logistic import MAX_COEFFICIENTS, Logit

_SHARE, _SAMPLE = 10, 50_000  # of the rows one in so many, but no more: the sample that Newton's method starts from
_LEAST, _A_TERM = 10_000, 20  # rows of it at least, and for each coefficient
_READING = 1500  # classes^2 * columns whose products for a row take about as long as reading it
_STEPS = 4  # that are taken from the sample's solution; as many from 0 do as well


@dataclass(frozen=True)
class Derivatives:
    """The loss on a chunk and its derivatives at B."""

    logit: Logit  # without rows
    matrix: Matrix
    factors: Floats | None
    B: Floats
    second: bool

    def __call__(self, part: Part) -> Sums:
        return reduce(Sums.merge, (self._sums(*block) for block in self.matrix.blocks(part)))

    def _sums(self, part: Part, X: Any) -> Sums:
        logit = replace(self.logit, X=X, codes=part.target, weight=weight_of(part, self.factors))
        return Sums(logit.value_gradient_hessian(self.B) if self.second else logit.value_gradient(self.B))


@dataclass(frozen=True)
class ChunkedLogit(Logit):
    """`Logit` of rows in chunks: a pass over them for each value."""

    rows: Any = None
    matrix: Any = None
    factors: Floats | None = None
    counts: Any = None  # weight of each class, (n_classes,)
    lasso: bool = False

    @property
    def n_rows(self) -> int:
        return int(self.rows.counts.sum())

    @property
    def mass(self) -> float:
        return float(self.counts.sum())

    @property
    def shares(self) -> Floats:
        return np.asarray(self.counts / self.mass)

    def curvature_pays(self, m: int) -> bool:
        return curvature_pays(m, len(self.mean) + 1, self.lasso)

    def sample(self, n_rows: int) -> Logit | None:
        drawn = draw(self.rows, min(n_rows, _SAMPLE), self.factors)
        if drawn is None:
            return None
        some, weight = drawn
        X = self.matrix.design.matrix(some.table, MAX_COEFFICIENTS)
        return Logit(X, some.target, weight, self.n_classes, self.m, self.mean, self.scale, self.intercept)

    def value_gradient(self, B: Floats) -> tuple[float, Floats]:
        loss, gradient = self._pass(B, second=False)
        return loss, gradient

    def value_gradient_hessian(self, B: Floats) -> tuple[float, Floats, Floats]:
        loss, gradient, hessian = self._pass(B, second=True)
        return loss, gradient, hessian

    def _pass(self, B: Floats, *, second: bool) -> Any:
        plain = Logit(None, self.codes, None, self.n_classes, self.m, self.mean, self.scale, self.intercept)
        return self.rows.merge(Derivatives(plain, self.matrix, self.factors, B, second)).values


def sample_start(rows: Rows, design: Design, problem: LogisticProblem, factors: Floats | None) -> Start:
    """The solution of a tenth of the rows, 50,000 at most; None where these are few, or show that it would not help.

    Two passes that make no design matrix, for about three of Newton's method that do. The rows are drawn by their
    numbers, so that it does not matter how chunks are cut.
    """
    n, n_classes, width = int(rows.counts.sum()), len(rows.classes), len(design.names) + 1
    n_rows = min(n // _SHARE, _SAMPLE)
    if n_rows < max(_LEAST, _A_TERM * width * n_classes):
        return None
    if not curvature_pays(max(1, n_classes - 1), width, problem.l1_ratio > 0):  # L-BFGS has a sample of its own
        return None
    drawn = draw(rows, n_rows, factors)
    if drawn is None:
        return None
    some, weight = drawn
    found = fit_logistic(design.matrix(some.table), some.target, weight, n_classes, problem, Course())
    useful = found.n_iter > _STEPS and found.converged and not found.separating
    return (found.coef, found.intercept) if useful else None


def curvature_pays(m: int, width: int, lasso: bool) -> bool:
    """Whether Newton's method, of 5 to 10 passes, takes less time than L-BFGS, of 20 to 30, or is the only one."""
    return lasso or m * m * width <= _READING


def draw(rows: Rows, n_rows: int, factors: Floats | None) -> tuple[SomeRows, Floats] | None:
    """Rows drawn at random with the weight of all, so that a penalty counts the same; None if a class has none."""
    n, n_classes = int(rows.counts.sum()), len(rows.classes)
    numbers = RowNumbers.of(rows)
    some = numbers.take(np.sort(numbers.draw(n_rows, np.random.RandomState(0))))
    if len(np.unique(some.target)) < n_classes:
        return None
    factors = np.ones(n_classes) if factors is None else factors
    return some, factors[some.target] * (n / n_rows)


def fit_logistic_chunks(model: LogisticRegression, rows: Rows) -> None:
    """The maximum of the penalised likelihood of all rows, with its standard errors."""
    check_parameters(model)
    check_problem(model, None)
    classes = rows.classes
    if len(classes) < 2:
        raise BadTarget(f"The target has a single class, {classes.tolist()[0]!r}. Use MajorityClass.")
    refuse_liblinear(model.solver, np.zeros((1, 1)), len(classes))
    if model.scale:
        raise MercerError("scale=True needs quartiles of every column: to fit in chunks, leave it at False.")
    model.classes_ = classes
    model._set_design(learn_design(rows, tuple(model.terms or ()), model.baseline))
    width = len(model.design_.names) + 1
    if width * len(classes) > MAX_COEFFICIENTS:
        raise BadTable(
            f"The table makes {width * len(classes):,} coefficients, more than the {MAX_COEFFICIENTS:,} that are "
            "fitted in chunks. Leave columns of many levels or words out."
        )
    problem, factors = logistic_problem(model), None
    counts = rows.counts.astype(np.float64)
    if model.class_weight is not None:
        factors = class_factors(model.class_weight, classes, rows.class_codes(), counts)
        counts = counts * factors
    matrix = Matrix(model.design_)
    moments = rows.merge(ColumnMoments(matrix, factors))
    make = partial(
        ChunkedLogit, None, rows.class_codes(), None, len(classes),
        rows=rows, matrix=matrix, factors=factors, counts=counts, lasso=problem.l1_ratio > 0,
    )  # fmt: skip
    found = maximise(make, moments, counts, problem, Course(sample_start(rows, model.design_, problem, factors)))
    model._set_fit(found, False)
    model.n_rows_ = int(rows.counts.sum())
    warn_of_fit(found, model.solver, model.tol, model.design_.names)

"""Logistic regression in chunks: Newton's method, whose first and second derivatives are sums over the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from mercer.arrays import Floats
from mercer.errors import BadTable, BadTarget, MercerError
from mercer.estimators.common.weights.class_weight import class_factors
from mercer.estimators.linear.logistic.fit import MAX_COEFFICIENTS, Course, maximise, warn_of_fit
from mercer.estimators.linear.logistic.problem import check_problem, logistic_problem, refuse_liblinear
from mercer.estimators.linear.logistic.regression import LogisticRegression
from mercer.parameters import check_parameters
from mercer.scale.learners.design import Matrix, learn_design
from mercer.scale.rows import Part, Rows, Sums
from mercer.solvers.linear.logistic import Logit
from mercer.solvers.linear.moments import Moments


@dataclass(frozen=True)
class WeightedMoments:
    """Means and products of the columns of the design matrix and the class codes."""

    matrix: Matrix
    factors: Floats | None

    def __call__(self, part: Part) -> Moments:
        return Moments.of(self.matrix(part), part.target.astype(np.float64), weight_of(part, self.factors))


@dataclass(frozen=True)
class Derivatives:
    """The loss on a chunk and its derivatives at B."""

    logit: Logit  # without rows
    matrix: Matrix
    factors: Floats | None
    B: Floats
    second: bool

    def __call__(self, part: Part) -> Sums:
        weight = weight_of(part, self.factors)
        logit = replace(self.logit, X=self.matrix(part), codes=part.target, weight=weight)
        return Sums(logit.value_gradient_hessian(self.B) if self.second else logit.value_gradient(self.B))


@dataclass(frozen=True)
class ChunkedLogit(Logit):
    """`Logit` of rows in chunks: a pass over them for each value."""

    cost_of_pass: ClassVar[float] = 100.0  # Newton's method takes 5 to 10 passes, L-BFGS 30 to 200
    rows: Any = None
    matrix: Any = None
    factors: Floats | None = None
    counts: Any = None  # weight of each class, (n_classes,)

    @property
    def n_rows(self) -> int:
        return int(self.rows.counts.sum())

    @property
    def mass(self) -> float:
        return float(self.counts.sum())

    @property
    def shares(self) -> Floats:
        return np.asarray(self.counts / self.mass)

    def value_gradient(self, B: Floats) -> tuple[float, Floats]:
        loss, gradient = self._pass(B, second=False)
        return loss, gradient

    def value_gradient_hessian(self, B: Floats) -> tuple[float, Floats, Floats]:
        loss, gradient, hessian = self._pass(B, second=True)
        return loss, gradient, hessian

    def _pass(self, B: Floats, *, second: bool) -> Any:
        plain = Logit(None, self.codes, None, self.n_classes, self.m, self.mean, self.scale, self.intercept)
        return self.rows.merge(Derivatives(plain, self.matrix, self.factors, B, second)).values


def weight_of(part: Part, factors: Floats | None) -> Floats | None:
    """The weight of each row, by its class."""
    return None if factors is None else factors[part.target]


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
    moments = rows.merge(WeightedMoments(matrix, factors))
    make = partial(
        ChunkedLogit, None, rows.class_codes(), None, len(classes),
        rows=rows, matrix=matrix, factors=factors, counts=counts,
    )  # fmt: skip
    found = maximise(make, moments, counts, problem, Course())
    model._set_fit(found, False)
    model.n_rows_ = int(rows.counts.sum())
    warn_of_fit(found, model.solver, model.tol, model.design_.names)

"""Linear regression on rows that come in parts."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats
from mercer.encode.design import Design
from mercer.errors import MercerError
from mercer.estimators.common.base import TableRegressor
from mercer.estimators.linear.fit import LinearFit, from_moments, without_errors
from mercer.estimators.linear.rows import FitRows
from mercer.solvers.linear.least_squares import LeastSquares, root_of_moments, solve, solve_positive
from mercer.solvers.linear.moments import Moments


class MergingRegression(TableRegressor):
    """Base of LinearRegression: means and products of columns are all it needs of rows, and those of parts add up."""

    coef_: Floats  # (d,), or (t, d) for t targets
    intercept_: Any  # a number, or (t,)
    aliased_: dict[str, str]
    design_: Design
    moments_: Moments
    solution_: LeastSquares
    fit_: LinearFit

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from further rows: the same coefficients as one fit on all by method="normal".

        The first rows decide on levels, words and medians. y : numbers, (n_rows,).
        """
        if not hasattr(self, "coef_"):
            return self.fit(X, y, sample_weight)
        self._expect_one("partial_fit")
        self._check_options()
        if self.errors != "classical" or self.outliers is not None:
            raise MercerError("Robust errors and outliers need all rows at once: use fit.")
        table = self._predict_table(X)
        target = self._fit_target(y, len(table))
        weight = self._weights(sample_weight, len(table))
        if weight is not None and not weight.all():
            table, target, weight = table.take(weight > 0), target[weight > 0], weight[weight > 0]
        logs = 0.0 if weight is None else float(np.log(weight).sum())
        rows = FitRows(self.design_.matrix(table), target[:, None], weight, self.fit_intercept)
        return self._absorb(rows.moments(0), logs)

    def merge(self, other: Self) -> Self:
        """The model of both models' rows together; start the second by `blank` to share levels, words and medians."""
        self._expect_one("merge")
        other._expect_one("merge")
        if not self.design_.same_as(other.design_) or self.get_params() != other.get_params():
            raise MercerError("The models differ in columns, levels or options. Start the second one by model.blank().")
        return deepcopy(self)._absorb(other.moments_, other.fit_.log_weights)

    def blank(self) -> Self:
        """A model with the same columns, levels, words and medians that has seen no rows: partial_fit fills it."""
        self._expect_one("blank")
        model = deepcopy(self)
        size = len(self.moments_.mean)
        model.moments_ = Moments(0, 0.0, np.zeros(size), np.zeros((size, size)))
        model.coef_, model.intercept_ = np.zeros(size - 1), 0.0
        return model

    def _absorb(self, moments: Moments, logs: float) -> Self:
        logs += self.fit_.log_weights if self.moments_.rows else 0.0
        self.moments_ = self.moments_.merge(moments)
        root = root_of_moments(self._centre)[0]
        self._take(solve_positive(root, self.alpha) if self.positive else solve(root, self.alpha))
        centre = self._centre
        cross, b = centre.scatter[:-1, -1], self.coef_
        squares = centre.scatter[-1, -1] - 2 * b @ cross + b @ centre.scatter[:-1, :-1] @ b
        fit = from_moments(
            float(max(squares, 0.0)), logs, self.solution_, centre, intercept=self.fit_intercept, alpha=self.alpha
        )
        self.fit_ = without_errors(fit) if self.positive else fit
        self.aliased_ = self._named(self.solution_)
        self._tell()
        return self

    def _expect_one(self, what: str) -> None:
        """MercerError when the model has several targets."""
        check_is_fitted(self)
        if hasattr(self, "models_"):
            raise MercerError(
                f"{what} is about one target, and y had columns: {len(self.models_)} targets. Ask the model of one of "
                f"them, model.models_[0].{what}(...), or fit one target at a time."
            )

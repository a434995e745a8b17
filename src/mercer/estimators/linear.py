"""Linear regression on mixed tables."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer.encode.design import BASELINES, Design
from mercer.errors import BadFile, BadTable, MercerError, MercerWarning
from mercer.estimators.base import TableRegressor
from mercer.estimators.coefficients import Summary, column_notes
from mercer.estimators.linear_fit import (
    ERRORS,
    Diagnostics,
    LinearFit,
    diagnose,
    from_moments,
    leverages,
    measure,
)
from mercer.estimators.linear_summary import combination_text, summarise
from mercer.estimators.linear_view import Contributions, by_column, shown_cells
from mercer.solvers.direct import LeastSquares, root_of_moments, root_of_rows, scales, solve
from mercer.solvers.gradient import descend
from mercer.solvers.moments import Moments
from mercer.state import Reader, State
from mercer.table import Table

Floats = NDArray[np.float64]
METHODS = ("auto", "qr", "svd", "normal", "gradient")
_SMALL = 2e8  # rows * columns^2 up to which orthogonal triangulation costs nothing that is felt
_MOST_TERMS = 20_000
_STEPS = 20_000


class LinearRegression(TableRegressor):
    """f(x) = b_0 + sum_j b_j x_j,  minimising sum_i w_i (y_i - f(x_i))^2 + alpha sum_j b_j^2.

    Numbers enter as they are, levels as contrasts with a baseline level, words of texts as counts. A missing number
    is the column's median and a column '<name> missing' says so; a missing level is a level. Columns that are
    combinations of earlier ones get the coefficient 0 and are named in `aliased_`.

    Parameters
    ----------
    method : "qr" (orthogonal triangulation), "svd" (the same; aliased columns share, least norm), "normal" (products
        of columns by chunks, refined once), "gradient" (accelerated descent), or "auto": qr for small tables, normal
        for large ones unless the columns are so nearly collinear that it would lose digits
    alpha : 0 or more, ridge penalty, as scikit-learn's Ridge
    fit_intercept : whether there is a b_0
    terms : further columns: "age^2", "log(age)" (log1p, sqrt, exp), "age*job"
    baseline : "first" level of each column, or the most "common" one
    errors : of the coefficients: "classical", or robust to unequal variances "HC0", "HC1", "HC2", "HC3"
    outliers : leave out rows whose studentised residual is beyond this (3, say) and fit again; None keeps all
    tol : gradient descent stops when no entry of the gradient is above tol times the largest at the start
    kinds : column -> kind, overriding what is inferred from a data frame

    Attributes
    ----------
    coef_, intercept_ : b_1 ... and b_0; term_names_ names the former
    aliased_ : coefficient that says nothing -> why
    baselines_, filled_ : baseline level of each coded column; what stands for missing cells
    outliers_ : rows left out

    Examples
    --------
    >>> import mercer
    >>> rows = {"size": [50, 60, 80, 95, 120], "town": ["Ulm", "Bonn", "Ulm", "Bonn", "Bonn"]}
    >>> model = mercer.LinearRegression().fit(rows, [200, 250, 320, 390, 490])
    >>> dict(zip(model.term_names_, model.coef_.round(2).tolist()))
    {'size': 4.0, 'town=Ulm': -10.0}
    """

    def __init__(
        self,
        method: str = "auto",
        *,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        terms: Sequence[str] | None = None,
        baseline: str = "first",
        errors: str = "classical",
        outliers: float | None = None,
        tol: float = 1e-10,
        kinds: Mapping[str, Any] | None = None,
    ) -> None:
        self.method = method
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.terms = terms
        self.baseline = baseline
        self.errors = errors
        self.outliers = outliers
        self.tol = tol
        self.kinds = kinds

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table X and numbers y."""
        table, target, weight = self._rows(X, y, sample_weight)
        self.design_ = Design.learn(table, weight, self.terms or (), self.baseline)
        matrix = self._matrix(table)
        self._settle(matrix, target, weight)
        self.outliers_ = np.empty(0, dtype=np.int64)
        if self.outliers is not None:
            self._fit_inliers(matrix, target, weight)
        return self

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[Table, Floats, Floats | None]:
        self._check_options()
        table = self._fit_table(X)
        target = self._fit_target(y, len(table))
        weight = self._weights(sample_weight, len(table))
        if weight is not None and not weight.all():
            table, target, weight = table.take(weight > 0), target[weight > 0], weight[weight > 0]
        return table, target, weight

    def _check_options(self) -> None:
        for name, allowed in (("method", METHODS), ("errors", ERRORS), ("baseline", BASELINES)):
            if getattr(self, name) not in allowed:
                raise MercerError(f"{name}={getattr(self, name)!r}: one of {', '.join(allowed)}.")
        if not 0 <= self.alpha < np.inf:
            raise MercerError(f"alpha={self.alpha}: a number from 0 up.")
        if self.outliers is not None and not self.outliers > 0:
            raise MercerError(f"outliers={self.outliers}: a number above 0, or None.")
        if not 0 < self.tol < 1:
            raise MercerError(f"tol={self.tol}: a number between 0 and 1.")

    def _matrix(self, table: Table) -> Any:
        matrix = self.design_.matrix(table)
        if matrix.shape[1] > _MOST_TERMS:
            raise BadTable(
                f"The table makes {matrix.shape[1]:,} coefficients, more than {_MOST_TERMS:,}: their products do not "
                "fit in memory. Leave columns out, or use LogisticRegression or a linear SVM."
            )
        return matrix

    def _settle(self, matrix: Any, target: Floats, weight: Floats | None) -> None:
        """Solve for these rows, and measure the fit."""
        self.moments_ = _checked(Moments.of(matrix, target, weight))
        self._take(self._solution(matrix, target, weight))
        residual = target - self._answers(matrix)
        if self._refined:
            self._refine(matrix, residual, weight)
            residual = target - self._answers(matrix)
        self.fit_ = measure(
            matrix, residual, weight, self.solution_, self._centre, intercept=self.fit_intercept,
            alpha=self.alpha, errors=self.errors,
        )  # fmt: skip
        self._tell()

    @property
    def _centre(self) -> Moments:
        return self.moments_ if self.fit_intercept else self.moments_.around_zero()

    def _solution(self, matrix: Any, target: Floats, weight: Floats | None) -> LeastSquares:
        n, d = matrix.shape
        self._refined = False
        small = float(n) * d * d <= _SMALL
        if self.method in ("qr", "svd") or (self.method == "auto" and small):
            root = root_of_rows(matrix, target, weight, self._centre)
            return solve(root, self.alpha, self.method == "svd")
        if self.method == "gradient":
            return self._descend()
        root, sure = root_of_moments(self._centre)
        if not sure and self.method == "auto" and self.alpha == 0:
            root = root_of_rows(matrix, target, weight, self._centre)
        self._refined = True
        return solve(root, self.alpha)

    def _descend(self) -> LeastSquares:
        """Gradient descent on z-scores; errors and aliased columns still come from the products."""
        centre = self._centre
        scale = np.where((found := scales(centre)) > 0, found, 1.0)
        gram = (centre.scatter[:-1, :-1] + self.alpha * np.eye(len(scale))) / np.outer(scale, scale)
        coef, self.n_iter_ = descend(lambda b: gram @ b, centre.scatter[:-1, -1] / scale, self.tol, _STEPS)
        direct = solve(root_of_moments(centre)[0], self.alpha)
        return LeastSquares(coef / scale, direct.inverse, direct.aliased)

    def _refine(self, matrix: Any, residual: Floats, weight: Floats | None) -> None:
        """One Newton step from the residuals brings back the digits that products of columns lose (Bjorck 1987)."""
        scored = residual if weight is None else weight * residual
        gradient = matrix.T @ scored - self._centre.mean[:-1] * scored.sum() - self.alpha * self.coef_
        solution = self.solution_
        step = solution.inverse @ gradient
        self._take(LeastSquares(solution.coef + step, solution.inverse, solution.aliased))

    def _take(self, solution: LeastSquares) -> None:
        self.solution_, self.coef_ = solution, solution.coef
        mean = self.moments_.mean
        self.intercept_ = float(mean[-1] - mean[:-1] @ self.coef_) if self.fit_intercept else 0.0

    def _tell(self) -> None:
        names = self.term_names_
        self.aliased_ = self._named(self.solution_)
        if self.aliased_:
            shown = "; ".join(f"{name!r} = {text}" for name, text in list(self.aliased_.items())[:3])
            more = f" and {len(self.aliased_) - 3} more" if len(self.aliased_) > 3 else ""
            warnings.warn(
                f"{len(self.aliased_)} of {len(names)} coefficients cannot be told from others: {shown}{more}. "
                "Predictions are not affected.", MercerWarning, stacklevel=4,
            )  # fmt: skip

    def _named(self, solution: LeastSquares) -> dict[str, str]:
        mean, names = self._centre.mean[:-1], self.design_.names
        return {names[j]: combination_text(c, mean[j] - mean @ c, names) for j, c in solution.aliased.items()}

    def _fit_inliers(self, matrix: Any, target: Floats, weight: Floats | None) -> None:
        strange = self._diagnose(matrix, target, weight).outliers(float(self.outliers or np.inf))
        if not len(strange):
            return
        kept = np.ones(len(target), dtype=bool)
        kept[strange] = False
        self._settle(matrix[kept], target[kept], None if weight is None else weight[kept])
        self.outliers_ = np.sort(strange).astype(np.int64)
        notice = f"{len(strange)} of {len(target)} rows were left out as outliers; see outliers_."
        warnings.warn(notice, MercerWarning, stacklevel=3)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from further rows: the same coefficients as one fit on all by method="normal".

        The first rows decide on levels, words and medians.
        """
        if not hasattr(self, "moments_"):
            return self.fit(X, y, sample_weight)
        self._check_options()
        if self.errors != "classical" or self.outliers is not None:
            raise MercerError("Robust errors and outliers need all rows at once: use fit.")
        table = self._predict_table(X)
        target = self._fit_target(y, len(table))
        weight = self._weights(sample_weight, len(table))
        if weight is not None and not weight.all():
            table, target, weight = table.take(weight > 0), target[weight > 0], weight[weight > 0]
        logs = 0.0 if weight is None else float(np.log(weight).sum())
        return self._absorb(_checked(Moments.of(self.design_.matrix(table), target, weight)), logs)

    def merge(self, other: LinearRegression) -> LinearRegression:
        """The model of both models' rows together; start the second by `blank` to share levels, words and medians."""
        check_is_fitted(self)
        check_is_fitted(other)
        if not self.design_.same_as(other.design_) or self.get_params() != other.get_params():
            raise MercerError("The models differ in columns, levels or options. Start the second one by model.blank().")
        return deepcopy(self)._absorb(other.moments_, other.fit_.log_weights)

    def blank(self) -> Self:
        """A model with the same columns, levels, words and medians that has seen no rows: partial_fit fills it."""
        check_is_fitted(self)
        model = deepcopy(self)
        size = len(self.moments_.mean)
        model.moments_ = Moments(0, 0.0, np.zeros(size), np.zeros((size, size)))
        model.coef_, model.intercept_ = np.zeros(size - 1), 0.0
        return model

    def _absorb(self, moments: Moments, logs: float) -> Self:
        logs += self.fit_.log_weights if self.moments_.rows else 0.0
        self.moments_ = self.moments_.merge(moments)
        self._take(solve(root_of_moments(self._centre)[0], self.alpha))
        centre = self._centre
        cross, b = centre.scatter[:-1, -1], self.coef_
        squares = centre.scatter[-1, -1] - 2 * b @ cross + b @ centre.scatter[:-1, :-1] @ b
        self.fit_ = from_moments(
            float(max(squares, 0.0)), logs, self.solution_, centre, intercept=self.fit_intercept, alpha=self.alpha
        )
        self._tell()
        return self

    @property
    def term_names_(self) -> list[str]:
        """What each entry of `coef_` belongs to."""
        return self.design_.names

    @property
    def baselines_(self) -> dict[str, str]:
        """The level that each coded column's coefficients are contrasts with."""
        return self.design_.baselines

    @property
    def filled_(self) -> dict[str, str]:
        """What stands for the missing cells of the columns that had some."""
        return self.design_.filled

    def predict(self, X: Any) -> Floats:
        """f(x) of each row, (n_rows,)."""
        table = self._predict_table(X)
        return self._answers(self.design_.matrix(table))

    def _answers(self, matrix: Any) -> Floats:
        return np.asarray(matrix @ self.coef_, dtype=np.float64) + self.intercept_

    def explain(self, X: Any) -> Contributions:
        """What each column adds to the prediction of each row, compared with an average row."""
        table = self._predict_table(X)
        mean = self.moments_.mean[:-1]
        names, values = by_column(self.design_, table, self.coef_, mean)
        return Contributions(names, values, float(self.intercept_ + mean @ self.coef_), shown_cells(table, names))

    def diagnostics(self, X: Any, y: Any, sample_weight: Any = None) -> Diagnostics:
        """Residual, leverage, studentised residual and Cook's distance of each of the rows fitted."""
        table = self._predict_table(X)
        weight = self._weights(sample_weight, len(table))
        return self._diagnose(self.design_.matrix(table), self._fit_target(y, len(table)), weight)

    def _diagnose(self, matrix: Any, target: Floats, weight: Floats | None) -> Diagnostics:
        leverage = leverages(matrix, weight, self.solution_, self._centre, self.fit_intercept)
        return diagnose(target - self._answers(matrix), leverage, weight, self.fit_.parameters)

    def summary(self, level: float = 0.95) -> Summary:
        """Coefficients with standard errors, t, p and stars; R^2, F, AIC; quantiles of the residuals.

        level : of the confidence intervals
        """
        check_is_fitted(self)
        if not 0 < level < 1:
            raise MercerError(f"level={level}: a number between 0 and 1.")
        kept = np.array([n not in self.aliased_ for n in self.term_names_], dtype=bool)
        return summarise(
            self.fit_, self.intercept_, self.coef_, self.term_names_, kept, level=level, errors=self.errors,
            intercept=self.fit_intercept, notes=self._notes(),
        )  # fmt: skip

    def _notes(self) -> list[str]:
        notes = column_notes(self.baselines_, self.filled_)
        if self.aliased_:
            notes.append("Aliased: " + "; ".join(f"{n} = {text}" for n, text in self.aliased_.items()) + ".")
        if self.alpha > 0:
            notes.append(f"Ridge penalty {self.alpha:g}: estimates are drawn to 0, tests are approximate.")
        if len(self.outliers_):
            notes.append(f"{len(self.outliers_)} outliers left out.")
        return notes

    def to_state(self) -> State:
        check_is_fitted(self)
        moments, solution = self.moments_, self.solution_
        combinations = np.array([*solution.aliased.values()]).reshape(len(solution.aliased), len(self.coef_))
        return {
            "input": self._input_state(), "design": self.design_.to_state(),
            "alpha": float(self.alpha), "fit_intercept": bool(self.fit_intercept), "errors": self.errors,
            "coef": self.coef_, "intercept": self.intercept_, "inverse": solution.inverse,
            "aliased": np.array([*solution.aliased], dtype=np.int64), "combinations": combinations,
            "rows": moments.rows, "weight": moments.weight, "mean": moments.mean, "scatter": moments.scatter,
            "fit": self.fit_.to_state(), "outliers": self.outliers_,
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls(
            alpha=state.number("alpha", 0.0, np.finfo(float).max), fit_intercept=state.flag("fit_intercept"),
            errors=state.text("errors", ERRORS),
        )  # fmt: skip
        model._restore_input(state.child("input"))
        model.design_ = Design.from_state(state.child("design"), model.schema_)
        model.terms = list(model.design_.terms) or None
        d = len(model.design_.names)
        model.coef_, model.intercept_ = state.array("coef", "float64", (d,)), state.number("intercept")
        aliased = state.array("aliased", "int64", (None,), low=0, high=d - 1)
        combinations = state.array("combinations", "float64", (len(aliased), d))
        if not np.isfinite(model.intercept_) or len(np.unique(aliased)) != len(aliased):
            raise BadFile(f"{state.where}: the coefficients are not usable.")
        named = dict(zip(aliased.tolist(), combinations, strict=True))
        model.solution_ = LeastSquares(model.coef_, state.array("inverse", "float64", (d, d)), named)
        model.moments_ = Moments(
            state.integer("rows"), state.number("weight", 0.0, np.finfo(float).max),
            state.array("mean", "float64", (d + 1,)), state.array("scatter", "float64", (d + 1, d + 1)),
        )  # fmt: skip
        model.aliased_ = model._named(model.solution_)
        model.fit_ = LinearFit.from_state(state.child("fit"), d + 1)
        model.outliers_ = state.array("outliers", "int64", (None,), low=0)
        state.finish()
        return model


def _checked(moments: Moments) -> Moments:
    if not np.isfinite(moments.scatter).all():
        raise BadTable("The squares of the numbers are beyond what a double holds. Scale the columns first.")
    return moments

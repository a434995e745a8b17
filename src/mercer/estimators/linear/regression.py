"""Linear regression on mixed tables."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._core.threads import single_blas_thread
from mercer.arrays import Floats
from mercer.encode.blocks import Baseline
from mercer.encode.design import Design
from mercer.errors import BadFile, BadTable, MercerError, MercerWarning
from mercer.estimators.common.text_table import shown_cells
from mercer.estimators.linear.coefficients import Summary, column_notes
from mercer.estimators.linear.explain import Contributions, by_column
from mercer.estimators.linear.fit import ERRORS, Diagnostics, diagnose, leverages, measure, without_errors
from mercer.estimators.linear.merge import MergingRegression
from mercer.estimators.linear.rows import FitRows
from mercer.estimators.linear.state import linear_state, restore_linear
from mercer.estimators.linear.summary import combination_text, summarise
from mercer.solvers.linear.gradient import descend
from mercer.solvers.linear.least_squares import LeastSquares, root_of_moments, scales, solve, solve_positive
from mercer.solvers.linear.moments import Moments
from mercer.state import Reader, State
from mercer.table import Table
from mercer.table.target import target_columns

METHODS = ("auto", "qr", "svd", "normal", "gradient")
_SMALL = 2e8  # rows * columns^2 up to which orthogonal triangulation costs nothing that is felt
_MOST_TERMS = 20_000
_FEW = 500  # columns up to which threads of BLAS wait for each other longer than they work
_STEPS = 20_000


class LinearRegression(MergingRegression):
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
    positive : whether every b_j is held at or above 0 (non-negative least squares; b_0 is free)
    terms : further columns: "age^2", "log(age)" (log1p, sqrt, exp), "age*job"
    baseline : "first" level of each column, or the most "common" one
    errors : of the coefficients: "classical", or robust to unequal variances "HC0", "HC1", "HC2", "HC3"
    outliers : leave out rows whose studentised residual is beyond this (3, say) and fit again; None keeps all
    tol : gradient descent stops when no entry of the gradient is above tol times the largest at the start
    kinds : column -> kind, overriding what is inferred from a data frame

    Attributes
    ----------
    coef_, intercept_ : b_1 ... and b_0; term_names_ names the former. When y has columns, (n_targets, n_terms) and
        (n_targets,)
    models_ : a model of each target, with its `summary`, when y has columns
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

    Several targets, and no coefficient below 0:

    >>> model = mercer.LinearRegression(positive=True).fit([[0], [1], [2]], [[1, 2], [3, 1], [5, 0]])
    >>> model.coef_.round(6).tolist(), model.predict([[3]]).round(6).tolist()
    ([[2.0], [0.0]], [[7.0, 1.0]])
    """

    def __init__(
        self,
        method: str = "auto",
        *,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        positive: bool = False,
        terms: Sequence[str] | None = None,
        baseline: Baseline = "first",
        errors: str = "classical",
        outliers: float | None = None,
        tol: float = 1e-10,
        kinds: Mapping[str, Any] | None = None,
    ) -> None:
        self.method = method
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.terms = terms
        self.baseline = baseline
        self.errors = errors
        self.outliers = outliers
        self.tol = tol
        self.kinds = kinds

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table X and numbers y, (n_rows,) or (n_rows, n_targets)."""
        self._check_options()
        for name in ("models_", "moments_", "solution_", "fit_"):
            self.__dict__.pop(name, None)  # of an earlier fit, with columns in y or without
        table = self._fit_table(X)
        columns = target_columns(y, len(table))
        target = np.column_stack([self._fit_target(c, len(table)) for c in ([y] if columns is None else columns)])
        weight = self._weights(sample_weight, len(table))
        if weight is not None and not weight.all():
            table, target, weight = table.take(weight > 0), target[weight > 0], weight[weight > 0]
        self.design_ = Design.learn(table, weight, self.terms or (), self.baseline)
        self.outliers_ = np.empty(0, dtype=np.int64)
        rows = FitRows(self._matrix(table), target, weight, self.fit_intercept)
        with single_blas_thread() if rows.matrix.shape[1] <= _FEW else nullcontext():
            if columns is None:
                self._settle(rows)
                self._fit_inliers(rows)
            else:
                self._fit_each(rows)
        self._tell()
        return self

    def _fit_each(self, rows: FitRows) -> None:
        """A model of each target."""
        if self.outliers is not None:
            raise MercerError("outliers leaves out rows that one target finds strange: fit one target at a time.")
        models = [copy(self) for _ in range(rows.targets.shape[1])]
        for k, one in enumerate(models):
            one._settle(rows, k)
        self._gather(models)

    def _gather(self, models: list[Self]) -> None:
        """Show the models of several targets as one."""
        if not models or not all(m.design_.same_as(models[0].design_) for m in models):
            raise BadFile("The models of several targets differ in their columns.")
        first = models[0]
        self.models_, self.design_, self.aliased_ = models, first.design_, first.aliased_
        self.coef_ = np.array([m.coef_ for m in models])
        self.intercept_ = np.array([m.intercept_ for m in models])

    def _check_options(self) -> None:
        for name, allowed in (("method", METHODS), ("errors", ERRORS), ("baseline", ("first", "common"))):
            if getattr(self, name) not in allowed:
                raise MercerError(f"{name}={getattr(self, name)!r}: one of {', '.join(allowed)}.")
        if not 0 <= self.alpha < np.inf:
            raise MercerError(f"alpha={self.alpha}: a number from 0 up.")
        if self.positive and (self.method in ("svd", "gradient") or self.errors != "classical" or self.outliers):
            raise MercerError(
                f"positive=True with method={self.method!r}, errors={self.errors!r}, outliers={self.outliers!r}: "
                "method is 'auto', 'qr' or 'normal', and there are no errors of coefficients, nor outliers by them."
            )
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

    def _settle(self, rows: FitRows, k: int = 0) -> None:
        """Solve for these rows and target k, and measure the fit."""
        self.moments_ = rows.moments(k)
        self._take(self._solution(rows, k))
        target = rows.targets[:, k]
        residual = target - self._answers(rows.matrix)
        if self._refined:
            self._refine(rows, residual)
            residual = target - self._answers(rows.matrix)
        fit = measure(
            rows.matrix, residual, rows.weight, self.solution_, self._centre, intercept=self.fit_intercept,
            alpha=self.alpha, errors=self.errors,
        )  # fmt: skip
        self.fit_ = without_errors(fit) if self.positive else fit
        self.aliased_ = self._named(self.solution_)

    @property
    def _centre(self) -> Moments:
        return self.moments_ if self.fit_intercept else self.moments_.around_zero()

    def _solution(self, rows: FitRows, k: int) -> LeastSquares:
        n, d = rows.matrix.shape
        self._refined = False
        small = float(n) * d * d <= _SMALL
        if self.method == "gradient":
            return self._descend()
        if self.method in ("qr", "svd") or (self.method == "auto" and small):
            root = rows.root(k)
        else:
            root, sure = root_of_moments(self._centre)
            if not sure and self.method == "auto" and self.alpha == 0:
                root = rows.root(k)
            self._refined = True
        if self.positive:
            return solve_positive(root, self.alpha)
        return solve(root, self.alpha, self.method == "svd")

    def _descend(self) -> LeastSquares:
        """Gradient descent on z-scores; errors and aliased columns still come from the products."""
        centre = self._centre
        scale = np.where((found := scales(centre)) > 0, found, 1.0)
        gram = (centre.scatter[:-1, :-1] + self.alpha * np.eye(len(scale))) / np.outer(scale, scale)
        coef, self.n_iter_ = descend(lambda b: gram @ b, centre.scatter[:-1, -1] / scale, self.tol, _STEPS)
        direct = solve(root_of_moments(centre)[0], self.alpha)
        return LeastSquares(coef / scale, direct.inverse, direct.aliased)

    def _refine(self, rows: FitRows, residual: Floats) -> None:
        """One Newton step from the residuals brings back the digits that products of columns lose (Bjorck 1987)."""
        scored = residual if rows.weight is None else rows.weight * residual
        gradient = rows.matrix.T @ scored - self._centre.mean[:-1] * scored.sum() - self.alpha * self.coef_
        solution = self.solution_
        coef = solution.coef + solution.inverse @ gradient
        coef = np.maximum(coef, 0.0) if self.positive else coef
        self._take(LeastSquares(coef, solution.inverse, solution.aliased))

    def _take(self, solution: LeastSquares) -> None:
        self.solution_, self.coef_ = solution, solution.coef
        mean = self.moments_.mean
        self.intercept_ = float(mean[-1] - mean[:-1] @ self.coef_) if self.fit_intercept else 0.0

    def _tell(self) -> None:
        names = self.term_names_
        if self.aliased_:
            shown = "; ".join(f"{name!r} = {text}" for name, text in list(self.aliased_.items())[:3])
            more = f" and {len(self.aliased_) - 3} more" if len(self.aliased_) > 3 else ""
            warnings.warn(
                f"{len(self.aliased_)} of {len(names)} coefficients cannot be told from others: {shown}{more}. "
                "Predictions are not affected.", MercerWarning, stacklevel=3,
            )  # fmt: skip

    def _named(self, solution: LeastSquares) -> dict[str, str]:
        mean, names = self._centre.mean[:-1], self.design_.names
        return {names[j]: combination_text(c, mean[j] - mean @ c, names) for j, c in solution.aliased.items()}

    def _fit_inliers(self, rows: FitRows) -> None:
        """Once more without the rows that the fit finds strange, if that is asked for."""
        n = len(rows.targets)
        if self.outliers is None:
            return
        strange = self._diagnose(rows.matrix, rows.targets[:, 0], rows.weight).outliers(float(self.outliers))
        if not len(strange):
            return
        kept = np.ones(n, dtype=bool)
        kept[strange] = False
        self._settle(rows.take(kept))
        self.outliers_ = np.sort(strange).astype(np.int64)
        notice = f"{len(strange)} of {n} rows were left out as outliers; see outliers_."
        warnings.warn(notice, MercerWarning, stacklevel=3)

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
        """f(x) of each row, (n_rows,), or (n_rows, n_targets) when y had columns."""
        table = self._predict_table(X)
        return self._answers(self.design_.matrix(table))

    def _answers(self, matrix: Any) -> Floats:
        return np.asarray(matrix @ self.coef_.T, dtype=np.float64) + self.intercept_

    def explain(self, X: Any) -> Contributions:
        """What each column adds to the prediction of each row, compared with an average row."""
        self._expect_one("explain")
        table = self._predict_table(X)
        mean = self.moments_.mean[:-1]
        names, values = by_column(self.design_, table, self.coef_, mean)
        return Contributions(names, values, float(self.intercept_ + mean @ self.coef_), shown_cells(table, names))

    def diagnostics(self, X: Any, y: Any, sample_weight: Any = None) -> Diagnostics:
        """Residual, leverage, studentised residual and Cook's distance of each of the rows fitted."""
        self._expect_one("diagnostics")
        if self.positive:
            raise MercerError("With positive=True rows have no leverage in closed form. Fit with positive=False.")
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
        self._expect_one("summary")
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
        if self.positive:
            notes.append(
                f"Coefficients are held at or above 0, {int((self.coef_ == 0).sum())} of them at 0: standard errors, "
                "tests and intervals do not hold and are left out; degrees of freedom count the coefficients above 0."
            )
        if len(self.outliers_):
            notes.append(f"{len(self.outliers_)} outliers left out.")
        return notes

    def to_state(self) -> State:
        check_is_fitted(self)
        if hasattr(self, "models_"):
            return {"input": self._input_state(), "targets": [linear_state(m) for m in self.models_]}
        return {"input": self._input_state()} | linear_state(self)

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls()
        model._restore_input(state.child("input"))
        if state.has("targets"):
            model._gather([model._restored(child) for child in state.children("targets")])
            model.set_params(**model.models_[0].get_params())
        else:
            restore_linear(model, state)
            model.aliased_ = model._named(model.solution_)
        state.finish()
        return model

    def _restored(self, state: Reader) -> Self:
        """The model of one target of several."""
        one = copy(self)
        restore_linear(one, state)
        one.aliased_ = one._named(one.solution_)
        return one

"""Linear regression on mixed tables."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from copy import copy, deepcopy
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mercer._core.threads import single_blas_thread
from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.encode.blocks import Baseline
from mercer.encode.design import Design
from mercer.errors import MercerError, MercerWarning
from mercer.estimators.common.base import TableRegressor
from mercer.estimators.common.text_table import shown_cells
from mercer.estimators.linear.coefficients import Summary
from mercer.estimators.linear.explain import Contributions, by_column
from mercer.estimators.linear.fit import LinearFit, Method, Problem, TrainingRows, fit_targets, no_rows
from mercer.estimators.linear.inference import Diagnostics, Errors
from mercer.estimators.linear.summary import aliased_terms, linear_summary
from mercer.parameters import Choice, Dictionary, Flag, Number, Parameters, Texts, check_parameters
from mercer.state import Reader, State
from mercer.table import Table
from mercer.table.target import target_columns

_FEW_COLUMNS = 500  # up to which threads of BLAS wait for each other longer than they compute
_FITTED = ("models_", "fit_", "n_iter_")  # attributes that a fit may or may not set


@shares_docs()
class LinearRegression(TableRegressor):
    """f(x) = b_0 + sum_j b_j x_j,  minimising sum_i w_i (y_i - f(x_i))^2 + alpha sum_j b_j^2.

    Numbers enter as they are, levels as contrasts with a baseline level, words of texts as counts. A missing number
    is the column's median and a column '<name> missing' says so; a missing level is a level. Columns that are
    combinations of earlier ones get the coefficient 0 and are named in `aliased_`.

    Parameters
    ----------
    method : {"auto", "qr", "svd", "normal", "gradient"}, default "auto"
        "qr" (orthogonal triangulation), "svd" (the same; aliased columns share, least norm), "normal" (products of
        columns by chunks, refined once), "gradient" (accelerated descent), or "auto": qr for small tables, normal for
        large ones unless the columns are so nearly collinear that it would lose digits.
    alpha : float, default 0.0
        Ridge penalty, at least 0, as scikit-learn's Ridge.
    {fit_intercept}
    positive : bool, default False
        Whether every b_j is held at or above 0 (non-negative least squares; b_0 is free).
    {terms}
    {baseline}
    errors : {"classical", "HC0", "HC1", "HC2", "HC3"}, default "classical"
        Standard errors of the coefficients: classical, or robust to unequal variances.
    outliers : float or None, default None
        Leave out rows whose studentised residual is above this (3, say) and fit again; None keeps all.
    tol : float, default 1e-10
        Gradient descent stops when no entry of the gradient is above tol times the largest at the start.
    {kinds}

    Attributes
    ----------
    coef_ : ndarray of shape (n_terms,) or (n_targets, n_terms)
        b_1, b_2 ...; a row for each target when y has columns.
    intercept_ : float or ndarray of shape (n_targets,)
        b_0.
    {term_names_}
    models_ : list of LinearRegression
        A model of each target, with its `summary`, when y has columns.
    aliased_ : dict of str to str
        Terms that are combinations of others -> that combination.
    {baselines_}
    {filled_}
    outliers_ : ndarray of shape (n_outliers,)
        Positions of the rows left out, among those of positive weight.
    n_rows_ : int
        Number of rows of positive weight, outliers left out.
    n_iter_ : int
        Steps of gradient descent, when method is "gradient".
    design_ : Design
        How rows become the design matrix.
    fit_ : LinearFit
        What least squares found for the one target.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

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

    parameters: ClassVar[Parameters] = {
        "method": Choice(Method),
        "alpha": Number(0.0),
        "fit_intercept": Flag(),
        "positive": Flag(),
        "terms": Texts(optional=True),
        "baseline": Choice(Baseline),
        "errors": Choice(Errors),
        "outliers": Number(0.0, above=True, optional=True),
        "tol": Number(0.0, 1.0, above=True, below=True),
        "kinds": Dictionary(),
    }
    intercept_: Any  # a number, or one for each target

    def __init__(
        self,
        method: Method = "auto",
        *,
        alpha: float = 0.0,
        fit_intercept: bool = True,
        positive: bool = False,
        terms: Sequence[str] | None = None,
        baseline: Baseline = "first",
        errors: Errors = "classical",
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

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Minimise the squares.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            The numbers to predict for each row.
        sample_weight : array-like of shape (n_rows,) or None, default None
            Weight of each row in the sum of squares, at least 0: 1 / variance of its noise, up to a factor; None weighs
            all alike. A common factor changes nothing, standard errors included, but with alpha > 0, which it divides,
            as in scikit-learn's Ridge. A row of weight 2 has the pull of two rows and counts as one in degrees of
            freedom and standard errors, as in statsmodels' WLS: repeat rows that were observed twice.

        Returns
        -------
        {self}
        """
        self._check_options()
        for name in _FITTED:
            self.__dict__.pop(name, None)  # of an earlier fit
        table = self._fit_table(X)
        columns = target_columns(y, len(table))
        targets = np.column_stack([self._fit_target(c, len(table)) for c in ([y] if columns is None else columns)])
        table, targets, weight = self._weighted_rows(table, targets, sample_weight)
        self._set_design(Design.learn(table, weight, self.terms or (), self.baseline))
        rows = TrainingRows(self.design_.matrix(table), targets, weight, self.fit_intercept)
        with single_blas_thread() if rows.matrix.shape[1] <= _FEW_COLUMNS else nullcontext():
            fits, self.outliers_ = fit_targets(rows, self._problem, self.outliers)
        if columns is None:
            self._set_fit(fits[0])
        else:
            self._set_models([copy(self)._set_fit(fit) for fit in fits])
        if len(self.outliers_):
            notice = f"{len(self.outliers_)} of {len(targets)} rows were left out as outliers; see outliers_."
            warnings.warn(notice, MercerWarning, stacklevel=2)
        self._warn_aliased()
        return self

    def _check_options(self) -> None:
        check_parameters(self)
        if self.positive and (self.method in ("svd", "gradient") or self.errors != "classical" or self.outliers):
            raise MercerError(
                f"positive=True with method={self.method!r}, errors={self.errors!r}, outliers={self.outliers!r}: "
                "method is 'auto', 'qr' or 'normal', and there are no errors of coefficients, nor outliers by them."
            )

    @property
    def _problem(self) -> Problem:
        return Problem(self.method, self.alpha, self.fit_intercept, self.positive, self.errors, self.tol)

    def _weighted_rows(self, table: Table, targets: Floats, sample_weight: Any) -> tuple[Table, Floats, Floats | None]:
        """The rows of positive weight, their targets and weights."""
        weight = self._weights(sample_weight, len(table))
        if weight is None or weight.all():
            return table, targets, weight
        return table.take(weight > 0), targets[weight > 0], weight[weight > 0]

    def _set_design(self, design: Design) -> None:
        self.design_ = design
        self.baselines_, self.filled_ = design.baselines, design.filled

    def _set_fit(self, fit: LinearFit) -> Self:
        self.fit_, self.coef_, self.intercept_ = fit, fit.coef, fit.intercept
        self.n_rows_ = fit.moments.rows
        self.aliased_ = aliased_terms(fit, self._problem, self.design_.names)
        if fit.n_iter is not None:
            self.n_iter_ = fit.n_iter
        return self

    def _set_models(self, models: list[Self]) -> None:
        """Show the models of several targets as one."""
        self.models_, self.aliased_, self.n_rows_ = models, models[0].aliased_, models[0].n_rows_
        self.coef_ = np.array([m.coef_ for m in models])
        self.intercept_ = np.array([m.intercept_ for m in models])

    @property
    def term_names_(self) -> list[str]:
        """The term that each column of `coef_` belongs to."""
        return list(self.design_.names)

    def _warn_aliased(self) -> None:
        if self.aliased_:
            shown = "; ".join(f"{name!r} = {text}" for name, text in list(self.aliased_.items())[:3])
            more = f" and {len(self.aliased_) - 3} more" if len(self.aliased_) > 3 else ""
            warnings.warn(
                f"{len(self.aliased_)} of {len(self.design_.names)} coefficients are aliased with others: {shown}"
                f"{more}. Predictions are not affected.", MercerWarning, stacklevel=3,
            )  # fmt: skip

    @shares_docs()
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from further rows: the same coefficients as one fit on all by method="normal".

        The first rows decide on levels, words and medians.

        Parameters
        ----------
        {X}
        {y_number}
        {sample_weight}

        Returns
        -------
        {self}
        """
        if not hasattr(self, "coef_"):
            return self.fit(X, y, sample_weight)
        self._expect_one_target("partial_fit")
        self._check_options()
        if self.errors != "classical" or self.outliers is not None:
            raise MercerError("Robust errors and outliers need all rows at once: use fit.")
        table = self._predict_table(X)
        targets = self._fit_target(y, len(table))[:, None]
        table, targets, weight = self._weighted_rows(table, targets, sample_weight)
        rows = TrainingRows(self.design_.matrix(table), targets, weight, self.fit_intercept)
        self._set_fit(self.fit_.with_rows(rows.moments(0), rows.log_weights, self._problem))
        self._warn_aliased()
        return self

    def merge(self, other: Self) -> Self:
        """The model of the rows of two models together.

        Parameters
        ----------
        other : LinearRegression
            A model with the same parameters, columns, levels, words and medians: `blank` starts one.

        Returns
        -------
        merged : LinearRegression
            A third model.
        """
        self._expect_one_target("merge")
        other._expect_one_target("merge")
        if not self.design_.same_as(other.design_) or self.get_params() != other.get_params():
            raise MercerError("The models differ in columns, levels or options. Start the second one by model.blank().")
        further = other.fit_
        fit = self.fit_.with_rows(further.moments, further.inference.log_weights, self._problem)
        merged = deepcopy(self)._set_fit(fit)
        merged._warn_aliased()
        return merged

    def blank(self) -> Self:
        """A model with the same columns, levels, words and medians that has seen no rows: `partial_fit` adds them.

        Returns
        -------
        model : LinearRegression
            It predicts 0.
        """
        self._expect_one_target("blank")
        return deepcopy(self)._set_fit(no_rows(len(self.coef_)))

    def _expect_one_target(self, what: str) -> None:
        check_is_fitted(self)
        if hasattr(self, "models_"):
            raise MercerError(
                f"{what} is about one target, and y had columns: {len(self.models_)} targets. Ask the model of one of "
                f"them, model.models_[0].{what}(...), or fit one target at a time."
            )

    @shares_docs()
    def predict(self, X: Any) -> Floats:
        """f(x) of each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        numbers : ndarray of shape (n_rows,) or (n_rows, n_targets)
            The number predicted for each row; of each target when y had columns.
        """
        table = self._predict_table(X)
        return np.asarray(self.design_.matrix(table) @ self.coef_.T, dtype=np.float64) + self.intercept_

    @shares_docs()
    def explain(self, X: Any) -> Contributions:
        """What each column adds to the prediction of each row, compared with an average row.

        Parameters
        ----------
        {X}

        Returns
        -------
        contributions : Contributions
            Their sum over the columns and `base` is the prediction.
        """
        self._expect_one_target("explain")
        table = self._predict_table(X)
        mean = self.fit_.moments.mean[:-1]
        names, values = by_column(self.design_, table, self.coef_, mean)
        return Contributions(names, values, float(self.intercept_ + mean @ self.coef_), shown_cells(table, names))

    @shares_docs()
    def diagnostics(self, X: Any, y: Any, sample_weight: Any = None) -> Diagnostics:
        """Residual, leverage, studentised residual and Cook's distance of each of the training rows.

        Parameters
        ----------
        {X}
        {y_number}
        {sample_weight}

        Returns
        -------
        diagnostics : Diagnostics
            An entry for each row.
        """
        self._expect_one_target("diagnostics")
        if self.positive:
            raise MercerError("With positive=True rows have no leverage in closed form. Fit with positive=False.")
        table = self._predict_table(X)
        weight, target = self._weights(sample_weight, len(table)), self._fit_target(y, len(table))
        return self.fit_.diagnostics(self.design_.matrix(table), target, weight, self._problem)

    @shares_docs()
    def summary(self, level: float = 0.95) -> Summary:
        """Coefficients with standard errors, t, p and stars; R^2, F, AIC; quantiles of the residuals.

        Parameters
        ----------
        {level}

        Returns
        -------
        summary : Summary
            A text in a terminal, a table in a notebook.
        """
        self._expect_one_target("summary")
        return linear_summary(
            self.fit_, self._problem, self.design_, self.aliased_, level=level, n_outliers=len(self.outliers_)
        )

    def _fitted_state(self) -> State:
        fits = [m.fit_ for m in self.models_] if hasattr(self, "models_") else [self.fit_]
        return {
            "design": self.design_.to_state(), "several": hasattr(self, "models_"),
            "targets": [fit.to_state() for fit in fits], "outliers": self.outliers_,
        }  # fmt: skip

    def _restore_fitted(self, state: Reader) -> None:
        self._set_design(Design.from_state(state.child("design"), self.schema_))
        self.outliers_ = state.array("outliers", "int64", (None,), low=0)
        several = state.flag("several")
        fits = [LinearFit.from_state(child, len(self.design_.names)) for child in state.children("targets")]
        if not fits or (len(fits) > 1 and not several):
            raise state.refuse("targets", "one target or more" if several else "one target")
        if several:
            self._set_models([copy(self)._set_fit(fit) for fit in fits])
        else:
            self._set_fit(fits[0])

"""Linear regression on mixed tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import asdict
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.linear_model import LinearRegression as TheirLinearRegression

from mercer._core.threads import at_most
from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.encode.blocks import Baseline
from mercer.encode.design import Design
from mercer.errors import MercerError
from mercer.estimators.common.base import TableRegressor
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.common.sklearn_api.precision import is_single
from mercer.estimators.linear.coefficients import Summary
from mercer.estimators.linear.explain import explain_predictions
from mercer.estimators.linear.fit import PROBLEM_DOCS, LinearFit, Method, Problem, TrainingRows, no_rows
from mercer.estimators.linear.inference import ERRORS_DOCS, Diagnostics, Errors
from mercer.estimators.linear.shared import design_matrix, learn_design
from mercer.estimators.linear.summary import aliased_terms, linear_summary, warn_aliased, warn_outliers
from mercer.estimators.linear.targets import (
    NumberFormat,
    fit_targets,
    fits_from_state,
    fits_state,
    one_fit,
    positive_rows,
)
from mercer.estimators.linear.wide import WideFit
from mercer.parameters import Choice, Dictionary, Flag, Number, Parameters, Texts, check_parameters
from mercer.state import Reader, State
from mercer.table.estimator import is_array
from mercer.table.target import target_columns

FITTED = ("models_", "fit_", "n_iter_")  # attributes that a fit may or may not set


@shares_docs(**PROBLEM_DOCS, **ERRORS_DOCS)
class LinearRegression(TableRegressor):
    """f(x) = b_0 + sum_j b_j x_j,  minimising sum_i w_i (y_i - f(x_i))^2 + alpha sum_j b_j^2.

    Numbers enter as they are, levels as contrasts with a baseline level, words of texts as counts. A missing number
    is the column's median and a column '<name> is missing' says so; a missing level is a level. Columns that are
    combinations of earlier ones are named in `aliased_` and get the coefficient 0; where all columns are numbers they
    share, as in scikit-learn (least norm).

    Parameters
    ----------
    {fit_intercept}
    copy_X : bool, default True
        False lets `fit` centre the columns of an array in place: X is changed.
    {tol}
    {n_jobs}
    {positive}
    {method}
    {ridge}
    {terms}
    {baseline}
    {errors}
    {outliers}
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
        Steps of gradient descent or LSQR.
    rank_ : int
        Number of singular values above `tol` times the largest; of dense rows, as `singular_`.
    singular_ : ndarray of shape (min(n_rows, n_terms),)
        Singular values of the design matrix, centred when there is an intercept, largest first.
    design_ : Design
        How rows become the design matrix.
    fit_ : LinearFit
        What least squares found for the one target (`WideFit` by LSQR).
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

    booleans_are_numbers = True
    parameters: ClassVar[Parameters] = {
        "fit_intercept": Flag(),
        "copy_X": Flag(),
        "tol": Number(0.0),
        "n_jobs": Number(whole=True, optional=True),
        "positive": Flag(),
        "method": Choice(Method),
        "alpha": Number(0.0),
        "terms": Texts(optional=True),
        "baseline": Choice(Baseline),
        "errors": Choice(Errors),
        "outliers": Number(0.0, above=True, optional=True),
        "kinds": Dictionary(),
    }
    intercept_: Any  # a number, or one for each target

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        positive: bool = False,
        method: Method = "auto",
        alpha: float = 0.0,
        terms: Sequence[str] | None = None,
        baseline: Baseline = "first",
        errors: Errors = "classical",
        outliers: float | None = None,
        kinds: Mapping[str, Any] | None = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive
        self.method = method
        self.alpha = alpha
        self.terms = terms
        self.baseline = baseline
        self.errors = errors
        self.outliers = outliers
        self.kinds = kinds

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    @shares_docs(**PROBLEM_DOCS)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Minimise the squares.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            The numbers to predict for each row.
        {weight_of_squares}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        for name in FITTED:
            self.__dict__.pop(name, None)  # of an earlier fit
        table = self._fit_table(X)
        self._numbers = NumberFormat(is_single(X), table.is_sparse)
        self._problem.refuse(self.outliers)
        columns = target_columns(y, len(table))
        targets = np.column_stack([self._fit_target(c, len(table)) for c in ([y] if columns is None else columns)])
        table, targets, weight = positive_rows(table, targets, self._weights(sample_weight, len(table)))
        self._set_design(learn_design(self, table, weight))
        rows = TrainingRows(design_matrix(self, table), targets, weight, self.fit_intercept)
        in_place = not self.copy_X and is_array(X)
        with at_most(self.n_jobs):
            fits, self.outliers_ = fit_targets(rows, self._problem, self.outliers, in_place=in_place)
        self._keep(fits, several=columns is not None)
        warn_outliers(len(self.outliers_), len(targets))
        warn_aliased(self.aliased_, len(self.design_.names), self._problem)
        return self

    @property
    def _problem(self) -> Problem:
        is_numbers = len(self.schema_.numeric_names) == len(self.schema_) and not self.terms
        options = self.method, self.alpha, self.fit_intercept, self.positive, self.errors, self.tol
        return Problem(*options, is_numbers)

    def _set_design(self, design: Design) -> None:
        self.design_ = design
        self.baselines_, self.filled_ = design.baselines, design.filled

    def _set_fit(self, fit: LinearFit | WideFit) -> Self:
        dtype: Any = np.float32 if self._numbers.single else np.float64
        self.fit_, self.coef_, self.intercept_ = fit, fit.coef.astype(dtype, copy=False), dtype(fit.intercept)
        self.n_rows_ = fit.rows
        self.aliased_ = aliased_terms(fit, self._problem, self.design_.names) if isinstance(fit, LinearFit) else {}
        if fit.n_iter is not None:
            self.n_iter_ = fit.n_iter
        return self

    def _keep(self, fits: Sequence[LinearFit | WideFit], *, several: bool) -> None:
        """Keep the fit of the one target, or show the models of several as one."""
        if not several:
            self._set_fit(fits[0])
            return
        self.models_ = [copy(self)._set_fit(fit) for fit in fits]
        self.aliased_, self.n_rows_ = self.models_[0].aliased_, self.models_[0].n_rows_
        self.coef_ = np.array([m.coef_ for m in self.models_])
        self.intercept_ = np.array([m.intercept_ for m in self.models_])

    @property
    def term_names_(self) -> list[str]:
        """The term that each column of `coef_` belongs to."""
        return list(self.design_.names)

    @property
    def singular_(self) -> Floats:
        """Singular values of the design matrix, largest first."""
        fit = getattr(self, "models_", [self])[0].fit_
        if not isinstance(fit, LinearFit) or self.positive or self._numbers.sparse:
            raise AttributeError("singular_ and rank_ are of dense rows, and of coefficients of any sign.")
        return fit.singular_values(self.fit_intercept)

    @property
    def rank_(self) -> int:
        """Number of singular values above `tol` times the largest."""
        singular = self.singular_
        return int((singular > self.tol * singular.max(initial=0.0)).sum())

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
        fit = one_fit(self, "partial_fit")
        check_parameters(self)
        if self.errors != "classical" or self.outliers is not None:
            raise MercerError("Robust errors and outliers need all rows at once: use fit.")
        table = self._predict_table(X)
        targets = self._fit_target(y, len(table))[:, None]
        table, targets, weight = positive_rows(table, targets, self._weights(sample_weight, len(table)))
        rows = TrainingRows(self.design_.matrix(table), targets, weight, self.fit_intercept)
        self._set_fit(fit.with_rows(rows.moments(0), rows.log_weights, self._problem))
        warn_aliased(self.aliased_, len(self.design_.names), self._problem)
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
        mine, further = one_fit(self, "merge"), one_fit(other, "merge")
        if not self.design_.same_as(other.design_) or self.get_params() != other.get_params():
            raise MercerError("The models differ in columns, levels or options. Start the second one by model.blank().")
        fit = mine.with_rows(further.moments, further.inference.log_weights, self._problem)
        merged = deepcopy(self)._set_fit(fit)
        warn_aliased(merged.aliased_, len(self.coef_), self._problem)
        return merged

    def blank(self) -> Self:
        """A model with the same columns, levels, words and medians that has seen no rows: `partial_fit` adds them.

        Returns
        -------
        model : LinearRegression
            It predicts 0.
        """
        one_fit(self, "blank")
        return deepcopy(self)._set_fit(no_rows(len(self.coef_)))

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
        return np.asarray(design_matrix(self, table) @ self.coef_.T + self.intercept_)

    @shares_docs()
    def explain(self, X: Any) -> Explanation:
        """What each column adds to the prediction of each row, compared with an average row.

        Parameters
        ----------
        {X}

        Returns
        -------
        explanation : Explanation
            Its `base` is the prediction of an average row; with what every column adds, it is that of the row.
        """
        return explain_predictions(one_fit(self, "explain"), self.design_, self._predict_table(X))

    def _explain_columns(self, X: Any) -> Explanation | None:
        """What each column adds to the prediction: exact; None where there are several targets."""
        return self.explain(X) if np.ndim(self.coef_) == 1 else None

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
        fit = one_fit(self, "diagnostics")
        if self.positive:
            raise MercerError("With positive=True rows have no leverage in closed form. Fit with positive=False.")
        table = self._predict_table(X)
        weight, target = self._weights(sample_weight, len(table)), self._fit_target(y, len(table))
        return fit.diagnostics(self.design_.matrix(table), target, weight, self._problem)

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
        fit, n_outliers = one_fit(self, "summary"), len(self.outliers_)
        return linear_summary(fit, self._problem, self.design_, self.aliased_, level=level, n_outliers=n_outliers)

    def _fitted_state(self) -> State:
        fits = [m.fit_ for m in self.models_] if hasattr(self, "models_") else [self.fit_]
        own = {"design": self.design_.to_state(), "several": hasattr(self, "models_"), "outliers": self.outliers_}
        return own | asdict(self._numbers) | fits_state(fits)

    def _restore_fitted(self, state: Reader) -> None:
        self._set_design(Design.from_state(state.child("design"), self.schema_))
        self._numbers = NumberFormat(state.flag("single"), state.flag("sparse"))
        self.outliers_ = state.array("outliers", "int64", (None,), low=0)
        several = state.flag("several")
        self._keep(fits_from_state(state, len(self.design_.names), several=several), several=several)


TheirLinearRegression.register(LinearRegression)  # RANSACRegressor asks for its class

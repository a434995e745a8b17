"""Relevance vector regression on any table and any kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import RegressorMixin

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.estimators.common.base import regression_target
from mercer.estimators.common.intervals import interval, scores_from_state, scores_of
from mercer.estimators.kernel.choice import Gamma
from mercer.estimators.kernel.machine import KernelMachine
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.relevance.conformal import conformal_scores
from mercer.estimators.relevance.machine import (
    RELEVANCE_DOCS,
    RELEVANCE_PARAMETERS,
    counted,
    keep,
    means_and_variances,
    posteriors_state,
    restore_posteriors,
    train,
)
from mercer.estimators.relevance.search import RelevanceSearch
from mercer.kernels import KernelLike
from mercer.parameters import Flag, Parameters, check_parameters
from mercer.select.cv_scores import NumberDecisions
from mercer.select.grid import Grid
from mercer.select.search import choose_parameters, given_parameters, restore_parameters, tuning_state
from mercer.solvers.relevance import regression
from mercer.solvers.relevance.basis import Basis
from mercer.solvers.relevance.regression import RelevanceSolution
from mercer.state import Reader, State
from mercer.table import Table
from mercer.table.missingness import MissingIndicator


@shares_docs(**RELEVANCE_DOCS)
class RVR(RegressorMixin, KernelMachine):
    """y = sum_j m_j k(x, x_j) + b + noise, m_j ~ N(0, 1 / alpha_j), alpha and noise of largest marginal likelihood.

    Most precisions alpha_j become infinite, and few training rows, the relevance vectors, are left: far fewer than
    support vectors of SVR, without a cost or a tube to choose, and with a predictive deviation. The marginal likelihood
    is maximised one precision at a time (Tipping and Faul 2003), with the noise at its best for all of them in every
    step, so that it never falls. The noise is taken to be at least a thousandth of the target's deviation.

    Parameters
    ----------
    {relevance_kernel}
    {gamma_cv}
    {degree}
    {coef0}
    {relevance_intercept}
    {relevance_tol}
    {relevance_max_iter}
    {relevance_cache_size}
    {kinds}
    {relevance_grid}
    {n_jobs}
    {missing_indicator}
    conformal : bool, default False
        Whether `predict_interval` goes by what is left of the target in 5-fold cross-validation, in place of normal
        noise: its intervals then hold their share of new rows also where the deviation is too small. A kernel that
        learns from the target has seen the rows left out. The fit takes about five times as long.

    Attributes
    ----------
    {svm_gamma_}
    {tuning_}
    dual_coef_ : ndarray of shape (1, n_support)
        m, the posterior mean of the coefficients of the relevance vectors.
    intercept_ : ndarray of shape (1,)
        b.
    sigma_ : ndarray of shape (n_support, n_support)
        Posterior covariance of the coefficients.
    alpha_ : ndarray of shape (n_support,)
        Prior precision of each coefficient.
    noise_variance_ : float
        Variance of the noise of a row of weight 1.
    log_marginal_likelihood_ : float
        log N(y | b, noise + K diag(1/alpha) K'), at its best b where there is an intercept: functions and target are
        then taken less their means.
    conformal_scores_ : ndarray of shape (n_scores, 2)
        With `conformal`, |y - mean| / deviation of each training row when left out, and its weight.
    {relevance_attributes}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer, numpy as np
    >>> x = np.linspace(-10, 10, 100)
    >>> model = mercer.RVR(gamma=0.1).fit(x[:, None], np.sinc(x / np.pi) + 0.1 * np.cos(40 * x))
    >>> number, deviation = model.predict([[0.0]], return_std=True)
    >>> len(model.support_) < 12, bool(abs(number[0] - 1) < 2 * deviation[0])
    (True, True)
    >>> low, high = model.predict_interval([[0.0]], level=0.9)[0]
    >>> bool(low < number[0] < high)
    True
    """

    parameters: ClassVar[Parameters] = {**RELEVANCE_PARAMETERS, "conformal": Flag()}
    tunable: ClassVar[tuple[str, ...]] = ("gamma",)
    shares_kernel: ClassVar[bool] = False
    follows_libsvm: ClassVar[bool] = False
    precision = "double"
    log_marginal_likelihood_: float
    conformal_scores_: Floats
    _posteriors: list[RelevanceSolution]

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-3,
        max_iter: int = 10_000,
        cache_size: float | None = None,
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
        conformal: bool = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator
        self.conformal = conformal

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Maximise the marginal likelihood.

        Parameters
        ----------
        {X}
        {y_number}
        {sample_weight_counts}

        Returns
        -------
        {self}
        """
        data = self._read(X, y, sample_weight)
        values = choose_parameters(self, self._search_problem(data), self.grid)
        self._choose_kernel(data, values["gamma"])
        kept, found = train(self, data, self._solve)
        keep(self, data, kept, found)
        self.__dict__.pop("conformal_scores_", None)  # those of an earlier fit
        if self.conformal:
            self.conformal_scores_ = conformal_scores(self, data)
        return self

    def _warn_indefinite(self, table: Table) -> None:
        """Nothing to say: functions of a linear model need not come from a positive kernel."""

    def _read(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        check_parameters(self)
        return counted(self._training_rows(X, regression_target, y, sample_weight, None))

    def _solve(self, basis: Basis, target: Floats, weight: Floats) -> list[RelevanceSolution]:
        limits: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        return [regression.solve(basis, target, weight, intercept=self.fit_intercept, **limits)]

    @shares_docs()
    def tunable_problem(self, X: Any, y: Any) -> RelevanceSearch:
        """The machine and its training rows as `mercer.tune` sees them.

        Parameters
        ----------
        {X}
        {y_number}

        Returns
        -------
        {problem}
        """
        return self._search_problem(self._read(X, y, None))

    def _search_problem(self, data: TrainingRows) -> RelevanceSearch:
        return RelevanceSearch(given_parameters(self), data, NumberDecisions(), self._choice, self._jobs, self._solve)

    @shares_docs()
    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The posterior mean at each row, and the standard deviation of a new target there.

        Parameters
        ----------
        {X}
        return_std : bool, default False
            Whether to give sqrt(noise + k(x)' sigma k(x)) too, the intercept's own uncertainty included.

        Returns
        -------
        numbers : ndarray of shape (n_rows,)
            The number predicted for each row; with `return_std` a tuple of it and the deviations, (n_rows,).
        """
        table = self._predict_table(X)
        if not return_std:
            return (self._products(table, self._coef_rows.T) + self.intercept_)[:, 0]
        means, variances = means_and_variances(self, table)
        return means[0], np.sqrt(variances[0] + self.noise_variance_)

    @shares_docs()
    def predict_interval(self, X: Any, level: float = 0.9) -> Floats:
        """mean - q deviation and mean + q deviation, between which a new target lies with a chance of `level`.

        Parameters
        ----------
        {X}
        {interval}
        """
        mean, deviation = self.predict(X, return_std=True)
        return interval(mean, deviation, level, scores_of(self))

    @property
    def sigma_(self) -> Floats:
        """Posterior covariance of the coefficients, (n_support, n_support)."""
        own = self._posteriors[0]
        found = np.empty_like(own.covariance)
        found[np.ix_(own.used, own.used)] = own.covariance
        return found

    @property
    def alpha_(self) -> Floats:
        """Prior precision of each coefficient, (n_support,)."""
        own = self._posteriors[0]
        return own.precisions[np.argsort(own.used)]

    @property
    def noise_variance_(self) -> float:
        """Variance of the noise of a row of weight 1."""
        return self._posteriors[0].noise

    def _fitted_state(self) -> State:
        scores: State = {"scores": self.conformal_scores_} if self.conformal else {}
        return super()._fitted_state() | posteriors_state(self) | scores | tuning_state(self)

    def _restore_fitted(self, state: Reader) -> None:
        restore_posteriors(self, state, 1)
        if self.conformal:
            self.conformal_scores_ = scores_from_state(state, 1)
        restore_parameters(self, state)

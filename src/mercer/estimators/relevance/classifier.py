"""Relevance vector classification on any table and any kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mercer.arrays import Floats, Ints
from mercer.docstrings import shares_docs
from mercer.estimators.common.labels import labels_state
from mercer.estimators.common.weights.class_weight import CLASS_WEIGHT, ClassWeight
from mercer.estimators.kernel.choice import Gamma
from mercer.estimators.kernel.machine import KernelMachine
from mercer.estimators.kernel.training_rows import TrainingRows, weigh_classes
from mercer.estimators.multiclass.log_odds import LogOddsClassifier, OneVsRestOdds
from mercer.estimators.multiclass.state import two_classes_from_state
from mercer.estimators.multiclass.strategy import Multiclass
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
from mercer.estimators.relevance.search import RelevanceSearch, moderated
from mercer.kernels import KernelLike
from mercer.parameters import Parameters, check_parameters
from mercer.select.grid import Grid
from mercer.select.search import choose_parameters, given_parameters, restore_parameters, tuning_state
from mercer.solvers.relevance import classification
from mercer.solvers.relevance.basis import Basis
from mercer.solvers.relevance.regression import RelevanceSolution
from mercer.state import Reader, State
from mercer.table import Table
from mercer.table.missingness import MissingIndicator
from mercer.table.target import class_codes


@shares_docs(**RELEVANCE_DOCS)
class RVC(LogOddsClassifier, KernelMachine):
    """log odds f(x) = sum_j m_j k(x, x_j) + b, m_j ~ N(0, 1 / alpha_j), alpha of largest marginal likelihood.

    Most precisions alpha_j become infinite, and few training rows, the relevance vectors, are left: far fewer than
    support vectors of SVC, without a cost to choose, and with probabilities that know how sure f is. The marginal
    likelihood is that of Laplace's approximation and is raised one precision at a time (Tipping and Faul 2003). Each of
    several classes is told from the rest by a function of its own, and their probabilities are divided by their sum.
    Probabilities are averaged over the posterior: log odds are f / sqrt(1 + pi variance / 8) (MacKay 1992).

    Parameters
    ----------
    {relevance_kernel}
    {gamma_cv}
    {degree}
    {coef0}
    {class_weight}
    {relevance_intercept}
    {relevance_tol}
    {relevance_max_iter}
    {relevance_cache_size}
    {kinds}
    {relevance_grid}
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    {classes_}
    {class_weight_}
    {svm_gamma_}
    {tuning_}
    dual_coef_ : ndarray of shape (n_functions, n_support)
        m, the posterior mode of the coefficients of the relevance vectors, 0 where a function does not use them.
    intercept_ : ndarray of shape (n_functions,)
        b.
    n_support_ : ndarray of shape (n_functions,)
        Relevance vectors of each function.
    log_marginal_likelihood_ : float
        Laplace's approximation of log p(y | alpha), at its best b, summed over functions.
    {relevance_attributes}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import make_moons
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> model = mercer.RVC(gamma=1.0).fit(X, y)
    >>> len(model.support_) < 10, model.score(X, y) > 0.95
    (True, True)
    """

    parameters: ClassVar[Parameters] = {**RELEVANCE_PARAMETERS, "class_weight": CLASS_WEIGHT}
    tunable: ClassVar[tuple[str, ...]] = ("gamma",)
    shares_kernel: ClassVar[bool] = False
    follows_libsvm: ClassVar[bool] = False
    precision = "double"
    log_marginal_likelihood_: float
    _posteriors: list[RelevanceSolution]
    classes_: NDArray[Any]

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        class_weight: ClassWeight = None,
        fit_intercept: bool = True,
        tol: float = 1e-3,
        max_iter: int = 10_000,
        cache_size: float | None = None,
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Maximise the marginal likelihood of each function.

        Parameters
        ----------
        {X}
        {y_class}
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
        return self

    def _warn_indefinite(self, table: Table) -> None:
        """Nothing to say: functions of a linear model need not come from a positive kernel."""

    def _read(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """The training rows with class codes, weights times those of their class; sets `classes_`, `class_weight_`."""
        check_parameters(self)
        return weigh_classes(self, counted(self._training_rows(X, self._class_codes, y, sample_weight, None)))

    def _class_codes(self, y: Any, n_rows: int) -> Ints:
        self.classes_, codes = class_codes(y, n_rows)
        return codes

    def _solve(self, basis: Basis, target: Ints, weight: Floats) -> list[RelevanceSolution]:
        problems = Multiclass(len(self.classes_), "ovr").problems(target)
        limits: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        return [
            classification.solve(basis, (p.y > 0).astype(np.float64), weight, intercept=self.fit_intercept, **limits)
            for p in problems
        ]

    @shares_docs()
    def tunable_problem(self, X: Any, y: Any) -> RelevanceSearch:
        """The machine and its training rows as `mercer.tune` sees them.

        Parameters
        ----------
        {X}
        {y_class}

        Returns
        -------
        {problem}
        """
        return self._search_problem(self._read(X, y, None))

    def _search_problem(self, data: TrainingRows) -> RelevanceSearch:
        return RelevanceSearch(given_parameters(self), data, self._reader, self._choice, self._jobs, self._solve)

    def _log_odds(self, X: Any) -> Floats:
        """(n_functions, n_rows), of probabilities averaged over the posterior."""
        return moderated(*means_and_variances(self, self._predict_table(X)))

    @property
    def _reader(self) -> OneVsRestOdds:
        return OneVsRestOdds(self.classes_)

    def _fitted_state(self) -> State:
        return (
            super()._fitted_state()
            | posteriors_state(self)
            | {"classes": labels_state(self.classes_)}
            | tuning_state(self)
        )

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = two_classes_from_state(state)
        restore_posteriors(self, state, 1 if len(self.classes_) == 2 else len(self.classes_))
        restore_parameters(self, state)

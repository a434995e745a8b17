"""Support vector regression on any table and any kernel: SVR and NuSVR."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin

from mercer.arrays import Floats, Longs
from mercer.docstrings import shares_docs
from mercer.estimators.common.base import regression_target
from mercer.estimators.kernel.approximation.basis import APPROXIMATION, Approximation
from mercer.estimators.kernel.choice import Gamma
from mercer.estimators.kernel.machine import KERNEL_PARAMETERS, KernelMachine
from mercer.estimators.kernel.rows import Precision
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.svm.approximation.cell_search import CellSearch
from mercer.estimators.svm.approximation.cells import CellTrainer, Member
from mercer.estimators.svm.approximation.features import keep_basis, train
from mercer.estimators.svm.formulations import EpsilonRegression, NuRegression, TubeLoss
from mercer.estimators.svm.search import (
    COST,
    EPSILON,
    FINITE_COST,
    NU,
    SEARCHED_GAMMA,
    KernelSearch,
    kernel_search,
)
from mercer.kernels import KernelLike
from mercer.parameters import Choice, Flag, Parameters, check_parameters
from mercer.select.cv_scores import NumberDecisions
from mercer.select.grid import GRID, Grid, standard_deviation
from mercer.select.search import choose_parameters, restore_parameters, tuning_state
from mercer.solvers.svm.smo import Problem
from mercer.state import Reader, State
from mercer.table.missingness import MissingIndicator

_REGRESSOR: Parameters = {**KERNEL_PARAMETERS, "gamma": SEARCHED_GAMMA, "transductive": Flag(), "grid": GRID}


class KernelRegressor(RegressorMixin, KernelMachine):
    """Base of SVR and NuSVR, which differ in their formulation."""

    grid: Grid | None

    @abstractmethod
    def _formulate(self, data: TrainingRows, values: Mapping[str, Any]) -> EpsilonRegression | NuRegression:
        """The problem of the machine for these values of its searched parameters."""

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None, unlabelled: Any = None) -> Self:
        """Find the flattest function whose tube holds most rows.

        Parameters
        ----------
        {X}
        {y_number}
        {sample_weight_cost}
        {unlabelled}

        Returns
        -------
        {self}
        """
        check_parameters(self)
        data = self._training_rows(X, regression_target, y, sample_weight, unlabelled)
        values = choose_parameters(self, self._search_problem(data), self.grid)
        formulation = self._formulate(data, values)
        problem = formulation.problem(data.target, data.weight)
        if self.approximation == "cells":
            return self._fit_cells(data, values["gamma"], formulation)
        found = train(self, data, values["gamma"], [problem], formulation, seed=0)
        [trained] = found.trained
        self._keep_outcome([trained.solution])
        self.n_iter_ = int(trained.solution.iterations)
        support = np.flatnonzero(trained.coef)
        if found.basis is not None:
            support = keep_basis(self, data, found.basis, found.trained)
        else:
            self._keep_support(data, support, trained.coef[None, support], [trained.bias])
        self.tube_ = trained.tube
        self._n_support = np.array([len(support)], dtype=np.int32)
        self.n_bounded_ = len(np.unique(problem.kernel_rows[problem.at_bound(trained.solution.beta)]))
        return self

    def _fit_cells(self, data: TrainingRows, gamma: Any, formulation: EpsilonRegression | NuRegression) -> Self:
        """A machine in each cell of the rows."""

        def problems(rows: Longs) -> list[Problem | float]:
            weight = data.weight[rows]
            return [formulation.problem(data.target[rows], weight) if (weight > 0).any() else 0.0]

        CellTrainer(self, data, [Member(gamma, formulation, problems)]).fit(seed=0)
        self.n_iter_ = int(np.sum(self.n_iter_))
        self.tube_ = (
            float(formulation.epsilon * formulation.unit) if isinstance(formulation, EpsilonRegression) else 0.0
        )
        self._n_support = np.array([len(self.support_)], dtype=np.int32)
        return self

    @shares_docs()
    def tunable_problem(self, X: Any, y: Any) -> KernelSearch | CellSearch:
        """The machine and its training rows as `mercer.tune` sees them.

        Parameters
        ----------
        {X}
        {y_number}

        Returns
        -------
        {problem}
        """
        check_parameters(self)
        data = self._training_rows(X, regression_target, y, None, None)
        return self._search_problem(data)

    def _search_problem(self, data: TrainingRows) -> KernelSearch | CellSearch:
        found = kernel_search(self, data, NumberDecisions())
        return CellSearch(found, self.rank, seed=0) if self.approximation == "cells" else found

    @shares_docs()
    def predict(self, X: Any) -> Floats:
        """The value of the function at each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        {numbers}
        """
        table = self._predict_table(X)
        return self._decisions(table)[:, 0]

    @property
    def coef_(self) -> Any:
        """Weights of the columns, (1, n_columns), for a linear kernel."""
        return self._linear_coef(self._coef_rows)

    def _fitted_state(self) -> State:
        return super()._fitted_state() | {"tube": float(self.tube_)} | tuning_state(self)

    def _restore_fitted(self, state: Reader) -> None:
        self._restore_support(state, 1, 1)
        self.tube_ = state.number("tube")
        self._n_support = np.array([len(self.support_)], dtype=np.int32)
        restore_parameters(self, state)


@shares_docs()
class SVR(KernelRegressor):
    """min 1/2 |w|^2 + C sum_i weight_i max(0, |y_i - f(x_i)| - epsilon), f(x) = w.x + b in the kernel's feature space.

    Parameters
    ----------
    {kernel}
    {degree}
    {gamma_cv}
    {coef0}
    {svm_tol}
    C : float or "cv", default 1.0
        Cost of an error beyond epsilon, above 0; infinity allows none; "cv" searches it by cross-validation.
    epsilon : float or "cv", default 0.1
        Half the width of the tube: errors up to it cost nothing. At least 0; "cv" searches it.
    {shrinking}
    {cache_size}
    {verbose}
    {svm_max_iter}
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default "epsilon_insensitive"
        What an error costs: C times what it is beyond epsilon, or C times the square of that.
    relative : bool, default False
        Whether C, epsilon and tol count in standard deviations of the target: one setting suits any unit.
    {time_limit}
    {warm_start}
    {transductive}
    {precision}
    {kinds}
    {grid}
    {n_jobs}
    {missing_indicator}
    {approximation}
    {rank}
    {polish}

    Attributes
    ----------
    C_ : float
        The cost, as given or as found by "cv".
    epsilon_ : float
        As given, or as found by "cv".
    {svm_gamma_}
    {tuning_}
    {tube_}
    {svm_attributes}
    {approximation_error_}
    {n_bounded_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> model = mercer.SVR(kernel="linear", C=100, epsilon=0.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[4.0]]).round(2)
    array([9.])
    """

    parameters: ClassVar[Parameters] = {
        **_REGRESSOR,
        **APPROXIMATION,
        "C": COST,
        "epsilon": EPSILON,
        "loss": Choice(TubeLoss),
        "relative": Flag(),
    }
    tunable: ClassVar[tuple[str, ...]] = ("C", "epsilon", "gamma")

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float | Literal["cv"] = 1.0,
        epsilon: float | Literal["cv"] = 0.1,
        shrinking: bool = True,
        cache_size: float | None = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        loss: TubeLoss = "epsilon_insensitive",
        relative: bool = False,
        time_limit: float | None = None,
        warm_start: bool = False,
        transductive: bool = False,
        precision: Precision = "auto",
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
        approximation: Approximation | None = None,
        rank: int | None = None,
        polish: bool = False,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.loss = loss
        self.relative = relative
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.transductive = transductive
        self.precision = precision
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator
        self.approximation = approximation
        self.rank = rank
        self.polish = polish

    def _formulate(self, data: TrainingRows, values: Mapping[str, Any]) -> EpsilonRegression:
        unit = standard_deviation(data.target, data.weight) if self.relative else 1.0
        squared = self.loss == "squared_epsilon_insensitive"
        return EpsilonRegression(values["C"], values["epsilon"], squared, unit)


@shares_docs()
class NuSVR(KernelRegressor):
    """min 1/2 |w|^2 + C (nu n epsilon + sum_i weight_i max(0, |y_i - f(x_i)| - epsilon)), epsilon found as well.

    SVR with nu in place of epsilon: at most a share nu of the rows lie outside the tube, whose width is learned.

    Parameters
    ----------
    nu : float or "cv", default 0.5
        Largest share of rows outside the tube, above 0, up to 1; "cv" searches it by cross-validation.
    C : float or "cv", default 1.0
        Cost of an error beyond the tube, above 0 and finite; "cv" searches it.
    {kernel}
    {degree}
    {gamma_cv}
    {coef0}
    {shrinking}
    {svm_tol}
    {cache_size}
    {verbose}
    {svm_max_iter}
    {time_limit}
    {warm_start}
    {transductive}
    {precision}
    {kinds}
    {grid}
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    nu_ : float
        As given, or as found by "cv".
    C_ : float
        The cost, as given or as found by "cv".
    {svm_gamma_}
    {tuning_}
    {tube_}
    {svm_attributes}
    {n_bounded_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> model = mercer.NuSVR(kernel="linear", C=100).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[4.0]]).round(2)
    array([9.])
    """

    parameters: ClassVar[Parameters] = {**_REGRESSOR, "nu": NU, "C": FINITE_COST}
    tunable: ClassVar[tuple[str, ...]] = ("C", "nu", "gamma")

    def __init__(
        self,
        *,
        nu: float | Literal["cv"] = 0.5,
        C: float | Literal["cv"] = 1.0,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float | None = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        warm_start: bool = False,
        transductive: bool = False,
        precision: Precision = "auto",
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.transductive = transductive
        self.precision = precision
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator

    def _formulate(self, data: TrainingRows, values: Mapping[str, Any]) -> NuRegression:
        return NuRegression(values["C"], values["nu"])

"""Least squares support vector machines on any table and any kernel: LSSVC and LSSVR."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

from sklearn.base import RegressorMixin

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.estimators.common.base import regression_target
from mercer.estimators.common.weights.class_weight import ClassWeight
from mercer.estimators.kernel.choice import Gamma
from mercer.estimators.kernel.machine import KernelMachine
from mercer.estimators.kernel.rows import Precision
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.least_squares.classifier import LeastSquaresClassifier
from mercer.estimators.least_squares.linear_system.fit import (
    LeastSquaresSolver,
    Outcome,
    outcome_state,
    restore_outcome,
)
from mercer.estimators.least_squares.linear_system.pruning import prune, wanted_support
from mercer.estimators.least_squares.linear_system.solve import Solved, given_penalty
from mercer.estimators.least_squares.linear_system.systems import number_systems
from mercer.estimators.least_squares.parameters import (
    CLASSIFIER_DOCS,
    CLASSIFIER_PARAMETERS,
    LEAST_SQUARES_DOCS,
    LEAST_SQUARES_PARAMETERS,
    Probability,
    Solver,
)
from mercer.estimators.least_squares.search import LeastSquaresSearch, choose
from mercer.estimators.multiclass.strategy import Strategy
from mercer.kernels import KernelLike
from mercer.parameters import Choice, Number, Parameters, check_parameters
from mercer.select.cv_scores import NumberDecisions
from mercer.select.grid import Grid
from mercer.select.search import given_parameters, restore_parameters, tuning_state
from mercer.state import LARGEST, Reader, State
from mercer.table.missingness import MissingIndicator

_COST = Number(0, LARGEST, above=True, words=("cv",))
_N_SUPPORT = Number(0, above=True, optional=True)
LSSVM_DOCS = {
    "lssvm_C": """
        C : float or "cv", default 1.0
            Cost of a squared error, above 0; "cv" searches it among 50 (or those of the grid) by predictions for rows
            each left out in closed form.""",
    "n_support": """
        n_support : int, float or None, default None
            Support vectors to keep, as a number of 1 or more or a share below 1: the rows of the smallest coefficients
            are left out, a twentieth at a time, and the rest are solved again. None keeps all rows.""",
    "lssvm_attributes": """
        C_ : float
            The cost, as given or as found by "cv".
        gamma_ : float or str
            As given, or as found by "cv".
        tuning_ : Tuning
            Every point that was tried, where a parameter is "cv".
        dual_coef_ : ndarray of shape (n_problems, n_support)
            Coefficients of the support vectors.
        intercept_ : ndarray of shape (n_problems,)
            The constant b of each function.""",
}


@shares_docs(**LEAST_SQUARES_DOCS, **CLASSIFIER_DOCS, **LSSVM_DOCS)
class LSSVC(LeastSquaresClassifier):
    """min 1/2 |w|^2 + C/2 sum_i weight_i e_i^2 with y_i = w.f(x_i) + b + e_i, y_i = +1 or -1: (K + W^-1/C) c + b 1 = y.

    The support vector machine with squared errors on both sides: a linear system in place of a quadratic program
    (Suykens and Vandewalle 1999). Several classes are binary problems; those on the same rows, as of each class against
    the rest, share one factorisation.

    Parameters
    ----------
    {lssvm_C}
    {ridge_kernel}
    {gamma_cv}
    {degree}
    {coef0}
    {n_support}
    {class_weight}
    multi_class : {"ovr", "ovo", "ecoc"}, default "ovr"
        Several classes by a binary problem for each class against the rest, for each pair, or for each column of an
        error-correcting code (`code_book_`).
    {loo_probability}
    {solver}
    {cg_tol}
    {cg_max_iter}
    {time_limit}
    {ridge_cache_size}
    {ridge_precision}
    {kinds}
    {loo_grid}
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    {classes_}
    {class_weight_}
    {lssvm_attributes}
    {loo_calibrators_}
    {svm_code_book_}
    {ridge_attributes}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = mercer.LSSVC(C="cv", probability="sigmoid").fit(X, y)
    >>> model.score(X, y) > 0.95, model.predict_proba(X[:1]).argmax()
    (True, np.int64(0))
    """

    parameters: ClassVar[Parameters] = {
        **CLASSIFIER_PARAMETERS,
        "C": _COST,
        "n_support": _N_SUPPORT,
        "multi_class": Choice(Strategy),
    }
    tunable: ClassVar[tuple[str, ...]] = ("C", "gamma")
    settled: ClassVar[tuple[str, ...]] = ("multi_class",)
    intercept: ClassVar[bool] = True

    def __init__(
        self,
        C: float | Literal["cv"] = 1.0,
        *,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        n_support: float | None = None,
        class_weight: ClassWeight = None,
        multi_class: Strategy = "ovr",
        probability: Probability = None,
        solver: Solver = "auto",
        tol: float = 1e-8,
        max_iter: int = -1,
        time_limit: float | None = None,
        cache_size: float | None = None,
        precision: Precision = "double",
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_support = n_support
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.probability = probability
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_size = cache_size
        self.precision = precision
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator

    def _train(self, data: TrainingRows, lambdas: Floats) -> list[Solved]:
        if self.n_support is None:
            return super()._train(data, lambdas)
        solver = LeastSquaresSolver.of(self, data.table, once=False)

        def train(weight: Floats) -> list[Solved]:
            return solver.solve(self._systems(replace(data, weight=weight)), lambdas, weight)

        return prune(train, data.weight, wanted_support(self.n_support, data.weight, len(self.classes_)), data.target)


@shares_docs(**LEAST_SQUARES_DOCS, **LSSVM_DOCS)
class LSSVR(RegressorMixin, KernelMachine):
    """min 1/2 |w|^2 + C/2 sum_i weight_i e_i^2 with y_i = w.f(x_i) + b + e_i: (K + W^-1/C) c + b 1 = y, sum(c) = 0.

    Support vector regression with squared errors: kernel ridge regression with an intercept that is not penalised.

    Parameters
    ----------
    {lssvm_C}
    {ridge_kernel}
    {gamma_cv}
    {degree}
    {coef0}
    {n_support}
    {solver}
    {cg_tol}
    {cg_max_iter}
    {time_limit}
    {ridge_cache_size}
    {ridge_precision}
    {kinds}
    {loo_grid}
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    {lssvm_attributes}
    {ridge_attributes}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> model = mercer.LSSVR(C=1e6, kernel="linear").fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[4.0]]).round(2), model.intercept_.round(2)
    (array([9.]), array([1.]))
    """

    parameters: ClassVar[Parameters] = {
        **LEAST_SQUARES_PARAMETERS,
        "gamma": CLASSIFIER_PARAMETERS["gamma"],
        "C": _COST,
        "n_support": _N_SUPPORT,
    }
    shares_kernel: ClassVar[bool] = False
    follows_libsvm: ClassVar[bool] = False
    tunable: ClassVar[tuple[str, ...]] = ("C", "gamma")
    intercept: ClassVar[bool] = True

    def __init__(
        self,
        C: float | Literal["cv"] = 1.0,
        *,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        n_support: float | None = None,
        solver: Solver = "auto",
        tol: float = 1e-8,
        max_iter: int = -1,
        time_limit: float | None = None,
        cache_size: float | None = None,
        precision: Precision = "double",
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_support = n_support
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_size = cache_size
        self.precision = precision
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Solve (K + W^-1/C) c + b 1 = y, and with `n_support` prune.

        Parameters
        ----------
        {X}
        {y_number}
        sample_weight : array-like of shape (n_rows,) or None, default None
            Factor on the cost C of each row, at least 0; None weighs all by 1. A row of weight 2 is two rows.

        Returns
        -------
        {self}
        """
        check_parameters(self)
        data = self._training_rows(X, regression_target, y, sample_weight, None)
        values = choose(self, self._search_problem(data), self.grid)
        lambdas = given_penalty(values, "C", 1)
        self._choose_kernel(data, values["gamma"])
        solver = LeastSquaresSolver.of(self, data.table, once=self.n_support is None)

        def train(weight: Floats) -> list[Solved]:
            return solver.solve(number_systems(data.target, weight), lambdas, weight)

        wanted = int((data.weight > 0).sum())
        if self.n_support is not None:
            wanted = wanted_support(self.n_support, data.weight, 1)
        found = Outcome.of(prune(train, data.weight, wanted, None), len(data.table))
        self.residual_, self.n_iter_ = found.residual, found.iterations
        self._keep_support(data, found.support, found.coef, found.intercept)
        return self

    @shares_docs()
    def tunable_problem(self, X: Any, y: Any) -> LeastSquaresSearch:
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
        return self._search_problem(self._training_rows(X, regression_target, y, None, None), by_folds=True)

    def _search_problem(self, data: TrainingRows, *, by_folds: bool = False) -> LeastSquaresSearch:
        return LeastSquaresSearch(
            given_parameters(self), data, NumberDecisions(), self._choice, self._jobs,
            lambda rows: number_systems(rows.target, rows.weight), self.intercept, by_folds=by_folds,
        )  # fmt: skip

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
        return self._decisions(self._predict_table(X))[:, 0]

    def _fitted_state(self) -> State:
        return super()._fitted_state() | outcome_state(self) | tuning_state(self)

    def _restore_fitted(self, state: Reader) -> None:
        self._restore_support(state, 1, 1)
        restore_outcome(self, state)
        restore_parameters(self, state)

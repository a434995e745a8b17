"""Logistic regression in the feature space of a kernel, on any table."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer._core.threads import at_most
from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.estimators.common.labels import labels_state
from mercer.estimators.common.weights.class_weight import CLASS_WEIGHT, ClassWeight
from mercer.estimators.kernel.choice import Gamma
from mercer.estimators.kernel.machine import KERNEL_PARAMETERS, KernelMachine
from mercer.estimators.kernel.rows import Precision, budget_bytes, kernel_dtype, whole_matrix
from mercer.estimators.kernel.training_rows import TrainingRows, class_rows
from mercer.estimators.kernel_logistic.search import KernelLogisticSearch, class_columns
from mercer.estimators.multiclass.log_odds import LogOdds, LogOddsClassifier
from mercer.estimators.multiclass.state import two_classes_from_state
from mercer.kernels import KernelLike, Precomputed
from mercer.kernels.base import refuse_overflow
from mercer.parameters import MOST_STEPS, Number, Parameters
from mercer.select.grid import GRID, Grid
from mercer.select.search import choose_parameters, given_parameters, restore_parameters, tuning_state
from mercer.solvers.kernel_logistic import LogisticProblem, solve
from mercer.state import LARGEST, Reader, State
from mercer.table import Table
from mercer.table.missingness import MissingIndicator

_SHARED = ("kernel", "degree", "coef0", "cache_size", "precision", "kinds", "missing_indicator", "n_jobs", "time_limit")


@shares_docs()
class KernelLogisticRegression(LogOddsClassifier, KernelMachine):
    """min 1/2 sum_k |f_k|^2 + C sum_i weight_i (-log p_i,y_i), p_i = softmax(f(x_i) + b), in the kernel's space.

    Logistic regression in the feature space of a kernel, with intercepts b that are not penalised: one function for two
    classes, one for each of several (multinomial). Its probabilities need no calibration. With kernel="linear" it is
    scikit-learn's LogisticRegression. Any table is taken as it is.

    Parameters
    ----------
    C : float or "cv", default 1.0
        Cost of the log loss, above 0; "cv" searches it by cross-validation.
    {kernel}
    {gamma_cv}
    {degree}
    {coef0}
    {class_weight}
    tol : float, default 1e-06
        Duality gap at which Newton's method stops, relative to the objective.
    max_iter : int, default 100
        Newton steps after which it stops, with a usable model.
    {time_limit}
    cache_size : float or None, default None
        Megabytes for the kernel matrix, at most; a larger one is not held, and its products are computed anew. None for
        a quarter of the machine's memory.
    precision : {"auto", "single", "double"}, default "double"
        Of kernel values in predictions, and in products of a matrix that is not held; "auto" is double up to 5,000
        rows.
    {kinds}
    grid : Grid or None, default None
        What "cv" tries, by its C, gamma, cv, scoring, rows and random_state; None for `mercer.Grid()`.
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    {classes_}
    {class_weight_}
    C_ : float
        The cost, as given or as found by "cv".
    {svm_gamma_}
    {tuning_}
    kernel_ : Kernel
        The kernel, fitted.
    support_ : ndarray of shape (n_support,)
        Numbers of the training rows that predictions compare with: those of positive weight.
    support_rows_ : Table
        Those rows.
    dual_coef_ : ndarray of shape (n_functions, n_support)
        Their coefficients in each function.
    intercept_ : ndarray of shape (n_functions,)
        b.
    duality_gap_ : float
        Primal minus dual value: the certificate of the solution.
    primal_ : float
        Value of what is minimised.
    n_iter_ : int
        Newton steps.
    shape_fit_ : tuple of int
        Rows and columns of the training table.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"age": [25, 31, 47, 52], "job": ["clerk", "sales", "clerk", "smith"]}
    >>> model = mercer.KernelLogisticRegression(C=10).fit(rows, ["no", "no", "yes", "yes"])
    >>> model.predict_proba({"age": [50, 28], "job": [None, "pilot"]}).round(2)
    array([[0.24, 0.76],
           [0.76, 0.24]])
    """

    parameters: ClassVar[Parameters] = {
        **{name: KERNEL_PARAMETERS[name] for name in _SHARED},
        "C": Number(0, LARGEST, above=True, words=("cv",)),
        "gamma": Number(0, above=True, words=("scale", "auto", "cv")),
        "class_weight": CLASS_WEIGHT,
        "tol": Number(0, above=True),
        "max_iter": Number(1, MOST_STEPS, whole=True),
        "grid": GRID,
    }
    tunable: ClassVar[tuple[str, ...]] = ("C", "gamma")
    shares_kernel: ClassVar[bool] = False
    follows_libsvm: ClassVar[bool] = False
    classes_: NDArray[Any]

    def __init__(
        self,
        C: float | Literal["cv"] = 1.0,
        *,
        kernel: KernelLike = "rbf",
        gamma: Gamma = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        class_weight: ClassWeight = None,
        tol: float = 1e-6,
        max_iter: int = 100,
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
        self.class_weight = class_weight
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
        """Minimise the penalised log loss by Newton's method.

        Parameters
        ----------
        {X}
        {y_class}
        sample_weight : array-like of shape (n_rows,) or None, default None
            Factor on the cost C of each row, at least 0; None weighs all by 1. A row of weight 2 is two rows.

        Returns
        -------
        {self}
        """
        data = class_rows(self, X, y, sample_weight)
        values = choose_parameters(self, self._search_problem(data), self.grid)
        self._choose_kernel(data, values["gamma"])
        classes = class_columns(data.target, len(self.classes_))
        with at_most(self._jobs):
            problem = LogisticProblem(self._multiplication(data.table), values["C"] * data.weight, classes)
            found = solve(problem, tol=self.tol, max_iter=self.max_iter, time_limit=self.time_limit)
        self.duality_gap_, self.primal_, self.n_iter_ = found.gap, found.primal, found.iterations
        if not found.converged:
            warnings.warn(
                f"Newton's method stopped after {found.iterations} steps with a duality gap of {found.gap:.3g}, the "
                f"objective being {found.primal:.3g}. Raise max_iter or time_limit, or lower C.",
                ConvergenceWarning,
                stacklevel=2,
            )
        support = np.flatnonzero(data.weight > 0)
        self._keep_support(data, support, found.coef[support].T, found.intercept.tolist())
        return self

    def _multiplication(self, table: Table) -> Callable[[Floats], Floats]:
        """v -> K v, by the whole matrix where it fits into the memory budget."""
        n, budget = len(table), budget_bytes(self.cache_size)
        if n * n * 8 <= budget or isinstance(self.kernel_, Precomputed):
            gram = whole_matrix(self.kernel_, table, np.dtype(np.float64), budget - n * n * 8, self._jobs)
            refuse_overflow(self.kernel_, gram[0], gram.diagonal())
            return lambda values: gram @ values
        dtype = kernel_dtype(self.precision, n)
        refuse_overflow(self.kernel_, self.kernel_.diag(table, dtype=dtype))
        return lambda values: self.kernel_.product(
            table, table, np.ascontiguousarray(values), dtype=dtype, n_jobs=self._jobs
        )

    @shares_docs()
    def tunable_problem(self, X: Any, y: Any) -> KernelLogisticSearch:
        """The machine and its training rows as `mercer.tune` sees them.

        Parameters
        ----------
        {X}
        {y_class}

        Returns
        -------
        {problem}
        """
        return self._search_problem(class_rows(self, X, y, None))

    def _search_problem(self, data: TrainingRows) -> KernelLogisticSearch:
        return KernelLogisticSearch(
            given_parameters(self), data, self._reader, self._choice, self._jobs, self.tol, self.max_iter
        )

    def _log_odds(self, X: Any) -> Floats:
        """(n_functions, n_rows)."""
        return self._decisions(self._predict_table(X)).T

    @property
    def _reader(self) -> LogOdds:
        return LogOdds(self.classes_)

    def _fitted_state(self) -> State:
        own = {
            "classes": labels_state(self.classes_), "gap": float(self.duality_gap_), "primal": float(self.primal_),
            "n_iter": int(self.n_iter_),
        }  # fmt: skip
        return super()._fitted_state() | own | tuning_state(self)

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = two_classes_from_state(state)
        n_functions = 1 if len(self.classes_) == 2 else len(self.classes_)
        self._restore_support(state, n_functions, n_functions)
        self.duality_gap_, self.primal_ = state.number("gap", 0.0), state.number("primal", 0.0)
        self.n_iter_ = state.integer("n_iter", 1)
        restore_parameters(self, state)

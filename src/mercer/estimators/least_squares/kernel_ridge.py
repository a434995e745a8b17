"""Kernel ridge regression on any table and any kernel; the mean of a Gaussian process, with its variance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from mercer._core.threads import at_most
from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import MercerError
from mercer.estimators.common.base import regression_target
from mercer.estimators.common.intervals import interval, scores_of
from mercer.estimators.kernel.approximation.basis import APPROXIMATION, make_basis
from mercer.estimators.kernel.choice import KernelChoice
from mercer.estimators.kernel.machine import KernelMachine
from mercer.estimators.kernel.row_function import OfRows
from mercer.estimators.kernel.rows import Precision
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.least_squares.linear_system.fit import (
    LeastSquaresSolver,
    Outcome,
    outcome_state,
    restore_outcome,
)
from mercer.estimators.least_squares.linear_system.solve import given_penalty
from mercer.estimators.least_squares.linear_system.systems import System, number_systems
from mercer.estimators.least_squares.parameters import LEAST_SQUARES_DOCS, LEAST_SQUARES_PARAMETERS, Solver
from mercer.estimators.least_squares.process import (
    forget_process,
    keep_process,
    process_state,
    refuse_conformal,
    restore_process,
    target_deviations,
    variances,
)
from mercer.estimators.least_squares.search import Criterion, LeastSquaresSearch, choose
from mercer.kernels import Kernel, KernelLike
from mercer.parameters import Choice, Dictionary, Either, Flag, Number, Numbers, Parameters, check_parameters
from mercer.select.cv_scores import NumberDecisions
from mercer.select.grid import Grid
from mercer.select.search import given_parameters, is_searched, restore_parameters, tuning_state
from mercer.solvers.ridge import features
from mercer.state import LARGEST, Reader, State
from mercer.table import Table
from mercer.table.missingness import MissingIndicator
from mercer.table.target import target_columns

Alpha: TypeAlias = float | Sequence[float] | Literal["cv"]
RidgeGamma: TypeAlias = float | Literal["scale", "auto", "cv"] | None


@shares_docs(**LEAST_SQUARES_DOCS)
class KernelRidge(RegressorMixin, MultiOutputMixin, KernelMachine):
    """f(x) = k(x)'(K + alpha W^-1)^-1 y: min sum_i weight_i (y_i - f(x_i))^2 + alpha |f|^2 in the kernel's space.

    Least squares with a penalty, without an intercept: a target far from 0 is better centred first, or left to LSSVR.
    Also the mean of a Gaussian process of covariance k and noise of variance alpha, whose standard deviation `predict`
    gives on request. Several targets, the columns of y, share one factorisation. Arrays, sparse matrices, data frames
    and mixed tables with missing cells are taken as they are.

    Parameters
    ----------
    alpha : float, sequence of float or "cv", default 1.0
        Penalty, at least 0; one for each target where it is a sequence. "cv" searches it among the 50 (or those of the
        grid) of a path that takes one decomposition of the kernel matrix.
    kernel : str, Kernel or callable, default "linear"
        "linear", "rbf", "poly", "sigmoid", "laplacian", "cosine", "chi2", "mixed", "precomputed", a mercer kernel such
        as RBF(0.5) + Lin(), or a function of two rows, as in scikit-learn. A name stands for the kernel on the
        numbers as they are, missing ones as the mean; in a table with categories, numbers are standardised and levels
        compared too (`mercer.kernels.as_kernel`). "mixed" is "rbf" with numbers always standardised.
    gamma : float, {"scale", "auto", "cv"} or None, default None
        Inverse width of "rbf", "laplacian" and "chi2", factor of the dot product in "poly" and "sigmoid": above 0,
        "auto" (1 / columns), which None stands for, or "scale" (1 / (columns * variance)). "cv" searches it; for a
        kernel given as an object it searches a factor of every gamma in it.
    degree : int, default 3
        Degree of "poly".
    coef0 : float, default 1
        Constant of "poly" and "sigmoid".
    kernel_params : dict or None, default None
        Further arguments of a kernel that is a function.
    criterion : {"loo", "gcv", "evidence"}, default "loo"
        By what "cv" chooses: the score (R^2 or the grid's `scoring`) of predictions for rows each left out, in closed
        form; generalised cross-validation; or the log marginal likelihood.
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
    approximation : {"nystroem", "features"} or None, default None
        None solves the system of all rows. For many rows, "nystroem" solves that of the kernel of low rank that `rank`
        landmark rows span, "features" that of random features of the kernel (`mercer.RandomFeatures` says of which).
        Then `dual_coef_` has a number for each landmark or feature.
    rank : int or None, default None
        Landmarks or random features; None for 1,000.
    conformal : bool, default False
        Whether `predict_interval` goes by what is left of the target on training rows each left out, in closed form, in
        place of normal noise: its intervals then hold their share of new rows also where the deviation is wrong. A
        kernel or penalty that was searched has seen the rows left out. The fit takes several times as long.
    polish : bool, default False
        Whether the system of all rows is solved with what "cv" found on landmarks or features.

    Attributes
    ----------
    alpha_ : float or sequence of float
        The penalty, as given or as found by "cv".
    gamma_ : float, str or None
        As given, or as found by "cv".
    {tuning_}
    dual_coef_ : ndarray of shape (n_support,) or (n_support, n_targets)
        Coefficients of the training rows.
    X_fit_ : ndarray or sparse matrix of shape (n_support, n_columns)
        The training rows, when the table is numbers.
    log_marginal_likelihood_ : float
        log N(y | 0, K + alpha W^-1), summed over targets; NaN after conjugate gradients, or where K + alpha W^-1 is not
        positive definite.
    scale_ : ndarray of shape (n_targets,)
        The factor of the deviations of function and noise that has the largest marginal likelihood; without
        `approximation`.
    conformal_scores_ : ndarray of shape (n_support, n_targets + 1)
        With `conformal`, |y - mean| / deviation of each training row when left out, and its weight.
    {ridge_attributes}
    {approximation_error_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"size": [50, 60, 80, 95, 120], "town": ["Ulm", "Bonn", "Ulm", "Bonn", None]}
    >>> model = mercer.KernelRidge(alpha="cv", kernel="rbf").fit(rows, [200, 250, 320, 390, 490])
    >>> price, deviation = model.predict({"size": [70], "town": ["Ulm"]}, return_std=True)
    >>> bool(250 < price[0] < 320), bool(0 < deviation[0] < 1), bool(model.residual_ < 1e-12)
    (True, True, True)
    >>> low, high = model.predict_interval({"size": [70], "town": ["Ulm"]}, level=0.9)[0]
    >>> bool(low < price[0] < high)
    True
    """

    parameters: ClassVar[Parameters] = {
        **LEAST_SQUARES_PARAMETERS,
        "alpha": Either(Number(0, LARGEST, words=("cv",)), Numbers(0, LARGEST)),
        "gamma": Number(0, above=True, words=("scale", "auto", "cv"), optional=True),
        "kernel_params": Dictionary(),
        "criterion": Choice(Criterion),
        "approximation": Choice((None, "nystroem", "features")),
        "rank": APPROXIMATION["rank"],
        "polish": APPROXIMATION["polish"],
        "conformal": Flag(),
    }
    tunable: ClassVar[tuple[str, ...]] = ("alpha", "gamma")
    shares_kernel: ClassVar[bool] = False
    follows_libsvm: ClassVar[bool] = False
    intercept: ClassVar[bool] = False
    scale_: Floats
    conformal_scores_: Floats

    def __init__(
        self,
        alpha: Alpha = 1,
        *,
        kernel: KernelLike = "linear",
        gamma: RidgeGamma = None,
        degree: int = 3,
        coef0: float = 1,
        kernel_params: Mapping[str, Any] | None = None,
        criterion: Criterion = "loo",
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
        approximation: Literal["nystroem", "features"] | None = None,
        rank: int | None = None,
        conformal: bool = False,
        polish: bool = False,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma  # type: ignore[assignment]  # None, as scikit-learn has it
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.criterion = criterion
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
        self.approximation = approximation
        self.rank = rank
        self.conformal = conformal
        self.polish = polish

    @property
    def _choice(self) -> KernelChoice:
        kernel = self.kernel
        if callable(kernel) and super()._choice.is_function:
            kernel = OfRows(kernel, self.kernel_params)
        return KernelChoice(kernel, self.degree, self.coef0, is_searched(self.gamma))

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Solve (K + alpha W^-1) c = y.

        Parameters
        ----------
        {X}
        y : array-like of shape (n_rows,) or (n_rows, n_targets)
            The number to predict for each row; a column for each of several targets.
        sample_weight : float, array-like of shape (n_rows,) or None, default None
            Weight of the squared error of each row, at least 0; None weighs all by 1. A row of weight 2 is two rows,
            and a factor on all weights is one on 1 / alpha.

        Returns
        -------
        {self}
        """
        check_parameters(self)
        data = self._training_rows(X, self._targets, y, sample_weight, None)
        values = choose(self, self._search_problem(data), self.grid)
        systems = number_systems(data.target, data.weight)
        lambdas = given_penalty(values, "alpha", systems[0].targets.shape[1])
        self._choose_kernel(data, "auto" if values["gamma"] is None else values["gamma"])
        forget_process(self)
        self._penalty_of_target = np.searchsorted(np.unique(lambdas), lambdas)
        if self.approximation is not None and not self.polish:
            return self._fit_features(data, systems[0], lambdas)
        if self.approximation is not None:
            self.approximation_error_ = make_basis(self, self.kernel_, data.table, np.dtype(np.float64), seed=0).error
        [solved] = LeastSquaresSolver.of(self, data.table).solve(systems, lambdas, data.weight)
        found = Outcome.of([solved], len(data.table))
        self.residual_, self.n_iter_ = found.residual, found.iterations
        self._keep_support(data, found.support, found.coef, found.intercept)
        self.log_marginal_likelihood_ = solved.solution.log_evidence
        self._noise = np.unique(lambdas)[:, None] / data.weight[systems[0].rows]
        keep_process(self, data, systems[0].targets)
        return self

    def _fit_features(self, data: TrainingRows, system: System, lambdas: Floats) -> Self:
        """The same on features of the kernel, block after block of the rows."""
        refuse_conformal(self)
        if not (lambdas > 0).all():
            raise MercerError("alpha=0: a kernel of low rank needs a penalty above 0. Raise alpha, or fit it exactly.")
        basis = make_basis(self, self.kernel_, data.table, np.dtype(np.float64), seed=0)
        blocks = basis.blocks(data.table.take(system.rows))
        with at_most(self._jobs):
            found = features.solve(blocks, data.weight[system.rows], system.targets, lambdas)
        self.residual_, self.n_iter_, self.log_marginal_likelihood_ = found.residual, 1, found.log_evidence
        self._keep_support(data, basis.places, basis.coef(found.planes), np.zeros(len(lambdas)))
        self._map, self._by_problem, self.approximation_error_ = basis.kept, True, basis.error
        self._noise = np.zeros((len(np.unique(lambdas)), len(self.support_)))  # of no row: there is no return_std
        return self

    def _targets(self, y: Any, n_rows: int) -> Floats:
        """(n_rows,), or (n_rows, n_targets) of a target with columns."""
        columns = target_columns(y, n_rows)
        self.outputs_2d_ = columns is not None
        if columns is None:
            return regression_target(y, n_rows)
        return np.column_stack([regression_target(column, n_rows) for column in columns])

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
        return self._search_problem(self._training_rows(X, self._targets, y, None, None), by_folds=True)

    def _search_problem(self, data: TrainingRows, *, by_folds: bool = False) -> LeastSquaresSearch:
        values = given_parameters(self) | ({"gamma": "auto"} if self.gamma is None else {})
        if (
            isinstance(self.alpha, Sequence | np.ndarray)
            and not isinstance(self.alpha, str)
            and is_searched(self.gamma)
        ):
            raise MercerError("gamma='cv' takes one alpha for all targets: give a number, or alpha='cv'.")
        return LeastSquaresSearch(
            values, data, NumberDecisions(), self._choice, self._jobs,
            lambda rows: number_systems(rows.target, rows.weight), self.intercept, self.criterion, by_folds,
            None if self.approximation is None else self._features,
        )  # fmt: skip

    def _features(self, kernel: Kernel, table: Table) -> Floats:
        """Those of an approximation, for a search."""
        return make_basis(self, kernel, table, np.dtype(np.float64), seed=0).features(table)

    @shares_docs()
    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The value of the function at each row, and its standard deviation as that of a Gaussian process.

        Parameters
        ----------
        {X}
        return_std : bool, default False
            Whether to give sqrt(k(x, x) - k(x)'(K + alpha W^-1)^-1 k(x)) too, of the function without the noise. The
            first call factorises the kernel matrix again.

        Returns
        -------
        numbers : ndarray of shape (n_rows,) or (n_rows, n_targets)
            The number predicted for each row; with `return_std` a tuple of it and the deviations, of one shape where
            each target has a penalty of its own, else (n_rows,).
        """
        table = self._predict_table(X)
        numbers = self._numbers(table)
        return (numbers, np.sqrt(variances(self, table, "return_std"))) if return_std else numbers

    def _numbers(self, table: Table) -> Floats:
        found = self._decisions(table)
        return found if self.outputs_2d_ else found[:, 0]

    @shares_docs()
    def predict_interval(self, X: Any, level: float = 0.9) -> Floats:
        """mean - q deviation and mean + q deviation, between which a new target lies with a chance of `level`.

        The deviation is that of the Gaussian process with its noise: sqrt(k(x, x) - k(x)'(K + alpha W^-1)^-1 k(x) +
        alpha) times `scale_`. The first call factorises the kernel matrix again.

        Parameters
        ----------
        {X}
        {interval}
        """
        table = self._predict_table(X)
        scores = scores_of(self)
        return interval(self._numbers(table), target_deviations(self, table, "predict_interval"), level, scores)

    @property
    def X_fit_(self) -> Any:
        """The training rows, when the table is numbers."""
        return self.support_vectors_

    def _keep_coef(self, dual_coef: Floats, intercept: Floats) -> None:
        super()._keep_coef(dual_coef.T if self.outputs_2d_ else dual_coef[0], intercept)

    @property
    def _coef_rows(self) -> Floats:
        return np.atleast_2d(self.dual_coef_.T)

    def __getstate__(self) -> Any:
        """Without the factor of `return_std`, which is as large as the kernel matrix and made again when needed."""
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_factors"}

    def _fitted_state(self) -> State:
        own: State = {
            "outputs_2d": self.outputs_2d_, "noise": self._noise, "penalty_of_target": self._penalty_of_target,
        }  # fmt: skip
        if np.isfinite(self.log_marginal_likelihood_):
            own["log_evidence"] = float(self.log_marginal_likelihood_)
        return super()._fitted_state() | outcome_state(self) | own | process_state(self) | tuning_state(self)

    def _restore_fitted(self, state: Reader) -> None:
        self.outputs_2d_ = state.flag("outputs_2d")
        places = state.array("penalty_of_target", "int64", (None,), low=0)
        if not len(places) or (len(places) > 1 and not self.outputs_2d_):
            raise state.refuse("penalty_of_target", "one for each target")
        self._restore_support(state, len(places), len(places))
        self._noise = state.array("noise", "float64", (int(places.max()) + 1, len(self.support_)), low=0.0)
        self._penalty_of_target = places
        restore_outcome(self, state)
        self.log_marginal_likelihood_ = state.number("log_evidence") if state.has("log_evidence") else np.nan
        restore_process(self, state)
        restore_parameters(self, state)

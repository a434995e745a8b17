"""Quantiles and expectiles of a target given a row, by any kernel on any table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import MercerError
from mercer.estimators.common.base import regression_target
from mercer.estimators.kernel.choice import Gamma
from mercer.estimators.kernel.machine import KERNEL_PARAMETERS, KernelMachine
from mercer.estimators.kernel.rows import Precision
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.svm.conformal import conformal_shifts
from mercer.estimators.svm.formulations import AsymmetricRegression, QuantileLoss
from mercer.estimators.svm.search import SEARCHED_GAMMA, QuantileDecisions, QuantileSearch
from mercer.estimators.svm.solve import Solver, train_problems
from mercer.kernels import KernelLike
from mercer.parameters import Choice, Either, Flag, Number, Numbers, Parameters, check_parameters
from mercer.select.grid import GRID, Grid
from mercer.select.search import choose_parameters, given_parameters, restore_parameters, tuning_state
from mercer.state import LARGEST, Reader, State
from mercer.table.missingness import MissingIndicator


@shares_docs()
class QuantileSVR(RegressorMixin, KernelMachine):
    """min 1/2 |f|^2 + C sum_i weight_i rho(y_i - f(x_i) - b), rho(e) = quantile max(0, e) + (1 - quantile) max(0, -e).

    Support vector regression of a quantile: the share `quantile` of the targets lies below it. With loss="expectile"
    both parts of rho are squared, and the mean, quantile 0.5, becomes an expectile. Several quantiles are fitted on the
    same kernel matrix.

    Parameters
    ----------
    quantile : float or sequence of float, default 0.5
        Between 0 and 1, both excluded; several for several lines.
    {kernel}
    {degree}
    {gamma_cv}
    {coef0}
    {svm_tol}
    C : float or "cv", default 1.0
        Cost of an error, above 0; "cv" searches it by cross-validation: of absolute errors around the standard
        deviation of the target, compared by the mean loss of all lines.
    loss : {"pinball", "expectile"}, default "pinball"
        Whether lines are quantiles (weighted absolute errors) or expectiles (weighted squared errors).
    noncrossing : bool, default False
        Whether predictions of several quantiles are put into increasing order in each row, so that no line crosses
        another (rearrangement, Chernozhukov et al. 2010). It never makes their mean loss larger.
    conformal : bool, default False
        Whether each quantile is shifted until its share of rows is below it in 5-fold cross-validation. Without it the
        share is right on the training rows, and the outer quantiles are too near each other on new ones, the more so
        the larger C and gamma are. It takes five more fits on the same kernel matrix. Not for expectiles.
    {shrinking}
    {cache_size}
    {verbose}
    {svm_max_iter}
    {time_limit}
    {warm_start}
    {precision}
    {kinds}
    grid : Grid or None, default None
        What "cv" tries, by its C, gamma, cv, scoring, rows and random_state; None for `mercer.Grid()`. Its scoring None
        is minus the mean loss, pinball or squared, of all lines; any other is for a single line.
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    quantiles_ : ndarray of shape (n_quantiles,)
        The quantiles, in the order given.
    shifts_ : ndarray of shape (n_quantiles,)
        What was added to the intercepts, where `conformal`.
    C_ : float
        The cost, as given or as found by "cv".
    {svm_gamma_}
    {tuning_}
    {svm_attributes}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer, numpy as np
    >>> x = np.linspace(0, 1, 101)[:, None]
    >>> model = mercer.QuantileSVR([0.1, 0.9], kernel="linear", C=10).fit(x, np.arange(101) % 11)
    >>> low, high = model.predict(x).T
    >>> share = np.mean((np.arange(101) % 11 >= low) & (np.arange(101) % 11 <= high))
    >>> bool(0.75 < share < 1)
    True
    """

    parameters: ClassVar[Parameters] = {
        **KERNEL_PARAMETERS,
        "quantile": Either(Number(0, 1, above=True, below=True), Numbers(1e-9, 1 - 1e-9)),
        "C": Number(0, LARGEST, above=True, words=("cv",)),
        "gamma": SEARCHED_GAMMA,
        "loss": Choice(QuantileLoss),
        "noncrossing": Flag(),
        "conformal": Flag(),
        "grid": GRID,
    }
    tunable: ClassVar[tuple[str, ...]] = ("C", "gamma")

    def __init__(
        self,
        quantile: float | Sequence[float] = 0.5,
        *,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: Gamma = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float | Literal["cv"] = 1.0,
        loss: QuantileLoss = "pinball",
        noncrossing: bool = False,
        conformal: bool = False,
        shrinking: bool = True,
        cache_size: float | None = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        warm_start: bool = False,
        precision: Precision = "auto",
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.quantile = quantile
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.loss = loss
        self.noncrossing = noncrossing
        self.conformal = conformal
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.precision = precision
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator

    @property
    def quantiles_(self) -> Floats:
        """The quantiles, (n_quantiles,)."""
        return np.atleast_1d(np.asarray(self.quantile, dtype=np.float64))

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Solve the dual problem of each quantile.

        Parameters
        ----------
        {X}
        {y_number}
        {sample_weight_cost}

        Returns
        -------
        {self}
        """
        data = self._read(X, y, sample_weight)
        values = choose_parameters(self, self._search_problem(data), self.grid)
        made, cost = AsymmetricRegression(self.loss), values["C"] * data.weight
        problems = [made.problem(data.target, cost, float(tau)) for tau in self.quantiles_]
        rows = self._fit_kernel(data, values["gamma"], shared=len(problems) > 1)
        trained = train_problems(self, data.table, problems, rows, made)
        self._keep_outcome([t.solution for t in trained])
        coef = np.array([t.coef for t in trained])
        support = np.flatnonzero(coef.any(axis=0))
        bias = np.array([t.bias for t in trained])
        self.__dict__.pop("shifts_", None)  # those of an earlier fit
        if self.conformal:
            self.shifts_ = conformal_shifts(made, data, values["C"], self.quantiles_, rows, Solver.of(self))
            bias = bias + self.shifts_
        self._keep_support(data, support, coef[:, support], bias)
        self._n_support = np.count_nonzero(coef, axis=1).astype(np.int32)
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        check_parameters(self)
        if self.conformal and self.loss != "pinball":
            raise MercerError("conformal=True: an expectile is not a share of rows. Leave it out, or loss='pinball'.")
        return self._training_rows(X, regression_target, y, sample_weight, None)

    @shares_docs()
    def tunable_problem(self, X: Any, y: Any) -> QuantileSearch:
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

    def _search_problem(self, data: TrainingRows) -> QuantileSearch:
        reader = QuantileDecisions(tuple(self.quantiles_.tolist()), self.loss)
        return QuantileSearch(given_parameters(self), data, reader, self._choice, self._jobs, Solver.of(self))

    @shares_docs()
    def predict(self, X: Any) -> Floats:
        """Every quantile at each row.

        Parameters
        ----------
        {X}

        Returns
        -------
        numbers : ndarray of shape (n_rows,) or (n_rows, n_quantiles)
            The quantile of each row; a column for each where `quantile` is a sequence.
        """
        table = self._predict_table(X)
        found = self._products(table, self._coef_rows.T) + self.intercept_
        if np.ndim(self.quantile) == 0:
            return found[:, 0]
        if self.noncrossing:
            order = np.argsort(self.quantiles_, kind="stable")
            found[:, order] = np.sort(found, axis=1)
        return found

    @shares_docs()
    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R^2 of the predictions of a single quantile.

        Parameters
        ----------
        {X}
        {y_number}
        {sample_weight}

        Returns
        -------
        score : float
            At most 1; 0 for the mean.
        """
        if np.ndim(self.quantile):
            raise MercerError(
                "score takes one quantile, and this model has a sequence of them. Score each column of predict(X), for "
                "instance by sklearn.metrics.mean_pinball_loss."
            )
        return float(super().score(X, y, sample_weight))

    @property
    def coef_(self) -> Any:
        """Weights of the columns, (n_quantiles, n_columns), for a linear kernel."""
        return self._linear_coef(self._coef_rows)

    def _fitted_state(self) -> State:
        shifts: State = {"shifts": self.shifts_} if self.conformal else {}
        return super()._fitted_state() | shifts | tuning_state(self)

    def _restore_fitted(self, state: Reader) -> None:
        n = len(self.quantiles_)
        self._restore_support(state, n, n)
        if self.conformal:
            self.shifts_ = state.array("shifts", "float64", (n,))
        self._n_support = np.count_nonzero(self._coef_rows, axis=1).astype(np.int32)
        restore_parameters(self, state)

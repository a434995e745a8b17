"""Novelty detection: where the rows are, learned without labels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import OutlierMixin

from mercer._core.gram import KernelRows
from mercer.arrays import Floats, Longs
from mercer.docstrings import shares_docs
from mercer.estimators.common.weights.sample_weight import row_counts
from mercer.estimators.kernel.machine import KERNEL_PARAMETERS, KernelMachine
from mercer.estimators.kernel.rows import Precision
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.kernel.warm_start import Start
from mercer.estimators.svm.solve import Solver, Trained, train_problems
from mercer.kernels import KernelLike
from mercer.parameters import Number, Parameters, check_parameters
from mercer.solvers.svm import duals
from mercer.solvers.svm.smo import Problem
from mercer.state import Reader
from mercer.table.missingness import MissingIndicator


class _OneClass:
    """The solution of the one-class problem is its answer."""

    def train(self, problem: Problem, rows: KernelRows, solver: Solver, start: Start | None = None) -> Trained:
        found = solver(problem, rows, start)
        bias = found.bias[0]
        return Trained(found.beta, bias + 1e-9 * abs(bias), found)  # rows on the edge are inside, whatever the rounding


class NoveltyMachine(OutlierMixin, KernelMachine):
    """Base of OneClassSVM and SVDD: their parameters, and how their dual problem is solved."""

    parameters: ClassVar[Parameters] = {**KERNEL_PARAMETERS, "nu": Number(0, 1, above=True)}

    def __init__(
        self,
        *,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: float | Literal["scale", "auto"] = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float | None = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        warm_start: bool = False,
        precision: Precision = "auto",
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.precision = precision
        self.kinds = kinds
        self.n_jobs = n_jobs
        self.missing_indicator = missing_indicator

    def _read(self, X: Any, sample_weight: Any) -> tuple[TrainingRows, Floats]:
        """(training rows, their weights in a unit that `tol` is meant for, whatever the unit given)."""
        check_parameters(self)
        data = self._training_rows(X, _no_target, None, sample_weight, None)
        counts = row_counts(data.sample_weight)
        return data, data.weight if counts is None else counts

    def _solve(self, data: TrainingRows, problem: Problem, rows: KernelRows) -> Trained:
        [trained] = train_problems(self, data.table, [problem], rows, _OneClass())
        self._keep_outcome([trained.solution])
        self.n_iter_ = int(trained.solution.iterations)
        self._n_support = np.array([np.count_nonzero(trained.coef)], dtype=np.int32)
        return trained

    @abstractmethod
    def decision_function(self, X: Any) -> Floats:
        """Positive inside, negative outside, (n_rows,)."""

    @shares_docs()
    def predict(self, X: Any) -> Longs:
        """Whether each row is inside.

        Parameters
        ----------
        {X}

        Returns
        -------
        sides : ndarray of shape (n_rows,)
            1 inside and on the edge, -1 outside.
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def _restore_fitted(self, state: Reader) -> None:
        self._restore_support(state, 1, 1)
        self._n_support = np.array([len(self.support_)], dtype=np.int32)


@shares_docs()
class OneClassSVM(NoveltyMachine):
    """min 1/2 |w|^2 - rho + 1/(nu n) sum_i weight_i xi_i, with w.f(x_i) >= rho - xi_i: a plane with most rows above it.

    Parameters
    ----------
    {kernel}
    {degree}
    {gamma}
    {coef0}
    {svm_tol}
    nu : float, default 0.5
        At most this share of the training rows lie outside, at least this share are support vectors; above 0, up to 1.
    {shrinking}
    {cache_size}
    {verbose}
    {svm_max_iter}
    {time_limit}
    {warm_start}
    {precision}
    {kinds}
    {n_jobs}
    {missing_indicator}

    Attributes
    ----------
    offset_ : ndarray of shape (1,)
        rho; decision_function(x) = score_samples(x) - offset_.
    {svm_attributes}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> model = mercer.OneClassSVM(gamma=0.5, nu=0.3).fit([[0.0], [0.2], [0.4], [0.5]])
    >>> model.predict([[0.3], [9.0]])
    array([ 1, -1])
    """

    @shares_docs()
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the plane with most rows above it.

        Parameters
        ----------
        {X}
        y : object, default None
            Not used, as in every estimator without a target.
        sample_weight : array-like of shape (n_rows,) or None, default None
            Weight of each row; None weighs all alike. A row of weight 2 is two rows, one of weight 0 or less is left
            out, and a factor on all weights is one on scores, as in scikit-learn: it changes no prediction.

        Returns
        -------
        {self}
        """
        data, counts = self._read(X, sample_weight)
        trained = self._solve(data, duals.one_class(counts, self.nu), self._fit_kernel(data, self.gamma))
        support, unit = np.flatnonzero(trained.coef), float(data.weight.sum() / counts.sum())
        self._keep_support(data, support, unit * trained.coef[None, support], [unit * trained.bias])
        return self

    @property
    def offset_(self) -> Floats:
        """rho, (1,)."""
        return -self.intercept_

    @property
    def coef_(self) -> Any:
        """Weights of the columns, (1, n_columns), for a linear kernel."""
        return self._linear_coef(self._coef_rows)

    @shares_docs()
    def score_samples(self, X: Any) -> Floats:
        """How like the training rows each row is.

        Parameters
        ----------
        {X}

        Returns
        -------
        scores : ndarray of shape (n_rows,)
            w.f(x); larger is more like them.
        """
        table = self._predict_table(X)
        return self._products(table, self._coef_rows.T)[:, 0]

    @shares_docs()
    def decision_function(self, X: Any) -> Floats:
        """Distance from the plane.

        Parameters
        ----------
        {X}

        Returns
        -------
        decisions : ndarray of shape (n_rows,)
            Positive inside, negative outside.
        """
        return self.score_samples(X) + self.intercept_[0]


def _no_target(y: Any, n_rows: int) -> Floats:
    return np.zeros(n_rows)

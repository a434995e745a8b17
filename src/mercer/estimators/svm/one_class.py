"""Novelty detection: where the rows are, learned without labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin

from mercer.arrays import Floats
from mercer.estimators.common.solver_limits import expect_limits
from mercer.estimators.svm.kernel_machine import KernelMachine
from mercer.estimators.svm.svc import expect_nu
from mercer.kernels import KernelLike
from mercer.solvers.svm import duals
from mercer.state import Reader, State


class OneClassSVM(OutlierMixin, KernelMachine):
    """min 1/2 |w|^2 - rho + 1/(nu n) sum_i weight_i xi_i, with w.f(x_i) >= rho - xi_i: a plane with most rows above it.

    Parameters
    ----------
    nu : at most this share of the training rows lie outside, at least this share are support vectors; above 0, up to 1
    others : as SVC's

    Attributes
    ----------
    offset_ : rho; decision_function(x) = score_samples(x) - offset_
    others : as SVC's

    Examples
    --------
    >>> import mercer
    >>> model = mercer.OneClassSVM(gamma=0.5, nu=0.3).fit([[0.0], [0.2], [0.4], [0.5]])
    >>> model.predict([[0.3], [9.0]])
    array([ 1, -1])
    """

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = -1,
        time_limit: float | None = None,
        warm_start: bool = False,
        cache_size: float | None = None,
        precision: str = "auto",
        kinds: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.cache_size = cache_size
        self.precision = precision
        self.kinds = kinds
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn where the rows of X are; y is not looked at."""
        expect_limits(self)
        expect_nu(self.nu)
        table = self._fit_table(X)
        weight = self._own_weights(sample_weight, len(table))
        problem = duals.one_class(weight, self.nu)
        source = self._fit_kernel(table, weight)
        [(solution,)] = self._run(table, [problem], source, lambda p, rows, start: (self._solve(p, rows, start=start),))
        self._note([solution])
        self.n_iter_ = int(solution.iterations)
        support = np.flatnonzero(solution.beta)
        self._keep(table, support)
        self.dual_coef_ = solution.beta[None, support]
        bias = solution.bias[0]
        self.intercept_ = np.array([bias + 1e-9 * abs(bias)])  # rows on the edge are inside, whatever rounding does
        self.n_support_ = np.array([len(support)], dtype=np.int32)
        return self

    @property
    def offset_(self) -> Floats:
        return -self.intercept_

    @property
    def coef_(self) -> Floats:
        """Weights of the columns, (1, n_columns), for a linear kernel."""
        return self._linear_coef(self.dual_coef_)

    def score_samples(self, X: Any) -> Floats:
        """How like the training rows each row is, (n_rows,)."""
        table = self._predict_table(X)
        return self._products(table, self.dual_coef_.T)[:, 0]

    def decision_function(self, X: Any) -> Floats:
        """Positive inside, negative outside, (n_rows,)."""
        return self.score_samples(X) + self.intercept_[0]

    def predict(self, X: Any) -> NDArray[np.int64]:
        """1 inside and on the edge, -1 outside."""
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def to_state(self) -> State:
        answer = {"dual_coef": self.dual_coef_, "intercept": self.intercept_, "precision": self.precision}
        return self._machine_state() | answer

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls(precision=state.text("precision", ("auto", "single", "double")))
        model._restore_machine(state)
        model.dual_coef_ = state.array("dual_coef", "float64", (1, len(model.support_)))
        model.intercept_ = state.array("intercept", "float64", (1,))
        model.n_support_ = np.array([len(model.support_)], dtype=np.int32)
        state.finish()
        return model

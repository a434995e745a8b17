"""Support vector regression on any table and any kernel."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer._core.gram import Rows
from mercer.arrays import Floats
from mercer.errors import BadTarget, MercerError
from mercer.estimators.common.base import TableRegressor
from mercer.estimators.common.solver_limits import expect_limits
from mercer.estimators.svm.kernel_machine import KernelMachine
from mercer.estimators.svm.nu import NuMachine
from mercer.estimators.svm.search import Folds, Given, Grid, PathMachine, is_cv, target_unit
from mercer.estimators.svm.svc import SLACKS, expect_cost, expect_nu, weighted
from mercer.estimators.svm.warm_start import Start
from mercer.kernels import KernelLike
from mercer.solvers.svm import duals
from mercer.solvers.svm.cv_path import Plan
from mercer.solvers.svm.smo import Problem, Solution
from mercer.state import Reader, State


class TubeRegressor(KernelMachine, TableRegressor):
    """Base of SVR and NuSVR: f(x) = sum_j dual_coef_j k(x, x_j) + intercept."""

    dual_coef_: Floats  # (1, n_support)

    @abstractmethod
    def _check_own(self) -> None: ...

    @abstractmethod
    def _problem(self, target: Floats, weight: Floats) -> Problem: ...

    @abstractmethod
    def _answer(self, problem: Problem, solution: Solution) -> tuple[Floats, float, float]:
        """Coefficients by training row, intercept, and half the width of the tube."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, unlabelled: Any = None) -> Self:
        """Learn from a table X and numbers y; `unlabelled` rows add to what the kernel learns, such as frequencies."""
        expect_limits(self)
        self._check_own()
        given = self._fit_table(X)
        table, y, sample_weight, unlabelled = self._labelled(given, y, sample_weight, unlabelled)
        target = self._fit_target(y, len(table))
        weight = self._own_weights(sample_weight, len(table))
        self._settle(Given(table, target, weight, None if sample_weight is None else weight, unlabelled))
        problem = self._problem(target, weight)
        source = self._fit_kernel(table, weight, unlabelled)
        [(solution,)] = self._run(table, [problem], source, lambda p, rows, start: (self._solution(p, rows, start),))
        self._note([solution])
        self.n_iter_ = int(solution.iterations)
        coef, bias, self.tube_ = self._answer(problem, solution)
        support = np.flatnonzero(coef)
        self._keep(table, support)
        self.dual_coef_, self.intercept_ = coef[None, support], np.array([bias])
        self.n_support_ = np.array([len(support)], dtype=np.int32)
        self.n_bounded_ = len(np.unique(problem.kernel_rows[problem.at_bound(solution.beta)]))
        return self

    def _solution(self, problem: Problem, source: Rows, start: Start | None = None) -> Solution:
        return self._solve(problem, source, start=start)

    def predict(self, X: Any) -> Floats:
        """The value of each row."""
        table = self._predict_table(X)
        return (self._products(table, self.dual_coef_.T) + self.intercept_)[:, 0]

    @property
    def coef_(self) -> Floats:
        """Weights of the columns, (1, n_columns), for a linear kernel."""
        return self._linear_coef(self.dual_coef_)

    def to_state(self) -> State:
        answer = {"dual_coef": self.dual_coef_, "intercept": self.intercept_, "tube": float(self.tube_)}
        return self._machine_state() | answer | {"precision": self.precision}

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls()
        model.precision = state.text("precision", ("auto", "single", "double"))
        model._restore_machine(state)
        model.dual_coef_ = state.array("dual_coef", "float64", (1, len(model.support_)))
        model.intercept_ = state.array("intercept", "float64", (1,))
        model.tube_ = state.number("tube")
        model.n_support_ = np.array([len(model.support_)], dtype=np.int32)
        state.finish()
        return model


class SVR(PathMachine, TubeRegressor):
    """min 1/2 |w|^2 + C sum_i weight_i max(0, |y_i - f(x_i)| - epsilon), f(x) = w.x + b in the kernel's feature space.

    Parameters
    ----------
    C : cost of an error beyond epsilon, above 0; infinity allows none; "cv" searches it
    epsilon : errors up to it cost nothing, of at least 0, or "cv"
    gamma : as SVC's, with "cv"
    grid : what "cv" tries and how; None for `mercer.Grid()`
    slack : "l1" charges C times the error beyond epsilon, "l2" C/2 times its square
    relative : whether C, epsilon and tol count in standard deviations of the target: one setting suits any unit
    others : as SVC's

    Attributes
    ----------
    kernel_, schema_, support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_ : as SVC's
    n_bounded_ : support rows at their bound, that is outside the tube
    tube_ : epsilon, in units of the target
    C_, epsilon_, gamma_ : as given, or as found by "cv"; then `tuning_` (`mercer.Tuning`) holds every point
    duality_gap_, primal_, dual_, n_iter_, fit_status_ : how well the problem is solved

    Examples
    --------
    >>> import mercer
    >>> model = mercer.SVR(kernel="linear", C=100, epsilon=0.0).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[4.0]]).round(2)
    array([9.])
    """

    def __init__(
        self,
        *,
        C: float | str = 1.0,
        epsilon: float | str = 0.1,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        slack: str = "l1",
        relative: bool = False,
        tol: float = 1e-3,
        max_iter: int = -1,
        time_limit: float | None = None,
        warm_start: bool = False,
        transductive: bool = False,
        cache_size: float | None = None,
        precision: str = "auto",
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.slack = slack
        self.relative = relative
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.transductive = transductive
        self.cache_size = cache_size
        self.precision = precision
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs

    tuned = ("C", "epsilon", "gamma")
    is_class_machine = False

    def _check_own(self) -> None:
        if not is_cv(self.C):
            expect_cost(self.C)
        if not is_cv(self.epsilon) and (isinstance(self.epsilon, str) or not 0 <= self.epsilon < np.inf):
            raise MercerError(f"epsilon={self.epsilon!r}: expected a number of at least 0, or 'cv'.")
        if self.slack not in SLACKS:
            raise MercerError(f"slack={self.slack!r}: expected one of {', '.join(SLACKS)}.")

    def _problem(self, target: Floats, weight: Floats) -> Problem:
        self._unit = target_unit(target, weight) if self.relative else 1.0
        hard = not np.isfinite(self.C_)
        squared = self.slack == "l2" and not hard
        cost = (1.0 if hard else self.C_) * weight * self._cost_unit(self._unit)
        cost = weighted(cost) if squared else cost
        return duals.svr(target, cost, self.epsilon_ * self._unit, squared_slack=squared)

    def _solution(self, problem: Problem, source: Rows, start: Start | None = None) -> Solution:
        if np.isfinite(self.C_):
            return self._solve(problem, source, start=start)
        found, exact = self._solve_hard(problem, source, float(np.abs(problem.linear).max()) or 1.0)
        if not exact:
            raise BadTarget(
                f"C=inf allows no error beyond epsilon={self.epsilon_}, and with {self.kernel_!r} no function has "
                "none. Give a finite C, a larger epsilon, or a kernel of more features."
            )
        return found

    def _cost_unit(self, unit: float) -> float:
        """A cost of squares has the unit of 1, a cost of absolute errors that of the target."""
        return 1.0 if self.slack == "l2" else unit

    def _units(self, given: Given) -> tuple[float, float]:
        unit = 1.0 if self.relative else target_unit(given.truth, given.weight)
        return self._cost_unit(unit), unit

    def _tolerance(self) -> float:
        return super()._tolerance() * self._unit

    def _exactness(self, given: Given, gap: float) -> tuple[float, float]:
        """The gap is one of mean losses: in units of the target, or of its square."""
        unit = target_unit(given.truth, given.weight)
        return self.tol * (unit if self.relative else 1.0), gap * (unit**2 if self.slack == "l2" else unit)

    def _plan(self, given: Given, folds: Folds, costs: Floats, tube: float | None) -> Plan:
        unit = target_unit(given.truth, given.weight) if self.relative else 1.0
        squared = self.slack == "l2"
        weight = weighted(given.weight) if squared else given.weight
        members = (weight > 0).astype(np.uint8)[None]
        epsilon = float(self.epsilon_ if tube is None else tube) * unit
        return Plan(given.truth[None], folds, costs * self._cost_unit(unit), members, weight,
                    regression=True, squared_slack=squared, epsilon=epsilon)  # fmt: skip

    def _answer(self, problem: Problem, solution: Solution) -> tuple[Floats, float, float]:
        return solution.beta, solution.bias[0], float(self.epsilon_ * self._unit)


class NuSVR(NuMachine, TubeRegressor):
    """SVR with nu in place of epsilon: at most a share nu of the rows lie outside the tube, whose width is learned.

    Parameters
    ----------
    nu : above 0, up to 1, or "cv", which searches it
    C : cost of an error beyond the tube, above 0, or "cv"
    gamma : as SVC's, with "cv"
    grid : what "cv" tries and how; None for `mercer.Grid()`
    others : as SVC's

    Attributes
    ----------
    nu_, C_, gamma_ : as given, or as found by "cv"; then `tuning_` (`mercer.Tuning`) holds every point that was tried
    tube_ : half the width of the tube that was found; others as SVR's

    Examples
    --------
    >>> import mercer
    >>> model = mercer.NuSVR(kernel="linear", C=100).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[4.0]]).round(2)
    array([9.])
    """

    def __init__(
        self,
        *,
        nu: float | str = 0.5,
        C: float | str = 1.0,
        kernel: KernelLike = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = -1,
        time_limit: float | None = None,
        warm_start: bool = False,
        transductive: bool = False,
        cache_size: float | None = None,
        precision: str = "auto",
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.transductive = transductive
        self.cache_size = cache_size
        self.precision = precision
        self.kinds = kinds
        self.grid = grid
        self.n_jobs = n_jobs

    tuned = ("C", "nu", "gamma")
    is_class_machine = False

    def _check_own(self) -> None:
        if not is_cv(self.nu):
            expect_nu(self.nu)
        if not is_cv(self.C):
            expect_cost(self.C)
            if not np.isfinite(self.C):
                raise MercerError("C=inf has no solution in regression. Give a finite C.")

    def _units(self, given: Given) -> tuple[float, float]:
        return target_unit(given.truth, given.weight), 1.0

    def _held_out(self, given: Given, kept: NDArray[np.bool_], source: Rows) -> Floats:
        rows = np.flatnonzero(kept).astype(np.int32)
        made = self._problem(given.truth[rows], given.weight[rows])
        problem = replace(made, rows=rows[made.kernel_rows])
        solution = self._solve(problem, source)
        return (solution.f + self._answer(problem, solution)[1])[None]

    def _problem(self, target: Floats, weight: Floats) -> Problem:
        return duals.nu_svr(target, self.C_ * weight, self.nu_)

    def _answer(self, problem: Problem, solution: Solution) -> tuple[Floats, float, float]:
        return duals.nu_svr_answer(problem, solution)

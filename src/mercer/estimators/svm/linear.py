"""Linear support vector machines for many rows: no kernel matrix, one pass over the rows after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_class_weight

from mercer.arrays import Floats
from mercer.errors import BadFile, BadTarget, MercerError
from mercer.estimators.common.base import TableClassifier, TableRegressor
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.svm.linear_machine import Found, LinearMachine, Task
from mercer.estimators.svm.search import Grid, target_unit
from mercer.estimators.svm.svc import SLACKS
from mercer.solvers.svm import crammer_singer, finite_newton
from mercer.solvers.svm.coordinate import hinge, insensitive, solve
from mercer.solvers.svm.lasso_hinge import solve_lasso
from mercer.solvers.svm.smo import Problem
from mercer.state import Reader, State

MULTI_CLASS = ("ovr", "crammer_singer")


class LinearSVC(LinearMachine, TableClassifier):
    """min 1/2 (|w|^2 + b^2) + C sum_i weight_i xi_i^p, with y_i (w.x_i + b) >= 1 - xi_i; p = 1 or 2.

    penalty="l1" has |w|_1 + |b| in place of the squares: most weights become 0, and the columns that matter are left.

    For many rows, or many sparse columns: time grows with the cells, not with the square of the rows. Several classes
    are told apart each from the rest, or all at once: multi_class="crammer_singer" has min 1/2 sum_k (|w_k|^2 + b_k^2)
    + C sum_i weight_i max(0, 1 - f_i(y_i) + max_{k != y_i} f_i(k)) with f_i(k) = w_k.x_i + b_k. As in scikit-learn, the
    intercept is penalised too.

    Parameters
    ----------
    C : cost of a margin error, above 0 and finite, or "cv", which searches it by cross-validation
    slack : "l2" (p = 2) or "l1" (p = 1)
    penalty : "l2", or "l1" (with slack="l2" and no warm start)
    multi_class : "ovr", a machine per class against the rest; "crammer_singer", one of all classes, to which slack says
        nothing (its margin errors are not squared); of two classes coef_ is then w_1 - w_0
    class_weight : None, "balanced", or class -> weight; times C
    fit_intercept, intercept_scaling : whether there is a b, and the value of the column that carries it
    tol, max_iter, time_limit : largest violation left; passes over the rows (of slack="l2" on few columns, steps of
        Newton's method) and seconds after which the solver stops
    warm_start : whether fit goes on where the last one stopped, when the rows are the same
    kinds : column -> kind, overriding what is inferred from a data frame
    grid : what "cv" tries and how, `mercer.Grid(C=..., cv=..., scoring=..., rows=..., random_state=...)`; every point
        is solved exactly, whatever its race and gap. None for `mercer.Grid()`

    Attributes
    ----------
    classes_, coef_, intercept_, n_iter_, duality_gap_, encoder_
    C_ : as given, or as found by "cv"; then `tuning_` (`mercer.Tuning`) holds every point that was tried

    Examples
    --------
    >>> import mercer
    >>> mercer.LinearSVC().fit([[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"]).predict([[0.5], [3.5]])
    array(['low', 'high'], dtype='<U4')
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = mercer.LinearSVC(C="cv", max_iter=10_000, grid=mercer.Grid(C=[0.01, 0.1, 1], cv=3)).fit(X, y)
    >>> model.C_ == model.tuning_.best_params["C"], len(model.tuning_.points)
    (True, 3)
    """

    def __init__(
        self,
        *,
        C: float | str = 1.0,
        slack: str = "l2",
        penalty: str = "l2",
        multi_class: str = "ovr",
        class_weight: Mapping[Any, float] | str | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        tol: float = 1e-4,
        max_iter: int = 1000,
        time_limit: float | None = None,
        warm_start: bool = False,
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
    ) -> None:
        self.C = C
        self.slack = slack
        self.penalty = penalty
        self.multi_class = multi_class
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.kinds = kinds
        self.grid = grid

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table X and labels y."""
        self._check_options()
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        own = self._weights(sample_weight, len(table))
        weight = np.ones(len(table)) if own is None else own
        self._learn(table, codes, weight * self._class_weights(codes, weight), own)
        return self

    def _check_options(self) -> None:
        super()._check_options()
        if self.multi_class not in MULTI_CLASS:
            raise MercerError(f"multi_class={self.multi_class!r}: expected one of {', '.join(MULTI_CLASS)}.")
        plain = self.slack == "l2" and not self.warm_start and self.multi_class == "ovr"
        if self.penalty not in SLACKS or (self.penalty == "l1" and not plain):
            raise MercerError(
                f"Unsupported set of arguments: penalty={self.penalty!r}, slack={self.slack!r}, multi_class="
                f"{self.multi_class!r}, warm_start={self.warm_start!r}. The penalty is 'l2', or 'l1' with slack='l2', "
                "multi_class='ovr' and no warm start."
            )

    def _tasks(self, truth: NDArray[Any], cost: Floats) -> list[Task]:
        """The machine of Crammer and Singer, or one per class against the rest; of two classes, one."""
        k, limits = len(self.classes_), self._limits()
        if self.multi_class == "crammer_singer":
            return [
                Task(
                    lambda rows, start: crammer_singer.solve(truth, cost, k, rows, start=start, **limits),
                    lambda: crammer_singer.box(truth, cost, k),
                )
            ]
        squared = self.slack == "l2"
        cost = np.maximum(cost, 1e-12 * cost.max()) if squared else cost
        targets = [np.where(truth == c, 1.0, -1.0) for c in ([1] if k == 2 else range(k))]
        if self.penalty == "l1":
            return [lasso_task(y, cost, limits) for y in targets]
        return [problem_task(hinge(y, cost, squared=squared), limits) for y in targets]

    def _plane(self, found: Sequence[Found]) -> tuple[Floats, Floats]:
        coef, intercept = super()._plane(found)
        if len(self.classes_) == 2 and len(coef) == 2:
            return np.diff(coef, axis=0), np.diff(intercept)
        return coef, intercept

    def _class_weights(self, codes: NDArray[np.int32], weight: Floats) -> Floats:
        present = np.bincount(codes, weights=weight, minlength=len(self.classes_)) > 0
        if present.sum() < 2:
            raise BadTarget(
                "LinearSVC tells classes apart: the number of classes has to be greater than one; got "
                f"{int(present.sum())} class with positive weight."
            )
        labels = self.classes_[codes]
        found = compute_class_weight(self.class_weight, classes=self.classes_, y=labels, sample_weight=weight)
        return np.asarray(found, dtype=np.float64)[codes]

    def decision_function(self, X: Any) -> Floats:
        """Side of the plane and distance from it: (n_rows,) for two classes, else a column per class."""
        return self._shaped(self._decisions(X))

    def _shaped(self, decisions: Floats) -> Floats:
        return decisions[:, 0] if len(self.classes_) == 2 else decisions

    def predict(self, X: Any) -> NDArray[Any]:
        """The class on whose side each row lies."""
        chosen = self._choose(self._decisions(X))
        labels: NDArray[Any] = self.classes_[chosen]
        return labels

    def _choose(self, decisions: Floats) -> NDArray[np.int64]:
        return (decisions[:, 0] > 0).astype(np.int64) if len(self.classes_) == 2 else np.argmax(decisions, axis=1)

    @property
    def predict_proba(self) -> Any:
        """Not given: a plane has sides, not probabilities. SVC(kernel="linear", probability=True) has them."""
        raise AttributeError("LinearSVC gives no probabilities; SVC(kernel='linear', probability=True) does.")

    def to_state(self) -> State:
        return self._linear_state() | {"classes": labels_state(self.classes_)}

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls()
        model.classes_ = labels_from_state(state.child("classes"))
        if len(model.classes_) < 2:
            raise BadFile(f"{state.where}.classes: expected two or more.")
        model._restore_linear(state, 1 if len(model.classes_) == 2 else len(model.classes_))
        state.finish()
        return model


class LinearSVR(LinearMachine, TableRegressor):
    """min 1/2 (|w|^2 + b^2) + C sum_i weight_i max(0, |y_i - w.x_i - b| - epsilon)^p; p = 1 or 2.

    Parameters
    ----------
    C : cost of an error beyond epsilon, above 0 and finite, or "cv", which searches it by cross-validation
    epsilon : errors up to it cost nothing, of at least 0
    slack : "l1" (p = 1) or "l2" (p = 2)
    others : as LinearSVC's

    Attributes
    ----------
    coef_, intercept_, n_iter_, duality_gap_, encoder_, C_, tuning_

    Examples
    --------
    >>> import mercer
    >>> model = mercer.LinearSVR(C=100, tol=1e-6, max_iter=10_000).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.predict([[4.0]]).round(2)
    array([9.])
    """

    def __init__(
        self,
        *,
        C: float | str = 1.0,
        epsilon: float = 0.0,
        slack: str = "l1",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        tol: float = 1e-4,
        max_iter: int = 1000,
        time_limit: float | None = None,
        warm_start: bool = False,
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.slack = slack
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.kinds = kinds
        self.grid = grid

    is_class_machine = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table X and numbers y."""
        self._check_options()
        if isinstance(self.epsilon, str) or not 0 <= self.epsilon < np.inf:
            raise MercerError(f"epsilon={self.epsilon!r}: expected a number of at least 0.")
        table = self._fit_table(X)
        target = self._fit_target(y, len(table))
        own = self._weights(sample_weight, len(table))
        weight = np.ones(len(table)) if own is None else own
        self._learn(table, target, weight, own)
        return self

    def _tasks(self, truth: NDArray[Any], cost: Floats) -> list[Task]:
        squared = self.slack == "l2"
        cost = np.maximum(cost, 1e-12 * cost.max()) if squared else cost
        return [problem_task(insensitive(truth, cost, self.epsilon, squared=squared), self._limits())]

    def _cost_unit(self, truth: NDArray[Any], weight: Floats) -> float:
        return 1.0 if self.slack == "l2" else target_unit(truth, weight)

    def predict(self, X: Any) -> Floats:
        """The value of each row."""
        return self._decisions(X)[:, 0]

    def to_state(self) -> State:
        return self._linear_state()

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        model = cls()
        model._restore_linear(state, 1)
        state.finish()
        return model


def problem_task(problem: Problem, limits: Mapping[str, Any]) -> Task:
    """By Newton's method where that is quick, and by passes over the rows where it is not or does not arrive."""

    def run(rows: Any, start: Floats | None) -> Found:
        if not finite_newton.suits(problem, rows):
            return solve(problem, rows, start=start, **limits)
        found = finite_newton.solve(problem, rows, start=start, **limits)
        if found.status != "max_iter" or found.iterations >= limits["max_iter"]:
            return found
        return solve(problem, rows, start=found.beta, **limits)

    return Task(run, lambda: problem)


def lasso_task(y: Floats, cost: Floats, limits: Mapping[str, Any]) -> Task:
    return Task(lambda rows, _: solve_lasso(y, cost, rows, **limits))

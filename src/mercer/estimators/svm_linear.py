"""Linear support vector machines for many rows: no kernel matrix, one pass over the rows after the other."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_class_weight

from mercer.errors import BadFile, BadTarget, MercerError
from mercer.estimators.base import TableClassifier, TableEstimator, TableRegressor
from mercer.estimators.kernel_machine import Floats
from mercer.estimators.labels import labels_from_state, labels_state
from mercer.estimators.limits import expect_limits
from mercer.estimators.progress import Progress, Start, take_up
from mercer.estimators.svm import SLACKS, expect_cost
from mercer.kernels import Encoded, Kernel, Linear
from mercer.solvers import crammer_singer
from mercer.solvers.coordinate import LinearSolution, hinge, insensitive, solve
from mercer.solvers.crammer_singer import JointSolution
from mercer.solvers.lasso_hinge import solve_lasso
from mercer.solvers.smo import Problem
from mercer.state import Reader, State
from mercer.table import Table

MULTI_CLASS = ("ovr", "crammer_singer")


class LinearMachine(TableEstimator):
    """Base of LinearSVC and LinearSVR: f(x) = coef . E(x) + intercept, with E(x) the row as numbers."""

    encoder_: Kernel
    coef_: Floats  # (n_machines, n_columns)
    intercept_: Floats  # (n_machines,)

    def _check_options(self) -> None:
        expect_limits(self, least=0)
        expect_cost(self.C)
        if not np.isfinite(self.C):
            raise MercerError("C=inf: linear solvers need a finite C. SVC(C=inf, kernel='linear') has a hard margin.")
        if self.slack not in SLACKS:
            raise MercerError(f"slack={self.slack!r}: expected one of {', '.join(SLACKS)}.")

    def _fit_rows(self, table: Table, weight: Floats) -> Any:
        """The rows as numbers: as they are, or standardised beside the dummies of categories; missing as the mean."""
        mixed = any(c.kind.coded for c in table.schema)
        self.encoder_ = Encoded(Linear(), scaling="standard" if mixed else "none").fit(table, None, weight)
        return self._rows(table)

    def _rows(self, table: Table) -> Any:
        formula = self.encoder_.formula(table, np.dtype(np.float64))
        assert formula is not None
        return formula[0]

    def _run(self, table: Table, problems: list[Problem], rows: Any) -> None:
        """Solve every problem; with `warm_start` from where the last fit stopped."""
        starts = take_up(self, table, self.encoder_, problems)
        found = [self._solve(p, rows, start) for p, start in zip(problems, starts, strict=True)]
        if self.warm_start:
            self._progress = Progress.of(table, self.encoder_, found)
        self._note(found)

    def _solve(self, problem: Problem, rows: Any, start: Start | None) -> LinearSolution:
        return solve(problem, rows, start=None if start is None else start.beta, **self._limits())

    def _limits(self) -> dict[str, Any]:
        """When a solver stops, and the constant column that carries the intercept."""
        scale = float(self.intercept_scaling) if self.fit_intercept else 0.0
        limits = {"tol": self.tol, "max_iter": self.max_iter, "time_limit": self.time_limit or 0.0}
        return limits | {"offset_scale": scale}

    def _note(self, solutions: Sequence[LinearSolution | JointSolution]) -> None:
        self.coef_ = np.vstack([s.coef for s in solutions])
        self.intercept_ = np.hstack([s.offset for s in solutions])
        self.n_iter_ = max(s.iterations for s in solutions)
        self.duality_gap_ = max(s.gap for s in solutions)
        if any(s.status in ("max_iter", "time_limit") for s in solutions):
            warnings.warn(
                f"The solver stopped early with a duality gap of {self.duality_gap_:.3g}. Raise max_iter, scale the "
                "columns, or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _decisions(self, X: Any) -> Floats:
        table = self._predict_table(X)
        return np.asarray(self._rows(table) @ self.coef_.T) + self.intercept_

    def _linear_state(self) -> State:
        answer = {"coef": self.coef_, "intercept": self.intercept_}
        return {"input": self._input_state(), "encoder": self.encoder_.to_state()} | answer

    def _restore_linear(self, state: Reader, n_machines: int) -> None:
        self._restore_input(state.child("input"))
        self.encoder_ = Encoded.from_state(state.child("encoder"))
        inner = getattr(self.encoder_, "kernel_", None)
        if not isinstance(inner, Linear) or self.encoder_.schema_.columns != self.schema_.columns:
            raise BadFile(f"{state.where}.encoder does not fit the schema.")
        self.coef_ = state.array("coef", "float64", (n_machines, len(inner.schema_)))
        self.intercept_ = state.array("intercept", "float64", (n_machines,))


class LinearSVC(LinearMachine, TableClassifier):
    """min 1/2 (|w|^2 + b^2) + C sum_i weight_i xi_i^p, with y_i (w.x_i + b) >= 1 - xi_i; p = 1 or 2.

    penalty="l1" has |w|_1 + |b| in place of the squares: most weights become 0, and the columns that matter are left.

    For many rows, or many sparse columns: time grows with the cells, not with the square of the rows. Several classes
    are told apart each from the rest, or all at once: multi_class="crammer_singer" has min 1/2 sum_k (|w_k|^2 + b_k^2)
    + C sum_i weight_i max(0, 1 - f_i(y_i) + max_{k != y_i} f_i(k)) with f_i(k) = w_k.x_i + b_k. As in scikit-learn, the
    intercept is penalised too.

    Parameters
    ----------
    C : cost of a margin error, above 0 and finite
    slack : "l2" (p = 2) or "l1" (p = 1)
    penalty : "l2", or "l1" (with slack="l2" and no warm start)
    multi_class : "ovr", a machine per class against the rest; "crammer_singer", one of all classes, to which slack says
        nothing (its margin errors are not squared); of two classes coef_ is then w_1 - w_0
    class_weight : None, "balanced", or class -> weight; times C
    fit_intercept, intercept_scaling : whether there is a b, and the value of the column that carries it
    tol, max_iter, time_limit : largest violation left; passes and seconds after which the solver stops
    warm_start : whether fit goes on where the last one stopped, when the rows are the same
    kinds : column -> kind, overriding what is inferred from a data frame

    Attributes
    ----------
    classes_, coef_, intercept_, n_iter_, duality_gap_, encoder_

    Examples
    --------
    >>> import mercer
    >>> mercer.LinearSVC().fit([[0.0], [1.0], [3.0], [4.0]], ["low", "low", "high", "high"]).predict([[0.5], [3.5]])
    array(['low', 'high'], dtype='<U4')
    """

    def __init__(
        self,
        *,
        C: float = 1.0,
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table X and labels y."""
        self._check_options()
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        own = self._weights(sample_weight, len(table))
        weight = np.ones(len(table)) if own is None else own
        cost = self.C * weight * self._class_weights(codes, weight)
        rows = self._fit_rows(table, weight)
        if self.multi_class == "crammer_singer":
            self._learn_jointly(table, codes, cost, rows)
        else:
            self._learn_sides(table, codes, cost, rows)
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

    def _learn_sides(self, table: Table, codes: NDArray[np.int32], cost: Floats, rows: Any) -> None:
        """A machine per class against the rest; one for two classes."""
        sides = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        squared = self.slack == "l2"
        cost = np.maximum(cost, 1e-12 * cost.max()) if squared else cost
        targets = [np.where(codes == c, 1.0, -1.0) for c in sides]
        if self.penalty == "l1":
            self._note([solve_lasso(target, cost, rows, **self._limits()) for target in targets])
        else:
            self._run(table, [hinge(target, cost, squared=squared) for target in targets], rows)

    def _learn_jointly(self, table: Table, codes: NDArray[np.int32], cost: Floats, rows: Any) -> None:
        """The machine of Crammer and Singer."""
        n_classes, start = len(self.classes_), None
        if self.warm_start:
            past = take_up(self, table, self.encoder_, [crammer_singer.box(codes, cost, n_classes)])[0]
            start = None if past is None else past.beta
        found = crammer_singer.solve(codes, cost, n_classes, rows, start=start, **self._limits())
        if self.warm_start:
            self._progress = Progress.of(table, self.encoder_, [found])
        self._note([found])
        if n_classes == 2:
            self.coef_, self.intercept_ = np.diff(self.coef_, axis=0), np.diff(self.intercept_)

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
        found = self._decisions(X)
        return found[:, 0] if len(self.classes_) == 2 else found

    def predict(self, X: Any) -> NDArray[Any]:
        """The class on whose side each row lies."""
        found = self._decisions(X)
        chosen = (found[:, 0] > 0).astype(np.int64) if len(self.classes_) == 2 else np.argmax(found, axis=1)
        labels: NDArray[Any] = self.classes_[chosen]
        return labels

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
    C : cost of an error beyond epsilon, above 0 and finite
    epsilon : errors up to it cost nothing, of at least 0
    slack : "l1" (p = 1) or "l2" (p = 2)
    others : as LinearSVC's

    Attributes
    ----------
    coef_, intercept_, n_iter_, duality_gap_, encoder_

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
        C: float = 1.0,
        epsilon: float = 0.0,
        slack: str = "l1",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        tol: float = 1e-4,
        max_iter: int = 1000,
        time_limit: float | None = None,
        warm_start: bool = False,
        kinds: Mapping[str, Any] | None = None,
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table X and numbers y."""
        self._check_options()
        if isinstance(self.epsilon, str) or not 0 <= self.epsilon < np.inf:
            raise MercerError(f"epsilon={self.epsilon!r}: expected a number of at least 0.")
        table = self._fit_table(X)
        target = self._fit_target(y, len(table))
        own = self._weights(sample_weight, len(table))
        weight = np.ones(len(table)) if own is None else own
        squared = self.slack == "l2"
        cost = self.C * (np.maximum(weight, 1e-12 * weight.max()) if squared else weight)
        rows = self._fit_rows(table, weight)
        self._run(table, [insensitive(target, cost, self.epsilon, squared=squared)], rows)
        return self

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

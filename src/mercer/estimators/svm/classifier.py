"""Classification by machines of two classes on one kernel matrix: fitting, decisions, probabilities, storing."""

from __future__ import annotations

from abc import abstractmethod
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import check_is_fitted

from mercer._core.gram import Rows
from mercer.arrays import Floats
from mercer.errors import BadFile, BadTarget, MercerError
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.common.solver_limits import expect_limits
from mercer.estimators.svm.binary_problems import Duel, agree, couple, duels, pair_votes
from mercer.estimators.svm.kernel_machine import KernelMachine
from mercer.estimators.svm.parallel_solve import own_matrices_pay
from mercer.estimators.svm.search import Given
from mercer.estimators.svm.warm_start import Start
from mercer.select.calibration import METHODS, Curve, fit_curve
from mercer.select.sampling import deal_folds
from mercer.solvers.svm.smo import Problem, Solution
from mercer.state import Reader, State
from mercer.table import Table

STRATEGIES = ("ovo", "ovr")
_FOLDS = 5
_FEW = 5e7  # products up to which one matrix, mostly zeros, beats one pass for each class


def _calibrates(self: DuelClassifier) -> bool:
    if not self.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class DuelClassifier(KernelMachine, TableClassifier):
    """Base of SVC and NuSVC: what differs is the problem of a duel and how its solution is read."""

    _cross_fitting = False
    dual_coef_: (
        Floats  # binary: (1, n_support), "ovo": (n_classes - 1, n_support) as in LIBSVM, "ovr": (n_classes, n_support)
    )

    @abstractmethod
    def _check_own(self) -> None: ...

    @abstractmethod
    def _problem(self, duel: Duel, weight: Floats) -> Problem: ...

    @abstractmethod
    def _answer(self, problem: Problem, source: Rows, start: Start | None = None) -> tuple[Floats, float, Solution]:
        """Coefficients of the problem's variables, intercept, and the solver's account."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, unlabelled: Any = None) -> Self:
        """Learn from a table X and labels y; `unlabelled` rows add to what the kernel learns, such as frequencies."""
        self._check_options()
        given = self._fit_table(X)
        table, y, sample_weight, unlabelled = self._labelled(given, y, sample_weight, unlabelled)
        codes = self._fit_labels(y, len(table))
        own = self._own_weights(sample_weight, len(table))
        weight = own * self._class_weights(codes, own)
        self._settle(Given(table, codes, weight, None if sample_weight is None else own, unlabelled))
        machines = duels(codes, len(self.classes_), self.multi_class)
        problems = [self._problem(duel, weight[duel.rows]) for duel in machines]  # infeasible ones are refused first
        shared = bool(self.probability) or self.warm_start or not own_matrices_pay(problems, table)
        source = self._fit_kernel(table, own, unlabelled, shared)
        answers = self._run(table, problems, source, self._answer)
        self._note([solution for _, _, solution in answers])
        self._store_answers(table, codes, machines, problems, answers)
        if self.probability:
            self.curves_ = self._cross_fit(machines, weight, source, codes)
        return self

    def _check_options(self) -> None:
        expect_limits(self)
        self._check_own()
        for name in ("multi_class", "decision_function_shape"):
            if getattr(self, name) not in STRATEGIES:
                raise MercerError(f"{name}={getattr(self, name)!r}: expected one of {', '.join(STRATEGIES)}.")
        if self.probability not in (True, False, *METHODS):
            raise MercerError(f"probability={self.probability!r}: expected True, False, {' or '.join(METHODS)}.")

    def _class_weights(self, codes: NDArray[np.int32], own: Floats) -> Floats:
        """Weight of each row's class; sets `class_weight_`."""
        present = np.bincount(codes, weights=own, minlength=len(self.classes_)) > 0
        if present.sum() < 2:
            raise BadTarget(
                f"{type(self).__name__} tells classes apart: the number of classes has to be greater than one; got "
                f"{int(present.sum())} class with positive weight."
            )
        every = np.arange(len(self.classes_))
        given = self.class_weight
        if isinstance(given, dict):
            places = {label: place for place, label in enumerate(self.classes_.tolist())}
            if unknown := [label for label in given if label not in places]:
                raise MercerError(f"class_weight: there is no class {unknown[0]!r} among {self.classes_.tolist()}.")
            given = {places[label]: value for label, value in given.items()}
        found = compute_class_weight(given, classes=every, y=codes, sample_weight=own)
        self.class_weight_ = np.asarray(found, dtype=np.float64)
        return self.class_weight_[codes]

    def _store_answers(
        self, table: Table, codes: NDArray[np.int32], machines: list[Duel], problems: list[Problem],
        answers: list[tuple[Floats, float, Solution]],
    ) -> None:  # fmt: skip
        n, k = len(table), len(self.classes_)
        pairs = list(combinations(range(k), 2))
        coef = np.zeros((max(k - 1, 1) if self._paired else len(machines), n))
        bounded = np.zeros(n, dtype=bool)
        for m, (problem, (beta, _, solution)) in enumerate(zip(problems, answers, strict=True)):
            rows = problem.kernel_rows
            if self._paired:
                first, second = pairs[m]
                line = np.where(codes[rows] == first, second - 1, first)
                coef[line, rows] = beta
            else:
                coef[m, rows] = beta
            bounded[rows] |= problem.at_bound(solution.beta)
        used = np.flatnonzero(coef.any(axis=0))
        support = used[np.argsort(codes[used], kind="stable")]
        self._keep(table, support)
        self.dual_coef_ = coef[:, support]
        self.n_support_ = np.bincount(codes[support], minlength=k).astype(np.int32)
        self.n_bounded_ = int(bounded.sum())
        self.intercept_ = np.array([bias for _, bias, _ in answers])
        self.margin_ = np.array([_margin(p, b, s) for p, (b, _, s) in zip(problems, answers, strict=True)])

    @property
    def _paired(self) -> bool:
        return len(self.classes_) > 2 and self.multi_class == "ovo"

    @property
    def coef_(self) -> Floats:
        """Weights of the columns, one row per machine, for a linear kernel."""
        check_is_fitted(self)
        if not self._paired:
            return self._linear_coef(self.dual_coef_)
        return self._linear_coef(self._pair_coef())

    def _pair_coef(self) -> Floats:
        """Coefficients of every pair's machine, (n_pairs, n_support)."""
        edges = np.concatenate([[0], np.cumsum(self.n_support_)])
        pairs = list(combinations(range(len(self.classes_)), 2))
        found = np.zeros((len(pairs), len(self.support_)))
        for m, (first, second) in enumerate(pairs):
            mine, theirs = slice(edges[first], edges[first + 1]), slice(edges[second], edges[second + 1])
            found[m, mine] = self.dual_coef_[second - 1, mine]
            found[m, theirs] = self.dual_coef_[first, theirs]
        return found

    def _decisions(self, table: Table) -> Floats:
        """The decision of every machine, (n_rows, n_machines)."""
        if not self._paired:
            return self._products(table, self.dual_coef_.T) + self.intercept_
        if len(table) * len(self.support_) * len(self.intercept_) <= _FEW:
            return self._products(table, self._pair_coef().T) + self.intercept_
        edges = np.concatenate([[0], np.cumsum(self.n_support_)])
        parts = [slice(edges[c], edges[c + 1]) for c in range(len(self.classes_))]
        sums = [self._products(table, self.dual_coef_[:, part].T, part) for part in parts]  # by class of support row
        pairs = combinations(range(len(self.classes_)), 2)
        return np.column_stack([sums[i][:, j - 1] + sums[j][:, i] for i, j in pairs]) + self.intercept_

    def decision_function(self, X: Any) -> Floats:
        """Side of the plane and distance from it: (n_rows,) for two classes, else a column per class or per pair."""
        return self._shaped(self._decisions(self._predict_table(X)))

    def _shaped(self, decisions: Floats) -> Floats:
        if len(self.classes_) == 2:
            return decisions[:, 0]
        if self._paired and self.decision_function_shape == "ovr":
            return np.asarray(_ovr_decision_function(decisions < 0, -decisions, len(self.classes_)))
        return decisions

    def predict(self, X: Any) -> NDArray[Any]:
        """The class on whose side each row lies; of several, the one that wins most pairs."""
        if self.break_ties and self.decision_function_shape == "ovo":
            raise MercerError("break_ties must be False when decision_function_shape is 'ovo'")
        chosen = self._choose(self._decisions(self._predict_table(X)))
        labels: NDArray[Any] = self.classes_[chosen]
        return labels

    def _choose(self, decisions: Floats) -> NDArray[np.int64]:
        if len(self.classes_) == 2:
            return (decisions[:, 0] >= 0).astype(np.int64)
        if not self._paired or self.break_ties:
            return np.argmax(self._shaped(decisions), axis=1)
        return np.argmax(pair_votes(decisions, len(self.classes_)), axis=1)

    @available_if(_calibrates)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class, (n_rows, n_classes); the largest is always that of the class predicted.

        Decisions become probabilities by curves fitted on rows held out in turn. Where a curve and the decision
        disagree on the side, both classes get the same probability.
        """
        check_is_fitted(self)
        if not hasattr(self, "curves_"):
            raise NotFittedError("The model was fitted with probability=False; fit it again with probability=True.")
        return self._probabilities(self._decisions(self._predict_table(X)), self.curves_)

    def _probabilities(self, decisions: Floats, curves: list[Curve]) -> Floats:
        single = np.column_stack([curve(decisions[:, m]) for m, curve in enumerate(curves)])
        if len(self.classes_) == 2:
            found = np.column_stack([1 - single[:, 0], single[:, 0]])
        elif self._paired:
            found = couple(single, len(self.classes_))
        else:
            single = np.maximum(single, 1e-12)
            found = single / single.sum(axis=1, keepdims=True)
        return agree(found, self._choose(decisions))

    @available_if(_calibrates)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _cross_fit(self, machines: list[Duel], weight: Floats, source: Rows, codes: NDArray[np.int32]) -> list[Curve]:
        """A curve for each machine from decisions on held-out rows; the kernel is not computed again."""
        method = "sigmoid" if self.probability is True else str(self.probability)
        fold = deal_folds(codes, len(codes), _FOLDS, 0)
        self._cross_fitting = True
        try:
            return [self._curve(duel, weight[duel.rows], fold[duel.rows], source, method) for duel in machines]
        finally:
            del self._cross_fitting

    def _curve(self, duel: Duel, weight: Floats, fold: NDArray[np.int32], source: Rows, method: str) -> Curve:
        held_out = np.zeros(len(duel.rows))
        for f in range(_FOLDS):
            out = fold == f
            kept = Duel(duel.rows[~out], duel.y[~out])
            if not out.any() or len({*kept.y[weight[~out] > 0]}) < 2:
                kept = duel  # too few rows to hold any out: in-sample decisions are all there is
            part = weight if kept is duel else weight[~out]
            held_out[out] = self._decided(kept, part, source)[duel.rows[out]]
        used = weight > 0
        return fit_curve(held_out[used], duel.y[used] > 0, weight[used], method)

    def _decided(self, duel: Duel, weight: Floats, source: Rows) -> Floats:
        """The decisions on all rows of a machine that learns from those of a duel."""
        beta, bias, solution = self._answer(self._problem(duel, weight), source)
        scale = float(beta @ solution.beta) / max(float(solution.beta @ solution.beta), 1e-300)
        return solution.f * (scale or 1.0) + bias

    def to_state(self) -> State:
        check_is_fitted(self)
        state = self._machine_state() | {
            "classes": labels_state(self.classes_),
            "multi_class": self.multi_class,
            "decision_function_shape": self.decision_function_shape,
            "break_ties": bool(self.break_ties),
            "precision": self.precision,
            "dual_coef": self.dual_coef_,
            "intercept": self.intercept_,
            "n_support": self.n_support_,
        }
        return state | ({"curves": [c.to_state() for c in self.curves_]} if self.probability else {})

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        options: dict[str, Any] = {n: state.text(n, STRATEGIES) for n in ("multi_class", "decision_function_shape")}
        options["break_ties"] = state.flag("break_ties")
        options["precision"] = state.text("precision", ("auto", "single", "double"))
        model = cls(**options, probability=state.has("curves"))
        model._restore_machine(state)
        model.classes_ = labels_from_state(state.child("classes"))
        k, n = len(model.classes_), len(model.support_)
        machines = 1 if k == 2 else k * (k - 1) // 2 if model._paired else k
        lines = 1 if k == 2 else k - 1 if model._paired else k
        model.dual_coef_ = state.array("dual_coef", "float64", (lines, n))
        model.intercept_ = state.array("intercept", "float64", (machines,))
        model.n_support_ = state.array("n_support", "int32", (k,), low=0)
        if k < 2 or model.n_support_.sum() != n:
            raise BadFile(f"{state.where}.n_support does not fit the support.")
        if model.probability:
            model.curves_ = [Curve.from_state(s) for s in state.children("curves")]
            if len(model.curves_) != machines:
                raise BadFile(f"{state.where}.curves: expected {machines}.")
        state.finish()
        return model


def _margin(problem: Problem, beta: Floats, solution: Solution) -> float:
    """2 / |w|."""
    scale = float(np.abs(beta).sum()) / max(float(np.abs(solution.beta).sum()), 1e-300)
    square = scale**2 * float(solution.beta @ solution.f[problem.kernel_rows])
    return 2 / float(np.sqrt(square)) if square > 0 else np.inf

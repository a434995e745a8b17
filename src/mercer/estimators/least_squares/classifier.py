"""Classes by least squares on +1 and -1: what KernelRidgeClassifier and LSSVC share."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from mercer.arrays import Floats, Ints
from mercer.docstrings import shares_docs
from mercer.errors import MercerError
from mercer.estimators.common.labels import labels_state
from mercer.estimators.common.sklearn_api.availability import available_if
from mercer.estimators.common.weights.class_weight import ClassWeight
from mercer.estimators.kernel.machine import KernelMachine
from mercer.estimators.kernel.training_rows import TrainingRows, weigh_classes
from mercer.estimators.least_squares.linear_system.fit import (
    LeastSquaresSolver,
    Outcome,
    outcome_state,
    restore_outcome,
)
from mercer.estimators.least_squares.linear_system.solve import Solved, given_penalty
from mercer.estimators.least_squares.linear_system.systems import System, class_systems
from mercer.estimators.least_squares.parameters import Probability
from mercer.estimators.least_squares.search import LeastSquaresSearch, choose
from mercer.estimators.multiclass.codes import Code
from mercer.estimators.multiclass.decisions import ClassDecisions, calibrators_of, fitted_calibrators
from mercer.estimators.multiclass.designs import short_code
from mercer.estimators.multiclass.state import (
    calibrators_from_state,
    code_book_from_state,
    two_classes_from_state,
)
from mercer.estimators.multiclass.strategy import Multiclass, Strategy
from mercer.parameters import check_parameters
from mercer.select.calibration import Calibrator, Method
from mercer.select.grid import Grid
from mercer.select.search import given_parameters, restore_parameters, tuning_state
from mercer.solvers.ridge.cholesky import leave_one_out
from mercer.state import Reader, State
from mercer.table.target import class_codes


def _calibrates(self: LeastSquaresClassifier) -> None:
    if self.probability is None:
        raise AttributeError(
            "predict_proba is not available when probability=None: make the model with probability='sigmoid' or "
            "'isotonic', and fit it."
        )


class LeastSquaresClassifier(ClassifierMixin, KernelMachine):
    """Base of classifiers by least squares; `multi_class` says which binary problems there are."""

    shares_kernel: ClassVar[bool] = False
    follows_libsvm: ClassVar[bool] = False
    intercept: ClassVar[bool]  # whether there is a b
    grid: Grid | None
    class_weight: ClassWeight
    probability: Probability
    multi_class: Strategy
    classes_: NDArray[Any]
    code_book_: Code
    calibrators_: list[Calibrator]

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Solve the linear systems of the classes.

        Parameters
        ----------
        {X}
        {y_class}
        sample_weight : array-like of shape (n_rows,) or None, default None
            Weight of the squared error of each row, at least 0; None weighs all by 1. A row of weight 2 is two rows.

        Returns
        -------
        {self}
        """
        data = self._read(X, y, sample_weight)
        values = choose(self, self._search_problem(data), self.grid)
        lambdas = given_penalty(values, self.tunable[0], self._multiclass.n_problems)
        self._choose_kernel(data, values["gamma"])
        solved = self._train(data, lambdas)
        found = Outcome.of(solved, len(data.table))
        self.residual_, self.n_iter_ = found.residual, found.iterations
        self._keep_support(data, found.support, found.coef, found.intercept)
        self.__dict__.pop("calibrators_", None)  # those of an earlier fit
        if self.probability is not None:
            self.calibrators_ = self._calibrators(data, solved, self.probability)
        return self

    def _train(self, data: TrainingRows, lambdas: Floats) -> list[Solved]:
        return LeastSquaresSolver.of(self, data.table).solve(self._systems(data), lambdas, data.weight)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        """The training rows with class codes, weights times those of their class; sets `classes_`, `class_weight_`."""
        check_parameters(self)
        return weigh_classes(self, self._training_rows(X, self._class_codes, y, sample_weight, None))

    def _class_codes(self, y: Any, n_rows: int) -> Ints:
        self.classes_, codes = class_codes(y, n_rows)
        if self.multi_class == "ecoc" and len(self.classes_) > 1:
            self.code_book_ = short_code(len(self.classes_))
        return codes

    @property
    def _multiclass(self) -> Multiclass:
        book = self.code_book_ if self.multi_class == "ecoc" else None
        return Multiclass(len(self.classes_), self.multi_class, book)

    def _systems(self, data: TrainingRows) -> list[System]:
        return class_systems(self._multiclass.problems(data.target), data.weight)

    @shares_docs()
    def tunable_problem(self, X: Any, y: Any) -> LeastSquaresSearch:
        """The machine and its training rows as `mercer.tune` sees them.

        Parameters
        ----------
        {X}
        {y_class}

        Returns
        -------
        {problem}
        """
        return self._search_problem(self._read(X, y, None), by_folds=True)

    def _search_problem(self, data: TrainingRows, *, by_folds: bool = False) -> LeastSquaresSearch:
        method: Method = self.probability or "sigmoid"
        reader = ClassDecisions(self.classes_, data.target, self._multiclass, False, "ovr", method)
        return LeastSquaresSearch(
            given_parameters(self), data, reader, self._choice, self._jobs, self._systems, self.intercept,
            by_folds=by_folds,
        )  # fmt: skip

    def _calibrators(self, data: TrainingRows, solved: list[Solved], method: Method) -> list[Calibrator]:
        """By the decision on each row of the machine fitted without it."""
        decisions = np.full((self._multiclass.n_problems, len(data.table)), np.nan)
        for found in solved:
            if found.factor is None:
                raise MercerError(
                    "probability needs a factorisation of the kernel matrix: raise cache_size or the penalty, or leave "
                    "probability out."
                )
            residuals = leave_one_out(found.factor, found.solution, intercept=self.intercept)
            decisions[found.system.places[:, None], found.system.rows] = (found.system.targets - residuals).T
        problems = self._multiclass.problems(data.target)
        return calibrators_of(problems, decisions, data.weight > 0, method)

    @shares_docs()
    def decision_function(self, X: Any) -> Floats:
        """The value of the function of each class, +1 on its side.

        Parameters
        ----------
        {X}

        Returns
        -------
        decisions : ndarray of shape (n_rows,) or (n_rows, n_classes)
            One number a row for two classes, else a column per class.
        """
        decisions = self._decisions(self._predict_table(X))
        return self._multiclass.decision_function(decisions, "ovr")

    @shares_docs()
    def predict(self, X: Any) -> NDArray[Any]:
        """The class on whose side each row lies.

        Parameters
        ----------
        {X}

        Returns
        -------
        {classes}
        """
        decisions = self._decisions(self._predict_table(X))
        labels: NDArray[Any] = self.classes_[self._multiclass.class_codes(decisions)]
        return labels

    @available_if(_calibrates)
    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class; the largest is always that of the class predicted.

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        calibrators = fitted_calibrators(self)
        decisions, multiclass = self._decisions(self._predict_table(X)), self._multiclass
        return multiclass.calibrated(decisions, calibrators)

    def _fitted_state(self) -> State:
        own: State = {"classes": labels_state(self.classes_)}
        if self.probability is not None:
            own["calibrators"] = [c.to_state() for c in self.calibrators_]
        if self.multi_class == "ecoc":
            own["code_book"] = self.code_book_
        return super()._fitted_state() | outcome_state(self) | own | tuning_state(self)

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = two_classes_from_state(state)
        if self.multi_class == "ecoc":
            self.code_book_ = code_book_from_state(state, len(self.classes_))
        n_problems = self._multiclass.n_problems
        self._restore_support(state, n_problems, n_problems)
        restore_outcome(self, state)
        restore_parameters(self, state)
        if self.probability is not None:
            self.calibrators_ = calibrators_from_state(state, n_problems)

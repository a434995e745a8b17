"""Classification by kernel machines of two classes on one kernel matrix: SVC and NuSVC."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer.arrays import Floats, Ints
from mercer.docstrings import shares_docs
from mercer.errors import BadFile, MercerError
from mercer.estimators.common.labels import labels_state
from mercer.estimators.common.sklearn_api.availability import available_if
from mercer.estimators.common.weights.class_weight import ClassWeight
from mercer.estimators.kernel.machine import KernelMachine
from mercer.estimators.kernel.training_rows import TrainingRows, weigh_classes
from mercer.estimators.multiclass.codes import BinaryProblem, Code
from mercer.estimators.multiclass.decisions import ClassDecisions, fitted_calibrators
from mercer.estimators.multiclass.designs import short_code
from mercer.estimators.multiclass.state import (
    calibrators_from_state,
    code_book_from_state,
    two_classes_from_state,
)
from mercer.estimators.multiclass.strategy import Multiclass, Shape, Strategy
from mercer.estimators.svm.approximation.cell_classes import CellClasses
from mercer.estimators.svm.approximation.cell_search import CellSearch
from mercer.estimators.svm.approximation.cells import CellTrainer, Member
from mercer.estimators.svm.approximation.features import Training, keep_basis, train
from mercer.estimators.svm.calibration import calibrator, cross_validated_calibrators
from mercer.estimators.svm.formulations import Classification
from mercer.estimators.svm.search import KernelSearch, kernel_search
from mercer.estimators.svm.solve import Trained, own_matrices_pay
from mercer.parameters import check_parameters
from mercer.select.calibration import Calibrator, Method
from mercer.select.grid import Grid
from mercer.select.search import choose_parameters, restore_parameters, tuning_state
from mercer.select.tuning_result import Tuning
from mercer.solvers.svm.smo import Problem
from mercer.state import Reader, State
from mercer.table import Table
from mercer.table.target import class_codes

Probability: TypeAlias = bool | Literal["sigmoid", "isotonic", "deprecated"]
_FOLDS = 5
_AVERAGED = 3  # points of a search: fewer gain less, more are no better (covtype, 4,000 and 8,000 rows)
_FEW = 5e7  # products up to which one matrix of coefficients, mostly zeros, beats one pass for each class


def _calibrates(self: KernelClassifier) -> None:
    if self._calibration is None:
        raise AttributeError(
            "predict_proba is not available when probability=False: make the model with probability='sigmoid' or "
            "'isotonic', and fit it."
        )


class KernelClassifier(ClassifierMixin, KernelMachine):
    """Base of SVC and NuSVC, which differ in their formulation."""

    settled: ClassVar[tuple[str, ...]] = ("multi_class",)
    multi_class: Strategy
    class_weight: ClassWeight
    probability: Probability
    random_state: int | np.random.RandomState | None
    decision_function_shape: Shape
    break_ties: bool
    warm_start: bool
    grid: Grid | None
    classes_: NDArray[Any]
    calibrators_: list[Calibrator]
    code_book_: Code

    @abstractmethod
    def _formulate(self, data: TrainingRows, values: Mapping[str, Any]) -> Classification:
        """The problem of the machine for these values of its searched parameters."""

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None, unlabelled: Any = None) -> Self:
        """Find the widest margin between the classes.

        Parameters
        ----------
        {X}
        {y_class}
        {sample_weight_cost}
        {unlabelled}

        Returns
        -------
        {self}
        """
        data = self._read(X, y, sample_weight, unlabelled)
        values = choose_parameters(self, self._search_problem(data), self.grid)
        formulation = self._formulate(data, values)
        binary = self._multiclass.problems(data.target)
        problems = [formulation.problem(b, data.weight[b.rows]) for b in binary]  # infeasible ones are refused first
        self.__dict__.pop("calibrators_", None)  # those of an earlier fit
        if self.approximation == "cells":
            return self._fit_cells(data, values, binary)
        shared = self._calibration is not None or self.warm_start or not own_matrices_pay(problems, data.table)
        found = train(self, data, values["gamma"], problems, formulation, self._fold_seed, shared)
        self._keep(data, problems, found)
        if self._calibration is not None:
            self._keep_calibrators(cross_validated_calibrators(
                formulation, binary, data, found.rows, found.solver, self._calibration, self._fold_seed
            ))  # fmt: skip
        return self

    def _fit_cells(self, data: TrainingRows, values: Mapping[str, Any], binary: Sequence[BinaryProblem]) -> Self:
        """Machines in each cell of the rows, and calibrators of their decisions."""
        decisions = CellTrainer(self, data, self._cell_members(data, values)).fit(self._fold_seed)
        self._n_support = self._class_sizes(data, self.support_)
        self.margin_ = np.full(len(binary), np.nan)
        if self._calibration is not None:
            self._keep_calibrators([
                calibrator(decisions[m, b.rows], b.y, data.weight[b.rows], self._calibration)
                for m, b in enumerate(binary)
            ])  # fmt: skip
        return self

    def _keep_calibrators(self, found: list[Calibrator]) -> None:
        """None stands alone with probability=True, with which the side of a decision calls the class as in LIBSVM."""
        words = isinstance(self.probability, str)
        self.calibrators_ = found if words else [replace(curve, alone=False) for curve in found]

    def _cell_members(self, data: TrainingRows, values: Mapping[str, Any]) -> list[Member]:
        """The machine of these values; after a search those of the best points."""
        tuning: Tuning | None = getattr(self, "tuning_", None)
        points = [values] if tuning is None else [{**values, **p} for p in tuning.leading(_AVERAGED)]
        members = []
        for point in points:
            formulation = self._formulate(data, point)
            problems = CellClasses(self._multiclass, formulation, data, self._fold_seed)
            left_out = None if self._calibration is None else problems.left_out
            members.append(Member(point["gamma"], formulation, problems, left_out))
        return members

    def _class_sizes(self, data: TrainingRows, support: Any) -> Ints:
        """How many support vectors, by number among all rows, each class has."""
        rows = support if data.labelled is None else np.searchsorted(data.labelled, support)
        return np.bincount(data.target[rows], minlength=len(self.classes_)).astype(np.int32)

    def _read(self, X: Any, y: Any, sample_weight: Any, unlabelled: Any) -> TrainingRows:
        """The training rows with class codes, weights times those of their class; sets `classes_`, `class_weight_`."""
        check_parameters(self)
        self._warn_of_deprecated_values()
        return weigh_classes(self, self._training_rows(X, self._class_codes, y, sample_weight, unlabelled))

    def _class_codes(self, y: Any, n_rows: int) -> Ints:
        self.classes_, codes = class_codes(y, n_rows)
        if self.multi_class == "ecoc" and len(self.classes_) > 1:
            self.code_book_ = short_code(len(self.classes_))
        return codes

    @property
    def _multiclass(self) -> Multiclass:
        book = self.code_book_ if self.multi_class == "ecoc" else None
        return Multiclass(len(self.classes_), self.multi_class, book)

    @shares_docs()
    def tunable_problem(self, X: Any, y: Any) -> KernelSearch | CellSearch:
        """The machine and its training rows as `mercer.tune` sees them.

        Parameters
        ----------
        {X}
        {y_class}

        Returns
        -------
        {problem}
        """
        return self._search_problem(self._read(X, y, None, None))

    def _search_problem(self, data: TrainingRows) -> KernelSearch | CellSearch:
        reader = ClassDecisions(
            self.classes_, data.target, self._multiclass, self.break_ties, self.decision_function_shape,
            self._calibration or "sigmoid",
        )  # fmt: skip
        found = kernel_search(self, data, reader)
        return CellSearch(found, self.rank, self._fold_seed) if self.approximation == "cells" else found

    @property
    def _calibration(self) -> Method | None:
        """How decisions become probabilities, or None."""
        if self.probability in (False, "deprecated"):
            return None
        return "isotonic" if self.probability == "isotonic" else "sigmoid"

    @property
    def _fold_seed(self) -> int:
        return 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31 - 1))

    def _warn_of_deprecated_values(self) -> None:
        """As scikit-learn warns of True and False; a class that replaces its own is silent about nothing it says."""
        if isinstance(self.probability, bool | np.bool_):
            instead = "give probability='sigmoid', which stays here" if self.probability else "leave it out"
            warnings.warn(
                f"The `probability` parameter was deprecated in scikit-learn 1.9 with its values True and False, and "
                f"goes there in version 1.11: {instead}, or use CalibratedClassifierCV("
                f"{type(self).__name__}(), ensemble=False).",
                FutureWarning,
                stacklevel=4,
            )

    def _keep(self, data: TrainingRows, problems: Sequence[Problem], found: Training) -> None:
        """Set what the model is made of: support vectors sorted by class, or a basis; coefficients, margins."""
        trained = found.trained
        self._keep_outcome([t.solution for t in trained])
        if found.basis is not None:
            keep_basis(self, data, found.basis, trained)
        else:
            pairs = [(p.kernel_rows, t.coef) for p, t in zip(problems, trained, strict=True)]
            coef = self._multiclass.dual_coef(pairs, data.target)
            used = np.flatnonzero(coef.any(axis=0))
            support = used[np.argsort(data.target[used], kind="stable")]
            self._keep_support(data, support, coef[:, support], [t.bias for t in trained])
        self._n_support = self._class_sizes(data, self.support_)
        bounded = [p.kernel_rows[p.at_bound(t.solution.beta)] for p, t in zip(problems, trained, strict=True)]
        self.n_bounded_ = len(np.unique(np.concatenate(bounded)))
        self.margin_ = np.array([_margin(p, t) for p, t in zip(problems, trained, strict=True)])

    @property
    def coef_(self) -> Any:
        """Weights of the columns, one row per binary problem, for a linear kernel."""
        check_is_fitted(self)
        coef = self._coef_rows if self._by_problem else self._multiclass.problem_coef(self._coef_rows, self.n_support_)
        return self._linear_coef(coef)

    @property
    def probA_(self) -> Floats:
        """A in P = 1 / (1 + exp(A d + B)), the probability of the first class of each pair at LIBSVM's decision d."""
        return self._platt("probA_")[:, 0]

    @property
    def probB_(self) -> Floats:
        """B in the same."""
        return self._platt("probB_")[:, 1]

    def _platt(self, name: str) -> Floats:
        """(A, B) of each problem; LIBSVM's decision between two classes is the negative of ours."""
        check_is_fitted(self)
        warnings.warn(
            f"Attribute `{name}` was deprecated in scikit-learn 1.9 and goes there in 1.11: read calibrators_.",
            FutureWarning,
            stacklevel=3,
        )
        curves = [c for c in getattr(self, "calibrators_", ()) if c.knots is None]
        return np.array([[-c.slope, -self._libsvm_sign * c.offset] for c in curves]).reshape(-1, 2)

    @property
    def _libsvm_sign(self) -> float:
        return -1.0 if len(self.classes_) == 2 else 1.0

    def _decisions(self, table: Table) -> Floats:
        """The decision of every binary problem, (n_rows, n_problems)."""
        if self._by_problem:
            return super()._decisions(table)
        multiclass, dual_coef = self._multiclass, self._coef_rows
        if self.n_support_.sum() != len(self.support_):
            raise MercerError(
                f"The internal representation of {type(self).__name__} was altered: n_support_ does not sum to the "
                "number of support vectors. Fit it again."
            )
        few = len(table) * len(self.support_) * len(self.intercept_) <= _FEW
        if few or not multiclass.paired:
            coef = multiclass.problem_coef(dual_coef, self.n_support_)
            return self._products(table, coef.T) + self.intercept_
        ends = np.concatenate([[0], np.cumsum(self.n_support_)])
        parts = [slice(ends[c], ends[c + 1]) for c in range(len(self.classes_))]
        sums = [self._products(table, dual_coef[:, part].T, part) for part in parts]  # over one class's vectors
        return np.column_stack([sums[i][:, j - 1] + sums[j][:, i] for i, j in multiclass.pairs]) + self.intercept_

    @shares_docs()
    def decision_function(self, X: Any) -> Floats:
        """Side of the plane and distance from it.

        Parameters
        ----------
        {X}

        Returns
        -------
        decisions : ndarray of shape (n_rows,), (n_rows, n_classes) or (n_rows, n_pairs)
            One number a row for two classes, else a column per class or per pair, as `decision_function_shape` says.
        """
        decisions = self._decisions(self._predict_table(X))
        return self._multiclass.decision_function(decisions, self.decision_function_shape)

    @shares_docs()
    def predict(self, X: Any) -> NDArray[Any]:
        """The class on whose side each row lies; of several, the one that wins most pairs.

        With probability="sigmoid" or "isotonic", where all decisions of cross-validation are on one side, as with a
        very small C, the more probable of two classes.

        Parameters
        ----------
        {X}

        Returns
        -------
        {classes}
        """
        if self.break_ties and self.decision_function_shape == "ovo":
            raise MercerError("break_ties must be False when decision_function_shape is 'ovo'")
        decisions, curves = self._decisions(self._predict_table(X)), getattr(self, "calibrators_", ())
        labels: NDArray[Any] = self.classes_[self._multiclass.class_codes(decisions, self.break_ties, curves)]
        return labels

    @available_if(_calibrates)
    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class; the largest is always that of the class predicted.

        Decisions become probabilities by curves fitted to cross-validated decisions. Where a curve and the decision
        disagree on the side, both classes get the same probability; of two classes, where all those decisions are on
        one side, the curve decides.

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        calibrators = fitted_calibrators(self)
        decisions = self._decisions(self._predict_table(X))
        return self._multiclass.calibrated(decisions, calibrators, self.break_ties)

    @available_if(_calibrates)
    @shares_docs()
    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithm of `predict_proba`.

        Parameters
        ----------
        {X}

        Returns
        -------
        log_probabilities : ndarray of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def _fitted_state(self) -> State:
        own = {"classes": labels_state(self.classes_), "n_support": self.n_support_}
        calibrators = {"calibrators": [c.to_state() for c in self.calibrators_]} if self._calibration else {}
        book = {"code_book": self.code_book_} if self.multi_class == "ecoc" else {}
        return super()._fitted_state() | own | calibrators | book | tuning_state(self)

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = two_classes_from_state(state)
        if self.multi_class == "ecoc":
            self.code_book_ = code_book_from_state(state, len(self.classes_))
        multiclass = self._multiclass
        self._restore_support(state, multiclass.n_coef, multiclass.n_problems)
        self._n_support = state.array("n_support", "int32", (len(self.classes_),), low=0)
        if self.n_support_.sum() != len(self.support_):
            raise BadFile(f"{state.where}.n_support does not fit the support.")
        restore_parameters(self, state)
        if self._calibration is not None:
            self.calibrators_ = calibrators_from_state(state, multiclass.n_problems)


def _margin(problem: Problem, trained: Trained) -> float:
    """2 / |w|."""
    solution = trained.solution
    scale = float(np.abs(trained.coef).sum()) / max(float(np.abs(solution.beta).sum()), 1e-300)
    square = scale * scale * float(solution.beta @ solution.f[problem.kernel_rows])
    return 2 / float(np.sqrt(square)) if square > 0 else np.inf

"""Linear support vector classification for many rows: no kernel matrix, one pass over the rows after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model._base import SparseCoefMixin

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadParameter
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.labels import labels_state
from mercer.estimators.common.weights.class_weight import CLASS_WEIGHT, ClassWeight, class_factors
from mercer.estimators.common.weights.sample_weight import row_counts
from mercer.estimators.multiclass.state import two_classes_from_state
from mercer.estimators.multiclass.strategy import expect_two_classes
from mercer.estimators.svm.formulations import ClassLoss, squared_loss_cost
from mercer.estimators.svm.linear.machine import LINEAR_PARAMETERS, Dual, LinearMachine
from mercer.estimators.svm.linear.problems import (
    LinearAnswer,
    LinearLimits,
    LinearProblem,
    box_problem,
    crammer_singer_problem,
    lasso_problem,
)
from mercer.estimators.svm.linear.search import LinearDecisions, LinearSearch, plane_classes
from mercer.parameters import Choice, Parameters, check_parameters
from mercer.select.grid import Grid
from mercer.solvers.svm.coordinate import hinge
from mercer.state import Reader, State
from mercer.table import Table
from mercer.table.missingness import MissingIndicator

Penalty = Literal["l1", "l2"]
MultiClass = Literal["ovr", "crammer_singer"]


@shares_docs()
class LinearSVC(SparseCoefMixin, LinearMachine, TableClassifier):
    """min 1/2 (|w|^2 + b^2) + C sum_i weight_i xi_i^p, with y_i (w.x_i + b) >= 1 - xi_i; p = 1 or 2.

    penalty="l1" has |w|_1 + |b| in place of the squares: most weights become 0, and the columns that matter are left.

    For many rows, or many sparse columns: time grows with the cells, not with the square of the rows. Several classes
    are told apart each from the rest, or all at once: multi_class="crammer_singer" has min 1/2 sum_k (|w_k|^2 + b_k^2)
    + C sum_i weight_i max(0, 1 - f_i(y_i) + max_{k != y_i} f_i(k)) with f_i(k) = w_k.x_i + b_k. As in scikit-learn, the
    intercept is penalised too.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default "l2"
        Of the weights; "l1" with squared errors and no warm start.
    loss : {"squared_hinge", "hinge"}, default "squared_hinge"
        The power p of the errors, 2 or 1.
    {dual}
    {linear_tol}
    C : float or "cv", default 1.0
        Cost of a margin error, above 0 and finite; "cv" searches it by cross-validation. For a hard margin there is
        SVC(C=inf, kernel="linear").
    multi_class : {"ovr", "crammer_singer"}, default "ovr"
        A problem per class against the rest; or one of all classes, for which penalty, loss and dual are ignored: the
        penalty is that of squares, errors are not squared, and of two classes coef_ is w_1 - w_0.
    {fit_intercept}
    {intercept_scaling}
    {class_weight}
    {verbose_0}
    {linear_random_state}
    {linear_max_iter}
    {time_limit}
    {warm_start}
    {kinds}
    {linear_grid}
    {missing_indicator}

    Attributes
    ----------
    {classes_}
    coef_ : ndarray or, after `sparsify`, sparse matrix of shape (n_problems, n_encoded_columns)
        Weights of the encoded columns, named in `encoder_.names`.
    {linear_attributes}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

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

    parameters: ClassVar[Parameters] = {
        **LINEAR_PARAMETERS,
        "loss": Choice(ClassLoss),
        "penalty": Choice(Penalty),
        "multi_class": Choice(MultiClass),
        "class_weight": CLASS_WEIGHT,
    }

    def __init__(
        self,
        penalty: Penalty = "l2",
        loss: ClassLoss = "squared_hinge",
        *,
        dual: Dual = "auto",
        tol: float = 1e-4,
        C: float | Literal["cv"] = 1.0,
        multi_class: MultiClass = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: ClassWeight = None,
        verbose: int | bool = 0,
        random_state: int | np.random.RandomState | None = None,
        max_iter: int = 1000,
        time_limit: float | None = None,
        warm_start: bool = False,
        kinds: Mapping[str, Any] | None = None,
        grid: Grid | None = None,
        missing_indicator: MissingIndicator = "auto",
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.kinds = kinds
        self.grid = grid
        self.missing_indicator = missing_indicator

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the plane, or a plane per class.

        Parameters
        ----------
        {X}
        {y_class}
        {sample_weight_cost}

        Returns
        -------
        {self}
        """
        table, problem = self._read(X, y, sample_weight)
        self._train(table, problem)
        return self

    @shares_docs()
    def tunable_problem(self, X: Any, y: Any) -> LinearSearch:
        """The machine and its training rows as `mercer.tune` sees them.

        Parameters
        ----------
        {X}
        {y_class}

        Returns
        -------
        {problem}
        """
        return self._read(X, y, None)[1]

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Table, LinearSearch]:
        self._check()
        table = self._fit_table(X)
        codes = self._fit_labels(y, len(table))
        own = self._weights(sample_weight, len(table))
        weight = np.ones(len(table)) if own is None else own
        expect_two_classes(self, codes, weight)
        table = self._flag_missing(table, [codes], row_counts(own))
        factors = class_factors(self.class_weight, self.classes_, codes, weight)
        reader = LinearDecisions(self.classes_)
        return table, self._search_problem(table, codes, weight * factors[codes], own, reader)

    def _check(self) -> None:
        check_parameters(self)
        if self.multi_class == "ovr":
            self._check_combination()

    def _check_combination(self) -> None:
        """BadParameter for what LIBLINEAR has no solver for, and for a warm start of the lasso."""
        lasso, squared = self.penalty == "l1", self.loss == "squared_hinge"
        solvable = not (lasso and not squared) and self.dual != (True if lasso else None if squared else False)
        if not solvable or (lasso and self.warm_start):
            raise BadParameter(
                f"Unsupported set of arguments: penalty={self.penalty!r}, loss={self.loss!r}, dual={self.dual!r}, "
                f"warm_start={self.warm_start!r}. penalty='l1' goes with loss='squared_hinge', without dual=True and "
                "warm_start; loss='hinge' goes without dual=False."
            )

    def _formulate(self, target: NDArray[Any], cost: Floats) -> list[LinearProblem]:
        k, limits = len(self.classes_), LinearLimits.of(self)
        if self.multi_class == "crammer_singer":
            return [crammer_singer_problem(target, cost, k, limits)]
        squared = self.loss == "squared_hinge"
        cost = squared_loss_cost(cost) if squared else cost
        signs = [np.where(target == c, 1.0, -1.0) for c in ([1] if k == 2 else range(k))]
        if self.penalty == "l1":
            return [lasso_problem(y, cost, limits) for y in signs]
        return [box_problem(hinge(y, cost, squared=squared), limits) for y in signs]

    def _plane(self, answers: Sequence[LinearAnswer]) -> tuple[Floats, Floats]:
        coef, intercept = super()._plane(answers)
        if len(self.classes_) == 2 and len(coef) == 2:
            return np.diff(coef, axis=0), np.diff(intercept)
        return coef, intercept

    @shares_docs()
    def decision_function(self, X: Any) -> Floats:
        """Side of the plane and distance from it.

        Parameters
        ----------
        {X}

        Returns
        -------
        decisions : ndarray of shape (n_rows,) or (n_rows, n_classes)
            One number a row for two classes, else a column per class.
        """
        decisions = self._decisions(X)
        return decisions[:, 0] if len(self.classes_) == 2 else decisions

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
        codes = plane_classes(self._decisions(X))
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    @property
    def predict_proba(self) -> Any:
        """Not given: a plane has sides, not probabilities. SVC(kernel="linear", probability="sigmoid") has them."""
        raise AttributeError(
            "'LinearSVC' object has no attribute 'predict_proba'. SVC(kernel='linear', probability='sigmoid') has it."
        )

    def _fitted_state(self) -> State:
        return super()._fitted_state() | {"classes": labels_state(self.classes_)}

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = two_classes_from_state(state)
        self._restore_plane(state, 1 if len(self.classes_) == 2 else len(self.classes_))

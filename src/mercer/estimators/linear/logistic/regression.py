"""Logistic regression on mixed tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy import special
from sklearn.linear_model._base import SparseCoefMixin
from sklearn.utils.validation import check_is_fitted

from mercer._core import softmax_rows
from mercer.arrays import Floats, Ints
from mercer.docstrings import shares_docs
from mercer.encode.blocks import Baseline
from mercer.encode.design import Design
from mercer.errors import BadTarget
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.common.sklearn_api.callbacks import fit_steps, keep_callbacks
from mercer.estimators.common.sklearn_api.precision import is_single
from mercer.estimators.common.weights.class_weight import ClassWeight, class_weighted
from mercer.estimators.linear.coefficients import Summary
from mercer.estimators.linear.explain import ProbabilityCurve, explain_classes, probability_curve
from mercer.estimators.linear.logistic.fit import Course, LogisticFit, refuse_start, warn_of_fit
from mercer.estimators.linear.logistic.parameters import LOGISTIC_DOCS, LOGISTIC_PARAMETERS
from mercer.estimators.linear.logistic.problem import (
    PenaltyName,
    Solver,
    check_problem,
    logistic_problem,
    refuse_liblinear,
)
from mercer.estimators.linear.logistic.summary import logistic_summary
from mercer.estimators.linear.logistic.wide import fit_classes, fit_columns_of_width_1
from mercer.estimators.linear.shared import design_matrix, learn_design
from mercer.parameters import Parameters, check_parameters
from mercer.state import Reader, State
from mercer.table.table import Table

_TRACE = 1e-9  # share of all weight that a class keeps whose rows weigh nothing


@shares_docs(**LOGISTIC_DOCS)
class LogisticRegression(SparseCoefMixin, TableClassifier):
    """log P(c | x) / P(c' | x) = (a_c - a_c') + (b_c - b_c')' x; for two classes P(+ | x) = 1 / (1 + exp(-a - b'x)).

    Maximises sum_i w_i log P(y_i | x_i) - (1 / C) ((1 - l1_ratio) |b|^2 / 2 + l1_ratio |b|_1). Numbers enter as they
    are, levels as contrasts with a baseline level, words of texts as counts; missing cells as in LinearRegression.

    Parameters
    ----------
    {penalty_C_dual_tol}
    {fit_intercept}
    {intercept_scaling_liblinear}
    {class_weight}
    {random_state_unused}
    {logistic_solver}
    {verbose_0}
    {warm_start_n_jobs}
    {terms}
    {baseline}
    {logistic_scale}
    {kinds}

    Attributes
    ----------
    {classes_}
    coef_ : ndarray or CSR matrix of shape (1, n_terms) or (n_classes, n_terms)
        b of the second class against the first, or of each class when there are more; CSR after `sparsify`. In single
        precision if X was.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        a; 0 without an intercept.
    {term_names_}
    separated_ : list of str
        Terms whose coefficients would diverge (perfect separation), when C is infinite.
    aliased_ : list of str
        Terms that are combinations of others, when C is infinite.
    {baselines_}
    {filled_}
    n_iter_ : ndarray of shape (1,)
        Steps of the solver: one problem for all classes.
    n_rows_ : int
        Number of rows of positive weight.
    design_ : Design
        How rows become the design matrix.
    fit_ : LogisticFit
        Coefficients, likelihood and covariance.
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer, numpy as np
    >>> hours = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
    >>> model = mercer.LogisticRegression(C=np.inf).fit(hours, ["fail", "fail", "pass", "fail", "pass", "pass"])
    >>> model.predict_proba([[3.5]]).round(3).tolist()
    [[0.5, 0.5]]
    """

    coef_: Any  # an array, or a sparse matrix
    booleans_are_numbers = True
    parameters: ClassVar[Parameters] = LOGISTIC_PARAMETERS

    def __init__(
        self,
        penalty: PenaltyName = "deprecated",
        *,
        C: float = 1.0,
        l1_ratio: float | None = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: ClassWeight = None,
        random_state: int | np.random.RandomState | None = None,
        solver: Solver = "lbfgs",
        max_iter: int = 100,
        verbose: int | bool = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
        terms: Sequence[str] | None = None,
        baseline: Baseline = "first",
        scale: bool = False,
        kinds: Mapping[str, Any] | None = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.terms = terms
        self.baseline = baseline
        self.scale = scale
        self.kinds = kinds

    @shares_docs()
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Maximise the penalised likelihood.

        Parameters
        ----------
        {X}
        {y_class}
        sample_weight : array-like of shape (n_rows,) or None, default None
            Weight of each row in the likelihood, at least 0; None weighs all alike. A row of weight 2 is two rows, also
            in standard errors, and a factor on all weights is one on C, as in scikit-learn.

        Returns
        -------
        {self}
        """
        check_parameters(self)
        check_problem(self, X)
        earlier = self._coefficients if self.warm_start and hasattr(self, "coef_") else None
        table, codes, weight = self._rows(X, y, sample_weight)
        self._set_design(learn_design(self, table, weight))
        matrix, k = design_matrix(self, table), len(self.classes_)
        refuse_liblinear(self.solver, matrix, k)
        refuse_start(earlier, k, matrix.shape[1])
        weight = class_weighted(self.class_weight, self.classes_, codes, weight)
        fit = fit_columns_of_width_1 if self.scale else fit_classes
        with fit_steps(self, X, y, self.max_iter) as tell:
            found = fit(matrix, codes, weight, k, logistic_problem(self), Course(earlier, tell))
            self._set_fit(found, is_single(X) and self.solver != "liblinear")
        self.n_rows_ = len(table)
        warn_of_fit(found, self.solver, self.tol, self.design_.names)
        return self

    @shares_docs()
    def set_callbacks(self, *callbacks: Any) -> Self:
        """Set scikit-learn's callbacks, such as its ProgressBar, which are told of every step of `fit`.

        Parameters
        ----------
        *callbacks : FitCallback
            Objects of scikit-learn's protocol of callbacks; none of them takes earlier ones away.

        Returns
        -------
        {self}

        Raises
        ------
        BadEnvironment
            Before version 1.9, scikit-learn has no callbacks.
        """
        keep_callbacks(self, callbacks)
        return self

    def _rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[Table, Ints, Floats | None]:
        """The training rows of positive weight, their class codes and weights; BadTarget for a single class.

        A class whose rows all weigh 0 keeps a trace of weight, as an ensemble that draws rows by weights needs it: its
        probability is next to 0, where without a row of it the maximum would be an infinite intercept.
        """
        table = self._fit_table(X)
        weight = self._weights(sample_weight, len(table))
        codes = self._fit_labels(y, len(table))
        if weight is not None and not weight.all():
            mass = np.bincount(codes, weight, len(self.classes_))
            weight = np.where(mass[codes] > 0, weight, _TRACE * mass.sum() / np.bincount(codes)[codes])
            kept = weight > 0
            table, codes, weight = table.take(kept), codes[kept], weight[kept]
        if len(self.classes_) < 2:
            notice = "This solver needs samples of at least 2 classes in the data, but the data contains only one class"
            raise BadTarget(f"{notice}: {self.classes_.tolist()[0]!r}. Use MajorityClass.")
        return table, codes, weight

    def _set_design(self, design: Design) -> None:
        self.design_ = design
        self.baselines_, self.filled_ = design.baselines, design.filled

    def _set_fit(self, fit: LogisticFit, single: bool) -> None:
        dtype = np.float32 if single else np.float64
        self.fit_, self.coef_, self.intercept_ = fit, fit.coef.astype(dtype), fit.intercept.astype(dtype)
        self.n_iter_ = np.array([fit.n_iter], dtype=np.int32)
        self.separated_ = [self.design_.names[j] for j in fit.separating]
        self.aliased_ = [self.design_.names[j] for j in np.flatnonzero(fit.aliased).tolist()]

    @property
    def _coefficients(self) -> tuple[Floats, Floats]:
        """`coef_` and `intercept_` as they stand, dense and in double precision."""
        coef = self.coef_.toarray() if sp.issparse(self.coef_) else self.coef_
        return np.asarray(coef, dtype=np.float64), np.asarray(self.intercept_, dtype=np.float64)

    @property
    def term_names_(self) -> list[str]:
        """The term that each column of `coef_` belongs to."""
        return list(self.design_.names)

    @shares_docs()
    def decision_function(self, X: Any) -> Floats:
        """Log odds of the second class; with more classes, a score each.

        Parameters
        ----------
        {X}

        Returns
        -------
        scores : ndarray of shape (n_rows,) or (n_rows, n_classes)
            Differences of two scores are log odds.
        """
        table = self._predict_table(X)
        scores = design_matrix(self, table) @ self.coef_.astype(np.float64, copy=False).T
        scores = (scores.toarray() if sp.issparse(scores) else np.asarray(scores)) + self.intercept_
        single = self.coef_.dtype == np.float32 and is_single(X)
        scores = scores.astype(np.float32 if single else np.float64, copy=False)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    @shares_docs()
    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; the first of `classes_` on a tie.

        Parameters
        ----------
        {X}

        Returns
        -------
        {classes}
        """
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[best])

    @shares_docs()
    def predict_proba(self, X: Any) -> Floats:
        """P(c | x) of each row and class.

        Parameters
        ----------
        {X}

        Returns
        -------
        {probabilities}
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([special.expit(-scores), special.expit(scores)])
        found = np.ascontiguousarray(scores, dtype=np.float64)
        softmax_rows(found, self._jobs)
        return found.astype(scores.dtype, copy=False)

    @shares_docs()
    def predict_log_proba(self, X: Any) -> Floats:
        """log P(c | x) of each row and class, also where P(c | x) is 0 as a double.

        Parameters
        ----------
        {X}

        Returns
        -------
        log_probabilities : ndarray of shape (n_rows, n_classes)
            Columns in the order of `classes_`.
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([special.log_expit(-scores), special.log_expit(scores)])
        return np.asarray(special.log_softmax(scores, axis=1))

    @shares_docs()
    def explain(self, X: Any) -> Explanation:
        """What each column adds to the log odds of each row, compared with an average row.

        Parameters
        ----------
        {X}

        Returns
        -------
        explanation : Explanation
            Of the second class against the first, or of the most probable against the runner-up.
        """
        table = self._predict_table(X)
        scores, mean = self.decision_function(table), self.fit_.mean
        return explain_classes(self.design_, table, self._coefficients, mean, scores, self.classes_)

    def _explain_columns(self, X: Any) -> Explanation | None:
        """What each column adds to the score: exact."""
        return self.explain(X)

    @shares_docs()
    def curve(self, column: str, X: Any, points: int = 100) -> ProbabilityCurve:
        """The probability of each class along one column, averaged over the other columns as they are in X.

        Parameters
        ----------
        column : str
            The column that varies.
        {X}
        points : int, default 100
            How many numbers from its least to its largest; of a categorical column, every level is taken.

        Returns
        -------
        curve : ProbabilityCurve
            The values and the probabilities there, over at most 1000 rows.
        """
        return probability_curve(self.predict_proba, self._predict_table(X), column, points, self.classes_)

    @shares_docs()
    def summary(self, level: float = 0.95) -> Summary:
        """Coefficients with standard errors, Wald's z, p, stars and odds ratios; likelihood-ratio test, AIC.

        With more than two classes there is a table for each but the first, of contrasts with it.

        Parameters
        ----------
        {level}

        Returns
        -------
        summary : Summary
            A text in a terminal, a table in a notebook.
        """
        check_is_fitted(self)
        problem = logistic_problem(self)
        return logistic_summary(self.fit_, problem, self.design_, self.classes_, level=level, n_rows=self.n_rows_)

    def _fitted_state(self) -> State:
        return {
            "classes": labels_state(self.classes_), "design": self.design_.to_state(), "rows": self.n_rows_,
            "fit": self.fit_.to_state(), "single": self.coef_.dtype == np.float32,
        }  # fmt: skip

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = labels_from_state(state.child("classes"))
        if len(self.classes_) < 2:
            raise state.refuse("classes", "two classes or more")
        self._set_design(Design.from_state(state.child("design"), self.schema_))
        fit = LogisticFit.from_state(state.child("fit"), len(self.classes_), len(self.design_.names))
        self._set_fit(fit, state.flag("single"))
        self.n_rows_ = state.integer("rows")

"""Logistic regression on mixed tables."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.utils.validation import check_is_fitted

from mercer._core import softmax_rows
from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.encode.blocks import Baseline
from mercer.encode.design import Design
from mercer.errors import BadTarget, MercerError, MercerWarning
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.class_weight import CLASS_WEIGHT, ClassWeight, class_weighted
from mercer.estimators.common.explanation import Explanation
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.common.text_table import shown_cells
from mercer.estimators.linear.coefficients import Summary
from mercer.estimators.linear.explain import ProbabilityCurve, by_column, curve_values, with_value
from mercer.estimators.linear.logistic_fit import (
    SEPARATION_RIDGE,
    LogisticFit,
    LogisticProblem,
    Solver,
    fit_logistic,
)
from mercer.estimators.linear.summary import logistic_summary
from mercer.estimators.linear.wide_logistic import fit_wide, is_wide
from mercer.parameters import Choice, Dictionary, Flag, Number, Parameters, Texts, check_parameters
from mercer.state import Reader, State

_MAX_CURVE_ROWS = 1000  # that a curve averages over


@shares_docs()
class LogisticRegression(TableClassifier):
    """log P(c | x) / P(c' | x) = (a_c - a_c') + (b_c - b_c')' x; for two classes P(+ | x) = 1 / (1 + exp(-a - b'x)).

    Maximises sum_i w_i log P(y_i | x_i) - (1 / C) ((1 - l1_ratio) |b|^2 / 2 + l1_ratio |b|_1). Numbers enter as they
    are, levels as contrasts with a baseline level, words of texts as counts; missing cells as in LinearRegression.

    Parameters
    ----------
    C : float, default 1.0
        Above 0, as scikit-learn's: the smaller, the stronger the penalty; np.inf for plain maximum likelihood.
    l1_ratio : float, default 0.0
        From 0 (ridge) to 1 (lasso: many coefficients exactly 0).
    solver : {"auto", "newton", "lbfgs", "proximal"}, default "auto"
        "newton" (iteratively reweighted least squares; proximal with a lasso), "lbfgs", "proximal" (gradients alone,
        with a lasso), or "auto": newton unless classes times columns are too many. Above 1500 columns no solver but
        "newton" forms columns times columns, a sparse X stays sparse, and there are no standard errors.
    {fit_intercept}
    {class_weight}
    {terms}
    {baseline}
    tol : float, default 1e-4
        Stop when the gradient per row, in z-scores, is below it.
    max_iter : int, default 100
        Newton steps at most; ten times as many of the others.
    {kinds}

    Attributes
    ----------
    {classes_}
    coef_ : ndarray of shape (1, n_terms) or (n_classes, n_terms)
        b of the second class against the first, or of each class when there are more.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        a.
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

    parameters: ClassVar[Parameters] = {
        "C": Number(0.0, np.inf, above=True),
        "l1_ratio": Number(0.0, 1.0),
        "solver": Choice(Solver),
        "fit_intercept": Flag(),
        "class_weight": CLASS_WEIGHT,
        "terms": Texts(optional=True),
        "baseline": Choice(Baseline),
        "tol": Number(0.0, 1.0, above=True, below=True),
        "max_iter": Number(1, whole=True),
        "kinds": Dictionary(),
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        l1_ratio: float = 0.0,
        solver: Solver = "auto",
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        terms: Sequence[str] | None = None,
        baseline: Baseline = "first",
        tol: float = 1e-4,
        max_iter: int = 100,
        kinds: Mapping[str, Any] | None = None,
    ) -> None:
        self.C = C
        self.l1_ratio = l1_ratio
        self.solver = solver
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.terms = terms
        self.baseline = baseline
        self.tol = tol
        self.max_iter = max_iter
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
        if self.l1_ratio > 0 and self.solver == "lbfgs":
            raise MercerError("solver='lbfgs' has no lasso: use 'newton' or 'proximal', or l1_ratio=0.")
        table = self._fit_table(X)
        weight = self._weights(sample_weight, len(table))
        codes = self._fit_labels(y, len(table))
        if weight is not None and not weight.all():
            kept = weight > 0
            codes = self._fit_labels(np.asarray(y)[kept], int(kept.sum()))
            table, weight = table.take(kept), weight[kept]
        if len(self.classes_) < 2:
            raise BadTarget(
                f"The target has only one class, '{self.classes_[0]}'; classification needs two. Use MajorityClass."
            )
        self._set_design(Design.learn(table, weight, self.terms or (), self.baseline))
        weight = class_weighted(self.class_weight, self.classes_, codes, weight)
        matrix, k = self.design_.matrix(table), len(self.classes_)
        fit = fit_wide if is_wide(matrix, k, self._problem) else fit_logistic
        self._set_fit(fit(matrix, codes, weight, k, self._problem))
        self.n_rows_ = len(table)
        self._warn()
        return self

    @property
    def _problem(self) -> LogisticProblem:
        return LogisticProblem(
            float(self.C), float(self.l1_ratio), self.solver, bool(self.fit_intercept), self.tol, self.max_iter
        )

    def _set_design(self, design: Design) -> None:
        self.design_ = design
        self.baselines_, self.filled_ = design.baselines, design.filled

    def _set_fit(self, fit: LogisticFit) -> None:
        self.fit_, self.coef_, self.intercept_ = fit, fit.coef, fit.intercept
        self.n_iter_ = np.array([fit.n_iter], dtype=np.int32)
        self.separated_ = [self.design_.names[j] for j in fit.separating]
        self.aliased_ = [self.design_.names[j] for j in np.flatnonzero(fit.aliased).tolist()]

    @property
    def term_names_(self) -> list[str]:
        """The term that each column of `coef_` belongs to."""
        return list(self.design_.names)

    def _warn(self) -> None:
        """Say which coefficients diverge and which are not identified."""
        if self.separated_:
            warnings.warn(
                f"The classes are separated by {', '.join(map(repr, self.separated_))}: without a penalty the "
                f"coefficients diverge. The answer given has a ridge penalty of {SEPARATION_RIDGE:g} on z-scores; "
                "set C to choose your own.", MercerWarning, stacklevel=3,
            )  # fmt: skip
        if self.aliased_:
            shown = ", ".join(map(repr, self.aliased_[:3])) + (" and more" if len(self.aliased_) > 3 else "")
            notice = f"{len(self.aliased_)} terms are combinations of earlier ones, coefficient 0: {shown}."
            warnings.warn(notice, MercerWarning, stacklevel=3)

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
        scores = np.asarray(self.design_.matrix(table) @ self.coef_.T, dtype=np.float64) + self.intercept_
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
        labels: NDArray[Any] = self.classes_[best]
        return labels

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
        scores = np.ascontiguousarray(scores)
        softmax_rows(scores, self._jobs)
        return scores

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
        n, mean = len(table), self.fit_.mean
        if len(self.classes_) == 2:
            chosen, other = np.ones(n, dtype=np.intp), np.zeros(n, dtype=np.intp)
            coef, a = np.tile(self.coef_[0], (n, 1)), np.full(n, self.intercept_[0])
        else:
            order = np.argsort(-self.decision_function(table), axis=1, kind="stable")
            chosen, other = order[:, 0], order[:, 1]
            coef, a = self.coef_[chosen] - self.coef_[other], self.intercept_[chosen] - self.intercept_[other]
        names, values = by_column(self.design_, table, coef, mean)
        base = a + coef @ mean
        return Explanation(names, values, base, self.classes_[chosen], self.classes_[other], shown_cells(table, names))

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
        table = self._predict_table(X)
        if len(table) > _MAX_CURVE_ROWS:
            table = table.take(np.linspace(0, len(table) - 1, _MAX_CURVE_ROWS).astype(np.intp))
        values = curve_values(table, column, points)
        means = [self.predict_proba(with_value(table, column, v)).mean(axis=0) for v in values]
        return ProbabilityCurve(column, values, [str(c) for c in self.classes_], np.array(means))

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
        return logistic_summary(
            self.fit_, self._problem, self.design_, self.classes_, level=level, n_rows=self.n_rows_
        )  # fmt: skip

    def _fitted_state(self) -> State:
        return {
            "classes": labels_state(self.classes_), "design": self.design_.to_state(), "rows": self.n_rows_,
            "fit": self.fit_.to_state(),
        }  # fmt: skip

    def _restore_fitted(self, state: Reader) -> None:
        self.classes_ = labels_from_state(state.child("classes"))
        if len(self.classes_) < 2:
            raise state.refuse("classes", "two classes or more")
        self._set_design(Design.from_state(state.child("design"), self.schema_))
        self._set_fit(LogisticFit.from_state(state.child("fit"), len(self.classes_), len(self.design_.names)))
        self.n_rows_ = state.integer("rows")

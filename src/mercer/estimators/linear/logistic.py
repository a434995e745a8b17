"""Logistic regression on mixed tables."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.utils.validation import check_is_fitted

from mercer._core import softmax_rows
from mercer.arrays import Floats
from mercer.encode.blocks import Baseline
from mercer.encode.design import Design
from mercer.errors import BadTarget, MercerError, MercerWarning
from mercer.estimators.common.base import TableClassifier
from mercer.estimators.common.class_weight import ClassWeight, class_weighted
from mercer.estimators.common.explanation import Explanation
from mercer.estimators.common.labels import labels_from_state, labels_state
from mercer.estimators.common.text_table import shown_cells
from mercer.estimators.linear.coefficients import Coefficients, Summary, column_notes
from mercer.estimators.linear.explain import by_column
from mercer.estimators.linear.logistic_curve import Curve, candidates, with_value
from mercer.estimators.linear.logistic_fit import MILD, SOLVERS, LogisticFit, Options, fit_logistic
from mercer.state import Reader, State

_MOST_ROWS = 1000  # of those that a curve averages over


class LogisticRegression(TableClassifier):
    """log P(c | x) / P(c' | x) = (a_c - a_c') + (b_c - b_c')' x; for two classes P(+ | x) = 1 / (1 + exp(-a - b'x)).

    Maximises sum_i w_i log P(y_i | x_i) - (1 / C) ((1 - l1_ratio) |b|^2 / 2 + l1_ratio |b|_1). Numbers enter as they
    are, levels as contrasts with a baseline level, words of texts as counts; missing cells as in LinearRegression.

    Parameters
    ----------
    C : above 0, as scikit-learn's: the smaller, the stronger the penalty; np.inf for plain maximum likelihood
    l1_ratio : 0 (ridge) to 1 (lasso: many coefficients exactly 0)
    solver : "newton" (iteratively reweighted least squares; proximal with a lasso), "lbfgs", "proximal" (gradients
        alone, with a lasso), or "auto": newton unless classes times columns are too many
    fit_intercept : whether there is an a
    class_weight : None, "balanced", or class -> weight
    terms : further columns: "age^2", "log(age)" (log1p, sqrt, exp), "age*job"
    baseline : "first" level of each column, or the most "common" one
    tol : stop when the slope per row, in z-scores, is below it
    max_iter : Newton steps at most; ten times as many of the others
    kinds : column -> kind, overriding what is inferred from a data frame

    Attributes
    ----------
    coef_, intercept_ : (1, n_terms) and (1,) for two classes, otherwise a row for each class
    separated_ : terms whose coefficients would grow without end (perfect separation), when C is infinite
    term_names_, baselines_, filled_ : as in LinearRegression

    Examples
    --------
    >>> import mercer, numpy as np
    >>> hours = np.array([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]])
    >>> model = mercer.LogisticRegression(C=np.inf).fit(hours, ["fail", "fail", "pass", "fail", "pass", "pass"])
    >>> model.predict_proba([[3.5]]).round(3).tolist()
    [[0.5, 0.5]]
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        l1_ratio: float = 0.0,
        solver: str = "auto",
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table X and labels y."""
        options = self._options()
        table = self._fit_table(X)
        weight = self._weights(sample_weight, len(table))
        if weight is not None and not weight.all():
            self._fit_labels(y, len(table))
            y = np.asarray(y)[weight > 0]
            table, weight = table.take(weight > 0), weight[weight > 0]
        codes = self._fit_labels(y, len(table))
        if len(self.classes_) < 2:
            raise BadTarget(
                f"The target has only one class, '{self.classes_[0]}'; classification needs two. Use MajorityClass."
            )
        self.design_ = Design.learn(table, weight, self.terms or (), self.baseline)
        weight = class_weighted(self.class_weight, self.classes_, codes, weight)
        self.fit_ = fit_logistic(self.design_.matrix(table), codes, weight, len(self.classes_), options)
        self.coef_, self.intercept_, self.n_iter_ = self.fit_.coef, self.fit_.intercept, self.fit_.steps
        self.n_rows_ = len(table)
        self._tell()
        return self

    def _options(self) -> Options:
        for name, allowed in (("solver", SOLVERS), ("baseline", ("first", "common"))):
            if getattr(self, name) not in allowed:
                raise MercerError(f"{name}={getattr(self, name)!r}: one of {', '.join(allowed)}.")
        if not self.C > 0:
            raise MercerError(f"C={self.C}: a number above 0, np.inf for no penalty.")
        if not 0 <= self.l1_ratio <= 1:
            raise MercerError(f"l1_ratio={self.l1_ratio}: a number from 0 to 1.")
        if self.l1_ratio > 0 and self.solver == "lbfgs":
            raise MercerError("solver='lbfgs' has no lasso: use 'newton' or 'proximal', or l1_ratio=0.")
        if not 0 < self.tol < 1 or self.max_iter < 1:
            raise MercerError(f"tol={self.tol} must be between 0 and 1, max_iter={self.max_iter} at least 1.")
        return Options(
            float(self.C), float(self.l1_ratio), self.solver, bool(self.fit_intercept), self.tol, self.max_iter
        )

    @property
    def separated_(self) -> list[str]:
        """Terms whose coefficients would grow without end, since they separate the classes."""
        return [self.term_names_[j] for j in self.fit_.separating]

    @property
    def aliased_(self) -> list[str]:
        """Terms that are combinations of others (told only without a penalty)."""
        return [self.term_names_[int(j)] for j in np.flatnonzero(self.fit_.aliased)]

    def _tell(self) -> None:
        if self.separated_:
            warnings.warn(
                f"The classes are separated by {', '.join(map(repr, self.separated_))}: without a penalty the "
                f"coefficients grow without end. The answer given has a ridge penalty of {MILD:g} on z-scores; "
                "set C to choose your own.", MercerWarning, stacklevel=3,
            )  # fmt: skip
        if self.aliased_:
            shown = ", ".join(map(repr, self.aliased_[:3])) + (" and more" if len(self.aliased_) > 3 else "")
            notice = f"{len(self.aliased_)} terms are combinations of earlier ones, coefficient 0: {shown}."
            warnings.warn(notice, MercerWarning, stacklevel=3)

    @property
    def term_names_(self) -> list[str]:
        """What each column of `coef_` belongs to."""
        return self.design_.names

    @property
    def baselines_(self) -> dict[str, str]:
        """The level that each coded column's coefficients are contrasts with."""
        return self.design_.baselines

    @property
    def filled_(self) -> dict[str, str]:
        """What stands for the missing cells of the columns that had some."""
        return self.design_.filled

    def decision_function(self, X: Any) -> Floats:
        """Log odds of the second class, (n_rows,); with more classes, one column of scores each."""
        table = self._predict_table(X)
        scores = np.asarray(self.design_.matrix(table) @ self.coef_.T, dtype=np.float64) + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row; the first of `classes_` on a tie."""
        scores = self.decision_function(X)
        best = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """P(c | x), (n_rows, n_classes)."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([special.expit(-scores), special.expit(scores)])
        scores = np.ascontiguousarray(scores)
        softmax_rows(scores, self._jobs)
        return scores

    def predict_log_proba(self, X: Any) -> Floats:
        """log P(c | x), (n_rows, n_classes)."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([special.log_expit(-scores), special.log_expit(scores)])
        return np.asarray(special.log_softmax(scores, axis=1))

    def explain(self, X: Any) -> Explanation:
        """What each column adds to the log odds of each row, compared with an average row."""
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

    def curve(self, column: str, X: Any, points: int = 100) -> Curve:
        """The probability of each class along one column, averaged over the other columns as they are in X."""
        table = self._predict_table(X)
        if len(table) > _MOST_ROWS:
            table = table.take(np.linspace(0, len(table) - 1, _MOST_ROWS).astype(np.intp))
        values = candidates(table, column, points)
        chances = [self.predict_proba(with_value(table, column, v)).mean(axis=0) for v in values]
        return Curve(column, values, [str(c) for c in self.classes_], np.array(chances))

    def summary(self, level: float = 0.95) -> Summary:
        """Coefficients with standard errors, Wald's z, p, stars and odds ratios; likelihood-ratio test, AIC.

        With more than two classes there is a table for each but the first, of contrasts with it. level : of the
        confidence intervals
        """
        check_is_fitted(self)
        if not 0 < level < 1:
            raise MercerError(f"level={level}: a number between 0 and 1.")
        start = 0 if self.fit_intercept else 1
        names = ["(Intercept)", *self.term_names_][start:]
        slopes, first = self._contrasts()
        estimates = np.column_stack([first, slopes])
        errors = self._errors(estimates.shape)
        gone = np.append(False, self.fit_.aliased)
        estimates[:, gone], errors[:, gone] = np.nan, np.nan
        tables = {
            f"{label} against {self.classes_[0]}": Coefficients(
                names, estimates[k, start:], errors[k, start:], level=level, ratios=True
            )
            for k, label in enumerate(self.classes_[1:])
        }
        title = f"Logistic regression, {self.n_rows_:,} rows"
        return Summary(title, tables, self._figures(), notes=tuple(self._notes()))

    def _contrasts(self) -> tuple[Floats, Floats]:
        if len(self.classes_) == 2:
            return self.coef_.copy(), self.intercept_.copy()
        return self.coef_[1:] - self.coef_[0], self.intercept_[1:] - self.intercept_[0]

    def _errors(self, shape: tuple[int, ...]) -> Floats:
        if self.fit_.covariance is None:
            return np.full(shape, np.nan)
        return np.asarray(np.sqrt(np.maximum(np.diag(self.fit_.covariance), 0.0)).reshape(shape))

    def _figures(self) -> dict[str, float]:
        fit, k = self.fit_, len(self.classes_) - 1
        slopes = k * int((~fit.aliased).sum())
        ratio = 2 * (fit.log_likelihood - fit.null_log_likelihood)
        parameters = slopes + k * int(self.fit_intercept)
        return {
            "log likelihood": fit.log_likelihood,
            "without columns": fit.null_log_likelihood,
            "likelihood ratio": ratio,
            "degrees of freedom": float(slopes),
            "p of the ratio": float(special.chdtrc(slopes, max(ratio, 0.0))) if slopes else np.nan,
            "pseudo R^2": 1 - fit.log_likelihood / fit.null_log_likelihood if fit.null_log_likelihood else np.nan,
            "AIC": -2 * fit.log_likelihood + 2 * parameters,
            "BIC": float(-2 * fit.log_likelihood + np.log(self.n_rows_) * parameters),
        }

    def _notes(self) -> list[str]:
        notes = column_notes(self.baselines_, self.filled_)
        if np.isfinite(self.C):
            notes.append(f"Penalty C = {self.C:g}: estimates are drawn to 0, tests are approximate.")
        if self.separated_:
            notes.append(
                f"Separated by {', '.join(self.separated_)}: a ridge penalty of {MILD:g} on z-scores was added."
            )
        elif self.fit_.covariance is None:
            notes.append("No standard errors: too many coefficients, or directions without curvature.")
        if self.aliased_:
            notes.append(f"Aliased: {', '.join(self.aliased_)}.")
        return notes

    def to_state(self) -> State:
        check_is_fitted(self)
        fit = self.fit_
        state: State = {
            "input": self._input_state(), "design": self.design_.to_state(), "classes": labels_state(self.classes_),
            "penalty": 1 / float(self.C), "fit_intercept": bool(self.fit_intercept), "rows": self.n_rows_,
            "coef": fit.coef, "intercept": fit.intercept, "mean": fit.mean,
            "log_likelihood": fit.log_likelihood, "null_log_likelihood": fit.null_log_likelihood, "steps": fit.steps,
            "aliased": fit.aliased.astype(np.uint8), "separating": np.array(fit.separating, dtype=np.int64),
        }  # fmt: skip
        return state if fit.covariance is None else state | {"covariance": fit.covariance}

    @classmethod
    def from_state(cls, state: Reader) -> Self:
        penalty = state.number("penalty", 0.0, np.finfo(float).max)
        model = cls(1 / penalty if penalty else np.inf, fit_intercept=state.flag("fit_intercept"))
        model._restore_input(state.child("input"))
        model.classes_ = labels_from_state(state.child("classes"))
        model.design_ = Design.from_state(state.child("design"), model.schema_)
        model.terms = list(model.design_.terms) or None
        k, d = len(model.classes_), len(model.design_.names)
        if k < 2:
            raise state.refuse("classes", "two classes or more")
        rows, width = (1 if k == 2 else k), (k - 1) * (d + 1)
        separating = state.array("separating", "int64", (None,), low=0, high=d - 1)
        model.fit_ = LogisticFit(
            state.array("coef", "float64", (rows, d)), state.array("intercept", "float64", (rows,)),
            state.array("mean", "float64", (d,)), state.number("log_likelihood"), state.number("null_log_likelihood"),
            state.integer("steps"), state.array("aliased", "uint8", (d,), high=1).astype(bool),
            tuple(separating.tolist()),
            state.array("covariance", "float64", (width, width)) if state.has("covariance") else None,
        )  # fmt: skip
        model.coef_, model.intercept_, model.n_iter_ = model.fit_.coef, model.fit_.intercept, model.fit_.steps
        model.n_rows_ = state.integer("rows")
        state.finish()
        return model

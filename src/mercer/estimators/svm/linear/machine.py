"""What linear machines share: rows as numbers, one or more problems on them, and a cost that may be searched."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import safe_sparse_dot

from mercer._core.stopping import Report
from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.encode.numeric import NumericEncoding
from mercer.estimators.common.explanations.explanation import Explanation
from mercer.estimators.common.weights.sample_weight import positive_weights
from mercer.estimators.kernel.warm_start import Start, WarmStart, starts_from
from mercer.estimators.svm.linear.contributions import explain_planes
from mercer.estimators.svm.linear.problems import LinearAnswer, LinearProblem
from mercer.estimators.svm.linear.search import LinearSearch
from mercer.estimators.svm.search import FINITE_COST
from mercer.parameters import MOST_STEPS, RANDOM_STATE, VERBOSE, Choice, Dictionary, Flag, Number, Parameters
from mercer.select.cv_scores import DecisionReader
from mercer.select.grid import GRID, Grid
from mercer.select.search import (
    choose_parameters,
    given_parameters,
    is_searched,
    restore_parameters,
    tuning_state,
)
from mercer.state import Reader, State
from mercer.table import CATEGORICAL, Table
from mercer.table.estimator import TableEstimator
from mercer.table.missingness import MISSING_INDICATOR

Dual = Literal[True, False, "auto"]
LINEAR_PARAMETERS: Parameters = {
    "C": FINITE_COST,
    "fit_intercept": Flag(),
    "intercept_scaling": Number(0, 1e100, above=True),  # its square is a number too
    "dual": Choice(Dual),
    "verbose": VERBOSE,
    "random_state": RANDOM_STATE,
    "tol": Number(0, above=True),
    "max_iter": Number(0, MOST_STEPS, whole=True),
    "time_limit": Number(0, above=True, optional=True),
    "warm_start": Flag(),
    "kinds": Dictionary(),
    "missing_indicator": MISSING_INDICATOR,
    "grid": GRID,
}


class LinearMachine(TableEstimator):
    """Base of LinearSVC and LinearSVR: f(x) = coef . E(x) + intercept, with E(x) the row as numbers."""

    booleans_are_numbers = True
    tunable: ClassVar[tuple[str, ...]] = ("C",)
    grid: Grid | None
    warm_start: bool
    encoder_: NumericEncoding
    coef_: Any  # (n_problems, n_columns)
    intercept_: Floats | float  # (n_problems,), or 0.0 without an intercept
    fit_intercept: bool
    _last_fit: WarmStart | None = None

    @abstractmethod
    def _formulate(self, target: NDArray[Any], cost: Floats) -> list[LinearProblem]:
        """The problems that make up the machine; the target is class codes or numbers, the cost is of each row."""

    def _cost_unit(self, target: NDArray[Any], weight: Floats) -> float:
        """What the default costs of a grid are multiplied with."""
        return 1.0

    def _plane(self, answers: Sequence[LinearAnswer]) -> tuple[Floats, Floats]:
        """Weights (n_problems, n_columns) and intercepts."""
        return np.vstack([s.coef for s in answers]), np.hstack([s.offset for s in answers])

    @shares_docs()
    def searched_parameters(self) -> tuple[str, ...]:
        """Whether the cost is searched.

        Returns
        -------
        {searched}
        """
        return tuple(name for name in self.tunable if is_searched(getattr(self, name)))

    def _search_problem(
        self, table: Table, target: NDArray[Any], weight: Floats, sample_weight: Floats | None, reader: DecisionReader
    ) -> LinearSearch:
        """The problem of a search; fits the encoding.

        weight : of each row in the cost; sample_weight : in the encoding and in scores, None for equal ones
        """
        # Numbers as they are; standardised beside the dummies of categories; missing ones as the mean.
        mixed = bool(table.schema.of_kind(*CATEGORICAL))
        self.encoder_ = NumericEncoding.learn(table, sample_weight, scaling="standard" if mixed else "none")
        rows = self.encoder_.matrix(table)
        return LinearSearch(
            given_parameters(self)["C"], rows, target, weight, sample_weight, reader, self._formulate, self._plane,
            self._cost_unit,
        )  # fmt: skip

    def _train(self, table: Table, problem: LinearSearch) -> None:
        """Choose the cost, solve, and keep the plane."""
        cost = choose_parameters(self, problem, self.grid)["C"]
        problems = self._formulate(problem.target, cost * problem.weight)
        last, starts = self.__dict__.pop("_last_fit", None), list[Start | None]([None] * len(problems))
        if self.warm_start:
            bounds = [p.bounds() for p in problems if p.bounds is not None]
            starts = starts_from(last, table, self.encoder_, bounds)
        found = [p.run(problem.rows, None if s is None else s.beta) for p, s in zip(problems, starts, strict=True)]
        if self.warm_start:
            self._last_fit = WarmStart.of(table, self.encoder_, found)
        self._keep_plane(*self._plane(found))
        self._keep_outcome(found)

    def _keep_outcome(self, found: Sequence[Report]) -> None:
        """Set how well the problems are solved, and warn when a solver was stopped."""
        self.n_iter_ = max(s.iterations for s in found)
        self.duality_gap_ = max(s.gap for s in found)
        if any(s.status in ("max_iter", "time_limit") for s in found):
            warnings.warn(
                "Liblinear failed to converge, increase the number of iterations. (In place of LIBLINEAR mercer's own "
                f"solver, with a duality gap of {self.duality_gap_:.3g}: raise max_iter, scale columns, or lower C.)",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _keep_plane(self, coef: Floats, intercept: Floats) -> None:
        self.coef_ = coef
        self.intercept_ = intercept if self.fit_intercept else 0.0

    @property
    def _coef_rows(self) -> Floats:
        """`coef_` as an array, (n_problems, n_columns)."""
        return np.atleast_2d(self.coef_.toarray() if sp.issparse(self.coef_) else self.coef_)

    def _weights(self, sample_weight: Any, n_rows: int) -> Floats | None:
        return super()._weights(positive_weights(sample_weight), n_rows)

    def _decisions(self, X: Any) -> Floats:
        table = self._predict_table(X)
        rows = self.encoder_.matrix(table)
        coef = self.coef_ if sp.issparse(self.coef_) else self._coef_rows
        return np.asarray(safe_sparse_dot(rows, coef.T, dense_output=True)) + self.intercept_

    def _explain_columns(self, X: Any) -> Explanation | None:
        """What each column adds to the score, compared with a row that is 0 in every encoded column: exact."""
        intercept = np.broadcast_to(self.intercept_, len(self._coef_rows)).astype(np.float64)
        classes = getattr(self, "classes_", None)
        return explain_planes(self.encoder_, self._predict_table(X), self._coef_rows, intercept, classes)

    def _fitted_state(self) -> State:
        intercept = np.broadcast_to(self.intercept_, len(self._coef_rows)).astype(np.float64)
        fitted = {"encoding": self.encoder_.to_state(), "coef": self._coef_rows, "intercept": intercept}
        return fitted | tuning_state(self)

    def _restore_plane(self, state: Reader, n_problems: int) -> None:
        """Set what `_fitted_state` gave, for so many problems."""
        self.encoder_ = NumericEncoding.from_state(state.child("encoding"), self._learned_schema)
        coef = state.array("coef", "float64", (n_problems, len(self.encoder_.names)))
        self._keep_plane(coef, state.array("intercept", "float64", (n_problems,)))
        restore_parameters(self, state)

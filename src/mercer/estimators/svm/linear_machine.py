"""What linear machines share: rows as numbers, one or more problems on them, and a cost that may be searched."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer.arrays import Floats
from mercer.errors import BadFile, MercerError
from mercer.estimators.common.base import TableEstimator
from mercer.estimators.common.solver_limits import expect_limits
from mercer.estimators.svm.cv_scores import Judge
from mercer.estimators.svm.search import COSTS, LEVEL, Grid, drawn_rows, fold_numbers, grid_values, is_cv
from mercer.estimators.svm.svc import SLACKS, expect_cost
from mercer.estimators.svm.warm_start import Progress, Start, feasible, take_up
from mercer.kernels import Encoded, Kernel, Linear
from mercer.select.tuning_result import Tuning
from mercer.solvers.svm.coordinate import LinearSolution
from mercer.solvers.svm.crammer_singer import JointSolution
from mercer.solvers.svm.smo import Problem
from mercer.state import Reader, State
from mercer.table import Table

Found: TypeAlias = LinearSolution | JointSolution


@dataclass(frozen=True)
class Task:
    """A problem to solve: run(rows, start) from dual coefficients or None; `bounds` says what a start has to keep to,
    None where there is no start."""

    run: Callable[[Any, Floats | None], Found]
    bounds: Callable[[], Problem] | None = None

    def go_on(self, rows: Any, past: Found | None) -> Found:
        """Solve from where a like problem ended."""
        start = None if past is None or self.bounds is None else feasible(self.bounds(), Start(past.beta, None))
        return self.run(rows, None if start is None else start.beta)


class LinearMachine(TableEstimator):
    """Base of LinearSVC and LinearSVR: f(x) = coef . E(x) + intercept, with E(x) the row as numbers.

    fit sets C_, as given or as found, and `tuning_` when it was searched.
    """

    is_class_machine: ClassVar[bool] = True
    encoder_: Kernel
    coef_: Floats  # (n_machines, n_columns)
    intercept_: Floats  # (n_machines,)

    @abstractmethod
    def _tasks(self, truth: NDArray[Any], cost: Floats) -> list[Task]:
        """The problems whose solutions, side by side, are the machine; truth is class codes or numbers."""

    def _cost_unit(self, truth: NDArray[Any], weight: Floats) -> float:
        """What the costs of a grid that are not given are multiplied with."""
        return 1.0

    def _plane(self, found: Sequence[Found]) -> tuple[Floats, Floats]:
        """Weights (n_machines, n_columns) and intercepts."""
        return np.vstack([s.coef for s in found]), np.hstack([s.offset for s in found])

    def _check_options(self) -> None:
        expect_limits(self, least=0)
        if not is_cv(self.C):
            expect_cost(self.C)
            if not np.isfinite(self.C):
                raise MercerError(
                    "C=inf: linear solvers need a finite C. SVC(C=inf, kernel='linear') has a hard margin."
                )
        if self.slack not in SLACKS:
            raise MercerError(f"slack={self.slack!r}: expected one of {', '.join(SLACKS)}.")

    def _learn(self, table: Table, truth: NDArray[Any], weight: Floats, own: Floats | None) -> None:
        """weight : of each row in the cost; own : in the encoding and in scores, None for equal ones."""
        rows = self._fit_rows(table, np.ones(len(table)) if own is None else own)
        self.__dict__.pop("tuning_", None)
        if is_cv(self.C):
            self.tuning_ = self._search(rows, truth, weight, own)
        self.C_ = self.tuning_.best_params["C"] if is_cv(self.C) else self.C
        tasks = self._tasks(truth, self.C_ * weight)
        past: list[Start | None] = [None] * len(tasks)
        if self.warm_start:
            past = take_up(self, table, self.encoder_, [t.bounds() for t in tasks if t.bounds is not None])
        found = [t.run(rows, None if s is None else s.beta) for t, s in zip(tasks, past, strict=True)]
        if self.warm_start:
            self._progress = Progress.of(table, self.encoder_, found)
        self._note(found)

    def _search(self, rows: Any, truth: NDArray[Any], weight: Floats, own: Floats | None) -> Tuning:
        """Each fold from the smallest cost to the largest, every time from the solution at the cost before."""
        grid = Grid() if self.grid is None else self.grid
        kept, seed = drawn_rows(grid, truth, self.is_class_machine)
        if len(kept) < len(truth):
            rows, truth, weight = rows[kept], truth[kept], weight[kept]
            own = None if own is None else own[kept]
        unit = self._cost_unit(truth, weight)
        costs = grid_values("C", grid.C, [unit * c for c in COSTS])
        folds = fold_numbers(grid.cv, truth, self.is_class_machine, seed)
        judge = Judge(self, truth, own, grid.scoring)
        decisions = self._held_out(rows, truth, weight, costs, folds)
        parts = [np.flatnonzero(folds == f) for f in range(int(folds.max()) + 1)]
        scores = np.array([[judge(d, held) for held in parts] for d in decisions])
        whole, none = np.ones(len(costs), dtype=bool), np.zeros(len(costs), dtype=bool)
        return Tuning.of_points(
            ("C",), judge.name, len(truth), LEVEL, [{"C": c} for c in costs], scores, whole, none
        )  # fmt: skip

    def _held_out(
        self, rows: Any, truth: NDArray[Any], weight: Floats, costs: Sequence[float], folds: NDArray[np.int32]
    ) -> list[Floats]:
        """For each cost the decisions (n_machines, n_rows) on the rows that each fold holds out."""
        decisions: list[Floats] = [np.empty((0, 0))] * len(costs)
        for fold in range(int(folds.max()) + 1):
            held, past = folds == fold, list[Found]()
            teach = rows[~held]
            for c, cost in enumerate(costs):
                tasks = self._tasks(truth[~held], cost * weight[~held])
                past = [t.go_on(teach, past[m] if past else None) for m, t in enumerate(tasks)]
                coef, intercept = self._plane(past)
                if not len(decisions[c]):
                    decisions[c] = np.full((len(coef), len(truth)), np.nan)
                decisions[c][:, held] = (np.asarray(rows[held] @ coef.T) + intercept).T
        return decisions

    def _fit_rows(self, table: Table, weight: Floats) -> Any:
        """The rows as numbers: as they are, or standardised beside the dummies of categories; missing as the mean."""
        mixed = any(c.kind.categorical for c in table.schema)
        self.encoder_ = Encoded(Linear(), scaling="standard" if mixed else "none").fit(table, None, weight)
        return self._rows(table)

    def _rows(self, table: Table) -> Any:
        formula = self.encoder_.formula(table, np.dtype(np.float64))
        assert formula is not None
        return formula[0]

    def _limits(self) -> dict[str, Any]:
        """When a solver stops, and the constant column that carries the intercept."""
        scale = float(self.intercept_scaling) if self.fit_intercept else 0.0
        limits = {"tol": self.tol, "max_iter": self.max_iter, "time_limit": self.time_limit or 0.0}
        return limits | {"offset_scale": scale}

    def _note(self, solutions: Sequence[Found]) -> None:
        self.coef_, self.intercept_ = self._plane(solutions)
        self.n_iter_ = max(s.iterations for s in solutions)
        self.duality_gap_ = max(s.gap for s in solutions)
        if any(s.status in ("max_iter", "time_limit") for s in solutions):
            warnings.warn(
                f"The solver stopped early with a duality gap of {self.duality_gap_:.3g}. Raise max_iter, scale the "
                "columns, or lower C.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _decisions(self, X: Any) -> Floats:
        table = self._predict_table(X)
        return np.asarray(self._rows(table) @ self.coef_.T) + self.intercept_

    def _linear_state(self) -> State:
        answer = {"coef": self.coef_, "intercept": self.intercept_}
        state = {"input": self._input_state(), "encoder": self.encoder_.to_state()} | answer
        return state | ({"tuning": self.tuning_.to_state()} if hasattr(self, "tuning_") else {})

    def _restore_linear(self, state: Reader, n_machines: int) -> None:
        self._restore_input(state.child("input"))
        self.encoder_ = Encoded.from_state(state.child("encoder"))
        inner = getattr(self.encoder_, "kernel_", None)
        if not isinstance(inner, Linear) or self.encoder_.schema_.columns != self.schema_.columns:
            raise BadFile(f"{state.where}.encoder does not fit the schema.")
        self.coef_ = state.array("coef", "float64", (n_machines, len(inner.schema_)))
        self.intercept_ = state.array("intercept", "float64", (n_machines,))
        if state.has("tuning"):
            self.tuning_ = Tuning.from_state(state.child("tuning"))
            self.C_ = self.tuning_.best_params.get("C")

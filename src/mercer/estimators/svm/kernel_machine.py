"""What kernel machines share: their kernel, where kernel rows come from, and the rows they keep."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer._core.gram import Rows
from mercer.arrays import Floats
from mercer.errors import BadFile, MercerError, MercerWarning
from mercer.estimators.common.pairwise_input import MatrixInput
from mercer.estimators.svm.kernel_rows import budget_bytes, expect_room, kernel_source
from mercer.estimators.svm.parallel_solve import side_by_side
from mercer.estimators.svm.unlabelled import set_aside
from mercer.estimators.svm.warm_start import Progress, Start, take_up
from mercer.kernels import Encoded, Kernel, Linear, Precomputed, as_kernel, check_gram
from mercer.select.tuning_result import Tuning
from mercer.solvers.svm.smo import Interrupted, Problem, Solution, solve
from mercer.state import Reader, State
from mercer.table import Table, conform_table, table_from_state, table_state

PRECISIONS = ("auto", "single", "double")
_DOUBLE_ROWS = 5000  # up to here the matrix of doubles is at most 200 MB; beyond, single precision halves the memory
_HARD_COSTS = (1e2, 1e4, 1e6)  # over the kernel's size: the solution is that of C=inf when no row is at its bound
_HARD_STEPS = 1_000_000
_MOST_STEPS = 10_000_000  # or 100 a row, when max_iter sets no limit: LIBSVM's, for columns of wild scales
_CHECKED_ROWS = 300  # rows on which an unpromised kernel's smallest eigenvalue is measured


class KernelMachine(MatrixInput):
    """Base of the machines whose answer is sum_j coef_j k(x, x_j) + intercept over support rows x_j.

    Subclasses have the parameters kernel, degree, gamma, coef0, tol, max_iter, time_limit, warm_start, cache_size,
    precision, kinds and n_jobs.
    """

    kernel_: Kernel
    support_: NDArray[np.int32]
    support_rows_: Table
    intercept_: Floats
    n_iter_: NDArray[np.int64] | int  # steps of each machine; of the only one
    tuning_: Tuning  # where parameters were searched

    @property
    def _given(self) -> bool:
        """Whether X is a Gram matrix."""
        return isinstance(self.kernel, Precomputed) or (isinstance(self.kernel, str) and self.kernel == "precomputed")

    def _fit_kernel(self, table: Table, weight: Floats, unlabelled: Any = None, shared: bool = False) -> Rows:
        """Choose and fit `kernel_`; where its rows come from, and whether several machines ask for the same ones."""
        if self.precision not in PRECISIONS:
            raise MercerError(f"precision={self.precision!r}: expected one of {', '.join(PRECISIONS)}.")
        budget = budget_bytes(self.cache_size)
        expect_room(len(table), self._dtype(len(table)), budget)
        more = None if unlabelled is None else conform_table(unlabelled, table.schema)
        self.kernel_ = self._make_kernel(table, self._value("gamma"), more, weight)
        self.transductive_ = more is not None
        self.shape_fit_ = (self._rows_given(len(table)), self.n_features_in_)
        self._warn_indefinite(table)
        return kernel_source(self.kernel_, table, self._dtype(len(table)), budget, self._jobs, shared)

    def _labelled(self, table: Table, y: Any, sample_weight: Any, unlabelled: Any) -> tuple[Table, Any, Any, Any]:
        """With `transductive`, rows without a target are not learned from, but tell the kernel what is frequent."""
        self._known = None
        if not self.transductive:
            return table, y, sample_weight, unlabelled
        if self._given:
            raise MercerError("transductive=True: a precomputed kernel learns nothing from rows. Leave it out.")
        self._known, y, sample_weight, unlabelled = set_aside(table, y, sample_weight, unlabelled)
        return table.take(self._known), y, sample_weight, unlabelled

    def _rows_given(self, n_labelled: int) -> int:
        """Rows up to the last one that has a target."""
        known = getattr(self, "_known", None)
        return n_labelled if known is None else int(known[-1]) + 1

    def _settle(self, given: Any) -> None:
        """Search what is to be searched; this machine takes its parameters as they are."""

    def _value(self, name: str) -> Any:
        """A parameter; where it is searched, what was found."""
        return getattr(self, name)

    def _make_kernel(self, table: Table, gamma: Any, more: Any = None, weight: Floats | None = None) -> Kernel:
        """The machine's kernel with this gamma, fitted."""
        kernel = as_kernel(self.kernel, table.schema, gamma=gamma, coef0=self.coef0, degree=self.degree)
        return kernel.fit(table, more, weight)

    def _own_weights(self, sample_weight: Any, n_rows: int) -> Floats:
        own = self._weights(sample_weight, n_rows)
        return np.ones(n_rows) if own is None else own

    def _dtype(self, n_rows: int) -> np.dtype[Any]:
        single = self.precision == "single" or (self.precision == "auto" and n_rows > _DOUBLE_ROWS)
        return np.dtype(np.float32 if single else np.float64)

    def _warn_indefinite(self, table: Table) -> None:
        if self.kernel_.positive or isinstance(self.kernel_, Precomputed):
            return
        some = table.take(np.unique(np.linspace(0, len(table) - 1, min(len(table), _CHECKED_ROWS)).astype(np.int64)))
        found = check_gram(self.kernel_.gram(some, dtype=np.float64, n_jobs=self._jobs), name=repr(self.kernel_))
        if not found.symmetric:
            raise MercerError(f"{self.kernel_!r} is no kernel: k(a, b) and k(b, a) differ by {found.asymmetry:.3g}.")
        if not found.holds:
            warnings.warn(
                f"{self.kernel_!r} is not positive semi-definite: smallest eigenvalue {found.smallest:.3g}, largest "
                f"{found.largest:.3g}, on {found.n_rows} rows. The solution is a local one; see mercer.kernels.repair.",
                MercerWarning,
                stacklevel=4,
            )

    def _run(
        self, table: Table, problems: list[Problem], source: Rows, answer: Callable[..., tuple[Any, ...]]
    ) -> list[Any]:
        """answer(problem, rows, start) of every problem, its last entry the solution; with `warm_start` from where the
        last fit stopped.

        Ctrl-C leaves what was found to the next fit. Small problems on a matrix in memory, or on numbers of which each
        has a matrix of its own, are solved side by side.
        """
        starts = take_up(self, table, self.kernel_, problems)
        if not self.warm_start:
            answers = side_by_side(problems, starts, source, answer, self._jobs)
            if answers is not None:
                return answers
        found: list[Any] = []
        try:
            for problem, start in zip(problems, starts, strict=True):
                found.append(answer(problem, source, start))
        except Interrupted as stop:
            if self.warm_start:
                self._progress = Progress.of(table, self.kernel_, [*(f[-1] for f in found), stop])
            raise
        if self.warm_start:
            self._progress = Progress.of(table, self.kernel_, [f[-1] for f in found])
        return found

    def _solve(
        self, problem: Problem, source: Rows, most_steps: int | None = None, start: Start | None = None
    ) -> Solution:
        """The solver under this machine's limits, `most_steps` when it has none; from `start` when given."""
        free = max(_MOST_STEPS, 100 * len(problem.linear)) if most_steps is None else most_steps
        steps = self.max_iter if self.max_iter >= 0 else free
        limit = self.time_limit or 0.0
        beta, f = (None, None) if start is None else (start.beta, start.f)
        return solve(
            problem, source, start=beta, start_f=f, tol=self._tolerance(), max_iter=steps, time_limit=limit,
            n_jobs=self._jobs,
        )  # fmt: skip

    def _tolerance(self) -> float:
        """`tol` in the units of the problem."""
        return float(self.tol)

    def _solve_hard(self, problem: Problem, source: Rows, unit: float = 1.0) -> tuple[Solution, bool]:
        """The solution of a problem of cost 1 without any cost of errors, by raising it; whether there is one.

        unit : the size of the target, with which the coefficients grow
        """
        some = problem.kernel_rows[:: max(1, len(problem.linear) // 100)]
        size = float(np.mean([source.rows(some[i : i + 1])[0, some[i]] for i in range(len(some))])) or 1.0
        for cost in _HARD_COSTS:
            bound = cost * unit / size
            capped = replace(problem, lower=problem.lower * bound, upper=problem.upper * bound)
            found = self._solve(capped, source, most_steps=_HARD_STEPS)
            free = np.abs(found.beta) < 0.999 * np.maximum(-capped.lower, capped.upper)
            if found.status == "converged" and free[np.abs(found.beta) > 0].all():
                return found, True
        return found, False

    def _note(self, solutions: list[Solution]) -> None:
        """Set what the solver says of itself, and warn when it was stopped."""
        self.n_iter_ = np.array([s.iterations for s in solutions], dtype=np.int64)
        self.duality_gap_ = max(s.gap for s in solutions)
        self.primal_, self.dual_ = sum(s.primal for s in solutions), sum(s.dual for s in solutions)
        stopped = [s for s in solutions if s.status in ("max_iter", "time_limit")]
        self.fit_status_ = int(bool(stopped))
        if stopped:
            warnings.warn(
                f"The solver stopped early ({stopped[0].status}) with a duality gap of {self.duality_gap_:.3g}. "
                "Raise max_iter or time_limit, scale the columns, or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _keep(self, table: Table, support: NDArray[np.int64]) -> None:
        """Set the rows that predictions compare with."""
        known = getattr(self, "_known", None)
        self.support_ = (support if known is None else known[support]).astype(np.int32)
        self.support_rows_ = table.take(support)

    @property
    def support_vectors_(self) -> Any:
        """Support rows as numbers, when the table is numbers; empty for a precomputed kernel."""
        if isinstance(self.kernel_, Precomputed):
            return np.empty((0, 0))
        return self.support_rows_.sparse() if self.support_rows_.is_sparse else self.support_rows_.numbers()

    def _products(self, table: Table, coef: Floats, rows: slice = slice(None)) -> Floats:
        """sum_j k(x_i, support_j) coef_jc over some of the support rows, (n_rows, n_coef)."""
        if isinstance(self.kernel_, Precomputed):
            return np.asarray(self.kernel_.values(table)[:, self.support_[rows]] @ coef)
        kept = self.support_rows_ if rows == slice(None) else self.support_rows_.take(rows)
        if not len(kept):
            return np.zeros((len(table), coef.shape[1]))
        dtype = self._dtype(self.shape_fit_[0])
        return self.kernel_.product(table, kept, np.ascontiguousarray(coef), dtype=dtype, n_jobs=self._jobs)

    def _linear_coef(self, dual_coef: Floats) -> Floats:
        """The weights of the columns that a linear kernel sees, (n_machines, n_columns)."""
        inner = self.kernel_.kernel_ if isinstance(self.kernel_, Encoded) else self.kernel_
        if not isinstance(inner, Linear):
            raise AttributeError("coef_ is only available when using a linear kernel")
        formula = self.kernel_.formula(self.support_rows_, np.dtype(np.float64))
        assert formula is not None
        found = np.asarray(dual_coef @ formula[0])
        found.flags.writeable = False  # predictions come from dual_coef_: a change here would do nothing
        return found

    def _machine_state(self) -> State:
        return {
            "input": self._input_state(),
            "kernel": self.kernel_.to_state(),
            "n_fit": int(self.shape_fit_[0]),
            "support": self.support_,
            "rows": table_state(self.support_rows_),
            "transductive": bool(self.transductive_),
        } | ({"tuning": self.tuning_.to_state()} if hasattr(self, "tuning_") else {})

    def _restore_machine(self, state: Reader) -> None:
        self._restore_input(state.child("input"))
        self.kernel_ = Kernel.from_state(state.child("kernel"))
        self.shape_fit_ = (state.integer("n_fit", 1), self.n_features_in_)
        self.support_ = state.array("support", "int32", (None,), low=0, high=self.shape_fit_[0] - 1)
        self.support_rows_ = table_from_state(state.child("rows"))
        if len(self.support_rows_) != len(self.support_) or self.support_rows_.schema.columns != self.schema_.columns:
            raise BadFile(f"{state.where}.rows do not fit the support or the schema.")
        self.transductive_ = state.flag("transductive")
        if state.has("tuning"):
            self.tuning_ = Tuning.from_state(state.child("tuning"))
            for name, value in self.tuning_.best_params.items():
                setattr(self, f"{name}_", value)

"""What machines of least squares share: their systems solved within the memory budget, and what is kept of them."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer._core.threads import at_most
from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import MercerWarning, TooLarge
from mercer.estimators.kernel.choice import searched_by
from mercer.estimators.kernel.machine import KERNEL_PARAMETERS, KernelMachine
from mercer.estimators.kernel.rows import budget_bytes, kernel_dtype, refuse_overflow, whole_matrix
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.least_squares.solve import Factorised, Iterated, Solved, SystemSolver
from mercer.estimators.least_squares.systems import System
from mercer.kernels import Precomputed
from mercer.parameters import MOST_STEPS, Choice, Number, Parameters
from mercer.select.grid import GRID, Grid
from mercer.solvers.ridge.conjugate_gradient import Limits
from mercer.solvers.ridge.solution import RidgeSolution
from mercer.state import Reader, State
from mercer.table import Table
from mercer.table.estimator import TableEstimator

Solver: TypeAlias = Literal["auto", "cholesky", "cg"]
_SHARED = ("kernel", "degree", "coef0", "cache_size", "precision", "kinds", "missing_indicator", "n_jobs", "time_limit")
LEAST_SQUARES_PARAMETERS: Parameters = {
    **{name: KERNEL_PARAMETERS[name] for name in _SHARED},
    "solver": Choice(Solver),
    "tol": Number(0, above=True),
    "max_iter": Number(-1, MOST_STEPS, whole=True),
    "grid": GRID,
}
LEAST_SQUARES_DOCS = {
    "ridge_kernel": """
        kernel : str, Kernel or callable, default "rbf"
            "rbf", "linear", "poly", "sigmoid", "laplacian", "cosine", "chi2", "mixed", "precomputed", a mercer kernel
            such as RBF(0.5) + Lin(), or a function of two arrays. A name stands for the kernel on the numbers as they
            are, missing ones as the mean; in a table with categories, numbers are standardised and levels compared too
            (`mercer.kernels.as_kernel`). "mixed" is "rbf" with numbers always standardised.""",
    "solver": """
        solver : {"auto", "cholesky", "cg"}, default "auto"
            How the linear system is solved: by a factorisation of the whole kernel matrix, or by preconditioned
            conjugate gradients, which never hold it; "auto" factorises what fits into `cache_size`.""",
    "cg_tol": """
        tol : float, default 1e-08
            Relative residual at which conjugate gradients stop.""",
    "cg_max_iter": """
        max_iter : int, default -1
            Iterations after which conjugate gradients stop, with a usable model; -1 for ten a row.""",
    "ridge_cache_size": """
        cache_size : float or None, default None
            Megabytes for the kernel matrix, at most; None for a quarter of the machine's memory.""",
    "ridge_precision": """
        precision : {"auto", "single", "double"}, default "double"
            Of kernel values in predictions and conjugate gradients; "auto" is double up to 5,000 rows. The matrix that
            is factorised is always double.""",
    "loo_grid": """
        grid : Grid or None, default None
            What "cv" tries, by its penalties, gamma, scoring, rows and random_state; None for `mercer.Grid()`.""",
    "ridge_attributes": """
        kernel_ : Kernel
            The kernel, fitted.
        support_ : ndarray of shape (n_support,)
            Numbers of the training rows that predictions compare with: those of positive weight.
        support_rows_ : Table
            Those rows.
        residual_ : float
            |(K + N) c + b 1 - y| / |y| of the target for which it is largest: the certificate of the solution.
        n_iter_ : int
            Iterations of conjugate gradients; 1 for a factorisation.
        shape_fit_ : tuple of int
            Rows and columns of the training table.""",
}


class LeastSquaresMachine(KernelMachine):
    """Base of machines with (K + N) c + b 1 = y."""

    shares_kernel: ClassVar[bool] = False
    intercept: ClassVar[bool]  # whether there is a b
    tunable: ClassVar[tuple[str, ...]]
    solver: Solver
    grid: Grid | None
    residual_: float

    @shares_docs()
    def searched_parameters(self) -> tuple[str, ...]:
        """Which parameters are "cv"; gamma only where the kernel has one.

        Returns
        -------
        {searched}
        """
        return searched_by(self)

    def _weights(self, sample_weight: Any, n_rows: int) -> Floats | None:
        return TableEstimator._weights(self, sample_weight, n_rows)

    def _solver(self, data: TrainingRows, gamma: Any, *, once: bool = True) -> SystemSolver:
        """Fit the kernel; what solves systems of its matrix, within the memory budget."""
        self._choose_kernel(data, "auto" if gamma is None else gamma)
        n, given = len(data.table), isinstance(self.kernel_, Precomputed)
        budget = budget_bytes(self.cache_size)
        exact = self.solver == "cholesky" or (self.solver == "auto" and (given or n * n * 8 <= budget))
        gram = self._gram(data, budget) if exact or given else None
        if exact and gram is not None:
            return Factorised(gram, self.intercept, once)
        limits = Limits(float(self.tol), self.max_iter, self.time_limit)
        dtype = kernel_dtype(self.precision, n)
        return Iterated(self.kernel_, data.table, self.intercept, limits, dtype, self._jobs, gram)

    def _gram(self, data: TrainingRows, budget: int) -> Floats:
        n, double = len(data.table), np.dtype(np.float64)
        gram = np.ascontiguousarray(whole_matrix(self.kernel_, data.table, double, budget - n * n * 8, self._jobs))
        refuse_overflow(self.kernel_, gram[0], gram.diagonal())
        return gram

    def _solve(self, solver: SystemSolver, systems: list[System], lambdas: Floats, weight: Floats) -> list[Solved]:
        """Solve each system for its penalties `lambdas`, (n_problems,), and keep how well."""
        with at_most(self._jobs):
            found = [solver.solve(s, lambdas[s.places], weight) for s in systems]
        solutions = [f.solution for f in found]
        if not all(np.isfinite(s.coef).all() for s in solutions):
            raise TooLarge(
                "The dual coefficients are not finite: targets or kernel values are too large. Scale the target and "
                "the columns, or raise the penalty."
            )
        self.residual_ = max(s.residual for s in solutions)
        self.n_iter_ = max(s.iterations for s in solutions)
        self._warn_of(solutions)
        return found

    def _warn_of(self, solutions: list[RidgeSolution]) -> None:
        short = [s for s in solutions if s.rank is not None]
        if short:
            warnings.warn(
                f"The kernel matrix with its penalty is not positive definite (rank {short[0].rank} of "
                f"{len(short[0].coef)}): rows are alike and the penalty is 0 or close to it, or the kernel is not a "
                "positive one. This is the solution of least norm; raise the penalty for a stable one.",
                MercerWarning,
                stacklevel=3,
            )
        if not all(s.converged for s in solutions):
            warnings.warn(
                f"Conjugate gradients stopped after {self.n_iter_} iterations with a relative residual of "
                f"{self.residual_:.3g} (tol={self.tol:g}). Raise max_iter, time_limit or the penalty.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _keep(self, data: TrainingRows, solved: list[Solved]) -> None:
        """Set the rows that predictions compare with, and the coefficients of every target or binary problem."""
        n_problems = sum(len(s.system.places) for s in solved)
        coef, intercept = np.zeros((n_problems, len(data.table))), np.zeros(n_problems)
        for found in solved:
            coef[found.system.places[:, None], found.system.rows] = found.solution.coef.T
            intercept[found.system.places] = found.solution.intercept
        support = np.unique(np.concatenate([s.system.rows for s in solved]))
        self._keep_support(data, support, coef[:, support], intercept.tolist())

    def _decisions(self, table: Table) -> Floats:
        """(n_rows, n_problems)."""
        return self._products(table, self._coef_rows.T) + self.intercept_

    def _keep_coef(self, dual_coef: Floats, intercept: Floats) -> None:
        self.dual_coef_, self.intercept_ = dual_coef, intercept

    def _fitted_state(self) -> State:
        own = {"residual": float(self.residual_), "n_iter": int(self.n_iter_)}
        return super()._fitted_state() | own

    def _restore_outcome(self, state: Reader) -> None:
        self.residual_, self.n_iter_ = state.number("residual", 0.0), state.integer("n_iter", 1)

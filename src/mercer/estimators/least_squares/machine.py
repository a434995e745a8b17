"""What machines of least squares share: their systems solved within the memory budget, and what is kept of them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mercer._core.threads import at_most
from mercer.arrays import Array, Floats, Ints, Longs
from mercer.errors import MercerError, MercerWarning, TooLarge
from mercer.estimators.kernel.machine import KERNEL_PARAMETERS, KernelMachine
from mercer.estimators.kernel.rows import budget_bytes, kernel_dtype, refuse_overflow, whole_matrix
from mercer.estimators.kernel.training_rows import TrainingRows
from mercer.estimators.least_squares.systems import System
from mercer.kernels import Precomputed
from mercer.parameters import MOST_STEPS, Choice, Number, Parameters
from mercer.select.grid import GRID, Grid
from mercer.solvers.ridge import cholesky, conjugate_gradient
from mercer.solvers.ridge.solution import RidgeSolution, relative_size
from mercer.solvers.ridge.spectrum import Spectrum
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

    intercept: ClassVar[bool]  # whether there is a b
    tunable: ClassVar[tuple[str, ...]]
    solver: Solver
    grid: Grid | None
    residual_: float

    def _weights(self, sample_weight: Any, n_rows: int) -> Floats | None:
        return TableEstimator._weights(self, sample_weight, n_rows)

    def _solve(self, data: TrainingRows, gamma: Any, lambdas: Floats, systems: list[System]) -> list[RidgeSolution]:
        """Fit the kernel, solve each system for its penalties `lambdas`, (n_problems,), keep how well."""
        self._choose_kernel(data, "auto" if gamma is None else gamma)
        n = len(data.table)
        exact = self.solver == "cholesky" or (self.solver == "auto" and n * n * 8 <= budget_bytes(self.cache_size))
        with at_most(self._jobs):
            way = self._factorised if exact or isinstance(self.kernel_, Precomputed) else self._iterated
            solutions = way(data, lambdas, systems)
        if not all(np.isfinite(s.coef).all() for s in solutions):
            raise TooLarge(
                "The dual coefficients are not finite: targets or kernel values are too large. Scale the target and "
                "the columns, or raise the penalty."
            )
        self.residual_ = max(s.residual for s in solutions)
        self.n_iter_ = max(s.iterations for s in solutions)
        self._warn_of(solutions)
        return solutions

    def _gram(self, data: TrainingRows) -> Floats:
        n, double = len(data.table), np.dtype(np.float64)
        spare = budget_bytes(self.cache_size) - n * n * 8
        gram = np.ascontiguousarray(whole_matrix(self.kernel_, data.table, double, spare, self._jobs))
        refuse_overflow(self.kernel_, gram[0], gram.diagonal())
        return gram

    def _factorised(self, data: TrainingRows, lambdas: Floats, systems: list[System]) -> list[RidgeSolution]:
        gram = self._gram(data)
        if self.solver == "cg":  # a precomputed matrix is there in any case
            return [self._by_gradients(_products(gram, s.rows), data, lambdas, s) for s in systems]
        whole = len(systems) == 1 and len(systems[0].rows) == len(gram)
        found = []
        for system in systems:
            own, weight = gram if whole else gram[np.ix_(system.rows, system.rows)], data.weight[system.rows]
            penalty = lambdas[system.places]
            if (penalty == penalty[0]).all():
                found.append(cholesky.solve(own, penalty[0] / weight, system.targets, intercept=self.intercept)[0])
            else:
                found.append(_each_penalty(own, weight, penalty, system.targets, intercept=self.intercept))
        return found

    def _iterated(self, data: TrainingRows, lambdas: Floats, systems: list[System]) -> list[RidgeSolution]:
        dtype = kernel_dtype(self.precision, len(data.table))
        found = []
        for system in systems:
            table = data.table.take(system.rows)

            def multiply(values: Floats, table: Table = table) -> Floats:
                return self.kernel_.product(table, table, np.ascontiguousarray(values), dtype=dtype, n_jobs=self._jobs)

            def rows(index: Ints, table: Table = table) -> Array:
                return self.kernel_.gram(table.take(index), table, dtype=np.float64, n_jobs=self._jobs)

            diagonal = np.asarray(self.kernel_.diag(table, dtype=np.float64))
            products = conjugate_gradient.Products(multiply, diagonal, rows)
            refuse_overflow(self.kernel_, products.diagonal)
            found.append(self._by_gradients(products, data, lambdas, system))
        return found

    def _by_gradients(
        self, products: conjugate_gradient.Products, data: TrainingRows, lambdas: Floats, system: System
    ) -> RidgeSolution:
        penalty = lambdas[system.places]
        if not (penalty == penalty[0]).all() or penalty[0] <= 0:
            raise MercerError(
                "Conjugate gradients take one penalty above 0 for all targets. Give one, or solver='cholesky'."
            )
        steps = self.max_iter if self.max_iter >= 0 else 10 * len(system.rows)
        limits = conjugate_gradient.Limits(float(self.tol), steps, self.time_limit)
        noise = penalty[0] / data.weight[system.rows]
        return conjugate_gradient.solve(products, noise, system.targets, intercept=self.intercept, limits=limits)

    def _warn_of(self, solutions: list[RidgeSolution]) -> None:
        short = [s for s in solutions if s.rank is not None]
        if short:
            warnings.warn(
                f"The kernel matrix with its penalty is not positive definite (rank {short[0].rank} of "
                f"{len(short[0].coef)}): rows are alike and the penalty is 0 or close to it, or the kernel is not a "
                "positive one. This is the solution of least norm; raise the penalty for a stable one.",
                MercerWarning,
                stacklevel=4,
            )
        if not all(s.converged for s in solutions):
            warnings.warn(
                f"Conjugate gradients stopped after {self.n_iter_} iterations with a relative residual of "
                f"{self.residual_:.3g} (tol={self.tol:g}). Raise max_iter, time_limit or the penalty.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _keep(self, data: TrainingRows, systems: list[System], solutions: list[RidgeSolution]) -> None:
        """Set the rows that predictions compare with, and the coefficients of every target or binary problem."""
        n_problems = sum(len(s.places) for s in systems)
        coef, intercept = np.zeros((n_problems, len(data.table))), np.zeros(n_problems)
        for system, solution in zip(systems, solutions, strict=True):
            coef[system.places[:, None], system.rows] = solution.coef.T
            intercept[system.places] = solution.intercept
        support = np.unique(np.concatenate([s.rows for s in systems]))
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


def given_penalty(values: Mapping[str, Any], name: str, n_problems: int) -> Floats:
    """The penalty of each target, (n_problems,)."""
    penalty = np.atleast_1d(np.asarray(values[name], dtype=np.float64))
    if penalty.size not in (1, n_problems):
        raise MercerError(
            f"Number of targets and number of penalties do not correspond: {name} has {penalty.size} numbers for "
            f"{n_problems} targets. Give one, or one for each."
        )
    return np.broadcast_to(penalty, n_problems)


def _products(gram: Floats, rows: Longs) -> conjugate_gradient.Products:
    own = gram if len(rows) == len(gram) else gram[np.ix_(rows, rows)]
    return conjugate_gradient.Products(lambda values: own @ values, own.diagonal(), lambda index: own[index])


def _each_penalty(gram: Floats, weight: Floats, penalty: Floats, targets: Floats, *, intercept: bool) -> RidgeSolution:
    """Each target with a penalty of its own, from one decomposition."""
    spectrum = Spectrum.of(gram, weight, float(penalty.min()))
    if penalty.min() <= spectrum.smallest_solvable:
        raise MercerError(
            "A penalty of 0, or too small for a kernel that is not positive, among several: raise it, or fit one "
            "target at a time."
        )
    parts = [
        spectrum.coefficients(float(lam), targets[:, k : k + 1], intercept=intercept) for k, lam in enumerate(penalty)
    ]
    coef, b = np.column_stack([c for c, _ in parts]), np.concatenate([b for _, b in parts])
    residual = gram @ coef + coef * penalty / weight[:, None] + b - targets
    return RidgeSolution(coef, b, relative_size(residual, targets))

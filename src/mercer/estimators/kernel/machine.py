"""What every kernel machine is: a fitted kernel, the training rows it compares with, and how both are stored."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from mercer._core.gram import KernelRows
from mercer._core.threads import at_most
from mercer.arrays import Floats, Ints, Longs
from mercer.docstrings import shares_docs
from mercer.errors import BadFile, Indefinite, MercerError, MercerWarning, TooLarge
from mercer.estimators.common.pairwise_input import as_matrix, is_texts, matrix_table, matrix_tags, texts_table
from mercer.estimators.common.sklearn_api.sparse_interface import sparse_result
from mercer.estimators.common.weights.sample_weight import positive_weights, row_counts
from mercer.estimators.kernel.approximation.basis import Approximation
from mercer.estimators.kernel.approximation.cells import Cells
from mercer.estimators.kernel.approximation.features import RandomMap
from mercer.estimators.kernel.choice import Gamma, KernelChoice, searched_by
from mercer.estimators.kernel.rows import (
    Precision,
    budget_bytes,
    expect_room,
    kernel_dtype,
    kernel_rows,
    refuse_infinite_sums,
    restore_kernel,
    rows_on_demand,
)
from mercer.estimators.kernel.shared import SharedKernel
from mercer.estimators.kernel.training_rows import TrainingRows, split_unlabelled
from mercer.estimators.kernel.warm_start import WarmStart
from mercer.kernels import KERNEL, Encoded, Kernel, KernelLike, Linear, Precomputed, check_gram
from mercer.kernels.nested_gamma import first_gamma
from mercer.parameters import MOST_STEPS, VERBOSE, Choice, Dictionary, Flag, Number, Parameters
from mercer.select.search import is_searched
from mercer.solvers.svm.smo import Report
from mercer.state import Reader, State
from mercer.table import Table, conform_table, table_from_state, table_state
from mercer.table.estimator import TableEstimator
from mercer.table.missingness import MISSING_INDICATOR

_CHECKED_ROWS = 300  # rows on which the smallest eigenvalue is measured, of a kernel that may not be positive

# What kernel machines have in common; each adds its own.
KERNEL_PARAMETERS: Parameters = {
    "kernel": KERNEL,
    "degree": Number(0, whole=True),
    "gamma": Number(0, above=True, words=("scale", "auto")),
    "coef0": Number(),
    "shrinking": Flag(),
    "verbose": VERBOSE,
    "tol": Number(0, above=True),
    "max_iter": Number(-1, MOST_STEPS, whole=True),
    "time_limit": Number(0, above=True, optional=True),
    "warm_start": Flag(),
    "cache_size": Number(0, above=True, optional=True),
    "precision": Choice(Precision),
    "kinds": Dictionary(),
    "missing_indicator": MISSING_INDICATOR,
    "n_jobs": Number(whole=True, optional=True),
}


class KernelMachine(TableEstimator):
    """Base of models f(x) = sum_j dual_coef_j k(x, x_j) + intercept over training rows x_j, the support vectors.

    Subclasses have the parameters of `KERNEL_PARAMETERS` and their own.
    """

    shares_kernel: ClassVar[bool] = True  # whether machines of one kernel on the same rows take its rows from one place
    follows_libsvm: ClassVar[bool] = True  # rows of negative weight left out, coefficients of sparse rows sparse
    tunable: ClassVar[tuple[str, ...]] = ()
    kernel: KernelLike
    degree: int
    gamma: Gamma
    coef0: float
    tol: float
    max_iter: int
    time_limit: float | None
    warm_start: bool
    cache_size: float | None
    precision: Precision
    kernel_: Kernel
    support_: Ints
    support_rows_: Table
    dual_coef_: Any  # Floats, or sparse where the rows are
    intercept_: Floats
    shape_fit_: tuple[int, int]
    _n_support: Ints
    n_iter_: Ints | int  # steps for each problem; of the only one
    approximation: Approximation | None = None  # where a machine has these parameters
    rank: int | None = None
    polish: bool = False
    approximation_error_: float
    _map: RandomMap | Cells | None = None  # what predictions need beside support vectors, after an approximation
    _by_problem: bool = False  # whether `dual_coef_` has a row for each problem, as after an approximation
    _last_fit: WarmStart | None = None
    _shared_kernel: SharedKernel | None = None  # while a library fits machines of the same kernel

    @property
    def _choice(self) -> KernelChoice:
        return KernelChoice(self.kernel, self.degree, self.coef0, is_searched(self.gamma))

    @shares_docs()
    def searched_parameters(self) -> tuple[str, ...]:
        """Which parameters are "cv"; gamma only where the kernel has one.

        Returns
        -------
        {searched}
        """
        return searched_by(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self._choice.precomputed:
            matrix_tags(tags, sparse=False)
        return tags

    def _fit_table(self, X: Any) -> Table:
        return super()._fit_table(as_matrix(X) if self._choice.precomputed else X)

    def _reads_as_numbers(self) -> bool:
        return self._choice.compares_numbers

    def _input_table(self, X: Any) -> Table:
        return super()._input_table(as_matrix(X) if self._choice.precomputed else X)

    def _array_table(self, X: Any, *, reset: bool) -> Table:
        if self._choice.precomputed:
            if sp.issparse(X):
                raise TypeError("Sparse precomputed kernels are not supported: give X.toarray().")
            return matrix_table(self, X, reset=reset, sparse=False)
        if self._choice.is_function and is_texts(X):
            return texts_table(self, X, reset=reset)
        return super()._array_table(X, reset=reset)

    def _weights(self, sample_weight: Any, n_rows: int) -> Floats | None:
        return super()._weights(positive_weights(sample_weight) if self.follows_libsvm else sample_weight, n_rows)

    def _training_rows(
        self, X: Any, read_target: Callable[[Any, int], Any], y: Any, sample_weight: Any, unlabelled: Any
    ) -> TrainingRows:
        """The rows to learn from; with `transductive`, those without a target tell the kernel what is frequent."""
        table, labelled = self._fit_table(X), None
        if getattr(self, "transductive", False):
            if self._choice.precomputed:
                raise MercerError("transductive=True: a precomputed kernel learns nothing from rows. Leave it out.")
            weight = super()._weights(sample_weight, len(table))
            labelled, y, sample_weight, unlabelled = split_unlabelled(table, y, weight, unlabelled)
            table = table.take(labelled)
        target = read_target(y, len(table))
        own = self._weights(sample_weight, len(table))
        more = None if unlabelled is None else conform_table(unlabelled, table.schema)
        if not self._choice.precomputed and not self._choice.is_function:
            columns = [] if y is None else list(target.T) if target.ndim == 2 else [target]
            table = self._flag_missing(table, columns, row_counts(own))
            more = more and self.missing_indicators_.apply(more)
        return TrainingRows(table, target, np.ones(len(table)) if own is None else own, own, more, labelled)

    def _fit_kernel(self, data: TrainingRows, gamma: Any, shared: bool = False) -> KernelRows:
        """Fit `kernel_`; its rows over the training table, which several problems ask for when `shared`."""
        n, common = len(data.table), self._shared_kernel
        if common is not None and common.kernel is not None and common.rows is not None:
            self._keep_shape(data)
            self.kernel_ = common.kernel
            return common.rows
        dtype, budget = kernel_dtype(self.precision, n), budget_bytes(self.cache_size)
        budget = budget if common is None else common.budget
        expect_room(n, dtype, budget)
        try:
            self._choose_kernel(data, gamma)
            if common is None:
                return kernel_rows(self.kernel_, data.table, dtype, budget, self._jobs, shared)
            rows = rows_on_demand(self.kernel_, data.table, dtype, budget, self._jobs)
        except TooLarge as error:
            raise TooLarge(f"The dual coefficients or intercepts are not finite: {error}") from None
        common.keep(self.kernel_, rows, data.table)
        return rows

    def _choose_kernel(self, data: TrainingRows, gamma: Any) -> None:
        """Fit `kernel_`, and warn where it is not positive semi-definite."""
        self._keep_shape(data)
        with at_most(self._jobs):
            self.kernel_ = self._choice.fitted(data, gamma)
        self._warn_indefinite(data.table)
        if self.kernel_.supervised and getattr(self, "probability", None) not in (None, False, "deprecated"):
            warnings.warn(
                f"{type(self.kernel_).__name__} has learned from the target of the rows whose decisions become "
                "probabilities: they will be too sure. scikit-learn's CalibratedClassifierCV fits the kernel in each "
                "fold.",
                MercerWarning,
                stacklevel=4,
            )

    def _keep_shape(self, data: TrainingRows) -> None:
        n = len(data.table) if data.labelled is None else int(data.labelled[-1]) + 1
        self.transductive_, self.shape_fit_ = data.unlabelled is not None, (n, self.n_features_in_)
        self._map, self._by_problem = None, False  # those of an earlier fit

    def _warn_indefinite(self, table: Table) -> None:
        if self.kernel_.positive:
            return
        places = evenly_spaced(len(table))
        some = table.take(places)
        if not isinstance(self.kernel_, Precomputed):
            gram = self.kernel_.gram(some, dtype=np.float64, n_jobs=self._jobs)
        elif len(table) == len(self.kernel_.schema_):
            gram = self.kernel_.values(some)[:, places]
            gram = (gram + gram.T) / 2  # more than rounding was refused before
        else:
            return  # rows without a label stand between those that are given
        found = check_gram(gram, name=repr(self.kernel_))
        if not found.symmetric:
            raise MercerError(f"{self.kernel_!r} is no kernel: k(a, b) and k(b, a) differ by {found.asymmetry:.3g}.")
        if not found.holds:
            warnings.warn(
                f"{self.kernel_!r} is not positive semi-definite: smallest eigenvalue {found.smallest:.3g}, largest "
                f"{found.largest:.3g}, on {found.n_rows} rows. The solution is a local one; see mercer.kernels.repair.",
                Indefinite,
                stacklevel=4,
            )

    def _keep_support(self, data: TrainingRows, rows: Longs, dual_coef: Floats, intercept: Any) -> None:
        """Set the training rows that predictions compare with, and their coefficients, (n_coef, n_support)."""
        self.support_ = (rows if data.labelled is None else data.labelled[rows]).astype(np.int32)
        self.support_rows_ = data.table.take(rows)
        self._keep_coef(dual_coef, np.array(intercept))

    def _keep_coef(self, dual_coef: Floats, intercept: Floats) -> None:
        self.dual_coef_ = sparse_result(dual_coef) if self._is_sparse else dual_coef
        self.intercept_ = intercept

    @property
    def _is_sparse(self) -> bool:
        """Whether what is said of the support vectors is sparse: they are, and no function compares them."""
        return self.follows_libsvm and self.support_rows_.is_sparse and not self._choice.is_function

    # The names under which exporters (skl2onnx, m2cgen) look for LIBSVM's coefficients and gamma.
    @property
    def _dual_coef_(self) -> Any:
        return self._libsvm_sign * self.dual_coef_

    @_dual_coef_.setter
    def _dual_coef_(self, values: Any) -> None:
        self.dual_coef_ = self._libsvm_sign * values

    @property
    def _intercept_(self) -> Floats:
        return self._libsvm_sign * self.intercept_

    @property
    def _gamma(self) -> float:
        return first_gamma(self.kernel_) or 0.0

    @property
    def _libsvm_sign(self) -> float:
        return 1.0

    @property
    def _coef_rows(self) -> Floats:
        """`dual_coef_` as an array."""
        return np.asarray(self.dual_coef_.toarray() if sp.issparse(self.dual_coef_) else self.dual_coef_)

    def _keep_outcome(self, outcomes: Sequence[Report]) -> None:
        """Set how well the problems are solved, and warn when the solver was stopped."""
        self.n_iter_ = np.minimum([s.iterations for s in outcomes], np.iinfo(np.int32).max).astype(np.int32)
        self.duality_gap_ = max(s.gap for s in outcomes)
        self.primal_, self.dual_ = sum(s.primal for s in outcomes), sum(s.dual for s in outcomes)
        stopped = [s for s in outcomes if s.status in ("max_iter", "time_limit")]
        self.fit_status_ = int(bool(stopped))
        if stopped:
            warnings.warn(self._early(stopped[0]), ConvergenceWarning, stacklevel=3)

    def _early(self, stopped: Report) -> str:
        if stopped.status == "time_limit":
            return (
                f"The solver met its limit of {self.time_limit:.3g} s (time_limit) before the best answer was found: "
                f"the duality gap is {self.duality_gap_:.3g}. Allow more time."
            )
        steps = stopped.iterations if self.max_iter < 0 else self.max_iter
        return (
            f"Solver terminated early (max_iter={steps}).  Consider pre-processing your data with StandardScaler or "
            f"MinMaxScaler. The duality gap is {self.duality_gap_:.3g}: scale the columns, raise max_iter, or lower C."
        )

    @property
    def n_support_(self) -> Ints:
        """Number of support vectors, of each class where there are classes."""
        return self._n_support

    @property
    def support_vectors_(self) -> Any:
        """Support vectors as numbers, when the table is numbers; empty for a precomputed kernel."""
        if isinstance(self.kernel_, Precomputed):
            return np.empty((0, 0))
        rows = self.support_rows_
        return sparse_result(rows.csr()) if rows.is_sparse else rows.numbers()

    def _products(self, table: Table, coef: Floats, part: slice = slice(None)) -> Floats:
        """sum_j k(x_i, x_j) coef_jc over some of the support vectors x_j, (n_rows, n_coef)."""
        if isinstance(self.kernel_, Precomputed):
            return np.asarray(self.kernel_.values(table)[:, self.support_[part]] @ coef)
        kept = self.support_rows_ if part == slice(None) else self.support_rows_.take(part)
        if not len(kept):
            return np.zeros((len(table), coef.shape[1]))
        common = self._shared_kernel
        found = None if common is None else common.products(self, table, coef, part)
        if found is None:
            dtype = kernel_dtype(self.precision, self.shape_fit_[0])
            found = self.kernel_.product(table, kept, np.ascontiguousarray(coef), dtype=dtype, n_jobs=self._jobs)
        refuse_infinite_sums(self.kernel_, found)
        return found

    def _decisions(self, table: Table) -> Floats:
        """sum_j dual_coef_cj k(x_i, x_j) + intercept_c, (n_rows, n_coef)."""
        if self._map is None:
            return self._products(table, self._coef_rows.T) + self.intercept_
        if isinstance(self._map, RandomMap):
            found = self._map.products(table, self._coef_rows) + self.intercept_
        else:
            dtype = kernel_dtype(self.precision, self.shape_fit_[0])
            found = self._map.decisions(self.kernel_, table, self.support_rows_, self._coef_rows, dtype, self._jobs)
        refuse_infinite_sums(self.kernel_, found)
        return found

    def _linear_coef(self, dual_coef: Floats) -> Any:
        """The weights of the columns that a linear kernel sees, (n_coef, n_columns)."""
        inner = self.kernel_.kernel_ if isinstance(self.kernel_, Encoded) else self.kernel_
        if not isinstance(inner, Linear):
            raise AttributeError("coef_ is only available when using a linear kernel")
        formula = self.kernel_.formula(self.support_rows_, np.dtype(np.float64))
        assert formula is not None
        found = sparse_result(sp.csr_array(dual_coef) @ formula[0]) if self._is_sparse else dual_coef @ formula[0]
        cells = found.data if self._is_sparse else found
        cells.flags.writeable = False  # predictions come from dual_coef_: a change here would do nothing
        return found

    def _fitted_state(self) -> State:
        approximate: State = {}
        if self.approximation is not None:
            approximate = {"by_problem": self._by_problem, "error": np.array([self.approximation_error_])}
            if self._map is not None:
                approximate["map"] = self._map.to_state()
        return approximate | {
            "kernel": self.kernel_.to_state(),
            "n_fit": int(self.shape_fit_[0]),
            "support": self.support_,
            "rows": table_state(self.support_rows_),
            "transductive": bool(self.transductive_),
            "dual_coef": self._coef_rows,
            "intercept": self.intercept_,
        }

    def _restore_support(self, state: Reader, n_coef: int, n_problems: int) -> None:
        """Set what `_fitted_state` gave; so many rows of coefficients, and intercepts."""
        self.shape_fit_ = (state.integer("n_fit", 1), self.n_features_in_)
        self.support_ = state.array("support", "int32", (None,), low=0, high=self.shape_fit_[0] - 1)
        self.support_rows_ = table_from_state(state.child("rows"))
        columns = self.support_rows_.schema.columns
        if len(self.support_rows_) != len(self.support_) or columns != self._learned_schema.columns:
            raise BadFile(f"{state.where}.rows do not fit the support or the schema.")
        self.transductive_ = state.flag("transductive")
        self._restore_map(state, n_problems)
        width = None if isinstance(self._map, RandomMap) else len(self.support_)
        n_coef = n_problems if self._by_problem else n_coef
        dual_coef = state.array("dual_coef", "float64", (n_coef, width))
        self.kernel_ = restore_kernel(state, self.support_rows_, dual_coef)
        self._keep_coef(dual_coef, state.array("intercept", "float64", (n_problems,)))

    def _restore_map(self, state: Reader, n_problems: int) -> None:
        if self.approximation is None:
            return
        self._by_problem = state.flag("by_problem")
        self.approximation_error_ = float(state.array("error", "float64", (1,), low=0.0, finite=False)[0])
        if self.approximation == "cells":
            self._map = Cells.from_state(state.child("map"), len(self.support_), n_problems)
        elif self.approximation == "features" and self._by_problem:
            self._map = RandomMap.from_state(state.child("map"))


def evenly_spaced(n_rows: int) -> Longs:
    """The rows on which a kernel is checked."""
    return np.unique(np.linspace(0, n_rows - 1, min(n_rows, _CHECKED_ROWS)).astype(np.int64))

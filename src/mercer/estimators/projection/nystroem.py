"""A kernel of low rank from landmark rows, as numeric columns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import AllLandmarks, BadFile
from mercer.estimators.kernel.approximation.choose import Selection, choose_landmarks
from mercer.estimators.kernel.approximation.error import entry_error, trace_error
from mercer.estimators.kernel.approximation.landmarks import Landmarks
from mercer.estimators.kernel.choice import KernelChoice
from mercer.estimators.kernel.row_function import OfRows
from mercer.estimators.kernel.rows import restore_kernel
from mercer.estimators.projection.base import KernelEncoder
from mercer.kernels import KERNEL, Kernel, KernelLike
from mercer.kernels.numeric.gamma import Gamma
from mercer.parameters import RANDOM_STATE, Choice, Dictionary, Number, Parameters
from mercer.state import Reader, State
from mercer.table import Column, Columns, Selector, Table, table_from_state, table_state


@shares_docs()
class Nystroem(KernelEncoder):
    """z(x) = k(Z, Z)^-1/2 k(Z, x), so that z(a).z(b) is close to k(a, b), for landmarks Z among the training rows.

    The columns compared become as many numeric ones as there are landmarks, on which a linear learner is a kernel
    machine; the others pass unchanged. Any kernel on any table: numbers, categories, text and missing cells. On the
    landmarks the kernel is exact, elsewhere never overstated: K - Z Z' is positive semi-definite.

    Parameters
    ----------
    kernel : str, Kernel or callable, default "rbf"
        "rbf", "linear", "poly", "sigmoid", "laplacian", "cosine", "chi2", "mixed", a mercer kernel such as
        RBF(0.5) + Lin(), or a function of two rows, as in scikit-learn; a name means what it means in SVC
        (`mercer.kernels.as_kernel`).
    gamma : float, {"scale", "auto"} or None, default None
        Inverse width of "rbf", "laplacian" and "chi2", factor of the dot product in "poly" and "sigmoid": above 0,
        "auto" (1 / columns), which None stands for, or "scale" (1 / (columns * variance)).
    coef0 : float or None, default None
        Constant of "poly" and "sigmoid"; None stands for 1.
    degree : int or None, default None
        Degree of "poly"; None stands for 3.
    kernel_params : dict or None, default None
        Further arguments of a kernel that is a function.
    n_components : int, default 100
        How many landmarks; all rows where there are fewer, with a warning.
    {random_state}
    {n_jobs}
    selection : {"uniform", "leverage", "kmeans", "cholesky"}, default "uniform"
        How landmarks are chosen: drawn at random, as in scikit-learn; drawn by their ridge leverage scores; the rows
        nearest to the centres of k-means in the kernel's space; or one after the other the row that the others explain
        least (pivoted Cholesky). All but the first look at 20,000 rows at most.
    on : str, list of str, selector or None, default None
        The columns compared; None for all.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel, fitted.
    rows_ : Table
        The landmarks Z.
    components_ : ndarray or sparse matrix of shape (n_landmarks, n_columns)
        The landmarks as numbers, when the table is numbers.
    component_indices_ : ndarray of shape (n_landmarks,)
        Their places among the training rows.
    normalization_ : ndarray of shape (n_landmarks, n_landmarks)
        k(Z, Z)^-1/2; directions that rounding hides are left out.
    error_ : float
        |K - Z Z'| / |K| over all pairs of 300 training rows at most.
    trace_error_ : float
        trace(K - Z Z') / trace(K) over the training rows, 20,000 at most. Times trace(K) it bounds the norm of
        K - Z Z', and so every entry, for a kernel that is positive semi-definite.
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    References
    ----------
    Williams and Seeger (2001), Using the Nystroem method to speed up kernel machines; Musco and Musco (2017), Recursive
    sampling for the Nystroem method; Harbrecht, Peters and Schneider (2012), On the low-rank approximation by the
    pivoted Cholesky decomposition.

    Examples
    --------
    >>> import mercer
    >>> rows = {"age": [25, 31, None, 52], "job": ["clerk", "sales", "clerk", None]}
    >>> encoder = mercer.Nystroem("mixed", n_components=3, random_state=0, selection="cholesky").fit(rows)
    >>> encoder.transform(rows).shape, 0 < encoder.error_ < 0.5
    ((4, 3), True)
    """

    parameters: ClassVar[Parameters] = {
        "kernel": KERNEL,
        "gamma": Number(0, above=True, words=("scale", "auto"), optional=True),
        "coef0": Number(optional=True),
        "degree": Number(0, whole=True, optional=True),
        "kernel_params": Dictionary(),
        "n_components": Number(1, whole=True),
        "random_state": RANDOM_STATE,
        "n_jobs": Number(whole=True, optional=True),
        "selection": Choice(Selection),
        "on": Columns(),
    }

    def __init__(
        self,
        kernel: KernelLike = "rbf",
        *,
        gamma: Gamma | None = None,
        coef0: float | None = None,
        degree: int | None = None,
        kernel_params: Mapping[str, Any] | None = None,
        n_components: int = 100,
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        selection: Selection = "uniform",
        on: Selector = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.selection = selection
        self.on = on

    @property
    def _choice(self) -> KernelChoice:
        kernel = self.kernel
        if callable(kernel) and not isinstance(kernel, Kernel):
            kernel = OfRows(kernel, self.kernel_params)
        coef0 = 1.0 if self.coef0 is None else self.coef0
        return KernelChoice(kernel, 3 if self.degree is None else self.degree, coef0)

    def _learn(self, table: Table, y: Any) -> None:
        rows, rng = table.select(list(self.names_)), check_random_state(self.random_state)
        if self.n_components > len(rows):
            warnings.warn(
                f"n_components={self.n_components} is more than the {len(rows)} rows, all of which are landmarks now: "
                "the kernel is exact. Lower n_components, or use a kernel machine, which needs no map.",
                AllLandmarks,
                stacklevel=4,
            )
        self.kernel_ = self._fitted_kernel(self._choice, self.gamma or "auto", rows)
        places = choose_landmarks(self.kernel_, rows, self.n_components, self.selection, rng, self._jobs)
        found = Landmarks.of(self.kernel_, rows, places, self._jobs)
        self._keep(found)
        self.error_ = entry_error(self.kernel_, found.features, rows, rng)
        self.trace_error_ = trace_error(self.kernel_, found.features, rows, rng)

    def _keep(self, found: Landmarks) -> None:
        self.rows_, self.component_indices_ = found.rows, found.places
        lengths = np.sqrt((found.normalization**2).sum(axis=0))  # eigenvectors over the roots of eigenvalues
        self.normalization_ = (found.normalization / lengths) @ found.normalization.T

    @property
    def components_(self) -> Any:
        """The landmarks as numbers, when the table is numbers."""
        return self.rows_.csr() if self.rows_.is_sparse else self.rows_.numbers()

    def _sparse_allowed(self) -> bool:
        return self.on is None  # all columns become dense ones, none that is sparse passes

    def _made(self) -> list[Column]:
        return self._numbered(len(self.rows_), "a feature of a kernel by landmarks")

    def _values(self, rows: Table) -> Floats:
        found = Landmarks(self.kernel_, self.rows_, self.component_indices_, self.normalization_)
        return found.features(rows, np.dtype(np.float64), self._jobs)

    def _fitted_state(self) -> State:
        return {
            "kernel": self.kernel_.to_state(), "rows": table_state(self.rows_), "places": self.component_indices_,
            "normalization": self.normalization_, "error": self.error_, "trace_error": self.trace_error_,
        }  # fmt: skip

    def _restore_fitted(self, state: Reader) -> None:
        self.rows_ = table_from_state(state.child("rows"))
        if tuple(self.rows_.schema.names) != self.names_:
            raise BadFile(f"{state.where}.rows do not have the columns compared.")
        m = len(self.rows_)
        self.component_indices_ = state.array("places", "int64", (m,), low=0)
        self.normalization_ = state.array("normalization", "float64", (m, m))
        self.kernel_ = restore_kernel(state, self.rows_, self.normalization_)
        self.error_, self.trace_error_ = state.number("error", 0.0), state.number("trace_error", 0.0)

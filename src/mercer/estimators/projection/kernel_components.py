"""Kernel principal components of any table as numeric columns."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.linalg import eigh

from mercer._core.threads import at_most
from mercer.arrays import Floats
from mercer.docstrings import shares_docs
from mercer.errors import BadFile, BadTable
from mercer.estimators.kernel.choice import KernelChoice
from mercer.estimators.kernel.rows import restore_kernel
from mercer.estimators.projection.base import KernelEncoder
from mercer.kernels import KERNEL, KernelLike
from mercer.kernels.base import refuse_overflow
from mercer.kernels.numeric.gamma import GAMMA, Gamma
from mercer.parameters import Number, Parameters
from mercer.state import Reader, State
from mercer.table import Column, Columns, Kind, Selector, Table, table_from_state, table_state


@shares_docs()
class KernelComponents(KernelEncoder):
    """z_j(x) = sum_i a_ij (k(x, x_i) - mean_i' k(x_i', x_i)), a_j = u_j / sqrt(d_j), for the eigenpairs of largest d_j.

    Kernel principal component analysis (Schoelkopf, Smola and Mueller 1998): u_j and d_j are of the kernel matrix of
    the training rows, centred in the feature space. The columns compared become `n_components` numeric ones, with which
    any learner of numbers sees what the kernel sees; the others pass unchanged. With kernel="linear" on numbers these
    are principal components.

    Parameters
    ----------
    n_components : int, default 2
        How many columns to make; fewer where the kernel matrix has fewer eigenvalues above 0.
    kernel : str, Kernel or callable, default "rbf"
        "rbf", "linear", "poly", "sigmoid", "laplacian", "cosine", "chi2", "mixed", a mercer kernel such as
        RBF(0.5) + Lin(), or a function of two arrays; a name means what it means in SVC
        (`mercer.kernels.as_kernel`).
    {gamma}
    {degree}
    {coef0}
    on : str, list of str, selector or None, default None
        The columns compared; None for all.
    {n_jobs}

    Attributes
    ----------
    kernel_ : Kernel
        The kernel, fitted.
    rows_ : Table
        The training rows x_i.
    eigenvalues_ : ndarray of shape (n_made,)
        d_j, largest first.
    explained_ : ndarray of shape (n_made,)
        Share of the variance in the feature space that each column holds.
    coef_ : ndarray of shape (n_rows, n_made)
        a_ij.
    {names_}
    {schema_out_}
    {schema_}
    {n_features_in_}
    {feature_names_in_}

    Examples
    --------
    >>> import mercer
    >>> rows = {"age": [25, 31, None, 52], "job": ["clerk", "sales", "clerk", None]}
    >>> mercer.KernelComponents(2).fit_transform(rows).shape
    (4, 2)
    """

    parameters: ClassVar[Parameters] = {
        "n_components": Number(1, whole=True),
        "kernel": KERNEL,
        "gamma": GAMMA,
        "degree": Number(0, whole=True),
        "coef0": Number(),
        "on": Columns(),
        "n_jobs": Number(whole=True, optional=True),
    }
    keeps_zeros = False

    def __init__(
        self,
        n_components: int = 2,
        kernel: KernelLike = "rbf",
        *,
        gamma: Gamma = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        on: Selector = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.on = on
        self.n_jobs = n_jobs

    def _learn(self, table: Table, y: Any) -> None:
        if len(table) < 2:
            raise BadTable(f"KernelComponents compares rows with each other: n_samples = {len(table)}, at least 2.")
        self.rows_ = table.select(list(self.names_))
        kernel = self._fitted_kernel(KernelChoice(self.kernel, self.degree, self.coef0), self.gamma, self.rows_)
        self.kernel_ = kernel
        with at_most(self._jobs):
            gram = kernel.gram(self.rows_, dtype=np.float64, n_jobs=self._jobs)
            refuse_overflow(kernel, gram[0], gram.diagonal())
            self._decompose(np.asarray(gram))

    def _decompose(self, gram: Floats) -> None:
        n, mean = len(gram), gram.mean(axis=0)
        centred = gram - mean - mean[:, None] + mean.mean()
        wanted = min(self.n_components, n)
        values, vectors = eigh(centred, subset_by_index=[n - wanted, n - 1])
        values, vectors = values[::-1], vectors[:, ::-1]
        kept = values > n * np.finfo(np.float64).eps * np.abs(gram).max() * n
        if not kept.any():
            raise BadTable(
                f"{self.kernel_!r} has no positive eigenvalue on these rows: all are alike, or it is not positive "
                "semi-definite. Use another kernel, or other columns."
            )
        values, vectors = values[kept], vectors[:, kept]
        vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))])
        self.eigenvalues_, self.explained_ = values, values / max(float(np.trace(centred)), values.sum())
        self.coef_ = vectors / np.sqrt(values)
        self._shift = mean @ self.coef_  # the columns of coef_ sum to 0, so that nothing else of the centring is left

    def _made(self) -> list[Column]:
        reason = "a kernel principal component"
        return [Column(f"component{j + 1}", Kind.NUMERIC, reason=reason) for j in range(len(self.eigenvalues_))]

    def _values(self, rows: Table) -> Floats:
        return self.kernel_.product(rows, self.rows_, self.coef_, dtype=np.float64, n_jobs=self._jobs) - self._shift

    def _fitted_state(self) -> State:
        return {
            "kernel": self.kernel_.to_state(), "rows": table_state(self.rows_), "eigenvalues": self.eigenvalues_,
            "explained": self.explained_, "coef": self.coef_, "shift": self._shift,
        }  # fmt: skip

    def _restore_fitted(self, state: Reader) -> None:
        self.rows_ = table_from_state(state.child("rows"))
        if tuple(self.rows_.schema.names) != self.names_:
            raise BadFile(f"{state.where}.rows do not have the columns compared.")
        self.eigenvalues_ = state.array("eigenvalues", "float64", (None,), low=0.0)
        m = len(self.eigenvalues_)
        self.explained_ = state.array("explained", "float64", (m,), low=0.0)
        self.coef_ = state.array("coef", "float64", (len(self.rows_), m))
        self._shift = state.array("shift", "float64", (m,))
        self.kernel_ = restore_kernel(state, self.rows_, self.coef_.T)

"""Gram matrices and kernel rows: dense or CSR numbers in, values of the numeric kernels out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._core.reference import gram as twin
from mercer._core.reference.gram import KINDS, Csr, is_sparse
from mercer._core.select import compiled
from mercer._core.threads import effective_jobs

Matrix: TypeAlias = Any  # float32 or float64: an ndarray, or a scipy.sparse CSR array
kernel_function = compiled(twin.kernel_function)
codes_kernel = compiled(twin.codes_kernel)
gram_into = compiled(twin.gram_into)
product_into = compiled(twin.kernel_product)
gram_rows = compiled(twin.gram_rows)
function_rows = compiled(twin.function_rows)
callback_rows = compiled(twin.callback_rows)
_ONE_BLOCK = 256  # rows that the decomposition (native/include/mercer/smo.hpp) solves as one block
_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))


@dataclass(frozen=True)
class KernelSpec:
    """kind: linear <a,b>; polynomial (gamma <a,b> + coef0)^degree; rbf exp(-gamma |a-b|^2); laplacian
    exp(-gamma |a-b|_1); sigmoid tanh(gamma <a,b> + coef0); distance |a-b|^2."""

    kind: str = "rbf"
    gamma: float = 1.0
    coef0: float = 0.0
    degree: float = 3.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kernel {self.kind!r} is not one of {', '.join(KINDS)}.")

    @property
    def code(self) -> int:
        """The number of the kind in native code."""
        return KINDS.index(self.kind)


def gram(a: Matrix, b: Matrix | None, spec: KernelSpec, n_jobs: int | None = None) -> NDArray[Any]:
    """k(a_i, b_j), shape (rows of a, rows of b), in a's dtype; b None: a against itself, exactly symmetric."""
    a, other = checked(a), checked(a if b is None else b)
    values = np.empty((a.shape[0], other.shape[0]), dtype=a.dtype)
    gram_into(_function(a, a if b is None else other, spec), values, effective_jobs(n_jobs))
    return values


def kernel_product(
    a: Matrix, b: Matrix, coef: NDArray[np.float64], spec: KernelSpec, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """K(a, b) @ coef, shape (rows of a, columns of coef), without ever holding K: prediction from support rows."""
    a, b = checked(a), checked(b)
    coef = np.ascontiguousarray(coef, dtype=np.float64)
    out = np.empty((a.shape[0], coef.shape[1]))
    product_into(_function(a, b, spec), coef, out, effective_jobs(n_jobs))
    return out


@dataclass(frozen=True)
class KernelRows:
    """A source of kernel rows: `rows(index)` gives them, `handle` is what `smo_solve` takes them from, one thread at a
    time; `gram` is the whole matrix where that is in memory; `part(index)` where rows are computed from numbers is the
    source of the matrix of some of them alone, by one thread; `room` is how many bytes such matrices may take."""

    n: int
    dtype: np.dtype[Any]
    rows: Callable[[NDArray[np.int32]], NDArray[Any]]
    handle: Any = None
    gram: NDArray[Any] | None = None
    part: Callable[[NDArray[np.int32]], KernelRows] | None = None
    room: int = 0


def rows_of_gram(matrix: NDArray[Any]) -> KernelRows:
    """Rows of a Gram matrix in memory."""
    matrix = checked(matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"A Gram matrix is square; this one has shape {matrix.shape}.")
    return KernelRows(len(matrix), matrix.dtype, lambda index: matrix[index], gram_rows(matrix), matrix)


def rows_of_data(x: Matrix, spec: KernelSpec, budget_bytes: int, n_jobs: int | None = None) -> KernelRows:
    """Rows computed from the data when first needed and kept, least recently used out, within `budget_bytes`."""
    x = checked(x)
    n = x.shape[0]
    expect_budget(n, x.dtype, budget_bytes)
    handle = function_rows(_function(x, x, spec), budget_bytes)
    return KernelRows(
        n, x.dtype, lambda index: gram(x[index], x, spec, n_jobs), handle,
        part=lambda index: _rows_of_part(x[index], spec), room=budget_bytes,
    )  # fmt: skip


def _rows_of_part(x: Matrix, spec: KernelSpec) -> KernelRows:
    """Rows of the matrix of so few rows that it fits, by one thread: at once where the solver asks for all of them."""
    n = x.shape[0]
    if n <= _ONE_BLOCK:
        return rows_of_gram(gram(x, None, spec, 1))
    return rows_of_data(x, spec, n * n * x.dtype.itemsize, 1)


def rows_of_callable(
    function: Callable[[NDArray[np.int32]], NDArray[Any]], n: int, dtype: Any, budget_bytes: int
) -> KernelRows:
    """Rows that `function(index) -> (len(index), n)` computes, kept within `budget_bytes`: any kernel at all."""
    kind = np.dtype(dtype)
    expect_budget(n, kind, budget_bytes)

    def rows(index: NDArray[np.int32]) -> NDArray[Any]:
        return np.ascontiguousarray(function(index), dtype=kind)

    return KernelRows(n, kind, function, callback_rows(rows, n, kind == np.float32, budget_bytes))


def expect_budget(n: int, dtype: np.dtype[Any], budget_bytes: int) -> None:
    needed = 2 * n * dtype.itemsize
    if budget_bytes < needed:
        raise ValueError(
            f"The memory budget of {budget_bytes / 1e6:.3g} MB does not hold two kernel rows of {n} entries "
            f"({needed / 1e6:.3g} MB). Raise it, or use a linear model."
        )


def checked(x: Matrix) -> Matrix:
    if x.dtype not in _DTYPES:
        raise ValueError(f"Kernels take float32 or float64 arrays, not {x.dtype}.")
    if is_sparse(x):
        return x if x.format == "csr" and x.has_canonical_format else _canonical(x)
    return np.ascontiguousarray(x)


def _canonical(x: Any) -> Any:
    csr = sparse.csr_array(x, copy=True)
    csr.sum_duplicates()
    return csr


def _function(a: Matrix, b: Matrix, spec: KernelSpec) -> Any:
    if a.shape[1] != b.shape[1]:
        raise ValueError(f"Both sides of a kernel need the same columns: {a.shape[1]} and {b.shape[1]}.")
    if a.dtype != b.dtype:
        raise ValueError(f"Both sides of a kernel need one dtype: {a.dtype} and {b.dtype}.")
    if is_sparse(a) != is_sparse(b):
        a, b = _densest(a), _densest(b)
    left = native_matrix(a)
    return kernel_function(left, left if b is a else native_matrix(b), spec)


def _densest(x: Matrix) -> Matrix:
    return np.ascontiguousarray(x.toarray()) if is_sparse(x) else x


def native_matrix(x: Matrix) -> NDArray[Any] | Csr:
    """A `checked` matrix as native functions take it."""
    if not is_sparse(x):
        dense: NDArray[Any] = x
        return dense
    return Csr(x.data, x.indices.astype(np.int32, copy=False), x.indptr.astype(np.int64), x.shape[1])

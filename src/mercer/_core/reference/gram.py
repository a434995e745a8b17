"""NumPy twins of the kernel functions: the formulas, without a thought for speed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer.arrays import Floats

KINDS = ("linear", "polynomial", "rbf", "laplacian", "sigmoid", "distance")


class Csr(NamedTuple):
    """A CSR matrix as native code takes it; entries of row i are starts[i] to starts[i + 1]."""

    values: NDArray[Any]
    columns: NDArray[np.int32]
    starts: NDArray[np.int64]
    n_columns: int


@dataclass(frozen=True)
class KernelFunction:
    """k between left and right rows: `values(index)` gives the rows `index` of the matrix (left, right)."""

    values: Callable[[Any], NDArray[Any]]
    n: int
    dtype: np.dtype[Any]


@dataclass(frozen=True)
class RowSource:
    """Rows of a square kernel matrix, by number."""

    rows: Callable[[NDArray[np.int32]], NDArray[Any]]
    n: int


def is_sparse(x: Any) -> bool:
    """Whether x is a scipy.sparse matrix or array."""
    return bool(sparse.issparse(x))


def kernel_function(a: Any, b: Any, spec: Any) -> KernelFunction:
    """k(a_i, b_j) of two matrices, each an array or a Csr; spec: a KernelSpec."""
    left, right = dense(a), dense(b)
    kernel = (spec.kind, spec.gamma, spec.coef0, spec.degree)
    return KernelFunction(lambda index: gram(left[index], right, *kernel), len(left), left.dtype)


def codes_kernel(a: NDArray[np.int32], b: NDArray[np.int32], tables: Any, single: bool) -> KernelFunction:
    """k(a_i, b_j) of two matrices of codes; tables: a CodeTables; single: in float32."""
    dtype = np.dtype(np.float32 if single else np.float64)
    return KernelFunction(lambda index: codes_gram(a[index], b, tables).astype(dtype), len(a), dtype)


def gram_into(function: KernelFunction, out: NDArray[Any], n_jobs: int) -> None:
    """Write the whole matrix."""
    out[...] = function.values(slice(None))


def kernel_product(function: KernelFunction, coef: Floats, out: Floats, n_jobs: int) -> None:
    """out = K coef, in float64."""
    out[...] = function.values(slice(None)).astype(np.float64) @ coef


def gram_rows(matrix: NDArray[Any]) -> RowSource:
    """Rows of a Gram matrix in memory."""
    return RowSource(lambda index: matrix[index], len(matrix))


def function_rows(function: KernelFunction, budget_bytes: int) -> RowSource:
    """Rows of a symmetric kernel function; native code keeps them within the budget."""
    return RowSource(function.values, function.n)


def callback_rows(function: Callable[..., NDArray[Any]], n: int, single: bool, budget_bytes: int) -> RowSource:
    """Rows that a Python function computes."""
    return RowSource(function, n)


def gram(a: Any, b: Any, kind: str, gamma: float, coef0: float, degree: float) -> NDArray[Any]:
    """The matrix k(a_i, b_j) in the dtype of `a`; the formulas stand in native/include/mercer/gram.hpp."""
    dtype = a.dtype
    x = np.asarray(a.toarray() if is_sparse(a) else a, dtype=np.float64)
    z = np.asarray(b.toarray() if is_sparse(b) else b, dtype=np.float64)
    out: Floats
    if kind == "laplacian":
        out = np.stack([np.exp(-gamma * np.abs(row - z).sum(axis=1)) for row in x]) if len(x) else np.empty((0, len(z)))
    elif kind in ("rbf", "distance"):
        d = np.stack([np.square(row - z).sum(axis=1) for row in x]) if len(x) else np.empty((0, len(z)))
        out = d if kind == "distance" else np.exp(-gamma * d)
    else:
        dot = x @ z.T
        if kind == "polynomial":
            out = (gamma * dot + coef0) ** degree
        else:
            out = np.tanh(gamma * dot + coef0) if kind == "sigmoid" else dot
    return out.astype(dtype)


def codes_gram(a: NDArray[np.int32], b: NDArray[np.int32], tables: Any) -> Floats:
    """The matrix of mercer._core.codes_gram by its definition, column by column."""
    out = np.zeros((len(a), len(b)))
    norms = [np.zeros(len(a)), np.zeros(len(b))]
    for c in range(a.shape[1]):
        table = np.pad(tables.table(c), ((0, 1), (0, 1)))  # code -1 picks the last row and column: zeros
        out += table[a[:, c][:, None], b[:, c][None, :]]
        if tables.norm is not None:
            level = np.append(tables.norm[tables.offsets[c] : tables.offsets[c + 1]], 0.0)
            norms = [norms[0] + level[a[:, c]], norms[1] + level[b[:, c]]]
    if tables.norm is None:
        return out
    total = np.add.outer(*norms)
    return np.where(total == 0, 1.0, out / np.where(total == 0, 1.0, total))


def dense(x: Any) -> NDArray[Any]:
    """An array, or a Csr written out."""
    if not isinstance(x, Csr):
        return np.asarray(x)
    shape = (len(x.starts) - 1, x.n_columns)
    return np.asarray(sparse.csr_array((x.values, x.columns, x.starts), shape=shape).toarray())

"""Rows of the kernel matrix within a memory budget: all of it, or computed when needed and the latest kept."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mercer._core.gram import KernelRows, rows_of_callable, rows_of_data, rows_of_gram
from mercer._core.memory import physical_memory
from mercer.arrays import Floats
from mercer.errors import BadFile, BeyondMemory, MercerError, TooLarge
from mercer.formatting import byte_size
from mercer.kernels import Composite, Kernel, Precomputed
from mercer.kernels.base import refuse_overflow
from mercer.state import LARGEST_SQUARE, Reader
from mercer.table import Table

Precision = Literal["auto", "single", "double"]
_DOUBLE_ROWS = 5000  # up to here the matrix of doubles is at most 200 MB; beyond, single precision halves the memory
_PER_ROW = 160  # bytes of the solver's own vectors: bounds, gradient, order, where a row is kept
_BLOCK = 40_000_000  # bytes of the matrix of its working set, 19 MB of doubles, and of rows computed ahead, 17 MB
_COPIES = 3  # matrices that a sum or product of kernels holds at a time
_AT_ONCE = 1000  # rows up to which the whole matrix takes a millisecond or so
_KEPT = 5_000  # rows of a cheap formula kept: the solver's working set and those it has just left
CHEAP = 256  # numbers a row from which computing a kernel value anew costs more than fresh memory for it
_FEW = 0.02  # share of the rows kept below which most are recomputed many times


def kernel_dtype(precision: Precision, n_rows: int) -> np.dtype[Any]:
    """Of kernel values over so many training rows."""
    single = precision == "single" or (precision == "auto" and n_rows > _DOUBLE_ROWS)
    return np.dtype(np.float32 if single else np.float64)


def budget_bytes(cache_size: float | None) -> int:
    """Bytes for kernel rows: cache_size megabytes, or a quarter of the machine's memory."""
    if cache_size is None:
        return physical_memory() // 4
    return int(min(float(cache_size) * 1e6, 2.0**62))


def expect_room(n_rows: int, dtype: np.dtype[Any], budget: int) -> None:
    """MercerError unless the budget holds two kernel rows, which every solver needs at once."""
    needed = 2 * n_rows * dtype.itemsize
    if budget < needed:
        raise MercerError(
            f"The memory budget of {byte_size(budget)} (cache_size) does not hold two kernel rows of {n_rows:,} "
            f"entries ({byte_size(needed)}); the whole matrix takes {byte_size(n_rows**2 * dtype.itemsize)}. Raise "
            "cache_size, or use LinearSVC or LinearSVR, which keep no kernel rows."
        )


def kernel_rows(
    kernel: Kernel, table: Table, dtype: np.dtype[Any], budget: int, n_jobs: int | None, shared: bool = False
) -> KernelRows:
    """Rows of the matrix of a fitted kernel over a table; never more bytes than the budget and a fifth.

    shared : whether several problems ask for the same rows

    A single problem asks for about half of the rows, and rows of a formula are cheaper to recompute than to allocate:
    they are computed when asked for, and only the latest are kept.
    """
    whole = len(table) ** 2 * dtype.itemsize
    formula = kernel.formula(table, dtype) if whole > budget or (not shared and len(table) > _AT_ONCE) else None
    if formula is None and (whole <= budget or isinstance(kernel, Precomputed)):  # a matrix given is in memory already
        gram = np.ascontiguousarray(whole_matrix(kernel, table, dtype, budget - whole, n_jobs))
        refuse_overflow(kernel, gram[0], gram.diagonal())
        return rows_of_gram(gram)
    cells = 0 if formula is None else formula[0].data.nbytes
    room = _room(len(table), dtype, budget, 2 * cells)
    if formula is not None:
        if cells <= CHEAP * len(table) * dtype.itemsize:
            room = min(room, _KEPT * len(table) * dtype.itemsize)
        source = rows_of_data(formula[0], formula[1], room, n_jobs)
        with np.errstate(over="ignore"):
            diagonal = kernel.diag(table, dtype=dtype)
        refuse_overflow(kernel, source.rows(np.zeros(1, dtype=np.int32))[0], diagonal)
        return source
    return rows_of_callable(
        lambda rows: kernel.gram(table.take(rows), table, dtype=dtype, n_jobs=n_jobs), len(table), dtype, room
    )


def rows_on_demand(kernel: Kernel, table: Table, dtype: np.dtype[Any], budget: int, n_jobs: int | None) -> KernelRows:
    """Rows that are computed when first asked for and all kept, where the budget holds them; else as `kernel_rows`.

    For machines of several costs, which ask for the rows of nearly the same support vectors: of a rare class these are
    few, and of the whole matrix, which is symmetric, half the values are computed.
    """
    whole = len(table) ** 2 * dtype.itemsize
    if len(table) <= _AT_ONCE or whole > budget or isinstance(kernel, Precomputed):
        return kernel_rows(kernel, table, dtype, budget, n_jobs, shared=True)
    with np.errstate(over="ignore"):
        diagonal = kernel.diag(table, dtype=dtype)
    refuse_overflow(kernel, kernel.gram(table.take(slice(0, 1)), table, dtype=dtype, n_jobs=n_jobs)[0], diagonal)
    return rows_of_callable(
        lambda rows: kernel.gram(table.take(rows), table, dtype=dtype, n_jobs=n_jobs), len(table), dtype, whole
    )


def _room(n_rows: int, dtype: np.dtype[Any], budget: int, cells: int) -> int:
    """What is left for rows beside the data and the solver's vectors; warns when that is next to nothing."""
    room = max(budget - cells - _PER_ROW * n_rows - _BLOCK, budget // 2, 2 * n_rows * dtype.itemsize)
    kept = room // (n_rows * dtype.itemsize)
    if kept < _FEW * n_rows:
        warnings.warn(
            f"The kernel matrix of {n_rows:,} rows takes {byte_size(n_rows**2 * dtype.itemsize)}, but the memory "
            f"budget holds {kept:,} rows of it: most are recomputed many times. Give a time_limit, raise cache_size, "
            "train on fewer rows, or use LinearSVC or LinearSVR.",
            BeyondMemory,
            stacklevel=5,
        )
    return room


def whole_matrix(kernel: Kernel, table: Table, dtype: np.dtype[Any], spare: int, n_jobs: int | None) -> NDArray[Any]:
    """The whole matrix: at once, or by blocks of rows when a composite kernel's copies of it would not fit."""
    n = len(table)
    if not isinstance(kernel, Composite) or kernel.formula(table.take(slice(0, 1)), dtype) is not None:
        return np.asarray(kernel.gram(table, dtype=dtype, n_jobs=n_jobs))
    if (_COPIES - 1) * n * n * dtype.itemsize <= spare:
        return np.asarray(kernel.gram(table, dtype=dtype, n_jobs=n_jobs))
    out = np.empty((n, n), dtype=dtype)
    step = max(1, n // 32)
    for start in range(0, n, step):
        rows = table.take(slice(start, start + step))
        out[start : start + step] = kernel.gram(rows, table, dtype=dtype, n_jobs=n_jobs)
    return out


def refuse_infinite_sums(kernel: Kernel, sums: Floats) -> None:
    """TooLarge when sums of kernel values with a row, (n_rows, n_sums), are beyond what a number can hold."""
    if not np.isfinite(sums).all():
        row = int(np.argmin(np.isfinite(sums).all(axis=1)))
        raise TooLarge(
            f"Row {row + 1} is too large for {kernel!r}, which overflows there. Correct it, or leave it out."
        )


def restore_kernel(state: Reader, support: Table, dual_coef: Floats) -> Kernel:
    """The stored kernel; BadFile where its sums over the support vectors are beyond what a number can hold."""
    kernel = Kernel.from_state(state.child("kernel"))
    if isinstance(kernel, Precomputed) or not len(support):
        return kernel
    with np.errstate(over="ignore", invalid="ignore"):
        largest = np.abs(kernel.diag(support, dtype=np.float64)).max() * np.abs(dual_coef).sum(axis=1).max()
    if not largest < LARGEST_SQUARE:
        raise BadFile(f"{state.where}.kernel overflows on the support vectors.")
    return kernel

"""Gram matrices of category columns: integer codes in, similarities out.

    k(a, b) = sum over columns c of weight_c S_c(a_c, b_c)  [ / (norm(a) + norm(b)) ]
    S_c(a, b) = match_c(a) when a = b, else zero | 1 / (1 + u_c(a) u_c(b)) | 2 log(u_c(a) + u_c(b))

Overlap and the Goodalls differ in `match` alone; IOF has u = log f, OF has u = log(N / f) (both "reciprocal"); Lin has
match = 2 log p, u = p ("logarithm") and norm = log p. Code -1 is missing: it adds nothing to the sum or to the norm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._core.gram import codes_kernel, gram_into
from mercer._core.threads import effective_jobs
from mercer.arrays import Floats

Codes = NDArray[np.int32]  # (rows, columns)
MISMATCHES = ("zero", "reciprocal", "logarithm")


@dataclass(frozen=True)
class CodeTables:
    """Per level, column after column: those of column c are offsets[c] to offsets[c + 1]; weight is per column."""

    offsets: NDArray[np.int64]
    match: Floats
    u: Floats
    weight: Floats
    norm: Floats | None = None
    mismatch: str = "zero"

    def __post_init__(self) -> None:
        if self.mismatch not in MISMATCHES:
            raise ValueError(f"mismatch {self.mismatch!r} is not one of {', '.join(MISMATCHES)}.")

    @property
    def code(self) -> int:
        """The number of the form of mismatches in native code."""
        return MISMATCHES.index(self.mismatch)

    def contiguous(self) -> CodeTables:
        """The same with arrays as native code takes them."""
        match, u, weight = (np.ascontiguousarray(x, np.float64) for x in (self.match, self.u, self.weight))
        norm = None if self.norm is None else np.ascontiguousarray(self.norm, np.float64)
        offsets = np.ascontiguousarray(self.offsets, np.int64)
        return CodeTables(offsets, match, u, weight, norm, self.mismatch)

    def table(self, c: int) -> Floats:
        """weight_c S_c for every pair of levels of column c."""
        part = slice(int(self.offsets[c]), int(self.offsets[c + 1]))
        u = self.u[part]
        if self.mismatch == "reciprocal":
            table = 1 / (1 + np.multiply.outer(u, u))
        elif self.mismatch == "logarithm":
            table = 2 * np.log(np.add.outer(u, u))
        else:
            table = np.zeros((len(u), len(u)))
        np.fill_diagonal(table, self.match[part])
        scaled: Floats = self.weight[c] * table
        return scaled


def codes_gram(
    a: Codes, b: Codes | None, tables: CodeTables, dtype: Any = np.float32, n_jobs: int | None = None
) -> NDArray[Any]:
    """k(a_i, b_j), shape (rows of a, rows of b); b None: a against itself."""
    other = a if b is None else b
    out = np.empty((len(a), len(other)), dtype=dtype)
    gram_into(_function(a, other, tables, np.dtype(dtype)), out, effective_jobs(n_jobs))
    return out


def _function(a: Codes, b: Codes, tables: CodeTables, dtype: np.dtype[Any]) -> Any:
    if dtype not in (np.float32, np.float64):
        raise ValueError(f"Kernels are float32 or float64, not {dtype}.")
    left = np.ascontiguousarray(a, dtype=np.int32)
    right = left if b is a else np.ascontiguousarray(b, dtype=np.int32)
    return codes_kernel(left, right, tables.contiguous(), dtype == np.float32)

"""Sums over the rows of a matrix, chunk after chunk, on several threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from mercer._core.threads import effective_jobs, single_blas_thread

Sums: TypeAlias = tuple[Any, ...]
_CHUNK = 2**17  # cells: 1 MiB, which stays in the cache of one core between its uses
_BLOCKS = 4  # fixed, so that sums do not depend on the number of threads


def chunks(
    X: Any, start: int = 0, stop: int | None = None, sparse: bool = False, size: int | None = None
) -> Iterator[tuple[slice, Any]]:
    """Consecutive rows of a dense or CSR matrix as dense float64; with `sparse`, those of a CSR matrix stay CSR.

    With a size, so many rows at a time of what may be any matrix, as they are.
    """
    n, d = X.shape
    stop = n if stop is None else stop
    sparse = size is not None or (sparse and sp.issparse(X))
    if size is None:
        size = max(256, int(_CHUNK / max(X.nnz / max(n, 1) if sparse else d, 1)))
    for first in range(start, stop, size):
        rows = slice(first, min(first + size, stop))
        part = X[rows]
        yield rows, part if sparse else part.toarray() if sp.issparse(part) else np.asarray(part, dtype=np.float64)


def sum_rows(X: Any, work: Callable[[slice, Any], Sums], sparse: bool = False, size: int | None = None) -> Sums:
    """The sums over `chunks` of what `work(rows, chunk)` returns: a tuple of numbers and arrays.

    Four blocks of rows are summed one by one and then together, in this order whatever thread did them.
    """
    n = X.shape[0]
    edges = [n * k // _BLOCKS for k in range(_BLOCKS + 1)] if n >= 4096 else [0, n]
    spans = [(a, b) for a, b in pairwise(edges) if b > a]

    def block(span: tuple[int, int]) -> Sums:
        return _total(work(rows, part) for rows, part in chunks(X, *span, sparse, size))

    with single_blas_thread():
        jobs = min(effective_jobs(None), len(spans))
        if jobs == 1:
            return _total(map(block, spans))
        with ThreadPoolExecutor(jobs) as pool:
            return _total(pool.map(block, spans))


def _total(pieces: Any) -> Sums:
    total: list[Any] = []
    for piece in pieces:
        total = [a + b for a, b in zip(total, piece, strict=True)] if total else list(piece)
    return tuple(total)

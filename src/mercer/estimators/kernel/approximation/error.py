"""How far a kernel of low rank, z(a).z(b), is from the kernel itself, measured on rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from mercer.arrays import Array
from mercer.estimators.kernel.approximation.choose import SOUGHT_ROWS
from mercer.kernels import Kernel
from mercer.table import Table

Features: TypeAlias = Callable[[Table, np.dtype[Any]], Array]
COMPARED = 300  # rows, all pairs of which are compared
_CHUNK = 2000


def entry_error(kernel: Kernel, features: Features, table: Table, rng: np.random.RandomState) -> float:
    """|K - Z Z'| / |K| in Frobenius' norm over all pairs of up to 300 rows drawn from the table."""
    return compared_error(kernel, features, table.take(np.sort(rng.permutation(len(table))[:COMPARED])))


def compared_error(kernel: Kernel, features: Features, rows: Table) -> float:
    """|K - Z Z'| / |K| in Frobenius' norm over all pairs of these rows."""
    gram = np.asarray(kernel.gram(rows, dtype=np.float64))
    z = features(rows, np.dtype(np.float64))
    size = float(np.linalg.norm(gram))
    return float(np.linalg.norm(gram - z @ z.T)) / size if size > 0 else 0.0


def trace_error(kernel: Kernel, features: Features, table: Table, rng: np.random.RandomState) -> float:
    """trace(K - Z Z') / trace(K) over the table, or 20,000 rows drawn from it.

    For landmarks K - Z Z' is positive semi-definite, so that its trace bounds its norm, and no entry is off by more
    than the trace of it.
    """
    rows = table if len(table) <= SOUGHT_ROWS else table.take(np.sort(rng.permutation(len(table))[:SOUGHT_ROWS]))
    whole = left = 0.0
    for part in rows.chunks(_CHUNK):
        own = kernel.diag(part, dtype=np.float64)
        z = features(part, np.dtype(np.float64))
        whole, left = whole + float(own.sum()), left + float((own - np.einsum("ij,ij->i", z, z)).sum())
    return max(left, 0.0) / whole if whole > 0 else 0.0

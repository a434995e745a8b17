"""Do 50 penalties by leave-one-out take less than twice one fit of scikit-learn's KernelRidge?

MERCER_ROWS, 8,000 when not set, is the number of rows of California housing. A linear kernel has as many eigenvalues as
columns, which a pivoted Cholesky decomposition finds. Of the matrix of an RBF kernel the large eigenvalues are enough
where a sample of rows shows so, as it does here; in full it takes some 27 times the flops of the Cholesky factorisation
that the rival stops at. A kernel of low rank, by landmarks, has its path from the products of the features.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import svm_tables
from harness import Row, best
from sklearn.kernel_ridge import KernelRidge

import mercer


def rows(data: Path) -> Iterator[Row]:
    n = int(os.environ.get("MERCER_ROWS", "8000"))
    x, y = (part[:n].astype(np.float64) for part in svm_tables.california(data)[:2])
    grid = mercer.Grid(rows=n)
    for kernel in ("linear", "rbf"):
        given = {"kernel": kernel, "gamma": 1 / x.shape[1] if kernel == "rbf" else None}
        theirs = best(partial(KernelRidge(0.1, **given).fit, x, y), 2)
        one = best(partial(mercer.KernelRidge(0.1, **given).fit, x, y), 2)
        yield Row(f"{kernel}, {n:,} rows, one penalty", one, theirs, "scikit-learn, one", "1x")
        path = best(partial(mercer.KernelRidge("cv", **given, grid=grid).fit, x, y), 1)
        yield Row(f"{kernel}, {n:,} rows, 50 penalties by leave-one-out", path, theirs, "scikit-learn, one", "0.5x")
        if kernel == "rbf":
            for rank in (500, 1000):
                low = mercer.KernelRidge("cv", **given, grid=grid, approximation="nystroem", rank=rank)
                path = best(partial(low.fit, x, y), 1)
                name = f"{kernel}, {n:,} rows, 50 penalties by leave-one-out, {rank:,} landmarks"
                yield Row(name, path, theirs, "scikit-learn, one", "0.5x")

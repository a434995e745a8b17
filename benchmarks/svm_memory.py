"""Does a fit stay within its memory budget plus a fifth, grow no faster than n^2, and compare categories in under 3x
the time of numbers?

Memory: what the process grew by at most while SVC was fitted, against `cache_size`; when the matrix does not fit, rows
of it are computed as needed. Growth: the time of a fit of twice the rows, in units of the time before.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import svm_tables
from harness import Row, best, peak_extra
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer._core.codes_gram import CodeTables, codes_gram
from mercer._core.gram import KernelSpec, gram
from mercer.errors import MercerWarning

BUDGETS = {20_000: (200, 1000, 2000), 100_000: (500, 2000), 581_012: (1000, 4000)}  # rows: megabytes
SECONDS = 60  # after which the fits of the memory table stop, with a usable model
SIZES = (5_000, 10_000, 20_000, 40_000)


def rows(data: Path) -> Iterator[Row]:
    x, y, *_ = svm_tables.covtype(data, 581_012, 0)
    yield from memory(x, y)
    yield from growth(x, y)
    yield from categories()


def memory(x: np.ndarray, y: np.ndarray) -> Iterator[Row]:
    for n, budgets in BUDGETS.items():
        for megabytes in budgets:
            model = mercer.SVC(C=10.0, gamma=4.0, cache_size=megabytes, time_limit=SECONDS, precision="single")
            part, labels = x[:n].copy(), y[:n].copy()
            start = time.perf_counter()
            peak = peak_extra(lambda m=model, a=part, b=labels: quiet_fit(m, a, b)) / 1e6
            taken = time.perf_counter() - start
            label = f"covtype {n:,} rows, gap {model.duality_gap_ / (10.0 * n):.3f} of C n after {taken:.0f} s"
            yield Row(label, peak, megabytes, "budget", "0.83x", "MB")


def quiet_fit(model: mercer.SVC, x: np.ndarray, y: np.ndarray) -> None:
    """A fit that may stop in time, and say so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MercerWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(x, y)


def growth(x: np.ndarray, y: np.ndarray) -> Iterator[Row]:
    taken: dict[int, float] = {}
    for n in SIZES:
        model = mercer.SVC(C=10.0, gamma=4.0, cache_size=8000, precision="single")
        taken[n] = best(lambda m=model, k=n: m.fit(x[:k], y[:k]), 4)
        if n // 2 in taken:
            label = f"covtype {n // 2:,} to {n:,} rows: {taken[n // 2]:.2f} s to {taken[n]:.2f} s"
            yield Row(label, taken[n] / taken[n // 2], 4.0, "n^2", "1x", "times")


def categories(n: int = 20_000, columns: int = 50, levels: int = 10) -> Iterator[Row]:
    """The Gram matrices of three kinds of categorical kernels, against RBF's on as many numbers."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(size=(n, columns)).astype(np.float32)
    codes = rng.integers(0, levels, size=(n, columns)).astype(np.int32)
    offsets = np.arange(0, levels * columns + 1, levels, dtype=np.int64)
    match, u = rng.random(levels * columns) + 0.5, rng.random(levels * columns) + 0.5
    rbf = best(lambda: gram(numbers, None, KernelSpec("rbf", 0.02)), 2)
    for mismatch in ("zero", "reciprocal", "logarithm"):
        tables = CodeTables(offsets, match, u, np.ones(columns), None, mismatch)
        ours = best(lambda t=tables: codes_gram(codes, None, t), 2)
        yield Row(f"Gram {n:,} x {n:,}, {columns} categories, mismatch {mismatch}", ours, rbf, "RBF numbers", "0.33x")

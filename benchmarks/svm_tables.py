"""The tables of the kernel-machine benchmarks, as float32 arrays: (x, y, test x, test y)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from harness import unpacked
from sklearn.datasets import load_svmlight_file

Split = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def covtype(data: Path, n: int, n_test: int = 10_000) -> Split:
    """Class 2 against the rest, columns on [0, 1]."""
    with unpacked(data / "covtype" / "covtype.csv.gz") as path:
        cells = pl.read_csv(path).to_numpy().astype(np.float64)
    x, y = cells[:, :-1], np.where(cells[:, -1] == 2, 1.0, -1.0)
    x = (x - x.min(axis=0)) / np.maximum(np.ptp(x, axis=0), 1e-12)
    return _split(x, y, n, n_test)


def a9a(data: Path) -> Split:
    x, y = load_svmlight_file(str(data / "a9a" / "a9a"), n_features=123, dtype=np.float32)
    z, t = load_svmlight_file(str(data / "a9a" / "a9a.t"), n_features=123, dtype=np.float32)
    return x.toarray(), y, z.toarray(), t


def letter(data: Path) -> Split:
    """26 classes; 15,000 rows to train on, standardised."""
    cells = pl.read_csv(data / "letter" / "letter-recognition.data", has_header=False)
    y = cells[:, 0].to_numpy()
    x = cells[:, 1:].to_numpy().astype(np.float64)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    codes = np.unique(y, return_inverse=True)[1].astype(np.float64)
    return _split(x, codes, 15_000, 5_000)


def california(data: Path) -> Split:
    cells = np.loadtxt(data / "california_housing" / "cal_housing.data", delimiter=",", skiprows=1)
    x, z = cells[:, :-1].copy(), cells[:, -1] / 100_000
    x[:, 3:6] /= x[:, 6:7]  # rooms, bedrooms and people per household
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    return _split(x, z, 16_512, 4_128)


def _split(x: np.ndarray, y: np.ndarray, n: int, n_test: int) -> Split:
    order = np.random.default_rng(0).permutation(len(x))
    a, b = order[:n], order[n : n + n_test]
    return x[a].astype(np.float32), y[a], x[b].astype(np.float32), y[b]

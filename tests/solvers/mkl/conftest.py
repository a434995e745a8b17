"""A small problem of three kernels: points on a grid, classes by a circle and a line."""

import numpy as np
import pytest


def points(n: int = 40) -> np.ndarray:
    """Without chance, so that figures of other programs hold."""
    i = np.arange(n)
    return np.column_stack([np.sin(3.0 * i), np.cos(1.7 * i), np.sin(0.31 * i * i)])


def rbf(x: np.ndarray, gamma: float) -> np.ndarray:
    return np.exp(-gamma * ((x[:, None] - x[None]) ** 2).sum(axis=2))


@pytest.fixture
def stack() -> np.ndarray:
    x = points()
    return np.stack([rbf(x[:, [0]], 1.0), rbf(x[:, [1]], 1.0), rbf(x[:, 1:], 4.0)])


@pytest.fixture
def signs() -> np.ndarray:
    x = points()
    return np.where(x[:, 0] + x[:, 1] ** 2 + 0.3 * x[:, 2] > 0.3, 1.0, -1.0)

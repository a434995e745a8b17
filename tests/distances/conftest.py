import numpy as np
import pytest


@pytest.fixture
def rows():
    """Training rows, their classes, and further rows."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(80, 3))
    return x, (x[:, 0] > 0).astype(int), rng.normal(size=(20, 3))

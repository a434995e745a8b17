"""The distance of a kernel."""

import numpy as np
from tests.distances.tables import numeric

from mercer.distances import (
    Euclidean,
    KernelDistance,
)


class Linear:
    def fit(self, table):
        return self

    def gram(self, a, b=None):
        return a.numbers() @ (a if b is None else b).numbers().T

    def diag(self, a):
        return (a.numbers() ** 2).sum(axis=1)


def test_the_linear_kernel_is_the_euclidean_distance():
    a, b = numeric(), numeric(seed=5, n=30)
    ours, theirs = KernelDistance(Linear()).fit(a), Euclidean().fit(a)
    np.testing.assert_allclose(ours.between(b, a), theirs.between(b, a), rtol=1e-9)
    np.testing.assert_array_equal(ours.nearest(a, b, 4).row, theirs.nearest(a, b, 4).row)

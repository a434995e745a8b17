"""Rows of the kernel matrix within a memory budget: the model does not depend on it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mercer
from mercer.estimators.kernel.rows import kernel_rows
from mercer.kernels import RBF, Overlap
from mercer.table import from_array

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3))
LABELS = np.where(np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.3 * RNG.normal(size=400) > 0.1, "yes", "no")


def test_blocks_of_a_composite_kernel_are_the_whole_matrix():
    rows = from_array(X)
    kernel = (RBF(0.3) * RBF(0.4) + RBF(0.1)).fit(rows)
    size = len(X) ** 2 * 8
    tight = kernel_rows(kernel, rows, np.dtype(np.float64), size, 1)
    roomy = kernel_rows(kernel, rows, np.dtype(np.float64), 10 * size, 1)
    every = np.arange(len(X), dtype=np.int32)
    assert_allclose(tight.rows(every), roomy.rows(every), rtol=1e-12)


@pytest.mark.parametrize("kernel", ["rbf", Overlap(), RBF(0.5) + 2 * RBF(0.1)], ids=repr)
def test_few_rows_in_memory_give_the_same_model(kernel):
    levels = isinstance(kernel, Overlap)
    rows = {f"c{j}": [f"level {v:.0f}" for v in 2 * X[:, j]] for j in range(3)} if levels else X
    whole = mercer.SVC(C=5, kernel=kernel).fit(rows, LABELS)
    few = mercer.SVC(C=5, kernel=kernel, cache_size=0.2).fit(rows, LABELS)
    assert_allclose(few.dual_, whole.dual_, rtol=1e-4)
    assert (few.predict(rows) == whole.predict(rows)).mean() > 0.99

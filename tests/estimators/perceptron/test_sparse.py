"""The perceptron on sparse rows: the model of the same rows dense, in memory of the order of the columns."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import mercer


def _rows(n_classes: int) -> tuple[sp.csr_array, np.ndarray]:
    random = np.random.default_rng(0)
    x = sp.csr_array(sp.random(200, 30, density=0.2, format="csr", random_state=0))
    return x, (x @ random.normal(size=(30, n_classes))).argmax(axis=1)


@pytest.mark.filterwarnings("ignore::mercer.errors.MercerWarning")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize("average", [True, False, "voted"])
@pytest.mark.parametrize("weighted", [True, False])
def test_sparse_rows_give_the_model_of_dense_ones(n_classes: int, scale: bool, average: object, weighted: bool) -> None:
    x, y = _rows(n_classes)
    weight = np.random.default_rng(1).integers(1, 3, len(y)).astype(float) if weighted else None
    sparse, dense = (mercer.Perceptron(scale=scale, average=average, max_iter=7) for _ in range(2))
    sparse.fit(x, y, weight)
    dense.fit(x.toarray(), y, weight)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(sparse.intercept_, dense.intercept_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(sparse.predict_proba(x), dense.predict_proba(x.toarray()), rtol=1e-7)


def test_further_sparse_rows() -> None:
    x, y = _rows(2)
    sparse, dense = mercer.Perceptron(average=True), mercer.Perceptron(average=True)
    for rows in (slice(0, 100), slice(100, 200)):
        sparse.partial_fit(x[rows], y[rows], classes=[0, 1])
        dense.partial_fit(x[rows].toarray(), y[rows], classes=[0, 1])
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-8)


def test_memory_does_not_grow_with_rows_times_columns() -> None:
    script = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
import numpy as np, scipy.sparse as sp, mercer
random = np.random.default_rng(0)
cells = random.normal(size=20_000), (np.arange(20_000) % 2000, random.integers(0, 500_000, 20_000))
x = sp.csr_array(cells, shape=(2000, 500_000))  # 8 GB as doubles
y = np.arange(2000) % 2
assert (mercer.Perceptron(max_iter=3).fit(x, y).predict(x) == y).mean() > 0.8
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True)

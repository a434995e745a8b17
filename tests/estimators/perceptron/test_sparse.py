"""The perceptron on sparse rows: memory of the order of the columns."""

import subprocess
import sys


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

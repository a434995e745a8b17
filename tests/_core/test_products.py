"""Products of sparse columns: native and NumPy agree, whatever the threads, and unsound rows are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from mercer._core import select
from mercer._core.reference.products import weighted_products

native = select.native
needs_native = pytest.mark.skipif(native is None, reason="nothing is compiled: the twin is what runs")
BOTH = [pytest.param("native", marks=needs_native), "twin"]


def csr(x: Any) -> dict[str, Any]:
    x = sp.csr_array(x)
    return {
        "values": x.data, "columns": x.indices.astype(np.int32), "starts": x.indptr.astype(np.int64),
        "n_columns": x.shape[1],
    }  # fmt: skip


def products(core: str) -> Any:
    return native.weighted_products if core == "native" else weighted_products


@pytest.mark.parametrize("core", BOTH)
@pytest.mark.parametrize(("n", "d"), [(0, 3), (7, 0), (60, 9), (9000, 20)])
def test_they_are_those_of_dense_rows(core: str, n: int, d: int) -> None:
    rng = np.random.default_rng(n)
    x = sp.random(n, d, density=0.2, format="csr", random_state=0)
    weight, dense = rng.normal(size=n), x.toarray()
    found = [np.full((d, d), np.nan) for _ in range(3)]
    for out, n_jobs in zip(found, (1, 2, 4), strict=True):
        products(core)(csr(x), weight, out, n_jobs)
        np.testing.assert_array_equal(out, found[0])
    np.testing.assert_allclose(found[0], (dense * weight[:, None]).T @ dense, atol=1e-10)


@pytest.mark.parametrize("core", BOTH)
def test_unsound_rows_are_refused(core: str) -> None:
    good = csr(np.ones((2, 3)))
    for columns in ([0, 2, 1, 0, 1, 2], [0, 1, 2, 0, 0, 2]):
        with pytest.raises(ValueError, match="increase"):
            products(core)(good | {"columns": np.array(columns, np.int32)}, np.ones(2), np.empty((3, 3)), 1)
    with pytest.raises(ValueError):
        products(core)(good, np.ones(3), np.empty((3, 3)), 1)
    with pytest.raises(ValueError):
        products(core)(good, np.ones(2), np.empty((3, 2)), 1)

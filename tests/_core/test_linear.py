"""Coordinate descent with a lasso: native and NumPy agree, and what would read outside an array is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from mercer._core import select
from mercer._core.reference.lasso import lasso_columns, lasso_sweeps

native = select.native
pytestmark = pytest.mark.skipif(native is None, reason="nothing is compiled: the twin is what runs")


def arguments(seed: int, n: int = 40, d: int = 15, m: int = 2) -> list[Any]:
    rng = np.random.default_rng(seed)
    x = sp.csc_array(sp.random(n, d, density=0.3, random_state=seed))
    p = rng.dirichlet(np.ones(m + 1), n)[:, :m].copy()
    penalties = rng.uniform(0, 0.1, d + 1), rng.uniform(0, 0.5, d + 1)
    u = rng.normal(size=(m, d + 1)) * (rng.random((m, d + 1)) < 0.3)
    starts, rows = x.indptr.astype(np.int64), x.indices.astype(np.int32)
    return [x.data, rows, starts, p, rng.uniform(0.5, 2, n), rng.normal(size=(m, d + 1)), *penalties, u]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("most", [1, 3, 1000])
def test_native_is_its_twin(seed: int, intercept: bool, most: int) -> None:
    ours, theirs = arguments(seed, m=1 + seed % 3), arguments(seed, m=1 + seed % 3)
    sweeps = native.lasso_columns(*ours, intercept, 1e-9, most)
    assert sweeps == lasso_columns(*theirs, intercept, 1e-9, most)
    np.testing.assert_allclose(ours[-1], theirs[-1], atol=1e-9)


@pytest.mark.parametrize("core", ["native", "twin"])
def test_what_lies_outside_is_refused(core: str) -> None:
    solve = native.lasso_columns if core == "native" else lasso_columns
    for place, wrong in [
        (1, lambda a: a + 1000), (1, lambda a: a - 1000), (2, lambda a: a + 1), (2, lambda a: a[::-1].copy()),
        (5, lambda a: a[:, 1:].copy()), (8, lambda a: a[:, 1:].copy()),
    ]:  # fmt: skip
        given = arguments(0)
        given[place] = wrong(given[place])
        with pytest.raises(ValueError):
            solve(*given, True, 1e-6, 10)


def quadratic(seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(30, 12))
    x[:, 4] = 0.0  # no curvature
    places = np.sort(rng.choice(12, 9, replace=False))
    return [x.T @ x, rng.uniform(5, 30, 12), places, rng.normal(size=12), 10 * rng.normal(size=12)]


@pytest.mark.parametrize("seed", range(5))
def test_native_sweeps_are_their_twin(seed: int) -> None:
    ours, theirs = quadratic(seed), quadratic(seed)
    native.lasso_sweeps(*ours, 7)
    lasso_sweeps(*theirs, 7)
    np.testing.assert_allclose(ours[3], theirs[3], rtol=1e-12)
    np.testing.assert_allclose(ours[4], theirs[4], atol=1e-9)
    assert (ours[3] == 0).any()


@pytest.mark.parametrize("core", ["native", "twin"])
def test_places_outside_are_refused(core: str) -> None:
    solve = native.lasso_sweeps if core == "native" else lasso_sweeps
    for place, wrong in [
        (0, lambda a: a[:, 1:].copy()),
        (1, lambda a: a[1:]),
        (2, lambda a: a + 9),
        (3, lambda a: a[1:]),
    ]:
        given = quadratic(0)
        given[place] = wrong(given[place])
        with pytest.raises(ValueError):
            solve(*given, 2)

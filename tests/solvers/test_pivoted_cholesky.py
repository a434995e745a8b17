"""Pivoted Cholesky: the factor, its pivots and what is left, against the matrix itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer.solvers.pivoted_cholesky import pivoted_cholesky


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**16), n=st.integers(1, 20), inner=st.integers(1, 8), rank=st.integers(1, 12))
def test_what_is_left_is_positive_and_its_diagonal_is_known(seed: int, n: int, inner: int, rank: int) -> None:
    root = np.random.default_rng(seed).normal(size=(n, inner))
    k = root @ root.T
    found = pivoted_cholesky(k.diagonal(), lambda i: k[i], rank)
    left = k - found.factor @ found.factor.T
    assert found.factor.shape == (n, min(rank, inner, n))
    assert_allclose(left[found.pivots], 0, atol=1e-9)
    assert_allclose(left.diagonal(), found.left, atol=1e-9)
    assert np.linalg.eigvalsh(left).min() > -1e-9


@pytest.mark.parametrize(("share", "rank"), [(0.0, 3), (0.5, 1), (1.0, 0)])
def test_it_stops_when_little_of_the_trace_is_left(share: float, rank: int) -> None:
    k = np.diag([4.0, 2.0, 1.0])
    assert len(pivoted_cholesky(k.diagonal(), lambda i: k[i], 3, share).pivots) == rank

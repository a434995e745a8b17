"""Pivoted Cholesky: the factor, its pivots and what is left, against the matrix itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from mercer.solvers.pivoted_cholesky import blocked_cholesky, pivoted_cholesky


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


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**16), n=st.integers(1, 900), inner=st.integers(1, 300))
def test_pivots_in_blocks_leave_no_more_than_asked_and_are_not_many_more(seed: int, n: int, inner: int) -> None:
    random = np.random.default_rng(seed)
    root = random.normal(size=(n, inner)) * np.geomspace(1, 1e-4, inner)
    k = root @ root.T
    factor = blocked_cholesky(k, n, 1e-3)
    assert factor is not None
    left = k - factor @ factor.T
    assert left.diagonal().max() <= 1e-3 + 1e-9
    assert np.linalg.eigvalsh(left).min() > -1e-9
    one_by_one = pivoted_cholesky(k.diagonal(), lambda i: k[i], n).factor ** 2
    needed = int(((k.diagonal()[:, None] - one_by_one.cumsum(axis=1)).max(axis=0) > 1e-3).sum()) + 1
    assert factor.shape[1] <= 1.2 * needed + 2


def test_a_matrix_that_needs_more_pivots_than_given_has_no_factor() -> None:
    assert blocked_cholesky(np.eye(5), 4, 0.5) is None
    whole = blocked_cholesky(np.eye(5), 5, 0.5)
    assert whole is not None
    assert_allclose(whole @ whole.T, np.eye(5))
    for k in (np.zeros((3, 3)), -np.eye(3), np.full((3, 3), np.nan)):
        found = blocked_cholesky(k, 3, 1e-9)
        assert found is not None and found.shape == (3, 0)

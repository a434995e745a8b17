"""Dense columns beside sparse ones, also dummies that are codes: every product is that of the dense matrix."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from mercer.solvers.linear.dummies import Dummies
from mercer.solvers.linear.logistic import Logit
from mercer.solvers.linear.moments import Moments
from mercer.solvers.linear.split_matrix import SplitMatrix


@st.composite
def matrices(draw):
    n, p, sizes = draw(st.integers(1, 60)), draw(st.integers(0, 4)), draw(st.lists(st.integers(1, 5), min_size=1))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    starts = np.cumsum([0, *(size + 1 for size in sizes[:-1])])
    codes = np.column_stack([start + rng.integers(0, size + 1, n) for start, size in zip(starts, sizes, strict=True)])
    order = rng.permutation(p + sum(sizes))
    return SplitMatrix(10 + rng.normal(size=(n, p)), Dummies(codes.astype(np.int32), tuple(sizes)), order), rng


@st.composite
def compressed(draw):
    """Of a CSR matrix, some columns of which are full."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    n, d = draw(st.integers(1, 60)), draw(st.integers(1, 8))
    cells = rng.normal(size=(n, d)) + 10
    return SplitMatrix.of(sp.csr_array(np.where(rng.random((n, d)) < rng.random(d), cells, 0.0))), rng


@given(matrices() | compressed())
def test_products_are_those_of_the_dense_matrix(drawn):
    X, rng = drawn
    dense = np.asarray(X)
    assert X.shape == dense.shape and len(X) == len(dense)
    assert_array_equal(dense[:, np.argsort(X.order)[: X.dense.shape[1]]], X.dense)
    assert_array_equal(np.asarray(X[3:20]), dense[3:20])
    for shape in ((), (2,)):
        B, R = rng.normal(size=(X.shape[1], *shape)), rng.normal(size=(len(X), *shape))
        assert_allclose(X @ B, dense @ B, rtol=1e-12, atol=1e-12)
        assert_allclose(X.T @ R, dense.T @ R, rtol=1e-12, atol=1e-11)


@given(matrices() | compressed(), st.booleans())
def test_moments_are_those_of_the_dense_matrix(drawn, weighted):
    X, rng = drawn
    y, weight = rng.normal(size=len(X)), rng.random(len(X)) + 0.1 if weighted else None
    mine, theirs = Moments.of(X, y, weight), Moments.of(np.asarray(X), y, weight)
    assert (mine.rows, mine.weight) == (theirs.rows, theirs.weight)
    assert_allclose(mine.mean, theirs.mean, rtol=1e-12, atol=1e-12)
    assert_allclose(mine.scatter, theirs.scatter, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("n_classes", "m"), [(2, 1), (3, 2), (3, 3)])
@pytest.mark.parametrize("intercept", [True, False])
@given(drawn=matrices() | compressed(), weighted=st.booleans())
def test_derivatives_are_those_of_the_dense_matrix(drawn, weighted, n_classes, m, intercept):
    X, rng = drawn
    n, d = X.shape
    weight = rng.random(n) if weighted else None
    given_ = rng.integers(0, n_classes, n).astype(np.int32), weight, n_classes, m, rng.normal(size=d), rng.random(d) + 1
    B = rng.normal(size=(m, d + 1))
    mine, theirs = Logit(X, *given_, intercept), Logit(np.asarray(X), *given_, intercept)
    for a, b in zip(mine.value_gradient_hessian(B), theirs.value_gradient_hessian(B), strict=True):
        assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    for a, b in zip(mine.value_gradient(B), theirs.value_gradient(B), strict=True):
        assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_a_cell_stored_in_parts_is_their_sum():
    """And the matrix given stays as it is."""
    parts = np.array([1.0, 2.0, 5.0]), np.array([1, 1, 0]), np.array([0, 2, 3, 3])
    given_ = sp.csr_array(parts, shape=(3, 2))
    X = SplitMatrix.of(given_)
    assert_array_equal(np.asarray(X), [[0, 3], [5, 0], [0, 0]])
    assert_allclose(X.products(np.zeros(2), np.ones((3, 1)), None)[1], [[25, 0, 5], [0, 9, 3], [5, 3, 3]])
    assert given_.nnz == 3

"""Features of landmarks: the kernel itself where either row is a landmark, and how far off it is elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.errors import MercerError
from mercer.estimators.kernel.approximation.basis import expect_rows
from mercer.estimators.kernel.approximation.cells import divide, nearest
from mercer.estimators.kernel.approximation.error import entry_error, trace_error
from mercer.estimators.kernel.approximation.landmarks import Landmarks
from mercer.kernels import RBF, Precomputed
from mercer.table import from_array

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
TABLE = from_array(X)
KERNEL = RBF(gamma=0.5).fit(TABLE)
DOUBLE = np.dtype(np.float64)


def _landmarks(n: int) -> Landmarks:
    return Landmarks.of(KERNEL, TABLE, np.arange(n), 1)


def test_products_of_features_are_the_kernel_where_one_row_is_a_landmark() -> None:
    features, gram = _landmarks(20).features(TABLE, DOUBLE), KERNEL.gram(TABLE)
    assert_allclose(features @ features[:20].T, gram[:, :20], atol=1e-7)
    assert np.abs(features @ features.T - gram).max() > 1e-3


def test_errors_are_the_definition_and_vanish_with_all_rows_as_landmarks() -> None:
    few, rng = _landmarks(20), np.random.RandomState(0)
    z, gram = few.features(TABLE, DOUBLE), KERNEL.gram(TABLE)
    missed = np.linalg.norm(gram - z @ z.T) / np.linalg.norm(gram)
    assert entry_error(KERNEL, few.features, TABLE, rng) == pytest.approx(missed)
    assert trace_error(KERNEL, few.features, TABLE, rng) == pytest.approx(1 - (z**2).sum() / np.trace(gram))
    every = _landmarks(60)
    assert entry_error(KERNEL, every.features, TABLE, rng) < 1e-7 > trace_error(KERNEL, every.features, TABLE, rng)


def test_cells_of_an_rbf_are_those_of_the_nearest_centre() -> None:
    centres, own = divide(KERNEL, TABLE, 10, 0, DOUBLE, 1)
    distances = ((X[:, None] - X[centres]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(own, distances.argmin(axis=1))
    np.testing.assert_array_equal(own, nearest(KERNEL, TABLE, TABLE.take(centres), DOUBLE, 1))
    assert np.bincount(own).max() < 20


def test_a_matrix_has_no_rows_to_compare() -> None:
    with pytest.raises(MercerError, match="compares rows"):
        expect_rows(Precomputed())

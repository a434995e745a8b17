"""The robust scale of a column: without far cells, by weights as rows."""

import numpy as np
import pytest

from mercer.distances.column_scale import column_scales
from mercer.encode.blocks import robust_scale


def test_robust_scale_is_mean_and_deviation_without_far_cells():
    x = np.random.default_rng(0).normal(3, 2, size=(500, 1))
    centre, width = robust_scale(x, np.ones(500))
    assert (centre[0], width[0]) == pytest.approx((x.mean(), x.std()))
    far = np.vstack([x, [[1e12]]])
    centre, width = robust_scale(far, np.ones(501))
    assert (centre[0], width[0]) == pytest.approx((3, 2), rel=0.1)


def test_robust_scale_of_a_column_of_mostly_one_value_is_that_of_the_others():
    x = np.zeros((1000, 2))
    x[:10, 0] = 1.0
    centre, width = robust_scale(x, np.ones(1000))
    assert centre.tolist() == [0.0, 0.0]
    assert width.tolist() == [1.0, 0.0]
    assert column_scales(x, "robust").tolist() == [1.0, 1.0]


def test_robust_scale_counts_weights_as_rows():
    x = np.random.default_rng(1).exponential(size=(40, 1))
    weight = np.random.default_rng(2).integers(1, 5, 40)
    weighted = robust_scale(x, weight.astype(float))
    repeated = robust_scale(np.repeat(x, weight, axis=0), np.ones(weight.sum()))
    np.testing.assert_allclose(weighted, repeated)


def test_missing_cells_are_left_out_of_the_robust_scale():
    x = np.array([[1.0], [2.0], [np.nan], [4.0]])
    np.testing.assert_allclose(robust_scale(x, np.ones(4)), robust_scale(x[[0, 1, 3]], np.ones(3)))

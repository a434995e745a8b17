"""Scales of columns: robust ones without far cells, by weights as rows; numbers as they are."""

import numpy as np
import pytest

from mercer.distances.column_scale import column_scales
from mercer.encode.blocks import robust_scale
from mercer.encode.blocks.scaling import dense_scale
from mercer.errors import BadTable, TooLarge


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


@pytest.mark.parametrize("gap", [False, True])
def test_numbers_as_they_are_are_filled_with_the_weighted_mean_with_and_without_a_gap(gap):
    """Columns without a gap have their mean by a shorter way."""
    random = np.random.default_rng(0)
    x, weight = random.normal(3, 2, size=(50, 3)), random.uniform(0, 2, 50)
    weight[7] = 0.0
    if gap:
        x[4, 1] = np.nan
    known = ~np.isnan(x)
    expected = [np.average(x[k, j], weights=weight[k]) for j, k in enumerate(known.T)]
    fill = dense_scale(x, ["a", "b", "c"], weight, "none", "mean")[0]
    np.testing.assert_allclose(fill, expected, rtol=1e-13)


@pytest.mark.parametrize(("cell", "error"), [(np.inf, BadTable), (1e200, TooLarge)])
def test_cells_beyond_numbers_or_their_squares_are_refused_as_they_are_too(cell, error):
    x = np.array([[1.0], [cell], [2.0]])
    with pytest.raises(error, match="'a'"):
        dense_scale(x, ["a"], np.ones(3), "none", "mean")

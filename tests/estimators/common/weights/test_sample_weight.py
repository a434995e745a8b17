"""Weights as counts of rows: a factor on all is taken out, a repetition of some is kept."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mercer.estimators.common.weights.sample_weight import row_counts

FACTORS = [1e-6, 1 / 7, 3.0, 1e6, 1e-300, 1e300]


@pytest.mark.parametrize("factor", FACTORS)
def test_whole_multiples_of_the_smallest_weight_are_counts(factor):
    counts = np.array([1.0, 2, 0, 999, 1])
    assert row_counts(counts * factor).tolist() == counts.tolist()


@pytest.mark.parametrize("factor", FACTORS)
def test_other_weights_are_scaled_to_a_mean_of_one_over_rows_of_positive_weight(factor):
    weight = np.array([0.3, 1.1, 0.0, 7.77])
    assert_allclose(row_counts(weight * factor), weight * 3 / weight.sum(), rtol=1e-12)


def test_a_tiny_weight_does_not_make_all_others_large():
    assert row_counts(np.array([1e-9, 1.0, 1.0])).max() == pytest.approx(1.5)


def test_no_weights_are_no_counts():
    assert row_counts(None) is None

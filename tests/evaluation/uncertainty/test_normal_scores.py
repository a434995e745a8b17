"""How much areas vary where scores are normal: the bivariate normal, and samples, as witnesses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies
from scipy import stats
from sklearn.metrics import average_precision_score

from mercer.evaluation.uncertainty.normal_scores import area_variance, precision_ratio


def test_the_variance_of_an_area_is_that_of_the_bivariate_normal():
    for area in (0.6, 0.9, 0.99):
        h = stats.norm.ppf(area)
        both = stats.multivariate_normal.cdf([h, h], cov=[[1, 0.5], [0.5, 1]])  # two positives above one negative
        expected = (area * (1 - area) + 8 * (both - area**2)) / 21
        assert area_variance(area, 7, 3) == pytest.approx(expected, rel=1e-4)
    assert area_variance(0.8, 1, 1) == pytest.approx(0.8 * 0.2)


@pytest.mark.parametrize(("share", "separation"), [(0.1, 0.7), (0.05, 1.0), (0.5, 2.5)])
def test_average_precision_of_samples_varies_as_much(share, separation):
    rng, n = np.random.default_rng(0), 5000
    found, positives = [], share * n
    for _ in range(800):
        positive = rng.random(n) < share
        found.append(average_precision_score(positive, rng.normal(size=n) + separation * positive))
    mean = np.mean(found)
    ratio = np.var(found) * positives / (mean * (1 - mean))
    assert ratio == pytest.approx(precision_ratio(mean, share), rel=0.15)  # three standard errors of 800 samples


@given(share=strategies.floats(1e-6, 0.5))
def test_of_rows_in_a_random_order_it_is_twice_their_share(share):
    assert precision_ratio(share, share) == pytest.approx(min(2 * share, 1.0), rel=0.01)


@given(share=strategies.floats(1e-6, 1 - 1e-6), precision=strategies.floats(0, 1))
def test_it_is_a_share_whatever_is_asked_for(share, precision):
    assert 0 <= precision_ratio(precision, share) <= 1

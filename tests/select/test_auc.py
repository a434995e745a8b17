"""The area under the ROC curve without weights is the one by thresholds, to its last bit."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.select.auc import Ranked, roc_auc


@pytest.mark.parametrize("seed", range(40))
def test_both_ways_give_the_same_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 300))
    score = np.round(rng.normal(size=n), int(rng.integers(0, 4)))  # with ties
    if seed % 5 == 0:
        score[rng.random(n) < 0.1] = rng.choice([np.nan, 0.0, -0.0])
    positive = rng.random(n) < rng.choice([0.05, 0.5])
    expected = Ranked(positive, score).roc_auc(np.ones(n))
    np.testing.assert_array_equal(roc_auc(positive, score), expected)
    np.testing.assert_array_equal(roc_auc(positive, score, np.ones(n)), expected)


def test_a_class_without_rows_has_no_area() -> None:
    assert np.isnan(roc_auc(np.ones(3, bool), np.arange(3.0)))
    assert np.isnan(roc_auc(np.zeros(3, bool), np.arange(3.0)))

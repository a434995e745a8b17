"""Rows of a learning curve."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.evaluation.assessment.labels import read_labels
from mercer.evaluation.assessment.score_curves import nested_rows

RNG = np.random.default_rng(0)
N = 150
X = RNG.normal(size=(N, 3))
Y = (X[:, 0] + RNG.normal(size=N) > 0.8).astype(int)


def test_the_first_rows_have_the_classes_in_their_shares() -> None:
    labels = read_labels(Y, N, None)
    rows = nested_rows(np.arange(N), labels, 0)
    assert sorted(rows) == list(range(N))
    for size in (10, 40, 100):
        assert Y[rows[:size]].mean() == pytest.approx(Y.mean(), abs=1 / size)

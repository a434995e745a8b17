"""Sparse rows of a million columns, as HashingVectorizer makes them by default: cost grows with the stored cells.

A dense row takes 8 MB, a product of columns 8 TiB; a name looked up in a list of the columns takes hours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import mercer

N = 60
CLASSES = np.arange(N) % 2
CELLS = np.random.default_rng(0).integers(0, 2**20, (N, 20))
CELLS[:, 0] = 7 + CLASSES  # one column a class
ROWS = sp.csr_array((np.ones(CELLS.size), (np.repeat(np.arange(N), 20), CELLS.ravel())), shape=(N, 2**20))


@pytest.mark.parametrize(
    "model",
    [
        mercer.LogisticRegression(), mercer.LinearSVC(), mercer.Perceptron(), mercer.NaiveBayes(),
        mercer.MultinomialNB(), mercer.SVC(), mercer.SVC(kernel="linear"),
    ],
    ids=str,
)  # fmt: skip
def test_a_million_columns_are_learned_from(model: Any) -> None:
    assert model.fit(ROWS, CLASSES).score(ROWS, CLASSES) == 1


@pytest.mark.parametrize("model", [mercer.LinearRegression(alpha=1e-3), mercer.SVR(kernel="linear", C=100)], ids=str)
def test_numbers_are_learned_from_a_million_columns(model: Any) -> None:
    found = model.fit(ROWS, CLASSES * 1.0).predict(ROWS)
    np.testing.assert_allclose(found, CLASSES, atol=0.2)

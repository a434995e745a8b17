"""Iris by sepal and petal length with a default SVM, all 150 flowers trained on and classified: three strategies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

import mercer

DATA = load_iris()
X, Y = DATA.data[:, [0, 2]], DATA.target


def errors(model: Any) -> list[list[int]]:
    return confusion_matrix(Y, model.fit(X, Y).predict(X)).tolist()


def test_the_three_confusion_matrices_of_the_lecture() -> None:
    assert errors(mercer.OneVsOne(mercer.SVC())) == [[50, 0, 0], [0, 47, 3], [0, 3, 47]]
    assert errors(mercer.OneVsRest(mercer.SVC())) == [[50, 0, 0], [0, 48, 2], [0, 4, 46]]
    assert errors(mercer.OutputCode(mercer.SVC(), length=9)) == [[50, 0, 0], [0, 48, 2], [0, 4, 46]]


def test_its_classification_report() -> None:
    found = mercer.OutputCode(mercer.SVC(), length=9).fit(X, Y).predict(X)
    precision, recall, f1, support = precision_recall_fscore_support(Y, found)
    np.testing.assert_allclose(precision, [1.00, 0.92, 0.96], atol=0.005)
    np.testing.assert_allclose(recall, [1.00, 0.96, 0.92], atol=0.005)
    np.testing.assert_allclose(f1, [1.00, 0.94, 0.94], atol=0.005)
    assert support.tolist() == [50, 50, 50]


def test_one_width_for_all_pairs_is_why_the_pairs_of_one_svc_differ() -> None:
    """gamma="scale" is by the variance of the rows: of each pair in OneVsOne, of all 150 in SVC."""
    assert errors(mercer.SVC()) == [[50, 0, 0], [0, 48, 2], [0, 4, 46]]
    gamma = 1 / (2 * X.var())
    shared = mercer.OneVsOne(mercer.SVC(gamma=gamma, tol=1e-8)).fit(X, Y).predict(X)
    np.testing.assert_array_equal(shared, mercer.SVC(tol=1e-8, break_ties=True).fit(X, Y).predict(X))


@pytest.mark.parametrize("decoding", ["hamming", "weighted", "hinge", "exponential", "squared"])
def test_nine_bits_give_the_same_by_every_decoding(decoding: Any) -> None:
    assert errors(mercer.OutputCode(mercer.SVC(), length=9, decoding=decoding)) == [[50, 0, 0], [0, 48, 2], [0, 4, 46]]

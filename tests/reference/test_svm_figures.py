"""Worked examples of the source documents whose tables are bundled or generated."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import confusion_matrix, precision_score
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier

import mercer
from mercer.kernels import RBF


def sepal_and_petal_length() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_iris(return_X_y=True)
    return X[:, [0, 2]], y


@pytest.mark.parametrize(
    ("model", "errors"),
    [
        (OneVsOneClassifier(mercer.SVC()), (3, 3)),  # gamma of "scale" is learned for each pair alone
        (OneVsRestClassifier(mercer.SVC()), (2, 4)),
        (mercer.SVC(multi_class="ovr"), (2, 4)),
        (OutputCodeClassifier(mercer.SVC(), code_size=3.0, random_state=0), (2, 4)),
    ],
    ids=["one against one", "one against the rest", "the same on one kernel matrix", "output codes of 9 bits"],
)
def test_iris_by_two_lengths(model: object, errors: tuple[int, int]) -> None:
    X, y = sepal_and_petal_length()
    first, second = errors
    expected = [[50, 0, 0], [0, 50 - first, first], [0, second, 50 - second]]
    np.testing.assert_array_equal(confusion_matrix(y, model.fit(X, y).predict(X)), expected)


def test_the_precision_of_each_iris() -> None:
    X, y = sepal_and_petal_length()
    guess = mercer.SVC(multi_class="ovr").fit(X, y).predict(X)
    np.testing.assert_allclose(precision_score(y, guess, average=None).round(2), [1.0, 0.92, 0.96])


def spiral(n: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Two arms, one the other's mirror image, one and a half turns long and about 2 apart."""
    angle = np.linspace(0.5, 3 * np.pi, n)
    arm = (2 / np.pi) * np.column_stack([angle * np.cos(angle), angle * np.sin(angle)])
    arm += np.random.default_rng(0).normal(scale=0.1, size=arm.shape)
    return np.vstack([arm, -arm]), np.repeat([1, -1], n)


def test_a_kernel_of_width_1_separates_the_spiral() -> None:
    X, y = spiral()
    model = mercer.SVC(C=5, kernel=RBF(gamma=1.0)).fit(X, y)  # exp(-|a - b|^2 / 1)
    assert model.score(X, y) == 1.0
    assert model.duality_gap_ < 0.1
    assert mercer.SVC(C=5, kernel="linear").fit(X, y).score(X, y) < 0.75
    support = model.decision_function(X)[model.support_] * y[model.support_]
    free = np.abs(model.dual_coef_[0]) < 5 * (1 - 1e-6)
    np.testing.assert_allclose(support[free], 1.0, atol=5e-3)  # on the margin, as Karush, Kuhn and Tucker have it


def test_a_search_finds_a_width_that_separates_unseen_points_of_the_spiral() -> None:
    X, y = spiral()
    even = np.arange(len(y)) % 2 == 0
    model = mercer.SVC(C="cv", gamma="cv").fit(X[even], y[even])
    assert model.score(X[~even], y[~even]) > 0.95

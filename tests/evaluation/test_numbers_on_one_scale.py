"""In `mercer train`, every learner that compares numbers compares them on one scale, whatever the other columns are."""

import numpy as np
import pytest
import scipy.sparse as sp

import mercer
from mercer.encode.blocks import column_widths
from mercer.evaluation.comparison import compare_learners, prepare
from mercer.evaluation.options import ComparisonOptions
from mercer.table import open_source


def numbers_only(n=240, unit=1.0, outlier=None):
    """Two columns of which only `signal` matters; the other is in units a million times as large."""
    rng = np.random.default_rng(0)
    signal, noise = rng.normal(size=n), rng.normal(size=n) * 1e6
    y = np.where(signal + rng.normal(0, 0.3, n) > 0, "yes", "no")
    if outlier is not None:
        signal[0] = outlier
    return {"signal": (signal * unit).tolist(), "noise": noise.tolist(), "y": y.tolist()}


def scores(data, *keys, metric="roc_auc"):
    options = ComparisonOptions(repeats=1, folds=3, learners=keys)
    found = compare_learners(prepare(open_source(data), "y", options), lambda what, share: None)
    return {e.key: e.cross_validated[metric].value for e in found.leaderboard}


def test_a_column_in_millions_does_not_decide_alone():
    found = scores(numbers_only(), "svm", "neighbours", "perceptron")
    assert min(found.values()) > 0.9, found


@pytest.mark.parametrize("learner", ["svm", "neighbours", "linear"])
def test_the_unit_of_a_column_makes_no_difference(learner):
    one, other = (scores(numbers_only(unit=unit), learner)[learner] for unit in (1.0, 1e-6))
    assert one == pytest.approx(other, abs=1e-3)


@pytest.mark.parametrize("learner", ["svm", "neighbours"])
def test_one_cell_far_from_all_others_does_not_hide_its_column(learner):
    assert scores(numbers_only(outlier=1e9), learner)[learner] > 0.9


def test_numbers_are_on_one_scale_in_regression_too():
    data = numbers_only()
    data["y"] = (np.sin(np.array(data["signal"])) * 10).tolist()
    found = scores(data, "svm", "neighbours", "local", metric="r2")
    assert min(found.values()) > 0.8, found


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_penalty_by_width_is_that_of_columns_divided_by_it(sparse, n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [1e-4, 1.0, 1e5]
    X[:, 1] = X[:, 1] > 1.5
    y = np.digitize(X[:, 0] * 1e4 + X[:, 1] + rng.normal(size=200), [0.3, 1.0][: n_classes - 1])
    width = column_widths(sp.csr_array(X) if sparse else X, None)
    assert width[1] == 1.0
    model = mercer.LogisticRegression(scale=True, tol=1e-10).fit(sp.csr_array(X) if sparse else X, y)
    plain = mercer.LogisticRegression(tol=1e-10).fit(X / width, y)
    np.testing.assert_allclose(model.coef_ * width, plain.coef_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X / width), rtol=1e-4, atol=1e-8)
    np.testing.assert_allclose(
        model.fit_.covariance[1:4, 1:4] * np.outer(width, width), plain.fit_.covariance[1:4, 1:4], rtol=1e-3, atol=1e-9
    )

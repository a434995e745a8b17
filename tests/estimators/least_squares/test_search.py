"""Penalties and widths chosen by leaving out rows in closed form, by GCV, by evidence, and by folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF as Covariance
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, KFold, LeaveOneOut, cross_val_predict

import mercer
from mercer import Grid
from mercer.errors import MercerError
from mercer.kernels import RBF

RNG = np.random.default_rng(1)
X = RNG.normal(size=(40, 2))
Y = np.column_stack([np.sin(2 * X[:, 0]), X[:, 1]]) + 0.2 * RNG.normal(size=(40, 2))
GRID = Grid(alpha=[0.01, 0.1, 1.0], gamma=[0.2, 1.0])


def test_scores_are_those_of_leaving_out_each_row_in_truth() -> None:
    found = mercer.KernelRidge("cv", kernel="rbf", gamma="cv", grid=GRID).fit(X, Y[:, 0])
    expected = [
        [r2_score(Y[:, 0], cross_val_predict(KernelRidge(a, kernel="rbf", gamma=g), X, Y[:, 0], cv=LeaveOneOut()))
         for a in (0.01, 0.1, 1.0)] for g in (0.2, 1.0)
    ]  # fmt: skip
    assert_allclose(found.tuning_.mean, expected)
    gamma, alpha = np.unravel_index(np.argmax(expected), (2, 3))
    assert (found.alpha_, found.gamma_) == ([0.01, 0.1, 1.0][alpha], [0.2, 1.0][gamma])
    assert str(found.tuning_).startswith("r2 by gamma (rows) and alpha (columns)")


def test_several_targets_share_a_penalty_by_the_mean_of_their_scores() -> None:
    both = mercer.KernelRidge("cv", kernel="rbf", gamma=0.5, grid=GRID).fit(X, Y).tuning_.mean[0]
    alone = [mercer.KernelRidge("cv", kernel="rbf", gamma=0.5, grid=GRID).fit(X, y).tuning_.mean[0] for y in Y.T]
    assert_allclose(both, np.mean(alone, axis=0))


def test_the_usual_path_has_fifty_penalties_and_needs_no_scale() -> None:
    found = mercer.KernelRidge("cv").fit(X, Y)
    scaled = mercer.KernelRidge("cv").fit(1000 * X, Y)
    assert len(found.tuning_.points) == 50
    assert scaled.alpha_ == pytest.approx(1e6 * found.alpha_)


def test_evidence_is_that_of_the_gaussian_process() -> None:
    found = mercer.KernelRidge("cv", kernel="rbf", gamma="cv", criterion="evidence", grid=GRID).fit(X, Y[:, 0])
    expected = [
        [GaussianProcessRegressor(Covariance(np.sqrt(0.5 / g)), alpha=a, optimizer=None).fit(X, Y[:, 0])
         .log_marginal_likelihood_value_ for a in (0.01, 0.1, 1.0)] for g in (0.2, 1.0)
    ]  # fmt: skip
    assert_allclose(found.tuning_.mean, expected)
    assert found.tuning_.scoring == "evidence" and found.tuning_.best_score == pytest.approx(np.max(expected))


def test_gcv_is_close_to_leaving_rows_out() -> None:
    found = mercer.KernelRidge("cv", kernel="rbf", gamma=0.5, criterion="gcv").fit(X, Y[:, 0])
    left_out = mercer.KernelRidge("cv", kernel="rbf", gamma=0.5).fit(X, Y[:, 0])
    assert abs(np.log10(found.alpha_ / left_out.alpha_)) < 1


@pytest.mark.parametrize("y", [Y[:, 0], Y], ids=["one target", "two"])
def test_tune_leaves_out_the_folds_that_it_is_given(y: Any) -> None:
    grid = {"alpha": [0.01, 0.1, 1.0], "gamma": [0.2, 1.0]}
    folds = KFold(4, shuffle=True, random_state=0)
    ours = mercer.tune(mercer.KernelRidge(kernel="rbf"), X, y, grid, cv=folds)
    theirs = GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=folds).fit(X, y)
    assert_allclose(ours.mean.T.ravel(), theirs.cv_results_["mean_test_score"])
    assert ours.best_params == theirs.best_params_


def test_weights_count_in_fits_and_scores_and_rows_of_weight_zero_in_none() -> None:
    weight = RNG.integers(0, 3, 40).astype(float)
    model = mercer.KernelRidge("cv", kernel="rbf", gamma=0.5, grid=GRID)
    found, kept = model.fit(X, Y[:, 0], weight).tuning_.mean, weight > 0
    assert_allclose(found, model.fit(X[kept], Y[kept, 0], weight[kept]).tuning_.mean)


def test_gammas_of_a_kernel_object_are_factors() -> None:
    found = mercer.KernelRidge(0.1, kernel=RBF(0.5), gamma="cv", grid=Grid(gamma=[0.1, 1.0, 10.0])).fit(X, Y[:, 0])
    named = mercer.KernelRidge(0.1, kernel="rbf", gamma="cv", grid=Grid(gamma=[0.05, 0.5, 5.0])).fit(X, Y[:, 0])
    assert_allclose(found.predict(X), named.predict(X))


def test_rows_drawn_for_the_search_and_files() -> None:
    model = mercer.KernelRidge("cv", kernel="rbf", grid=Grid(rows=20, alpha=[0.1, 1.0])).fit(X, Y)
    again = mercer.KernelRidge.from_state(mercer.state.Reader(model.to_state()))
    assert model.tuning_.n_rows == 20 and again.tuning_ == model.tuning_ and again.alpha_ == model.alpha_


def test_a_penalty_by_target_is_no_penalty_to_search_widths_with() -> None:
    with pytest.raises(MercerError, match="one alpha for all targets"):
        mercer.KernelRidge([0.1, 1.0], kernel="rbf", gamma="cv").fit(X, Y)


def test_penalties_too_small_for_a_kernel_that_is_not_positive_have_no_score() -> None:
    gram = X @ X.T - 3 * np.eye(40)
    found = mercer.KernelRidge("cv", kernel="precomputed", grid=Grid(alpha=[1.0, 5.0])).fit(gram, Y[:, 0])
    assert np.isnan(found.tuning_.mean[0, 0]) and found.alpha_ == 5.0


@pytest.mark.parametrize("machine", [mercer.KernelRidge, mercer.LSSVR, mercer.KernelRidgeClassifier])
def test_many_rows_need_the_large_eigenvalues_alone(machine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same choice as by all of them; exact from the penalty chosen on, where scores agree to 1 %."""
    x = RNG.normal(size=(300, 2))
    y = np.sin(2 * x[:, 0]) + x[:, 1] + 0.5 * RNG.normal(size=300)
    y = (y > 0).astype(int) if machine is mercer.KernelRidgeClassifier else y
    model = machine("cv", kernel="rbf", gamma=0.3)
    whole = model.fit(x, y).tuning_
    assert whole.exact.all()
    monkeypatch.setattr("mercer.estimators.least_squares.search._MANY", 200)
    found = model.fit(x, y).tuning_
    assert found.best_params == whole.best_params
    assert 0 < found.exact.sum() < 50 and found.best.exact
    assert_allclose(1 - found.mean[found.exact], 1 - whole.mean[found.exact], rtol=0.01)


def test_many_rows_whose_small_eigenvalues_matter_are_decomposed_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.linspace(0, 1, 300)[:, None]
    y = np.sin(60 * x[:, 0])  # without noise: the smallest penalty is the best
    model = mercer.KernelRidge("cv", kernel="rbf", gamma=50.0)
    whole = model.fit(x, y).tuning_
    monkeypatch.setattr("mercer.estimators.least_squares.search._MANY", 200)
    found = model.fit(x, y).tuning_
    assert found.best_params == whole.best_params
    assert_allclose(found.best_score, whole.best_score, rtol=1e-3)

"""The squared hinge under an L1 penalty: LIBLINEAR's solution, a gap that closes, and few columns."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.svm import LinearSVC

import mercer
from mercer._core.stopping import Limits
from mercer.errors import MercerError
from mercer.solvers.svm import lasso_hinge
from mercer.solvers.svm.lasso_hinge import solve_lasso

X, LABELS = make_classification(200, 15, n_informative=4, random_state=0)
X = X * np.logspace(-2, 2, 15)
Y = np.where(LABELS == 1, 1.0, -1.0)


def primal(coef, offset, cost, scale):
    price = np.abs(coef).sum() + (abs(offset) / scale if scale else 0.0)
    return price + (cost * np.maximum(1 - Y * (X @ coef + offset), 0) ** 2).sum()


@pytest.mark.filterwarnings("ignore:Liblinear failed")
@pytest.mark.parametrize("scale", [0.0, 1.0, 10.0])
@pytest.mark.parametrize("cost", [0.01, 1.0])
@pytest.mark.parametrize("many", [False, True])
def test_the_solution_of_liblinear(scale, cost, many, monkeypatch):
    if many:
        monkeypatch.setattr(lasso_hinge, "_DENSE", 0)
    theirs = LinearSVC(
        penalty="l1", dual=False, C=cost, tol=1e-8, max_iter=20_000, fit_intercept=scale > 0,
        intercept_scaling=scale or 1.0,
    ).fit(X, Y)  # fmt: skip
    ours = solve_lasso(Y, np.full(200, cost), X, offset_scale=scale, limits=Limits(tol=1e-9, max_iter=100_000))
    assert ours.status == "converged" and 0 <= ours.gap < 1e-6 * ours.primal
    assert ours.primal == pytest.approx(primal(ours.coef, ours.offset, cost, scale))
    assert ours.primal <= primal(theirs.coef_[0], float(np.ravel(theirs.intercept_)[0]), cost, scale) * (1 + 1e-9)
    np.testing.assert_allclose(ours.coef, theirs.coef_[0], atol=1e-4 * np.abs(theirs.coef_).max())


def test_sparse_rows_give_the_same_and_most_weights_are_zero():
    dense = mercer.LinearSVC(penalty="l1", C=0.02, tol=1e-9, max_iter=100_000).fit(X, LABELS)
    sparse = mercer.LinearSVC(penalty="l1", C=0.02, tol=1e-9, max_iter=100_000).fit(sp.csr_array(X), LABELS)
    np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=1e-7)
    assert 0 < np.count_nonzero(dense.coef_) < 10


def test_limits_leave_a_usable_answer():
    stopped = solve_lasso(Y, np.ones(200), X, limits=Limits(tol=1e-12, max_iter=3))
    assert stopped.status == "max_iter" and stopped.iterations == 3 and stopped.gap > 0
    late = solve_lasso(Y, np.ones(200), X, limits=Limits(tol=0.0, max_iter=100, time_limit=1e-9))
    assert late.status == "time_limit" and np.isfinite(late.coef).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [({"penalty": "l1", "loss": "hinge"}, "Unsupported set of arguments"), ({"penalty": "l3"}, "must be 'l1' or 'l2'")],
)
def test_unsupported_penalties(options, message):
    with pytest.raises(MercerError, match=message):
        mercer.LinearSVC(**options).fit(X, LABELS)

"""The machine of Crammer and Singer against LIBLINEAR (through scikit-learn), its NumPy twin and its optimality."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

import mercer
from mercer._core.reference import svm as reference_svm
from mercer._core.stopping import Limits
from mercer.errors import MercerError
from mercer.solvers.svm import crammer_singer

RNG = np.random.default_rng(1)
K = 4
X = RNG.normal(size=(150, 5))
X[np.abs(X) < 0.4] = 0.0
CODES = np.argmax(X @ RNG.normal(size=(5, K)) + RNG.normal(size=(150, K)), axis=1).astype(np.int32)
COST = 0.2 + np.arange(150) / 150
LABELS = np.array(["a", "b", "c", "d"])[CODES]


def primal(coef: np.ndarray, offset: np.ndarray, cost: np.ndarray, own: np.ndarray) -> float:
    """The objective by its definition."""
    f = X @ coef.T + offset
    rival = np.where(own, -np.inf, f).max(axis=1)
    return 0.5 * float((coef**2).sum() + (offset**2).sum()) + float(cost @ np.maximum(0.0, 1 - f[own] + rival))


@pytest.mark.parametrize("scale", [1.0, 0.0])
def test_optimal_on_every_layout_and_equal_to_the_twin(scale: float) -> None:
    x, codes, cost = X[:50], CODES[:50], COST[:50]
    a, w = np.zeros((len(x), K)), np.zeros((K, x.shape[1] + 1))
    best, dual, *_ = reference_svm.crammer_singer(x, codes, cost, a, w, Limits(1e-3, max_iter=5000), scale, 0)
    own = codes[:, None] == np.arange(K)
    for rows in (x, sparse.csr_array(x), x.astype(np.float32), sparse.csr_array(x.astype(np.float32))):
        found = crammer_singer.solve(codes, cost, K, rows, offset_scale=scale, limits=Limits(tol=1e-6, max_iter=50_000))
        assert found.status == "converged" and -1e-9 <= found.gap <= 1e-3
        np.testing.assert_allclose([found.primal, found.dual], [best, dual], rtol=1e-3)
        beta = found.beta.reshape(a.shape)
        np.testing.assert_allclose(beta.sum(axis=1), 0.0, atol=1e-12)
        assert (beta <= own * cost[:, None]).all()
        np.testing.assert_allclose(found.coef, (rows.T @ beta).T, atol=1e-6)
        slope = np.asarray(rows @ found.coef.T + found.offset) + ~own
        free = np.where(beta < own * cost[:, None], slope, np.inf).min(axis=1)
        assert (slope.max(axis=1) - free).max() <= 2e-5


@pytest.mark.parametrize("intercept", [True, False])
def test_estimator_is_liblinear(intercept: bool) -> None:
    options = {"multi_class": "crammer_singer", "C": 0.7, "fit_intercept": intercept, "tol": 1e-7, "max_iter": 100_000}
    weight = np.arange(len(X)) % 3 + 0.5
    theirs = LinearSVC(**options, random_state=0).fit(X, LABELS, weight)
    ours = mercer.LinearSVC(**options).fit(X, LABELS, weight)
    own = LABELS[:, None] == ours.classes_
    values = [primal(m.coef_, np.broadcast_to(m.intercept_, K), 0.7 * weight, own) for m in (ours, theirs)]
    np.testing.assert_allclose(*values, rtol=1e-6)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    second, first = np.sort(ours.decision_function(X), axis=1)[:, -2:].T
    clear = first - second > 1e-3  # the solution has rows on the boundary
    assert clear.sum() > 140
    np.testing.assert_array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])
    again = mercer.LinearSVC(**options).fit(sparse.csr_array(X), LABELS, weight)
    np.testing.assert_allclose(ours.coef_, again.coef_, atol=1e-6)


def test_two_classes_have_one_row_and_are_the_hinge_machine() -> None:
    """w_1 = -w_0 = v / 2, so that half the penalty is left: cost C here is C / 2 of hinge(1 - v.x) with |v|^2 / 2."""
    y = LABELS == "a"
    joint = mercer.LinearSVC(C=1.0, multi_class="crammer_singer", tol=1e-8, max_iter=100_000).fit(X, y)
    hinge = mercer.LinearSVC(C=2.0, loss="hinge", tol=1e-8, max_iter=100_000).fit(X, y)
    assert joint.coef_.shape == (1, 5) and joint.decision_function(X).shape == (len(X),)
    np.testing.assert_allclose(joint.coef_, hinge.coef_, atol=1e-5)
    np.testing.assert_allclose(joint.intercept_, hinge.intercept_, atol=1e-5)


def test_stops_resumes_and_rows_that_say_nothing() -> None:
    stopped = crammer_singer.solve(CODES, COST, K, X, limits=Limits(tol=1e-4, max_iter=2))
    assert (stopped.status, stopped.iterations) == ("max_iter", 2)
    done = crammer_singer.solve(CODES, COST, K, X, start=stopped.beta, seed=3, limits=Limits(tol=1e-6, max_iter=50_000))
    whole = crammer_singer.solve(CODES, COST, K, X, limits=Limits(tol=1e-6, max_iter=50_000))
    np.testing.assert_allclose(done.dual, whole.dual, rtol=1e-6)
    loose = crammer_singer.solve(CODES, COST, K, X, limits=Limits(tol=1e-4, gap_tol=5.0, max_iter=50_000))
    assert loose.gap <= 5.0 and loose.iterations < whole.iterations
    assert (
        crammer_singer.solve(CODES, COST, K, X, limits=Limits(tol=1e-12, max_iter=10**9, time_limit=1e-3)).status
        == "time_limit"
    )
    zeros = crammer_singer.solve(CODES, COST, K, np.zeros_like(X), offset_scale=0.0)
    assert zeros.status == "converged" and abs(zeros.gap) < 1e-9
    np.testing.assert_allclose(zeros.dual, COST.sum())
    some = np.where(np.arange(len(X)) < 75, COST, 0.0)
    left = crammer_singer.solve(CODES, some, K, X, limits=Limits(tol=1e-6, max_iter=50_000))
    half = crammer_singer.solve(CODES[:75], COST[:75], K, X[:75], limits=Limits(tol=1e-6, max_iter=50_000))
    np.testing.assert_allclose(left.coef, half.coef, atol=1e-5)


def test_a_fit_goes_on_where_it_stopped() -> None:
    model = mercer.LinearSVC(multi_class="crammer_singer", tol=1e-6, max_iter=10_000)
    coef, taken = model.fit(X, LABELS).coef_, model.n_iter_
    with pytest.warns(UserWarning, match="duality gap"):
        model.set_params(warm_start=True, max_iter=taken // 2).fit(X, LABELS)
    model.set_params(max_iter=10_000).fit(X, LABELS)
    np.testing.assert_allclose(model.coef_, coef, atol=1e-4)
    assert model.n_iter_ < taken


def test_penalty_and_loss_are_ignored_as_in_scikit_learn() -> None:
    with pytest.raises(MercerError, match=r"must be .ovr. or .crammer_singer."):
        mercer.LinearSVC(multi_class="ovo").fit(X, LABELS)
    plain = mercer.LinearSVC(multi_class="crammer_singer", C=0.1).fit(X, LABELS)
    other = mercer.LinearSVC("l1", "hinge", dual=False, multi_class="crammer_singer", C=0.1).fit(X, LABELS)
    np.testing.assert_array_equal(other.coef_, plain.coef_)

"""Coordinate descent against LIBLINEAR (through scikit-learn), its NumPy twin and the optimality conditions."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC, LinearSVR

from mercer._core.reference import svm as reference_svm
from mercer._core.stopping import Limits
from mercer.solvers.svm import coordinate
from mercer.solvers.svm.smo import Problem


def sample(n: int = 200, d: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    x[np.abs(x) < 0.5] = 0.0
    z = x @ np.array([1.0, -2.0, 0.5, 0.0, 0.0]) + 0.5 * rng.normal(size=n) + 0.3
    return x, np.where(z > 0, 1.0, -1.0), z


def problems(y: np.ndarray, z: np.ndarray) -> dict[str, Problem]:
    cost = 0.2 + np.arange(len(y)) / 100
    return {
        "hinge": coordinate.hinge(y, cost),
        "squared-hinge": coordinate.hinge(y, cost, squared=True),
        "insensitive": coordinate.insensitive(z, cost, 0.2),
        "squared-insensitive": coordinate.insensitive(z, cost, 0.2, squared=True),
    }


@pytest.mark.parametrize("name", ["hinge", "squared-hinge", "insensitive", "squared-insensitive"])
def test_optimal_on_every_layout_and_equal_to_the_twin(name: str) -> None:
    x, y, z = sample()
    problem = problems(y, z)[name]
    beta, w = np.zeros(len(y)), np.zeros(x.shape[1] + 1)
    primal, dual, *_ = reference_svm.coordinate_descent(x, problem, beta, w, Limits(1e-6, max_iter=5000), 1.0, 0)
    for rows in (x, sparse.csr_array(x), x.astype(np.float32), sparse.csr_array(x.astype(np.float32))):
        found = coordinate.solve(problem, rows, limits=Limits(tol=1e-6, max_iter=5000))
        assert found.status == "converged"
        np.testing.assert_allclose(found.coef, w[:-1], atol=1e-3)
        np.testing.assert_allclose(found.offset, w[-1], atol=1e-3)
        np.testing.assert_allclose([found.primal, found.dual], [primal, dual], rtol=1e-5)
        assert -1e-9 <= found.gap <= 1e-3
        f = np.asarray(rows @ found.coef + found.offset, dtype=np.float64)
        up, low = reference_svm.slopes(problem, found.beta, f)
        assert max((-up).max(), low.max()) <= 2e-5
        np.testing.assert_allclose(found.coef, rows.T @ found.beta, atol=1e-6 * np.abs(found.beta).sum())


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_classification_is_liblinear(loss: str) -> None:
    x, y, _ = sample()
    theirs = LinearSVC(C=0.7, loss=loss, tol=1e-8, max_iter=100_000).fit(x, y)
    ours = coordinate.solve(
        coordinate.hinge(y, np.full(len(y), 0.7), squared=loss != "hinge"), x, limits=Limits(tol=1e-7, max_iter=100_000)
    )
    np.testing.assert_allclose(ours.coef, theirs.coef_[0], atol=1e-4)
    np.testing.assert_allclose(ours.offset, theirs.intercept_[0], atol=1e-4)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_regression_is_liblinear(loss: str) -> None:
    x, _, z = sample()
    theirs = LinearSVR(C=0.5, epsilon=0.1, loss=loss, tol=1e-8, max_iter=100_000).fit(x, z)
    problem = coordinate.insensitive(z, np.full(len(z), 0.5), 0.1, squared=loss.startswith("squared"))
    ours = coordinate.solve(problem, x, limits=Limits(tol=1e-7, max_iter=100_000))
    np.testing.assert_allclose(ours.coef, theirs.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.offset, np.ravel(theirs.intercept_)[0], atol=1e-4)


def test_stops_resume_and_no_offset() -> None:
    x, y, _ = sample()
    problem = coordinate.hinge(y, np.full(len(y), 10.0))
    stopped = coordinate.solve(problem, x, limits=Limits(tol=1e-4, max_iter=2))
    assert (stopped.status, stopped.iterations) == ("max_iter", 2)
    done = coordinate.solve(problem, x, start=stopped.beta, limits=Limits(tol=1e-6, max_iter=100_000))
    whole = coordinate.solve(problem, x, seed=5, limits=Limits(tol=1e-6, max_iter=100_000))
    np.testing.assert_allclose(done.dual, whole.dual, rtol=1e-6)
    assert coordinate.solve(problem, x, offset_scale=0.0).offset == 0.0
    assert coordinate.solve(problem, x, limits=Limits(tol=1e-4, gap_tol=5.0, max_iter=100_000)).gap <= 5.0


def test_all_zero_rows_and_one_row() -> None:
    y = np.array([1.0, -1.0, 1.0])
    found = coordinate.solve(coordinate.hinge(y, np.ones(3)), np.zeros((3, 2)))
    assert found.status == "converged"
    np.testing.assert_array_equal(found.coef, 0.0)
    one = coordinate.solve(
        coordinate.hinge(y[:1], np.full(1, 100.0)), np.ones((1, 1)), limits=Limits(tol=1e-8, max_iter=1000)
    )
    np.testing.assert_allclose(one.coef[0] + one.offset, 1.0, atol=1e-6)


def test_twin_stops_at_the_gap_and_in_time() -> None:
    x, y, z = sample()
    problem = problems(y, z)["hinge"]
    taken = []
    for gap_tol, limit in ((0.0, 0.0), (1.0, 0.0), (0.0, 1e-9)):
        beta, w = np.zeros(len(y)), np.zeros(x.shape[1] + 1)
        report = reference_svm.coordinate_descent(x, problem, beta, w, Limits(1e-4, gap_tol, 5000, limit), 1.0, 0)
        taken.append(report[3])
        assert report[5] == ("time_limit" if limit else "converged")
        assert gap_tol == 0.0 or report[0] - report[1] <= gap_tol
    assert taken[0] > taken[1] > taken[2] == 0

"""The decomposition against LIBSVM (through scikit-learn), its NumPy twin, the optimality conditions and its laws."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import SVC, SVR, NuSVC, NuSVR, OneClassSVM

from mercer._core.gram import KernelSpec, gram, rows_of_callable, rows_of_data, rows_of_gram
from mercer._core.reference import svm as reference_svm
from mercer._core.stopping import Limits
from mercer.solvers.svm import duals
from mercer.solvers.svm.smo import Problem, Solution, solve

RBF = KernelSpec("rbf", 0.7)


def sample(n: int = 120, d: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d))
    z = np.sin(2 * x[:, 0]) + 0.5 * x[:, 1] + 0.3 * rng.normal(size=n)
    return x, np.where(z > 0.1, 1.0, -1.0), z


def violation(problem: Problem, beta: np.ndarray, k: np.ndarray) -> float:
    """The largest breach of the optimality conditions, from the definition: no solver code."""
    rows = problem.kernel_rows
    g = k[np.ix_(rows, rows)] @ beta + problem.linear + problem.ridge_or_zero * beta
    e, worst = problem.tube_or_zero, 0.0
    for part in problem.groups:
        can_rise, can_fall = beta[part] < problem.upper[part], beta[part] > problem.lower[part]
        up = (g + np.where(beta >= 0, e, -e))[part][can_rise]
        low = (g + np.where(beta > 0, e, -e))[part][can_fall]
        if not problem.equality:
            worst = max(worst, -up.min(initial=0.0), low.max(initial=0.0))
        elif len(up) and len(low):
            worst = max(worst, low.max() - up.min())
    return worst


def check(problem: Problem, solution: Solution, k: np.ndarray, tol: float) -> None:
    assert solution.status == "converged"
    assert (solution.beta >= problem.lower).all()
    assert (solution.beta <= problem.upper).all()
    if problem.equality:
        for part in problem.groups:
            np.testing.assert_allclose(solution.beta[part].sum(), problem.start[part].sum(), atol=1e-9)
    assert violation(problem, solution.beta, k) <= tol * 1.01
    assert -1e-9 <= solution.gap <= tol * 10 * max(1.0, np.abs(solution.beta).sum())


PROBLEMS = {
    "svc": lambda y, z: duals.svc(y, np.full(len(y), 3.0)),
    "svc-weighted": lambda y, z: duals.svc(y, 0.5 + np.arange(len(y)) / 50),
    "svc-squared": lambda y, z: duals.svc(y, np.full(len(y), 3.0), squared_slack=True),
    "svc-no-offset": lambda y, z: duals.svc(y, np.full(len(y), 3.0), bias=False),
    "svr": lambda y, z: duals.svr(z, np.full(len(y), 2.0), 0.1),
    "svr-squared": lambda y, z: duals.svr(z, np.full(len(y), 2.0), 0.1, squared_slack=True),
    "one-class": lambda y, z: duals.one_class(np.ones(len(y)), 0.3),
    "nu-svc": lambda y, z: duals.nu_svc(y, np.ones(len(y)), 0.4),
    "nu-svr": lambda y, z: duals.nu_svr(z, np.full(len(y), 2.0), 0.4),
}


@pytest.mark.parametrize("block", [0, 16])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", PROBLEMS)
def test_optimal_and_equal_to_the_twin(name: str, dtype: type, block: int) -> None:
    x, y, z = sample()
    k = gram(x.astype(dtype), None, RBF)
    problem = PROBLEMS[name](y, z)
    solution = solve(problem, rows_of_gram(k), block=block, limits=Limits(tol=1e-4))
    check(problem, solution, k.astype(np.float64), 1e-4)
    beta, f = problem.start.copy(), problem.start @ k[problem.kernel_rows].astype(np.float64)
    (primal, dual, *_), bias = reference_svm.smo_solve(rows_of_gram(k), problem, beta, f, False, Limits(1e-4), 0, 1)
    np.testing.assert_allclose(solution.dual, dual, rtol=1e-5)
    np.testing.assert_allclose(solution.primal, primal, rtol=1e-3)
    np.testing.assert_allclose(solution.f, f, atol=2e-3)
    np.testing.assert_allclose(solution.bias, bias, atol=2e-3)


def dual_of(model: object, k: np.ndarray, y: np.ndarray) -> float:
    beta = np.zeros(len(k))
    beta[model.support_] = model.dual_coef_[0]
    return float(y @ beta - 0.5 * beta @ k @ beta)


@pytest.mark.parametrize("cost", [0.1, 1.0, 100.0])
def test_svc_is_libsvm(cost: float) -> None:
    x, y, _ = sample(300)
    k = gram(x, None, RBF)
    ours = solve(duals.svc(y, np.full(len(y), cost)), rows_of_gram(k))
    theirs = SVC(C=cost, kernel="precomputed").fit(k, y)
    np.testing.assert_allclose(ours.dual, dual_of(theirs, k, y), rtol=1e-4)
    np.testing.assert_allclose(ours.f + ours.bias[0], theirs.decision_function(k), atol=5e-3)


def test_svr_is_libsvm() -> None:
    x, _, z = sample(300)
    k = gram(x, None, RBF)
    ours = solve(duals.svr(z, np.full(len(z), 5.0), 0.1), rows_of_gram(k))
    theirs = SVR(C=5.0, epsilon=0.1, kernel="precomputed").fit(k, z)
    np.testing.assert_allclose(ours.f + ours.bias[0], theirs.predict(k), atol=5e-3)
    np.testing.assert_allclose(ours.dual, dual_of(theirs, k, z) - 0.1 * np.abs(theirs.dual_coef_).sum(), rtol=1e-4)


def test_nu_machines_are_libsvm() -> None:
    x, y, z = sample(200)
    k = gram(x, None, RBF)
    problem = duals.nu_svc(y, np.ones(len(y)), 0.3)
    coef, offset = duals.nu_svc_answer(solve(problem, rows_of_gram(k), limits=Limits(tol=1e-6)))
    beta = duals.by_row(problem, coef, len(y))
    theirs = NuSVC(nu=0.3, kernel="precomputed", tol=1e-6).fit(k, y)
    np.testing.assert_allclose(k @ beta + offset, theirs.decision_function(k), atol=1e-3)
    problem = duals.nu_svr(z, np.full(len(z), 3.0), 0.3)
    beta, offset, width = duals.nu_svr_answer(problem, solve(problem, rows_of_gram(k), limits=Limits(tol=1e-6)))
    theirs = NuSVR(nu=0.3, C=3.0, kernel="precomputed", tol=1e-6).fit(k, z)
    np.testing.assert_allclose(k @ beta + offset, theirs.predict(k), atol=1e-3)
    assert width > 0


def test_one_class_is_libsvm() -> None:
    x, _, _ = sample(200)
    k = gram(x, None, RBF)
    ours = solve(duals.one_class(np.ones(len(x)), 0.25), rows_of_gram(k), limits=Limits(tol=1e-6))
    theirs = OneClassSVM(nu=0.25, kernel="precomputed", tol=1e-6).fit(k)
    np.testing.assert_allclose(ours.f + ours.bias[0], theirs.decision_function(k), atol=1e-3)


def test_rows_from_any_source_give_one_answer() -> None:
    x, y, _ = sample(400)
    x[np.abs(x) < 0.8] = 0.0
    k = gram(x, None, RBF)
    problem = duals.svc(y, np.full(len(y), 10.0))
    whole = solve(problem, rows_of_gram(k))
    row_bytes = 8 * len(x)
    sources = [
        rows_of_data(x, RBF, 40 * row_bytes),
        rows_of_data(sparse.csr_array(x), RBF, 40 * row_bytes),
        rows_of_callable(lambda index: gram(x[index], x, RBF), len(x), np.float64, 3 * row_bytes),
    ]
    for source in sources:
        solution = solve(problem, source)
        check(problem, solution, k, 1e-3)
        np.testing.assert_allclose(solution.dual, whole.dual, rtol=1e-5)


def test_threads_do_not_change_the_answer() -> None:
    x, y, _ = sample(1500)
    problem = duals.svc(y, np.full(len(y), 10.0))
    one, two = (solve(problem, rows_of_data(x, RBF, 1 << 28, n), n_jobs=n, block=400) for n in (1, 3))
    np.testing.assert_array_equal(one.beta, two.beta)
    np.testing.assert_array_equal(one.f, two.f)


def test_warm_start_and_resume_reach_the_same_optimum() -> None:
    x, y, _ = sample(300)
    source = rows_of_gram(gram(x, None, RBF))
    problem = duals.svc(y, np.full(len(y), 50.0))
    cold = solve(problem, source)
    stopped = solve(problem, source, limits=Limits(max_iter=20))
    assert stopped.status == "max_iter"
    assert stopped.iterations == 20
    assert stopped.gap > cold.gap
    resumed = solve(problem, source, start=stopped.beta)
    np.testing.assert_allclose(resumed.dual, cold.dual, rtol=1e-5)
    assert solve(problem, source, start=cold.beta).iterations == 0
    assert solve(problem, source, limits=Limits(time_limit=1e-9)).status == "time_limit"


def test_gap_stops_early_with_the_gap_it_promised() -> None:
    x, y, _ = sample(1000)
    source = rows_of_gram(gram(x, None, RBF))
    problem = duals.svc(y, np.full(len(y), 10.0))
    loose = solve(problem, source, limits=Limits(gap_tol=20.0))
    assert 0 <= loose.gap <= 20.0
    assert loose.iterations < solve(problem, source).iterations


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), cost=st.sampled_from([0.2, 2.0, 30.0]))
def test_laws(seed: int, cost: float) -> None:
    x, y, _ = sample(60, seed=seed)
    costs = np.full(len(y), cost)
    k = gram(x, None, RBF)
    base = solve(duals.svc(y, costs), rows_of_gram(k), limits=Limits(tol=1e-6))
    swapped = solve(duals.svc(-y, costs), rows_of_gram(k), limits=Limits(tol=1e-6))
    np.testing.assert_allclose(swapped.f, -base.f, atol=1e-4)
    order = np.random.default_rng(seed).permutation(len(y))
    shuffled = solve(
        duals.svc(y[order], costs), rows_of_gram(np.ascontiguousarray(k[np.ix_(order, order)])), limits=Limits(tol=1e-6)
    )
    np.testing.assert_allclose(shuffled.f, base.f[order], atol=1e-4)
    twice = np.append(np.arange(len(y)), 0)
    doubled = solve(
        duals.svc(y[twice], costs[twice]),
        rows_of_gram(np.ascontiguousarray(k[np.ix_(twice, twice)])),
        limits=Limits(tol=1e-6),
    )
    weighted = solve(
        duals.svc(y, np.where(np.arange(len(y)) == 0, 2 * cost, cost)), rows_of_gram(k), limits=Limits(tol=1e-6)
    )
    np.testing.assert_allclose(doubled.dual, weighted.dual, rtol=1e-6)


@pytest.mark.parametrize("n", [1, 2])
def test_tiny(n: int) -> None:
    x, y = np.arange(float(n))[:, None], np.array([1.0, -1.0])[:n]
    solution = solve(duals.svc(y, np.full(n, 1e6)), rows_of_gram(gram(x, None, RBF)))
    assert solution.status == "converged"
    np.testing.assert_allclose((solution.f + solution.bias[0]) * y, 1.0, atol=1e-3)


def test_identical_rows() -> None:
    y = np.where(np.arange(30) < 20, 1.0, -1.0)
    solution = solve(duals.svc(y, np.full(30, 1.0)), rows_of_gram(np.ones((30, 30))))
    assert solution.status == "converged"
    np.testing.assert_allclose(solution.f, 0.0, atol=1e-9)
    assert (solution.f + solution.bias[0] > 0).all()


def test_indefinite_kernel_terminates() -> None:
    x, y, _ = sample(300, seed=3)
    k = gram(x, None, KernelSpec("sigmoid", 2.0, -1.0))
    assert np.linalg.eigvalsh(k).min() < -1
    solution = solve(duals.svc(y, np.full(len(y), 10.0)), rows_of_gram(k), limits=Limits(max_iter=2_000_000))
    assert solution.status in ("converged", "stalled")
    assert np.isfinite(solution.dual)


def test_huge_cost_separates() -> None:
    x, _, _ = sample(100)
    y = np.where(x[:, 0] > 0, 1.0, -1.0)
    solution = solve(duals.svc(y, np.full(len(y), 1e8)), rows_of_gram(gram(x, None, RBF)))
    assert ((solution.f + solution.bias[0]) * y > 0.99).all()


def test_bad_input() -> None:
    x, y, _ = sample(20)
    with pytest.raises(ValueError, match="square"):
        rows_of_gram(np.ones((3, 4)))
    with pytest.raises(ValueError, match="two kernel rows"):
        rows_of_data(x, RBF, 100)
    with pytest.raises(ValueError, match="infeasible"):
        duals.nu_svc(np.where(np.arange(20) < 1, 1.0, -1.0), np.ones(20), 0.9)
    with pytest.raises(ValueError, match="outside"):
        duals.one_class(np.ones(3), 0.0)
    problem = duals.svc(y, np.ones(20))
    for wrong, words in ((np.full((20, 20), np.nan), "NaN"), (np.ones((20, 3)), "shape")):
        with pytest.raises(ValueError, match=words):
            solve(problem, rows_of_callable(lambda index, w=wrong: w[index], 20, np.float64, 1 << 20))


def test_twins_stop_at_the_gap_too() -> None:
    x, y, _ = sample(200)
    k = gram(x, None, RBF)
    problem = duals.svc(y, np.full(len(y), 10.0))
    taken = []
    for gap_tol in (0.0, 5.0):
        beta, f = np.zeros(len(y)), np.zeros(len(y))
        report, _ = reference_svm.smo_solve(rows_of_gram(k), problem, beta, f, False, Limits(1e-3, gap_tol), 0, 1)
        primal, dual, _, steps, _, status = report
        assert status == "converged"
        assert gap_tol == 0.0 or 1e-3 < primal - dual <= gap_tol
        taken.append(steps)
    assert taken[1] < taken[0]


def test_variables_that_share_a_kernel_row_are_copies_of_it() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(40, 2))
    y = np.where(x[:, 0] + 0.5 * rng.normal(size=40) > 0, 1.0, -1.0)
    k = np.exp(-0.5 * np.square(x[:, None] - x).sum(axis=2))
    twice = np.tile(np.arange(40, dtype=np.int32), 2)
    problem = replace(duals.svc(y[twice], np.full(80, 1.0)), rows=twice)
    found = solve(problem, rows_of_gram(k), block=24, limits=Limits(tol=1e-8))
    expected = solve(duals.svc(y, np.full(40, 2.0)), rows_of_gram(k), limits=Limits(tol=1e-8))
    np.testing.assert_allclose(found.dual, expected.dual, rtol=1e-7)
    np.testing.assert_allclose(found.f, expected.f, atol=1e-5)

"""Binary problems solved in parallel on matrices of their own: the solution is that of one matrix for all."""

from __future__ import annotations

import numpy as np
import pytest

import mercer
from mercer._core.gram import KernelRows, KernelSpec, rows_of_data
from mercer.estimators.kernel.warm_start import Start
from mercer.estimators.svm.solve import Solver, Trained, own_matrices_pay, train_all
from mercer.solvers.svm import duals
from mercer.solvers.svm.smo import Limits, Problem, solve
from mercer.table import read_table


def blobs(sizes: list[int], seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    return rng.normal(size=(len(y), 3)) + y[:, None], y


def of_sizes(*sizes: int) -> list[Problem]:
    return [duals.svc(np.where(np.arange(n) % 2, 1.0, -1.0), np.ones(n)) for n in sizes]


@pytest.mark.parametrize("model", [mercer.SVC(C=2.0, gamma=0.5), mercer.NuSVC(nu=0.3, gamma=0.5)], ids=repr)
def test_same_solutions_as_on_one_matrix(model: mercer.SVC | mercer.NuSVC) -> None:
    x, y = blobs([500, 400, 300])
    apart = model.fit(x, y)
    shared = type(model)(**model.get_params() | {"warm_start": True}).fit(x, y)  # which keeps to one source of rows
    np.testing.assert_array_equal(apart.support_, shared.support_)
    np.testing.assert_allclose(apart.dual_coef_, shared.dual_coef_, atol=1e-9)
    np.testing.assert_allclose(apart.margin_, shared.margin_)
    np.testing.assert_allclose(apart.intercept_, shared.intercept_)


@pytest.mark.parametrize("cache_size", [60.0, 30.0, 9.0])  # megabytes: of two pairs, of one, and of none
def test_pairs_on_matrices_of_their_own_where_the_whole_does_not_fit(cache_size: float) -> None:
    x, y = blobs([700, 700, 700, 700])
    whole = mercer.SVC(C=2.0, gamma=0.5, tol=1e-7, warm_start=True).fit(x, y)
    small = mercer.SVC(C=2.0, gamma=0.5, tol=1e-7, cache_size=cache_size, n_jobs=2).fit(x, y)
    np.testing.assert_array_equal(small.support_, whole.support_)
    np.testing.assert_allclose(small.decision_function(x[::50]), whole.decision_function(x[::50]), atol=1e-5)


def test_decisions_on_rows_of_other_classes_are_nan() -> None:
    x, y = blobs([20, 20, 20])
    source = rows_of_data(x, KernelSpec("rbf", 0.5), 10**6)
    pairs = [np.flatnonzero(y != k).astype(np.int32) for k in range(3)]
    problems = [
        Problem(p.linear, p.lower, p.upper, p.start, rows=rows)
        for rows in pairs
        for p in [duals.svc(np.where(y[rows] == y[rows].max(), 1.0, -1.0), np.ones(40))]
    ]
    threads = []

    class Plain:
        def train(self, problem: Problem, rows: KernelRows, solver: Solver, start: Start | None = None) -> Trained:
            threads.append(solver.n_jobs)
            solution = solver(problem, rows, start)
            return Trained(solution.beta, solution.bias[0], solution)

    found = train_all(problems, source, Plain(), Solver(1e-8, -1, None, 2))
    assert threads == [1, 1, 1]  # two problems at once are two threads
    for rows, problem, trained in zip(pairs, problems, found, strict=True):
        solution, whole = trained.solution, solve(problem, source, limits=Limits(tol=1e-8))
        np.testing.assert_allclose(solution.f[rows], whole.f[rows], atol=1e-9)
        assert np.isnan(np.delete(solution.f, rows)).all()


def test_one_large_class_is_not_computed_again_for_every_small_one() -> None:
    table = read_table(np.zeros((1000, 3)))
    assert own_matrices_pay(of_sizes(666, 666, 668), table)
    assert not own_matrices_pay(of_sizes(*[960] * 20), table)
    assert not own_matrices_pay(of_sizes(666, 666, 668), read_table(np.zeros((1000, 400))))

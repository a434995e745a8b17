"""L-BFGS on logistic models: Newton's minimum, from whatever coordinates and start."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from mercer.solvers.linear import lbfgs as module
from mercer.solvers.linear.lbfgs import BySample, ByShares, lbfgs
from mercer.solvers.linear.logistic import Logit, Penalty, newton
from mercer.solvers.linear.split_matrix import SplitMatrix


def problem(n_classes, m, *, weighted=False, split=False, n=3000, d=5):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d))  # correlated
    X[:, -1] = rng.random(n) < 0.1
    codes = (X @ rng.normal(size=(d, n_classes)) + 2 * rng.gumbel(size=(n, n_classes))).argmax(axis=1)
    weight = rng.random(n) if weighted else None
    X = SplitMatrix.of(sp.csr_array(X)) if split else X
    mean = np.asarray(X).mean(axis=0)
    logit = Logit(X, codes.astype(np.int32), weight, n_classes, m, mean, np.ones(d))
    ridge = np.tile(np.append(0.0, np.ones(d)), (m, 1))
    return logit, Penalty(ridge, np.zeros_like(ridge)), np.ones(d + 1, dtype=bool)


def objective(given, B):
    return given[0].value_gradient(B)[0] + given[1].value(B)


@pytest.mark.parametrize(("n_classes", "m"), [(2, 1), (3, 2), (3, 3)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("split", [False, True])
def test_minimum_from_a_sample_is_newtons(n_classes, m, weighted, split, monkeypatch):
    given = problem(n_classes, m, weighted=weighted, split=split)
    monkeypatch.setattr(module, "_SAMPLE_WORK", 0.3 * m * m * given[0].work)  # three rows of ten
    assert isinstance(module._of_sample(*given, None)[0], BySample)
    mine, exact = lbfgs(given[0], given[1], np.eye(5), given[2], 1e-5, 100), newton(*given, 1e-8, 100)
    assert mine.converged
    assert_allclose(objective(given, mine.B), objective(given, exact.B), rtol=1e-9)
    assert_allclose(mine.loss, given[0].value_gradient(mine.B)[0])
    plain = lbfgs(given[0], given[1], None, given[2], 1e-5, 500)
    assert_allclose(objective(given, plain.B), objective(given, exact.B), rtol=1e-6)
    assert mine.steps < plain.steps


@pytest.mark.parametrize("by_sample", [False, True])
def test_coordinates_go_there_and_back(by_sample):
    given = problem(3, 3)
    given[2][2] = False
    even = module._of_sample(*given, None)[0] if by_sample else ByShares.of(*given[:2], np.eye(5), given[2])
    rng = np.random.default_rng(0)
    u = even.gather(np.zeros((3, 6)))
    u, gradient = rng.normal(size=u.shape), rng.normal(size=(3, 6))
    B = even.spread(u)
    assert not B[:, 2].any()
    assert_allclose(even.spread(even.gather(B)), B, atol=1e-12)
    assert_allclose(even.pull(gradient) @ u, (gradient * B).sum())


def test_without_rows_enough_there_is_no_sample(monkeypatch):
    given = problem(2, 1)
    monkeypatch.setattr(module, "_SAMPLE_WORK", 0.01 * given[0].work)
    assert module._of_sample(*given, None) is None
    monkeypatch.undo()
    codes = np.zeros(3000, dtype=np.int32)
    codes[np.setdiff1d(np.arange(3000), np.random.default_rng(0).choice(3000, 300, replace=False))[0]] = 1
    rare = replace(given[0], codes=codes)
    monkeypatch.setattr(module, "_SAMPLE_WORK", 0.1 * given[0].work)
    assert module._of_sample(rare, *given[1:], None) is None  # no row of the second class is drawn
    exact, mine = newton(rare, *given[1:], 1e-8, 100), lbfgs(rare, given[1], np.eye(5), given[2], 1e-6, 500)
    assert_allclose(objective(given, mine.B), objective(given, exact.B), rtol=1e-4)

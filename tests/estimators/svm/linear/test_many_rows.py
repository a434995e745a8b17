"""Linear machines with kinks in their losses on many rows: Newton's method against LIBLINEAR and coordinate descent."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import svm

import mercer
from mercer._core.threads import at_most
from mercer.estimators.svm.linear import problems

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5000, 6)) * [1, 1, 2, 1, 0.5, 1] + 0.3
NUMBERS = X @ [1.0, 0, 0.5, 0, -1, 0] + 0.5 * RNG.standard_t(3, size=5000)
CLASSES = np.digitize(NUMBERS, [-0.5, 1.0])
WEIGHT = RNG.uniform(0.2, 2, 5000)
OPTIONS = [{}, {"intercept_scaling": 10.0, "C": 0.05}, {"fit_intercept": False}, {"C": 30.0}]


@pytest.fixture(autouse=True)
def every_stop_is_told():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def objectives(model, loss, weight):
    """1/2 (|w|^2 + (b / s)^2) + C sum_i weight_i loss_i of each plane; loss: of decisions (n_rows, n_planes)."""
    coef, b = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    size = (coef**2).sum(axis=1) + (b / model.intercept_scaling) ** 2
    return 0.5 * size + model.C * (weight @ loss(X @ coef.T + b))


def hinge(model, y):
    sides = np.where(y[:, None] == (model.classes_[1:] if len(model.classes_) == 2 else model.classes_), 1, -1)
    return lambda f: np.maximum(0, 1 - sides * f)


def liblinear(kind, options, y, weight):
    """Run until the objective stands."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind(tol=1e-6, max_iter=20_000, random_state=0, **options).fit(X, y, weight)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("y", [CLASSES > 0, CLASSES], ids=["two classes", "three classes"])
def test_the_objective_of_liblinear(options, y):
    options = {"loss": "hinge", "class_weight": "balanced", **options}
    mine = mercer.LinearSVC(**options).fit(X, y, WEIGHT)
    theirs = liblinear(svm.LinearSVC, options, y, WEIGHT)
    share = np.array([(WEIGHT[y == c]).sum() for c in mine.classes_])
    weight = WEIGHT * (WEIGHT.sum() / (len(share) * share))[y.astype(int)]
    value, other = (objectives(m, hinge(m, y), weight) for m in (mine, theirs))
    assert (value <= other * (1 + 1e-6)).all()
    assert_allclose(value, other, rtol=1e-2)  # LIBLINEAR stops 0.2 % above the minimum of one of these
    assert mine.duality_gap_ <= 5e-8 * value.max()
    assert np.mean(mine.predict(X) == theirs.predict(X)) > 0.995


@pytest.mark.parametrize("options", OPTIONS)
def test_the_objective_of_liblinear_for_numbers(options):
    options = {"epsilon": 0.1, **options}
    mine = mercer.LinearSVR(**options).fit(X, NUMBERS, WEIGHT)
    theirs = liblinear(svm.LinearSVR, options, NUMBERS, WEIGHT)
    value, other = (
        objectives(m, lambda f: np.maximum(0, np.abs(NUMBERS[:, None] - f) - 0.1), WEIGHT)[0] for m in (mine, theirs)
    )
    assert value <= other * (1 + 1e-6)
    assert_allclose(value, other, rtol=1e-2)  # LIBLINEAR stops 0.2 % above the minimum of one of these
    assert mine.duality_gap_ <= 5e-8 * value


def test_the_plane_of_coordinate_descent_where_that_converges(monkeypatch):
    mine = mercer.LinearSVC(loss="hinge", C=0.001, tol=1e-7).fit(X, CLASSES > 0)
    monkeypatch.setattr(problems, "_ROWS", 10**9)
    slow = mercer.LinearSVC(loss="hinge", C=0.001, tol=1e-7, max_iter=100_000).fit(X, CLASSES > 0)
    assert slow.n_iter_ != mine.n_iter_
    assert_allclose(mine.coef_, slow.coef_, atol=1e-5)
    assert_allclose(mine.intercept_, slow.intercept_, atol=1e-5)


def test_the_same_whatever_the_threads_and_for_sparse_rows(monkeypatch):
    monkeypatch.setattr("mercer.solvers.svm.plane_rows._CELLS", 6000)  # blocks that threads share
    model = mercer.LinearSVC(loss="hinge")
    planes = []
    for n_jobs in (1, 2, 3):
        with at_most(n_jobs):
            planes.append(model.fit(X, CLASSES).coef_)
    assert_array_equal(planes[0], planes[1])
    assert_array_equal(planes[0], planes[2])
    assert_allclose(model.fit(sparse.csr_array(X), CLASSES).coef_, planes[0], atol=1e-3)


def test_limits_are_told_and_few_steps_are_passes_of_coordinate_descent():
    with pytest.warns(match="duality gap"):
        assert mercer.LinearSVC(loss="hinge", max_iter=7).fit(X, CLASSES > 0).n_iter_ == 7
    with pytest.warns(match="duality gap"):
        mercer.LinearSVC(loss="hinge", time_limit=1e-9).fit(X, CLASSES > 0)


def test_coordinate_descent_goes_on_where_newton_stops(monkeypatch):
    monkeypatch.setattr("mercer.solvers.svm.smoothed_newton.STEPS", 3)
    mine = mercer.LinearSVC(loss="hinge", C=0.001, max_iter=100_000).fit(X, CLASSES > 0)
    assert mine.n_iter_ > 3
    assert mine.duality_gap_ <= 1e-3

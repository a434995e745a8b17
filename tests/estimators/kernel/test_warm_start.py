"""Warm start: after a limit, after Ctrl-C, at another cost; from new rows a fit starts afresh."""

import signal
import threading

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer.errors import MercerWarning
from mercer.solvers.svm.smo import Interrupted

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 3))
LABELS = np.where(np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.3 * RNG.normal(size=400) > 0.1, "yes", "no")
NUMBERS = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.3 * RNG.normal(size=400)
MACHINES = [
    (mercer.SVC(C=20, gamma=0.7), LABELS), (mercer.NuSVC(nu=0.3, gamma=0.7), LABELS),
    (mercer.SVR(C=20, gamma=0.7), NUMBERS), (mercer.NuSVR(nu=0.4, C=20, gamma=0.7), NUMBERS),
    (mercer.OneClassSVM(nu=0.3, gamma=0.7), None),
]  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def steps(model):
    return int(np.sum(model.n_iter_))


@pytest.mark.parametrize(("model", "y"), MACHINES, ids=lambda v: type(v).__name__)
def test_a_stopped_fit_is_resumed(model, y):
    whole = model.set_params(warm_start=False, max_iter=-1).fit(X, y)
    dual, taken = whole.dual_, steps(whole)
    stopped = model.set_params(warm_start=True, max_iter=taken // 2).fit(X, y)
    assert stopped.fit_status_ == 1
    resumed = stopped.set_params(max_iter=-1).fit(X, y)
    assert resumed.fit_status_ == 0
    assert_allclose(resumed.dual_, dual, rtol=1e-4)
    assert 0 < steps(resumed) < taken
    assert steps(resumed.fit(X, y)) == 0


@pytest.mark.parametrize("model", [mercer.LinearSVC(loss="hinge"), mercer.LinearSVR(C=5.0)], ids=repr)
def test_linear_svms_are_resumed(model):
    y = LABELS if isinstance(model, mercer.LinearSVC) else NUMBERS
    whole = model.set_params(max_iter=10_000, tol=1e-6).fit(X, y)
    coef, taken = whole.coef_.copy(), whole.n_iter_
    model.set_params(warm_start=True, max_iter=taken // 2).fit(X, y)
    model.set_params(max_iter=10_000).fit(X, y)
    assert_allclose(model.coef_, coef, atol=1e-3)
    assert model.n_iter_ < taken


def test_several_classes_and_another_cost():
    y = np.digitize(NUMBERS, [-0.5, 0.5])
    model = mercer.SVC(C=20, gamma=0.7, warm_start=True).fit(X, y)
    cold = mercer.SVC(C=10, gamma=0.7).fit(X, y)
    warm = model.set_params(C=10).fit(X, y)
    assert_allclose(warm.dual_, cold.dual_, rtol=1e-4)
    assert steps(warm) < steps(cold)
    assert_allclose(model.set_params(gamma=1.0).fit(X, y).dual_, mercer.SVC(C=10, gamma=1.0).fit(X, y).dual_, rtol=1e-4)


def test_other_rows_start_afresh():
    model = mercer.SVC(C=20, warm_start=True).fit(X, LABELS)
    fresh = mercer.SVC(C=20).fit(X[:300], LABELS[:300])
    with pytest.warns(MercerWarning, match="not the rows of the last fit"):
        model.fit(X[:300], LABELS[:300])
    assert_array_equal(model.dual_coef_, fresh.dual_coef_)
    swapped = np.where(LABELS == "no", "yes", "no")  # the same rows, but no coefficient has the right sign
    assert_allclose(model.fit(X[:300], swapped[:300]).dual_, fresh.dual_, rtol=1e-4)


def test_a_limit_in_time_leaves_a_model():
    with pytest.warns(ConvergenceWarning, match=r"time_limit.*duality gap"):
        model = mercer.SVC(C=20, gamma=0.7, time_limit=1e-9).fit(X, LABELS)
    assert len(model.predict(X)) == len(X)


def slow_kernel(a, b):
    """A kernel during which Ctrl-C is pressed once."""
    slow_kernel.calls += 1
    if slow_kernel.calls == slow_kernel.press:
        signal.raise_signal(signal.SIGINT)
    return np.exp(-0.7 * ((a[:, None] - b[None]) ** 2).sum(axis=2))


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals reach the main thread")
def test_ctrl_c_keeps_the_solutions_found():
    slow_kernel.calls, slow_kernel.press = 0, 40
    model = mercer.SVC(C=20, kernel=slow_kernel, cache_size=0.1, warm_start=True)  # few of 400 rows fit
    with pytest.raises(KeyboardInterrupt) as raised:
        model.fit(X, LABELS)
    assert isinstance(raised.value, Interrupted)
    assert np.abs(raised.value.beta).sum() > 0
    resumed = model.fit(X, LABELS)
    whole = mercer.SVC(C=20, gamma=0.7).fit(X, LABELS)
    assert_allclose(resumed.dual_, whole.dual_, rtol=1e-4)

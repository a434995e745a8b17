"""Limits on threads reach whatever is called below them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import mercer
from mercer._core import gram, select, svm, threads
from mercer.kernels import RBF, Linear


def blas_threads() -> int:
    return max((info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"), default=1)


def note_threads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of threads that native functions are called with from now on: their last argument."""
    noted: list[int] = []

    def noting(function: Any) -> Any:
        def call(*arguments: Any) -> Any:
            noted.append(arguments[-1])
            return function(*arguments)

        return call

    for module, name in ((gram, "gram_into"), (gram, "product_into"), (svm, "smo_solve")):
        monkeypatch.setattr(module, name, noting(getattr(module, name)))
    return noted


@pytest.fixture
def _two_threads_of_blas() -> Iterator[None]:
    """Also where the environment gives BLAS one."""
    with threadpool_limits(2, user_api="blas"):
        yield


@pytest.mark.usefixtures("_two_threads_of_blas")
def test_a_limit_holds_for_native_code_and_blas_and_ends() -> None:
    before = threads.effective_jobs(None), blas_threads()
    with threads.at_most(1):
        assert (threads.effective_jobs(None), threads.effective_jobs(8), blas_threads()) == (1, 1, 1)
        with threads.at_most(4):
            assert threads.effective_jobs(None) == 1
    with pytest.raises(KeyError), threads.at_most(1):
        raise KeyError
    with threads.at_most(None):
        assert (threads.effective_jobs(None), blas_threads()) == before


@pytest.mark.skipif(select.native is None, reason="nothing is compiled, so there are no threads")
def test_machines_and_kernels_use_no_more_threads_than_they_may(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = note_threads(monkeypatch)
    x = np.random.default_rng(0).normal(size=(1200, 3))
    machine = mercer.SVC(n_jobs=1).fit(x, x[:, 0] > 0)
    machine.predict(x)
    RBF(gamma=1.0).fit(x).gram(x[:50], n_jobs=1)
    assert set(jobs) == {1}
    assert len(jobs) >= 3
    assert Linear().fit(x).gram(x[:5], n_jobs=1).shape == (5, 5)


def test_any_whole_number_of_threads_can_be_asked_for() -> None:
    assert threads.effective_jobs(2**63) <= 2**12
    assert threads.effective_jobs(-(2**70)) == 1
    assert type(threads.effective_jobs(np.int8(3))) is int  # one of 8 bits overflows in sums with bytes of memory

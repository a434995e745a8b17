"""How many threads native code and BLAS may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from threadpoolctl import ThreadpoolController

from mercer.errors import BadParameter

_MOST = 1 << 12  # threads; native code takes their number as 32 bits
_limit: ContextVar[int | None] = ContextVar("_limit", default=None)


def effective_jobs(n_jobs: int | None) -> int:
    """None: every processor this process may use; negative: all but (-n - 1), as in joblib; never above `at_most`."""
    available = _available()
    if n_jobs == 0:
        raise BadParameter("n_jobs=0 asks for no thread at all. Use 1 for one, None for all.")
    wanted = available if n_jobs is None else int(n_jobs)  # NumPy's numbers of 8 bits overflow in sums
    limit = _limit.get()
    wanted = min(wanted, _MOST) if wanted > 0 else max(1, available + 1 + wanted)
    return wanted if limit is None else min(wanted, limit)


@contextmanager
def at_most(n_jobs: int | None) -> Iterator[None]:
    """Native code and BLAS use at most `n_jobs` threads while it lasts, however deep the call that starts them."""
    if n_jobs is None:
        yield
        return
    token = _limit.set(effective_jobs(n_jobs))
    try:
        if effective_jobs(None) >= _available():
            yield
        else:
            with _controller().limit(limits=effective_jobs(None), user_api="blas"):
                yield
    finally:
        _limit.reset(token)


@contextmanager
def single_blas_thread() -> Iterator[None]:
    """One BLAS thread: on small matrices its threads wait for each other longer than they work."""
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # finding the libraries takes milliseconds


def _available() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)

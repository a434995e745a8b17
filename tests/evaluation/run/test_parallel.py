"""Fits at once: what they give and say comes in their order, whatever thread was first."""

import os
import signal
import threading
import time
import warnings
from dataclasses import replace

import pytest

import mercer
from mercer._core import effective_jobs
from mercer.evaluation.comparison import prepare
from mercer.evaluation.options import Budget, ComparisonOptions
from mercer.evaluation.run import parallel
from mercer.evaluation.run.parallel import for_several, in_threads, workers
from mercer.table.read import open_source

ROWS = {"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.5] * 8, "y": ["a", "b", "a", "b", "b", "a", "b", "b"] * 8}


@pytest.fixture
def context(monkeypatch):
    monkeypatch.setattr("mercer._core.threads._available", lambda: 2)
    monkeypatch.setattr(parallel, "FEW_ROWS", 0)
    return prepare(open_source(ROWS), "y", ComparisonOptions())


def test_fits_to_few_rows_are_one_after_the_other(context, monkeypatch):
    assert workers(context) == 2
    monkeypatch.setattr(parallel, "FEW_ROWS", 2000)
    assert workers(context) == 1
    assert workers(replace(context, options=replace(context.options, budget=Budget(60)))) == 2


def test_answers_and_warnings_come_in_the_order_of_the_items(context):
    both = threading.Barrier(2, timeout=30)

    def work(item):
        warnings.warn(f"{item} begins", UserWarning, stacklevel=1)
        both.wait()
        if item == "first":
            time.sleep(0.05)  # it ends last
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.warn("nobody hears", UserWarning, stacklevel=1)
        warnings.warn(f"{item} ends", UserWarning, stacklevel=1)
        return item, effective_jobs(None)

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert in_threads(work, ["first", "second"], context) == [("first", 1), ("second", 1)]
    assert [str(w.message) for w in said] == ["first begins", "first ends", "second begins", "second ends"]


def test_one_item_has_all_threads(context):
    assert in_threads(lambda _: effective_jobs(None), ["alone"], context) == [2]


def test_an_interrupt_ends_the_threads_at_work(context):
    ended, both = [], threading.Barrier(2, timeout=30)

    def work(item):
        try:  # from before the other item goes on: the interrupt may come as soon as it does
            both.wait()
            if item == "interrupted":
                raise KeyboardInterrupt
            while True:
                time.sleep(0.001)
        finally:
            ended.append(item)

    with pytest.raises(KeyboardInterrupt):
        in_threads(work, ["interrupted", "endless"], context)
    assert sorted(ended) == ["endless", "interrupted"]


@pytest.mark.skipif(not hasattr(signal, "siginterrupt"), reason="signals end no waits here")
def test_a_signal_that_ends_no_wait_is_heard(context):
    """The handler that polars installs has waits of the main thread go on (SA_RESTART)."""
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("signals come to the main thread")

    def work(item):
        end = time.monotonic() + 20
        while time.monotonic() < end:
            time.sleep(0.01)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.siginterrupt(signal.SIGINT, False)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            in_threads(work, [1, 2], context)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - start < 5


def test_searches_of_fits_at_once_have_the_time_of_all_threads(context):
    assert for_several(context).options.time_limit == 2 * context.options.time_limit
    alone = replace(context, options=replace(context.options, n_jobs=1))
    assert for_several(alone).options.time_limit == context.options.time_limit


def test_the_same_scores_by_one_thread_and_by_two(monkeypatch):
    found = []
    for cores in (1, 2):
        monkeypatch.setattr("mercer._core.threads._available", lambda cores=cores: cores)
        result = mercer.train(ROWS, "y", learners=["tree", "boosting", "ensemble"])
        found.append([(e.title, e.cross_validated, e.held_out, e.folds) for e in result.comparison.leaderboard])
    assert found[0] == found[1]

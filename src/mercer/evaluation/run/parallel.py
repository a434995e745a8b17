"""Several fits of a comparison at once, each by its share of the threads; warnings come in the order of the fits."""

from __future__ import annotations

import ctypes
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from dataclasses import replace
from typing import Any, TypeVar

from mercer._core import effective_jobs
from mercer._core.threads import at_most
from mercer.evaluation.run.records import Context

Item = TypeVar("Item")
Result = TypeVar("Result")
# Small fits wait for Python's lock: two at once, a run on 1,000 rows took 16.3 s for 14.6, on 7,043 rows 21.7 for 26.7.
FEW_ROWS = 2000
LOOK = 0.1  # seconds after which the main thread looks for signals
_said: ContextVar[list[Warning | str]] = ContextVar("_said")


def workers(context: Context) -> int:
    """Fits at the same time: as many as there are cores, each by one thread; 1 of few rows without a time budget.

    Two threads for one fit of boosted trees to 30,000 rows take half as much processor time again as one, and most of a
    fit to 1,000 rows is done by one thread whatever it is given.
    """
    few = context.options.budget is None and len(context.plan.train) < FEW_ROWS
    return 1 if few else effective_jobs(context.options.n_jobs)


def for_several(context: Context) -> Context:
    """The context of fits that are run at once: each has fewer threads, so its searches have as much more time.

    In a time budget the seconds are what they are.
    """
    if context.options.budget is not None:
        return context
    seconds = context.options.time_limit * workers(context)
    return replace(context, options=replace(context.options, time_limit=seconds))


def in_threads(work: Callable[[Item], Result], items: Sequence[Item], context: Context) -> list[Result]:
    """Each item worked on, as many at once as there are workers; one alone has all threads.

    Parameters
    ----------
    work : callable
        What is done with an item.
    items : sequence
        Worked on in any order.
    context : Context
        Whose options say how many threads there are.

    Returns
    -------
    list
        What the items gave, in their order. What they warn of is said after all of them, in the same order: filters of
        warnings belong to all threads.
    """
    at_once = min(workers(context), len(items))
    if at_once < 2:
        return [work(item) for item in items]
    threads, running = workers(context) // at_once, _Running()

    def alone(item: Item) -> tuple[Result, list[Warning | str]]:
        said: list[Warning | str] = []
        _said.set(said)
        with running.this_thread(), at_most(threads):
            return work(item), said

    contexts = [copy_context() for _ in items]
    with warnings.catch_warnings(), ThreadPoolExecutor(at_once) as pool:
        warnings.showwarning = _hear
        futures = [pool.submit(own.run, alone, item) for own, item in zip(contexts, items, strict=True)]
        try:
            found = [_awaited(future) for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            running.stop()
            raise
    for message in (one for _, said in found for one in said):
        warnings.warn(message, stacklevel=2)
    return [result for result, _ in found]


def _awaited(future: Future[Result]) -> Result:
    """What it gives. A signal need not end a wait, as where polars has put its own handler in place of Python's."""
    while not future.done():
        wait([future], timeout=LOOK)
    return future.result()


def _hear(message: Warning | str, *_where: Any, **_more: Any) -> None:
    """Keep a warning for the item that this thread works on."""
    _said.get([]).append(message)


class _Running:
    """Threads at work, which can be stopped: signals such as Ctrl-C come to the main thread alone."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.threads: set[int] = set()

    @contextmanager
    def this_thread(self) -> Iterator[None]:
        """This thread is at work while it lasts."""
        own = threading.get_ident()
        with self.lock:
            self.threads.add(own)
        try:
            yield
        finally:
            with self.lock:
                self.threads.discard(own)

    def stop(self) -> None:
        """End their work at its next step in Python."""
        with self.lock:
            for thread in self.threads:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))
